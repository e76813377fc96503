# A program may label 777, which is also the value of the error state in CPU rows: the PCF
# has one label for it.
. "$LIB"
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
mark 1 single "A" 777="mine" 666="too"
101 1000 OHx 0 -1 0
101 1010 OM= 777 1
101 1100 OHe
END
status 0 "$EMU" -q -o out trace
valid out
