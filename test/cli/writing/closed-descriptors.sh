# Messages never end in an output, even when a standard descriptor is closed and its number
# is free for a file.
. "$LIB"
small_trace
rm -r trace/loom.node.0/proc.100/thread.102
$PYTHON "$TOOLS" json trace/loom.node.0/proc.100/thread.101/stream.json ovni.loom_cpus '[{"index": 0, "phyid": 0}]'
$PYTHON "$TOOLS" json trace/loom.node.0/proc.100/thread.101/stream.json ovni.finished -
"$EMU" -q -o want trace 2>/dev/null || fail "the plain run"
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-' '<&- 2>&-'; do
	rm -rf out
	eval '"$EMU" -v -o out trace' "2>/dev/null $closed" || fail "$closed: status $?"
	same want out
	rm -rf out
	(ulimit -n 20 && eval '"$EMU" -v -o out trace' "2>/dev/null $closed") || fail "$closed: status $?"
	same want out
done
