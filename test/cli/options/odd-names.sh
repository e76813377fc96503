# Names come from users and files: none of their bytes may drive the terminal, and none is
# taken for a format.
. "$LIB"
esc=$(printf '\033[31m')
small_trace
status 1 "$EMU" "$esc"
status 1 "$EMU" -c "no$esc" trace
says "error[clock-table]"
grep -q "$(printf '\033')" err.txt && fail "an escape in a message"
mkdir "$esc%s%n"
cp -r trace "$esc%s%n/t%d"
"$EMU" -q -o want trace || fail "the plain run"
status 0 "$EMU" -o "o$esc%s" "$esc%s%n/t%d"
grep -q "$(printf '\033')" err.txt && fail "an escape in a message"
same want "o$esc%s"
mv trace/loom.node.0/proc.100/thread.101 "trace/loom.node.0/proc.100/th$esc%s"
$PYTHON "$TOOLS" cut "trace/loom.node.0/proc.100/th$esc%s/stream.obs" 1
status 1 "$EMU" -o out trace
says "error[stream-truncated]" "proc.100/th?[31m%s +0x"
grep -q "$(printf '\033')" err.txt && fail "an escape in a message"
exit 0
