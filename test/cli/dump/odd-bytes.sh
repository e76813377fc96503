# Bytes that drive terminals, in names of events, labels and paths: visible in all forms.
. "$LIB"
. "$SRC/test/cli/look.sh"
esc=$(printf '\033')
assemble trace <<'END'
loom n.1 cpus 0:0
proc 1 app 1
thread 1
1 raw 00 1b5b41 0100000000000000
1 raw 00 4f00ff 0200000000000000
1 raw 00 202020 0300000000000000
1 raw 00 58222c 0400000000000000
1 raw 13 565963 0500000000000000 16000000 07000000 611b5b316d c3a9 ff c285 22 5c 2c 0a e280ae 00
END
mv trace/loom.n.1 "trace/loom.$esc[31m,\"\\x"
# plain FILE: only characters that can be seen, and UTF-8
plain() {
	LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" "$1" && fail "a control character: $(cat -v "$1")"
	iconv -f UTF-8 -t UTF-8 "$1" >/dev/null || fail "no UTF-8"
}
s='loom.\x1b[31m,"\x/proc.1/thread.1'
cat >want <<END
         1  \\x1b[A  $s  UNKNOWN
         2  O\\x00\\xff  $s  UNKNOWN
         3  \\x20\\x20\\x20  $s  UNKNOWN
         4  X",  $s  UNKNOWN
         5  VYc  $s  creates task type 7 with label "a\\x1b[1mé\\xff\\xc2\\x85"\\,\\x0a\\xe2\\x80\\xae"
END
status 0 "$DUMP" -q trace
cmp want out.txt || fail "$(diff want out.txt)"
says "unknown events: 4; this is the first" "event \\x1b[A"
plain out.txt
"$DUMP" -q -X trace >out.txt 2>/dev/null
plain out.txt
for f in csv json; do
	"$DUMP" -q -f $f trace >out.$f 2>/dev/null || fail "$f"
	plain out.$f
done
$PYTHON - <<'END' || fail "csv or json"
import csv, json
rows = list(csv.DictReader(open("out.csv", encoding="utf-8", newline="")))
stream = 'loom.\\x1b[31m,"\\x/proc.1/thread.1'
label = 'creates task type 7 with label "a\\x1b[1mé\\xff\\xc2\\x85"\\,\\x0a\\xe2\\x80\\xae"'
assert [r["event"] for r in rows] == ["\\x1b[A", "O\\x00\\xff", "\\x20\\x20\\x20", 'X",', "VYc"], rows
assert all(r["stream"] == stream for r in rows), rows
assert rows[4]["text"] == label, rows[4]
lines = [json.loads(x) for x in open("out.json", encoding="utf-8")]
assert [x["event"] for x in lines] == [r["event"] for r in rows], lines
# JSON has a way to write control characters: they are what they were
assert lines[4]["args"] == {"typeid": 7, "label": "a\x1b[1mé\\xff\x85\"\\,\n\u202e"}, lines[4]
assert lines[4]["stream"] == 'loom.\x1b[31m,"\\x/proc.1/thread.1', lines[4]
assert lines[0]["payload"] == "" and "args" not in lines[0], lines[0]
END
# odd names can be asked for as they are printed
"$DUMP" -q -e '\x1b[A,\x20' trace >out.txt 2>/dev/null
test "$(wc -l <out.txt)" -eq 2 || fail "$(cat out.txt)"
status 0 "$TOP" -q trace
plain out.txt
grep -q '^O.x00.xff  *1$' out.txt || fail "$(cat out.txt)"
