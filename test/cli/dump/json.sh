# --json is --format=json in all tools that print; a format that is none is wrong usage.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace
same() {
	"$@" --format=json >long.txt 2>err.txt || fail "$*: $(cat err.txt)"
	"$@" --json >short.txt 2>err.txt || fail "$*: $(cat err.txt)"
	cmp long.txt short.txt || fail "$*: --json is not --format=json"
	$PYTHON -c 'import json, sys
for line in [sys.stdin.read()] if sys.argv[1] == "whole" else sys.stdin: json.loads(line)' "$form" <long.txt || fail "$*: no JSON"
	"$@" --json --format=text >text.txt 2>err.txt || fail "$*: $(cat err.txt)"
	cmp -s text.txt short.txt && fail "$*: text is JSON"
	"$@" --format=xml >/dev/null 2>err.txt
	test $? = 2 || fail "$*: --format=xml"
	says "--format is text" "not 'xml'"
}
form=lines
same "$DUMP" -q trace
form=whole
same "$TOP" -q trace
same "$BUILD/src/emu/tool/ovnievents"
