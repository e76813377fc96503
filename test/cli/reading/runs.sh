# One run or several: trace directories below the one that is given, and processes that do not overlap in time.
. "$LIB"
small_trace
"$EMU" -q -o want trace || fail "the plain run"
# a parent that holds one trace directory uses it, and writes there
mkdir parent
cp -r trace parent/run1
printf 'rank hostname offset_median offset_mean offset_std\n0 node 5 5 5\n' >parent/run1/clock-offsets.txt
status 0 "$EMU" parent/
says "the trace directory is parent/run1" "clock offsets of 1 hosts from parent/run1/clock-offsets.txt"
same want parent/run1
test ! -e parent/thread.prv || fail "it wrote into the parent"
# not with --compat, and not if the parent has a table of clock offsets
rm -rf parent/run1/thread.* parent/run1/cpu.* parent/run1/cfg
status 0 "$EMU" --compat -q -o out parent
test ! -e parent/run1/thread.prv || fail "--compat writes elsewhere"
mv parent/run1/clock-offsets.txt parent/
status 0 "$EMU" -o out parent
says "from parent/clock-offsets.txt"
rm parent/clock-offsets.txt
# one that holds several lists them
assemble parent/run2 <<'END'
loom node.0 cpus 0:0
proc 200 app 2
thread 201
201 2000 OHx 0 -1 0
201 2010 OHe
END
status 0 "$EMU" -o out parent
says "warning: 'parent' holds 2 trace directories, which are shown in one timeline" "  parent/run1" "  parent/run2" "give one of them"
for i in 3 4 5 6 7 8 9; do
	mkdir parent/run$i
	cp -r trace/loom.node.0 parent/run$i/
done
status 1 "$EMU" -o out parent
says "holds 9 trace directories" "  parent/run8" "  and 1 more"
# two runs in one directory: the second begins when the first has ended
two_runs() {
	assemble two <<END
loom node.0 cpus 0:0 1:1
proc 100 app 1
thread 101
101 1000 OHx 0 -1 0
101 1500000 OHe
proc 200 app 1
thread 201
201 $1 OHx 1 -1 0
201 9000000 OHe
END
}
two_runs 3500000
status 0 "$EMU" -o out two
says "processes do not overlap in time: 100 of node.0 ends 0.002000 s before 200 begins" "OVNI_TRACEDIR"
status 0 "$EMU" --compat -o out two
grep -q "overlap" err.txt && fail "--compat: $(cat err.txt)"
rm -rf two
two_runs 1499999
status 0 "$EMU" -o out two
grep -q "overlap" err.txt && fail "they overlap: $(cat err.txt)"
true
