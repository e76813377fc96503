# --from, --to, --relative and --delta; units; what is no time.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace
# clocks OPTIONS...: those of the events that are printed
clocks() {
	"$DUMP" -q "$@" trace | awk '{ printf "%s%s", n++ ? " " : "", $1 }'
}
# is EXPECTED OPTIONS...
is() {
	want=$1
	shift
	got=$(clocks "$@")
	test "$got" = "$want" || fail "$*: $got instead of $want"
}
is "5200000000 6500000000 6500000001" --from=200ms
is "5200000000 6500000000 6500000001" --from=0.2s
is "5200000000 6500000000 6500000001" --from=5200000000
is "6500000000 6500000001" --from=5200000001
is "5001500000 5002000000" --from=1.5ms --to=2ms
is "5000000100 5000000200" --from=+100 --to=+200
is "5000000100 5000000200" --from=0.1us --to=0.0002ms
is "5000000100" --from=5000000100 --to=5000000100
is "" --from=2s
is "" --from=1h
is "6500000000 6500000001" --from=0.025min
is "5000000000" --to=+0
is "" --to=-1
# with -r a plain number is what is printed
is "0 10 20 100" -r --to=100
is "1500000 2000000" --relative --from=400 --to=2000000
is "100 200 300 300 300" -r --from=50ns --to=1us
# the origin is the first event of the trace, not that of what is chosen
is "20 300 1500000001" -r -t 21
"$DUMP" -q -d -t 21 trace | awk '{ printf "%s ", $2 }' >out.txt
test "$(cat out.txt)" = "0 280 1499999701 " || fail "$(cat out.txt)"
"$DUMP" -q -r --delta -t 21 trace | head -n 1 >out.txt
printf '        20           0  OHx  loom.b.0/proc.20/thread.21  begins the execution on CPU 0 created from -1 with tag 0\n' | cmp - out.txt || fail "$(cat out.txt)"
for bad in "" s 1x 1.5 1e9 0.1ns 1..2s 99999999999999999999 9300000000s 3000000h "1 s" --5 .; do
	status 2 "$DUMP" "--from=$bad" trace
	says "error[usage]"
	status 2 "$DUMP" "--to=$bad" trace
done
says "--to=.: a time is a number"
status 2 "$DUMP" --from=0.0000000001s trace
says "finer than a nanosecond"
