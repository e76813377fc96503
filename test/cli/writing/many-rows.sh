# More rows than Paraver opens: a warning with the limit and the count.
. "$LIB"
small_trace
$PYTHON - <<'END'
import json
path = "trace/loom.node.0/proc.100/thread.101/stream.json"
meta = json.load(open(path))
meta["ovni"]["loom_cpus"] = [{"index": i, "phyid": i} for i in range(65535)]
json.dump(meta, open(path, "w"))
END
status 0 "$EMU" -q -o out trace
says "warning: " "65535" "'out/cpu.prv'" "65536"
grep -q "refuse 'out/thread.prv'" err.txt && fail "that file is small"
says "warning: " "ovni.uscp is not written" "at most 65535"
test ! -e out/ovni.uscp || fail "ovni.uscp"
status 0 "$EMU" -o out trace
says "open in Paraver: out/thread.prv, with"
status 0 "$EMU" -q -f prv --gzip -o out trace
says "warning: " "refuse 'out/cpu.prv.gz'"
status 1 "$EMU" -q -f prv,uscope -o out trace
says "error[write]" "ovni.uscp" "at most 65535"
test "$(sed -n 's/LEVEL THREAD SIZE //p' out/cpu.row)" = 65536 || fail "the rows"
$PYTHON "$TOOLS" json trace/loom.node.0/proc.100/thread.101/stream.json ovni.loom_cpus '[{"index": 0, "phyid": 0}, {"index": 1, "phyid": 1}]'
status 0 "$EMU" -q -o out trace
silent
