# Messages lead on: to the option that is meant, to what there is, to another place.
. "$LIB"
DUMP=$BUILD/src/emu/tool/ovnidump
USCOPE=$BUILD/src/emu/tool/uscope/uscope
small_trace
# an option, a command with a typing error
status 2 "$EMU" --outptu=x trace
says "unknown or ambiguous option --outptu=x: is --output meant?"
status 2 "$EMU" --prism-intervall=5 trace
says "is --prism-interval meant?"
status 2 "$EMU" trace --outptu=x
says "unknown or ambiguous option --outptu=x: is --output meant?"
status 2 "$EMU" trace trace --output
says "option --output needs an argument"
status 2 "$EMU" trace --quiet=3
says "option --quiet=3 takes no argument"
status 2 "$EMU" trace -qZ --lint
says "unknown option -Z"
status 2 "$EMU" -m nosv,mpii trace
says "there is no 'mpii': is 'mpi' meant? --help lists them"
status 2 "$EMU" -m quantum trace
says "there is no 'quantum': --help lists them"
status 2 "$EMU" --nothing-like-it trace
grep -q "meant" err.txt && fail "$(cat err.txt)"
status 2 "$USCOPE" timelien x
says "there is no command 'timelien': is 'timeline' meant?"
# files that an option reads
: >x.prism
: >x.prism.gz
: >refs.lrb
: >kernel.lkt
: >x.txt
status 1 "$EMU" x.prism
says "'x.prism' is not a directory" "is read with --prism x.prism"
status 1 "$EMU" x.prism.gz
says "is read with --prism x.prism.gz"
status 1 "$EMU" refs.lrb
says "is read with --laplace refs.lrb"
status 1 "$EMU" kernel.lkt
says "is read with --laplace-kernel kernel.lkt"
status 1 "$EMU" x.txt
says "hint: give the directory of the trace, not one of its files"
# parents of -o are made
status 0 "$EMU" -q -o a/b//c/ trace
silent
test -s a/b/c/thread.prv || fail "no output"
# channels there are
status 2 "$USCOPE" timeline --channel=stat a/b/c/ovni.uscp
says "no channel of a/b/c/ovni.uscp is 'stat': it has " "thread/state" "cpu/"
# a filter that takes nothing
for tool in "$DUMP" "$BUILD/src/emu/tool/ovnitop"; do
	status 0 "$tool" -e VSh trace
	says "no event matched"
	status 0 "$tool" -q -e VSh trace
	test ! -s err.txt || fail "$(cat err.txt)"
	status 0 "$tool" -e OHx trace
	grep -q matched err.txt && fail "$(cat err.txt)"
done
true
