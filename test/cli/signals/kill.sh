# SIGKILL: what is there can be read up to the last whole line.
. "$LIB"
$PYTHON "$TOOLS" big trace 4000000 64
got=$($PYTHON "$SRC/test/cli/signals/stop.py" SIGKILL out "$EMU" -o out trace) || fail "$got $(cat err.txt)"
test "$got" = -9 || fail "status $got"
head -c 3000000 out/thread.prv >x && mv x out/thread.prv
head -c 3000000 out/cpu.prv >x && mv x out/cpu.prv
valid --killed out
# and nothing of the data of a page, nor one of an earlier run
rm -rf out && mkdir out && echo old >out/ovni.html
got=$($PYTHON "$SRC/test/cli/signals/stop.py" SIGKILL out "$EMU" -f prv,html -o out trace) || fail "$got $(cat err.txt)"
test "$got" = -9 || fail "status $got"
test -z "$(find out -name '*uscp*' -o -name '*.html')" || fail "$(ls -A out)"
