#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-model check, free and doc.

usage: check.py TOOL SRC DEMO.so
"""
import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOOL, SRC, DEMO = (os.path.abspath(p) for p in sys.argv[1:4])
CC = os.environ.get("CC", "cc").split()
MODEL = """#include "ovniscope/model.h"
%(before)s
static const struct chan_decl chans[] = {
	{ .name = "phase", .title = "Phase", .prv_type = %(type)s, .kind = CHAN_STACK, .view = { .file = "phase" } },
	{ .name = "level", .title = "%(title)s", .prv_type = 961, .view = { .file = "%(view)s" }, %(chan)s },
};
static const struct state_decl states[] = {
	{ 0, %(value)s, %(enter)s, %(leave)s, "%(label)s", "%(text)s" },
	{ 0, 2, "%(id)sAc", "%(id)sAd", "Two", "enters|leaves two" },
};
static const struct event_decl events[] = {
	{ "%(id)sLs", "sets the level to 1", .op = OP_SET, .chan = 1, .value = 1 },
	{ "%(sig)s", "%(words)s", %(op)s },
};
const struct model ovniscope_model = {
	MODEL_ABI, .id = '%(id)s', .name = "checked", .version = "1.0.0", %(tables)s
};
"""
GOOD = {"before": "", "type": "960", "title": "Level", "view": "level", "chan": "", "value": "1", "id": "q", "enter": '"qAa"', "leave": '"qAb"', "label": "One",
        "text": "enters|leaves one", "sig": "qBa(u32 a)", "words": "tells %{a}", "op": ".op = OP_IGNORE", "tables": "CHANS(chans), STATES(states), EVENTS(events),"}
HOOK = {"before": "static void h(struct emu *emu, const struct event *ev) { (void)emu_set(emu, 1, ev->size); }", "op": ".hook = h"}
TAKEN = "may become one of a model of ovniscope"

# What is changed; whether it is an error; what the message has.
BAD = (
    ({"type": "87"}, False, f"the PRV type 87 (phase) {TAKEN}", "500 to 999 never will"),
    ({"id": "Q", "enter": '"QAa"', "leave": '"QAb"', "sig": "QBa(u32 a)"}, False, f"the letter 'Q' of checked {TAKEN}"),
    ({"tables": "CHANS(chans),"}, True, "checked has no states and no events", "STATES(states)"),
    ({"tables": ""}, True, "checked has no channels"),
    ({"title": "Phase"}, True, 'the channels phase and level have the title "Phase"'),
    ({"view": "phase"}, True, "the channels phase and level have the view phase.cfg"),
    ({"view": "phase-histogram"}, True, "the views phase.cfg and phase-histogram.cfg clash"),
    ({"chan": ".view = { 0 }"}, False, "the channel level has no view", '.file = "level"'),
    ({"chan": ".thread_track = TRACK_HIDDEN, .cpu_track = TRACK_HIDDEN"}, False, "the channel level is shown nowhere"),
    ({"tables": "CHANS(chans), STATES(states),"}, False, "nothing changes the channel level"),
    ({"value": "0"}, True, 'the value 0 of the channel phase ("One") is nothing'),
    ({"value": "-7"}, True, "the value -7 is none from 0 to 4294967295"),
    ({"value": "2147483648"}, False, "Paraver has no label for the value 2147483648"),
    ({"label": "a\\nb"}, False, "is empty, or not one line"),
    ({"enter": "0"}, True, 'no event enters the state "One" of the channel phase'),
    ({"leave": "0"}, False, 'no event leaves the state "One" of the stack phase'),
    ({"text": " "}, False, 'the state "One" of the channel phase has no words'),
    ({"text": "is one"}, False, 'qAa and qAb have the same words, "is one"'),
    ({"label": "Two"}, False, 'two values of the channel phase have the label "Two": 1 and 2'),
    ({"op": ".op = OP_SET, .chan = 1"}, True, "qBa gives the channel level the value 0, which is nothing", "OP_CLEAR clears"),
    ({"op": ".op = OP_ADD, .chan = 1, .value = 1", "chan": ".of = OF_PROC, .view = { .file = \"k\", .cpu_title = \"CPU\" }"}, True, "are for channels of threads: level"),
    ({"words": ""}, False, "the event qBa has no words"),
    ({"words": "tells"}, False, "the words of qBa do not have its argument a", "%{a}"),
    ({"sig": "qBa(u64 a, u64 b, u8 c)", "words": "%{a} %{b} %{c}"}, True, "qBa has 17 bytes of arguments, and an event holds 16"),
    ({"sig": "qBa(u8 a)"}, False, "qBa has one byte of arguments"),
    ({"sig": "qBa(u99 a)"}, True, "an argument is a type"),
    ({"sig": "qAa"}, True, "the event is declared twice: qAa"),
    ({"words": "tells %{b}"}, True, 'of qBa "tells %{b}": there is no argument'),
    ({"type": "20"}, True, "the models tampi of ovniscope and checked of ", "the same PRV type 20"),
)
WATCHER = {
    "name": "watcher", "version": "1.0.0", "letter": "y",
    "channels": [{"name": "mirror", "title": "Mirror", "type": 901, "values": "any", "thread": "any"}],
    "observers": [{"mirror": "mpi.function", "channel": "mirror"}],
}
# The same in JSON: what is changed, whether it is an error, the line, and what the message has, in the words of the file.
DECLARED = {
    "name": "checked", "version": "1.0.0", "letter": "q",
    "channels": [{"name": "phase", "title": "Phase", "type": 960, "kind": "stack", "view": {"file": "phase"}},
                 {"name": "level", "title": "Level", "type": 961, "values": "any", "view": {"file": "level"}}],
    "states": [{"channel": "phase", "value": 1, "enter": "qAa", "leave": "qAb", "label": "One", "text": "enters|leaves one"}],
    "events": [{"event": "qLs(u32 a)", "text": "sets %{a}", "op": "set", "channel": "level", "arg": "a"}],
    "observers": [],
}
OBSERVED = {"name": "seen", "title": "Seen", "type": 962, "values": "any", "view": {"file": "seen"}}
BAD_JSON = (
    ({"letter": "Q", "states[0].enter": "QAa", "states[0].leave": "QAb", "events[0].event": "QLs(u32 a)"}, False, 1, f"the letter 'Q' of checked {TAKEN}"),
    ({"states": [], "events": []}, True, 1, 'give it "states" or "events"'),
    ({"channels": [], "states": [], "events": [{"event": "qAa", "text": "t", "op": "ignore"}]}, False, 1, 'give it "channels"'),
    ({"channels[1].type": 87}, False, 3, f"the PRV type 87 (level) {TAKEN}"),
    ({"channels[1].view": None}, False, 3, 'set "view": { "file": "level" }'),
    ({"channels[1].thread": "hidden", "channels[1].cpu": "hidden"}, False, 3, 'set "thread" or "cpu" to "running" or "active"'),
    ({"events": []}, False, 3, "nothing changes the channel level", "states, events or an observer"),
    ({"states[0].leave": None}, False, 4, 'no event leaves the state "One"'),
    ({"states[0].enter": None}, True, 4, 'no event enters the state "One"'),
    ({"events[0].text": "sets"}, False, 5, "the words of qLs do not have its argument a"),
    ({"events[0].event": "qLs(u32 a, u64 b, u64 c)", "events[0].text": "%{a} %{b} %{c}"}, True, 5, "qLs has 20 bytes"),
    ({"breakdown": {"file": "b", "title": "B", "type": 88}}, False, 7, f"the PRV type 88 (breakdown) {TAKEN}"),
    ({"channels[2]": OBSERVED, "observers": [{"channel": "seen", "mirror": "mpi.functoin"}]}, False, "7: observers[0].mirror", "no known model has the channel mpi.functoin"),
    ({"channels[2]": OBSERVED, "observers": [{"channel": "seen", "count_events": ["MS[", "MZZ"]}]}, False, "7: observers[0].count_events", "no known model has the event MZZ"),
    ({"channels[2]": OBSERVED, "observers": [{"channel": "seen", "mirror": "thread.state"}]}, None, 0),
    ({"channels[2]": OBSERVED, "observers": [{"channel": "seen", "count_events": ["MS[", "qLs", "OHx"]}]}, None, 0),
)
counts = [0, 0]


def check(what, good, *facts):
    counts[not good] += 1
    if not good:
        print(f"FAILED: {what}", *facts, sep="\n")


def run(*words):
    env = {k: v for k, v in os.environ.items() if k != "OVNISCOPE_MODELS"}
    p = subprocess.run([TOOL, *words], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
    return p.returncode, p.stdout, p.stderr


def build(changed):
    with open("model.c", "w", encoding="utf-8") as f:
        f.write(MODEL % {**GOOD, **changed})
    if os.path.exists("model.so"):
        os.remove("model.so")
    p = subprocess.run([*CC, "-shared", "-fPIC", "-w", f"-I{SRC}/src/emu/public", "-o", "model.so", "model.c"], capture_output=True, text=True, check=False)
    check(f"built: {changed}", p.returncode == 0, p.stderr)
    return run("check", "./model.so")


def changed_rows(changed):
    model = copy.deepcopy(DECLARED)
    for path, value in changed.items():
        at = model
        *keys, last = [int(k) if k.isdigit() else k for k in re.findall(r"\w+", path)]
        for k in keys:
            at = at[k]
        if value is None:
            del at[last]
        elif isinstance(at, list) and last == len(at):
            at.append(value)
        else:
            at[last] = value
    return model


def write_rows(path, model):
    """One line for the head, then one for each row"""
    heads = {k: v for k, v in model.items() if not isinstance(v, (list, dict))}
    rows = [f'"{k}": {json.dumps(v)}' if isinstance(v, dict) else f'"{k}": [' + ",\n".join(json.dumps(row) for row in v) + "]" for k, v in model.items() if k not in heads]
    with open(path, "w", encoding="utf-8") as f:
        f.write("{" + json.dumps(heads)[1:-1] + ",\n" + ",\n".join(rows) + "}\n")


def checked():
    for changed in ({}, HOOK, {**HOOK, "tables": "CHANS(chans), EVENTS(events),"}):
        got = build(changed)
        check(f"a good one: {changed}", got[0] == 0 and not got[2] and got[1].endswith(": 0 errors, 0 warnings\n"), got)
    check("what it says", build({})[1] == "checked 1.0.0 ('q'): 2 channels, 2 states, 2 events: 0 errors, 0 warnings\n")
    check("with a hook a state may be entered", build({**HOOK, "enter": "0"})[0] == 0)
    for changed, fatal, *told in BAD:
        status, out, err = build(changed)
        check(f"{changed}", status == fatal and all(t in err for t in told) and "model.so" in err and ("error[" in err) == fatal, status, out, err, told)
        status, _, err = run("check", "-q", "./model.so")
        check(f"{changed} -q", status == fatal and bool(err) == fatal, err)
    status, out, err = run("check", DEMO)
    check("the demo", status == 0 and ": 0 errors" in out, err)
    for changed, fatal, line, *told in ((({}, None, 0)), *BAD_JSON):
        write_rows("declared.json", changed_rows(changed))
        status, out, err = run("check", "declared.json")
        check(f"JSON {changed}", status == (fatal or 0) and all(t in err for t in told) and ("error[" in err) == bool(fatal) and bool(err) == (fatal is not None), status, out, err, told)
        check(f"JSON {changed}: the line", not line or f"  at declared.json:{line}\n" in err, line, err)
        check(f"JSON {changed}: no C", not re.search(r"[A-Z]{3,}\(|[A-Z]_[A-Z]|\.[a-z]+ =|[a-z]_track", err), err)
    for model, good in ((WATCHER, True), ({**WATCHER, "observers": []}, False)):
        with open("watcher.json", "w", encoding="utf-8") as f:
            json.dump(model, f)
        status, out, err = run("check", "-q", "watcher.json")
        check(f"observers {model['observers']}", status == (not good) and ("watcher has no states and no events" in err) != good, status, out, err)
    for name in json.loads(subprocess.run([f"{os.path.dirname(TOOL)}/../ovnievents", "--json"], capture_output=True, check=True).stdout):
        status, out, err = run("check", name)
        check(f"{name} is right", status == 0 and "error" not in err, err)


def short():
    """A model of 12 states has at most 45 lines, in C and in JSON, comments included."""
    out = run("check", "tampi")[1]
    check("tampi has 12 states", "1 channels, 12 states, 0 events" in out, out)
    for path in ("src/models/tampi.c", "test/plugin/tampi.json"):
        with open(f"{SRC}/{path}", encoding="utf-8") as f:
            text = f.read()
        lines = text.splitlines()
        check(f"{path}: {len(lines)} lines", len(lines) <= 45 and max(map(len, lines)) < 240 and len(re.findall(r'"T\w\w"[,}].*"T\w\w"', text)) == 12, text)


def free():
    status, out, err = run("free")
    check("free", status == 0 and not err, err)
    letters = re.findall(r"^  letters(.*)$", out, re.M)
    types = re.findall(r"^  types(.*)$", out, re.M)
    check("free: ours", letters[0].split() == list("abcdefghijklmnopqrstuvwxyz") and types[0].split() == ["500-999"], out)
    others = letters[1].split()
    check("free: not taken", "A" in others and not set("VO6PTMDKLR") & set(others), out)
    ranges = [tuple(int(n) for n in r.split("-")) for r in re.findall(r"\d+-\d+|\d+", types[1])]
    check("free: types", all(not r[0] <= t <= r[-1] for r in ranges for t in (1, 6, 20, 25, 100, 199, 500)) and any(r[0] <= 99 <= r[-1] for r in ranges), out)
    status, out, _ = run("free", "--model", DEMO)
    check("free: with a model", status == 0 and " w y" in out and "  types   500-899 90" in out, out)


def documented():
    events = f"{os.path.dirname(TOOL)}/../ovnievents"
    for name in json.loads(subprocess.run([events, "--json"], capture_output=True, check=True).stdout):
        status, out, err = run("doc", name)
        whole = subprocess.run([events, "--model", name], capture_output=True, text=True, check=True).stdout
        section = out[out.index(f"\n## {name} ("):]
        check(f"doc of {name}", status == 0 and not err and whole.endswith(section) and out.startswith(f"# Events and views of {name}\n"), err)
        status, page, err = run("doc", "--man", name)
        check(f"man page of {name}", status == 0 and not err and page.count("\n.SS ") >= section.count("\n### ") and page.count("\n\\fB") == section.count("\n| `"), page)
        if shutil.which("mandoc"):
            p = subprocess.run(["mandoc", "-Tlint", "-W", "warning"], input=page, capture_output=True, text=True, check=False)
            told = [line for line in p.stdout.splitlines() if "missing date" not in line]
            check(f"mandoc of {name}", not told, *told)
    build({"title": '.x \\" \\\\ |'})
    page = run("doc", "--man", "./model.so")[1]
    check("a title with a dot and a quote", '.SS "\\&.x \\(dq \\e |"\n' in page, page)
    check("in Markdown", '### .x " \\\\ \\|\n' in run("doc", "./model.so")[1])


def main():
    checked()
    short()
    documented()
    free()
    print(f"{counts[0]} passed, {counts[1]} failed")
    return 1 if counts[1] else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        sys.exit(main())
