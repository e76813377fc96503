# --stats: each stage on stdout and what bounds the run, with any number of threads; the files are the same. What a stage of one
# thread does and waits for is all of the time.
. "$LIB"
small_trace
"$EMU" -q -o want trace || fail "without --stats"
for j in 1 3; do
	status 0 "$EMU" -q --stats -j $j -f prv,uscope -o out$j trace
	test ! -s err.txt || fail "stderr: $(cat err.txt)"
	grep -q "^[0-9]* events, [0-9]* records, $j threads" out.txt || fail "no totals: $(cat out.txt)"
	first="reading, merging, emulating"
	test $j = 1 || first=emulating # as others read ahead
	for stage in "$first" formatting writing ovni.uscp; do
		grep -q "^$stage  *[1-9]" out.txt || fail "-j $j: no stage $stage: $(cat out.txt)"
	done
	grep -q "^bound by .*: [1-9] of $j threads busy [0-9]* %$" out.txt || fail "no bound: $(cat out.txt)"
	grep -q "^with more threads at least [0-9.]* s, by [a-z]" out.txt || fail "no bound of all runs: $(cat out.txt)"
	awk '/ events, / { wall = $(NF - 1) }
		/^(reading, merging, emulating|emulating|ovni.uscp)/ { all = $(NF - 2) + $(NF - 3) + $(NF - 4) + $(NF - 6); n++; if ($(NF - 5) > $(NF - 6) + .003) exit 1; if (all < wall - .003 || all > wall + .003) exit 1 }
		END { if (n != 2) exit 1 }' out.txt || fail "times that do not add up: $(cat out.txt)"
	grep '^formatting' out.txt | grep -q ' [1-9][0-9]*$' || fail "no bytes: $(cat out.txt)"
	same want out$j
done
# looms side by side, and what they print is merged
assemble looms <<'END'
loom a.1 cpus 0:0
proc 1 app 1
thread 1
loom b.1 cpus 0:0
proc 2 app 1
thread 2
1 100 OHx 0 -1 0
2 100 OHx 0 -1 0
1 200 OHe
2 200 OHe
END
status 0 "$EMU" -q --stats -j 3 -f prv -o looms.out looms
grep -q "^dividing records of looms  *1 " out.txt || fail "no merging: $(cat out.txt)"
grep -q "^reading, merging, emulating  *2 " out.txt || fail "one loom at a time: $(cat out.txt)"
status 0 "$EMU" -o plain trace
grep -q "bound by" out.txt && fail "told without --stats"
exit 0
