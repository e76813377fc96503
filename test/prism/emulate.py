#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniemu on Prism streams: a worked example whose timelines are known, in both layouts and as
a µScope file; who runs and who waits; intervals; names; what is wrong, strict and lenient.

usage: emulate.py OVNIEMU USCOPE
"""
import os
import re
import subprocess
import sys
import tempfile

from hooks_kit import (BARRIER, BB, COND_WAIT, CREATE, END, ENTER, FULL, INSN, JOIN, LOCK, NET_ENTER, NET_EXIT, OP_ENTER, OP_EXIT, SPIN_LOCK,
                       SPIN_UNLOCK, THREAD, UNLOCK, WORKED, Run, cfg, check, comp, cxt, enter, finish, leave, mem, swap, sync)

EMU, USCOPE = sys.argv[1:]
PACKED = WORKED.replace(bytes.fromhex("2a01400102"), bytes.fromhex("2a050102")).replace(bytes.fromhex("3303400405"), bytes.fromhex("330d0405"))

# (rows, row, type): time:value without the first 0. A pair at time 0 is at time 0 as a whole.
SEQUENCES = {
    ("thread", 1, 400): "1:1 7:0 13:1 15:0",
    ("thread", 1, 401): "1:1 7:0 13:1 15:0",
    ("thread", 1, 410): "14:3 15:0",
    ("thread", 1, 411): "0:5 0:0 5:1 6:0 12:5 13:0 13:2 14:0",
    ("thread", 1, 413): "6:1",
    ("thread", 1, 415): "5:1 6:0 13:1 14:0",
    ("thread", 1, 420): "3:1 4:0 4:2 5:0",
    ("thread", 1, 421): "3:4 4:0 4:8 5:0",
    ("thread", 1, 422): "2:1 3:0",
    ("thread", 1, 423): "2:2 3:0",
    ("thread", 2, 400): "8:2 12:0",
    ("thread", 2, 401): "8:1 12:0",
    ("thread", 2, 410): "9:1 11:0",
    ("thread", 2, 411): "6:5 7:0 8:6 9:0 10:7 11:0",
    ("thread", 2, 412): "9:1 11:0",
    ("thread", 2, 415): "8:2 9:0 10:2 11:0",
    ("thread", 2, 422): "9:2 10:0",
    ("thread", 2, 423): "9:4 10:0",
    ("thread", 1, 4): "0:1 7:2 13:1 15:3",
    ("thread", 2, 4): "7:1 13:2 15:3",
    ("thread", 1, 2): "0:1 7:0 13:1 15:0",
    ("thread", 2, 2): "7:2 13:0",
    ("cpu", 1, 2): "0:1 7:2 13:1 15:0",
    ("cpu", 1, 400): "1:1 7:0 8:2 12:0 13:1 15:0",
    ("cpu", 1, 401): "1:1 7:0 8:1 12:0 13:1 15:0",
    ("cpu", 1, 410): "9:1 11:0 14:3 15:0",
    ("cpu", 1, 411): "0:5 0:0 5:1 6:0 6:5 7:0 8:6 9:0 10:7 11:0 12:5 13:0 13:2 14:0",
    ("cpu", 1, 412): "9:1 11:0",
    ("cpu", 1, 415): "5:1 6:0 8:2 9:0 10:2 11:0 13:1 14:0",
    ("cpu", 1, 420): "3:1 4:0 4:2 5:0",
    ("cpu", 1, 422): "2:1 3:0 9:2 10:0",
    ("cpu", 1, 450): "0:496 5:448",
    ("cpu", 1, 451): "0:504",
    ("cpu", 1, 452): "0:448",
    ("cpu", 1, 453): "0:448",
    ("cpu", 1, 460): "8:2 15:1",
    ("cpu", 1, 461): "0:1 7:2",
}
# What an interval has at its end, (time, rows, row): type: value; the other totals are 0.
INTERVALS = {
    (8, "thread", 1): {430: 1, 431: 1, 432: 4, 433: 8, 434: 1, 436: 1, 437: 1, 438: 1, 441: 1},
    (8, "thread", 2): {},
    (8, "cpu", 1): {430: 1, 431: 1, 432: 4, 433: 8, 434: 1, 436: 1, 437: 1, 438: 1, 441: 1},
    (15, "thread", 1): {437: 1},
    (15, "thread", 2): {435: 1, 437: 2, 443: 1},
    (15, "cpu", 1): {435: 1, 437: 3, 443: 1},
}


class Sequences(dict):
    """(rows, row, type) -> [(time, value)], without the first 0; what is not there is empty."""

    def __init__(self, where):
        super().__init__()
        for rows in "thread", "cpu":
            with open(f"{where}/{rows}.prv", encoding="utf-8") as f:
                for line in f.read().splitlines()[1:]:
                    p = [int(x) for x in line.split(":")]
                    for kind, value in zip(p[6::2], p[7::2]):
                        self.setdefault((rows, p[4], kind), []).append((p[5], value))
        for key, s in self.items():
            self[key] = s[1:] if s[0] == (0, 0) else s

    def text(self, rows, row, kind):
        return " ".join(f"{t}:{v}" for t, v in self.get((rows, row, kind), []))

    def value(self, time, rows, row, kind):
        return next((v for t, v in reversed(self.get((rows, row, kind), [])) if t <= time), 0)


class Try:
    """A run in a folder of its own, and what its timelines show."""

    def __init__(self, *args, status=0):
        streams = [a for a in args if isinstance(a, bytes)]
        with tempfile.TemporaryDirectory() as tmp:
            run = Run(EMU, f"{tmp}/x", streams, *[a for a in args if isinstance(a, str)])
            self.status, self.err = run.status, run.err
            self.shown = Sequences(run.dir) if os.path.exists(f"{run.dir}/cpu.prv") else {}
            self.pcf = run.read("thread.pcf") if self.shown else ""
            self.cpu_pcf = run.read("cpu.pcf") if self.shown else ""
            self.rows = run.read("thread.row").splitlines()[4:] if self.shown else []
        check("status", self.status == status, f"{self.status}, expected {status}: {self.err}")

    def expect(self, what, wanted):
        for key, want in wanted.items():
            key = key if isinstance(key, tuple) and isinstance(key[0], str) else ("thread", *key)
            have = self.shown.text(*key) if self.shown else "no output"
            check(what, have == want, f"{key[0]} {key[1]}, type {key[2]}: {have or 'nothing'}; expected {want or 'nothing'}")

    def labels(self, kind):
        block = re.search(rf"^0 {kind} .*?\nVALUES\n(.*?)(?:\n\n|\Z)", self.pcf, re.M | re.S)
        return [line.split(None, 1)[1] for line in block.group(1).splitlines()] if block else []


# ---- The worked example. ----

def worked():
    for layout, data in ("wide", WORKED), ("packed", PACKED):
        t = Try(data, f"--prism-compute-layout={layout}", "--prism-interval=time:8")
        t.expect(layout, SEQUENCES)
        totals = [*range(430, 449)]
        for (time, rows, row), want in INTERVALS.items():
            have = {kind: t.shown.value(time, rows, row, kind) for kind in totals}
            have = {kind: v for kind, v in have.items() if v}
            check(layout, have == want, f"{rows} {row} at {time}: {have}, expected {want}")
        known = {key for key in SEQUENCES if key[0] == "thread"} | {("thread", row, kind) for row in (1, 2) for kind in (6, *totals)}
        odd = {key: s for key, s in t.shown.items() if key[0] == "thread" and s and key not in known}
        check(layout, not odd, f"shown besides: {odd}")
        check(layout, t.labels(400) == ["main", "worker"], t.labels(400))
        check(layout, t.labels(415) == ["0x7f00aa001700", "0x6010a0"], t.labels(415))
        check(layout, t.rows == ["thread 1", "thread 2"], t.rows)
    check("lengths", (len(WORKED), len(PACKED)) == (126, 124), f"{len(WORKED)}, {len(PACKED)}")

    # The other vector: one thread of nobody, an exponent of 4, and a create without a swap.
    data = FULL + mem("store", 1, 0xadbeefbaadf00d, 12) + bytes.fromhex("2c0d0c6f") + sync(CREATE, 101) + enter("aCoolFunctionBeingProfiled") + \
        cxt(BB, 333) + cxt(INSN, 111) + cfg("mem", 0xd0) + bytes.fromhex("0c5a") + END
    check("second vector", len(data) == 75, f"{len(data)} bytes")
    t = Try(data, "--prism-compute-layout=packed", "--prism-insn")
    t.expect("second vector", {
        (1, 400): "3:1 6:0", (1, 404): "4:1 6:0", (1, 405): "5:1 6:0", (1, 413): "2:1", (1, 415): "1:1 2:0",
        (1, 420): "0:2 0:0 5:1 6:0", (1, 421): "0:2 0:0 5:16 6:0", (1, 422): "0:1 1:0", (1, 423): "0:4 1:0",
        ("cpu", 1, 450): "0:496 6:464", (1, 2): "0:1000000 6:0", (1, 438): "6:1"})
    check("second vector", t.labels(400) == ["aCoolFunctionBeingProfiled"] and t.labels(404) == ["0x14d"] and t.labels(405) == ["0x6f"], t.pcf[-400:])


def both_outputs():
    with tempfile.TemporaryDirectory() as tmp:
        Run(EMU, f"{tmp}/x", [WORKED, swap(7) + enter("main") + END], "-f", "prv,uscope", "--prism-interval=time:8")
        out = f"{tmp}/x/out"
        p = subprocess.run([USCOPE, "timeline", "--prv", f"{tmp}/back", f"{out}/ovni.uscp"], capture_output=True, text=True, check=False)
        check("uscope", p.returncode == 0, p.stderr)
        for name in [f"{rows}.{ext}" for rows in ("thread", "cpu") for ext in ("prv", "pcf", "row")]:
            with open(f"{out}/{name}", "rb") as a, open(f"{tmp}/back/{name}", "rb") as b:
                check("uscope", a.read() == b.read(), f"{name} differs")
        p = subprocess.run([USCOPE, "timeline", "--at", "9ns", f"{out}/ovni.uscp"], capture_output=True, text=True, check=False)
        check("uscope", re.search(r"^thread 2 .* worker +1 +In a critical section", p.stdout, re.M), p.stdout)
        p = subprocess.run([USCOPE, "info", f"{out}/ovni.uscp"], capture_output=True, text=True, check=False)
        for word in "prism.protocol_version", "prism.clock_mode", "prism.compute_layout":
            check("uscope", word in p.stdout, f"no {word}")


# ---- Threads. ----

def threads():
    # Whoever comes before the first swap; a swap to who runs; a context is a swap, too.
    t = Try(enter("f") + swap(5) + swap(5) + cxt(THREAD, 6) + cxt(THREAD, 5) + END, "--prism-interval=time:100")
    t.expect("swaps", {(1, 4): "0:1 1:2 4:3", (2, 4): "1:1 3:2 4:1 4:3", (3, 4): "3:1 4:2 4:3",
             (2, 411): "0:5 1:0 1:5 2:0", (3, 411): "", ("cpu", 1, 460): "4:3", ("cpu", 1, 461): "0:1 1:2 3:3"})
    check("swaps", t.rows == ["thread 1000000", "thread 5", "thread 6"], t.rows)
    # A real thread is another one than who came before the first swap, or has an id that cannot be, whatever those are called.
    t = Try(enter("early") + swap(1000000) + enter("real") + leave("real") + swap(2000000) + swap(0) + enter("odd") + END, "--lenient")
    t.expect("an id of the library", {(1, 401): "0:1 1:0", (2, 401): "2:1 3:0", (3, 401): "", (4, 401): "6:1 6:0",
             (1, 4): "0:1 1:2 6:3", (2, 4): "1:1 4:2 6:3", ("cpu", 1, 2): "0:2000002 1:1000000 4:2000000 5:2000001 6:0"})
    check("an id of the library", t.rows == [f"thread {i}" for i in (2000002, 1000000, 2000000, 2000001)], t.rows)
    t = Try(enter("f") + END, "--prism-first-thread=9")
    t.expect("first thread", {(1, 4): "0:1 0:3", (1, 2): "0:9 0:0"})
    # It is there before any event of its own.
    t = Try(FULL + swap(3) + END, "--prism-first-thread=9")
    t.expect("first thread", {(1, 4): "0:1 0:2 0:3", (2, 4): "0:1 0:3"})
    # A swap that does not tell to whom.
    t = Try(swap(1) + cfg("sync", 0x80) + b"\x45" + cfg("sync", 0x00) + b"\x40" + END, "--prism-interval=time:100")
    t.expect("swap without its word", {(1, 4): "0:1 2:3", (1, 411): "0:5 0:0 0:5 1:0", (1, 437): "2:1"})
    # Streams are CPUs; a thread goes from one to the other, also after the end of the first.
    t = Try(swap(1) + swap(2) + END, swap(7) * 4 + swap(1) + swap(2) + swap(2) + END)
    t.expect("two streams", {(1, 4): "0:1 1:2 1:3 4:1 5:2 6:3", (1, 6): "0:1 1:0 4:2 6:0", (2, 4): "1:1 1:3 5:1 6:3",
             ("cpu", 1, 2): "0:1 1:2 1:0", ("cpu", 2, 2): "0:7 4:1 5:2 6:0", ("cpu", 2, 461): "0:1 4:2 5:3"})
    # Both have a level of detail of their own.
    t = Try(FULL + swap(1) + mem("load", 2, 64, 3) + cfg("mem", 0x80) + mem("load") + END, cfg("mem", 0x40) + swap(2) + mem(size=3) * 2 + END)
    t.expect("two levels of detail", {("cpu", 1, 450): "0:496 2:384", ("cpu", 2, 450): "0:320", ("cpu", 2, 451): "0:256",
             (1, 420): "0:1 1:0 1:1 2:0", (1, 421): "0:4 1:0", (2, 420): "0:3 1:0 1:3 2:0", (2, 421): "0:8 1:0 1:8 2:0"})
    t = Try(mem("load") + END, "--prism-initial-config=mem=80,comp=88,sync=80,cxt=00")
    t.expect("initial levels of detail", {("cpu", 1, kind): f"0:{v}" for kind, v in {450: 384, 451: 392, 452: 384, 453: 256}.items()})


# ---- Synchronization. ----

def synchronization():
    # It waits up to its next event that is no swap, whatever others do.
    t = Try(swap(1) + sync(LOCK, 8) + sync(BARRIER, 9) + cfg("mem", 0xf0) + swap(2) + enter("f") + swap(1) + swap(1) + sync(BARRIER, 9) + sync(JOIN, 2) +
            sync(UNLOCK, 8) + END)
    t.expect("waits", {(1, 410): "1:1 2:2 8:3 9:0", (1, 412): "1:1 9:0", (2, 410): "", ("cpu", 1, 410): "1:1 2:2 3:0 5:2 8:3 9:0"})
    # Two kinds of locks, one of them twice; the wait for a condition changes nothing.
    t = Try(swap(1) + sync(LOCK, 8) + sync(SPIN_LOCK, 8) + sync(LOCK, 8) + sync(COND_WAIT, 5, 8) + sync(UNLOCK, 8) + sync(UNLOCK, 8) + sync(SPIN_UNLOCK, 8) + END)
    t.expect("locks", {(1, 410): "1:1 7:0", (1, 412): "1:1 2:2 3:3 5:2 6:1 7:0",
             (1, 411): "0:5 0:0 0:6 1:0 1:11 2:0 2:6 3:0 3:8 4:0 4:7 5:0 5:7 6:0 6:12 7:0", (1, 415): "0:1 1:0 1:1 2:0 2:1 3:0 3:2 4:0 4:1 5:0 5:1 6:0 6:1 7:0"})
    # What is not shown: any may be it.
    t = Try(swap(1) + sync(LOCK, 8) + cfg("sync", 0x80) + b"\x46\x47" + cfg("sync", 0xc0) + sync(LOCK, 9) + cfg("sync", 0x80) + b"\x47\x47\x47" + END)
    t.expect("locks without objects", {(1, 412): "1:1 2:2 3:1 4:2 5:1 6:0", (1, 410): "1:1 6:0"})
    check("locks without objects", "PM03" in t.err and "it holds none" in t.err, t.err)
    # A thread that wakes in the middle of a critical section.
    t = Try(swap(1) + sync(LOCK, 8) + sync(JOIN, 3) + enter("f") + END)
    t.expect("wakes", {(1, 410): "1:1 2:3 3:1"})
    t = Try(swap(1) + sync(CREATE, 3) * 3 + swap(3) + sync(CREATE, 1) + END)
    t.expect("children", {(1, 413): "1:1 2:2 3:3", (2, 413): "5:1", (1, 415): "0:1 1:0 1:1 2:0 2:1 3:0", (2, 415): "4:2 5:0"})


# ---- Contexts. ----

def contexts():
    t = Try(enter("f") + enter("f") + cxt(NET_ENTER, "f") + cxt(OP_ENTER, "g") + leave("f") + cxt(OP_EXIT, "g") + cxt(NET_EXIT, "f") + leave("f") + END)
    t.expect("recursion", {(1, 400): "0:1 7:0", (1, 401): "0:1 1:2 4:1 7:0", (1, 402): "3:1 5:0", (1, 403): "2:1 6:0"})
    t = Try(cfg("cxt", 0x80) + b"\x63" + cfg("cxt", 0xc0) + enter("f") + cfg("cxt", 0x80) + b"\x64\x64\x61\x62\x65" + cfg("cxt", 0) + b"\x60" + END,
            "--prism-interval=time:100")
    t.expect("no names", {(1, 400): "0:1 1:2 2:1 3:0", (1, 401): "0:1 1:2 2:1 3:0", (1, 404): "", (1, 436): "7:1", ("cpu", 1, 453): "0:384 1:448 2:384 7:256"})
    check("no names", t.labels(400) == ["(no name)", "f"], t.labels(400))
    # An exit with a name may be that of what was entered without one.
    t = Try(cfg("cxt", 0x80) + b"\x63" + cfg("cxt", 0xc0) + leave("f") + END)
    t.expect("no names", {(1, 400): "0:1 1:0"})
    t = Try(cxt(BB, 7) + cxt(BB, 9) + cxt(BB, 7) + cxt(INSN, 7) + cxt(INSN, (1 << 56) - 1) + END, "--prism-insn")
    t.expect("blocks", {(1, 404): "0:1 1:2 2:1 4:0", (1, 405): "3:1 4:2 4:0"})
    check("blocks", t.labels(404) == ["0x7", "0x9"] and t.labels(405) == ["0x7", "0xffffffffffffff"], t.labels(405))
    t = Try(cxt(INSN, 7) + END)
    t.expect("no instructions", {(1, 405): "", (1, 436): "0:1"})
    names = {b"\xff\xfe": r"\xff\xfe", b"a\0b": r"a\x00b", b"x\ny": r"x\x0ay", b" ": r"\x20", b"   ": r"\x20  ", "größe λ".encode(): "größe λ",
             b"std::map<int, A>::operator[](int&&)": "std::map<int, A>::operator[](int&&)", b"a": "a", b"A": "A", b"\xe2\x80\xae": r"\xe2\x80\xae",
             b"q" * 256: "q" * 256, b"\xed\xa0\x80": r"\xed\xa0\x80", b"\xff" * 256: r"\xff" * 256, rb"\xff\xfe": r"\xff\xfe"}
    t = Try(b"".join(enter(n) for n in names) + END)
    check("names", t.labels(400) == list(names.values()), t.labels(400))
    t.expect("names", {(1, 400): " ".join(f"{i}:{i + 1}" for i in range(len(names))) + f" {len(names) - 1}:0"})


    # One of many has the number of what a CPU row shows when something is wrong.
    t = Try(b"".join(enter(f"f{i}") + leave(f"f{i}") for i in range(1, 800)) + END)
    check("many names", re.findall(r"^777 .*f777.*", t.cpu_pcf, re.M) == ["777  f777, or Error: too many threads"], re.findall(r"^777 .*", t.cpu_pcf, re.M))
    check("many names", t.labels(400) == [f"f{i}" for i in range(1, 800)], "labels of threads")


# ---- Intervals. ----

def intervals():
    ops = b"".join(comp(1, 2, bytes([op])) for op in (0, 1, 2, 3, 4, 5, 6, 7, 255))
    t = Try(cfg("comp", 0xe0) + ops + cfg("comp", 0x80) + comp(2) + cfg("comp", 0x00) + comp() + END)
    t.expect("operations", {(1, kind): f"10:{v}" for kind, v in {434: 9, 435: 1, 448: 1, 440: 3, 441: 1, 442: 1, 443: 1, 444: 1, 445: 1, 446: 1, 447: 2}.items()})
    t.expect("operations", {(1, 423): "0:1 0:0 0:2 1:0 1:3 2:0 2:4 3:0 3:5 4:0 4:6 5:0 5:7 6:0 6:8 7:0 7:8 8:0",
             (1, 422): "0:1 0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1 4:0 4:1 5:0 5:1 6:0 6:1 7:0 7:1 8:0 8:2 9:0 9:3 10:0"})
    lines = [mem("load", 3, a) for a in (0, 63, 64, 1 << 55, (1 << 56) - 4)] + [mem("store", 7, 8), mem("undefined", 0, 0)]
    t = Try(cfg("mem", 0xe0) + b"".join(lines) + cfg("mem", 0xa0) + mem("load", 0, 127) + END)
    t.expect("lines", {(1, 438): "7:5", (1, 430): "7:6", (1, 432): "7:40", (1, 433): "7:128", (1, 439): "7:1", ("cpu", 1, 438): "7:5"})
    # The N-th event ends it; what is left ends with the trace.
    data = swap(1) + cxt(INSN, 1) * 2 + cfg("mem", 0xf0) + cxt(INSN, 1) + sync(LOCK, 1) + swap(2) + cxt(INSN, 1) + swap(1) + cxt(INSN, 2) + END
    t = Try(data, "--prism-interval=events:3")
    t.expect("events", {(1, 436): "2:2 7:1", (1, 437): "7:1 8:0", (2, 436): "8:1", ("cpu", 1, 436): "2:2 5:1 8:2", ("cpu", 1, 437): "5:1 8:0",
             ("cpu", 1, 460): "2:1"})
    t = Try(data, "--prism-interval=sync")
    t.expect("sync", {(1, 436): "4:3 8:1", (1, 437): "4:1 8:0", (2, 436): "8:1", (2, 437): "", ("cpu", 1, 436): "", ("cpu", 1, 460): ""})
    t = Try(enter("f") + cxt(INSN, 1) * 2 + enter("g") + cxt(INSN, 1) * 3 + leave("g") + cxt(INSN, 1) * 2 + leave("f") + cxt(INSN, 1) + END, "--prism-interval=func")
    t.expect("func", {(1, 436): "3:2 7:3 10:2 11:1", ("cpu", 1, 436): ""})
    # Nothing for a while; the last ends where the one before does.
    t = Try(cxt(INSN, 1) * 2 + END, cxt(INSN, 1) + swap(9) * 27 + cxt(INSN, 1) * 2 + swap(9) * 2 + cxt(INSN, 1) + END, "--prism-interval=time:4")
    t.expect("time", {(1, 436): "4:2 8:0", (2, 436): "4:1 8:0", (3, 436): "32:2 32:1", ("cpu", 2, 436): "4:1 8:0 32:2 32:1", ("cpu", 1, 436): "4:2 8:0"})
    t = Try(cxt(INSN, 1) * 4 + END, cxt(INSN, 1) * 5 + END, "--prism-interval=time:4")
    t.expect("an interval of no length", {(1, 436): "4:4", (2, 436): "4:4 4:1", ("cpu", 1, 436): "4:4", ("cpu", 2, 436): "4:4 4:1"})
    t = Try(mem() + comp() + b"\x80\x81\x9f" + sync(LOCK, 3) + END, "--prism-control-flow=true", "--prism-events=sync")
    t.expect("sync events", {(1, 420): "", (1, 422): "", (1, 424): "", (1, 411): "4:6 5:0", (1, 415): "4:1 5:0", (1, 439): "5:1"})
    t = Try(mem() + comp() + b"\x80\x81\x9f" + sync(LOCK, 3) + END, "--prism-control-flow=true", "--prism-events=none")
    t.expect("no events", {(1, 424): "", (1, 411): "", (1, 415): "", (1, 412): "5:1", (1, 437): "5:1"})
    t = Try(mem() + comp() + b"\x80\x81\x9f" + sync(LOCK, 3) + END, "--prism-control-flow=true")
    t.expect("all events", {(1, 420): "0:3 0:0", (1, 422): "0:3 1:0", (1, 424): "1:1 2:0 2:2 3:0 3:32 4:0"})


# ---- What is wrong. ----

CODES = [f"PB{i:02}" for i in range(1, 18)] + [f"PM0{i}" for i in range(1, 7)] + ["PT01", "PT02", "PJ01", "PN01"]
TWO = (1 << 31) - 1
# code, streams, offset, file, warning, what lenient leaves
BAD = [
    ("PM01", [swap(1) + leave("f") + enter("g") + END], 9, 0, False, {(1, 400): "2:1 2:0", (1, 401): "2:1 2:0"}),
    ("PM01", [cxt(NET_EXIT, "f") + END], 0, 0, False, {(1, 403): ""}),
    ("PM01", [cxt(OP_ENTER, "f") + cxt(OP_EXIT, "f") + cxt(OP_EXIT, "f") + END], 6, 0, False, {(1, 402): "0:1 1:0"}),
    ("PM02", [enter("a") + enter("b") + enter("a") + enter("c") + enter("d") + leave("a") + leave("b") + END], 15, 0, True,
     {(1, 400): "0:1 1:2 2:1 3:3 4:4 5:2 6:1 6:0", (1, 401): "0:1 1:2 2:3 3:4 4:5 5:2 6:1 6:0"}),
    ("PM02", [enter("a") + leave("b") + leave("a") + END], 3, 0, True, {(1, 400): "0:1 2:0", (1, 401): "0:1 2:0"}),
    ("PM02", [enter("b") + leave("b") + enter("a") + leave("b") + END], 9, 0, True, {(1, 400): "0:1 1:0 2:2 3:0"}),
    ("PM02", [cxt(OP_ENTER, "a") + cxt(OP_ENTER, "b") + cxt(OP_EXIT, "a") + END], 6, 0, True, {(1, 402): "0:1 1:2 2:0"}),
    ("PM03", [swap(1) + sync(LOCK, 4) + swap(2) + sync(UNLOCK, 4) + END], 27, 0, True, {(1, 412): "1:1", (2, 412): "", (2, 410): ""}),
    ("PM03", [sync(SPIN_LOCK, 4) + sync(UNLOCK, 4) + END], 9, 0, True, {(1, 412): "0:1", (1, 410): "0:1"}),
    ("PM04", [swap(1) + mem() * 3 + END, mem() + swap(1) + mem() + END], 1, 1, False,
     {(1, 4): "0:1 2:3", (1, 6): "0:1 1:2 2:0", ("cpu", 1, 2): "0:1 1:0", ("cpu", 2, 2): "0:1000001 1:1 2:0", (1, 439): "3:4"}),
    ("PM05", [swap(0) + enter("f") + swap(1) + swap(0) + END], 0, 0, False, {(1, 2): "0:2000000 2:0 3:2000000 3:0", (1, 400): "1:1 2:0 3:1 3:0"}),
    ("PM05", [swap(1 << 31) + cxt(THREAD, 1 << 55) + END], 0, 0, False, {(1, 2): "0:2000000 1:0", (2, 2): "1:2000001 1:0"}),
    ("PM06", [b"".join(enter(f"{i}") for i in range(600)) + b"".join(leave(f"{i}") for i in reversed(range(600))) + END], None, 0, True, {}),
    ("PB11", [swap(1) + sync(JOIN, 4) + sync(0, 7) + sync(30, 7) + mem() + END], 18, 0, False,
     {(1, 410): "1:3 4:0", (1, 411): "0:5 0:0 0:2 1:0", (1, 437): "4:1"}),
    ("PB07", [cfg("mem", 0x80) + mem("invalid") + mem("load") + END], 2, 0, False, {(1, 420): "0:3 0:0 0:1 1:0", (1, 439): "1:1"}),
    ("PB08", [cfg("comp", 0x80) + comp(3) + END], 2, 0, False, {(1, 422): "0:3 0:0", (1, 448): "0:1"}),
    ("PB09", [cfg("comp", 0x20) + comp(0, 0, b"\x09") + END], 2, 0, True, {(1, 423): "0:8 0:0", (1, 447): "0:1"}),
    ("PB04", [swap(1) + bytes([0xb4, 0xff]) + END], 9, 0, False, {(1, 4): "0:1 1:3"}),
]


def bad():
    for code, streams, offset, at, warns, left in BAD:
        t = Try(*streams, status=0 if warns else 1)
        where = f"{at}.prism +0x{offset:x}" if offset is not None else f"{at}.prism +0x"
        word = "warning: " if warns else "error[prism]: "
        check(f"{code}, strict", f"{word}{code}: " in t.err and where in t.err, t.err)
        if warns:
            t.expect(f"{code}, strict", left)
        check(f"{code}, strict", not any(s for key, s in t.shown.items() if key[2] == 499), "diagnostics are shown")
        t = Try(*streams, "--lenient")
        check(f"{code}, lenient", f"warning: {code}: " in t.err and where in t.err, t.err)
        t.expect(f"{code}, lenient", left)
        number = CODES.index(code) + 1
        for rows in "thread", "cpu":
            shown = {v for key, s in t.shown.items() if key[0] == rows and key[2] == 499 for _, v in s} - {0}
            check(f"{code}, lenient", shown == {number}, f"diagnostics {shown} of {rows} rows, expected {number}")
    # A deep stack: what is not held is counted, and left without a word.
    t = Try(BAD[12][1][0], "--lenient", "--prism-set=process=3")
    s = t.shown["thread", 1, 401]
    check("PM06", max(v for _, v in s) == 600 and s[-1][1] == 0 and (599, 600) in s, s[-3:])
    check("PM06", max(v for _, v in t.shown["thread", 1, 400]) == 514 and t.err.count("PM06") >= 1, t.err)
    # Where the place of a diagnostic is: with the event, in its rows.
    t = Try(swap(1) + mem() * 5 + leave("f") + mem() + END, "--lenient")
    t.expect("diagnostic", {(1, 499): "5:18 6:0", ("cpu", 1, 499): "5:18 6:0"})
    # The end of a stream tells what ended it, in both modes.
    t = Try(swap(1) + mem() + b"\xe0", "--lenient")
    t.expect("stopped", {(1, 499): "0:2 1:0", (1, 4): "0:1 1:3"})
    # The last id that a thread can have, and the first that it cannot.
    t = Try(swap(TWO) + END)
    t.expect("last id", {(1, 2): f"0:{TWO} 0:0"})
    for stream, text in (
        (swap(TWO + 1), "no thread can have the id 2147483648"), (leave("f"), 'exit of "f", but nothing was entered'),
        (sync(UNLOCK, 4), "unlock of the mutex 0x4, which it does not hold"),
    ):
        t = Try(stream + END, status=int(stream[0] != 0x47))
        check("what is told", text in t.err, t.err)


def main():
    for test in worked, both_outputs, threads, synchronization, contexts, intervals, bad:
        test()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
