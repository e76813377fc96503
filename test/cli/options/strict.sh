# Models that the trace uses and nobody requires are enabled, but for -l, which also refuses what is
# unfinished; -a enables all of runtimes, -m some.
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
status 0 "$EMU" -o out trace
says "the model kernel is enabled, as the trace has events of it: no thread requires it" "kernel 1.0.0"
test "$(grep -c "never finished" err.txt)" = 1 || fail "a message comes twice: $(cat err.txt)"
grep -q ':45:3' out/thread.prv || fail "no states of the kernel"
valid out
status 0 "$EMU" -a -o out trace
says "kernel 1.0.0" "mpi 1.0.0" "thread 101 never finished"
grep -qE "laplace|prism" err.txt && fail "-a has enabled another input"
valid out
status 0 "$EMU" -m kernel,mpi -o out trace
says "models: kernel 1.0.0, mpi 1.0.0, ovni 1.1.0"
status 2 "$EMU" -m kernel,mpo -o out trace
says "there is no 'mpo'"
status 1 "$EMU" -a -l -o out trace
says "error[unfinished]"
status 1 "$EMU" -a --compat -o outc trace
says "error[unfinished]"
$PYTHON "$TOOLS" json trace/loom.node.0/proc.100/thread.101/stream.json ovni.finished 1
status 1 "$EMU" -l -o out trace
says "error[model-disabled]" "use -a"
status 0 "$EMU" -a -l -o out trace
status 0 "$EMU" --all-models --lint -b -o out trace
status 0 "$EMU" -a --compat -o outc trace
valid --compat outc
