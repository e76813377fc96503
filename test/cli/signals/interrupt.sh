# SIGINT and SIGTERM in the middle: status 0, the files are valid up to there.
. "$LIB"
$PYTHON "$TOOLS" big trace 4000000 64
for signal in SIGINT SIGTERM; do
	for view in "" --compat; do
		rm -rf out
		got=$($PYTHON "$SRC/test/cli/signals/stop.py" $signal out "$EMU" $view -o out trace) || fail "$got $(cat err.txt)"
		test "$got" = 0 || fail "$signal: status $got: $(cat err.txt)"
		says "stopped by the user" "the timelines end at"
		grep -q 'error\[' err.txt && fail "an error: $(cat err.txt)"
		# the rest of the file is as valid as the beginning: look at 2 MB of it
		test "$(tail -c 1 out/thread.prv | od -An -c | tr -d ' ')" = '\n' || fail "the last line is cut"
		grep -q '^#Paraver (.*):0*[1-9][0-9]*_ns' out/thread.prv || fail "no duration"
		shorten=$(wc -l <out/thread.prv)
		test "$shorten" -lt 4000000 || fail "it ran to the end"
		test "$(wc -c <out/thread.prv)" -gt 60000000 || valid $view out
	done
done
