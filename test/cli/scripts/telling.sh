# A long step says what it does, how long, and how far its log is; a short one nothing.
. "$LIB"
TELL_EVERY=0.2
. "$SRC/scripts/telling.sh"

telling "hard work" log.txt sh -c 'echo begun; echo half done >&2; sleep 1; exit 3' >out.txt
test $? = 3 || fail "the status is lost"
test "$(cat log.txt)" = "begun
half done" || fail "$(cat log.txt)"
grep -q '^\.\.\. hard work: [01] s: half done$' out.txt || fail "not told: $(cat out.txt)"
lines=$(wc -l <out.txt)
sleep 0.5
test "$(wc -l <out.txt)" = "$lines" || fail "still told when done"

telling "nothing" log.txt true >out.txt || fail "status"
test ! -s out.txt || fail "told: $(cat out.txt)"
