# Equal clocks: by the order of the paths, or with --compat as ovni 1.14 takes them.
. "$LIB"
. "$SRC/test/cli/look.sh"
{
	printf 'loom n.1 cpus 0:0\nproc 1 app 1\n'
	for t in 1 2 3 4; do echo "thread $t"; done
	for e in OU[ OB. OU]; do
		for t in 1 2 3 4; do echo "$t 100 $e"; done
	done
} | assemble trace
order() {
	"$DUMP" -q "$@" trace | awk '{ sub(".*thread.", "", $3); printf "%s", $3 }'
}
test "$(order)" = 111222333444 || fail "$(order)"
# a heap: the last one goes to the top, and the stream that was taken to its end
test "$(order --compat)" = 141414323232 || fail "$(order --compat)"
