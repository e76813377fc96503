# Other files in the trace do not matter: those of a run before, logs, attributes.
. "$LIB"
small_trace
"$EMU" -q -o want trace || fail "the plain run"
"$EMU" -q trace || fail "in the trace"
echo log >trace/loom.node.0/log.txt
mkdir -p trace/empty/empty
: >trace/loom.node.0/proc.100/thread.101/stream.obs.bak
: >trace/loom.node.0/proc.100/stream.obs
$PYTHON "$TOOLS" json trace/loom.node.0/proc.100/thread.101/stream.json app.note '{"list": [1, 2.5, null, true, "x"]}'
$PYTHON "$TOOLS" json trace/loom.node.0/proc.100/thread.101/stream.json ovni.unknown '"key"'
# text behind the object is ignored, comments are allowed
printf '// a comment\n/* and\nmore */' >x
cat trace/loom.node.0/proc.100/thread.102/stream.json >>x
echo 'behind } it' >>x
mv x trace/loom.node.0/proc.100/thread.102/stream.json
status 0 "$EMU" -q -o out trace
silent
same want out
