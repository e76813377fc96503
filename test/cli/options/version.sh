# --version: one line with name and number.
. "$LIB"
status 0 "$EMU" --version
test ! -s err.txt || fail "stderr: $(cat err.txt)"
test "$(wc -l <out.txt)" = 1 || fail "not one line"
grep -Eqx 'ovniemu \(ovniscope\) [0-9]+\.[0-9]+\.[0-9]+' out.txt || fail "$(cat out.txt)"
