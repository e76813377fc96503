# By stream, thread, process, loom, model and event: alone, several, and together.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace
# is EXPECTED OPTIONS...: the events that are printed
is() {
	want=$1
	shift
	got=$("$DUMP" -q "$@" trace | awk '{ printf "%s%s", n++ ? " " : "", $2 }')
	test "$got" = "$want" || fail "$*: $got instead of $want"
}
is "OHx OHx OHx VYc VTC VTx KCO OB. VTe KCI OHe OHe OHe"
is "OHx OB. OHe" --thread=21
is "OHx OHx KCO OB. KCI OHe OHe" -t 12,21
is "OHx OHx KCO OB. KCI OHe OHe" -t 12 -t 21
is "OHx OB. OHe" --process=20
is "OHx OB. OHe" --loom=b.0
is "OHx OB. OHe" -l 'b*'
is "OHx OB. OHe" -s 'loom.b.*'
is "OHx KCO KCI OHe" --stream='*/thread.12'
is "" -s nothing
is "VYc VTC VTx VTe" --model=nosv
is "VYc VTC VTx VTe" -m V
is "VYc VTC VTx KCO VTe KCI" -m nosv,kernel
is "" -m X
is "VYc" --event=VYc
is "VTC VTx VTe" -e VT
is "VTx" -e '??x' -m nosv
is "OHx OHx OHx VTx" -e '??x'
is "OB." -e OB
is "VYc VTC VTx VTe" -e V
is "KCO OB." -e KCO,OB.
is "OHx OHe" -m ovni -t 21 -e OH
is "OHe" -m ovni -t 21 -e OH --from=1s
# options behind the directory
"$DUMP" -q trace -t 21 -e OHe >out.txt
test "$(wc -l <out.txt)" -eq 1 || fail "behind the directory: $(cat out.txt)"
for bad in "-t 0" "-t x" "-t 1x" "-p -1" "-m nothing" "-m ''" "-e VTxx" "-t 1,,2" "-t"; do
	eval status 2 '"$DUMP"' trace $bad
	says "error[usage]"
done
status 2 "$DUMP" -e '' trace
status 2 "$DUMP"
says "the trace directory is missing"
status 2 "$DUMP" trace trace
says "one trace directory is enough"
