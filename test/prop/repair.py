#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of programs that die at any moment are repaired by ovnifix.

usage: repair.py OVNIEMU OVNIFIX [--seed N] [--rounds N] [--only TEXT]

The golden traces are killed: streams are cut anywhere, some are empty, the newest events of some are in a
stream.tail, and metadata lacks what is written late, or is not there, or damaged. Whatever the emulator takes in its
default view

  is taken after the repair, with the same timelines up to the last event,
  is taken with --compat -l too, or ovnifix has said that it is not,
  is left alone by a dry run and by a second run,
  gives the same repaired trace with -o, from a trace that stays as it is.

What it does not take is left as it was.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "gen")]
import asm  # noqa: E402
import casefile  # noqa: E402
import memory  # noqa: E402

GOLDEN = os.path.join(HERE, "..", "golden")
LATE = "finished", "require", "loom_cpus", "rank", "nranks", "mark"


def call(*args):
    return subprocess.run(args, capture_output=True, text=True, check=False, timeout=60, errors="replace")


def content(top):
    """{path: (bytes, mtime)} of all files below"""
    out = {}
    for where, _, files in os.walk(top):
        for name in files:
            path = os.path.join(where, name)
            with open(path, "rb") as f:
                out[os.path.relpath(path, top)] = f.read(), os.stat(path).st_mtime_ns
    return out


def kill(trace, rng):
    """Leaves what a program leaves that dies."""
    for path in sorted(glob.glob(f"{trace}/**/stream.obs", recursive=True)):
        meta = os.path.join(os.path.dirname(path), "stream.json")
        if not os.path.exists(meta) or rng.random() < 0.2:
            continue
        with open(path, "rb") as f:
            data = f.read()
        end = rng.choice([len(data), 8, rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)])
        data = data[:end]
        if rng.random() < 0.3 and end > 8:
            cut = rng.randrange(8, end + 1)
            with open(os.path.join(os.path.dirname(path), "stream.tail"), "wb") as f:
                f.write(struct.pack("=8sIIQQQQQQ", b"ovnitail", 1, 0, 1 << 20, 0, 0, 0, cut, end - cut) + data[cut:])
            data = data[:rng.randrange(cut, end + 1)]
        with open(path, "wb") as f:
            f.write(data)
        fate = rng.random()
        if fate < 0.05:
            os.unlink(meta)
            continue
        if fate < 0.1:
            with open(meta, "r+b") as f:
                f.truncate(rng.randrange(20))
            continue
        with open(meta, encoding="utf-8") as f:
            root = json.load(f)
        ovni = root.get("ovni")
        if not isinstance(ovni, dict):
            continue
        ovni.pop("finished", None)
        if rng.random() < 0.3:
            for key in LATE:
                ovni.pop(key, None)
        with open(meta, "w", encoding="utf-8") as f:
            json.dump(root, f)


def timelines(out):
    """Header without duration, lines by file, and the duration."""
    lines, last = {}, 0
    for name in "thread", "cpu":
        with open(f"{out}/{name}.prv", encoding="ascii") as f:
            text = f.read().splitlines()
        head, _, tail = text[0].partition("):")
        last = int(tail.split("_")[0])
        lines[name] = [head + tail.partition("_")[2]] + text[1:]
    return lines, last


def until(lines, last):
    return {k: [v[0]] + [x for x in v[1:] if int(x.split(":")[5]) <= last] for k, v in lines.items()}


def check(emu, fix, trace, tmp):
    """What is wrong; and whether strict tools take the trace: None, it cannot be repaired."""
    found = []
    before = content(trace)
    shutil.copytree(trace, f"{tmp}/old", symlinks=True)
    p = call(emu, "-o", f"{tmp}/before", trace)
    taken = p.returncode == 0
    dry = call(fix, "-n", trace)
    if content(trace) != before:
        found.append("a dry run has changed the trace")
    copy = call(fix, "-o", f"{tmp}/copy", trace)
    if content(trace) != before:
        found.append("-o has changed the trace")
    q = call(fix, trace)
    for what, r in ("dry", dry), ("-o", copy), ("in place", q):
        if r.returncode not in (0, 1) or (r.returncode == 0) != (q.returncode == 0):
            found.append(f"status {r.returncode} {what}, {q.returncode} in place: {r.stderr[-500:]}")
    if q.returncode:
        if content(trace) != before:
            found.append("it has failed, and the trace is not as it was")
        if taken and "metadata of version 3" not in q.stderr and "there is no stream.json" not in p.stderr:
            found.append(f"the emulator takes it, and it is not repaired: {q.stderr}")
        return found, None
    if not found and {k: v[0] for k, v in content(f"{tmp}/copy").items()} != {k: v[0] for k, v in content(trace).items() if not k.endswith("damaged")}:
        found.append(f"the copy is not what is made in place: {sorted(content(f'{tmp}/copy'))} {sorted(content(trace))}")
    after = call(emu, "-o", f"{tmp}/after", trace)
    if after.returncode:
        return found + [f"after the repair it is refused: {after.stderr}"], False
    made_up = "made up from the path" in q.stderr or "never executed" in q.stderr or "app_id" in q.stderr or " has no rank" in q.stderr
    if taken and not made_up and " 1 looms" in p.stderr:
        (a, last), (b, _) = timelines(f"{tmp}/before"), timelines(f"{tmp}/after")
        if a != until(b, last) and a["cpu"][0] == b["cpu"][0]: # CPUs are made up for threads without one
            found.append(f"the timelines differ: {p.stderr} {q.stderr}")
    again, seen = call(fix, trace), content(trace)
    if "there is nothing to repair" not in again.stderr or again.returncode or content(trace) != seen:
        found.append(f"the second run: {again.stderr}")
    strict = call(emu, "--compat", "-l", "-o", f"{tmp}/strict", trace)
    said = "strict tools take it" in q.stderr
    if said == (strict.returncode != 0):
        found.append(f"strict: {strict.stderr[-400:]} but {q.stderr[-400:]}")
    return found, said


def one(emu, fix, path, seed):
    rng = random.Random(f"{path} {seed}")
    with tempfile.TemporaryDirectory() as tmp:
        case = casefile.Case(os.path.join(GOLDEN, path))
        asm.assemble(case.get("in.txt"), f"{tmp}/trace", path)
        if seed:
            kill(f"{tmp}/trace", rng)
        found, said = check(emu, fix, f"{tmp}/trace", tmp)
        return [f"{path}, seed {seed}: {x}" for x in found], said


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("emu")
    ap.add_argument("fix")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--rounds", type=int, default=2)
    ap.add_argument("--only", default="")
    ap.add_argument("--jobs", type=int, default=2)
    a = ap.parse_args()
    memory.use()
    paths = sorted(os.path.relpath(p, GOLDEN) for p in glob.glob(f"{GOLDEN}/*/*.case") if a.only in p)
    found, verdicts = [], []
    seeds = [0] + [a.seed + i for i in range(a.rounds)]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for f, said in pool.map(lambda x: one(a.emu, a.fix, *x), [(p, s) for p in paths for s in seeds]):
            found += f
            verdicts.append(said)
    taken = sum(v is True for v in verdicts)
    print(*found[:20], sep="\n")
    print(f"{len(verdicts)} traces: {taken} taken by strict tools, {sum(v is False for v in verdicts)} repaired and refused, "
          f"{sum(v is None for v in verdicts)} refused by all; {len(found)} problems")
    sys.exit(bool(found) or taken < len(verdicts) // 3)


if __name__ == "__main__":
    main()
