#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Property: ovniemu agrees with a naive twin on random machines.

usage: twin_laplace.py OVNIEMU [--seed N] [--runs N]

The twin keeps a dictionary for each address space and counts sets of pages anew for each
window, for tasks and for processors. It shares no code and no structure with the model, and is made from the
rules in doc/format/laplace.md and doc/models/laplace.md.
"""
import argparse
import collections
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

from worked import read_prv

BASE = 0xC0000000
KINDS = {"r": 0, "w": 1, "i": 2}
# PRV type of each total
TOTALS = {310: "r", 311: "w", 312: "i", 313: "rb", 314: "wb", 318: "new", 319: "refs", 320: "in", 321: "out"}


class Space:
    def __init__(self, number):
        self.number = number
        self.maps = {}   # page -> None (anonymous) or (object, index)
        self.pages = {}  # page -> canonical


class Twin:
    def __init__(self, window, ncpus=1, bare=False):
        self.window = window
        self.ncpus = ncpus
        self.bare = bare     # there are references only: a space is a task
        self.home = {}       # row -> the CPU that it is on
        self.last_run = {}   # CPU -> row
        self.out = collections.defaultdict(list)  # (row, type) -> [(time, value)]
        self.rows = {}       # pid -> row
        self.tids = {}       # row -> pid
        self.space = {}      # row -> Space
        self.spaces = {}     # context -> Space
        self.nspaces = self.nrows = 0
        self.objects = {}    # (object, index) -> canonical
        self.kernel = {}
        self.npages = 0
        self.running = {}    # CPU -> row
        self.footprint = collections.defaultdict(set)
        self.reset()
        self.end = window
        self.any = self.before = False
        self.last = 0

    def reset(self):
        self.count = collections.defaultdict(collections.Counter)
        self.touched = collections.defaultdict(set)
        self.switches = collections.Counter()

    def put(self, row, kind, time, value):
        self.out[row, kind].append((time, value))

    def close(self, time):
        for row in range(1, self.nrows + 2):
            c = self.count[row]
            for kind, key in TOTALS.items():
                self.put(row, kind, time, c[key])
            self.put(row, 315, time, len(self.touched[row]))
            self.put(row, 316, time, len(self.footprint[row]))
        for cpu in range(self.ncpus):
            where = "cpu", cpu + 1
            for kind, key in TOTALS.items():
                self.put(where, kind, time, self.count[where][key])
            self.put(where, 315, time, len(self.touched[where]))
            self.put(where, 316, time, len(self.footprint[where]))
            self.put(where, 330, time, self.switches[cpu])
        self.reset()

    def run(self, time, cpu, row):
        """None: nothing. A row is on one CPU at a time."""
        for k in [k for k, r in self.running.items() if k == cpu or r == row]:
            del self.running[k]
            self.put(("cpu", k + 1), 2, time, 0)
        if row:
            self.running[cpu] = self.last_run[cpu] = row
            self.home[row] = cpu
            self.put(("cpu", cpu + 1), 2, time, self.tids[row])
            self.put(row, 6, time, cpu + 1)

    def make_row(self, time, cpu, pid):
        if pid not in self.rows:
            self.nrows += 1
            self.rows[pid] = row = self.nrows + 1
            self.tids[row] = pid
            self.home[row] = cpu
            self.put(row, 6, time, cpu + 1)
        return self.rows[pid]

    def advance(self, time):
        while time >= self.end and (self.any or self.before):
            self.close(self.end)
            self.before, self.any = self.any, False
            self.end += self.window
        if time >= self.end:
            self.end = time // self.window * self.window + self.window
        self.any = True
        self.last = time

    def new(self, table, key):
        if key in table:
            return table[key], False
        self.npages += 1
        table[key] = self.npages
        return self.npages, True

    def find(self, space, page):
        if page << 12 >= BASE:
            return self.new(self.kernel, page)
        if page in space.pages:
            return space.pages[page], False
        where = space.maps.get(page)
        return self.new(self.objects, where) if where else self.new(space.pages, page)

    def get_space(self, context):
        if context not in self.spaces:
            self.nspaces += 1
            self.spaces[context] = Space(self.nspaces)
        return self.spaces[context]

    def ref(self, time, kind, length, context, addr, cpu=0):
        self.advance(time)
        space = self.get_space(context)
        if self.bare and addr < BASE:
            row = self.make_row(time, cpu, space.number)
            self.switches[cpu] += self.last_run.get(cpu) != row
            if self.running.get(cpu) != row:
                self.run(time, cpu, row)
        row = self.running.get(cpu, 1)
        both = row, ("cpu", cpu + 1)
        for c in (self.count[x] for x in both):
            c[kind] += 1
            c[kind + "b"] += length
            c["refs"] += 1
        for page in sorted({addr >> 12, (addr + length - 1) >> 12}):
            number, first = self.find(space, page)
            for x in both:
                self.count[x]["new"] += first
                self.touched[x].add(number)
                self.footprint[x].add(number)
            self.put(row, 340, time, number)

    def event(self, time, tag, args, cpu=0):
        self.advance(time)
        pid = args[1] if tag == "F" else args[0] if args and tag not in "Du" else None
        for p in ([pid] if pid else []) + ([args[0]] if tag == "F" else []):
            self.make_row(time, cpu, p)
        row = self.rows.get(pid, 1) if pid else self.running.get(cpu, 1)
        s = self.space.get(row)
        if tag == "F":
            self.space[self.rows[args[0]]] = s
        elif tag == "A":
            if args[1] in self.spaces:
                del self.spaces[args[1]]
            self.space[row] = self.get_space(args[1])
        elif tag == "S":
            self.switches[cpu] += 1
            if self.running.get(cpu) != (row if pid else None):
                self.run(time, cpu, row if pid else None)
        elif tag == "T":
            if self.running.get(self.home[row]) == row:
                self.run(time, self.home[row], None)
            self.put(row, 6, time, 0)
        elif tag == "D":
            a, b = self.get_space(args[0]), self.get_space(args[1])
            for page in range(args[2] >> 12, (args[3] - 1 >> 12) + 1):
                for mine, theirs in ((a.maps, b.maps), (a.pages, b.pages)):
                    theirs.pop(page, None)
                    if page in mine:
                        theirs[page] = mine[page]
        elif tag == "u":
            self.spaces.pop(args[0], None)
        elif tag == "C":
            self.npages += 1
            s.pages[args[1] >> 12] = self.npages
        elif tag in "mMsU":
            for i, page in enumerate(range(args[1] >> 12, (args[1] + args[2] - 1 >> 12) + 1)):
                s.maps.pop(page, None)
                s.pages.pop(page, None)
                if tag == "m":
                    s.maps[page] = None
                elif tag == "M":
                    s.maps[page] = ("file", *args[3:6], (args[6] >> 12) + i)
                elif tag == "s":
                    s.maps[page] = ("shm", args[3], i)
        elif tag in "<>":
            for x in row, ("cpu", cpu + 1):
                self.count[x]["in" if tag == "<" else "out"] += args[5]
            for page in range(args[4] >> 12, (args[4] + args[5] - 1 >> 12) + 1):
                self.new(self.objects, ("file", *args[1:4], page))

    def finish(self):
        if self.any:
            self.close(self.last)


def make(rng, n, ncpus=1):
    """Records of a machine that does what a kernel might: (time, tag or kind, numbers, CPU).
    Of several CPUs no events, which others may depend on, have the same time."""
    t = rng.randrange(1 << 40)
    records = []
    live = {}  # pid -> context
    pids = iter(range(0x10, 0x10000))
    contexts = iter(range(0xA00, 0x100000))
    running = {}

    def add(tag, *args):
        nonlocal t
        t += rng.choice((0, 0, 1, 1, 2, 7, 40, 900)) if rng.random() < 0.999 else 20000
        t += ncpus > 1 and tag not in KINDS
        records.append((t, tag, args, cpu))

    def some_range():
        return 0x8048000 + rng.randrange(64) * 4096, rng.randrange(1, 8 * 4096)

    cpu = 0
    foreign = rng.choice((0, 0.02)) if ncpus > 1 else 0  # references to spaces of others
    first = next(pids)
    live[first] = next(contexts)
    add("A", first, live[first])
    while len(records) < n:
        what = rng.random()
        cpu = rng.randrange(ncpus)
        pid = rng.choice(list(live))
        if what < 0.01 and len(live) < 8:
            child = next(pids)
            add("F", child, pid)
            live[child] = live[pid]
            if rng.random() < 0.8:
                live[child] = next(contexts)
                add("A", child, live[child])
                add("D", live[pid], live[child], 0x8048000, 0x8048000 + 0x48000)
        elif what < 0.013 and len(live) > 1 and (ncpus > 1 or pid == running.get(0)):
            add("T", pid)
            context = live.pop(pid)
            running = {k: p for k, p in running.items() if p != pid}
            if context not in live.values():
                add("u", context)
        elif what < 0.04:
            pid = 0 if ncpus > 1 and rng.random() < 0.1 else pid
            add("S", pid)
            running = {**{k: p for k, p in running.items() if p != pid}, cpu: pid}
        elif what < 0.06:
            add("m", pid, *some_range())
        elif what < 0.07:
            add("U", pid, *some_range())
        elif what < 0.08:
            add("M", pid, *some_range(), rng.randrange(3), 8, 1, rng.randrange(4) * 4096 + rng.choice((0, 17)))
        elif what < 0.09:
            add("s", pid, *some_range(), rng.randrange(2))
        elif what < 0.10:
            add(rng.choice("<>"), pid, rng.randrange(3), 8, 1, rng.randrange(30000), rng.randrange(1, 20000))
        elif what < 0.11:
            add("C", pid, 0x8048000 + rng.randrange(64) * 4096)
        else:
            for _ in range(rng.randrange(1, 60)):
                if rng.random() < 0.5:
                    cpu = rng.randrange(ncpus)
                addr = 0x8048000 + rng.randrange(72) * 4096 + rng.choice((0, 4, 0xFFE, rng.randrange(4096)))
                if rng.random() < 0.1:
                    addr = BASE + rng.randrange(32) * 4096 + 4092
                add(rng.choice("rwi"), rng.choice((1, 2, 4, 8, 15)), rng.choice(list(live.values())) if rng.random() < foreign else live.get(running.get(cpu), live[pid]), addr)
    return sorted(records, key=lambda r: (r[0], r[1] in KINDS, r[3])) if ncpus > 1 else records


def changes(s):
    """What differs, and of one instant the last."""
    out = []
    now = 0
    for i, (t, v) in enumerate(s):
        if i + 1 < len(s) and s[i + 1][0] == t:
            continue
        if v != now:
            out.append((t, v))
        now = v
    return out


def line_of(time, tag, args):
    name = " lib.so" if tag == "M" else ""
    return f"{tag} {time:x} " + " ".join(f"{a:x}" for a in args) + name + "\n"


def one_run(emu, seed, tmp):
    rng = random.Random(seed)
    records = make(rng, rng.choice((50, 500, 4000)))
    window = rng.choice((64, 1000, 4096, 100000))
    origin = records[0][0]
    twin = Twin(window)
    with open(f"{tmp}/x.lmt", "w", encoding="utf-8") as mixed:
        for time, tag, args, _ in records:
            mixed.write(line_of(time, tag, args))
            if tag in KINDS:
                twin.ref(time - origin, tag, *args)
            else:
                twin.event(time - origin, tag, args)
    twin.finish()
    refs = rng.choice(("all", "pages", "none"))
    # The interleave keeps the order of one instant.
    p = subprocess.run([emu, "-q", "-f", "prv", "-o", f"{tmp}/out", f"--laplace-window={window}", f"--laplace-refs={refs}", "--laplace", f"{tmp}/x.lmt"],
                       capture_output=True, text=True, timeout=120, check=False)
    if p.returncode:
        return [f"seed {seed}: status {p.returncode}: {p.stderr}"]
    return compare(twin, seed, tmp, refs)


def compare(twin, seed, tmp, refs):
    found = []
    thread, cpu = read_prv(f"{tmp}/out/thread.prv"), read_prv(f"{tmp}/out/cpu.prv")
    for (row, kind), s in twin.out.items():
        if kind == 340:
            continue
        got = changes(cpu.get((row[1], kind), []) if isinstance(row, tuple) else thread.get((row, kind), []))
        want = changes(s)
        if got != want:
            at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
            found.append(f"seed {seed}: row {row}, type {kind}: change {at}: {got[at:at + 3]}, expected {want[at:at + 3]}")
    for row in range(1, twin.nrows + 2):
        shown = {v for _, v in thread.get((row, 340), [])} - {0}
        want = {v for _, v in twin.out[row, 340]}
        if refs != "none" and not shown <= want:
            found.append(f"seed {seed}: row {row} shows the pages {sorted(shown - want)[:5]} that it has not touched")
        if refs != "none" and want and max(want) not in shown and len(want - shown) > len(want) // 2:
            found.append(f"seed {seed}: row {row} does not show most of its pages")
    return found


def split_run(emu, seed, tmp):
    """Binary references in runs (none) count what single ones (all) do."""
    records = make(random.Random(seed), 3000)
    with open(f"{tmp}/k.lkt", "w", encoding="utf-8") as k, open(f"{tmp}/r.lrb", "wb") as r:
        for time, tag, args, _ in records:
            if tag in KINDS:
                r.write(tag.encode() + struct.pack("<QBII", time, *args))
            else:
                k.write(line_of(time, tag, args))
    return run_as_one(emu, seed, tmp, "--laplace-window=5000", "--laplace", f"{tmp}/r.lrb", "--laplace-kernel", f"{tmp}/k.lkt")


def run_as_one(emu, seed, tmp, *args):
    results = []
    for refs in "all", "none":
        p = subprocess.run([emu, "-q", "-f", "prv", "-o", f"{tmp}/{refs}", f"--laplace-refs={refs}", *args], capture_output=True, text=True, timeout=120, check=False)
        if p.returncode:
            return [f"seed {seed}: status {p.returncode}: {p.stderr}"]
        results.append({**{("t", *k): changes(s) for k, s in read_prv(f"{tmp}/{refs}/thread.prv").items()},
                        **{("c", *k): changes(s) for k, s in read_prv(f"{tmp}/{refs}/cpu.prv").items()},
                        ("warnings", 0, 0): re.findall(r"(L[A-Z]\d\d): (\d+) time", p.stderr)})
    one, runs = results
    return [f"seed {seed}: {key}: {runs.get(key, [])[:3]} with runs, {s[:3]} without" for key, s in one.items()
            if key[2] not in (300, 304, 340) and s != runs.get(key, [])]


def cpus_run(emu, seed, tmp):
    """Several CPUs, with events of their kernels or without."""
    rng = random.Random(seed)
    ncpus = rng.randrange(2, 5)
    bare = rng.random() < 0.3
    records = [r for r in make(rng, rng.choice((100, 2000)), ncpus) if not bare or r[1] in KINDS]
    window = rng.choice((64, 1000, 100000))
    twin = Twin(window, ncpus, bare)
    files = [{k: bytearray() for k in ("references", "kernel")} for _ in range(ncpus)]
    for time, tag, args, cpu in records:
        if tag in KINDS:
            files[cpu]["references"] += tag.encode() + struct.pack("<QBII", time, *args)
            twin.ref(time - records[0][0], tag, *args, cpu)
        else:
            files[cpu]["kernel"] += line_of(time, tag, args).encode()
            twin.event(time - records[0][0], tag, args, cpu)
    twin.finish()
    suffix = {"references": "lrb", "kernel": "lkt"}
    for i, f in enumerate(files):
        for k in ("references",) if bare else f:
            with open(f"{tmp}/{i}.{suffix[k]}", "wb") as out:
                out.write(f[k])
    with open(f"{tmp}/laplace.json", "w", encoding="utf-8") as f:
        json.dump({"version": 1, "format": "laplace", "cpus": [
            {k: f"{i}.{suffix[k]}" for k in (("references",) if bare else suffix)} for i in range(ncpus)]}, f)
    refs = rng.choice(("all", "pages", "none"))
    p = subprocess.run([emu, "-q", "-f", "prv", "-o", f"{tmp}/out", f"--laplace-window={window}", f"--laplace-refs={refs}", tmp],
                       capture_output=True, text=True, timeout=120, check=False)
    if p.returncode:
        return [f"seed {seed}: status {p.returncode}: {p.stderr}"]
    what = f"{seed} with {ncpus} CPUs{', bare' * bare}"
    found = compare(twin, f"{what}, refs {refs}", tmp, refs)
    return found + run_as_one(emu, what, tmp, f"--laplace-window={window}", tmp) if seed % 2 else found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("emu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=40)
    o = parser.parse_args()
    found = []
    o.runs = max(o.runs // int(os.environ.get("TEST_SHARE", "1")), 1)
    for seed in range(o.seed, o.seed + o.runs):
        with tempfile.TemporaryDirectory() as tmp:
            os.mkdir(f"{tmp}/out")
            found += one_run(o.emu, seed, tmp)
            if seed % 4 == 0:
                found += split_run(o.emu, seed, tmp)
        with tempfile.TemporaryDirectory() as tmp:
            found += cpus_run(o.emu, seed, tmp)
        if len(found) > 10:
            break
    print("\n".join(found[:20]) or f"{o.runs} machines agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
