# One output on /dev/full: the others are whole, and the run does not look good.
. "$LIB"
small_trace
for f in thread.prv cpu.prv thread.pcf cpu.pcf thread.row cpu.row; do
	rm -rf out
	mkdir out
	ln -s /dev/full out/$f
	status 1 "$EMU" -o out trace
	says "error[write]" "'out/$f'" "No space left on device"
	grep -q "open in Paraver" err.txt && fail "says that all is well: $f"
	rm out/$f
	valid --short out
	# with -q too
	ln -s /dev/full out/$f
	status 1 "$EMU" -q -o out trace
	says "error[write]"
done
for more in "" --perfetto-gzip; do
	rm -rf out
	mkdir out
	ln -s /dev/full out/ovni.perfetto-trace
	status 1 "$EMU" -f prv,perfetto $more -o out trace
	says "error[write]" "'out/ovni.perfetto-trace'" "No space left on device"
	grep -q "open in" err.txt && fail "says that all is well: perfetto"
	rm out/ovni.perfetto-trace
	valid --short out
done
# a long run stops soon, it does not read on for nothing
$PYTHON "$TOOLS" big long 3000000 2
rm -rf out
mkdir out
ln -s /dev/full out/thread.prv
ln -s /dev/null out/cpu.prv
status 1 "$EMU" -o out long
grep -q '3000004 events' err.txt && fail "went on to the end"
says "error[write]"
