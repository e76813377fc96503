# However early it is stopped: the stream is the old one or the sorted one.
. "$LIB"
SORT=$BUILD/src/emu/tool/ovnisort
mkdir -p trace/thread.1 want/thread.1
$PYTHON - before <<'END'
import struct, sys
with open(sys.argv[1], "wb") as f:
    f.write(b"ovni\1\0\0\0")
    f.write(b"".join(struct.pack("<4sQ4sQ4sQ", b"\0OU[", 10 * i + 9, b"\0OB.", 10 * i + 2, b"\0OU]", 10 * i + 9)
                     for i in range(600000)))
END
cp before want/thread.1/stream.obs
"$SORT" -q want 2>/dev/null || fail "sort"
for pause in 0.01 0.03 0.06 0.1; do
	cp before trace/thread.1/stream.obs
	"$SORT" trace >out.txt 2>err.txt &
	pid=$!
	sleep $pause
	kill -INT $pid 2>/dev/null
	wait $pid
	got=$?
	case $got in
	0) cmp want/thread.1/stream.obs trace/thread.1/stream.obs || fail "status 0 and not sorted" ;;
	130) cmp before trace/thread.1/stream.obs || fail "stopped, and it has changed"
		test ! -s err.txt || grep -q "stopped by the user\|loaded" err.txt || fail "$(cat err.txt)" ;; # or killed, too early
	*) fail "status $got: $(cat err.txt)" ;;
	esac
	test "$(ls -A trace/thread.1)" = stream.obs || fail "left: $(ls -A trace/thread.1)"
done
