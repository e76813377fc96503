# A long compressed stream, one kind each: windows are refilled from the decoder.
. "$LIB"
$PYTHON "$TOOLS" big trace 100000 2
"$EMU" -q -o want trace || fail "the plain run"
$PYTHON "$TOOLS" zst trace/loom.node.0/proc.100/thread.101/stream.obs
$PYTHON "$TOOLS" lz4 trace/loom.node.0/proc.100/thread.102/stream.obs
status 0 "$EMU" -q -o out trace
same want out
rm -rf trace && $PYTHON "$TOOLS" big trace 100000 2
$PYTHON "$TOOLS" gz trace/loom.node.0/proc.100/thread.101/stream.obs
status 0 "$EMU" -q -o out trace
same want out
# a plain one beside a compressed one is preferred
$PYTHON "$TOOLS" big other 100000 2
cp other/loom.node.0/proc.100/thread.101/stream.obs trace/loom.node.0/proc.100/thread.101/
status 0 "$EMU" -q -o out trace
same want out
