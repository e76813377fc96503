# -q is silent when nothing is wrong, and tells warnings and errors; -v tells more than
# nothing; all on stderr.
. "$LIB"
small_trace
status 0 "$EMU" -q -o out trace
silent
status 0 "$EMU" -o out trace
test ! -s out.txt || fail "stdout: $(cat out.txt)"
says "10 events of 2 threads on 2 CPUs" "out/thread.prv" "out/cpu.prv" "out/cfg" "ovni 1.1.0" "kernel 1.0.0"
cp err.txt normal.txt
status 0 "$EMU" -v -o out trace
test ! -s out.txt || fail "stdout: $(cat out.txt)"
test "$(wc -l <err.txt)" -gt "$(wc -l <normal.txt)" || fail "-v tells no more"
status 0 "$EMU" -d -o out trace
says "written by libovni"
# a warning is told with -q too
$PYTHON "$TOOLS" json trace/loom.node.0/proc.100/thread.102/stream.json ovni.finished -
status 0 "$EMU" -q -o out trace
says "warning: " "thread 102 never finished"
test "$(grep -c '^ovniemu: ' err.txt)" = 1 || fail "-q tells more than the warning: $(cat err.txt)"
$PYTHON "$TOOLS" cut trace/loom.node.0/proc.100/thread.101/stream.obs 1
status 1 "$EMU" -q -o out trace
says "error[stream-truncated]" "+0x6c"
