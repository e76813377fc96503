#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Models without code: what JSON files declare is what C tables do, and what is refused, by the tools and by the schema.

usage: declared.py TOOLS SRC DEMO.so

DEMO.so is demo.c; demo.json declares the same.
"""
import copy
import json
import os
import random
import re
import sys
import tempfile

import moved
from moved import SRC, TRACE, Run, asm, check, outputs, same

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = f"{SRC}/test/plugin"
DEMO = os.path.abspath(sys.argv[3])
# name, letter, other name and letter, types
BUILT_IN = (("tampi", "T", "tampo", "W", {"20": "987"}), ("mpi", "M", "mpj", "N", {"25": "986"}), ("nodes", "D", "nades", "E", {"30": "985"}))


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text):
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


SCHEMA = json.loads(read(f"{SRC}/src/emu/tool/decl/model.schema.json"))


def fits(text):
    """Whether the schema accepts the file; None: there is nothing to tell it, or no JSON."""
    try:
        tree = json.loads(text)
    except ValueError:
        return None
    return jsonschema and jsonschema.Draft202012Validator(SCHEMA).is_valid(tree)


# ---- Good ones. ----

def test_demo():
    """The same from C and from JSON, in all tools."""
    asm.assemble(TRACE, "trace")
    demo = f"{HERE}/demo.json"
    for tool, words in (("ovnidump", ["-q", "trace"]), ("ovnitop", ["-q", "-b", "model", "trace"]), ("ovnitop", ["-q", "trace"]), ("ovnievents", []), ("ovnievents", ["--json"])):
        a, b = (Run(tool, "--model", file, *words) for file in (DEMO, demo))
        same(f"{tool} {words}", (b.status, b.err), (0, ""))
        same(f"{tool} {words}: output", b.out, a.out)
    for view in ((), ("--compat",), ("-l",)):
        for out, file in (("c", DEMO), ("json", demo)):
            r = Run("ovniemu", "-q", *view, "-o", out, "--model", file, "trace")
            same(f"{out} {view}", (r.status, r.err), (0, ""))
        check("states are shown", ":30:900:2" in outputs("json")["thread.prv"] or view == ("--compat",))
        want, got = outputs("c"), outputs("json")
        for made in want.keys() | got.keys():
            same(f"{made} {view}", got.get(made, ""), want.get(made, ""))


def test_built_in():
    for name, letter, other, new, types in BUILT_IN:
        text = read(f"{HERE}/{name}.json")
        same(f"{name}: the schema", fits(text), True if jsonschema else None)
        check(f"{name}: lines", text.count("\n") <= 45 or len(json.loads(text)["states"]) > 12)
        text = re.sub(rf'("enter"|"leave"): "{letter}', rf'\1: "{new}', text.replace(f'"letter": "{letter}"', f'"letter": "{new}"').replace(f'"name": "{name}"', f'"name": "{other}"'))
        for old, far in types.items():
            text = text.replace(f'"type": {old},', f'"type": {far},')
        file = write(f"{other}.json", text)
        moved.compare(name, letter, other, new, types, file)
        a, b = Run("ovnievents", "--model", name), Run("ovnievents", "--model", file, "--model", other)
        for old, far in types.items():
            b.out = b.out.replace(f"type {far}", f"type {old}")
        same(f"{name}: ovnievents", re.sub(rf"`{new}(..)?`", rf"`{letter}\1`", b.out).replace(other, name), a.out)


def test_folders():
    os.makedirs("folder", exist_ok=True)
    write("folder/demo.json", read(f"{HERE}/demo.json"))
    write("folder/demo.jsonc", "no model")
    r = Run("ovnievents", "--model", "demo", "--model", "folder/demo.json", folders="folder")
    check("a folder", r.status == 0 and "## demo (`x`)" in r.out and not r.err, r)
    r = Run("ovnievents", "--model", DEMO, folders="folder")
    same("C and JSON", (r.status, r.err), (1, f"ovnievents: error[model-clash]: the models demo of folder/demo.json and demo of {DEMO} have the same letter 'x'\n"
                                              f"  at {DEMO}\n  hint: 'ovniscope-model free' prints letters and types that no model has\n"))


BASE = json.loads(read(f"{HERE}/demo.json"))
FULL = {  # all that can be said, in one file
    "$schema": "model.schema.json", "name": "full", "version": "1.2.3", "letter": "y", "need": ["active", "in_cpu"], "always": True, "foreign": False,
    "channels": [
        {"name": "a", "title": "A", "bare_title": True, "type": 910, "kind": "stack", "dup": "allow", "repeat": "values", "values": "declared", "thread": "active", "cpu": "active",
         "drained": False, "role": "runtime", "idle": 7, "initial": 3, "labels": {"7": "seven", "3": "three"},
         "view": {"file": "a", "thread_title": "T: A", "cpu_title": "C: A", "palette": "1:0,100,0 2:255,225,25", "gradient": False, "draw_random": True, "next_value": True}},
        {"name": "b", "title": "B", "type": 911, "kind": "punctual", "dup": "skip", "repeat": "all", "values": "any", "thread": "any", "cpu": "hidden", "view": {"file": "b", "gradient": True}},
        {"name": "c", "title": "C", "type": 912, "values": "any", "labels": {"-3": "minus three"}},
        {"name": "d", "title": "D", "type": 913, "values": "text"},
        {"name": "e", "title": "E", "type": 914, "kind": "stack", "values": "any"},
        {"name": "f", "title": "F", "type": 915, "of": "process", "sum": True, "initial": 4, "labels": {"0": "none"}, "view": {"file": "f"}},
        {"name": "g", "title": "G", "type": 916, "of": "loom", "kind": "punctual", "values": "text"},
        {"name": "h", "title": "H", "type": 917, "of": "system", "values": "any", "initial": 5},
    ],
    "states": [{"channel": "a", "value": 1, "enter": "yA[", "leave": "yA]", "label": "one", "text": "enters|leaves one", "role": "useful"}, {"channel": "c", "value": 2, "label": "two"}],
    "events": [
        {"event": "yPx(u32 n, str s)", "text": "happens %{n}", "op": "punctual", "channel": "b", "value": 5},
        {"event": "yS.", "text": "sets", "op": "set", "channel": "c", "value": 2, "payload": "exact"},
        {"event": "yC.", "text": "clears", "op": "clear", "channel": "c", "payload": "any", "any_value": True, "unlisted": True},
        {"event": "ya[", "text": "pushes", "op": "push", "channel": "a", "value": 3},
        {"event": "ya]", "text": "pops", "op": "pop", "channel": "a", "value": 3},
        {"event": "yD.(u8 n, str s)", "text": "sets %{s}", "op": "set", "channel": "d", "arg": "s", "need": ["running"]},
        {"event": "yE[(i16 n)", "text": "pushes %{n}", "op": "push", "channel": "e", "arg": "n", "value": 1000, "need": []},
        {"event": "yE](i16 n)", "text": "pops %{n}", "op": "pop", "channel": "e", "arg": "n", "value": 1000},
        {"event": "yEp(u64 n)", "text": "happens %{n}", "op": "punctual", "channel": "b", "arg": "n"},
        {"event": "yL.(u32 n, str s)", "text": "%{n} is %{s}", "op": "label", "channel": "e", "arg": "n", "text_arg": "s"},
        {"event": "yC+(i32 n)", "text": "adds %{n}", "op": "add", "channel": "c", "arg": "n"},
        {"event": "yF.", "text": "empties", "op": "set", "channel": "f", "value": 0},
        {"event": "yF+", "text": "adds one", "op": "add", "channel": "f", "value": 1},
        {"event": "yF=(i32 n)", "text": "is %{n}", "op": "set", "channel": "f", "arg": "n"},
        {"event": "yG@(str s)", "text": "happens %{s}", "op": "punctual", "channel": "g", "arg": "s"},
        {"event": "yH-", "text": "takes one", "op": "add", "channel": "h", "value": -1},
        {"event": "yc-", "text": "takes one", "op": "add", "channel": "c", "value": -1},
        {"event": "yI+(u8 n)", "text": "does nothing", "op": "ignore", "payload": "first"},
    ],
    "breakdown": {"file": "full-breakdown", "title": "Full", "type": 920, "state": "a", "task": "c", "idle": "c", "progressing": 1, "in_body": 2, "unknown": 9,
                  "view": {"file": "breakdown"}},
}


def test_full():
    text = json.dumps(FULL, indent=1)
    same("the schema", fits(text), True if jsonschema else None)
    write("full.json", text)
    asm.assemble("loom n cpus 0:0\nproc 1\nthread 1 require full=1.0.0\n1 0 OHx 0 -1 0\n1 10 yA[\n1 20 ya[\n1 30 yPx u32=4 str=\"x\"\n1 40 ya]\n1 50 yA]\n1 60 yS.\n1 61 yc-\n1 62 yC+ i32=9\n1 64 yE[ i16=-8\n1 66 yL. u32=992 str=\"the text\"\n1 67 yD. u8=1 str=\"word\"\n1 68 yE] i16=-8\n1 70 yCx\n1 71 yF.\n1 72 yF+\n1 72 yF+\n1 73 yF= i32=7\n1 74 yG@ str=\"hi\"\n1 75 yH-\n1 80 OHe\n", "full")
    r = Run("ovniemu", "-q", "-b", "-o", "out-full", "--model", "full.json", "full")
    same("emulated", (r.status, r.err), (0, ""))
    out = outputs("out-full")
    body = out["thread.prv"].split("\n", 1)[1]
    for want in (":10:910:1", ":20:910:3", ":29:911:5", ":30:911:0", ":40:910:1", ":60:912:2", ":62:912:10", ":64:914:992", ":68:914:0", ":70:912:0", ":61:912:1"):
        check(f"full: {want}", f"{want}" in body, body)
    rows = [re.sub(r":916:\d{3,}", "", line.split(":", 4)[4]) for line in out["proc.prv"].split("\n")[1:-1]]
    for i, want in enumerate((("1:0:915:4:917:5", "1:71:915:0", "1:72:915:1:915:2", "1:73:915:7", "1:75:917:4"), ("2:0:915:4:916:0", "2:71:915:0", "2:72:915:1:915:2", "2:73:915:7"),
                              ("3:0:915:4", "3:71:915:0", "3:72:915:1:915:2", "3:73:915:7"))):
        same(f"full: proc.prv, row {i + 1}", tuple(r for r in rows if r.startswith(f"{i + 1}:") and r != "2:74:916:0"), want)
    check("the rows", out["proc.row"].endswith(" 3\nSYSTEM\nLOOM n\nPROC 1.1\n") and "\n0    none\n" in out["proc.pcf"], out["proc.row"], out["proc.pcf"])
    r = Run("uscope/uscope", "timeline", "--prv", "back-full", "out-full/ovni.uscp")
    same("the timeline", (r.status, r.err), (0, ""))
    back = outputs("back-full")
    for name in sorted(f for f in out if f.endswith((".prv", ".row"))):
        same(f"full: {name} out of the timeline", back[name], out[name])
    r = Run("uscope/uscope", "timeline", "--row", "proc/3", "--channel", "proc/f", "--from", "72ns", "out-full/ovni.uscp")
    check("a row of the timeline", r.status == 0 and re.search(r"PROC 1\.1 +full\.f +7\n", r.out), r)
    r = Run("uscope/uscope", "timeline", "--row", "proc/2", "--channel", "proc/g", "out-full/ovni.uscp")
    check("a text of the timeline", r.status == 0 and "LOOM n  full.g  hi\n" in r.out, r)
    r = Run("ovniemu", "-q", "-f", "prv", "-o", "again-full", "--model", "full.json", "full")
    procs = sorted(f for f in os.listdir("again-full") if f.startswith("proc."))
    r = Run("ovniemu", "-q", "-f", "uscope", "-m", "ovni", "-o", "again-full", "full")
    same("another output leaves proc.prv", sorted(f for f in os.listdir("again-full") if f.startswith("proc.")), procs)
    r = Run("ovniemu", "-q", "-f", "prv", "-o", "again-full", "full")
    same("no old proc.prv beside new files", (r.status, procs, [f for f in os.listdir("again-full") if f.startswith("proc.")]), (0, ["proc.pcf", "proc.prv", "proc.row"], []))
    # 0 is a value, but not of punctual channels, and not where the channel is not of the row.
    r = Run("uscope/uscope", "timeline", "--row", "proc/*", "--to", "72ns", "out-full/ovni.uscp")
    same("spans of 0", [line.split()[-2:] for line in r.out.splitlines() if "71ns" in line.split()[0]], [["full.f", "none"]] * 3)
    r = Run("uscope/uscope", "timeline", "--row", "proc/*", "--at", "71ns", "out-full/ovni.uscp")
    same("0 at a time", [line.split()[-2:] for line in r.out.splitlines()[2:]], [["full.f", "full.h"], ["none", "5"], ["none", "-"], ["none", "-"]])
    r = Run("uscope/uscope", "timeline", "--row", "proc/*", "--channel", "full.f", "--profile", "out-full/ovni.uscp")
    whole = [line.split()[-3:] for line in r.out.splitlines() if "PROC" in line]
    same("the time of 0", whole, [["71ns", "88.75%", "4"], ["7ns", "8.75%", "7"], ["1ns", "1.25%", "none"], ["1ns", "1.25%", "2"]])
    same("the time of 0, counted", Run("uscope/uscope", "timeline", "--row", "proc/*", "--channel", "full.f", "--profile", "--to", "79ns", "out-full/ovni.uscp").out.count("none"), 4)
    check("its files", all(f in out for f in ("full-breakdown.prv", "cfg/thread/full/a.cfg", "cfg/thread/full/b.cfg", "cfg/cpu/full/breakdown.cfg")), sorted(out))
    check("its labels", all(f"\n{t}" in out["thread.pcf"] for t in ("7    seven", "-3   minus three", "1    one", "2    two", "992  the text")), out["thread.pcf"])
    view = out["cfg/thread/full/a.cfg"]
    check("its view", all(t in view for t in ("window_name T: A\n", "{1.000000000000:0,100,0},{2.000000000000:255,225,25}", "draw_random\n", "Next Evt Val")), view)
    # Without what may be missing.
    small = {k: BASE[k] for k in ("name", "version", "letter")}
    write("small.json", json.dumps(small))
    same("the schema and a small one", fits(json.dumps(small)), True if jsonschema else None)
    r = Run("ovnievents", "--model", "small.json", "--model", "demo")
    check("a small one", r.status == 0 and "may be in any state" in r.out, r)
    small["breakdown"] = {"file": "b", "title": "B", "type": 900}
    write("small.json", json.dumps(small))
    asm.assemble(TRACE.replace("101  10", "101  80  OHe\n#").partition("#")[0], "empty")
    r = Run("ovniemu", "-q", "-b", "-o", "out-small", "--model", "small.json", "empty")
    same("a breakdown of nothing", (r.status, r.err, {line.split(":", 5)[5] for line in outputs("out-small")["b.prv"].split("\n")[1:-1]}), (0, "", set()))


SEEN = {
    "name": "seen", "version": "1.0.0", "letter": "s",
    "channels": [
        {"name": "mirror", "title": "Mirror", "type": 940, "values": "any", "thread": "any", "labels": {"12": "MPI_Recv"}},
        {"name": "count", "title": "Count", "type": 941, "thread": "any", "cpu": "hidden"},
        {"name": "events", "title": "Events", "type": 942, "values": "any", "thread": "any"},
        {"name": "both", "title": "Both", "type": 943, "values": "any", "thread": "any"},
        {"name": "calls", "title": "Calls", "type": 944, "of": "process", "sum": True},
        {"name": "node", "title": "Node", "type": 945, "of": "loom"},
    ],
    "observers": [{"channel": "mirror", "mirror": "mpi.function"}, {"channel": "count", "count": "mpi.function"}, {"channel": "events", "count_events": ["OB.", "OHp", "MS["]},
                  {"channel": "both", "count_events": ["MR]", "OHp"] + [f"M{x}{y}" for x in "abc" for y in "xyz"]},
                  {"channel": "calls", "count": "mpi.function"}, {"channel": "node", "count_events": ["MR]"]}],
}


def test_observers():
    text = json.dumps(SEEN)
    same("the schema and observers", fits(text), True if jsonschema else None)
    write("seen.json", text)
    head = "loom n cpus 0:0 1:1\nproc 1\nthread 1 require mpi=1.0.0\nthread 2 require mpi=1.0.0\n1 0 OHx 0 -1 0\n2 1 OHx 1 -1 0\n"
    asm.assemble(head + "1 10 MR[\n2 15 MR[\n1 20 MR]\n1 30 MS[\n1 40 OB.\n1 50 MS]\n1 60 OHp\n1 70 OHr\n2 75 MR]\n1 80 OHe\n2 90 OHe\n", "observed")
    for view in ((), ("--compat",)):
        r = Run("ovniemu", "-q", *view, "-o", "out-seen", "--model", "seen.json", "observed")
        same(f"observed {view}", (r.status, r.err), (0, ""))
        got = {}
        for line in outputs("out-seen")["thread.prv"].splitlines()[1:]:
            where, row, at, *pairs = line.split(":")[3:]
            del where
            for kind, value in zip(pairs[::2], pairs[1::2]):
                if kind in ("940", "941", "942", "943") and at != "0" and (row, at) != ("2", "1"):
                    got.setdefault((row, kind), []).append((int(at), int(value)))
        same(f"what is seen {view}", got, {("1", "940"): [(10, 12), (20, 0), (30, 13), (50, 0)], ("1", "941"): [(10, 1), (30, 2)], ("1", "942"): [(30, 1), (40, 2), (60, 3)], ("1", "943"): [(20, 1), (60, 2)],
                                           ("2", "940"): [(15, 12), (75, 0)], ("2", "941"): [(15, 1)], ("2", "943"): [(75, 1)]})
        rows = [line.split(":", 4)[4] for line in outputs("out-seen")["proc.prv"].splitlines()[1:] if ":0:" not in line.split(":1:1:")[1]]
        same(f"what is counted of others {view}", rows, [r for at, n in ((10, 1), (15, 2)) for r in (f"3:{at}:944:{n}", f"2:{at}:944:{n}", f"1:{at}:944:{n}")] + ["2:20:945:1"]
             + [f"{row}:30:944:3" for row in (3, 2, 1)] + ["2:75:945:2"])
    asm.assemble("loom n cpus 0:0\nproc 1\nthread 1\n1 0 OHx 0 -1 0\n1 10 OHe\n", "without")
    r = Run("ovniemu", "-q", "-o", "out-seen", "--model", "seen.json", "without")
    same("nothing to observe", (r.status, r.err), (0, ""))
    bad = {**SEEN, "observers": [{"channel": "calls", "mirror": "mpi.function"}]}
    bad["channels"] = [{**k, "values": "any"} for k in SEEN["channels"]]
    write("bad.json", json.dumps(bad))
    r = Run("ovniemu", "-q", "-o", "out-seen", "--model", "bad.json", "without")
    check("a mirror of a process", r.status == 1 and "observers[0].channel: only channels of threads mirror others" in r.err, r)
    write("seen.json", json.dumps(SEEN, indent=1).replace("mpi.function", "mpi.functoin"))
    r = Run("ovniemu", "-q", "-o", "out-seen", "--model", "seen.json", "without")
    same("no such channel", (r.status, r.err), (1, 'ovniemu: error[model]: seen.json:54: observers[0].mirror: no model has the channel "mpi.functoin": is "mpi.function" meant?\n'))


def test_looms():
    """Looms are emulated side by side, unless a model has code that may keep anything."""
    text, body = "", ""
    for n in range(3):
        text += f"loom node.{n} cpus 0:0\nproc {n + 1} app 1\nthread {10 + n} require demo=1.0.0 mpi=1.0.0\n"
        body += f"{10 + n} {n} OHx 0 -1 0\n" + "".join(f"{10 + n} {t} {e}\n" for t in range(10, 99, 10) for e in ("xRi", f"xLs u32={t}", "MR[", "MR]", "xRI")) + f"{10 + n} 100 OHe\n"
    asm.assemble(text + body, "looms")
    seen = {**SEEN, "channels": [c for c in SEEN["channels"] if "of" not in c], "observers": [o for o in SEEN["observers"] if o["channel"] not in ("calls", "node")]}
    write("seen.json", json.dumps(seen))
    for files, divided in (([f"{HERE}/demo.json"], True), ([f"{HERE}/demo.json", "seen.json"], False)):
        words = [w for file in files for w in ("--model", file)]
        a = Run("ovniemu", "-q", "-j1", "-f", "prv,perfetto", "-o", "out-one", *words, "looms")
        b = Run("ovniemu", "-q", "-j3", "-f", "prv,perfetto", "-o", "out-parts", "--stats", *words, "looms")
        same(f"looms, {files}: messages", (a.status, a.err, b.status, b.err), (0, "", 0, ""))
        check(f"looms, {files}: parts", ("records of looms" in b.out) == divided, b)
        for made in ("thread.prv", "cpu.prv", "ovni.perfetto-trace"):
            x, y = (open(f"{out}/{made}", "rb").read() for out in ("out-one", "out-parts"))
            check(f"looms, {files}: {made}", x == y and len(x) > 1000)


# ---- Bad ones. ----

DROP = object()


def changed(path, value):
    """demo.json with another value at "events[1].op", one line for each row"""
    tree = copy.deepcopy(BASE)
    at, keys = tree, [int(k) if k.isdigit() else k for k in re.findall(r"[^.\[\]]+", path)]
    for k in keys[:-1]:
        at = at[k]
    if value is DROP:
        del at[keys[-1]]
    else:
        at[keys[-1]] = value
    return json.dumps(tree, indent=1, ensure_ascii=False)


# Path, value, what is told, where (default: the path); and whether a schema cannot tell.
BAD = [
    ("nam", "x", "unknown key: is \"name\" meant?"),
    ("channels[0].wrong", 1, "unknown key, expected one of name, title, type, kind"),
    ("channels[0].view.fil", "x", "unknown key: is \"file\" meant?"),
    ("states[1].leaves", "xSS", "unknown key: is \"leave\" meant?"),
    ("events[1].operation", 1, "unknown key, expected one of event, text, op"),
    ("breakdown", {"files": 1}, "unknown key: is \"file\" meant?", "breakdown.files"),
    ("name", DROP, "the key \"name\" is missing", ""),
    ("channels[0].type", DROP, "the key \"type\" is missing", "channels[0]"),
    ("states[0].label", DROP, "the key \"label\" is missing", "states[0]"),
    ("events[1].op", DROP, "the key \"op\" is missing", "events[1]"),
    ("channels[0].view.file", DROP, "the key \"file\" is missing", "channels[0].view"),
    ("name", 5, "expected a text, not 5"),
    ("name", "", "expected a text, not \"\""),
    ("name", "a b", "the name of a model has", ""),
    ("letter", "xy", "expected one letter, not \"xy\""),
    ("letter", "ü", "expected one letter, not"),
    ("version", "1.0", "its version is not three numbers", ""),
    ("need", "running", "expected a list of running, active, in_cpu, not \"running\""),
    ("need", ["runing"], "expected one of running, active, in_cpu, not \"runing\": is \"running\" meant?", "need[0]"),
    ("need", ["active", "active"], "the word is there twice", "need[1]"),
    ("always", 1, "expected true or false, not 1"),
    ("channels", {}, "expected a list of objects, not an object"),
    ("channels[0]", "phase", "expected an object, not \"phase\""),
    ("channels[0].type", "900", "expected a whole number from 1 to 2147483647, not \"900\""),
    ("channels[0].type", 900.5, "expected a whole number from 1 to 2147483647, not 900.5"),
    ("channels[0].type", 2**31, "expected a whole number from 1 to 2147483647, not 2147483648"),
    ("channels[0].type", 0, "expected a whole number from 1"),
    ("channels[0].type", 120, "which is reserved", "channels[0]"),
    ("channels[0].idle", 2**53 + 2, "expected a whole number from -9007199254740992 to 9007199254740992"),
    ("channels[0].kind", "stak", "expected one of single, stack, punctual, not \"stak\": is \"stack\" meant?"),
    ("channels[0].dup", None, "expected one of error, skip, allow, not null"),
    ("channels[0].cpu", "own", "expected one of running, active, any, hidden, not \"own\""),
    ("channels[0].labels", ["x"], "expected an object of texts by number, not a list"),
    ("channels[0].labels", {"x": "text"}, "the key is not a whole number of 64 bits", "channels[0].labels.x"),
    ("channels[0].labels", {"07": "text"}, "the key is not a whole number of 64 bits", "channels[0].labels.07"),
    ("channels[0].labels", {"9223372036854775808": "text"}, "the key is not a whole number of 64 bits", "channels[0].labels.9223372036854775808", "beyond"),
    ("channels[0].labels", {"7": 7}, "expected a text, not 7", "channels[0].labels.7"),
    ("channels[0].labels", {"-1": "x"}, "expected a number from 0 to 4294967295, not -1, unless the channel has \"values\": \"any\"", "channels[0].labels.-1", "beyond"),
    ("channels[0].idle", 4, "the channel \"phase\" has no state and no label of 4", "channels[0].idle", "beyond"),
    ("channels[1].initial", 2**32, "expected a number from 0 to 4294967295, not 4294967296", "channels[1].initial", "beyond"),
    ("channels[0].view", "phase", "expected an object, not \"phase\""),
    ("channels[0].view.file", "a/b", "a view needs a plain file name", "channels[0]"),
    ("channels[0].view.palette", "1:2,3", "expected colors such as"),
    ("channels[0].view.palette", "1:2,3,256", "expected colors such as"),
    ("channels[0].view.palette", "1:2,3,4  5:6,7,8", "expected colors such as"),
    ("channels[0].title", "tab\t", "the text has a control character: U+0009"),
    ("channels[0].title", "\u0000", "a text has a control character: U+0000", None),
    ("channels[0].title", "a\\u0000b".encode().decode("unicode_escape"), "a text has a control character: U+0000", None),
    ("channels[0].title", "\udc80", "the text is not UTF-8, from its byte 0 on", None, "beyond"),
    ("channels[1].name", "phase", "another channel has the name \"phase\"", "channels[1].name", "beyond"),
    ("channels[1].type", 900, "two channels of the model demo have the PRV type 900", "channels[1]", "beyond"),
    ("states[1].channel", "phas", "expected the name of a channel: phase, level, not \"phas\": is \"phase\" meant?", "states[1].channel", "beyond"),
    ("channels", [], "expected the name of a channel: (there is none), not \"phase\"", "states[0].channel", "beyond"),
    ("states[1].value", 0, "expected a number other than 0"),
    ("states[1].value", -1, "expected a number from 0 to 4294967295, not -1", "states[1].value", "beyond"),
    ("states[1].enter", "xRI", "the event is declared twice: xRI", "states[1]", "beyond"),
    ("states[1].enter", "xS", "expected the three letters of an event, not \"xS\""),
    ("states[1].leave", "ySS", "the event does not begin with the letter of the model: ySS", "states[1]", "beyond"),
    ("states[1].text", DROP, "the state needs a label and a text", "states[1]"),
    ("states[1].value", 1, "two states have the same value", "states[1]", "beyond"),
    ("channels[0].kind", "punctual", "the channel takes punctual values only", "states[0]", "beyond"),
    ("events[1].event", "xP", "an event needs three letters, as in"),
    ("events[1].event", "xP@(u3 a)", "an argument is a type (u8..u64, i8..i64, str) and a name, as in"),
    ("events[1].event", "xP@(str a, u8 b)", "a string must be the last argument, as in"),
    ("events[1].event", "xRi", "the event is declared twice: xRi", "events[1]", "beyond"),
    ("events[1].op", "sett", "expected one of ignore, clear, set, push, pop, punctual, add, label"),
    ("events[1].channel", "phase", "the operation \"ignore\" has no use for it"),
    ("events[1].value", 1, "the operation \"ignore\" has no use for it"),
    ("events[1].op", "push", "the key \"channel\" is missing: the operation \"push\" needs it", "events[1]"),
    ("events[1]", {"event": "xP@", "text": "t", "op": "push", "channel": "phase"}, "the key \"value\" is missing: the operation \"push\" needs it"),
    ("events[1]", {"event": "xP@", "text": "t", "op": "push", "channel": "phase", "value": 0}, "expected a number other than 0", "events[1].value"),
    ("events[1]", {"event": "xP@", "text": "t", "op": "pop", "channel": "phases", "value": 1}, "expected the name of a channel: phase, level, not \"phases\"", "events[1].channel", "beyond"),
    ("events[1]", {"event": "xP@", "text": "t", "op": "push", "channel": "phase", "value": 3}, "the channel \"phase\" has no state and no label of 3", "events[1].value", "beyond"),
    ("events[0].arg", "levle", "expected an argument of the event: level, not \"levle\": is \"level\" meant?", "events[0].arg", "beyond"),
    ("events[1].arg", "n", "the operation \"ignore\" has no use for it"),
    ("events[1].text_arg", "n", "the operation \"ignore\" has no use for it"),
    ("events[0].text_arg", "level", "the operation \"set\" has no use for it"),
    ("events[0].op", "label", "the key \"text_arg\" is missing: the operation \"label\" needs it", "events[0]"),
    ("events[1]", {"event": "xP@(u8 n)", "text": "t", "op": "add", "channel": "level"}, "the key \"value\" is missing: the operation \"add\" needs it"),
    ("events[1]", {"event": "xP@", "text": "t", "op": "add", "channel": "level", "value": 1}, "the sum can be a number that the channel \"level\" has no room for", "events[1].value", "beyond"),
    ("events[1]", {"event": "xP@", "text": "t", "op": "add", "channel": "level", "value": 0}, "expected a number other than 0", "events[1].value"),
    ("events[1]", {"event": "xP@", "text": "t", "op": "set", "channel": "phase", "value": 0}, "expected a number other than 0", "events[1].value", "beyond"),
    ("channels[1].of", "node", "expected one of thread, process, loom, system, not \"node\""),
    ("channels[1].sum", True, "sums are those of processes or looms", "channels[1]"),
    ("channels[1]", {**BASE["channels"][1], "of": "process", "kind": "stack"}, "only channels of threads can be stacks", "channels[1]"),
    ("channels[1]", {**BASE["channels"][1], "of": "process", "thread": "active"}, "only channels of threads are tracked", "channels[1]"),
    ("channels[1]", {**BASE["channels"][1], "of": "process", "cpu": "hidden"}, "only channels of threads are tracked", "channels[1]"),
    ("channels[1]", {**BASE["channels"][1], "of": "loom", "drained": True}, "are for channels of threads", "channels[1]"),
    ("channels[1]", {**BASE["channels"][1], "of": "loom", "idle": 1}, "are for channels of threads", "channels[1]"),
    ("channels[1]", {**BASE["channels"][1], "of": "loom", "role": "waiting"}, "are for channels of threads", "channels[1]"),
    ("channels[1]", {**BASE["channels"][1], "of": "loom", "dup": "allow"}, "are for channels of threads", "channels[1]"),
    ("channels[1]", {**BASE["channels"][1], "of": "system", "sum": True}, "sums are those of processes or looms", "channels[1]", "beyond"),
    ("channels[1]", {**BASE["channels"][1], "of": "process", "sum": True, "values": "text"}, "sums are those of numbers that last", "channels[1]", "beyond"),
    ("channels[1]", {**BASE["channels"][1], "of": "process", "initial": -1}, "expected a number from 0 to 4294967295, not -1", "channels[1].initial", "beyond"),
    ("channels[0].of", "process", "only channels of threads", "channels[0]"),
    ("observers", [{"channel": "n", "count": "a.b"}], "expected the name of a channel", "observers[0].channel", "beyond"),
    ("events[1]", {"event": "xP@(u8 n)", "text": "t", "op": "label", "channel": "level", "arg": "n", "text_arg": "n"}, "expected a str argument of the event: ", "events[1].text_arg", "beyond"),
    ("events[0].event", "xLs(i32 level)", "a number that the channel \"level\" has no room for, unless it has \"values\": \"any\"", "events[0].arg", "beyond"),
    ("events[0].value", 1, "a number that the channel \"level\" has no room for", "events[0].arg", "beyond"),
    ("events[0].op", "add", "a number that the channel \"level\" has no room for", "events[0].arg", "beyond"),
    ("channels[1].labels", {"2": "x"}, "a number that the channel \"level\" has no room for", "events[0].arg", "beyond"),
    ("events[0].event", "xLs(str level)", "the argument level must be a number", "events[0]", "beyond"),
    ("channels[1].values", "text", "the argument level must be a str", "events[0]", "beyond"),
    ("events[0].op", "push", "the operation is one of a stack channel, level is another", "events[0]", "beyond"),
    ("events[0].need", ["run"], "expected one of running, active, in_cpu, not \"run\"", "events[0].need[0]"),
    ("events[1].payload", "some", "expected one of at_least, exact, first, any, not \"some\""),
    ("observers", [{"channel": "level"}], "expected one of the keys mirror, count, count_events", "observers[0]"),
    ("observers", [{"channel": "level", "count": "a.b", "mirror": "a.b"}], "expected one of the keys mirror, count, count_events", "observers[0]"),
    ("observers", [{"channel": "level", "count": "mpi"}], "expected MODEL.CHANNEL, such as \"mpi.function\", not \"mpi\"", "observers[0].count"),
    ("observers", [{"channel": "level", "count_events": ["OB.", "OB"]}], "expected the three letters of an event, not \"OB\"", "observers[0].count_events[1]"),
    ("observers", [{"channel": "level", "count_events": []}], "expected a list of texts, not a list", "observers[0].count_events"),
    ("observers", [{"channel": "level", "count_events": "OB."}], "expected a list of texts, not \"OB.\"", "observers[0].count_events"),
    ("observers", [{"channel": "phase", "count": "a.b"}], "expected a channel of \"kind\": \"single\" and \"values\": \"any\"", "observers[0].channel", "beyond"),
    ("observers", [{"channel": "level", "mirror": "a.b"}], "expected a channel of \"kind\": \"single\" and \"values\": \"any\"", "observers[0].channel", "beyond"),
    ("observers", [{"channel": "level", "count": "a.b"}], "the channel is written by a state, an event or another observer, too", "observers[0].channel", "beyond"),
    ("breakdown", {"file": "thread", "title": "B", "type": 901}, "a plain file name that no other output has: \"thread\"", "breakdown", "beyond"),
    ("breakdown", {"file": "b", "title": "B", "type": 900}, "the breakdown and the channel phase have the same PRV type 900", "breakdown", "beyond"),
    ("breakdown", {"file": "b", "title": "B", "type": 901, "state": "x"}, "expected the name of a channel: phase, level", "breakdown.state", "beyond"),
]


def line_of(text, path):
    """The line of a value of json.dumps(indent=1), where each value has one"""
    keys = re.findall(r"[^.\[\]]+", path)
    lines, at, depth = text.split("\n"), 0, 1
    for k in keys:
        if k.isdigit() and lines[at].rstrip().endswith("["):
            for _ in range(int(k) + 1):
                at += 1
                while len(lines[at]) - len(lines[at].lstrip()) != depth or lines[at].strip()[0] in "]}":
                    at += 1
        else:
            while not (lines[at].startswith(" " * depth + json.dumps(k) + ":")):
                at += 1
        depth += 1
    return at + 1


def refused(what, text, told, code="model", **more):
    """By all tools, or one of them with a TEST_SHARE: one part of the code reads models for all."""
    file = write("bad.json", text)
    tools = [("ovniemu", ["-o", "bad-out", "trace"]), ("ovnidump", ["trace"]), ("ovnitop", ["trace"]), ("ovnievents", [])]
    for tool, words in random.sample(tools, 1) if "TEST_SHARE" in os.environ else tools:
        r = Run(tool, "--model", file, *words, **more)
        check(f"{what} ({tool})", r.status == 1 and r.err.startswith(f"{tool}: error[{code}]: ") and told in r.err and r.err.count("error[") == 1 and not r.out and not os.path.exists("bad-out"), told, r)


def test_bad_values():
    for path, value, told, *more in BAD:
        where = more[0] if more else path
        text = changed(path, value)
        head = f"{where}: " if where else ""
        refused(f"{path} = {value!r}", text.encode(errors="surrogateescape"), told)
        r = Run("ovnievents", "--model", "bad.json")
        check(f"{path} = {value!r}: the path", r.err.startswith(f"ovnievents: error[model]: {head}"), r)
        if where is not None:
            line = line_of(text, where)
            check(f"{path} = {value!r}: the line", f"\n  at bad.json:{line}\n" in r.err, line, r)
        if jsonschema:
            same(f"{path} = {value!r}: the schema", fits(text), "beyond" in more)


def test_bad_files():
    demo = read(f"{HERE}/demo.json")
    refused("nothing", "", "'bad.json' is not valid JSON: it is empty", "json")
    refused("no JSON", demo.replace('"op"', "op"), "is not valid JSON, near line 12", "json")
    refused("a list", "[]", "is not a JSON object", "json")
    refused("a mark", "\ufeff" + demo, "byte order mark", "json")
    refused("deep", demo.replace('"letter"', '"a": ' + "[" * 2000), "nested too deep", "json")
    refused("large", demo + " " * 2**20, "'bad.json' is too large for a model: ", "json")
    refused("text behind", demo + "x", "there is text behind the object\n  at bad.json:16\n")
    refused("a key twice", demo.replace('"type": 900', '"type": 900, "type": 901'), "channels[0].type: the key is there twice\n  at bad.json:4\n")
    refused("a label twice", demo.replace('"type": 900', '"type": 900, "labels": { "7": "a", "7": "b" }'), "channels[0].labels.7: the key is there twice\n  at bad.json:4\n")
    refused("cut bytes", demo.replace("Demo", "D\udcff").encode(errors="surrogateescape"), "channels[0].title: the text is not UTF-8, from its byte 1 on\n  at bad.json:4\n")
    refused("a number in no range", demo.replace("900", "1e999"), "channels[0].type: expected a whole number from 1 to 2147483647, not inf")
    refused("a long word", demo.replace('"ignore"', '"' + "i" * 5000 + '"'), 'not "' + "i" * 60 + '"')
    refused("comments keep lines", demo.replace("{\n", "{ /* one\n\n two */\n// three\n", 1).replace('"op"', '"opp"'), "is \"op\" meant?\n  at bad.json:15\n")
    both = "the models nosv of ovniscope and {} of bad.json have the same"
    for key, text, told in (("letter", demo.replace('"x', '"V'), f"letter: {both.format('demo')} letter 'V'"),
                            ("name", demo.replace('"name": "demo"', '"name": "nosv"'), f"name: {both.format('nosv')} name (letters 'V' and 'x')"),
                            ("title", demo.replace("900", "20"), "channels[0].type: the models tampi of ovniscope and demo of bad.json have the same PRV type 20 (channel phase)"),
                            ("breakdown", demo.replace("{", '{\n"breakdown": {\n"file": "x",\n"title": "X",\n"type": 20 },', 1), "breakdown.type: the models tampi of ovniscope and demo of bad.json have the same PRV type 20 (breakdown)"),
                            ("breakdown", demo.replace("{", '{\n"breakdown": {\n"type": 999,\n"title": "X",\n"file": "nosv-breakdown" },', 1), "breakdown.file: " + both.format("demo") + " file nosv-breakdown.prv (breakdown)")):
        line = next(i for i, x in enumerate(text.split("\n"), 1) if f'"{key}"' in x) + 3 * (key == "breakdown")
        refused(f"clash of {key}", text, f"{told}\n  at bad.json:{line}\n  hint: 'ovniscope-model free'", "model-clash")
    os.makedirs("dir.json", exist_ok=True)
    for file, told in (("none.json", "cannot open"), ("dir.json", "'dir.json' is not a regular file")):
        r = Run("ovniemu", "--model", file, "trace")
        check(file, r.status == 1 and "error[read]: " in r.err and told in r.err and r.err.count("error[") == 1, r)


with tempfile.TemporaryDirectory(prefix="declared-") as tmp:
    os.chdir(tmp)
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
if not jsonschema:
    print("the schema is not tested: python3-jsonschema is not there")
sys.exit(moved.done())
