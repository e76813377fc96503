# -o: a new directory, an existing one, an absolute one, a second run over the first.
. "$LIB"
small_trace
"$EMU" -q -o new trace || fail "a new directory"
mkdir old
"$EMU" -q -o old trace || fail "an existing directory"
"$EMU" -q -o "$PWD/absolute" trace || fail "an absolute directory"
"$EMU" -q -o slash/ trace || fail "a slash at the end"
for d in old absolute slash; do same new $d; done
valid new
test ! -e trace/thread.prv || fail "the trace directory was written"
# a longer file of a run before must not show through
head -c 100000 /dev/zero >>old/thread.prv
head -c 100000 /dev/zero >>old/cpu.pcf
"$EMU" -q -o old trace || fail "a second run"
same new old
# without -o the files are in the trace, and a second run reads the same streams
"$EMU" -q trace || fail "in the trace directory"
same new trace
"$EMU" -q trace || fail "in the trace directory again"
same new trace
"$EMU" -q -o . trace || fail "the current directory"
same new .
