# On a full disk every tool says so once, whatever it writes and where, and ends with 1.
. "$LIB"
test -c /dev/full || skip "no /dev/full"
T=$BUILD/src/emu/tool
USCOPE=$T/uscope/uscope
LAPLACE=$T/laplace/ovniscope-laplace
PRISM=$T/prism/ovniscope-prism
MODEL=$T/model/ovniscope-model
$PYTHON "$TOOLS" big trace 20000 2
status 0 "$EMU" -q -o in trace
awk 'BEGIN { for (i = 0; i < 9999; i++) printf "r %x 4 1 %x\n", i, i * 4096 }' >r.lrt
{
	echo "config mem 0xc0"
	awk 'BEGIN { for (i = 0; i < 9999; i++) print "mem load size=4" }'
	echo end
} >p.txt
status 0 "$LAPLACE" binary -q r.lrt r.lrb
status 0 "$LAPLACE" merge -q r.lrb -o r.lmt
status 0 "$PRISM" encode -q p.txt p.prism

# one COMMAND...: one error, for one cause
one() {
	test $? = 1 || fail "no status 1: $* ($(cat err.txt))"
	says "error[" "No space left on device"
	test "$(grep -c "error\|cannot" err.txt)" = 1 || fail "$*: $(cat err.txt)"
}

# to the standard output, and, where there is -o, there
for args in "-f text trace" "-f csv trace" "-f json trace" "-q -x trace"; do
	"$T/ovnidump" $args >/dev/full 2>err.txt
	one ovnidump $args
done
for args in trace "-j trace" "--by=thread -R trace"; do
	"$T/ovnitop" $args >/dev/full 2>err.txt
	one ovnitop $args
done
for tool in "$T/ovnievents" "$T/ovnievents -j" "$T/ovniver" "$T/ovniver -v" "$T/ovnisort --help" "$EMU --version" "$MODEL check nosv" "$MODEL free"; do
	$tool >/dev/full 2>err.txt
	one $tool
done
u=in/ovni.uscp
for command in "$USCOPE dump $u" "$USCOPE state -t 1us $u" "$USCOPE summary $u" "$USCOPE strings $u" "$USCOPE tail $u" "$USCOPE timeline $u" \
	"$USCOPE timeline --profile $u" "$USCOPE export --format=csv $u" "$USCOPE export --format=vcd $u" \
	"$LAPLACE text r.lrb" "$LAPLACE binary r.lrt" "$LAPLACE merge r.lrb" "$LAPLACE basic r.lrb" "$LAPLACE stat r.lrb" \
	"$PRISM dump p.prism" "$PRISM encode p.txt" "$PRISM stat p.prism" "$PRISM recode p.prism" \
	"$MODEL text trace" "$MODEL header nosv" "$MODEL doc nosv" "$MODEL doc --man nosv"; do
	$command >/dev/full 2>err.txt
	one $command
	$command -o /dev/full >out.txt 2>err.txt
	one $command -o /dev/full
done
for command in "$USCOPE recover $u" "$USCOPE timeline $u --prv" "$LAPLACE uscope --lenient r.lrb -o" "$PRISM uscope p.prism -o"; do
	$command /dev/full >out.txt 2>err.txt || test $? = 1
	says "error["
	test "$(grep -c "error\|cannot" err.txt)" = 1 || fail "$command: $(cat err.txt)"
done

# streams of an imported trace, to a pipe and to a directory
awk 'BEGIN { for (i = 0; i < 99999; i++) printf "I  %08x,4\n", 4096 + 4 * i }' >lackey.txt
"$PRISM" import lackey.txt -o - >/dev/full 2>err.txt
one import -o -

# a small disk: what is complete at the end only does not appear
test "$(id -u)" = 0 || skip "mount needs root"
mkdir out
mount -t tmpfs -o size=8k none out 2>/dev/null || skip "mount is not allowed"
trap 'umount out' EXIT
for command in "$USCOPE dump $u" "$USCOPE export --format=csv $u" "$USCOPE recover $u" "$LAPLACE text r.lrb" "$LAPLACE binary r.lrt" "$LAPLACE merge r.lrb" \
	"$LAPLACE basic r.lrb" "$LAPLACE split r.lmt --lenient" "$LAPLACE uscope --lenient r.lrb" "$PRISM dump p.prism" \
	"$PRISM encode p.txt" "$PRISM recode p.prism" "$PRISM uscope p.prism" "$MODEL text trace" "$MODEL header nosv"; do
	case $command in
	*recover*) $command out/x >out.txt 2>err.txt ;;
	*) $command -o out/x >out.txt 2>err.txt ;;
	esac
	one $command -o out/x
	test -z "$(ls -A out)" || fail "$command leaves $(ls -A out)"
done

# folders: what could not be written is named
"$PRISM" import lackey.txt -o out/streams >out.txt 2>err.txt
one import
says "out/streams/stream-00000.prism"
test ! -e out/streams/stream-00000.json || fail "a description of what is not there"
rm -rf out/*
status 0 "$MODEL" text -q trace -o trace.txt
for command in "$MODEL trace trace.txt" "$MODEL new"; do
	$command out/demo >out.txt 2>err.txt
	one $command
	says "'out/demo/"
	rm -rf out/*
done
