# Nothing is written: a read-only tree will do, and a stream that may not be read is said.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace
"$DUMP" -q trace >want
chmod -R a-w trace
chmod a+rx .
unprivileged "$DUMP" -q trace >out.txt || fail "read-only"
cmp want out.txt || fail "read-only differs"
chmod a-r trace/loom.b.0/proc.20/thread.21/stream.obs
if unprivileged "$DUMP" -q trace >out.txt 2>err.txt; then
	fail "a stream that cannot be read"
fi
says "error[read]" "Permission denied"
test "$(wc -l <out.txt)" -eq 10 || fail "$(cat out.txt)"
chmod -R u+w trace
