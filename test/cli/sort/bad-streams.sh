# A stream that fails is left alone, and the others are sorted.
. "$LIB"
SORT=$BUILD/src/emu/tool/ovnisort
assemble trace <<'END'
loom n.1 cpus 0:0
proc 1 app 1
thread 1
1 100 OU[
1 30 OB.
1 120 OU]
thread 2
thread 3
3 100 OU[
3 30 OB.
3 120 OU]
3 raw 0f4f4865 0100
thread 4
4 100 OU[
4 -5 OB.
4 120 OU]
thread 5
thread 6
6 100 OU[
6 30 OB.
6 120 OU]
thread 7
7 100 OU[
7 30 OB.
7 120 OU]
thread 8
END
p=trace/loom.n.1/proc.1
printf 'garbage!' >$p/thread.2/stream.obs
rm $p/thread.8/stream.obs
rm $p/thread.6/stream.json
printf 'no json' >$p/thread.7/stream.json
cp -r trace before
status 1 "$SORT" trace
says "error[stream-header]" "error[stream-truncated]" "error[clock-negative]" "error[read]" \
	"thread.1 sorted" "thread.6 sorted" "thread.7 sorted" "3 of 7 streams sorted, 1 need no change; the others have errors"
for i in 2 4 5; do
	cmp $p/thread.$i/stream.obs before/loom.n.1/proc.1/thread.$i/stream.obs || fail "thread.$i has changed"
done
# What is whole of thread 3 is sorted, and the rest of it is there.
cmp $p/thread.3/stream.obs before/loom.n.1/proc.1/thread.3/stream.obs >cmp.txt && fail "thread.3 is not sorted"
tail -c 6 $p/thread.3/stream.obs >tail.txt
tail -c 6 before/loom.n.1/proc.1/thread.3/stream.obs | cmp - tail.txt || fail "the last bytes of thread.3 are lost"
status 1 "$SORT" -c trace
says "error[stream-truncated]" "error[clock-backwards]" "streams NOT sorted"
grep -q "thread.[1567] is not sorted" err.txt && fail "$(cat err.txt)"
# a trace of empty streams is sorted
rm -r trace/loom.n.1/proc.1/thread.[1234678]
status 0 "$SORT" -c trace
says "all streams sorted"
status 0 "$SORT" trace
status 1 "$SORT" missing
says "error[no-trace]"
exit 0
