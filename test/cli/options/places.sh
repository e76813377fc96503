# Options stand anywhere, grouped or not, with '=' or without; '--' ends them.
. "$LIB"
small_trace
"$EMU" -q -o want trace || fail "the plain run"
n=0
run() {
	n=$((n + 1))
	status 0 "$EMU" "$@"
	silent
	same want "out$n"
}
run trace -q -o out1
run -q trace -o out2
run -qo out3 trace
run -lqo out4 trace
run -lqoout5 trace
run --quiet --output=out6 trace
run --quiet --output out7 trace
run --qui --output out8 trace
run -q -o out9 -- trace
mv trace ./-trace
run -q -o out10 -- -trace
run -q -o out11 ./-trace
