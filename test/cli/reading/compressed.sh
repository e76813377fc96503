# stream.obs.zst, stream.obs.lz4 and stream.obs.gz in all layouts give the output of the plain stream.
. "$LIB"
for form in "trace v3" "trace v2" "trace v1" "trace v1 bare"; do
	rm -rf trace want
	assemble trace <<END
$form
loom node.0 cpus 0:0 1:1
proc 100 app 1
thread 101
thread 102
101 1000 OHx 0 -1 0
102 1000 OHx 1 -1 0
101 1010 OF[
101 1020 OF]
102 1030 OHp
102 1040 OHr
101 1050 OHe
102 1060 OHe
END
	"$EMU" -q -o want trace || fail "$form"
	for kind in zst lz4 gz; do
		rm -rf packed out
		cp -r trace packed
		find packed -name 'stream.obs' -o -name 'thread.*.obs' -o -name 'thread.*' -type f ! -name '*.json' >list
		while read -r f; do
			case $f in
			*.obs) ;;
			*)
				mv "$f" "$f.obs"
				f=$f.obs
				;;
			esac
			$PYTHON "$TOOLS" $kind "$f" || fail "$kind $f"
		done <list
		test "$(find packed -name "*.obs.$kind" | wc -l)" = 2 || fail "$form: $(find packed)"
		status 0 "$EMU" -q -o out packed
		silent
		same want out
	done
done
