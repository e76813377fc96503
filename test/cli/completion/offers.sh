# Completion offers what --help of each tool lists, so it cannot be behind. Tools that are not
# built here are left out.
. "$LIB"
command -v bash >/dev/null || skip "no bash"
find "$BUILD/src/emu/tool" -type f -perm -u+x \( -name ovniemu -o -name ovnievents -o -name ovnidump -o -name ovnitop \
	-o -name ovnisort -o -name ovnifix -o -name ovniver -o -name ovnisync -o -name uscope -o -name ovniscope-laplace -o -name ovniscope-prism -o -name ovniscope-model \) >tools.txt
test "$(wc -l <tools.txt)" -ge 5 || fail "too few tools: $(cat tools.txt)"
mkdir -p some/trace other
: >some.file
cat >offers.bash <<'END'
source "$SRC/src/emu/tool/completion.bash"
set -u
problem() {
	echo "FAIL: $*"
	exit 1
}
# offered WORD...: what is offered when the cursor is at the last one, one a line
offered() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_ovniscope 2>stderr.txt
	test ! -s stderr.txt || problem "$*: $(cat stderr.txt)"
	test ${#COMPREPLY[@]} -eq 0 || printf '%s\n' "${COMPREPLY[@]}"
}
# same WHAT EXPECTED ACTUAL: as sets
same() {
	local a b
	a=$(sort -u <<<"$2")
	b=$(sort -u <<<"$3")
	test "$a" = "$b" || problem "$1: $(diff <(echo "$a") <(echo "$b"))"
}
# check_options WORD...: of a tool, or of a command of it
check_options() {
	"$@" --help >help.txt || problem "$* --help"
	for part in $(sed -n 's/^ *\(--help-[a-z]*\) .*/\1/p' help.txt); do
		"$@" "$part" >>help.txt || problem "$* $part"
	done
	# its own idea of what the lines mean, to compare with
	sed -n -E 's/^ {2,6}(-[A-Za-z0-9])?(, )?(--[a-z0-9-]+=?)?.*/\1 \3/p' help.txt | tr ' ' '\n' | grep '^-' >options.txt
	test -s options.txt || problem "$*: no options"
	same "options of $*" "$(cat options.txt)" "$(offered "$@" -)"
	same "long options of $*" "$(grep '^--' options.txt)" "$(offered "$@" --)"
	while read -r long kind; do
		test -n "$kind" || continue
		case $kind in
		*\|*)
			same "$* $long" "$(tr '|' '\n' <<<"$kind")" "$(offered "$@" "$long" = "")"
			same "$* $long=" "$(tr '|' '\n' <<<"$kind")" "$(offered "$@" "$long" =)"
			same "$* $long and a blank" "$(tr '|' '\n' <<<"$kind")" "$(offered "$@" "$long" "")"
			;;
		DIR) same "$* $long" some "$(offered "$@" "$long" = so)" ;;
		FILE) same "$* $long" "some some.file" "$(offered "$@" "$long" = so | tr '\n' ' ' | sed 's/ $//' | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')" ;;
		esac
	done < <(sed -n 's/^ \{2,6\}\(-., \)\{0,1\}\(--[a-z-]*\)=\([^ ]*\).*/\2 \3/p' help.txt)
}
while read -r tool; do
	check_options "$tool"
	case ${tool##*/} in
	ovniver | ovnievents | ovnisync) same "$tool" "" "$(offered "$tool" "")" ;;
	uscope | ovniscope-laplace | ovniscope-prism | ovniscope-model) ;;
	*)
		same "$tool" $'some\nother' "$(offered "$tool" "")"
		same "$tool so" some "$(offered "$tool" -q so)"
		same "$tool some/" some/trace "$(offered "$tool" some/)"
		;;
	esac
	"$tool" --help >help.txt
	sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p' help.txt >commands.txt
	if test -s commands.txt; then
		same "commands of $tool" "$(cat commands.txt)" "$(offered "$tool" "")"
		while read -r command; do
			check_options "$tool" "$command"
		done <commands.txt
	fi
	complete -p "${tool##*/}" >/dev/null || problem "$tool has no completion"
done <tools.txt
dump=$(grep /ovnidump tools.txt)
same "models" "$("${dump%dump}events" --json | sed -n 's/^ "\([a-z0-9]*\)": {.*/\1/p')" "$(offered "$dump" --model = "")"
touch ./mine.so
same "a file of a model" "./mine.so" "$(offered "$dump" --model = "./mi")"
same "--fo" "--format=" "$(offered "$dump" --fo)"
same "--format=c" csv "$(offered "$dump" --format = c)"
same "without splitting" csv "$(offered "$dump" --format=c)"
same "nothing such" "" "$(offered "$dump" --nonsense)"
same "a command that is not there" "" "$(offered ./nothing -)"
exit 0
END
TERM=dumb bash --norc --noprofile offers.bash >result.txt 2>&1 || fail "$(cat result.txt)"
test ! -s result.txt || fail "not silent: $(cat result.txt)"
