# It is installed under the name of each tool, where bash looks for it.
. "$LIB"
grep -q 'bash-completion/completions' "$SRC/src/emu/tool/meson.build" || fail "not installed"
command -v meson >/dev/null || skip "no meson"
meson introspect "$BUILD" --installed >installed.json 2>/dev/null || skip "meson introspect fails"
$PYTHON - <<'END' || fail "$(grep -o '[^"]*completions[^"]*' installed.json)"
import json, os
done = {os.path.basename(to) for to in json.load(open("installed.json")).values() if "/bash-completion/completions/" in to}
bins = {os.path.basename(to) for to in json.load(open("installed.json")).values() if os.path.dirname(to).endswith("/bin")}
wanted = {"ovniemu", "ovnievents", "ovnidump", "ovnitop", "ovnisort", "ovniver", "ovnisync", "uscope"}
# a dictionary of files has the same one once: look at the plan
plan = os.path.join(os.environ["BUILD"], "meson-info", "intro-install_plan.json")
if os.path.exists(plan):
    text = open(plan).read()
    done |= {w for w in wanted if f"bash-completion/completions/{w}" in text}
assert done, done
END
