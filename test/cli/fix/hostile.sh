# Bad inputs and outputs: nothing is changed, nothing hangs, and a message says why.
. "$LIB"
FIX=$BUILD/src/emu/tool/ovnifix
kill_it() { # DIR
	small_trace $1
	for tid in 101 102; do
		$PYTHON "$TOOLS" json $1/loom.node.0/proc.100/thread.$tid/stream.json ovni.finished -
		$PYTHON "$TOOLS" cut $1/loom.node.0/proc.100/thread.$tid/stream.obs 12
	done
}
kill_it trace
p=trace/loom.node.0/proc.100
for bad in "" "trace trace" "-x trace"; do
	status 2 "$FIX" $bad
done
status 0 "$FIX" --help
status 1 "$FIX" $p/thread.101/stream.obs
says "is not a directory"
# events that nobody can do stop it
cp -r trace bad
$PYTHON "$TOOLS" append bad/loom.node.0/proc.100/thread.101/stream.obs 004f4870ffff000000000000004f4870ffff000000000000
cp -r bad before
status 1 "$FIX" bad
says "error[thread-state]"
diff -r before bad || fail "it has changed"
# other directories: in the trace, not empty, no directory
cp -r trace before2
status 1 "$FIX" -o trace/fixed trace
says "is in the trace"
rmdir trace/fixed
status 1 "$FIX" -o trace trace
says "is not empty"
status 1 "$FIX" -o /dev/null trace
says "error["
: >file
status 1 "$FIX" -o file/dir trace
says "error[write]"
diff -r before2 trace || fail "it has changed"
# a FIFO, a directory and a dangling link in the place of metadata: these threads are left out
mkdir $p/thread.103 $p/thread.104 $p/thread.105
mkfifo $p/thread.103/stream.json
mkdir $p/thread.104/stream.json
ln -s nowhere $p/thread.105/stream.json
for i in 3 4 5; do
	cp $p/thread.101/stream.obs $p/thread.10$i
done
status 0 "$FIX" -o copy trace
says "3 parts of the trace cannot be read and are left out" "strict tools take it"
test "$(ls copy/loom.node.0/proc.100)" = "thread.101
thread.102" || fail "$(ls copy/loom.node.0/proc.100)"
status 0 "$FIX" trace
test -p $p/thread.103/stream.json || fail "the FIFO is gone"
test -L $p/thread.105/stream.json || fail "the link is gone"
# somebody still writes
kill_it running
cp -r running before3
(
	exec 4>>running/loom.node.0/proc.100/thread.102/stream.obs
	status 1 "$FIX" running
) || { # not all file systems tell
	diff -r before3 running >/dev/null && fail "refused without a word"
	rm -r running
	cp -r before3 running
}
grep -q "has the stream open to write it" err.txt && { diff -r before3 running || fail "it has changed"; }
status 0 "$FIX" running
# files that may not be written
kill_it mine
cp "$FIX" fix
chmod 755 . fix mine
chmod -R a+rX mine
cp -r mine before4
unprivileged ./fix mine >out.txt 2>err.txt && fail "it succeeds"
says "error[write]" "Permission denied"
diff -r before4 mine || fail "it has changed"
