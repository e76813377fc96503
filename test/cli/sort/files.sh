# Links, compressed streams, and old traces.
. "$LIB"
SORT=$BUILD/src/emu/tool/ovnisort
printf 'ovni\1\0\0\0\0OU[\12\0\0\0\0\0\0\0\0OB.\3\0\0\0\0\0\0\0\0OU]\14\0\0\0\0\0\0\0' >before
printf 'ovni\1\0\0\0\0OB.\3\0\0\0\0\0\0\0\0OU[\12\0\0\0\0\0\0\0\0OU]\14\0\0\0\0\0\0\0' >after
# a link stays one
mkdir -p link/thread.1 elsewhere
cp before elsewhere/file
ln -s ../../elsewhere/file link/thread.1/stream.obs
status 0 "$SORT" link
test -L link/thread.1/stream.obs || fail "the link is gone"
cmp after elsewhere/file || fail "the file behind the link is not sorted"
test "$(ls -A elsewhere)" = file || fail "left: $(ls -A elsewhere)"
# compressed ones stay so
for kind in zst lz4 gz; do
	mkdir -p $kind/thread.1
	cp before $kind/thread.1/stream.obs
	$PYTHON "$TOOLS" $kind $kind/thread.1/stream.obs
	status 1 "$SORT" -c $kind
	status 0 "$SORT" $kind
	test "$(ls -A $kind/thread.1)" = stream.obs.$kind || fail "there is: $(ls -A $kind/thread.1)"
	status 0 "$SORT" -c $kind
done
# a compressed one that is cut is left alone
$PYTHON "$TOOLS" cut zst/thread.1/stream.obs.zst 3
cp zst/thread.1/stream.obs.zst cut
status 1 "$SORT" zst
says "error[stream-"
cmp cut zst/thread.1/stream.obs.zst || fail "it has changed"
# versions 1 and 2, without their metadata
mkdir -p old/loom.a/proc.1
cp before old/loom.a/proc.1/thread.1.obs
cp before old/loom.a/proc.1/thread.2
status 0 "$SORT" old
cmp after old/loom.a/proc.1/thread.1.obs || fail "thread.1.obs"
cmp after old/loom.a/proc.1/thread.2 || fail "thread.2"
