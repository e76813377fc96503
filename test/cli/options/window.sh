# --from and --to: forms of a time, what is refused, and where reading stops.
. "$LIB"
small_trace
refuses() {
	status 2 "$EMU" -o out "$@" trace
}
refuses --from=x
says "a time is a number"
refuses --from=101%
says "0% to 100%"
refuses --to=1.5ps
refuses --from=30ns --to=20ns
says "--from is later than --to: 30 ns behind the first event, and 20 ns"
refuses --to=999
says "--to is before the first event, of clock 1000"
refuses --to=end-1h
for t in +30 30ns 1030 50% end-30ns 0.03us; do
	status 0 "$EMU" -q -f prv -o "$t" --from="$t" trace
	silent
	same +30 "$t"
done
for t in end 100% +60 2h; do
	status 0 "$EMU" -q -f prv -o "to-$t" --from=30ns --to="$t" trace
	same +30 "to-$t"
done
grep -q '^#.*:00000000000000000030_ns' +30/thread.prv || fail "the duration is not that of the window"
# a window that begins before the trace is the whole
status 0 "$EMU" -q -f prv -o whole trace
status 0 "$EMU" -q -f prv -o early --from=5 --to=1h trace
same whole early
# one behind the trace has the last states
status 0 "$EMU" -f prv -o behind --from=1s trace
says "--from is 999999940 ns behind the last event"
valid behind
# what is behind the window is not read, what is before it is
printf 'XXX' >>trace/loom.node.0/proc.100/thread.102/stream.obs
status 1 "$EMU" -q -f prv -o out --from=30ns trace
status 0 "$EMU" -q -f prv -o before --to=40ns trace
valid before
# a per cent is of a file
printf 'x' | status 2 "$EMU" -o out --from=10% --prism=-
says "here --from and --to need times"
