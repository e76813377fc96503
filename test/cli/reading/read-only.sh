# A trace that may only be read, with the output elsewhere.
. "$LIB"
small_trace
"$EMU" -q -o want trace || fail "the plain run"
chmod -R a-w,a+rX trace
chmod 755 .
mkdir out
chmod 777 out
cp "$EMU" emu
unprivileged ./emu -q -o out trace >out.txt 2>err.txt || fail "$(cat err.txt)"
silent
same want out
