#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random traces of which each stream is cut anywhere, as rings cut them: from there on each row is that of the
whole trace, and the rows of the CPUs are from when all streams have begun.

usage: windows_twin.py --emu PATH --cut PATH [--count N] [--seed S] [--time SECONDS] [--keep DIR]
"""
import argparse
import bisect
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gen")]
import random_traces  # noqa: E402


class Stream:
    def __init__(self, path, offset):
        self.dir, self.data, self.offset = path, (path / "stream.obs").read_bytes(), offset
        self.meta = json.loads((path / "stream.json").read_text())
        o = self.meta["ovni"]
        self.tid, self.process, self.loom = o["tid"], (o["loom"], o["pid"]), o["loom"]
        self.events = []  # (offset, mcv, clock, payload)
        at = 8
        while at < len(self.data):
            flags = self.data[at]
            n = 16 + int.from_bytes(self.data[at + 12:at + 16], sys.byteorder) if flags & 16 else 12 + (flags & 15) + bool(flags & 15)
            self.events.append((at, self.data[at + 1:at + 4].decode("latin-1"), int.from_bytes(self.data[at + 4:at + 12], sys.byteorder), self.data[at + 12:at + n]))
            at += n
        self.cut = 0  # index of the first event that stays

    def begin(self):
        return self.events[self.cut][2] + self.offset


def moves(streams):
    """(clock, stream that moves, index of the event, stream that is moved, CPU)"""
    for s in streams:
        for i, (_, mcv, clock, arg) in enumerate(s.events):
            if mcv != "OAr":
                continue
            cpu, tid = (int.from_bytes(arg[k:k + 4], sys.byteorder, signed=True) for k in (0, 4))
            own = [x for x in streams if x.tid == tid and x.process == s.process]
            other = [x for x in streams if x.tid == tid and x.loom == s.loom]
            yield clock + s.offset, s, i, (own or other)[0], cpu


def cut(rng, streams, tool):
    """Cuts all of them. A move that is in no window, of a thread whose window has begun, is what cannot be known."""
    for s in streams:
        s.cut = rng.randrange(len(s.events)) if s.events else 0
    known = sorted(moves(streams), key=lambda m: m[0])
    for clock, s, i, moved, _ in reversed(known):
        if i < s.cut and moved.events and clock >= moved.begin():
            return False
    for s in streams:
        if not s.events or s.cut == 0:
            continue
        last = [m for m in known if m[3] is s and m[0] < s.begin() and m[2] < m[1].cut]
        args = [str(last[-1][4]), str(last[-1][0] - s.offset)] if last else []
        at = s.events[s.cut][0]
        p = subprocess.run([tool, str(s.dir / "stream.obs"), str(at), str(s.dir / "part"), *args], stdout=subprocess.PIPE, text=True, check=True)
        os.replace(s.dir / "part", s.dir / "stream.obs")
        since, snapshot, shared = map(int, p.stdout.split())
        s.meta["ovni"]["ring"] = {"size": 1, "since": since, "snapshot": snapshot, "shared": shared}
        at = 8 + 28 * ((s.dir / "stream.obs").read_bytes()[9:12] == b"OHx")
        s.shared = (s.dir / "stream.obs").read_bytes()[at:at + shared]
        (s.dir / "stream.json").write_text(json.dumps(s.meta))
    return True


def rows(path, start):
    """{(row, type): [(clock, value)]}"""
    found = {}
    for line in path.read_text().splitlines()[1:]:
        f = line.split(":")
        if f[0] != "2":
            continue
        for kind, value in zip(map(int, f[6::2]), map(int, f[7::2])):
            lines = found.setdefault((int(f[4]), kind), [])
            clock = int(f[5]) + start
            if lines and lines[-1][0] == clock:
                lines.pop()
            lines.append((clock, value))
    return found


def differences(name, whole, part, begin):
    for key in sorted(whole.keys() | part.keys()):
        a, b, since = whole.get(key, []), part.get(key, []), begin(key[0])
        if since is None:
            continue
        ta, tb = [t for t, _ in a], [t for t, _ in b]
        for t in sorted({x for x in ta + tb if x >= since} | {since}):
            i, j = bisect.bisect_right(ta, t), bisect.bisect_right(tb, t)
            x, y = a[i - 1][1] if i else 0, b[j - 1][1] if j else 0
            if x != y:
                yield f"{name} row {key[0]} type {key[1]}: {y} at clock {t}, in the whole trace {x}; it begins at {since}"
                break


def ends_a_task(s):
    """Whether the end of a worksharing ends the label of a task: both have the same one."""
    n = 0
    for _, mcv, _, _ in s.events:
        n += (mcv == "PQx") - (mcv == "PQe")
        if n < 0:
            return True
    return False


def emulate(emu, trace, out, args):
    p = subprocess.run([emu, *args, "-f", "prv", "-o", out, str(trace)], capture_output=True, text=True, check=False, timeout=60)
    return p.returncode, p.stderr


def check_one(seed, tmp, opts, have):
    """What is wrong; None: the trace is of another kind."""
    trace = pathlib.Path(tmp) / "trace"
    g, _ = random_traces.make(seed, str(trace), have, False, have)
    paths = sorted(trace.rglob("stream.json"))
    args = [a for a in g.args if a not in ("-l", "-b")]
    if g.crash or not paths:
        return None
    if emulate(opts.emu, trace, f"{tmp}/whole", args)[0]:
        return None
    offsets = {t.path: t.loom.offset for t in g.threads}
    streams = [Stream(p.parent, offsets.get(str(p.parent.relative_to(trace)), 0)) for p in paths]
    if not any(s.events for s in streams) or any(ends_a_task(s) for s in streams):
        return None
    start = min(s.events[0][2] + s.offset for s in streams if s.events)
    for _ in range(20):
        good = cut(random.Random(seed), streams, opts.cut)
        if good:
            break
        seed += 1
    else:
        return None
    rc, err = emulate(opts.emu, trace, f"{tmp}/part", args)
    if rc:
        return [err]
    if "was never created" in err:
        return [err]
    if (pathlib.Path(tmp) / "whole/cpu.row").read_bytes() != (pathlib.Path(tmp) / "part/cpu.row").read_bytes():
        return None  # virtual CPUs only, from there on
    begins = min(s.begin() for s in streams if s.events)
    kinds = {2 if s.shared[at] & 16 else 1 for s in streams if getattr(s, "shared", b"") for at in (0,)}
    part_start = begins - (max(kinds) if kinds and begins >= 2 else 0)
    order = (pathlib.Path(tmp) / "whole/thread.row").read_text().splitlines()
    labels = [line for line in order if line.startswith("TH ")]
    by_label = {}
    for s in streams:
        by_label.setdefault(s.tid, []).append(s)
    begin_of = {}
    for i, label in enumerate(labels, 1):
        mine = by_label.get(int(label.split(" of ")[0].rsplit(".", 1)[1]), [])
        if len(mine) == 1 and mine[0].events:
            begin_of[i] = mine[0].begin()
    all_begun = max(s.begin() for s in streams if s.events)
    found = list(differences("thread", rows(pathlib.Path(tmp) / "whole/thread.prv", start), rows(pathlib.Path(tmp) / "part/thread.prv", part_start), begin_of.get))
    found += differences("cpu", rows(pathlib.Path(tmp) / "whole/cpu.prv", start), rows(pathlib.Path(tmp) / "part/cpu.prv", part_start), lambda row: all_begun)
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--emu", required=True)
    p.add_argument("--cut", required=True)
    p.add_argument("--count", type=int, default=1000000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--time", type=float, default=20)
    p.add_argument("--keep")
    opts = p.parse_args()
    have = [m for m in random_traces.asm.VERSIONS if m in random_traces.models_of(opts.emu)]
    until, done, bad = time.monotonic() + opts.time, 0, 0
    for seed in range(opts.seed, opts.seed + opts.count):
        if time.monotonic() > until:
            break
        with tempfile.TemporaryDirectory() as tmp:
            found = check_one(seed, tmp, opts, have)
            if found is None:
                continue
            done += 1
            if found:
                bad += 1
                print(f"seed {seed}:", *found[:5], sep="\n  ")
                if opts.keep:
                    shutil.copytree(tmp, f"{opts.keep}/{seed}", dirs_exist_ok=True)
            if bad > 4:
                break
    print(f"{done} traces from seed {opts.seed} on, {bad} differ")
    return bad > 0 or done == 0


if __name__ == "__main__":
    sys.exit(main())
