# Damage: what is there is counted, and the status is 1.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace whole
a=loom.a.0/proc.10/thread.11
fresh() {
	rm -rf trace
	cp -r whole trace
}
# counts N STATUS: the events of the trace
counts() {
	status "$2" "$TOP" -q trace
	test "$(awk '{ n += $2 } END { print n + 0 }' out.txt)" = "$1" || fail "not $1 events: $(cat out.txt)"
}
fresh
counts 13 0
rm trace/$a/stream.json
counts 13 0
says "no stream.json"
status 0 "$TOP" -q --by=thread trace
grep -q "^$a  *6$" out.txt || fail "$(cat out.txt)"
fresh
$PYTHON "$TOOLS" cut trace/$a/stream.obs 5
counts 12 1
says "error[stream-truncated]"
printf 'garbage' >trace/$a/stream.obs
counts 7 1
says "error[stream-header]"
rm trace/$a/stream.obs
counts 7 1
fresh
$PYTHON "$TOOLS" append trace/$a/stream.obs 13565963000000000000000000000080
counts 13 1
fresh
$PYTHON "$TOOLS" zst trace/$a/stream.obs
counts 13 0
# clocks as far apart as can be
assemble far <<'END'
loom n.1 cpus 0:0
proc 1 app 1
thread 1
1 20 OB.
1 10 OB.
1 -5 OB.
1 9223372036854775807 OB.
1 30 OB.
END
for o in "" --by=time "--by=time --step=10h -R" "-j -R" "-j --by=time -R"; do
	status 0 "$TOP" -q $o far
done
status 2 "$TOP" -q --by=time --step=9000000h far
status 1 "$TOP" -q --by=time --step=1h far
says "give more than 1048576 lines"
test "$("$TOP" -q --by=time --step=1000000h far | tr -s ' ' | tr '\n' ';')" = "before 2;0s 2;3600000000s 0;7200000000s 1;" ||
	fail "$("$TOP" -q --by=time --step=1000000h far)"
mkdir empty
status 1 "$TOP" empty
says "error[no-stream]"
printf 'ovni\1\0\0\0' >empty/stream.obs
status 0 "$TOP" -q empty
test ! -s out.txt || fail "events of none: $(cat out.txt)"
status 0 "$TOP" -q -j empty
$PYTHON -m json.tool <out.txt >/dev/null || fail "$(cat out.txt)"
status 0 "$TOP" -q --by=time empty
status 0 "$TOP" -q -j --by=time empty
$PYTHON -m json.tool <out.txt >/dev/null || fail "$(cat out.txt)"
