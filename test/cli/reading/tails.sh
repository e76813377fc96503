# A stream.tail that cannot be read: one that is none is told of, and an error under -l; a disk that fails is an error.
. "$LIB"
tail=trace/loom.node.0/proc.100/thread.102/stream.tail
small_trace

# told WHY: the rest is emulated
told() {
	status 0 "$EMU" -o out trace
	says "warning: the events of its stream.tail are left out: $1" "  at loom.node.0/proc.100/thread.102"
	status 1 "$EMU" -q -l -o out trace
	says "error[read]: the events of its stream.tail cannot be read: $1"
	status 0 "$BUILD/src/emu/tool/ovnidump" trace
	says "warning: the events of its stream.tail are left out: $1"
	rm -rf $tail
}

mkdir $tail
told "it is not a regular file"
mkfifo $tail
told "it is not a regular file"
ln -s stream.tail $tail
told "Too many levels of symbolic links"
ln -s /nowhere/stream.tail $tail
told "No such file or directory"
printf ovnitail >$tail
told "it is shorter than its header"

# a program that died before it wrote the header has no events there
: >$tail
status 0 "$EMU" -o out trace
grep left err.txt && fail "an empty tail is no damage"
head -c 4096 /dev/zero >$tail
printf '\0\0\0\0\0\0\0\0\1' | dd of=$tail conv=notrunc status=none
status 0 "$EMU" -l -o out trace
rm $tail

# reading this file at its beginning is an input/output error
ln -s /proc/self/mem $tail
for tool in "$EMU -o out" "$EMU --compat -o out" "$BUILD/src/emu/tool/ovnidump" "$BUILD/src/emu/tool/ovnitop" "$BUILD/src/emu/tool/ovnisort"; do
	status 1 $tool trace
	says "error[read]: cannot read 'trace/loom.node.0/proc.100/thread.102/stream.tail': Input/output error"
	test "$(grep -c error err.txt)" = 1 || fail "$(cat err.txt)"
done
rm $tail

cp "$EMU" emu
mkdir out2 && chmod 777 out2 && chmod 755 .
: >$tail && chmod 0 $tail
status 0 unprivileged ./emu -o out2 trace
says "warning: the events of its stream.tail are left out: Permission denied"
