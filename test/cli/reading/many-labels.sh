# 200,000 labels of a mark, in each of two threads: the time for them grows with their number, not its square.
. "$LIB"
small_trace
$PYTHON - <<'END'
import json
for tid in 101, 102:
    path = f"trace/loom.node.0/proc.100/thread.{tid}/stream.json"
    root = json.load(open(path))
    root["ovni"]["mark"] = {"1": {"title": "Phase", "chan_type": "single", "labels": {str(i): f"phase {i}" for i in range(1, 200001)}}}
    json.dump(root, open(path, "w"))
END
for view in "" --compat; do
	status 0 timeout 10 "$EMU" $view -q -f prv -o out trace
	grep -q '^200000  *phase 200000' out/thread.pcf || fail "a label is missing: $(tail -n 2 out/thread.pcf)"
done
