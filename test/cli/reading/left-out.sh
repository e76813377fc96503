# Threads whose metadata cannot be read are told of, and are an error under -l.
. "$LIB"
DUMP=$BUILD/src/emu/tool/ovnidump
p=loom.node.0/proc.100
a=trace/$p/thread.101
b=trace/$p/thread.102

# told NAME TEXT: the thread 102 is left out, the other is emulated; -l refuses; so does --compat, with a third word
told() {
	status 0 "$EMU" -o out trace
	says "warning: 1 part of the trace cannot be read and is left out" "  $p/thread.102$1: $2" "1 threads on"
	status 1 "$EMU" -q -l -o out trace
	says "error[read]: 1 part of the trace cannot be read" "  $p/thread.102$1: $2"
	if test -n "${3-}"; then
		status 1 "$EMU" -q --compat -o out trace
		says "error[read]"
	else
		status 0 "$EMU" -q --compat -o out trace
	fi
	rm -rf trace out
	small_trace
}

small_trace
rm $b/stream.json
told "" "there is no stream.json"

# the program ended while the thread began: with the header of its stream, or not even that
rm $b/stream.json
printf 'ovni\001\000\000\000' >$b/stream.obs
told "" "there is no stream.json, and nothing is lost: the thread has written no event"
rm $b/stream.*
told "" "there is no stream.json, and nothing is lost: the thread has written no event"
rm $b/stream.json && mkfifo $b/stream.json
told /stream.json "it is not a regular file" strict
rm $b/stream.json && mkdir $b/stream.json
told /stream.json "it is a directory"
ln -sf stream.json $b/stream.json
told /stream.json "Too many levels of symbolic links" strict
rm -r $b && ln -s /nowhere/thread.102 $b
told "" "it points to '/nowhere/thread.102', which is not there" strict

# a process in OVNI_TMPDIR that was killed: its files are brought back as the hint says
mkdir -p tmp/$p
mv $b tmp/$p/
mkdir $b
for f in stream.json stream.obs; do
	ln -s "$PWD/tmp/$p/thread.102/$f" $b/$f
done
status 0 "$EMU" -o out trace
says "2 threads on"
mv tmp gone
status 0 "$EMU" -o out trace
says "1 part of the trace cannot be read and is left out" "1 threads on" \
	"thread.102/stream.json: it points to '$PWD/tmp/$p/thread.102/stream.json', which is not there" \
	"a process that is killed does not move its files from its temporary directory (OVNI_TMPDIR)"
status 1 "$EMU" -l -o out trace
says "which is not there" "cp -r --remove-destination"
status 0 "$DUMP" trace
says "thread.102/stream.obs: it points to"
mv gone tmp
OVNI_TMPDIR=$PWD/tmp
export OVNI_TMPDIR
sed -n 's/^ *hint: where it ran.*there: //p' err.txt >bring.sh
test -s bring.sh || fail "no command in the hint"
sh -e bring.sh || fail "the command of the hint"
rm -r tmp
status 0 "$EMU" -o out trace
says "2 threads on"
grep -q "left out" err.txt && fail "$(cat err.txt)"

# without metadata the other tools read the events; what has none is told of
rm -f $b/stream.json
status 0 "$DUMP" trace
says "there is no stream.json: loom, process and thread are taken from the path"
rm $b/stream.obs
status 0 "$DUMP" trace
says "  $p/thread.102: there is no stream.obs"
mkfifo $b/stream.obs
status 0 "$DUMP" trace
says "  $p/thread.102/stream.obs: it is not a regular file"

# of many a few are named
for i in 1 2 3 4 5 6 7; do
	mkdir trace/$p/thread.20$i
done
status 0 "$EMU" -o out trace
says "8 parts of the trace cannot be read and are left out" "  and 3 more"
test "$(grep -c "there is no stream.json" err.txt)" = 5 || fail "$(cat err.txt)"

# what a user may not read
rm -rf trace
small_trace
mkdir out2 && chmod 777 out2 && chmod 755 .
cp "$EMU" emu
chmod 0 $b/stream.json
status 0 unprivileged ./emu -o out2 trace
says "  $p/thread.102/stream.json: Permission denied" "1 threads on"
chmod 644 $b/stream.json
chmod 0 $b
status 0 unprivileged ./emu -o out2 trace
says "  $p/thread.102: Permission denied"
chmod 444 $b
status 0 unprivileged ./emu -o out2 trace
says "  $p/thread.102: it may not be entered: Permission denied"
status 1 unprivileged ./emu -l -o out2 trace
chmod 755 $b
