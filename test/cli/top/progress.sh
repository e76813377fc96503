# --progress tells how far it is; without it nothing is told to a file.
. "$LIB"
. "$SRC/test/cli/look.sh"
n=$((3000000 / ${TEST_SHARE:-1}))
$PYTHON "$TOOLS" big trace $n
"$TOP" trace >/dev/null 2>err.txt || fail "status"
grep -q '%' err.txt && fail "progress although stderr is no terminal"
"$TOP" --progress -q trace >/dev/null 2>err.txt || fail "status"
test ! -s err.txt || fail "-q: $(cat err.txt)"
status 0 "$TOP" --progress --by=time trace
# a fast machine may be done before it is time to tell
grep -v -e '% done' -e 'loaded 1 streams' -e "counted $((n + 2)) events" err.txt && fail "$(cat err.txt)"
# a log is told at the first chance
"$DUMP" --progress trace >/dev/null 2>err.txt || fail "status"
grep -q '% done' err.txt || fail "ovnidump: no progress: $(cat err.txt)"
"$DUMP" --progress -q trace >/dev/null 2>err.txt || fail "status"
test ! -s err.txt || fail "ovnidump -q: $(cat err.txt)"
"$DUMP" trace >/dev/null 2>err.txt || fail "status"
grep -q '%' err.txt && fail "ovnidump: progress although stderr is no terminal"
exit 0
