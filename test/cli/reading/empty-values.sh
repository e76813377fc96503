# Empty texts in the metadata: an empty title or label is a line that Paraver ignores.
. "$LIB"
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
mark 1 single "" 1="" 2="Two"
mark 2 single "  " 1=" "
set empty {}
set ovni.lib.commit ""
101 1000 OHx 0 -1 0
101 1010 OM= 1 1
101 1020 OM= 1 2
101 1100 OHe
END
status 0 "$EMU" -q -o out trace
valid out
