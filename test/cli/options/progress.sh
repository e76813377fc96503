# No progress when stderr is no terminal, unless asked for; -q wins.
. "$LIB"
# many streams in turns: slow enough for some lines, also with sanitizers, which have a share; and the timelines need no disk
$PYTHON "$TOOLS" big trace $((4000000 / ${TEST_SHARE:-1})) 64
mkdir out
ln -s /dev/null out/thread.prv
ln -s /dev/null out/cpu.prv
status 0 "$EMU" -o out trace
grep -q '% done' err.txt && fail "progress without a terminal"
status 0 "$EMU" --progress -o out trace
grep -q '^ovniemu:  *[0-9.]* % done, .* million events' err.txt || fail "no progress: $(cat err.txt)"
grep -q "$(printf '[\r\033]')" err.txt && fail "codes of a terminal in a file"
awk '/% done/ { if ($2 + 0 < last || $2 + 0 > 100) exit 1; last = $2 + 0 }' err.txt || fail "the progress goes back"
status 0 "$EMU" --progress -q -o out trace
