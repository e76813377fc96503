# Marks of one title, or of a title that a base type has: in the default view each type
# has a label of its own, as Paraver looks types up by label.
. "$LIB"
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
mark 3 single "Phase" 1="One"
mark 4 stack "Phase" 1="Uno"
mark 5 single "Thread: thread state"
mark 6 single "CPU: TID of the RUNNING thread"
101 1000 OHx 0 -1 0
101 1010 OM= 1 3
101 1020 OM[ 1 4
101 1030 OM= 1 5
101 1040 OM= 1 6
101 1100 OHe
END
status 0 "$EMU" -q -o out trace
silent
valid out
# the peer's labels are kept as they are
status 0 "$EMU" -q --compat -o compat trace
grep -c '^0 10[34] .*Phase$' compat/thread.pcf >n.txt
test "$(cat n.txt)" = 2 || fail "--compat changes labels"
