# --by, with bytes and rates; as text and as JSON.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace
cat >want <<'END'
loom.a.0/proc.10/thread.11          6
loom.a.0/proc.10/thread.12          4
loom.b.0/proc.20/thread.21          3
END
prints want "$TOP" -q --by=thread trace
cat >want <<'END'
loom.a.0/proc.10         10
loom.b.0/proc.20          3
END
prints want "$TOP" -q -b process trace
cat >want <<'END'
loom.a.0         10
loom.b.0          3
END
prints want "$TOP" -q --by=loom trace
cat >want <<'END'
#model     events        bytes       events/s        bytes/s
ovni            7          132            4.7           88.0
nosv            4           89            2.7           59.3
kernel          2           24            1.3           16.0
END
prints want "$TOP" -q --by=model --bytes --rates trace
"$TOP" -q -B -e OHe trace >out.txt
printf '#event     events        bytes\nOHe          3           36\n' | sed 's/#event/#event/' >want
sed 's/^#[a-z]*/#/' want >w
sed 's/^#[a-z]*/#/' out.txt | cmp - w || fail "bytes of one event: $(cat out.txt)"
test "$("$TOP" -q --by=time --step=100ms trace | awk '{ n += $2 } END { print NR, n }')" = "16 13" || fail "the sum of the intervals"
# without a step, about twenty intervals of a round length
test "$("$TOP" -q --by=time trace | awk '{ n += $2 } END { print NR, n }')" = "16 13" || fail "$("$TOP" -q --by=time trace)"
"$TOP" -q --by=time trace | head -n 1 | grep -q '^0ms  *10$' || fail "$("$TOP" -q --by=time trace)"
"$TOP" -q --by=time --step=0.5s --rates trace | sed -n 2p | grep -q '^0ms  *11  *22.0 ' || fail "$("$TOP" -q --by=time --step=0.5s --rates trace)"
test "$("$TOP" -q --by=time --step=1s --from=+1000000000 trace | tr -s ' ')" = "1s 2" || fail "a range: $("$TOP" -q --by=time --step=1s --from=+1000000000 trace)"
# JSON says the same
for by in event thread process loom model time; do
	"$TOP" -q -j -R --by=$by trace >out.json || fail "$by"
	"$TOP" -q --by=$by trace >out.txt
	$PYTHON - $by <<'END' || fail "$by: $(cat out.json)"
import json, sys
by = sys.argv[1]
top = json.load(open("out.json"))
rows = [line.split() for line in open("out.txt")]
assert top["by"] == by and top["events"] == 13 and top["bytes"] == 245, top
assert top["first"] == 5000000000 and top["last"] == 6500000001, top
assert [r["events"] for r in top["rows"]] == [int(n) for _, n in rows], top
assert sum(r["bytes"] for r in top["rows"]) == 245, top
key = {"event": "event", "model": "model", "time": "from"}.get(by, "name")
names = [r[key] for r in top["rows"]]
if by == "time":
    assert names == [i * top["step"] for i in range(16)] and top["origin"] == 5000000000, top
else:
    assert names == [name for name, _ in rows], top
    span = (top["last"] - top["first"]) / 1e9
    assert all(abs(r["events_per_second"] - r["events"] / span) < 0.01 for r in top["rows"]), top
if by == "thread":
    assert (top["rows"][0]["loom"], top["rows"][0]["process"], top["rows"][0]["thread"]) == ("a.0", 10, 11), top
END
done
status 2 "$TOP" --by=colour trace
says "error[usage]" "not 'colour'"
status 2 "$TOP" --step=1s trace
says "--step needs --by=time"
status 2 "$TOP" --by=time --step=0 trace
status 2 "$TOP" --by=time --step=x trace
status 1 "$TOP" --by=time --step=1ns trace
says "error[usage]" "give more than 1048576 lines"
# The clock of a drift table is that of each event, not that of the last one read.
$PYTHON "$TOOLS" big big 3000 2 || fail "tools.py"
printf '%s\n' "wallclock clock_ns node" "1.0 12000 10000" "2.0 32000 0" >drift.txt
last=$("$DUMP" -q -c drift.txt big | sed -n '$s/^ *\([0-9]*\) .*/\1/p')
for by in event thread model time; do
	"$TOP" -q -j --by=$by -c drift.txt big >out.json || fail "$by"
	grep -q "\"first\":11000,\"last\":$last," out.json || fail "drift, --by=$by: $(head -n 1 out.json), and not until $last"
done
# All clocks there can be: the intervals are few, and none is before the first event.
mkdir -p wide/thread.1
$PYTHON -c 'import struct, sys
sys.stdout.buffer.write(b"ovni\1\0\0\0" + b"".join(b"\0OB." + struct.pack("<q", c) for c in (-2**63, -5, 2**63 - 1)))' >wide/thread.1/stream.obs
"$TOP" -q --by=time wide >out.txt 2>err.txt || fail "$(cat err.txt)"
sed -n '1p;10p;$p' out.txt | tr -s ' ' >w
printf '%s\n' "0s 1" "9000000000s 1" "18000000000s 1" | cmp - w || fail "$(cat out.txt)"
