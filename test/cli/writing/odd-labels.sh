# Labels with line breaks, quotes, stars, UTF-8, and names of sections.
. "$LIB"
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
set ovni.mark.1 {"title": "EVENT_TYPE\n0 4 wrong", "chan_type": "single", "labels": {"1": "a\nVALUES\nb", "2": "\u00e9\u00df\u4e2d", "3": "a\r\nb\u001b[31m", "2147483647": "max", "-1": "minus", "2147483648": "above"}}
set ovni.mark.2 {"title": "say \"hi\" # now", "chan_type": "single", "labels": {"1": "STATES"}}
101 1000 OHx 0 -1 0
101 1010 OM= 1 1
101 1020 OM= 2147483648 1
101 1030 OM= -1 1
101 1100 OHe
END
status 0 "$EMU" -q -o out trace
says "values that Paraver cannot label" "labels of values above 2147483647"
valid out
grep -q '^-1 *minus$' out/thread.pcf || fail "a negative label is lost"
grep -q "$(printf '\033')" out/thread.pcf err.txt && fail "codes of a terminal"
exit 0
