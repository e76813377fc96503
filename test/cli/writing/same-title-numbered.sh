# A title that looks like the number that a second one gets, and titles that differ in
# what cannot be printed only.
. "$LIB"
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
mark 3 single "Phase"
mark 4 single "Phase"
mark 5 single "Phase (type 104)"
mark 6 single "Tab here"
set ovni.mark.7 {"title": "Tab\there", "chan_type": "single"}
101 1000 OHx 0 -1 0
101 1100 OHe
END
status 0 "$EMU" -q -o out trace
valid out
