# Clocks as they are written, or with the table of the trace, or with another.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace
# first OPTIONS...: the first event of thread 21
first() {
	"$DUMP" -q -t 21 "$@" trace | head -n 1 | awk '{ print $1 }'
}
test "$(first)" = 5000000020 || fail "raw: $(first)"
test "$(first --corrected)" = 5000001020 || fail "corrected: $(first --corrected)"
test "$(first --corrected -r)" = 1020 || fail "corrected and relative"
printf 'r h m a s\n0 b -30 0 0\n' >table
test "$(first -c table)" = 4999999990 || fail "-c: $(first -c table)"
# it is the first event then, and the order follows
test "$(first -c table -r)" = 0 || fail "-c -r"
"$DUMP" -q --clock-offsets=table trace | head -n 1 | grep -q ' loom.b.0' || fail "the order"
test "$(first --from=1us --corrected -e OHx)" = 5000001020 || fail "a range of corrected clocks"
# a table that is wrong matters only when it is asked for
echo nonsense >trace/clock-offsets.txt
status 0 "$DUMP" -q trace
status 1 "$DUMP" --corrected trace
says "error[clock-table]"
status 1 "$DUMP" -c missing trace
says "error[clock-table]" "missing"
