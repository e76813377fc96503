# Two lines: where libraries are looked for, and the versions.
. "$LIB"
VER=$BUILD/src/emu/tool/ovniver
unset LD_LIBRARY_PATH
v=$(sed -n "s/^ovni_version = '\(.*\)'/\1/p" "$SRC/src/lib/ovni/meson.build")
c=$(sed -n 's/^#define OVNI_GIT_COMMIT "\(.*\)"/\1/p' "$BUILD/src/lib/ovni/ovni.h")
printf 'LD_LIBRARY_PATH not set\nlibovni: build v%s (%s), dynamic v%s (%s)\n' "$v" "$c" "$v" "$c" >want
status 0 "$VER"
cmp want out.txt || fail "$(cat out.txt)"
test ! -s err.txt || fail "$(cat err.txt)"
LD_LIBRARY_PATH=/nothing:%s status 0 "$VER"
head -n 1 out.txt | grep -qxF 'LD_LIBRARY_PATH set to /nothing:%s' || fail "$(cat out.txt)"
status 0 "$VER" --verbose
grep -q '^loaded from .*libovni\.so' out.txt || fail "$(cat out.txt)"
status 0 "$VER" --help
status 0 "$VER" --version
status 2 "$VER" argument
says "error[usage]"
test -c /dev/full || exit 0
"$VER" >/dev/full 2>err.txt
test $? = 1 || fail "a full disk"
says "error[write]"
