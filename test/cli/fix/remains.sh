# What cannot be repaired is told, and the trace is no worse.
. "$LIB"
FIX=$BUILD/src/emu/tool/ovnifix
assemble tasks <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101 unfinished require nosv=2.7.0
101 10 OHx 0 -1 0
101 20 VTx 7 0
101 30 VTe 7 0
101 35 VTx 7 0
101 40 VAs
END
status 0 "$FIX" -n tasks
says "the threads stay unfinished: what they did not write"
status 0 "$FIX" tasks
says "warning: task 7 was never created" "the threads stay unfinished" "strict tools still refuse it (unfinished)" \
	"hint: nobody knows what the threads did not write"
status 0 "$EMU" -o out tasks
status 0 "$FIX" tasks
says "there is nothing to repair"
# late events
assemble late <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101 crashed
101 10 OHx 0 -1 0
101 40 OU[
101 20 OB.
101 50 OU]
END
status 0 "$FIX" late
says "strict tools still refuse it (clock-backwards)" "hint: run ovnisort"
status 0 "$BUILD/src/emu/tool/ovnisort" -q late
status 0 "$FIX" late
says "there is nothing to repair" "strict tools take it"
# states that a thread has open are left, and tasks end
assemble open <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101 unfinished require nosv=2.7.0
thread 102 crashed
101 1 OHx 0 -1 0
101 2 VYc 1 "type"
101 3 VTc 7 1
101 4 VHw
101 5 VTx 7 0
101 6 VTp 7 0
101 7 VAs
101 8 VMa
101 9 OHp
102 10 OHx 0 -1 0
102 11 KCO
END
status 0 "$FIX" open
says "strict tools take it"
"$BUILD/src/emu/tool/ovnidump" -q open | awk '{ printf "%s ", $2 }' >got
grep -q 'OHw OAs OHr VMA VAS VTr VTe VHW OHe' got || fail "the ends are $(cat got)"
grep -q 'KCI OHe' got || fail "the ends are $(cat got)"
# a region that does not end
assemble region <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101 crashed
101 10 OHx 0 -1 0
101 40 OU[
101 20 OB.
END
status 0 "$FIX" region
says "the region of late events that thread 101 has begun ends, too" "hint: run ovnisort"
status 0 "$BUILD/src/emu/tool/ovnisort" -q region
status 0 "$FIX" region
says "there is nothing to repair" "strict tools take it"
