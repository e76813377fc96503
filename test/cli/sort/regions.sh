# A region is found by -c, announced by --dry-run, sorted, and can then be emulated.
. "$LIB"
SORT=$BUILD/src/emu/tool/ovnisort
assemble trace <<'END'
loom n.1 cpus 0:0
proc 1 app 1
thread 1 require kernel=1.0.0
1 1 OHx 0 -1 0
1 50 OB.
1 100 OU[
1 30 KCO
1 40 KCI
1 120 OU]
1 130 OHe
thread 2
2 5 OHx -1 -1 0
2 9 OHe
END
obs=trace/loom.n.1/proc.1/thread.1/stream.obs
cp $obs before
status 1 "$EMU" -l -o out trace
says "run ovnisort"
status 0 "$EMU" -o read trace
says "1 regions with late events"

status 1 "$SORT" -c trace
cat >want.txt <<'END'
ovnisort: loaded 2 streams
ovnisort: error[clock-backwards]: backwards jump in time 100 -> 30 for stream loom.n.1/proc.1/thread.1
  at loom.n.1/proc.1/thread.1 +0x3c, event KCO
ovnisort: stream loom.n.1/proc.1/thread.1 is not sorted
ovnisort: streams NOT sorted
END
cmp want.txt err.txt || fail "$(cat err.txt)"

status 0 "$SORT" --dry-run trace
says "stream loom.n.1/proc.1/thread.1 would be sorted: 7 events, 1 regions" \
	"1 of 2 streams would be sorted, 1 need no change"
cmp $obs before || fail "--dry-run has changed the stream"

inode=$(stat -c %i trace/loom.n.1/proc.1/thread.2/stream.obs)
chmod 640 $obs
status 0 "$SORT" trace
says "thread.1 sorted: 7 events, 1 regions" "1 of 2 streams sorted, 1 need no change"
test "$(stat -c %a $obs)" = 640 || fail "the mode is $(stat -c %a $obs)"
test "$(stat -c %i trace/loom.n.1/proc.1/thread.2/stream.obs)" = "$inode" || fail "a sorted stream was replaced"
test "$(find trace -type f | wc -l)" = 4 || fail "files are left: $(find trace)"
status 0 "$SORT" --check trace
says "all streams sorted"
status 0 "$EMU" -q -o out trace
for f in thread.prv cpu.prv; do
	cmp read/$f out/$f || fail "sorted while it is read, $f is another"
done

# again: nothing changes
cp $obs sorted
inode=$(stat -c %i $obs)
status 0 "$SORT" -v trace
says "warning: 1 empty sort region" "nothing to do, 7 events, 0 regions"
cmp $obs sorted || fail "the second run changes the stream"
test "$(stat -c %i $obs)" = "$inode" || fail "the second run replaces the stream"
status 0 "$SORT" -q trace/loom.n.1/proc.1/thread.2
silent
