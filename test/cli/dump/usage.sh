# --help lists what is accepted; wrong usage is 2.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace
for tool in "$DUMP" "$TOP"; do
	status 0 "$tool" --help
	test ! -s err.txt || fail "stderr: $(cat err.txt)"
	cp out.txt help.txt
	status 0 "$tool" -h
	cmp out.txt help.txt || fail "-h is not --help"
	grep -o -e ' --[a-z-]*=*[A-Za-z|]*' help.txt | sort -u >longs.txt
	test "$(wc -l <longs.txt)" -ge 15 || fail "options are missing: $(cat longs.txt)"
	while read -r long; do
		case $long in
		--help | --version | --step=* | --by=time | --format=json) continue ;;
		*=*'|'*) long=${long%%'|'*} ;;
		*=FILE) long=${long%FILE}/dev/null ;;
		*=NAME) long=${long%NAME}nosv ;;
		*=*) long=${long%%=*}=1 ;;
		esac
		"$tool" $long trace >/dev/null 2>err.txt
		test $? != 2 || fail "$long is not an option: $(cat err.txt)"
	done <longs.txt
	status 0 "$tool" --version
	grep -q "^${tool##*/} (ovniscope) [0-9]" out.txt || fail "$(cat out.txt)"
	status 2 "$tool" --nonsense trace
	status 2 "$tool"
	status 0 "$tool" -v trace
	status 0 "$tool" -q trace
	test ! -s err.txt || fail "-q is not quiet: $(cat err.txt)"
done
