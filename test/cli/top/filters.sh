# The filters of ovnidump: both tools take the same events.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace
for o in "-t 12" "-p 20" "-l a*" "-s *thread.1?" "-m nosv,kernel" "-e OH,KCO" "--from=1ms" "--to=300ns" \
	"--from=5000000010 --to=5000000200" "--corrected -p 20 --from=1us" "-t 11 -m ovni -e ??x" "-e XXX"; do
	set -f
	want=$("$DUMP" -q $o trace | awk '{ print $2 }' | LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }')
	got=$("$TOP" -q $o trace | awk '{ print $1, $2 }' | LC_ALL=C sort)
	set +f
	test "$got" = "$want" || fail "$o: $got instead of $want"
done
