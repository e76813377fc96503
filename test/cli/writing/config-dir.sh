# OVNI_CONFIG_DIR: the views of a user are beside the timelines, in place of ours of that name.
. "$LIB"
small_trace
mkdir -p mine/thread/ovni mine/own
echo "a view of mine" >mine/thread/ovni/state.cfg
echo "another" >mine/own/other.cfg
echo "no view" >mine/own/notes.txt
for view in "" --compat; do
	for dir in mine mine/ "$PWD/mine"; do
		rm -rf out
		status 0 env OVNI_CONFIG_DIR="$dir" "$EMU" $view -q -o out trace
		silent
		cmp mine/thread/ovni/state.cfg out/cfg/thread/ovni/state.cfg || fail "ours is there"
		cmp mine/own/other.cfg out/cfg/own/other.cfg || fail "it is not there"
		test ! -e out/cfg/own/notes.txt || fail "what is no view was copied"
		test -s out/cfg/cpu/ovni/tid.cfg || fail "our other views are not there"
	done
done
# what the user changed there stays
echo changed >out/cfg/own/other.cfg
status 0 env OVNI_CONFIG_DIR=mine "$EMU" -q -o out trace
test "$(cat out/cfg/own/other.cfg)" = changed || fail "it was overwritten"
# the same directory
status 0 env OVNI_CONFIG_DIR=out/cfg "$EMU" -q -o out trace
test -s out/cfg/cpu/ovni/tid.cfg || fail "emptied"
status 1 env OVNI_CONFIG_DIR=nothing "$EMU" -q -o out2 trace
says "error[read]: cannot read the directory 'nothing': No such file or directory" "OVNI_CONFIG_DIR"
