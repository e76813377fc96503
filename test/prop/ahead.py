#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reading ahead of the emulation changes nothing: files, messages and status are those of one thread, whatever is in the way.

usage: ahead.py --emu PATH [--count N] [--seed S]

Traces of one loom, long enough that windows are read on many times, with large events in them: whole, and damaged where it
hurts. A clock that goes back, an event that nobody knows and a stream that is cut must be found when they are due.
"""
import argparse
import filecmp
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gen")]
import asm  # noqa: E402
import memory  # noqa: E402

THREADS = (2, 3, 8)  # compared with one; of two the other one reads windows, of three and more some read ahead
NTASKS = 1500        # of a thread, five events each,
NTASKS_MANY = 60     # and where there are many
MANY = 260           # streams: there one of two reads ahead, too
HEADER, EVENT, JUMBO = 8, 12, 16
nahead = 0           # runs in which somebody read ahead,
nahead_of_two = 0    # of these with two threads,
nrefilled = 0        # or windows


def make(rng, trace, nstreams, njumbo):
    """Threads make and run tasks. One in njumbo comes with a type of its own, whose label is a large event."""
    text = "loom node.0 cpus " + " ".join(f"{i}:{i}" for i in range(nstreams)) + "\nproc 100 app 1\n"
    tids = range(101, 101 + nstreams)
    text += "".join(f"thread {t}\n" for t in tids)
    clock = 10
    for t in tids:
        text += f"{t} {clock} OHx {t - 101} -1 0\n{t} {clock} VYc {t} \"type {t}\"\n"
    each = NTASKS if nstreams < MANY else NTASKS_MANY
    for n in range(each):
        for t in rng.sample(tids, nstreams):
            task = (t - 101) * each + n + 1
            kind = t
            clock += rng.randrange(1, 40)
            if rng.randrange(njumbo) == 0:
                kind = 1000 + task
                text += f"{t} {clock} VYc {kind} \"{'x' * rng.randrange(1, 200)} {kind}\"\n"
            text += f"{t} {clock} VTc {task} {kind}\n{t} {clock} VTx {task} 0\n{t} {clock} VSh\n{t} {clock + 1} VSf\n{t} {clock + 1} VTe {task} 0\n"
            clock += rng.randrange(1, 3)
    text += "".join(f"{t} {clock + 10} OHe\n" for t in tids)
    asm.assemble(text, trace)


def events(data):
    """Where the events of a stream are."""
    at = HEADER
    while at < len(data):
        yield at
        flags = data[at]
        if flags & 0x10:
            at += JUMBO + struct.unpack_from("<I", data, at + EVENT)[0]
        else:
            at += EVENT + (flags & 15) + (flags & 15 != 0)


def damage(rng, kind, trace):
    """Damages one or two streams. Returns what was done, in words."""
    streams = sorted(os.path.join(where, n) for where, _, names in os.walk(trace) for n in names if n == "stream.obs")
    done = []
    for path in rng.sample(streams, rng.randint(1, min(2, len(streams)))):
        with open(path, "rb") as f:
            data = bytearray(f.read())
        at = rng.choice(list(events(data))[2:])
        if kind == "back":
            struct.pack_into("<q", data, at + 4, 5)
        elif kind == "unknown":
            data[at + 3] = ord("?")
        elif kind == "model":
            data[at + 1] = ord("Z")
        elif kind == "cut":
            del data[at + rng.randrange(1, EVENT):]
        elif kind == "end":
            del data[at:]
        elif kind == "large":
            data[at] |= 0x10
        with open(path, "wb") as f:
            f.write(data)
        done.append(f"{kind} at {at} of {os.path.relpath(path, trace)}")
    return ", ".join(done)


def files(top):
    return sorted(os.path.relpath(os.path.join(where, name), top) for where, _, names in os.walk(top) for name in names)


def emulate(emu, trace, out, threads, options):
    p = subprocess.run([emu, "-q", "--stats", "-j", str(threads), "-o", out, *options, trace], capture_output=True, text=True, check=False)
    global nahead, nahead_of_two, nrefilled
    nahead += "\nreading, merging  " in p.stdout
    nahead_of_two += threads == 2 and "\nreading, merging  " in p.stdout
    nrefilled += "\nreading   " in p.stdout
    return p.returncode, p.stderr.replace(out, "OUT")


def differences(emu, trace, tmp, options):
    first = f"{tmp}/1"
    said = emulate(emu, trace, first, 1, options)
    names = files(first)
    found = []
    for j in THREADS:
        out = f"{tmp}/{j}"
        have = emulate(emu, trace, out, j, options)
        if have != said:
            found.append(f"-j {j}: {have} instead of {said}")
        if files(out) != names:
            found.append(f"-j {j}: other files")
        _, other, wrong = filecmp.cmpfiles(first, out, names, shallow=False)
        found += [f"-j {j}: another {name}" for name in other + wrong]
    shutil.rmtree(tmp, ignore_errors=True)
    return found, said


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--count", type=int, default=24)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    memory.use()
    count = max(6, a.count // int(os.environ.get("TEST_SHARE", "1")))
    kinds = ("back", "unknown", "model", "cut", "end", "large")
    problems = failed = 0
    for n in range(count):
        rng = random.Random(a.seed + n)
        with tempfile.TemporaryDirectory() as tmp:
            trace = f"{tmp}/trace"
            make(rng, trace, MANY if n % 6 == 4 else rng.choice((1, 2, 5)), rng.choice((3, 200, 10 ** 9)))
            name = f"seed {a.seed + n}: whole"
            options = rng.choice((["-f", "prv"], [], ["--from", "10us", "--to", "40us"]))
            for kind in (None, kinds[n % len(kinds)]):
                if kind:
                    name = f"seed {a.seed + n}: {damage(rng, kind, trace)}"
                found, said = differences(a.emu, trace, f"{tmp}/out", options)
                failed += said[0] != 0
                if not kind and said[0]:
                    found.append(f"the run fails: {said}")
                problems += len(found)
                for text in found:
                    print(f"{name}: {text}")
    print(f"{count} traces, {failed} runs that failed, {nahead} in which somebody read ahead, {nahead_of_two} of them with two threads, {nrefilled} windows, {problems} problems")
    return problems != 0 or failed == 0 or nahead == 0 or nahead_of_two == 0 or nrefilled == 0


if __name__ == "__main__":
    sys.exit(main())
