#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files and messages of a team of processes are those of ovniemu.

usage: ranks.py --emu OVNIEMU --team FORKED [--count N] [--seed S] [--time SECONDS]

Golden cases, random traces of several looms, whole and damaged, with 2 to 4 processes, few and many parts, and hardly any room, so
that slices end anywhere. Then what goes wrong in one of them: files that cannot be written, signals, another trace.
"""
import argparse
import contextlib
import filecmp
import glob
import gzip
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "prop"), os.path.join(HERE, "..", "gen")]
import asm  # noqa: E402
import casefile  # noqa: E402
import memory  # noqa: E402
import random_traces  # noqa: E402
import threads  # noqa: E402

GOLDEN = os.path.join(HERE, "..", "golden")
# Processes, threads of each, and how many parts, with how much room each.
RUNS = ((2, 1, "2"), (3, 1, "3:8"), (4, 2, "8:30"), (2, 3, "8:1"), (4, 1, "2:100"))
OPTIONS = ([], ["--gzip"], ["-b", "-a"], ["--uscope-raw-events"], ["-f", "prv"], ["-f", "uscope,html"], ["-f", "prv,uscope,perfetto"], ["--compat"], ["-l"],
           ["--from=20%", "--to=80%"], ["--types=4"])
ALONE = "one process has done it all"


def emulate(program, trace, out, options, run=(1, 1, "1"), **env):
    n, j, parts = run
    os.makedirs(out)
    p = subprocess.run([program, "-j", str(j), "-o", out, *options, trace], capture_output=True, text=True, check=False, timeout=100,
                       env={**os.environ, "TEAM": str(n), "OVNISCOPE_PARTS": parts, **env})
    said = [re.sub(r" in [0-9.]+ s \(.*", "", line) for line in p.stderr.replace(out, "OUT").splitlines() if ALONE not in line]
    return (p.returncode, said), ALONE not in p.stderr


def differences(a, trace, tmp, options, run, limit=None):
    """What differs, and whether the processes shared the work."""
    first, other = f"{tmp}/first", f"{tmp}/other"
    said, _ = emulate(a.emu, trace, first, options)
    also, shared = emulate(a.team, trace, other, options, run, **({"TEAM_LIMIT": limit} if limit else {}))
    found = [] if said == also else [f"another status or message:\n{said}\n{also}"]
    if not any(" events of " in line for line in said[1]):
        return found, shared  # a trace that cannot be opened, though it could be before it was to be begun anew: files of that are left
    if threads.files(first) != threads.files(other):
        return [*found, f"other files: {threads.files(first)}, {threads.files(other)}"], shared
    names = threads.files(first)
    return found + [f"another {name}" for name in names if not is_same(f"{first}/{name}", f"{other}/{name}")], shared


def is_same(one, two):
    """Compressed files have other members, of the same content."""
    if not one.endswith(".gz"):
        return filecmp.cmp(one, two, shallow=False)
    with gzip.open(one) as f, gzip.open(two) as g:
        return f.read() == g.read()


def damage(r, trace):
    """Cuts a stream, or overwrites some bytes of it."""
    path = r.choice(sorted(glob.glob(f"{trace}/**/*.obs*", recursive=True)))
    size = os.path.getsize(path)
    with open(path, "r+b") as f:
        if r.random() < 0.4:
            f.truncate(r.randrange(size))
            return
        for _ in range(r.randrange(1, 3)):
            f.seek(r.randrange(size))
            f.write(bytes([r.randrange(256)]))


def traces(a):
    """Yields names and functions that write a trace."""
    have = random_traces.models_of(a.emu)
    models = [m for m in asm.VERSIONS if m in have]
    for name, case in casefile.find(GOLDEN):
        yield name, lambda trace, case=case: asm.assemble(casefile.Case(case).get("in.txt"), trace)
    yield "long instants", lambda trace: asm.assemble(threads.long_instants(), trace)
    for i in range(a.count):
        seed = a.seed + i

        def make(trace, seed=seed):
            random_traces.make(seed, trace, models, seed % 2 == 0, have)
            if seed % 3 == 0:
                damage(random.Random(seed), trace)
        yield f"seed {seed}", make


def many_events(trace):
    """Four looms, each of which changes its states often enough to be caught at it."""
    text = []
    for loom in range(4):
        tid = 100 * (loom + 1)
        text += [f"loom node.{loom} cpus 0:0", f"proc {tid} app 1", f"thread {tid + 1}", f"{tid + 1} 0 OHx 0 -1 0"]
        for i in range(5000):
            text += [f"{tid + 1} {100 * i + loom} VSh", f"{tid + 1} {100 * i + loom + 40} VSf"]
        text.append(f"{tid + 1} 600000 OHe")
    asm.assemble("\n".join(text) + "\n", trace)


def lines_of(path):
    with open(path, encoding="ascii") as f:
        return f.readlines()[1:]


def faults(a):
    """Yields texts that tell what is wrong when one of the processes fails."""
    with tempfile.TemporaryDirectory() as tmp:
        trace, whole = f"{tmp}/trace", f"{tmp}/whole"
        many_events(trace)
        for run in ((2, 1, "2"), (3, 1, "3")):  # pieces of several chunks
            os.mkdir(f"{tmp}/many{run[0]}")
            for text in differences(a, trace, f"{tmp}/many{run[0]}", [], run)[0]:
                yield f"many events, {run}: {text}"
        emulate(a.emu, trace, whole, [])
        for n, limit in enumerate(("1:0", "2:100000", "1:400000")):
            os.mkdir(f"{tmp}/{n}")
            for text in differences(a, trace, f"{tmp}/{n}", [], (3, 1, "4:50"), limit)[0]:
                yield f"limit {limit}: {text}"
        (status, said), _ = emulate(a.team, trace, f"{tmp}/full", [], (3, 1, "4:50"), TEAM_LIMIT="0:100000")
        errors = [line for line in said if "error[" in line]
        if status != 1 or len(errors) != 1 or "OUT/" not in errors[0] or "File too large" not in errors[0]:
            yield f"a limit of rank 0: {status}, {said}"
        for name in ("thread.prv", "cpu.prv"):
            have, want = lines_of(f"{tmp}/full/{name}"), lines_of(f"{whole}/{name}")
            if not have or have != want[:len(have)]:
                yield f"a limit of rank 0: {name} is not the begin of what it should be"
        for sig, who in ((signal.SIGTERM, 1), (signal.SIGINT, 0), (signal.SIGKILL, 2)):
            yield from (f"signal {sig} for {who}: {text}" for text in interrupt(a, trace, f"{tmp}/signal{sig}", whole, sig, who))


def interrupt(a, trace, out, whole, sig, who):
    """Texts that tell what is wrong when one of the processes gets a signal."""
    os.makedirs(out)
    pids, prv = f"{out}.pids", f"{out}/thread.prv"
    with subprocess.Popen([a.team, "-j", "1", "-o", out, trace], stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "TEAM": "3", "TEAM_PIDS": pids, "OVNISCOPE_PARTS": "4:2"}) as p:
        begin = time.monotonic()
        while p.poll() is None and time.monotonic() - begin < 30 and not (os.path.exists(prv) and os.path.getsize(prv) > 8000):
            time.sleep(0.001)
        with open(pids, encoding="ascii") as f, contextlib.suppress(ProcessLookupError):  # it may have ended meanwhile
            os.kill(int(f.read().split()[who]), sig)
        try:
            _, said = p.communicate(timeout=100)
        except subprocess.TimeoutExpired:
            p.kill()
            return ["it hangs"]
    if p.returncode == 0:
        return []  # it was too late
    if sig == signal.SIGKILL:
        return [] if p.returncode == 1 else [f"status {p.returncode}"]
    if p.returncode != 128 + sig or f"stopped by the user ({sig.name})" not in said:
        return [f"status {p.returncode}, {said}"]
    have = lines_of(prv)
    return [] if have == lines_of(f"{whole}/thread.prv")[:len(have)] and have else ["thread.prv is not the begin of what it should be"]


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--team", required=True)
    ap.add_argument("--count", type=int, default=60)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--time", type=float, default=20)
    ap.add_argument("--only", default="")
    a = ap.parse_args()
    memory.use()
    ntraces = nshared = problems = 0
    begin = time.monotonic()
    every = list(traces(a))
    random.Random(a.seed).shuffle(every)
    for name, make in every:
        is_late = time.monotonic() - begin > a.time / int(os.environ.get("TEST_SHARE", "1"))
        if a.only not in name or (is_late and nshared):  # a slow machine goes on up to a trace that is shared
            continue
        r = random.Random(name)
        with tempfile.TemporaryDirectory() as tmp:
            make(f"{tmp}/trace")
            options, run = r.choice(OPTIONS) if r.random() < 0.6 else [], r.choice(RUNS)
            found, shared = differences(a, f"{tmp}/trace", tmp, options, run)
        ntraces += 1
        nshared += shared
        problems += bool(found)
        for text in found:
            print(f"{name}, {run}, {' '.join(options)}: {text}")
    for text in faults(a):
        print(text)
        problems += 1
    print(f"{ntraces} traces, {nshared} of them shared, {problems} with problems")
    return problems != 0 or nshared == 0


if __name__ == "__main__":
    sys.exit(main())
