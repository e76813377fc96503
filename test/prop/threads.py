#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The files are the same with any number of threads and parts, however records meet the ends of chunks and slices, and the
compressed ones unpack to those that are not.

usage: threads.py --emu PATH [--count N] [--seed S]

Random traces, whole and a window of each, one of three looms whose events are few nanoseconds apart, and one whose events share
few instants, each of more records than a chunk, with punctual values in them: those are at the instant when the row has a line there, and one
nanosecond before when it has none.
"""
import argparse
import filecmp
import gzip
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gen")]
import asm  # noqa: E402
import memory  # noqa: E402
import random_traces  # noqa: E402

# Number of threads, and how many parts of the machine are emulated side by side, with how much room each.
RUNS = ((1, "1"), (1, "8"), (2, "1"), (2, "2:8"), (3, "1"), (4, "8:30"), (7, "8"))
PAIRS = 6000  # of records in an instant: a chunk has 8192
NEAR = 9 * 5000  # events of three looms
INSTANTS = (1000, 1001, 1005)
PRV_SUBSYSTEM = 13


def files(top):
    return sorted(os.path.relpath(os.path.join(where, name), top) for where, _, names in os.walk(top) for name in names)


def emulate(emu, trace, out, run, options):
    threads, parts = run
    p = subprocess.run([emu, "-q", "-j", str(threads), "-o", out, *options, trace], capture_output=True, text=True, check=False,
                       env={**os.environ, "OVNISCOPE_PARTS": parts})
    return p.returncode, p.stderr.replace(out, "OUT")


def differences(emu, trace, tmp, options):
    """What differs between the first run and others."""
    first = f"{tmp}/1"
    os.makedirs(tmp)
    said = emulate(emu, trace, first, RUNS[0], options)
    found = [f"no files: {said}"] if not files(first) and not options else []
    for run in RUNS[1:]:
        n = f"{run[0]}, parts {run[1]}"
        out = f"{tmp}/{run[0]}-{run[1]}"
        if emulate(emu, trace, out, run, options) != said:
            found.append(f"-j {n}: another status or message")
        if files(out) != files(first):
            found.append(f"-j {n}: other files")
            continue
        _, other, wrong = filecmp.cmpfiles(first, out, files(first), shallow=False)
        found += [f"-j {n}: another {name}" for name in other + wrong]
    return found


def packed_differences(plain, packed):
    """What differs between files and the compressed ones, where those are compressed."""
    found = []
    for name in files(plain):
        if name.endswith(".prv"):
            with open(f"{plain}/{name}", "rb") as f, gzip.open(f"{packed}/{name}.gz") as g:
                found += [] if f.read() == g.read() else [f"--gzip: another {name}"]
        elif not filecmp.cmp(f"{plain}/{name}", f"{packed}/{name}", shallow=False):
            found.append(f"--gzip: another {name}")
    return found + ([] if len(files(plain)) == len(files(packed)) else ["--gzip: other files"])


def long_instants():
    """Thread 1 fills the instants; threads 2 and 3 have a punctual value in each, 3 behind a change."""
    head = "loom node.0 cpus 0:0 1:1 2:2\nproc 100 app 1\n"
    body = "".join(f"thread {t}\nattr nosv.can_breakdown true\n" for t in (101, 102, 103))
    body += "".join(f"{t} 0 OHx {t - 101} -1 0\n" for t in (101, 102, 103))
    for clock in INSTANTS:
        body += f"101 {clock} VSh\n101 {clock} VSf\n" * PAIRS
        body += f"102 {clock} VSr\n"
        body += f"103 {clock} VSh\n103 {clock} VSs\n103 {clock} VSf\n"
        body += f"101 {clock} VSh\n101 {clock} VSf\n" * PAIRS
    return head + body + "".join(f"{t} 2000 OHe\n" for t in (101, 102, 103))


def near_instants():
    """Threads of three looms change, and have punctual values, in the same few nanoseconds: hardly anywhere can their records be divided."""
    r = random.Random(1)
    looms = (101, 102, 103)
    text = "".join(f"loom node{t}.0 cpus 0:0\nproc {t} app 1\nthread {t}\nattr nosv.can_breakdown true\n" for t in looms)
    text += "".join(f"{t} 0 OHx 0 -1 0\n" for t in looms)
    clocks = dict.fromkeys(looms, 1)
    for i in range(NEAR):
        t = looms[i % len(looms)]
        clocks[t] += r.choice((0, 1, 1, 1, 2)) if i % 200 > 20 else r.randrange(30)
        text += f"{t} {clocks[t]} {('VSh', 'VSr', 'VSf')[i // len(looms) % 3]}\n"
    end = max(clocks.values()) + 1
    return text + "".join(f"{t} {end} OHe\n" for t in looms)


def check_instants(out):
    """Texts that tell where lines of long_instants() are wrong."""
    found = []
    last = 0
    seen = {}
    with open(f"{out}/thread.prv", encoding="utf-8") as f:
        next(f)
        for line in f:
            w = [int(x) for x in line.split(":")]
            row, time = w[4], w[5]
            if time < last:
                found.append(f"time goes back to {time}, from {last}")
            last = time
            for kind, value in zip(w[6::2], w[7::2]):
                if kind == PRV_SUBSYSTEM:
                    seen.setdefault(row, []).append((time, value))
    fill = [v for t, v in seen[1]]
    if len(fill) != 1 + 4 * PAIRS * len(INSTANTS):
        found.append(f"{len(fill)} lines of thread 1")
    # The streams are played one after the other at each instant: threads 2 and 3 are behind more
    # records than are grouped, which are written by then, so both lines are at the instant.
    for row, value in (2, 34), (3, 35):
        times = [t for t, v in seen[row] if v == value]
        if times != list(INSTANTS):
            found.append(f"punctual values of thread {row} at {times}")
    return found


def window(seed):
    """Options for a part of a trace of a few microseconds, mostly."""
    r = random.Random(seed)
    first, last = sorted((r.randrange(0, 101), r.randrange(0, 120)))
    ends = [f"--from={first}%"] if r.random() < 0.8 else [f"--from=+{r.randrange(0, 3000)}"]
    ends += [f"--to={last}%"] if last <= 100 else []
    return [*ends, *(["-b", "--uscope-raw-events"] if r.random() < 0.3 else []), "-f", "prv,uscope,perfetto"]


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--count", type=int, default=8)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    memory.use()
    have = random_traces.models_of(a.emu)
    models = [m for m in asm.VERSIONS if m in have]
    problems = 0
    count = max(2, a.count // int(os.environ.get("TEST_SHARE", "1")))
    traces = [(f"seed {a.seed + i}", a.seed + i) for i in range(count)] + [("near instants", None), ("long instants", None)]
    for name, seed in traces:
        with tempfile.TemporaryDirectory() as tmp:
            trace = f"{tmp}/trace"
            if seed is None:
                asm.assemble(near_instants() if name == "near instants" else long_instants(), trace)
            else:
                random_traces.make(seed, trace, models, seed % 2 == 0, have)
            for options in ([], ["-b", "-a", "-f", "prv,uscope,perfetto"], ["--uscope-raw-events"], ["--compat"], window(seed), ["-f", "prv", "-b", "-a", "--gzip"]):
                out = f"{tmp}/out{len(os.listdir(tmp))}"
                found = differences(a.emu, trace, out, options)
                if name == "long instants" and not options:
                    found += check_instants(f"{out}/1")
                if options == ["--uscope-raw-events"]:
                    _, other, wrong = filecmp.cmpfiles(f"{tmp}/out1/1", f"{out}/1", ["thread.prv", "cpu.prv"], shallow=False)
                    found += [f"another {name} than without" for name in other + wrong]
                if "--gzip" in options:
                    emulate(a.emu, trace, f"{out}/plain", RUNS[0], options[:-1])
                    found += packed_differences(f"{out}/plain", f"{out}/1")
                problems += len(found)
                for text in found:
                    print(f"{name}, {' '.join(options)}: {text}")
    print(f"{len(traces)} traces, {problems} problems")
    return problems != 0


if __name__ == "__main__":
    sys.exit(main())
