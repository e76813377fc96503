# -a enables models that nobody requires, -l refuses what is unfinished.
. "$LIB"
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101 unfinished
101 1000 OHx 0 -1 0
101 1010 KCO
101 1020 KCI
101 1030 OHe
END
status 1 "$EMU" -o out trace
says "error[model-disabled]" "use -a"
status 0 "$EMU" -a -o out trace
says "kernel 1.0.0" "thread 101 never finished"
valid out
status 1 "$EMU" -a -l -o out trace
says "error[unfinished]"
status 1 "$EMU" -a --compat -o outc trace
says "error[unfinished]"
$PYTHON "$TOOLS" json trace/loom.node.0/proc.100/thread.101/stream.json ovni.finished 1
status 0 "$EMU" -a -l -o out trace
status 0 "$EMU" --all-models --lint -b -o out trace
status 0 "$EMU" -a --compat -o outc trace
valid --compat outc
