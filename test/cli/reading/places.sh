# The output depends on the trace and not on how it is named: slashes at the end, absolute,
# moved, through a link, from within.
. "$LIB"
small_trace
"$EMU" -q -o want trace || fail "the plain run"
n=0
run() {
	n=$((n + 1))
	status 0 "$EMU" -q -o "$here/out$n" "$@"
	silent
	same "$here/want" "$here/out$n"
}
here=$PWD
run trace
run trace/
run trace///
run ./trace/.
run "$here/trace"
ln -s trace link
run link
run link/
mkdir -p "a b/c"
cp -r trace "a b/c/tra%s ce"
run "a b/c/tra%s ce"
cd trace || exit 1
run .
run ../trace
cd loom.node.0 || exit 1
run ..
# a part of a trace is a trace: here all threads are in one process
cd "$here" || exit 1
run trace/loom.node.0
run trace/loom.node.0/proc.100
