# Every tool that is installed has its completion, where bash looks for it, and its man page.
. "$LIB"
command -v meson >/dev/null || skip "no meson"
DESTDIR=$PWD/dest meson install -C "$BUILD" --no-rebuild --tags completion >log.txt 2>&1 || fail "$(tail -n 5 log.txt)"
find dest -path '*/share/bash-completion/completions/*' -type f | sed 's,.*/,,' | sort >have.txt
$PYTHON - >want.txt <<'END' || fail "the plan of the installation: $(tail -n 1 want.txt)"
import json, os, sys
plan = json.load(open(os.environ["BUILD"] + "/meson-info/intro-install_plan.json"))
tools = sorted(os.path.basename(f["destination"]) for f in plan["targets"].values() if f["destination"].startswith("{bindir}"))
pages = {os.path.basename(f["destination"]) for f in plan["man"].values()}
missing = [t for t in tools if t + ".1" not in pages]
print("\n".join(tools) if not missing else f"no man page: {missing}")
sys.exit(1 if missing or not tools else 0)
END
comm -23 want.txt have.txt >missing.txt
test ! -s missing.txt || fail "no completion of $(tr '\n' ' ' <missing.txt)"
while read -r tool; do
	file=$(find dest -path "*/completions/$tool")
	test -f "$file" || fail "$tool: $file"
	! command -v bash >/dev/null || bash --norc -c '. "$1"; complete -p "$2"' - "$file" "$tool" >/dev/null ||
		fail "the file of $tool does not complete it"
done <want.txt
