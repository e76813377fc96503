#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Late events that ovniemu sorts while it reads look as they do after ovnisort.

usage: late_twin.py --emu OVNIEMU --sort OVNISORT [--time SECONDS] [--seed N]

Random streams with regions of late events, among them jumbo ones (of a model that there is not) of up to
2 MiB, larger than a block of the window and than what is left of one.
"""
import argparse
import filecmp
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import tools  # noqa: E402

FILES = ["thread.prv", "thread.pcf", "cpu.prv", "cpu.pcf"]
SIZES = [10, 3000, 100000, 256 * 1024 - 40, 256 * 1024, 256 * 1024 + 1, 1 << 20, (2 << 20) - 30]


def event(mcv, clock, payload=b""):
    return struct.pack("<B3sq", max(len(payload) - 1, 0), mcv, clock) + payload


class Stream:
    """A thread with marks, task types with labels, and large events; none repeats."""

    def __init__(self, rng, tid):
        self.rng, self.tid, self.number = rng, tid, 0

    def some(self, clock):
        self.number += 1
        kind = self.rng.random()
        if kind < 0.02:
            label = struct.pack("<I", self.number * 4 + self.tid) + b"%d\0" % self.number
            return struct.pack("<B3sqI", 0x13, b"VYc", clock, len(label)) + label
        if kind < 0.025:
            size = self.rng.choice(self.sizes)
            return struct.pack("<B3sqI", 0x13, b"XLa", clock, size) + b"x" * size
        return event(b"OM=", clock, struct.pack("<qi", self.number, self.tid))

    def make(self, count, sizes):
        rng, clock, self.sizes = self.rng, 100, sizes
        out = [b"ovni\1\0\0\0", event(b"OHx", clock, struct.pack("<iiQ", self.tid - 1, -1, 0))]
        for _ in range(count):
            for _ in range(rng.randrange(40)):
                clock += rng.randrange(3)
                out.append(self.some(clock))
            begin, clock = clock, clock + rng.randrange(1, 30)
            out.append(event(b"OU[", clock))
            late = begin - rng.randrange(min(begin - 100, 200) + 1)
            for _ in range(rng.randrange(20)):
                late = min(late + rng.randrange(-2 if late > 110 else 5, 9), clock)
                out.append(self.some(late))
            clock += 1
            out.append(event(b"OU]", clock))
        out.append(event(b"OHe", clock + 1))
        return b"".join(out)


def metadata(tid):
    mark = f'"{tid}": {{"title": "m{tid}", "chan_type": "single"}}'
    return f"""{{"version": 3, "ovni": {{"lib": {{"version": "1.14.0", "commit": "c"}},
            "part": "thread", "loom": "n", "pid": 1, "tid": {tid}, "app_id": 1, "finished": 1,
            "require": {{"ovni": "1.1.0", "nosv": "2.7.0", "unknown": "1.0.0"}}, "mark": {{{mark}}},
            "loom_cpus": [{{"index": 0, "phyid": 0}}, {{"index": 1, "phyid": 1}}, {{"index": 2, "phyid": 2}}]}}}}""".encode()


def memory(emu, top):
    """Behind a region, as many bytes as there may be wait, however few events they are."""
    path = f"{top}/trace/thread.1/stream.obs"
    tools.write(path, Stream(random.Random(1), 1).make(1, SIZES[:1])[:-12])
    with open(path, "ab") as f:
        for i in range(300):  # one by one: the memory of this process is counted, too
            f.write(struct.pack("<B3sqI", 0x13, b"XLa", 10000 + i, 1 << 20) + bytes(1 << 20))
        f.write(event(b"OHe", 20000))
    tools.write(f"{top}/trace/thread.1/stream.json", metadata(1))
    env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=8"}
    p = subprocess.run([emu, "-f", "prv", "-o", f"{top}/out", f"{top}/trace"], env=env, capture_output=True, text=True, check=False, timeout=120)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    if p.returncode or "1 regions with late events" not in p.stderr or most > 150:
        return f"300 MiB of jumbo events: status {p.returncode}, {most} MiB of memory: {p.stderr[-1500:]}"
    return None


def one_round(rng, emu, sort, top):
    sizes = SIZES[:rng.choice([2, 4, len(SIZES)])]
    for tid in range(1, rng.choice([1, 3]) + 1):
        folder = f"{top}/trace/loom.n/proc.1/thread.{tid}"
        tools.write(f"{folder}/stream.obs", Stream(rng, tid).make(rng.choice([1, 30, 300]), sizes))
        tools.write(f"{folder}/stream.json", metadata(tid))
    for out, before in (("read", None), ("sorted", [sort, "-q", f"{top}/trace"])):
        for command in [before] * bool(before) + [[emu, "-f", "prv", "-o", f"{top}/{out}", f"{top}/trace"]]:
            p = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
            if p.returncode:
                return f"{' '.join(command)}: status {p.returncode}: {p.stderr[-1500:]}"
    _, other, missing = filecmp.cmpfiles(f"{top}/read", f"{top}/sorted", FILES, shallow=False)
    return f"{other + missing} differ" if other or missing else None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--emu", required=True)
    p.add_argument("--sort", required=True)
    p.add_argument("--time", type=float, default=10)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    args = p.parse_args()
    print("seed", args.seed)
    rng, end, rounds = random.Random(args.seed), time.time() + args.time / int(os.environ.get("TEST_SHARE", "1")), 0
    with tempfile.TemporaryDirectory() as top:
        bad = memory(args.emu, top)
    while not bad and (rounds == 0 or time.time() < end):
        with tempfile.TemporaryDirectory() as top:
            bad = one_round(rng, args.emu, args.sort, top)
        rounds += 1
    print(f"round {rounds}: {bad}" if bad else f"{rounds} rounds")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
