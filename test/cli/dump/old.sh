# Traces of all versions of the metadata; the path of the file names an old stream.
. "$LIB"
. "$SRC/test/cli/look.sh"
for v in v1 v2 "v1 bare"; do
	rm -rf trace
	assemble trace <<END
trace $v
loom n.1 cpus 0:0
proc 1 app 1
thread 7
7 100 OHx 0 -1 0
7 200 OHe
END
	case $v in *bare) end= ;; *) end=.obs ;; esac
	status 0 "$DUMP" -q trace -t 7 -p 1 -l n.1
	grep -q "^       200  OHe  loom.n.1/proc.1/thread.7$end  ends the execution$" out.txt || fail "$v: $(cat out.txt)"
	find trace -name '*.json' -delete
	"$DUMP" -q trace 2>/dev/null | cmp - out.txt || fail "$v without metadata"
done
