# Streams that are links: to a file, to a directory, the same one twice, a circle.
. "$LIB"
small_trace
"$EMU" -q -o want trace || fail "the plain run"
mkdir store
mv trace/loom.node.0/proc.100/thread.101/stream.obs store/one.obs
ln -s "$PWD/store/one.obs" trace/loom.node.0/proc.100/thread.101/stream.obs
mv trace/loom.node.0/proc.100/thread.102 store/
ln -s ../../../store/thread.102 trace/loom.node.0/proc.100/thread.102
status 0 "$EMU" -q -o out1 trace
silent
same want out1
# a second name for a stream is not a second thread
ln -s thread.102 trace/loom.node.0/proc.100/thread.999
status 0 "$EMU" -q -o out2 trace
same want out2
# a circle ends
ln -s ../.. trace/loom.node.0/circle
status 0 "$EMU" -q -o out3 trace
same want out3
