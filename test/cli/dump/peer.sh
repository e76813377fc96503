# The forms of ovni 1.14: the lines of its documentation, to the byte.
. "$LIB"
. "$SRC/test/cli/look.sh"
assemble ovni <<'END'
loom vm.0 cpus 0:0
proc 23972 app 1
thread 23972 require nosv=2.7.0
23972 1892270934772 OHx 0 -1 0
23972 1892270973950 VYc 100 "testtype100"
23972 1892270975072 VTC 200 100
END
cat >want <<'END'
1892270934772  OHx  loom.vm.0/proc.23972/thread.23972  begins the execution on CPU 0 created from -1 with tag 0
1892270973950  VYc  loom.vm.0/proc.23972/thread.23972  creates task type 100 with label "testtype100"
1892270975072  VTC  loom.vm.0/proc.23972/thread.23972  creates parallel task 200 with type 100
END
prints want "$DUMP" -q ovni
cat >want <<'END'
1892270934772  OHx  loom.vm.0/proc.23972/thread.23972  :00:00:00:00:ff:ff:ff:ff:00:00:00:00:00:00:00:00
1892270973950  VYc  loom.vm.0/proc.23972/thread.23972  :10:00:00:00:64:00:00:00:74:65:73:74:74:79:70:65:31:30:30:00
1892270975072  VTC  loom.vm.0/proc.23972/thread.23972  :c8:00:00:00:64:00:00:00
END
prints want "$DUMP" -q -x ovni
prints want "$DUMP" -q ovni --hex
status 0 "$DUMP" ovni
says "ovnidump: loaded 1 streams"
assemble c_small <<'END'
loom n.1 cpus 0:0
proc 1 app 1
thread 1
1 100 OHx 0 -1 0
1 200 OHe
END
cat >want <<'END'
       100  OHx  loom.n.1/proc.1/thread.1  begins the execution on CPU 0 created from -1 with tag 0
       200  OHe  loom.n.1/proc.1/thread.1  ends the execution
END
prints want "$DUMP" -q c_small
# the stream itself: its name is empty, so four blanks stand in a row
printf '       100  OHx    :00:00:00:00:ff:ff:ff:ff:00:00:00:00:00:00:00:00\n       200  OHe    \n' >want
prints want "$DUMP" -q -x c_small/loom.n.1/proc.1/thread.1/
# a part of the trace
"$DUMP" -q c_small/loom.n.1 >out.txt || fail "a loom"
grep -q '^       200  OHe  proc.1/thread.1  ends the execution$' out.txt || fail "$(cat out.txt)"
