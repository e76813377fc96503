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
# the trace for Perfetto
rm -rf out/*
status 1 "$EMU" -f perfetto -o out trace
says "error[write]" "No space left on device" "'out/ovni.perfetto-trace'"
test "$(grep -c 'error\[' err.txt)" = 1 || fail "more than one error for one cause: $(cat err.txt)"
