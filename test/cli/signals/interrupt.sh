# SIGINT and SIGTERM in the middle: the files are valid up to there, which is told also with -q, and the status is
# 128 and the signal; with --compat 0, as in the peer.
. "$LIB"
$PYTHON "$TOOLS" big trace 4000000 64
for signal in SIGINT SIGTERM; do
	for view in "" -q --compat; do
		rm -rf out
		got=$($PYTHON "$SRC/test/cli/signals/stop.py" $signal out "$EMU" $view -o out trace) || fail "$got $(cat err.txt)"
		case $view$signal in
		--compat*) want=0 ;;
		*SIGINT) want=130 ;;
		*) want=143 ;;
		esac
		test "$got" = $want || fail "$signal: status $got, not $want: $(cat err.txt)"
		says "stopped by the user ($signal): the timelines end at" " % of the trace"
		grep -q 'error\[' err.txt && fail "an error: $(cat err.txt)"
		# the rest of the file is as valid as the beginning: look at 2 MB of it
		test "$(tail -c 1 out/thread.prv | od -An -c | tr -d ' ')" = '\n' || fail "the last line is cut"
		grep -q '^#Paraver (.*):0*[1-9][0-9]*_ns' out/thread.prv || fail "no duration"
		shorten=$(wc -l <out/thread.prv)
		test "$shorten" -lt 4000000 || fail "it ran to the end"
		test "$(wc -c <out/thread.prv)" -gt 60000000 || valid ${view#-q} out
	done
done
# the page has what there is up to there; without -f uscope nothing else stays
rm -rf out
got=$($PYTHON "$SRC/test/cli/signals/stop.py" SIGINT out "$EMU" -f prv,html -o out trace) || fail "$got $(cat err.txt)"
test "$got" = 130 || fail "SIGINT: status $got: $(cat err.txt)"
$PYTHON "$SRC/test/cli/page.py" out/ovni.html >page.txt || fail "the page"
grep -q whole page.txt || fail "$(cat page.txt)"
test -z "$(find out -name '*uscp*')" || fail "$(ls -A out)"
