# ovni.html: the page with the bytes of ovni.uscp, which is not there if nobody asks for it.
. "$LIB"
page() { $PYTHON "$SRC/test/cli/page.py" "$@" >page.txt || fail "page $*: $(cat page.txt)"; }
small_trace
status 0 "$EMU" -f html -o only trace
says "open in a browser: only/ovni.html"
test "$(ls -A only)" = ovni.html || fail "$(ls -A only)"
status 0 "$EMU" -q -o out trace
status 0 "$EMU" -q -f html,prv,uscope -o all trace
cmp only/ovni.html all/ovni.html || fail "it depends on the others"
page all/ovni.html out/ovni.uscp
mv all/ovni.html .
diff -r out all || fail "the others depend on it"
# modes follow the umask
(umask 027 && "$EMU" -q -f html -o masked trace) || fail "the run with umask"
test "$(stat -c %a masked/ovni.html)" = 640 || fail "$(stat -c %a masked/ovni.html)"
# compressions
for m in zstd none; do
	status 0 "$EMU" -q -f uscope,html --uscope-compression=$m -o $m trace
	page $m/ovni.html $m/ovni.uscp
done
# more data than the limit: a note, and an overview
$PYTHON "$TOOLS" big big 300000 4
status 0 "$EMU" -f html --html-limit=64K -o small big
says "small/ovni.html holds an overview only, as its data is more than 64 KiB" "-f uscope,html also writes ovni.uscp"
page small/ovni.html
grep -q overview page.txt || fail "$(cat page.txt)"
status 0 "$EMU" -f html,uscope --html-limit=64K -o small big
says "drop ovni.uscp on it" "--html-limit"
page small/ovni.html small/ovni.uscp
status 0 "$EMU" -q -f html --html-limit=64K -o small big
silent
status 0 "$EMU" -f html,uscope -o small big
grep -q overview err.txt && fail "an overview: $(cat err.txt)"
page small/ovni.html small/ovni.uscp
size=$(stat -c %s small/ovni.uscp)
for limit in $size $((size - 1)); do
	status 0 "$EMU" -q -f html,uscope --html-limit=$limit -o small big
	page small/ovni.html small/ovni.uscp
	cat page.txt >>pages
done
test "$(cut -d ' ' -f 3 pages | tr '\n' ' ')" = "whole overview " || fail "$(cat pages)"
for bad in "" x 12x -1 1.5M 99999999999999999999 16777216T 64MB; do
	status 2 "$EMU" --html-limit="$bad" trace
	says "error[usage]" "--html-limit needs a number of bytes, such as 65536, 512K, 64M or 2G, not '$bad'"
done
for good in 0 1k 64MiB 2G 16777215T; do
	status 0 "$EMU" -q -f html --html-limit=$good -o small trace
done
# a run that fails: the page ends where it does, and one of before does not stay
assemble bad <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101
mark 1 single "Phase" 1="Init"
101 1000 OHx 0 -1 0
101 1010 OM= 1 1
101 1020 OHx 0 -1 0
101 1030 OHe
END
status 1 "$EMU" -f html,uscope -o only bad
page only/ovni.html only/ovni.uscp
status 1 "$EMU" -f html -o only bad
page only/ovni.html only/ovni.uscp
grep -q "open in a browser" err.txt && fail "says that all is well"
# no page: a directory is in its place, or the disk is full
rm -rf only
mkdir -p only/ovni.html
status 1 "$EMU" -f html -o only trace
says "error[write]" "'only/ovni.html'"
test "$(ls -A only)" = ovni.html || fail "$(ls -A only)"
rmdir only/ovni.html
ln -s /dev/full only/ovni.html
status 1 "$EMU" -f prv,html -o only trace
says "error[write]" "cannot write 'only/ovni.html': No space left on device"
grep -q "open in" err.txt && fail "says that all is well"
rm only/ovni.html
valid only
