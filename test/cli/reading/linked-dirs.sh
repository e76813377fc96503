# Directories that link to each other are walked once each: 14 have more paths than there is time.
. "$LIB"
small_trace
"$EMU" -q -o want trace || fail "the plain run"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
	mkdir trace/d$i
	for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
		ln -s ../d$k trace/d$i/to$k
	done
	ln -s ../loom.node.0 trace/d$i/loom
done
status 0 timeout 20 "$EMU" -q -o out trace
test ! -s out.txt || fail "not silent"
# the stream has the name that comes first
rm -rf trace/d*
mkdir trace/a.b trace/a
mv trace/loom.node.0 trace/a/loom.node.0
ln -s ../a/loom.node.0 trace/a.b/loom
status 0 "$BUILD/src/emu/tool/ovnidump" -q trace
grep -q 'a[.]b/loom/proc.100/thread.101' out.txt || fail "$(head -n 2 out.txt)"
grep -q ' a/loom' out.txt && fail "twice: $(cat out.txt)"
true
