# --gzip: .prv.gz in place of .prv, in members that unpack to the same bytes; all else is as without.
. "$LIB"
USCOPE=$BUILD/src/emu/tool/uscope/uscope
# unpack DIR: the timelines of DIR, by three readers
unpack() {
	for f in "$1"/*.prv.gz; do
		gzip -t "$f" || fail "$f is torn"
		zcat "$f" >"${f%.gz}"
		$PYTHON -c 'import gzip, sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())' "$f" | cmp - "${f%.gz}" || fail "Python reads $f otherwise"
		rm "$f"
	done
}
# members FILE: their number
members() {
	$PYTHON -c 'import sys, zlib
data, n = open(sys.argv[1], "rb").read(), 0
while data:
	d = zlib.decompressobj(31)
	d.decompress(data)
	assert d.eof
	data, n = d.unused_data, n + 1
print(n)' "$1"
}
awk 'BEGIN {
	print "loom n.0 cpus 0:0 1:1\nproc 1 app 1\nthread 1 require nosv=2.7.0\nattr nosv.can_breakdown true\nthread 2\nattr nosv.can_breakdown true\n1 100 OHx 0 -1 0\n2 100 OHx 1 -1 0"
	for (i = 0; i < 30000; i++)
		print 1 + i % 4 % 2, 200 + i * 7, i % 4 < 2 ? "VSh" : "VSf"
	print "1 211000 OHe\n2 211000 OHe"
}' | assemble trace
for options in "" --compat "-b -m parallelism" "--from 20% --to 60%"; do
	rm -rf plain one
	status 0 "$EMU" -q -f prv $options -o plain trace
	status 0 "$EMU" -q -f prv $options --gzip -j 1 -o one trace
	silent
	test ! -e one/thread.prv || fail "both are there"
	for j in 2 3 8; do
		rm -rf more
		status 0 "$EMU" -q -f prv $options --gzip -j $j -o more trace
		diff -r one more || fail "$options -j $j: other bytes"
	done
	case $options in
	-b*) test "$(members one/nosv-breakdown.prv.gz)" -gt 2 -a -e one/proc.prv.gz || fail "the breakdown is one member, or proc is not there" ;;
	*) test "$(members one/thread.prv.gz)" -gt 2 || fail "there are no members" ;;
	esac
	unpack one
	diff -r plain one || fail "$options: another content"
done
# who reads the summary finds the file, and with the other outputs nothing else changes
rm -rf out all
status 0 "$EMU" --gzip -o out trace
says "open in Paraver: out/thread.prv.gz or out/cpu.prv.gz, with the views in out/cfg"
status 0 "$EMU" -q -o all trace
cmp out/ovni.uscp all/ovni.uscp || fail "it changes ovni.uscp"
# the timelines of an earlier run do not stay beside names and rows that are not theirs
rm -rf all
status 0 "$EMU" -q -b -m parallelism -f prv -o out trace
test -z "$(find out -name '*.gz')" || fail "$(ls out)"
status 0 "$EMU" -q -b -f prv --gzip -o out trace
test "$(cd out && echo *.prv* | tr '\n' ' ')" = "cpu.prv.gz nosv-breakdown.prv.gz thread.prv.gz " || fail "$(ls out)"
status 0 "$EMU" -q -m parallelism -f prv --gzip -o out trace
test -e out/proc.prv.gz || fail "$(ls out)"
status 0 "$EMU" -q -f prv -o out trace
test ! -e out/proc.prv.gz || fail "$(ls out)"
# out of ovni.uscp
for options in "" "--from=20% --to=60%"; do
	rm -rf plain packed
	status 0 "$EMU" -q -b -f uscope -o out trace
	status 0 "$USCOPE" timeline --prv plain $options out/ovni.uscp
	status 0 "$USCOPE" timeline --prv packed --gzip $options out/ovni.uscp
	unpack packed
	diff -r plain packed || fail "timeline --gzip $options"
done
status 2 "$USCOPE" timeline --gzip out/ovni.uscp
says "--gzip is for --prv"
# no more can be written: what is whole stays, and is the begin of the whole
rm -rf out plain
status 0 "$EMU" -q -b -f prv -o plain trace
for view in "" --compat; do
	rm -rf out
	status 1 sh -c "ulimit -f 64; exec \"\$EMU\" $view --gzip -f prv -o out trace"
	says "error[write]" "File too large" "'out/thread.prv.gz'"
	unpack out
	valid $view --short out
	test "$(wc -l <out/thread.prv)" -gt 1000 || fail "nothing was kept"
	test -n "$view" && continue
	tail -n +2 out/thread.prv >have.txt
	tail -n +2 plain/thread.prv | head -c "$(wc -c <have.txt)" | cmp - have.txt || fail "not as the whole begins"
done
for f in thread cpu nosv-breakdown; do
	rm -rf out
	mkdir out
	ln -s /dev/full out/$f.prv.gz
	status 1 "$EMU" -b -f prv --gzip -o out trace
	says "error[write]" "'out/$f.prv.gz'" "No space left on device"
	rm out/$f.prv.gz
	unpack out
	valid --short out
done
exit 0
