# -c FILE stands for the table in the trace; its absence is an error, that of the default
# one is not.
. "$LIB"
assemble trace <<'END'
loom a.0 cpus 0:0
proc 100 app 1
thread 101
loom b.0 cpus 0:0
proc 200 app 1
thread 201
101 1000 OHx 0 -1 0
101 1100 OHe
201 1000 OHx 0 -1 0
201 1100 OHe
END
printf 'r h m a s\n0 b 50.9 50 0\n' >table.txt
status 0 "$EMU" -o none trace
says "no clock offsets with 2 looms"
sed -i 's/"b\.0"/"a.1"/' trace/*/*/*/stream.json
"$EMU" -o none trace 2>err.txt || fail "one host"
grep -q "clock offsets" err.txt && fail "looms of one host have one clock: $(cat err.txt)"
sed -i 's/"a\.1"/"b.0"/' trace/*/*/*/stream.json
status 0 "$EMU" -o given -c table.txt trace
says "clock offsets of 1 hosts from table.txt"
grep -q '^2:0:1:1:2:50:' given/thread.prv || fail "the offset has no effect"
cp table.txt trace/clock-offsets.txt
status 0 "$EMU" -o default trace
says "trace/clock-offsets.txt"
same given default
# -c wins over the table in the trace
printf 'r h m a s\n0 b -50.9 50 0\n' >other.txt
"$EMU" -q -o other --clock-offsets=other.txt trace || fail "--clock-offsets"
grep -q '^2:0:1:1:1:50:' other/thread.prv || fail "the negative offset has no effect"
status 1 "$EMU" -o out -c missing.txt trace
says "error[clock-table]" "missing.txt"
