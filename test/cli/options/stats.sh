# --stats: each stage on stdout and what bounds the run, with any number of threads; the files are the same.
. "$LIB"
small_trace
"$EMU" -q -o want trace || fail "without --stats"
for j in 1 3; do
	status 0 "$EMU" -q --stats -j $j -f prv,uscope -o out$j trace
	test ! -s err.txt || fail "stderr: $(cat err.txt)"
	grep -q "^[0-9]* events, [0-9]* records, $j threads" out.txt || fail "no totals: $(cat out.txt)"
	for stage in "reading, merging, emulating" formatting writing ovni.uscp; do
		grep -q "^$stage  *[1-9]" out.txt || fail "-j $j: no stage $stage: $(cat out.txt)"
	done
	grep -q "^bound by .*: [1-9] of $j threads busy [0-9]* %$" out.txt || fail "no bound: $(cat out.txt)"
	grep '^formatting' out.txt | grep -q ' [1-9][0-9]*$' || fail "no bytes: $(cat out.txt)"
	same want out$j
done
status 0 "$EMU" -o plain trace
grep -q "bound by" out.txt && fail "told without --stats"
exit 0
