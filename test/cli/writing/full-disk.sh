# A disk of 64 KiB: status 1, the file is named, and what was written opens.
. "$LIB"
test "$(id -u)" = 0 || skip "mount needs root"
mkdir out
mount -t tmpfs -o size=64k none out 2>/dev/null || skip "mount is not allowed"
trap 'umount out' EXIT
$PYTHON "$TOOLS" big trace 200000 2
for view in "" --compat; do
	rm -rf out/*
	status 1 "$EMU" $view -o out trace
	says "error[write]" "No space left on device" "'out/"
	test "$(grep -c 'error\[' err.txt)" = 1 || fail "more than one error for one cause: $(cat err.txt)"
	says "not complete for the same reason: out/"
	valid $view --short out
	test "$(wc -l <out/cpu.prv)" -gt 100 -o "$(wc -l <out/thread.prv)" -gt 100 || fail "nothing was kept"
done
# compressed timelines end with a whole member
rm -rf out/*
status 1 "$EMU" --gzip -f prv -o out trace
says "error[write]" "No space left on device" "'out/"
test "$(grep -c 'error\[' err.txt)" = 1 || fail "more than one error for one cause: $(cat err.txt)"
for f in out/*.prv.gz; do
	zcat "$f" >whole.prv || fail "$f is torn"
	grep -q "^#Paraver (.*):0*[1-9][0-9]*_ns" whole.prv || fail "$f has no header with a duration"
	test "$(tail -c 1 whole.prv | od -An -c | tr -d ' ')" = '\n' || fail "the last line of $f is cut"
done
# the page has what is complete, or is not there; nothing else stays
rm -rf out/*
for list in html html,uscope; do
	status 1 "$EMU" -f $list -o out trace
	says "error[write]" "No space left on device" "out/ovni."
	test "$(grep -c 'error\[' err.txt)" = 1 || fail "more than one error for one cause: $(cat err.txt)"
	test ! -e out/ovni.html || $PYTHON "$SRC/test/cli/page.py" out/ovni.html >page.txt || fail "no page"
	rm -f out/ovni.html out/ovni.uscp
	test -z "$(ls -A out)" || fail "$(ls -A out)"
done
# the trace for Perfetto
rm -rf out/*
status 1 "$EMU" -f perfetto -o out trace
says "error[write]" "No space left on device" "'out/ovni.perfetto-trace'"
test "$(grep -c 'error\[' err.txt)" = 1 || fail "more than one error for one cause: $(cat err.txt)"
