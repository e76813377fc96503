#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What ovnievents prints is well formed, and is what ovniemu does.

usage: events.py shape OVNIEVENTS
       events.py dispatch|pcf OVNIEVENTS OVNIEMU
       events.py cli|pages OVNIEVENTS
       events.py current|update OVNIEVENTS

* shape: the JSON and the tables of the Markdown; the assembler of the tests, which has its
  own list of signatures, has the same events with the same arguments
* dispatch: each event is known to the emulator, with its arguments, and no event is known
  that is not listed (one unlisted letter in each category is tried); with TEST_SHARE=n one of n events
* pcf: a run with all models has the views of the Markdown, with their values and labels
* cli: options, their misuse, and an output that cannot be written
* pages: each model has a page in doc/models that names its views, and errors that exist
* current: doc/events.md is what ovnievents prints; update writes it
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import kit

DOC = os.path.join(kit.ROOT, "doc", "events.md")
TYPES = ("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "str")
found = []
# They have no events, and so no messages of their own.
OBSERVERS = ("useful", "blocked", "parallelism")


def check_event(where, model, event):
    if sorted(event) != ["args", "jumbo", "mcv", "meaning"]:
        found.append(f"{where}: the keys are {sorted(event)}")
    mcv, args, meaning = event["mcv"], event["args"], event["meaning"]
    if not re.fullmatch(r"[!-~]{3}", mcv):
        found.append(f"{where}: an event is three printable characters")
    if mcv[0] != model["id"]:
        found.append(f"{where}: the first letter is not that of the model")
    if not isinstance(event["jumbo"], bool):
        found.append(f"{where}: jumbo is not a boolean")
    found.extend(f"{where}: the type {a['type']} is not known" for a in args if a["type"] not in TYPES)
    if "str" in [a["type"] for a in args[:-1]]:
        found.append(f"{where}: a string is not the last argument")
    names = [a["name"] for a in args]
    found.extend(f"{where}: the name '{n}' is no word" for n in names if not re.fullmatch(r"[a-z][a-z0-9_]*", n))
    if len(set(names)) != len(names):
        found.append(f"{where}: two arguments have one name")
    told = re.findall(r"%[#0-9a-zA-Z]*\{(.*?)\}", meaning)  # with a format of printf() or not
    found.extend(f"{where}: %{{{n}}} is not an argument" for n in told if n not in names)
    found.extend(f"{where}: the meaning does not tell %{{{n}}}" for n in names if n not in told)
    if not meaning or "|" in meaning or meaning != meaning.strip() or "%" in re.sub(r"%(#?l*[xXo])?\{\w+\}", "", meaning):
        found.append(f"{where}: odd meaning '{meaning}'")


def shape(tool):
    models = kit.events(tool)
    seen = set()
    for name, model in models.items():
        if sorted(model) != ["events", "id", "version"]:
            found.append(f"{name}: the keys are {sorted(model)}")
        if not re.fullmatch(r"\d+\.\d+\.\d+", model["version"]):
            found.append(f"{name}: the version is {model['version']}")
        if not model["events"] and name not in OBSERVERS:
            found.append(f"{name}: no events")
        for event in model["events"]:
            where = f"{name} {event['mcv']}"
            if event["mcv"] in seen:
                found.append(f"{where}: listed twice")
            seen.add(event["mcv"])
            check_event(where, model, event)
    have = {e["mcv"]: (e["jumbo"], [a["type"] for a in e["args"]]) for m in models.values() for e in m["events"]}
    want = {mcv: (jumbo, [t.rstrip("*") for t in types]) for mcv, (jumbo, types) in kit.asm.SIGNATURE.items()}
    found.extend(f"{mcv}: {have.get(mcv)}, and {want.get(mcv)} in asm.py"
                 for mcv in sorted({*have, *want}) if have.get(mcv) != want.get(mcv))
    # the Markdown has the same events, in tables that are tables
    text = kit.markdown(tool)
    listed = []
    width = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        row = kit.cells(line)
        width = width or len(row)
        if len(row) != width:
            found.append(f"{len(row)} cells instead of {width}: {line}")
        if re.fullmatch(r"`.{3}`", row[0]):
            listed.append(row[0][1:-1])
    if listed != [e["mcv"] for m in models.values() for e in m["events"]]:
        found.append("the events of the Markdown are not those of the JSON, in that order")
    kinds = [(v["type"], rows) for v in kit.views(text) for rows, when in v["rows"].items() if when != "never"]
    found.extend(f"two views of {rows} rows have the type {kind}" for kind, rows in set(kinds) if kinds.count((kind, rows)) > 1)


def error_of(emu, mcv, args):
    # one output of one file: there are hundreds of runs
    with tempfile.TemporaryDirectory() as tmp:
        run = kit.emulate(emu, f"{kit.HEADER}\n1 0 OHx 0 -1 0\n1 1 {mcv} {args}\n1 2 OHe\n", tmp, "--outputs=uscope")
    m = re.search(r"error\[([a-z-]+)\]", run.stderr)
    return m.group(1) if m else None


def arguments(event):
    if [a["type"] for a in event["args"]] == ["u8"] and not event["jumbo"]:
        return "u16=1"  # a payload of one byte cannot be in streams of the runtime
    values = " ".join(f'{a["type"]}="x"' if a["type"] == "str" else f"{a['type']}=1" for a in event["args"])
    return ("jumbo " if event["jumbo"] else "") + (values or "empty")


def dispatch(tool, emu):
    categories = {}
    share = int(os.environ.get("TEST_SHARE", "1"))
    for name, model in kit.events(tool).items():
        for event in model["events"]:
            categories.setdefault(event["mcv"][:2], set()).add(event["mcv"][2])
            if random.randrange(share):
                continue
            error = error_of(emu, event["mcv"], arguments(event))
            if error in ("unknown-model", "model-disabled", "unknown-event", "payload"):
                found.append(f"{name} {event['mcv']}: ovniemu says {error}")
    text = kit.markdown(tool)
    for category, letters in categories.items():
        # the last letter that nothing uses, if the category takes not just any
        if re.search(rf"^\| `{re.escape(category)}.` .*any third letter", text, re.M):
            continue
        letter = max(c for c in map(chr, range(0x30, 0x7f)) if c not in letters)
        error = error_of(emu, category + letter, "empty")
        if error != "unknown-event":
            found.append(f"{category}{letter} is not listed, and ovniemu says {error or 'nothing'}")


def pcf(tool, emu):
    with tempfile.TemporaryDirectory() as tmp:
        run = kit.emulate(emu, f"{kit.HEADER}\n1 0 OHx 0 -1 0\n1 1 OHe\n", tmp, "-b")
        if run.returncode != 0:
            found.append(f"ovniemu -a -b fails: {run.stderr}")
            return
        files = {f[:-4]: kit.pcf(os.path.join(tmp, "out", f)) for f in os.listdir(f"{tmp}/out") if f.endswith(".pcf")}
    told = set()
    for view in kit.views(kit.markdown(tool)):
        for rows, when in view["rows"].items():
            if when == "never":
                continue
            stem = when if rows == "breakdown" else rows.lower()
            where = f"{stem}.pcf, type {view['type']}"
            told.add((stem, view["type"]))
            label, values = files.get(stem, {}).get(view["type"], (None, []))
            if label is None:
                found.append(f"{where} is missing")
                continue
            if not label.startswith(view["title"]):
                found.append(f"{where}: the label '{label}' does not begin with '{view['title']}'")
            values = kit.without_errors(stem, values)
            dynamic = stem == "thread" and view["type"] == 6  # the CPUs
            if values != view["values"] and not dynamic:
                found.append(f"{where}: {values} instead of {view['values']}")
    found.extend(f"{stem}.pcf, type {kind}: not in the Markdown"
                 for stem, types in files.items() for kind in types if (stem, kind) not in told)


def cli(tool):
    def run(*args, **kwargs):
        p = subprocess.run([tool, *args], **{"stdout": subprocess.PIPE, **kwargs}, stderr=subprocess.PIPE, text=True, check=False)
        return p.returncode, p.stdout, p.stderr

    models = kit.events(tool)
    for name, model in models.items():
        status, out, err = run("--json", "--model", name)
        if status or err or json.loads(out) != {name: model}:
            found.append(f"--json --model {name}: status {status}, not the same as without --model")
        status, out, err = run(f"--model={name}")
        if status or err or f"\n## {name} (`{model['id']}`)\n" not in out or len(re.findall(r"^## \S+ \(`", out, re.M)) != 1:
            found.append(f"--model {name}: status {status}, not that section and no other")
    if run() != run():
        found.append("two runs print different texts")
    for args, why in ((["--model", "x"], "there is no model 'x'"), (["--model"], "needs an argument"),
                      (["--nothing"], "unknown or ambiguous option"), (["x"], "no argument is expected")):
        status, out, err = run(*args)
        if status != 2 or out or "error[usage]" not in err or why not in err:
            found.append(f"{' '.join(args)}: status {status}, {out + err}")
    with open("/dev/full", "w", encoding="utf-8") as full:
        for args in ([], ["--json"], ["--help"]):
            status, _, err = run(*args, stdout=full)
            if status != 1 or "error[write]" not in err:
                found.append(f"a full disk with {args}: status {status}, {err}")


def pages(tool):
    with open(os.path.join(kit.ROOT, "src/emu/base/diag.h"), encoding="utf-8") as f:
        errors = re.findall(r'\bX\([A-Z_]+, "([a-z-]+)"', f.read())
    text = kit.markdown(tool)
    for name in kit.events(tool):
        try:
            with open(os.path.join(kit.ROOT, "doc", "models", f"{name}.md"), encoding="utf-8") as f:
                page = f.read()
        except OSError:
            found.append(f"doc/models/{name}.md is missing")
            continue
        files = set(re.findall(rf"`cfg/(?:thread|cpu|proc)/({name}/[^`]*)\.cfg`", text))
        found.extend(f"doc/models/{name}.md: the view {f} is missing" for f in sorted(files) if f"{f}`" not in page)
        rows = re.findall(r"^\| (.*?) \|", page.partition("\n## Messages\n")[2], re.M)
        told = re.findall(r"`([a-z-]+)`", " ".join(rows))
        found.extend(f"doc/models/{name}.md: there is no error {e}" for e in told if e not in errors)
        if not told and name not in OBSERVERS:
            found.append(f"doc/models/{name}.md: no messages")


def current(tool):
    have = ""
    if os.path.exists(DOC):
        with open(DOC, encoding="utf-8") as f:
            have = f.read()
    if have != kit.markdown(tool):
        found.append("doc/events.md is not what ovnievents prints: run 'meson compile update-events' and review it")


def update(tool):
    text = kit.markdown(tool)
    with open(DOC, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    checks = {"shape": shape, "dispatch": dispatch, "pcf": pcf, "cli": cli, "pages": pages, "current": current, "update": update}
    checks[sys.argv[1]](*sys.argv[2:])
    if found:
        print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
