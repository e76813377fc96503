#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares events and views with tables that others have made. Run by hand.

usage: compare_spec.py OVNIEVENTS OVNIEMU EVENTS_JSON VIEWS_JSON

EVENTS_JSON has the shape of 'ovnievents --json'. VIEWS_JSON is a list of views: model,
prv_type, pcf_label_thread, pcf_label_cpu, thread_track, cpu_track, values, chan.kind,
chan.allow_dup, file (of a breakdown). The PCF files come from a run with -a -b, with and
without --compat. Prints what differs; meanings and the order of events are not compared.
"""
import json
import os
import sys
import tempfile

import kit

# One thread with a mark and a counter, so that the views made of metadata are there.
TRACE = f"""{kit.HEADER}
mark 0 single "Mark"
set nosv.hwc {{"0": {{"name": "Counter"}}}}
1 0 OHx 0 -1 0
1 1 OHe
"""
TRACK = {"any": "always", "running": "while the thread is running", "active": "while the thread is active",
         None: "never"}
found = []


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def differ(where, have, want):
    if have != want:
        found.append(f"{where}: {have!r} instead of {want!r}")


def compare_events(have, want):
    differ("models", sorted(have), sorted(want))
    for model in sorted(set(have) & set(want)):
        h, w = have[model], want[model]
        differ(f"{model}: id and version", (h["id"], h["version"]), (w["id"], w["version"]))
        hs, ws = ({e["mcv"]: e for e in m["events"]} for m in (h, w))
        found.extend(f"{model} {mcv}: missing" for mcv in ws if mcv not in hs)
        found.extend(f"{model} {mcv}: only here ({hs[mcv]['meaning']})" for mcv in hs if mcv not in ws)
        for mcv in sorted(set(hs) & set(ws)):
            differ(f"{model} {mcv}: jumbo", hs[mcv]["jumbo"], ws[mcv]["jumbo"])
            differ(f"{model} {mcv}: types of the arguments", *([a["type"] for a in e["args"]] for e in (hs[mcv], ws[mcv])))
            differ(f"{model} {mcv}: names of the arguments", *([a["name"] for a in e["args"]] for e in (hs[mcv], ws[mcv])))


def run(emu, *options):
    with tempfile.TemporaryDirectory() as tmp:
        p = kit.emulate(emu, TRACE, tmp, "-b", *options)
        if p.returncode != 0:
            found.append(f"ovniemu -a -b {' '.join(options)} fails: {p.stderr}")
            return {}
        return {f[:-4]: kit.pcf(f"{tmp}/out/{f}") for f in os.listdir(f"{tmp}/out") if f.endswith(".pcf")}


def compare_files(name, files, want):
    """The PCF files of a run."""
    default = name == "default"
    known = set()
    for v in want:
        kinds = range(v["prv_type"], v.get("prv_type_last", v["prv_type"]) + 1)
        breakdown = v.get("file")
        for stem, label in ((("thread", v["pcf_label_thread"]), ("cpu", v["pcf_label_cpu"])) if not breakdown
                            else ((breakdown, v["pcf_label_cpu"]),)):
            known |= {(stem, k) for k in kinds}
            where = f"{name}, {stem}.pcf, type {v['prv_type']} ({v['model']} {v['view']})"
            have, values = files.get(stem, {}).get(v["prv_type"], (None, []))
            if len(kinds) > 1:
                if have is None:
                    found.append(f"{where}: missing")
                continue
            differ(f"{where}: label", have, label)
            values = kit.without_errors(stem, values) if default else values
            told = [(int(k), text) for k, text in v["values"].items()] if have is not None else []
            if v["view"] == "affinity":
                continue
            found.extend(f"{where}: {x} is missing" for x in told if x not in values)
            found.extend(f"{where}: {x} only here" for x in values if x not in told)
            if sorted(values) == sorted(told):
                differ(f"{where}: order of values", values, told)
    found.extend(f"{name}, {stem}.pcf, type {k}: only here ({label})"
                 for stem, types in files.items() for k, (label, _) in types.items() if (stem, k) not in known)


def compare_views(have, want):
    """What the Markdown says of tracking and kinds."""
    table = {(v["model"], v["type"]): v for v in have}
    for w in want:
        v = table.get((w["model"], w["prv_type"]))
        if w["model"] == "ovni" and w["prv_type"] < 7 or "prv_type_last" in w:
            continue  # of the core; from the metadata
        where = f"{w['model']} {w['view']}"
        if v is None:
            found.append(f"{where}: missing in the Markdown")
            continue
        if "file" in w:
            differ(f"{where}: file", v["rows"].get("breakdown"), w["file"])
            continue
        differ(f"{where}: thread rows", v["rows"].get("thread"), TRACK[w["thread_track"]])
        differ(f"{where}: CPU rows", v["rows"].get("CPU"), TRACK[w["cpu_track"]])
        differ(f"{where}: kind", v["kind"], w["chan"]["kind"])
        differ(f"{where}: same value again", v["dup"], w["chan"].get("allow_dup"))


def main():
    if len(sys.argv) != 5:
        print(__doc__.strip())
        return 2
    tool, emu, events, views = sys.argv[1:]
    want = load(views)
    have = kit.events(tool)
    compare_events(have, load(events))
    want = [v for v in want if v["model"] in have]
    compare_views(kit.views(kit.markdown(tool)), want)
    compare_files("default", run(emu), want)
    compare_files("--compat", run(emu, "--compat"), want)
    print("\n".join(found) if found else "nothing differs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
