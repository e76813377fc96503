# Two runs give the same bytes, whatever the place of the trace, the time and the view.
. "$LIB"
$PYTHON "$TOOLS" big trace 30000 7
for view in "" --compat; do
	rm -rf one two copy
	status 0 "$EMU" -q $view -o one trace
	silent
	mkdir -p copy/of
	cp -r trace copy/of/it
	status 0 env TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$EMU" -q $view -o two copy/of/it
	silent
	same one two
	valid $view one
	grep -rlF "$PWD" one && fail "the path is in the output"
done
exit 0
