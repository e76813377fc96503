# Options, and how they are refused.
. "$LIB"
SORT=$BUILD/src/emu/tool/ovnisort
mkdir -p trace/thread.1
# no region, and an event that is three places late
printf 'ovni\1\0\0\0\0OB.\5\0\0\0\0\0\0\0\0OB.\6\0\0\0\0\0\0\0\0OB.\7\0\0\0\0\0\0\0\0OB.\4\0\0\0\0\0\0\0' >trace/thread.1/stream.obs
cp trace/thread.1/stream.obs before
for n in 1 0 -5 x 5x "" 99999999999999999999; do
	status 2 "$SORT" -n "$n" trace
	says "error[usage]: -n needs a number from 2"
done
status 2 "$SORT"
says "the trace directory is missing"
status 2 "$SORT" trace trace
says "one trace directory"
status 2 "$SORT" -x trace
status 0 "$SORT" --help
status 0 "$SORT" --version
grep -q '^ovnisort (ovniscope) ' out.txt || fail "--version"
status 0 "$SORT" trace -q -n 2
cmp before trace/thread.1/stream.obs || fail "what is in no region was sorted"
status 1 "$SORT" --all -n 4 trace
says "error[sort-window]" "clock 4 is too late" "hint: -n"
cmp before trace/thread.1/stream.obs || fail "a stream that failed has changed"
status 0 "$SORT" --all --dry-run trace
says "thread.1 would be sorted: 4 events"
status 0 "$SORT" trace --all --window=7
says "thread.1 sorted: 4 events"
status 0 "$SORT" -c trace
status 0 "$SORT" --all trace
says "0 of 1 streams sorted, 1 need no change"
# Progress: in a log only when asked for, and never with -q.
grep -q '% done' err.txt && fail "progress without a terminal"
for check in "" -c; do
	status 0 "$SORT" --progress -q --all $check trace
	grep -q '% done' err.txt && fail "progress with -q"
	status 0 "$SORT" --progress --all $check trace
	grep -q '^ovnisort:  *[0-9.]* % done' err.txt || fail "no progress: $(cat err.txt)"
done
