# In the label of a view '*' is a wildcard over all types for Paraver: it must not be there.
. "$LIB"
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
mark 1 single "A * B"
mark 2 single "A 2 B"
101 1000 OHx 0 -1 0
101 1010 OM= 1 1
101 1100 OHe
END
status 0 "$EMU" -q -o out trace
valid out
grep -rn 'evt_type_label.*\*' out/cfg && fail "a wildcard in the label of a view"
exit 0
