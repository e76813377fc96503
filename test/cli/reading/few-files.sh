# 300 streams with 64 file descriptors.
. "$LIB"
$PYTHON "$TOOLS" many trace 300
"$EMU" -q -o want trace || fail "the plain run"
valid want
status 0 sh -c 'ulimit -n 64; exec "$EMU" -q -o out trace'
silent
same want out
status 0 sh -c 'ulimit -n 20; exec "$EMU" -q -o out20 trace'
same want out20
# Compressed ones: few enough for rounds (trace/round.c), and too many.
for n in 200 300; do
	rm -rf trace want out
	$PYTHON "$TOOLS" many trace $n
	"$EMU" -q -o want trace || fail "$n streams"
	$PYTHON - <<'END'
import gzip, os
for d, _, names in os.walk("trace"):
    if "stream.obs" in names:
        f = os.path.join(d, "stream.obs")
        with open(f, "rb") as plain, gzip.open(f + ".gz", "wb", 1) as packed:
            packed.write(plain.read())
        os.remove(f)
END
	status 0 sh -c 'ulimit -n 64; exec "$EMU" -q -o out trace'
	same want out
done
