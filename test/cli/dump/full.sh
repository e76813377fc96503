# Output that cannot be written is an error; a reader that leaves ends it quietly.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace
test -c /dev/full || skip "no /dev/full"
for tool in "$DUMP" "$TOP"; do
	"$tool" -q trace >/dev/full 2>err.txt
	test $? = 1 || fail "no status 1"
	says "error[write]" "No space left on device"
	"$tool" -q trace >&- 2>err.txt
	test $? = 1 || fail "a closed stdout"
	"$tool" --help >/dev/full 2>err.txt
	test $? = 1 || fail "--help to a full disk"
done
$PYTHON "$TOOLS" big long 100000
"$DUMP" -q long 2>err.txt | head -n 1 >out.txt
test ! -s err.txt || fail "$(cat err.txt)"
(
	ulimit -f 8
	"$DUMP" -q long >limited 2>err.txt
)
test $? = 1 || fail "no status 1 at the limit of files"
says "error[write]"
