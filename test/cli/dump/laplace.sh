# A trace of Laplace goes through the same player: its events, filters, formats and counts.
. "$LIB"
. "$SRC/test/cli/look.sh"
mkdir trace
printf 'A 10 77 9f8e7\nS 20 77\n' >trace/k.lkt
printf 'r 31 4 9f8e7 8049ffe\n' >trace/r.lrt
echo '{"version":1,"format":"laplace","name":"sim","freq_hz":1000000000,"cpus":[{"references":"r.lrt","kernel":"k.lkt"}]}' >trace/laplace.json
cat >want <<'END'
         0  LKA  laplace.json  task 0x77 gets the address space 0x9f8e7
        16  LKS  laplace.json  the processor switches to task 0x77
        33  LRr  laplace.json  loads 4 bytes at 0x8049ffe of space 0x9f8e7
        33  LW.  laplace.json  a window ends
END
prints want "$DUMP" -q trace
sed -n 3p want >part
prints part "$DUMP" -q -e LR? trace
prints part "$DUMP" -q -m laplace -e LR --from=20ns -l sim trace
"$DUMP" -q --format=json trace >out.json || fail "json"
$PYTHON - <<'END' || fail "$(cat out.json)"
import json
rows = [json.loads(line) for line in open("out.json")]
assert [(r["clock"], r["event"]) for r in rows] == [(0, "LKA"), (16, "LKS"), (33, "LRr"), (33, "LW.")], rows
assert rows[0]["args"]["pid"] == 0x77 and rows[2]["args"]["length"] == 4, rows
END
printf 'LKA          1\nLKS          1\nLRr          1\nLW.          1\n' >want
prints want "$TOP" -q trace
for by in thread process loom model time; do
	status 0 "$TOP" -q --by=$by trace
	test "$(awk '{ n += $2 } END { print n }' out.txt)" = 4 || fail "--by=$by: $(cat out.txt)"
done
