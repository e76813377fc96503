# A trace on a file system that is mounted read-only.
. "$LIB"
test "$(id -u)" = 0 || skip "mount needs root"
small_trace
"$EMU" -q -o want trace || fail "the plain run"
mkdir mnt
mount -t tmpfs -o size=1m none mnt 2>/dev/null || skip "mount is not allowed"
trap 'umount mnt' EXIT
cp -r trace mnt/trace
mount -o remount,ro mnt || skip "remount is not allowed"
status 0 "$EMU" -q -o out mnt/trace
silent
same want out
status 1 "$EMU" mnt/trace
says "error[write]" "mnt/trace/" "Read-only file system"
