# 300 streams with 64 file descriptors.
. "$LIB"
$PYTHON "$TOOLS" many trace 300
"$EMU" -q -o want trace || fail "the plain run"
valid want
status 0 sh -c 'ulimit -n 64; exec "$EMU" -q -o out trace'
silent
same want out
status 0 sh -c 'ulimit -n 20; exec "$EMU" -q -o out20 trace'
same want out20
