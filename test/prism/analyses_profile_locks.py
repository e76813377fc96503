#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The analyses profile and locks tell the truth: exact reports of small streams, and those of random
ones against what is counted here from the list of events.

usage: analyses_profile_locks.py OVNIEMU PROFILE.so LOCKS.so [SEED]
"""
import collections
import json
import os
import random
import re
import sys
import tempfile

import hooks_kit as kit
from hooks_kit import Run, cfg, comp, cxt, enter, leave, mem, swap, sync

EMU, PROFILE, LOCKS = (os.path.abspath(p) for p in sys.argv[1:4])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
ROUNDS = 24 // int(os.environ.get("TEST_SHARE", "1")) or 1
bad = n = 0


def same(what, got, want):
    global bad, n
    n += 1
    if got != want:
        bad += 1
        print(f"FAILED: {what}\ngot:\n{got}\nwant:\n{want}")


# ---- Small streams. ----

WORKED_PROFILE = """\
     self ns      calls       events      insns      loads   load bytes     stores  store bytes    int ops     fp ops  function
           8          1            8          1          1            4          1            8          1          0  main
           4          1            4          0          0            0          0            0          0          1  worker
           3          0            4          0          0            0          0            0          0          0  (no function)

       calls  caller -> callee
           1  (no function) -> main
           1  (no function) -> worker
"""

# Two threads, a mutex: thread 2 wants it while 1 has it, and 1 while 2 has it.
CONTENDED = (swap(1) + sync(kit.LOCK, 0xa0) + mem() + swap(2) + mem() + swap(1) + sync(kit.UNLOCK, 0xa0) + swap(2) + sync(kit.LOCK, 0xa0) +
             sync(kit.SPIN_LOCK, 0xb0) + sync(kit.SPIN_UNLOCK, 0xb0) + sync(kit.UNLOCK, 0xa0) + swap(1) + sync(kit.LOCK, 0xa0) +
             sync(kit.LOCK, 0xc0) + sync(kit.COND_WAIT, 0xd0, 0xc0) + sync(kit.UNLOCK, 0xc0) + kit.END)

CONTENDED_LOCKS = """\
lock               kind       taken  handed on      waits wait at most      longest      held ns      longest
a0                 mutex          3          2          2           11            7            8            5 (held in the end)
b0                 spin           1          0          0            0            0            1            1
c0                 mutex          1          0          0            0            0            2            2

       waits wait at most  who waited for whom
           1            7  thread 1 for thread 2
           1            4  thread 2 for thread 1
"""


def small(where):
    r = Run(EMU, f"{where}/worked", [kit.WORKED], "--prism-hooks", PROFILE)
    same("profile of the worked example", (r.status, r.err), (0, ""))
    same("profile of the worked example: report", r.out, WORKED_PROFILE)
    r = Run(EMU, f"{where}/contended", [CONTENDED], "--prism-hooks", LOCKS)
    same("locks", (r.status, r.err), (0, ""))
    same("locks: report", r.out, CONTENDED_LOCKS)
    same("locks: the channel", r.lines("thread", 480), {1: "12:7 13:0", 2: "7:4 8:0"})
    # thread 1 waits for a condition, which is told when it has the mutex again: nobody waits for that
    condition = (swap(1) + sync(kit.LOCK, 0xc0) + swap(2) + mem() + sync(kit.LOCK, 0xc0) + sync(kit.UNLOCK, 0xc0) + swap(1) +
                 sync(kit.COND_WAIT, 0xd0, 0xc0) + sync(kit.UNLOCK, 0xc0) + kit.END)
    r = Run(EMU, f"{where}/condition", [condition], "--prism-hooks", LOCKS)
    same("locks: condition", r.out.splitlines()[1:], [
        "c0                 mutex          3          2          0            0            0            5            3", "",
        "       waits wait at most  who waited for whom"])
    # two streams: given back at 2, just when the other thread did something else; then at 6, behind that
    r = Run(EMU, f"{where}/streams", [swap(1) + (sync(kit.LOCK, 0xa0) + sync(kit.UNLOCK, 0xa0) + mem() * 2) * 2 + kit.END,
                                      swap(2) + mem() * 2 + sync(kit.LOCK, 0xa0) + sync(kit.UNLOCK, 0xa0) + sync(kit.LOCK, 0xb0) + swap(2) +
                                      sync(kit.LOCK, 0xa0) + kit.END], "--prism-hooks", LOCKS)
    same("locks: two streams", r.out.splitlines()[1:], [
        "a0                 mutex          4          3          1            2            2            3            1 (held in the end)",
        "b0                 mutex          1          0          0            0            0            0            0 (held in the end)", "",
        "       waits wait at most  who waited for whom", "           1            2  thread 2 for thread 1"])
    for name, tool in (("profile", PROFILE), ("locks", LOCKS)):
        r = Run(EMU, f"{where}/empty-{name}", [kit.END], "--prism-hooks", tool)
        same(f"{name} of an empty stream", (r.status, len(r.out.splitlines())), (0, 3))
        r = Run(EMU, f"{where}/needs-{name}", [cfg("cxt", 0x80) + cfg("sync", 0x80) + bytes([0x63, 0x46]) + kit.END], "--prism-hooks", tool)
        same(f"{name} needs more", (r.status, "it needs the " in r.err), (1, True))
        r = Run(EMU, f"{where}/full-{name}", [kit.WORKED], "--prism-hooks", tool, stdout="/dev/full")
        same(f"{name} cannot write", (r.status, "stdout cannot be written" in r.err), (1, True))
    # names are any bytes
    r = Run(EMU, f"{where}/bytes", [swap(1) + enter(b"\x1b[2J\\\xff\0") + kit.END], "--prism-hooks", PROFILE)
    same("hostile names", r"\x1b[2J\\\xff\x00" in r.out, True)
    # exits that do not fit
    r = Run(EMU, f"{where}/lenient", [swap(1) + leave("x") + enter("a") + enter("b") + leave("c") + leave("a") + mem() + kit.END], "--lenient",
            "--prism-hooks", PROFILE)
    same("lenient exits", (r.status, re.findall(r" (\d+) +\d+ +\d+ +\d+ +\d+ +\d+ +\d+ +\d+  (\S+)", r.out)), (0, [("4", "(no"), ("2", "b"), ("1", "a")]))


# ---- Random streams. ----

NAMES = ["main", "f", "g", "solve", "x" * 256]


class Random:
    """A stream of threads that call functions and take locks, and the list of its events:
    (thread, what, word, size), a tick each."""

    def __init__(self, rnd):
        self.rnd = rnd
        self.data = bytearray()
        self.events = []
        self.detail = {"mem": 0, "comp": 0}
        self.threads = {t: {"stack": [], "has": []} for t in range(1, rnd.randint(2, 5))}
        self.owner = {}
        self.now = 0
        self.run()

    def add(self, data, what="other", word=0, size=0):
        self.data += data
        self.events.append((self.now, what, word, size))

    def memory(self):
        kind, e, bits = self.rnd.choice(["load", "store", "undefined"]), self.rnd.randrange(8), self.detail["mem"]
        kind, e = kind if bits & 0x80 else "undefined", e if bits & 0x40 else 0
        self.add(mem(kind, e, 4096 if bits & 0x20 else None, 1 if bits & 0x10 else None), kind, 0, 1 << e if bits & 0x40 else 0)

    def compute(self):
        form, bits = self.rnd.randrange(3), self.detail["comp"]
        form = form if bits & 0x80 else 0
        self.add(comp(form, 0, bytes((bits >> 5 & 1) + (bits >> 4 & 1))), ["other", "int", "fp"][form])

    def locks(self):
        t = self.threads[self.now]
        if t["has"] and self.rnd.random() < 0.6:
            lock = t["has"].pop(self.rnd.randrange(len(t["has"])))
            del self.owner[lock]
            self.add(sync(kit.SPIN_UNLOCK if lock & 1 else kit.UNLOCK, lock), "unlock", lock)
            return
        lock = self.rnd.randrange(1, 8)
        if lock not in self.owner:
            self.owner[lock] = self.now
            t["has"].append(lock)
            self.add(sync(kit.SPIN_LOCK if lock & 1 else kit.LOCK, lock), "lock", lock)

    def functions(self):
        stack = self.threads[self.now]["stack"]
        if stack and self.rnd.random() < 0.5:
            self.add(leave(stack[-1]), "leave", stack.pop())
        elif len(stack) < 100:
            stack.append(self.rnd.choice(NAMES))
            self.add(enter(stack[-1]), "enter", stack[-1])

    def switch(self):
        self.now = self.rnd.choice(list(self.threads))
        self.add(swap(self.now) if self.rnd.random() < 0.8 else cxt(kit.THREAD, self.now), "swap")

    def configure(self):
        kind = self.rnd.choice(["mem", "comp"])
        self.detail[kind] = self.rnd.choice([0, 0x80, 0xc0, 0xe0, 0xf0])
        self.data += cfg(kind, self.detail[kind])

    def run(self):
        self.switch()
        steps = [self.memory] * 4 + [self.compute] * 2 + [self.locks] * 4 + [self.functions] * 4 + [self.switch] * 3 + \
            [self.configure, lambda: self.add(cxt(kit.INSN, 4), "insn"), lambda: self.add(cxt(kit.BB, 4))]
        for _ in range(self.rnd.randrange(400)):
            self.rnd.choice(steps)()
        self.data += kit.END


def profile_of(events):
    """name -> (ns, calls, events, insns, loads, load bytes, stores, store bytes, int, fp), and the calls of each pair"""
    rows = collections.defaultdict(lambda: [0] * 10)
    pairs = collections.Counter()
    stacks = collections.defaultdict(list)
    for i, (thread, what, word, size) in enumerate(events):
        stack = stacks[thread]
        row = rows[stack[-1] if stack else "(no function)"]
        row[2] += 1
        for at, name in ((3, "insn"), (4, "load"), (6, "store"), (8, "int"), (9, "fp")):
            row[at] += what == name
        row[5] += size * (what == "load")
        row[7] += size * (what == "store")
        if what == "enter":
            pairs[stack[-1] if stack else "(no function)", word] += 1
            rows[word][1] += 1
            stack.append(word)
        elif what == "leave":
            stack.pop()
        if i + 1 < len(events):
            rows[stack[-1] if stack else "(no function)"][0] += 1
    return {name: tuple(row) for name, row in rows.items()}, dict(pairs)


def locks_of(events):
    """lock -> (taken, handed on, waits, wait at most, longest, held, longest), and waits and time by waiter and holder"""
    holds = collections.defaultdict(list)  # [thread, from, to]
    before = {}
    rows, pairs, waits = {}, collections.defaultdict(lambda: [0, 0]), collections.defaultdict(list)
    for now, (thread, what, lock, _) in enumerate(events):
        if what == "lock":
            others = [h for h in holds[lock] if h[0] != thread and h[2] > before.get(thread, now)]
            if others:
                waits[lock].append(now - before[thread])
                pair = pairs[thread, others[-1][0]]
                pair[0] += 1
                pair[1] += now - before[thread]
            holds[lock].append([thread, now, None])
        elif what == "unlock":
            holds[lock][-1][2] = now
        if what != "swap":
            before[thread] = now
    for lock, h in holds.items():
        held = [to - since for _, since, to in h if to is not None]
        handed = sum(a[0] != b[0] for a, b in zip(h, h[1:]))
        rows[f"{lock:x}"] = (len(h), handed, len(waits[lock]), sum(waits[lock]), max(waits[lock], default=0), sum(held), max(held, default=0))
    return rows, {p: tuple(v) for p, v in pairs.items()}


def one(where, rnd, what):
    s = Random(rnd)
    r = Run(EMU, f"{where}/profile", [bytes(s.data)], "--prism-hooks", PROFILE, "-f", "prv", "--prism-events=none")
    rows, pairs = profile_of(s.events)
    got = {m[11].strip(): tuple(int(v) for v in m.groups()[:10]) for m in re.finditer(r"^" + r" *(\d+)" * 10 + r"  (\S.*)$", r.out, re.M)}
    same(f"{what}: profile", got, rows)
    o = json.loads(Run(EMU, f"{where}/profile-json", [bytes(s.data)], "--prism-hooks", f"{PROFILE} format=json", "-f", "none").out)
    same(f"{what}: profile in JSON", {f["function"] or "(no function)": tuple(list(f.values())[1:]) for f in o["functions"]}, rows)
    same(f"{what}: calls in JSON", {(c["caller"] or "(no function)", c["callee"]): c["calls"] for c in o["calls"]}, pairs)
    same(f"{what}: calls", {(m[2], m[3]): int(m[1]) for m in re.finditer(r"^ *(\d+)  (\S.*) -> (.*)$", r.out, re.M)}, pairs)
    r = Run(EMU, f"{where}/locks", [bytes(s.data)], "--prism-hooks", LOCKS, "-f", "prv", "--prism-events=none")
    rows, pairs = locks_of(s.events)
    got = {m[1]: tuple(int(v) for v in m.groups()[1:]) for m in re.finditer(r"^([0-9a-f]+) +(?:mutex|spin)" + r" +(\d+)" * 7, r.out, re.M)}
    same(f"{what}: locks", got, rows)
    got = {(int(m[3]), int(m[4])): (int(m[1]), int(m[2])) for m in re.finditer(r"^ *(\d+) +(\d+)  thread (\d+) for thread (\d+)$", r.out, re.M)}
    same(f"{what}: who waits for whom", got, pairs)
    o = json.loads(Run(EMU, f"{where}/locks-json", [bytes(s.data)], "--prism-hooks", f"{LOCKS} format=json", "-f", "none").out)
    same(f"{what}: locks in JSON", {k["lock"][2:]: tuple(list(k.values())[3:-1]) for k in o["locks"]}, rows)
    same(f"{what}: waits in JSON", {(k["waiter"]["thread"], k["holder"]["thread"]): (k["waits"], k["wait_at_most"]) for k in o["waits"]}, pairs)
    same(f"{what}: held in the end, in JSON", sum(k["held_in_the_end"] for k in o["locks"]), len(s.owner))
    same(f"{what}: held in the end", r.out.count("held in the end"), len(s.owner))


with tempfile.TemporaryDirectory() as tmp:
    small(tmp)
    for k in range(ROUNDS):
        os.mkdir(f"{tmp}/{k}")
        one(f"{tmp}/{k}", random.Random(SEED + k), f"seed {SEED} round {k}")
print(f"{n - bad} passed, {bad} failed")
sys.exit(1 if bad else 0)
