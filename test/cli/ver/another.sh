# Another library in LD_LIBRARY_PATH is the one that is told: the program looks there before
# it looks where it was installed.
. "$LIB"
VER=$BUILD/src/emu/tool/ovniver
readelf -d "$VER" >elf.txt 2>/dev/null || skip "no readelf"
grep -q '(RPATH)' elf.txt && fail "an RPATH hides LD_LIBRARY_PATH"
grep -q 'libovni.so.1' elf.txt || fail "libovni is not linked as a library"
cat >other.c <<'END'
void ovni_version_get(const char **version, const char **commit);
void
ovni_version_get(const char **version, const char **commit)
{
	*version = "1.99.0";
	*commit = "other";
}
END
"${CC:-cc}" -shared -fPIC -Wl,-soname,libovni.so.1 -o libovni.so.1 other.c 2>/dev/null || skip "no compiler"
LD_LIBRARY_PATH=$PWD status 0 "$VER" -v
grep -q ', dynamic v1.99.0 (other)$' out.txt || fail "$(cat out.txt)"
grep -qxF "loaded from $PWD/libovni.so.1" out.txt || fail "$(cat out.txt)"
