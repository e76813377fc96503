#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random calls of the writer, wrong ones too, against its plain twin: the same bytes.
Every second time, cycles that only set are phrases.

usage: random_writes.py SCRIPT [SECONDS [SEED [CALLS]]]

SCRIPT is the program of script.c. The seed of a failure is printed; with it the run is
that one alone. CALLS: a file for its calls.
"""
import os
import random
import subprocess
import sys
import tempfile
import time

from encoder import SIZES, Encoder


def line(*fields):
    return "\t".join(str(f) for f in fields)


def name(r):
    return "=" + r.choice(["a", "b", "clk", "entity_id", "naïve", "", "x" * 30, "tab\\tline\\nend", "entity"])


class Case:
    def __init__(self, seed):
        self.r = random.Random(seed)
        # Cycles with as many SETs as fit a record, or a few less or more: the first make room, the last has it.
        self.full = 3 if seed % 12 == 0 else 0
        self.lines = []
        self.storages = []
        self.events = []
        self.define()
        self.run()

    def put(self, *fields):
        self.lines.append(line(*fields))

    def fields(self, verb, owner, n, nenums):
        kinds = []
        for _ in range(n):
            kind = self.r.randint(1, 11 if nenums else 10)
            entity = verb == "field" and self.r.random() < 0.2  # what the summary counts
            self.put(verb, owner, "=entity_id" if entity else name(self.r), kind, self.r.randrange(nenums) if nenums else -1)
            kinds.append(kind)
        return kinds

    def define(self):
        r = self.r
        for _ in range(r.randint(1, 3)):
            self.put("clock", name(r), r.choice([0, 1, 500, 1000, 333, 2**32 - 1]))
        nscopes = r.randint(1, 4)
        for i in range(nscopes):
            self.put("scope", name(r), r.randrange(i) if i else -1, r.choice(["-", "=", "=cpu"]), r.choice([-1, 0]))
        nenums = r.randint(0, 2)
        for i in range(nenums):
            self.put("enum", name(r))
            for _ in range(r.randint(0, 5)):
                self.put("value", i, r.randrange(256), name(r))
        many = 300 if r.random() < 0.1 else 0
        for i in range(r.randint(0, 4) + many):
            slots = r.choice([0, 1, 1, 2, 7, 8, 9, 30])
            flags = r.choice([0, 0, 1, 1, 2, 3])
            self.put("storage", name(r), r.randrange(-1, nscopes), slots, flags)
            if r.random() < 0.2 and slots == 1 and flags == 0:
                self.put("field", i, name(r), 4, -1)
                kinds = [4]
            else:
                kinds = self.fields("field", i, r.choice([0, 1, 2, 4]), nenums)
            props = self.fields("property", i, r.choice([0, 0, 1, 3]), nenums)
            self.storages.append((slots, flags, kinds, props))
            if kinds and r.random() < 0.1:
                self.put("ext", 0, i, r.randrange(len(kinds)), "01020304")
        for i in range(r.randint(0, 3)):
            self.put("eventtype", name(r), r.randrange(-1, nscopes))
            self.events.append(self.fields("eventfield", i, r.choice([0, 1, 3]), nenums))
        for _ in range(r.choice([0, 0, 2])):
            self.put("sumfield", name(r), r.randint(1, 11), r.randrange(-1, nscopes))
        for _ in range(r.randint(0, 3)):
            self.put("dut", name(r), name(r))

    def value(self):
        r = self.r
        return r.choice([0, 1, 2, r.randrange(256), r.randrange(65536), 65535, 65536, r.randrange(2**32), 2**64 - 1,
                         2**64 - r.randrange(1, 300), r.randrange(2**64)]) if r.random() < self.wild else r.randrange(200)

    def options(self):
        r = self.r
        self.put("option", "compression", 2)
        self.put("option", "frames", 0 if self.full else r.randrange(3))
        self.origin = r.choice([0, 0, 0, 777, 10**6])
        self.put("option", "origin_ps", self.origin)
        self.put("option", "interval_ps", r.choice([0, 1, 1000, 4000, 10**6, 2**63]))
        self.put("option", "max_raw", r.choice([0, 1, 50, 1000, 100000]))
        self.put("option", "min_raw", r.choice([0, 0, 30, 400]))
        self.put("option", "drop_empty", r.randrange(2))
        self.put("option", "only_changes", r.choice([0, 0, 1]))
        self.put("option", "background", r.randrange(2))
        self.far = r.random() < 0.3  # a summary would be long
        self.put("option", "no_summary", int(self.far))
        self.put("option", "no_checksums", r.choice([0, 0, 1]))
        self.put("option", "no_auto_summary", r.choice([0, 0, 1]))
        self.put("option", "summary_base", r.choice([0, 1, 7, 8]))
        self.put("option", "summary_fan_out", r.choice([0, 2, 3, 10]))
        self.put("option", "summary_budget", r.choice([0, 1, 100000]))

    def run(self):
        r = self.r
        self.wild = r.choice([0, 0.02, 0.5, 1])
        self.wrong = r.choice([0, 0, 0.02])
        self.alone = r.choice([0, 0.3, 1])  # how many cycles have SETs alone
        self.options()
        self.put("open")
        self.counters = []
        if self.storages and r.random() < 0.5:
            for _ in range(r.randint(1, 3)):
                self.counters.append((r.randrange(len(self.storages)), name(r)))
                self.put("counter", self.counters[-1][1], self.counters[-1][0])
        step = r.choice([1, 50, 700, 3000])
        t = self.origin
        for _ in range(r.choice([0, 1, 5, 60, 400])):
            t += r.choice([0, 1, r.randrange(step + 1), r.randrange(step + 1), step * r.choice([1, 20])])
            if r.random() < 0.02:
                t = (t + 999) // 1000 * 1000
            if self.far and r.random() < 0.1:
                t += r.randrange(2**r.randrange(64))
            t = min(t, 2**64 - 2)
            if self.full:
                self.full -= 1
                self.full_cycle(t)
            self.cycle(t)
            if r.random() < 0.02:
                self.put("flush")
                t += 1
        if r.random() < 0.5:
            self.put("setend", min(r.choice([0, t, t + 1, t + 10**7]), 2**64 - 1))
        self.put("finish")

    def full_cycle(self, t):
        r = self.r
        places = [(i, fields) for i, (slots, _, fields, _) in enumerate(self.storages) if slots and fields]
        if not places:
            return
        self.put("begin", t)
        n = 65535 + r.randrange(-1, 3)
        other = r.choice([-1, r.randrange(n)])
        s, fields = r.choice(places)
        for i in range(n):
            if i == other:
                self.item(False)
            self.put("set", s, 0, i % len(fields), i & 1)
        self.put("end")

    def cycle(self, t):
        r = self.r
        self.put("begin", t if r.random() >= self.wrong else r.choice([0, t, 2**64 - 1]))
        alone = r.random() < self.alone
        n = r.choice([0, 0, 1, 2, 4, 9])
        if r.random() < 0.001:
            n = r.choice([65535, 65536, 70000])  # the first is what a frame can have
        big = n > 1000
        for _ in range(n):
            if alone:
                self.operation(0)
            else:
                self.item(big and r.random() < 0.99)
        for i in range(0 if alone else len(self.counters)):
            if r.random() < 0.3:
                self.put("sadd", self.first + i, t, r.choice([0, 1, 5, 2**64 - 1, r.randrange(1000)]))
            if r.random() < 0.05:
                self.put("span", self.first + i, max(0, t - r.randrange(5000)), t)
        if not alone and r.random() < 0.05:
            self.put("density", t, r.choice([1, 7, 2**32 - 1]))
        if r.random() >= self.wrong:
            self.put("end")

    @property
    def first(self):
        """Counters of the application come behind the automatic ones."""
        if "option\tno_auto_summary\t1" in self.lines or "option\tno_summary\t1" in self.lines:
            return 0
        return sum(s == (1, 0, [4], s[3]) for s in self.storages)

    def item(self, plain):
        r = self.r
        if r.random() < 0.1 and not plain:
            self.put("string", name(r) + str(r.randrange(20)))
        kind = r.randrange(6)
        if kind == 5 and self.events:
            e = r.randrange(len(self.events))
            if r.random() < 0.5:
                n = len(self.events[e]) + (r.random() < self.wrong)
                self.put("values", e, ",".join(str(self.value()) for _ in range(n)))
                return
            self.put("event", e, bytes(r.randrange(256) for _ in range(sum(SIZES[k] for k in self.events[e]))).hex())
            return
        self.operation(kind)

    def operation(self, kind):
        r = self.r
        if not self.storages:
            return
        off = r.random() < self.wrong
        s = r.randrange(len(self.storages)) + (300 if off and r.random() < 0.3 else 0)
        slots, flags, fields, props = self.storages[s % len(self.storages)]
        slot = r.randrange(slots) if slots else 0
        if kind == 4:
            if props or off:
                self.put("prop", s, r.randrange(len(props) + off), self.value())
        elif kind == 3:
            if (slots and flags & 1) or off:
                self.put("clear", s, slot + (off and r.random() < 0.3) * 100)
        elif (slots and fields) or off:
            f = r.randrange(len(fields) + off)
            if kind == 2 and ((f < len(fields) and fields[f] < 9) or off):
                self.put("add", s, slot, f, self.value())
            else:
                self.put("set", s, slot + (off and r.random() < 0.3) * 100, f, self.value())


def check(script, seed, tmp):
    case = Case(seed)
    if len(sys.argv) > 4:
        with open(sys.argv[4], "w", encoding="utf-8") as f:
            f.write("\n".join(case.lines) + "\n")
    twin = Encoder()
    want = twin.run(case.lines)
    out = os.path.join(tmp, "out.uscp")
    together = ["together"] if seed % 2 else []
    run = subprocess.run([script, out, *together], input="\n".join(case.lines) + "\n", text=True, capture_output=True, check=False)
    with open(out, "rb") as f:
        have = f.read()
    if run.returncode == 0 and run.stdout == twin.said and have == want:
        return len(have)
    print(f"seed {seed}: status {run.returncode}\n{run.stderr}have: {run.stdout}want: {twin.said}")
    at = next((i for i, (a, b) in enumerate(zip(have, want)) if a != b), min(len(have), len(want)))
    print(f"{len(have)} bytes, wanted {len(want)}; the first difference is at {at:#x}")
    print("have", have[at:at + 32].hex())
    print("want", want[at:at + 32].hex())
    sys.exit(1)


def main():
    script = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5 / int(os.environ.get("TEST_SHARE", "1"))
    with tempfile.TemporaryDirectory() as tmp:
        if len(sys.argv) > 3:
            check(script, int(sys.argv[3]), tmp)
            return
        first = seed = int(time.time()) * 1000
        end = time.monotonic() + seconds
        total = 0
        while time.monotonic() < end:
            total += check(script, seed, tmp)
            seed += 1
        print(f"seeds {first} to {seed - 1}: {total} bytes, all equal")


if __name__ == "__main__":
    main()
