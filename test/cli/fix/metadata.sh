# Metadata that is missing or damaged is made up from the path; ranks and app_id are, too.
. "$LIB"
FIX=$BUILD/src/emu/tool/ovnifix
small_trace
p=trace/loom.node.0/proc.100
rm $p/thread.102/stream.json
cp -r trace old
status 1 "$EMU" -l -o out trace
status 0 "$FIX" trace
says "thread 102 has no stream.json that can be read: it is made up from the path and the events" "strict tools take it"
status 0 "$EMU" --compat -l -o out trace
grep -q 'TH 1.102' out/thread.row || fail "the thread is not there"
# damaged: the old one is kept
printf '{ "version": 3, "ov' >$p/thread.102/stream.json
cp $p/thread.102/stream.json damaged
status 0 "$FIX" -n trace
status 0 "$FIX" trace
says "warning: " "thread 102 has no stream.json that can be read" "strict tools take it"
cmp damaged $p/thread.102/stream.json.damaged || fail "the damaged one is not kept"
status 0 "$FIX" trace
says "there is nothing to repair"
# of no thread of the process
rm $p/*/stream.json
status 0 "$FIX" trace
says "no thread of process 100 tells its app_id: it is 1" "no thread of loom node.0 tells 2 of its CPUs" "strict tools take it"
# what the path does not tell
mkdir -p trace/elsewhere
cp $p/thread.101/stream.obs trace/elsewhere
status 0 "$FIX" trace
says "the path is not of the form loom.NAME/proc.PID/thread.TID: the stream is left out" "there is nothing to repair"
# wrong values are nobody's to guess
cp -r trace wrong
$PYTHON "$TOOLS" json wrong/loom.node.0/proc.100/thread.101/stream.json ovni.pid 0
cp -r wrong before
status 1 "$FIX" wrong
says "error[metadata]" "ovni.pid"
diff -r before wrong || fail "it has changed"
# a process without a rank
assemble ranks <<'END'
loom node.0 cpus 0:0 1:1
proc 100 app 1 rank 1/4
thread 101
proc 200 app 1
thread 201
loom node.1 cpus 0:0
proc 300 app 1 rank 0/4
thread 301
offset node 0
101 10 OHx 0 -1 0
201 10 OHx 1 -1 0
301 10 OHx 0 -1 0
101 20 OHe
201 20 OHe
301 20 OHe
END
status 1 "$EMU" -o out ranks
says "process 200 has no rank"
status 0 "$FIX" ranks
says "process 200 has no rank, as others of its loom have: it is 2 of 4" "strict tools take it"
status 0 "$EMU" -o out ranks
# old ones
status 1 "$FIX" nowhere
says "error[no-trace]"
mkdir -p empty
status 1 "$FIX" empty
says "error[no-stream]"
