#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The counts of the model parallelism, against those of the rows of threads that useful and the thread state show.

usage: parallelism.py --emu PATH [--count N] [--seed S] [--time SECONDS]

Trace number i is made from the seed S + i. Whatever the order inside an instant, at its end each row of proc.prv shows how many
threads below it run (type 63), and how many of them are useful (type 62), and shows nothing twice.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gen")]
import asm  # noqa: E402
import memory  # noqa: E402
import random_traces  # noqa: E402
import twin  # noqa: E402

STATE, USEFUL, WORKING, RUNNING = 4, 60, 62, 63


def read(path):
    """time -> [(row, type, value)] in the order of the file, and how many rows the header tells"""
    at = {}
    with open(path, encoding="ascii") as f:
        rows = int(f.readline().rsplit("(", 1)[1].split(":")[0])
        for line in f:
            p = [int(x) for x in line.split(":")]
            at.setdefault(p[5], []).extend((p[4] - 1, kind, value) for kind, value in zip(p[6::2], p[7::2]))
    return at, rows


def units(trace):
    """The threads of each row: the system, looms, processes."""
    s = twin.System(trace)
    place = {id(t): i for i, t in enumerate(s.threads)}
    procs = [[place[id(t)] for t in p.threads] for x in s.looms for p in x.procs]
    looms = [[place[id(t)] for p in x.procs for t in p.threads] for x in s.looms]
    return [sorted(place.values()), *looms, *procs]


def differences(out, rows):
    threads, _ = read(f"{out}/thread.prv")
    procs, n = read(f"{out}/proc.prv")
    if n != len(rows):
        return [f"{n} rows instead of {len(rows)}"]
    state, shown = {}, {}
    for t in sorted({*threads, *procs}):
        for row, kind, value in threads.get(t, ()):
            state[row, kind] = value
        for row, kind, value in procs.get(t, ()):
            if shown.get((row, kind)) == value:
                return [f"row {row + 1} shows {kind}:{value} again at {t}"]
            shown[row, kind] = value
        for i, unit in enumerate(rows):
            runs = [th for th in unit if state.get((th, STATE)) == twin.RUNNING]
            works = sum(state.get((th, USEFUL)) == 1 for th in runs)
            if (shown.get((i, RUNNING)), shown.get((i, WORKING))) != (len(runs), works):
                return [f"row {i + 1} at {t}: {len(runs)} threads run and {works} are useful, but it shows {shown.get((i, RUNNING))} and {shown.get((i, WORKING))}"]
    return []


def check(emu, seed, tmp):
    """What differs, and whether the trace could be emulated."""
    asm.assemble(random_traces.Generator(seed, [m for m in asm.VERSIONS if m in twin.MODELS]).text(), f"{tmp}/trace")
    for view in ((), ("--compat",)):
        out = f"{tmp}/out{len(view)}"
        p = subprocess.run([emu, "-q", "-f", "prv", "-m", "useful,parallelism", *view, "-o", out, f"{tmp}/trace"], capture_output=True, timeout=60, check=False)
        if p.returncode > 1 or (p.returncode and b"error[" not in p.stderr):
            return [f"status {p.returncode}: {p.stderr.decode(errors='replace')}"], 0
        found = differences(out, units(f"{tmp}/trace")) if os.path.exists(f"{out}/proc.prv") else []
        if found:
            return [f"{' '.join(view)} {x}" for x in found], 1
    return [], 1


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--count", type=int, default=10**6)
    ap.add_argument("--seed", type=int, default=random.randrange(10**9))
    ap.add_argument("--time", type=float, default=10)
    a = ap.parse_args()
    memory.use()
    print(f"seed {a.seed}")
    n, end = 0, time.monotonic() + a.time / int(os.environ.get("TEST_SHARE", "1"))
    for seed in range(a.seed, a.seed + a.count):
        if n and time.monotonic() > end:
            break
        with tempfile.TemporaryDirectory() as tmp:
            found, done = check(os.path.abspath(a.emu), seed, tmp)
        n += done
        if found:
            sys.exit(f"seed {seed}: {found[0]}")
    print(f"{n} traces")


main()
