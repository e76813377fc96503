# Whichever write fails: the trace is still good for the default view, has all its events, and the next run goes on.
. "$LIB"
FIX=$BUILD/src/emu/tool/ovnifix
{
	echo "loom node.0"
	echo "proc 100 app 1"
	for tid in 101 102 103 104; do
		echo "thread $tid crashed"
	done
	for tid in 101 102 103 104; do
		echo "$tid $tid OHx $((tid - 101)) -1 0"
		i=0
		while test $i -lt $(((tid - 100) * 60)); do
			i=$((i + 1))
			echo "$tid $((tid + i * 10)) OM= $i 7"
		done
	done
} | $PYTHON "$ASM" - killed || fail "asm.py"
events() {
	"$BUILD/src/emu/tool/ovnidump" -q "$1" 2>/dev/null | grep -v OHe | cut -c1-60
}
cp -r killed want
status 0 "$FIX" -q want
events killed >events.txt
failed=0
for blocks in 1 2 3 4 6 8 10; do
	rm -rf trace
	cp -r killed trace
	(
		ulimit -f $blocks
		"$FIX" trace >out.txt 2>err.txt
	) || { # a stream is as it was, or repaired
		failed=$((failed + 1))
		says "error[write]"
		"$EMU" -q -o out trace 2>/dev/null || fail "after a failure it is refused"
	}
	events trace | diff events.txt - || fail "events are lost"
	test -z "$(find trace -name '.ovnifix.*')" || fail "left: $(find trace -name '.ovnifix.*')"
	status 0 "$FIX" trace
	says "strict tools take it"
	for tid in 101 102 103 104; do
		cmp want/loom.node.0/proc.100/thread.$tid/stream.json trace/loom.node.0/proc.100/thread.$tid/stream.json || fail "metadata"
	done
done
test $failed -gt 2 || fail "only $failed failures"
# or a signal comes, at whatever moment
for pause in 0 0.002 0.004 0.008; do
	rm -rf trace
	cp -r killed trace
	"$FIX" trace >out.txt 2>err.txt &
	sleep $pause
	kill -INT $! 2>/dev/null
	wait $!
	case $? in
	0 | 130) ;;
	*) fail "status $?: $(cat err.txt)" ;;
	esac
	events trace | diff events.txt - || fail "events are lost"
	status 0 "$FIX" trace
	says "strict tools take it"
done
