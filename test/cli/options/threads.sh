# -j: the output does not depend on the number of threads.
. "$LIB"
$PYTHON "$TOOLS" big trace 200000 9
"$EMU" -q -o want trace || fail "without -j"
for j in 1 2 3 16; do
	status 0 "$EMU" -q -j $j -o out$j trace
	silent
	same want out$j
	rm -r out$j
done
status 0 "$EMU" -q --threads=2 --compat -o two trace
status 0 "$EMU" -q -j1 --compat -o one trace
same one two
for j in 0 -1 x; do
	status 2 "$EMU" -j $j -o none trace
	says "error[usage]: "
	[ ! -e none ] || fail "-j $j: an output"
done
