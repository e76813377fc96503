# A killed program: refused by strict tools before, taken after, and the second run has nothing to do.
. "$LIB"
FIX=$BUILD/src/emu/tool/ovnifix
assemble trace <<'END'
loom node.0
proc 100 app 1
thread 101 crashed
thread 102 crashed
101   0  OHx 1 -1 0
102  10  OHx 0 -1 0
101  20  OM= 3 7
101  30  KCO
102  40  OHp
END
p=trace/loom.node.0/proc.100
$PYTHON "$TOOLS" append $p/thread.102/stream.obs 0f4f
status 1 "$EMU" --compat -l -o out trace
says "error[unfinished]" "ovnifix makes a finished trace of it"
"$EMU" -q -o before trace 2>/dev/null || fail "the default view refuses it"
cp -r trace old
sleep 0.01
touch then
status 0 "$FIX" -n trace
says "thread 101 does not end: it does at clock 41, behind the last event (and 1 more threads)" \
	"the last event is not whole: 2 bytes are cut at +0x3" \
	"no thread of loom node.0 tells 2 of its CPUs: they are added" \
	"thread 101 does not require the models of its events: kernel 1.0.0, ovni 1.1.0 (and 1 more threads)" \
	"mark type 7 has no definition: it gets one without labels" \
	"thread 101 is not finished: it is from now on (and 1 more threads)" \
	"2 of 2 streams would be repaired"
diff -r old trace || fail "a dry run has changed it"
test -z "$(find trace -newer then)" || fail "a dry run has written"
status 0 "$FIX" -o copy/of/it trace
says "2 of 2 streams are repaired, in copy/of/it" "strict tools take it"
diff -r old trace || fail "-o has changed it"
status 0 "$FIX" -v trace
says "wrote trace/loom.node.0/proc.100/thread.101/stream.obs" "2 of 2 streams are repaired" "strict tools take it"
diff -r trace copy/of/it || fail "-o is not what is done in place"
test "$(ls -A $p/thread.101)" = "stream.json
stream.obs" || fail "left: $(ls -A $p/thread.101)"
status 0 "$EMU" --compat -l -o out trace
"$EMU" -q -o after trace 2>/dev/null || fail "the default view refuses it now"
grep -v ':41:\|^#' after/thread.prv >after.txt
grep -v '^#' before/thread.prv | diff - after.txt || fail "the timelines differ"
for f in pcf row; do
	cmp before/cpu.$f after/cpu.$f || fail "$f"
done
# all that was there is there, in its order
$PYTHON - <<'END' || fail "members"
import json
for tid in 101, 102:
    where = f"loom.node.0/proc.100/thread.{tid}/stream.json"
    old, new = (json.load(open(f"{top}/{where}"))["ovni"] for top in ("old", "trace"))
    assert list(new)[:len(old)] == list(old), (list(old), list(new))
    assert all(new[k] == v for k, v in old.items() if k != "require"), (old, new)
    assert new["finished"] == 1 and new["require"]["ovni"]
END
cp -rp trace repaired
touch then
status 0 "$FIX" trace
says "there is nothing to repair in 2 streams" "strict tools take it"
test -z "$(find trace -newer then)" || fail "the second run has written"
status 0 "$FIX" -q trace
silent
# a finished trace is copied
status 0 "$FIX" -o same trace
says "there is nothing to repair: same is a copy"
diff -r trace same || fail "the copy differs"
