# The counts of ovni 1.14, to the byte: the most events first, then by name.
. "$LIB"
. "$SRC/test/cli/look.sh"
{
	printf 'loom vm.0 cpus 0:0\nproc 1 app 1\nthread 1\n1 1 OHx 0 -1 0\n1 2 VYc 100 "t"\n1 3 VTC 200 100\n'
	i=0
	while test $i -lt 100; do
		i=$((i + 1))
		printf '1 %s1 VAs\n1 %s2 VTx 200 1\n1 %s3 VTe 200 1\n1 %s4 VAS\n' $i $i $i $i
	done
	printf '1 1005 OHe\n'
} | assemble ovni
cat >want <<'END'
VAS        100
VAs        100
VTe        100
VTx        100
OHe          1
OHx          1
VTC          1
VYc          1
END
prints want "$TOP" -q ovni
prints want "$TOP" -q ovni --by=event
status 0 "$TOP" ovni
says "loaded 1 streams" "counted 404 events"
# events that nobody knows, many names, and those with a letter that does not matter
assemble odd <<'END'
loom n.1 cpus 0:0
proc 1 app 1
thread 1
1 1 OB.
1 2 OBx
1 3 OBx
1 4 XYZ
1 raw 00 410042 0600000000000000
1 raw 00 410043 0700000000000000
END
cat >want <<'END'
OBx          2
A\x00B          1
A\x00C          1
OB.          1
XYZ          1
END
status 0 "$TOP" -q odd
# the names are padded to the widest
sed 's/ \{1,\}/ /' out.txt >got
sed 's/ \{1,\}/ /' want | cmp - got || fail "$(cat out.txt)"
$PYTHON - <<'END' || fail "the trace of many names"
import os, struct
data = b"ovni\1\0\0\0"
for i in range(20000):
    data += b"\0" + bytes([i & 255, i >> 8 & 255, 7]) + struct.pack("<Q", i)
os.makedirs("many")
with open("many/stream.obs", "wb") as f:
    f.write(data)
END
status 0 "$TOP" -q many
test "$(wc -l <out.txt)" -eq 20000 || fail "$(wc -l <out.txt) names"
awk '$2 != 1 { exit 1 }' out.txt || fail "a name counts more than once"
