# Garbage, truncation and missing metadata: what is whole is printed, and what is not is said.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace whole
"$DUMP" -q whole >all.txt || fail "the whole trace"
a=loom.a.0/proc.10/thread.11
b=loom.a.0/proc.10/thread.12
fresh() {
	rm -rf trace
	cp -r whole trace
}
lines() {
	test "$(wc -l <out.txt)" -eq "$1" || fail "$(wc -l <out.txt) lines instead of $1: $(cat out.txt)"
}

# without metadata the path tells who it is
fresh
rm trace/$a/stream.json
status 0 "$DUMP" trace
cmp all.txt out.txt || fail "no metadata: $(diff all.txt out.txt)"
says "at $a" "no stream.json"
status 0 "$DUMP" -q -t 11 -p 10 -l a.0 trace
lines 6
find trace -name '*.json' -delete
status 0 "$DUMP" trace
cmp all.txt out.txt || fail "no metadata at all"
# metadata that is wrong
for text in '' '{' '[]' '{"version":2}' '{"version":3,"ovni":{"loom":7,"pid":"x","tid":-3}}'; do
	fresh
	printf '%s' "$text" >trace/$a/stream.json
	status 0 "$DUMP" trace
	cmp all.txt out.txt || fail "metadata '$text': $(diff all.txt out.txt)"
	status 0 "$DUMP" -t 11 trace
	lines 6
done
# a stream that ends inside an event: an error if it was finished, as in ovniemu
fresh
$PYTHON "$TOOLS" cut trace/$a/stream.obs 5
status 1 "$DUMP" -q trace
lines 12
says "error[stream-truncated]" "at $a" "only 7 bytes are left"
$PYTHON "$TOOLS" json trace/$a/stream.json ovni.finished 0
status 0 "$DUMP" -q trace
lines 12
says "warning: the stream ends with an incomplete event"
# others go on behind a stream that is none
fresh
printf 'garbage, more than a header' >trace/$a/stream.obs
status 1 "$DUMP" -q trace
lines 7
says "error[stream-header]" "at $a"
: >trace/$a/stream.obs
status 1 "$DUMP" -q trace
lines 7
rm trace/$a/stream.obs
status 1 "$DUMP" -q trace
lines 7
says "error[read]" "$a/stream.json" "no stream.obs"
mkdir trace/$a/stream.obs
status 1 "$DUMP" -q trace
lines 7
# no events
printf 'ovni\1\0\0\0' >trace/$b/stream.obs
status 1 "$DUMP" -q trace
says "the stream has no events"
# a jumbo that is longer than the file, by much
fresh
$PYTHON "$TOOLS" append trace/$a/stream.obs 13565963000000000000000000000080
status 1 "$DUMP" -q trace
lines 13
says "error[stream-truncated]" "2147483664 bytes"
$PYTHON "$TOOLS" json trace/$a/stream.json ovni.finished 0
$PYTHON "$TOOLS" append trace/$a/stream.obs ffffffffffffffff
status 0 "$DUMP" -q trace
lines 13
# clocks that go back, are negative, or as far apart as can be
assemble back <<'END'
loom n.1 cpus 0:0
proc 1 app 1
thread 1
1 20 OB.
1 10 OB.
1 -5 OB.
1 9223372036854775807 OB.
1 30 OB.
END
status 0 "$DUMP" -q -x back
printf '        20  OB.\n        10  OB.\n        -5  OB.\n9223372036854775807  OB.\n        30  OB.\n' >want
sed 's/  loom.*//' out.txt | cmp want - || fail "$(cat out.txt)"
says "clocks that go back in their stream: 3; this is the first, by 10 ns" "ovnisort"
status 0 "$DUMP" -q -r -d back
# compressed, also when the compressed data is damaged
fresh
$PYTHON "$TOOLS" zst trace/$a/stream.obs
$PYTHON "$TOOLS" lz4 trace/$b/stream.obs
status 0 "$DUMP" -q trace
cmp all.txt out.txt || fail "compressed"
fresh
$PYTHON "$TOOLS" gz trace/$a/stream.obs
status 0 "$DUMP" -q trace
cmp all.txt out.txt || fail "gzip"
fresh
$PYTHON "$TOOLS" zst trace/$a/stream.obs
$PYTHON "$TOOLS" cut trace/$a/stream.obs.zst 3
status 1 "$DUMP" -q trace
# no trace
mkdir empty
status 1 "$DUMP" empty
says "error[no-stream]"
status 1 "$DUMP" nothing
says "error[no-trace]"
status 1 "$DUMP" whole/$a/stream.obs
says "is not a directory"
