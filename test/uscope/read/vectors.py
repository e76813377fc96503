#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what the reader gives for the conformance vectors with what they tell.

usage: vectors.py DUMP [FOLDER]

DUMP is the program of dump.c. FOLDER has the vectors, which are not part of the project;
without it the test is skipped.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SKIP = 77


def dump(program, mode, path, queries=()):
    run = subprocess.run([program, mode, path, *queries], capture_output=True, check=False)
    if run.returncode or run.stderr:
        sys.exit(f"{path} {mode}: status {run.returncode}: {run.stderr.decode()}")
    return json.loads(run.stdout)


def differences(want, got, where):
    """Paths where got is not want; what got has beyond is not looked at."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key in want:
            if key not in got:
                yield f"{where}.{key}: missing"
            else:
                yield from differences(want[key], got[key], f"{where}.{key}")
    elif isinstance(want, list) and isinstance(got, list):
        if len(want) != len(got):
            yield f"{where}: {len(got)} entries, not {len(want)}"
        for i, (a, b) in enumerate(zip(want, got)):
            yield from differences(a, b, f"{where}[{i}]")
    elif want != got:
        yield f"{where}: {got!r}, not {want!r}"


CONTENT = ("header", "dut", "config", "schema", "strings", "summary", "sections", "segments",
           "states", "event_queries")


def normal(v):
    """The vectors in the terms of the dump."""
    v = dict(v)
    if v.get("strings", 0) is None:
        v["strings"] = []
    for f in v.get("schema", {}).get("summary_fields", ()):
        f["types"] = [{"name": "", "type": f.pop("type")}]
    return v


def check(program, folder, v):
    path = os.path.join(folder, v["file"])
    queries = [s["time_ps"] for s in v.get("states", ())]
    queries += [f"{q['from_ps']}-{q['to_ps']}" for q in v.get("event_queries", ())]
    v = normal(v)
    for mode in ("default", "strict"):
        got = dump(program, mode, path, queries)
        yield from differences(v[mode], got, f"{mode}")
        if v[mode]["open"] == "ok":
            yield from differences({k: v[k] for k in CONTENT if k in v}, got, mode)
        if got["open"] == "ok" and "diagnostics" in v[mode] and got["diagnostics"] != v[mode]["diagnostics"]:
            yield f"{mode}: {got['diagnostics']}, not {v[mode]['diagnostics']}"
        if got["open"] not in ("ok", "E_STRICT") and not got["reason"]:
            yield f"{mode}: {got['open']} without a reason"
    # Where recovery changes nothing, its verdict is that of the tolerant mode.
    want = v.get("recover", v["default"])
    got = dump(program, "recover", path, queries)
    yield from differences({"open": want["open"]}, got, "recover")
    if "segments" in want:
        have = {"segments": got["recovery"]["segments"], "discarded_bytes": got["recovery"]["discarded"]}
        yield from differences({k: want[k] for k in have}, have, "recover")
        if len(got["segments"]) != want["segments"] or any(s["decode"] != "ok" for s in got["segments"]):
            yield f"recover: {got['segments']}"
    elif want["open"] == "ok" and v["default"]["complete"]:
        yield from differences({k: v[k] for k in CONTENT if k in v}, got, "recover")


def main():
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "..", "..", "..", "..", "shared", "conformance", "uscope")
    if not os.path.exists(os.path.join(folder, "vectors.json")):
        print(f"skipped: no vectors in {folder}")
        return SKIP
    with open(os.path.join(folder, "vectors.json"), encoding="utf-8") as f:
        vectors = json.load(f)["vectors"]
    bad = 0
    for v in vectors:
        found = list(check(sys.argv[1], folder, v))
        bad += bool(found)
        for line in found[:20]:
            print(f"{v['file']}: {line}")
    print(f"{len(vectors) - bad} of {len(vectors)} vectors agree")
    return 1 if bad or len(vectors) < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
