# A second run into the same directory: a view of the first one whose type does not occur
# any more would be refused by Paraver.
. "$LIB"
small_trace
"$EMU" -q -o out trace || fail "the first run"
rm -rf trace
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
101 1000 OHx 0 -1 0
101 1030 OHe
END
"$EMU" -q -o out trace || fail "the second run"
valid out
