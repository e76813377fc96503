# A limit on the size of files is met as a full disk is, not by a death.
. "$LIB"
$PYTHON "$TOOLS" big trace 200000 2
for view in "" --compat; do
	rm -rf out
	status 1 sh -c "ulimit -f 512; exec \"\$EMU\" $view -o out trace"
	says "error[write]" "File too large" "'out/thread.prv'"
	valid $view --short out
	tail -n 1 out/thread.prv >last.txt
	test "$(wc -l <out/thread.prv)" -gt 1000 || fail "nothing was kept"
done
# each file is told once, also what is written behind the others
awk 'BEGIN {
	print "loom n.0 cpus 0:0\nproc 1 app 1\nthread 1 require nosv=2.7.0\nattr nosv.can_breakdown true\n1 100 OHx 0 -1 0"
	for (i = 0; i < 20000; i++)
		print "1", 200 + i * 7, i % 2 ? "VSf" : "VSh"
	print "1 900000 OHe"
}' | assemble broken
for view in "" --compat; do
	rm -rf out
	status 1 sh -c "ulimit -f 256; exec \"\$EMU\" $view -b -f prv -o out broken"
	says "error[write]" "out/nosv-breakdown.prv"
	test "$(grep -c "nosv-breakdown.prv" err.txt)" -eq 1 || fail "told twice: $(cat err.txt)"
done
