# The disk is full in the middle of the sorted copy: the stream is as it was, and nothing
# is left beside it.
. "$LIB"
SORT=$BUILD/src/emu/tool/ovnisort
test "$(id -u)" = 0 || skip "mount needs root"
mkdir mnt
mount -t tmpfs -o size=800k none mnt 2>/dev/null || skip "mount is not allowed"
trap 'umount mnt' EXIT
mkdir mnt/thread.1
{
	echo "loom n.1"
	echo "proc 1"
	echo "thread 1"
	i=0
	while test $i -lt 5000; do
		i=$((i + 1))
		echo "1 $((i * 100)) OU["
		echo "1 $((i * 100 - 30)) OM= 1 1"
		echo "1 $((i * 100)) OU]"
		echo "1 $((i * 100)) jjj jumbo hex=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	done
} | $PYTHON "$ASM" - trace || fail "asm.py"
cp trace/*/*/*/stream.obs before
cp before mnt/thread.1/stream.obs
status 1 "$SORT" mnt
says "error[write]" "mnt/thread.1/stream.obs" "No space left on device" "the stream is as it was"
cmp before mnt/thread.1/stream.obs || fail "the stream has changed"
test "$(ls -A mnt/thread.1)" = stream.obs || fail "left: $(ls -A mnt/thread.1)"
# The same with a limit of the size of files.
mkdir -p here/thread.1
cp before here/thread.1/stream.obs
(
	ulimit -f 200
	status 1 "$SORT" here
) || exit 1
says "error[write]" "File too large"
cmp before here/thread.1/stream.obs || fail "the stream has changed"
test "$(ls -A here/thread.1)" = stream.obs || fail "left: $(ls -A here/thread.1)"
# and with room it works
status 0 "$SORT" -q here
cmp -s before here/thread.1/stream.obs && fail "it was not sorted"
status 0 "$SORT" -q -c here
