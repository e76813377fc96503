# The trace directory may be the directory of one stream.
. "$LIB"
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
101 1000 OHx 0 -1 0
101 1100 OHe
END
"$EMU" -q -o want trace || fail "the whole"
for dir in trace/loom.node.0/proc.100/thread.101 trace/loom.node.0/proc.100/thread.101/; do
	status 0 "$EMU" -q -o out $dir
	silent
	same want out
done
cd trace/loom.node.0/proc.100/thread.101 || exit 1
status 0 "$EMU" -q .
same ../../../../want .
# a message still has a place
cd ../../../..
$PYTHON "$TOOLS" cut trace/loom.node.0/proc.100/thread.101/stream.obs 1
status 1 "$EMU" -o out trace/loom.node.0/proc.100/thread.101
says "error[stream-truncated]" "at . +0x24, event OHe"
