#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reuse distances are those that a list of lines has, in random programs and in one that is looked at by hand.

usage: analyses_reuse.py OVNIEMU REUSE.so [SEED]
"""
import collections
import os
import random
import sys
import tempfile

import hooks_kit as kit
from analyses_kit import Analyser, Program

EMU, REUSE = (os.path.abspath(p) for p in sys.argv[1:3])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
ROUNDS = 24 // int(os.environ.get("TEST_SHARE", "1")) or 1
MASK = (1 << 64) - 1
bad = n = 0


def same(what, got, want):
    global bad, n
    n += 1
    if got != want:
        bad += 1
        print(f"FAILED: {what}\ngot:\n{got}\nwant:\n{want}")


SMALL = """\
reuse distances of lines of 64 bytes, and caches that keep what was used last

all streams: 7 accesses, 3 lines, first accesses 3
   cache bytes          lines         reused         misses miss ratio
            64              1              1              6     0.8571
           128              2              2              4     0.5714
           256              4              1              3     0.4286
"""


def small(analyser, where):
    """a b b a, c with an access that goes on in a, b"""
    os.makedirs(where)
    with open(f"{where}/s.prism", "wb") as f:
        f.write(kit.cfg("mem", 0xe0) + kit.swap(1) + b"".join(kit.mem("load", 3, a) for a in (0x40, 0x80, 0x81, 0x47, 0x3c, 0x80)) + kit.END)
    same("small", analyser.run(["--prism", f"{where}/s.prism"], REUSE), (SMALL, ""))
    got = analyser.json(["--prism", f"{where}/s.prism"], f"{REUSE} line=128")
    same("small in lines of 128", [(s["stream"], s["accesses"], s["lines"], s["first"], s["distances"]) for s in got["streams"]],
         [(None, 6, 2, 2, [{"from": 0, "to": 0, "accesses": 2}, {"from": 1, "to": 1, "accesses": 2}])])
    # without sizes each access is of one byte
    with open(f"{where}/no.prism", "wb") as f:
        f.write(kit.cfg("mem", 0xa0) + kit.mem("load", 0, 0x3f) + kit.mem("load", 0, 0x40) + kit.END)
    same("no sizes", analyser.json(["--prism", f"{where}/no.prism"], REUSE)["streams"][0]["lines"], 2)
    with open(f"{where}/none.prism", "wb") as f:
        f.write(kit.cfg("mem", 0xc0) + kit.mem("load", 0) + kit.END)
    same("no addresses", "it needs the address" in analyser.run(["--prism", f"{where}/none.prism"], REUSE, status=1)[1], True)
    with open(f"{where}/empty.prism", "wb") as f:
        f.write(kit.END)
    same("nothing", analyser.json(["--prism", f"{where}/empty.prism"], REUSE)["streams"], [])
    out = analyser.run(["--prism", f"{where}/s.prism"], f"{REUSE} out={where}/report")[0]
    with open(f"{where}/report", encoding="utf-8") as f:
        same("out", (out, f.read()), ("", SMALL))
    for words, why in (("line=48", "line=48 is no power of two"), ("line=0", "line"), ("keep=1", "keep"), ("sample=3", "no power of two"),
                       ("format=xml", "format"), ("out=", "out needs a file"), (f"out={where}/no/such", "cannot be opened"), ("lime=3", "lime"),
                       ("out=/dev/full", "/dev/full cannot be written")):
        err = analyser.run(["--prism", f"{where}/s.prism"], f"{REUSE} {words}", status=1)[1]
        same(f"{words}: {err}", why in err, True)


def hash_of(key):
    for _ in range(2):
        key ^= key >> 32
        key = key * 0xd6e8feb86659fd93 & MASK
    return key ^ key >> 32


def bucket_of(distance):
    if distance < 8:
        return distance, distance
    shift = distance.bit_length() - 4
    return distance >> shift << shift, ((distance >> shift) + 1 << shift) - 1


class Twin:
    """Lines in a list, the last one accessed in front."""

    def __init__(self, line, keep, sample):
        self.line, self.keep, self.sample = line, keep, sample
        self.list = []
        self.accesses = self.first = 0
        self.distances = collections.Counter()

    def kept(self, key):
        return hash_of(key) * self.sample >> 64 == 0

    def touch(self, key):
        self.accesses += 1
        if not self.kept(key):
            return
        if key in self.list:
            self.distances[bucket_of(self.list.index(key) * self.sample)] += self.sample
            self.list.remove(key)
            self.list.insert(0, key)
            return
        while len(self.list) >= self.keep:
            self.sample *= 2
            self.list = [k for k in self.list if self.kept(k)]
        if self.kept(key):
            self.first += self.sample
            self.list.insert(0, key)

    def report(self, stream):
        missing = self.accesses - self.first - sum(self.distances.values())
        self.distances[0, 0] = max(self.distances[0, 0] + missing, 0)
        distances = [{"from": a, "to": b, "accesses": v} for (a, b), v in sorted(self.distances.items()) if v]
        misses = []
        size = 1
        while distances and size <= distances[-1]["to"] + 1:
            at_least = self.first + sum(d["accesses"] for d in distances if d["from"] >= size)
            misses.append({"lines": size, "misses": at_least, "ratio": round(at_least / self.accesses, 6)})
            size = bucket_of(size)[1] + 1
        return {"stream": stream, "accesses": self.accesses, "lines": len(self.list) * self.sample, "first": self.first, "sample": self.sample,
                "distances": distances, "misses": misses}


def expected(program, line, keep, sample):
    numbers = {}
    shift = line.bit_length() - 1
    twins = collections.defaultdict(lambda: Twin(line, keep, sample))
    for e in program.events:
        if e.what != "mem":
            continue
        process = numbers.setdefault(e.process, len(numbers))
        last = min(e.addr + e.size - 1, (1 << 56) - 1)
        for key in range(e.addr >> shift, (last >> shift) + 1):
            for twin in {-1, e.stream}:
                twins[twin].touch(process << 56 - shift | key)
    streams = sorted(s for s in twins if s >= 0)
    return [twins[-1].report(None)] * bool(streams) + [twins[s].report(s) for s in streams if len(streams) > 1]


with tempfile.TemporaryDirectory() as tmp:
    runs = Analyser(EMU, tmp)
    small(runs, f"{tmp}/small")
    for k in range(ROUNDS):
        rng = random.Random(SEED + k)
        args = {"line": rng.choice((1, 8, 64, 4096)), "keep": rng.choice((16, 1 << 20, 1 << 20)), "sample": rng.choice((1, 1, 1, 4))}
        # The twin looks for a line in a list of all: where there are many accesses there are few lines.
        many = k == 0 or (k % 8 == 0 and rng.random() < 0.3)
        if k == 0:
            args = {"line": 1, "keep": 1 << 20, "sample": 1}
        few = (lambda: rng.randrange(1024)) if many and args["line"] < 64 else None
        p = Program(rng, count=8000 if many else 400, addresses=few)
        result = runs.json(p.write(f"{tmp}/{k}"), " ".join([REUSE] + [f"{key}={v}" for key, v in args.items()]))
        same(f"seed {SEED} round {k}: line", result["line"], args["line"])
        same(f"seed {SEED} round {k} {args}", result["streams"], expected(p, **args))
print(f"{n - bad} passed, {bad} failed")
sys.exit(1 if bad else 0)
