# --help: on stdout, status 0, each option of the program is there.
. "$LIB"
status 0 "$EMU" --help
test ! -s err.txt || fail "stderr: $(cat err.txt)"
mv out.txt help.txt
status 0 "$EMU" -h
cmp out.txt help.txt || fail "-h is not --help"
for o in -o --output -c --clock-offsets -a --all-models -b --breakdown -l --lint --compat --progress -f --outputs \
	-q --quiet -v --verbose -h --help --version TRACEDIR; do
	grep -qw -e "$o" help.txt || fail "--help does not tell $o"
done
# those of other traces are in parts of their own
for part in laplace prism; do
	status 0 "$EMU" --help-$part
	grep -q -e "--$part=FILE" out.txt || fail "--help-$part does not tell --$part"
	cat out.txt >>help.txt
done
status 0 "$EMU" --help-part
grep -q -e --from=TIME out.txt || fail "--help-part does not tell --from"
cat out.txt >>help.txt
# what the help lists must be accepted, with an argument where it shows one
grep -o -e ' --[a-z-]*=*[A-Z]*' help.txt | sort -u >longs.txt
test "$(wc -l <longs.txt)" -ge 10 || fail "options are missing: $(cat longs.txt)"
small_trace
while read -r long; do
	trace=trace
	case $long in
	--laplace=* | --laplace-kernel=*) # in place of a trace
		long=${long%FILE}/dev/null
		trace=
		;;
	--laplace-refs=*) long=${long%WHICH}pages ;;
	--laplace-window=*) long=${long%NS}1000 ;;
	--laplace-set=*) long=$long=x ;;
	--prism=*)
		long=${long%FILE}/dev/null
		trace=
		;;
	--prism-events=*) long=${long%WHICH}sync ;;
	--prism-interval=*) long=${long%KIND}func ;;
	--prism-needs=*) long=${long%WHAT}skip ;;
	--prism-set=*) long=$long=x ;;
	--help* | --version) continue ;;
	*=DIR) long=${long%DIR}out ;;
	*=FILE) long=${long%FILE}/dev/null ;;
	*=N) long=${long%N}1 ;;
	*=TIME) long=${long%TIME}10ns ;;
	*=SIZE) long=${long%SIZE}1M ;;
	--models=*) long=--models=kernel,mpi ;;
	--rows=*) long=--rows=thread:1 ;;
	--types=*) long=--types=4 ;;
	*=LIST) long=${long%LIST}prv ;;
	*=METHOD) long=${long%METHOD}zstd ;;
	*=*) long=${long%%=*}=x ;;
	esac
	"$EMU" -o out $long $trace >stats.txt 2>err.txt
	test $? != 2 || fail "$long is not an option: $(cat err.txt)"
done <longs.txt
# --help anywhere, and it wins over what is wrong later
status 0 "$EMU" trace --help
awk 'length > 110 { exit 1 }' help.txt || fail "a line of the help is longer than 110"
