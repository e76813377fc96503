# A trace of more than 213 days: ovni.uscp cannot tell its times. It is left out, unless it was asked for.
. "$LIB"
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
101 0 OHx 0 -1 0
101 18446744073709551 OHc
101 20000000000000010 OHe
END
status 0 "$EMU" -o out trace
says "warning: out/ovni.uscp is left out" "213 days"
test ! -e out/ovni.uscp || fail "ovni.uscp is there"
grep -q "uscope timeline" err.txt && fail "it is recommended"
valid out
status 1 "$EMU" -f uscope -o out trace
says "error[write]"
