# The trace of the demo as JSON goes through jq, and tells what the program does.
. "$LIB"
. "$SRC/test/cli/look.sh"
command -v jq >/dev/null || skip "no jq"
heat=$BUILD/doc/examples/heat
test -x "$heat" || skip "the example is not built"
OVNI_TRACEDIR=$PWD/heat "$heat" >/dev/null || fail "heat"
"$DUMP" -q --format=json heat >heat.json || fail "ovnidump"
test "$(jq -s length heat.json)" -eq "$("$DUMP" -q heat | wc -l)" || fail "not one object a line"
jq -s -e 'all(.[]; (.clock | type) == "number" and (.event | length) == 3 and (.args | type) == "object" and .model == "ovni")' heat.json >/dev/null || fail "a line is not as it should be"
jq -s -e '[.[].clock] as $c | $c == ($c | sort)' heat.json >/dev/null || fail "the clocks are not in order"
# four threads begin and end, and marks have their arguments
test "$(jq -s '[.[] | select(.event == "OHx") | .thread] | unique | length' heat.json)" = 4 || fail "threads"
test "$(jq -s '[.[] | select(.event == "OHe")] | length' heat.json)" = 4 || fail "ends"
jq -s -e '[.[] | select(.event == "OM=") | .args] | length > 0 and all(.value >= 0 and .type >= 0)' heat.json >/dev/null || fail "marks"
"$TOP" -q --json heat >top.json || fail "ovnitop"
jq -e --slurpfile all heat.json '.events == ($all | length) and ([.rows[].events] | add) == .events' top.json >/dev/null || fail "$(cat top.json)"
