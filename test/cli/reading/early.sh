# 200 streams, of which one has bad metadata: the first is told, however many threads read.
. "$LIB"
$PYTHON "$TOOLS" many trace 200
status 0 "$EMU" -q -j 1 -o want trace
for n in 2 3; do
	status 0 "$EMU" -q -j $n -o out trace
	silent
	same want out
done
find trace -name stream.json | sort >files
for at in 1 2 33 64 65 66 130 199 200; do
	file=$(sed -n ${at}p files)
	last=$(tail -n 1 files)
	cp "$file" good
	cp "$last" good-last
	for bad in '{' '[]' '{"version": 3, "version": 3}' '{"version": 4}'; do
		echo '{]' >"$last"
		echo "$bad" >"$file"
		status 1 "$EMU" -q -j 1 -o out trace
		says "$file"
		cp err.txt one.txt
		for n in 2 8; do
			status 1 "$EMU" -q -j $n -o out trace
			diff one.txt err.txt || fail "-j $n: $bad in stream $at"
		done
		cp good "$file"
		cp good-last "$last"
	done
done
