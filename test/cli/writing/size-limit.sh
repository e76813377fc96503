# A limit on the size of files is met as a full disk is, not by a death.
. "$LIB"
$PYTHON "$TOOLS" big trace 200000 2
for view in "" --compat; do
	rm -rf out
	status 1 sh -c "ulimit -f 512; exec \"\$EMU\" $view -o out trace"
	says "error[write]" "File too large" "'out/thread.prv'"
	valid $view --short out
	tail -n 1 out/thread.prv >last.txt
	test "$(wc -l <out/thread.prv)" -gt 1000 || fail "nothing was kept"
done
