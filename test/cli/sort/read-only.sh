# What may not be written can be checked, and is left alone.
. "$LIB"
SORT=$BUILD/src/emu/tool/ovnisort
mkdir -p trace/thread.1 trace/thread.2
printf 'ovni\1\0\0\0\0OU[\12\0\0\0\0\0\0\0\0OB.\3\0\0\0\0\0\0\0\0OU]\14\0\0\0\0\0\0\0' >trace/thread.1/stream.obs
cp trace/thread.1/stream.obs before
cp before trace/thread.2/stream.obs
cp "$SORT" sort
chmod 755 . sort trace
# the directory of one, the file of the other
chmod 644 trace/thread.1/stream.obs
chmod 555 trace/thread.1
chmod 444 trace/thread.2/stream.obs
chmod 777 trace/thread.2
unprivileged ./sort -c trace >out.txt 2>err.txt && fail "-c succeeds"
says "streams NOT sorted"
unprivileged ./sort --dry-run trace >out.txt 2>err.txt || fail "--dry-run: $(cat err.txt)"
says "2 of 2 streams would be sorted"
unprivileged ./sort trace >out.txt 2>err.txt && fail "it succeeds"
says "error[write]" "cannot write 'trace/thread.2/stream.obs': Permission denied" "trace/thread.1/stream.obs" \
	"0 of 2 streams sorted, 0 need no change; the others have errors"
for i in 1 2; do
	cmp before trace/thread.$i/stream.obs || fail "thread.$i has changed"
	test "$(ls -A trace/thread.$i)" = stream.obs || fail "left: $(ls -A trace/thread.$i)"
done
# sorted already: nothing has to be written
chmod 755 trace/thread.1
"$SORT" -q trace/thread.1 2>/dev/null || fail "sort"
chmod 555 trace/thread.1
chmod 444 trace/thread.1/stream.obs
unprivileged ./sort trace/thread.1 >out.txt 2>err.txt || fail "$(cat err.txt)"
