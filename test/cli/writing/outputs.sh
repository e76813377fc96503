# Which files a run writes, and which views: one for each type that occurs.
. "$LIB"
small_trace
"$EMU" -q -o out trace || fail "the run"
(cd out && find . -type f | LC_ALL=C sort) >files
cmp files - <<'END' || fail "$(cat files)"
./cfg/cpu/kernel/context-switch-histogram.cfg
./cfg/cpu/kernel/context-switch.cfg
./cfg/cpu/ovni/flushing-histogram.cfg
./cfg/cpu/ovni/flushing.cfg
./cfg/cpu/ovni/mark-1-histogram.cfg
./cfg/cpu/ovni/mark-1.cfg
./cfg/cpu/ovni/number-running-threads.cfg
./cfg/cpu/ovni/pid.cfg
./cfg/cpu/ovni/tid.cfg
./cfg/thread/kernel/context-switch-histogram.cfg
./cfg/thread/kernel/context-switch.cfg
./cfg/thread/ovni/affinity-histogram.cfg
./cfg/thread/ovni/affinity.cfg
./cfg/thread/ovni/flushing-histogram.cfg
./cfg/thread/ovni/flushing.cfg
./cfg/thread/ovni/mark-1-histogram.cfg
./cfg/thread/ovni/mark-1.cfg
./cfg/thread/ovni/state-histogram.cfg
./cfg/thread/ovni/state.cfg
./cfg/thread/ovni/tid.cfg
./cpu.pcf
./cpu.prv
./cpu.row
./ovni.uscp
./thread.pcf
./thread.prv
./thread.row
END
valid out
# with --compat: no flush in the thread rows, so no view of it; the peer's name for mark 0
sed -i 's/"1": {/"0": {/' trace/loom.node.0/proc.100/thread.101/stream.json
rm -rf trace
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
mark 0 single "Phase"
101 1000 OHx 0 -1 0
101 1010 OM= 1 0
101 1030 OHe
END
"$EMU" -q --compat -o compat trace || fail "--compat"
(cd compat/cfg && find . -type f | LC_ALL=C sort) >files
cmp files - <<'END' || fail "$(cat files)"
./cpu/ovni/flushing-histogram.cfg
./cpu/ovni/flushing.cfg
./cpu/ovni/mark.cfg
./cpu/ovni/number-running-threads.cfg
./cpu/ovni/pid.cfg
./cpu/ovni/tid.cfg
./thread/ovni/affinity-histogram.cfg
./thread/ovni/affinity.cfg
./thread/ovni/mark.cfg
./thread/ovni/state-histogram.cfg
./thread/ovni/state.cfg
./thread/ovni/tid.cfg
END
valid --compat compat
# nothing that is temporary is left, and the modes follow the umask
find out compat -name '*.tmp' -o -name '*~' | grep . && fail "leftovers"
(umask 027 && "$EMU" -q -o masked trace) || fail "the run with umask"
test "$(stat -c %a masked masked/cfg masked/thread.prv | tr '\n' ' ')" = "750 750 640 " || fail "$(stat -c '%a %n' masked/*)"
# -f chooses; what is not asked for is left alone
rm -rf out
"$EMU" -q -f uscope -o out trace || fail "-f uscope"
test "$(ls out)" = ovni.uscp || fail "$(ls out)"
"$EMU" -q --outputs=prv -o out2 trace || fail "--outputs=prv"
test ! -e out2/ovni.uscp && test -e out2/thread.prv || fail "$(ls out2)"
"$EMU" -q -f prv,uscope -o out trace || fail "-f prv,uscope"
test -e out/ovni.uscp && test -e out/cpu.prv || fail "$(ls out)"
for bad in "" , prv, ,prv paraver prv,,uscope prv,perfett none,prv prv,none none,; do
	status 2 "$EMU" -f "$bad" trace
	says "error[usage]" "-f needs names of outputs with commas, of prv, uscope, perfetto and html, or none, not '$bad'"
done
# none: the trace is emulated, and nothing is written
ls -lR trace >before
for j in 1 4; do
	status 0 "$EMU" -f none -b --stats -j $j -o nowhere trace
	says " threads on " "models: "
	grep "emulating" out.txt >nothing || fail "$(cat out.txt)"
	if grep "timelines\|open in\|ask for" err.txt; then fail "$(cat err.txt)"; fi
	status 0 "$EMU" -q -f none -j $j trace
done
test ! -e nowhere && ls -lR trace | cmp - before || fail "-f none has written"
status 0 "$EMU" -q -f none --from 10% --to 50% trace
# what is wrong is told as ever
cp -r trace wrong
printf 'abc' >>"$(find wrong -name stream.obs | sort | head -1)"
status 1 "$EMU" -q -l -o out wrong && cp err.txt told
status 1 "$EMU" -q -l -f none wrong
diff err.txt told || fail "-f none tells something else"
# the file of µScope: compressions, and the events themselves
for m in lz4 zstd none; do
	status 0 "$EMU" -q -f uscope --uscope-compression=$m -o $m trace
done
status 0 "$EMU" -q -f uscope --uscope-lz4-prefix -o prefix trace
status 0 "$EMU" -q -f uscope --uscope-raw-events -o raw trace
test "$(stat -c %s raw/ovni.uscp)" -gt "$(stat -c %s lz4/ovni.uscp)" || fail "raw events"
status 2 "$EMU" --uscope-compression=gzip trace
says "error[usage]" "lz4, zstd or none, not 'gzip'"
for bad in 0 65536 x -1 ""; do
	status 2 "$EMU" --uscope-labels="$bad" trace
	says "error[usage]" "from 1 to 65535, not '$bad'"
done
status 0 "$EMU" -f uscope --uscope-labels=1 -o few trace
says "warning: " "labels are left out" "room for 1"
status 0 "$EMU" -f uscope --uscope-labels=6 -o few trace
says "warning: " "colours are left out" "room for 6"
# the trace for Perfetto, alone and with the others, which are the same then
status 0 "$EMU" -f perfetto -o only trace
says "open in https://ui.perfetto.dev: only/ovni.perfetto-trace"
test "$(ls only)" = ovni.perfetto-trace || fail "$(ls only)"
rm -rf out
status 0 "$EMU" -q -o out trace
status 0 "$EMU" -q -f perfetto,uscope,prv -o all trace
cmp only/ovni.perfetto-trace all/ovni.perfetto-trace || fail "it depends on the others"
mv all/ovni.perfetto-trace .
diff -r out all || fail "the others depend on it"
status 0 "$EMU" -q -f perfetto --perfetto-gzip -o gzip trace
gzip -dc <gzip/ovni.perfetto-trace | cmp - only/ovni.perfetto-trace || fail "--perfetto-gzip"
