# Events in stream.tail join the stream, of which nothing is lost; a damaged tail stays.
. "$LIB"
FIX=$BUILD/src/emu/tool/ovnifix
small_trace whole
cp -r whole trace
p=loom.node.0/proc.100/thread.101
cat >cut.py <<'END'
import json, struct, sys
p, end, used = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
data = open(f"{p}/stream.obs", "rb").read()
meta = json.load(open(f"{p}/stream.json"))
meta["ovni"].pop("finished", None)
json.dump(meta, open(f"{p}/stream.json", "w"))
open(f"{p}/stream.obs", "wb").write(data[:end])
open(f"{p}/stream.tail", "wb").write(struct.pack("=8sIIQQQQQQ", b"ovnitail", 1, 0, 4096, 3, 1005, 0, 8, used) + data[8:8 + used])
END
$PYTHON cut.py trace/$p 20 1000 2>/dev/null
$PYTHON cut.py trace/$p 8 0
rm -r trace
cp -r whole trace
size=$(($(wc -c <whole/$p/stream.obs) - 8))
for end in 8 20 $((size - 5)); do
	rm -r trace
	cp -r whole trace
	$PYTHON cut.py trace/$p $end $size
	status 0 "$FIX" trace
	says "events of stream.tail join stream.obs: it has $((size + 8)) bytes then, and not $end" "strict tools take it" \
		"thread 101 lost 3 events: the metadata tells so"
	cmp whole/$p/stream.obs trace/$p/stream.obs || fail "the stream is not whole"
	test ! -e trace/$p/stream.tail || fail "the tail is there"
	grep -q '"lost":[[:space:]]*3' trace/$p/stream.json || fail "no lost: $(cat trace/$p/stream.json)"
	status 0 "$FIX" trace
	says "there is nothing to repair"
done
# one that has nothing new is removed, a damaged one is not
rm -r trace
cp -r whole trace
$PYTHON cut.py trace/$p $((size + 8)) $size
status 0 "$FIX" trace
says "stream.tail has nothing that stream.obs has not: it is removed"
test ! -e trace/$p/stream.tail || fail "the tail is there"
printf 'ovnitail\2' >trace/$p/stream.tail
status 0 "$FIX" trace
says "the events of its stream.tail are left out" "there is nothing to repair"
test -e trace/$p/stream.tail || fail "the tail is gone"
# one that was never begun has nothing, whoever looks
head -c 2048 /dev/zero >trace/$p/stream.tail
status 0 "$EMU" --compat -l -o out trace
status 0 "$FIX" trace
says "has nothing that stream.obs has not: it is removed"
test ! -e trace/$p/stream.tail || fail "the tail is there"
