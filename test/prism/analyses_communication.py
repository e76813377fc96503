#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who reads what whom wrote is what a map of bytes has, in random programs and in one that is looked at by hand.

usage: analyses_communication.py OVNIEMU COMMUNICATION.so [SEED]
"""
import collections
import os
import random
import sys
import tempfile

import hooks_kit as kit
from analyses_kit import Analyser, Program, text_of

EMU, TOOL = (os.path.abspath(p) for p in sys.argv[1:3])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
ROUNDS = 24 // int(os.environ.get("TEST_SHARE", "1")) or 1
bad = n = 0


def same(what, got, want):
    global bad, n
    n += 1
    if got != want:
        bad += 1
        print(f"FAILED: {what}\ngot:\n{got}\nwant:\n{want}")


SMALL = """\
communication: 29 bytes read, written by the same thread 4, by another 16, by none 9

         bytes         unique  from thread -> to thread
            16              8  thread 1 -> thread 2

         bytes         unique  from function -> to function
            16              8  main -> work
             4              4  main -> (no function)
"""


def small(analyser, where):
    """Thread 1 writes 8 bytes, of which thread 2 reads 4 twice, then all with 8 more, and 1 some itself."""
    os.makedirs(where)
    data = (kit.cfg("mem", 0xe0) + kit.swap(1) + kit.enter("main") + kit.mem("store", 3, 0x1000) + kit.leave("main") + kit.swap(2) + kit.enter("work") +
            kit.mem("load", 2, 0x1000) * 2 + kit.mem("load", 4, 0x1000) + kit.mem("undefined", 3, 0x1000) + kit.swap(1) + kit.mem("load", 2, 0x1004) +
            kit.mem("load", 0, 0x10) + kit.END)
    with open(f"{where}/s.prism", "wb") as f:
        f.write(data)
    options = ["--prism", f"{where}/s.prism"]
    same("small", analyser.run(options, TOOL), (SMALL, ""))
    same("top", "and 1 more\n" in analyser.run(options, f"{TOOL} top=1")[0], True)
    # 64 bytes of cells: a chunk of 512 bytes for 16 KiB of memory and more
    with open(f"{where}/many.prism", "wb") as f:
        f.write(kit.cfg("mem", 0xe0) + kit.swap(1) + b"".join(kit.mem(kind, 3, i << 8) for kind in ("store", "load") for i in range(4096)) + kit.END)
    got = analyser.json(["--prism", f"{where}/many.prism"], f"{TOOL} memory=1M")
    same("forgotten", (got["forgotten"] > 0, got["unwritten"] > 0, got["unwritten"] + got["same_thread"]), (True, True, 8 * 4096))
    for words, why in (("granule=3", "no power of two"), ("memory=1", "memory"), ("top=x", "top")):
        err = analyser.run(options, f"{TOOL} {words}", status=1)[1]
        same(f"{words}: {err}", why in err, True)


def expected(program, granule):
    threads, functions = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(lambda: [0, 0])
    writers, readers = {}, {}
    total = unwritten = 0
    for e in program.events:
        if e.what != "mem" or e.type == "undefined":
            continue
        last = min(e.addr + e.size - 1, (1 << 56) - 1)
        me = ((e.process, e.thread), e.function)
        for g in range(e.addr // granule, last // granule + 1):
            cell = (e.process, g)
            if e.type == "store":
                writers[cell] = me
                readers.pop(cell, None)
                continue
            size = min(last, (g + 1) * granule - 1) - max(e.addr, g * granule) + 1
            total += size
            if cell not in writers:
                unwritten += size
                continue
            for table, at in ((threads, 0), (functions, 1)):
                pair = table[writers[cell][at], me[at]]
                pair[0] += size
                pair[1] += size * (readers.get(cell) != me)
            readers[cell] = me
    return total, unwritten, dict(threads), dict(functions)


def thread_of(o):
    return o["process"], o["thread"]


with tempfile.TemporaryDirectory() as tmp:
    runs = Analyser(EMU, tmp)
    small(runs, f"{tmp}/small")
    for k in range(ROUNDS):
        rng = random.Random(SEED + k)
        p = Program(rng, count=1500)
        granule = rng.choice((1, 1, 8, 64))
        what = f"seed {SEED} round {k} granule {granule}"
        got = runs.json(p.write(f"{tmp}/{k}"), f"{TOOL} granule={granule}")
        total, unwritten, threads, functions = expected(p, granule)
        same(f"{what}: bytes", (got["bytes"], got["unwritten"], got["bytes"]), (total, unwritten, got["unwritten"] + got["same_thread"] + got["other_thread"]))
        same(f"{what}: threads", {(thread_of(r["from"]), thread_of(r["to"])): [r["bytes"], r["unique"]] for r in got["threads"]}, threads)
        same(f"{what}: functions", {(r["from"], r["to"]): [r["bytes"], r["unique"]] for r in got["functions"]},
             {(text_of(a), text_of(b)): v for (a, b), v in functions.items()})
        same(f"{what}: order", got["threads"], sorted(got["threads"], key=lambda r: -r["bytes"]))
print(f"{n - bad} passed, {bad} failed")
sys.exit(1 if bad else 0)
