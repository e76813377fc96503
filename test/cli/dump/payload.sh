# The payload is compared with the declaration: nothing is read beyond it, the rest of the
# trace is printed, and the status is 1.
. "$LIB"
. "$SRC/test/cli/look.sh"
assemble trace <<'END'
loom n.1 cpus 0:0
proc 1 app 1
thread 1
1 1 OHx empty
1 2 OHx i32=3
1 3 OM= i64=1 i32=2 u16=9
1 4 VTx u32=1
1 5 VYc plain u32=1
1 6 VYc jumbo u32=1
1 7 VYc jumbo u32=1 hex=616263
1 8 VYc jumbo u32=1 hex=61620063
1 9 OHp u32=5
1 10 OCn empty
1 11 OHe jumbo hex=00
END
cat >want <<'END'
         1  OHx  loom.n.1/proc.1/thread.1  BAD PAYLOAD: 0 bytes instead of at least 4
         2  OHx  loom.n.1/proc.1/thread.1  begins the execution on CPU 3 created from ? with tag ?
         3  OM=  loom.n.1/proc.1/thread.1  BAD PAYLOAD: 14 bytes instead of 12
         4  VTx  loom.n.1/proc.1/thread.1  BAD PAYLOAD: 4 bytes instead of at least 8
         5  VYc  loom.n.1/proc.1/thread.1  BAD PAYLOAD: it must be a jumbo event
         6  VYc  loom.n.1/proc.1/thread.1  BAD PAYLOAD: 8 bytes instead of at least 9
         7  VYc  loom.n.1/proc.1/thread.1  BAD PAYLOAD: the text at its end is not terminated
         8  VYc  loom.n.1/proc.1/thread.1  creates task type 1 with label "ab"
         9  OHp  loom.n.1/proc.1/thread.1  pauses
        10  OCn  loom.n.1/proc.1/thread.1  tells that there are ? CPUs (without effect)
        11  OHe  loom.n.1/proc.1/thread.1  ends the execution
END
status 1 "$DUMP" -q trace
cmp want out.txt || fail "$(diff want out.txt)"
says "error[payload]: the payload is not as declared: 0 bytes instead of at least 4" \
	"at loom.n.1/proc.1/thread.1 +0x8, clock 1 ns, event OHx" "more payloads that are not as declared: 1"
status 1 "$DUMP" -q -f json -e VTx trace
grep -q '"text":"BAD PAYLOAD: 4 bytes instead of at least 8","payload":":01:00:00:00"}$' out.txt || fail "$(cat out.txt)"
# only what is printed is checked
status 0 "$DUMP" -q -e OHe trace
