#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The worker of the page alone: pictures, sums and changes against the intervals that `uscope timeline` tells, pixel by
pixel; and thousands of damaged files, which it answers questions about all the same.

usage: engine.py BUILD [--only TEST] [-v]
"""
import base64
import os
import random
import sys

import kit

import build as b

CHECK = os.path.join(kit.HERE, "engine_check.js")
GOLDEN = ["nosv/states", "nosv/idle-breakdown", "nanos6/breakdown", "marks/values", "marks/stack", "parallelism/count", "ovni/reference",
          "ovni/virtual-oversubscribed", "kernel/oversubscribed"]
MARKS = 25000
DAMAGED = 30  # of each file; VIEW_DAMAGED=2000 makes it long


def ask(c, script, *args):
    with open(CHECK, encoding="utf-8") as f:
        return c.browser.run(f.read() + script, *args)


def data(file):
    with open(file, "rb") as f:
        return base64.b64encode(f.read()).decode()


def intervals(c, file):
    """Those that last, merged where the state goes on; values as text, as they may have 64 bits."""
    out = {}
    for key, some in c.tools.intervals(file).items():
        merged = []
        for i in some:
            if i.begin == i.end:
                continue
            if merged and merged[-1][1:] == [i.begin, str(i.value)]:
                merged[-1][1] = i.end
            else:
                merged.append([i.begin, i.end, str(i.value)])
        out[" ".join(map(str, key))] = merged
    return out


def compare(c, file, seed):
    found = ask(c, "return compare(...args);", data(file), intervals(c, file), seed)
    c.count += found["checks"]
    c.expect(f"{file}: notes", found["notes"], [])
    c.expect(f"{file} is compared", found["checks"] > 100)
    c.expect(f"{file}: failed", found.get("failed"), None)
    c.found += [f"{file}: {x}" for x in found["faults"]]


def golden(c):
    c.viewer()
    for seed, name in enumerate(GOLDEN):
        compare(c, c.tools.golden(name) + "/ovni.uscp", seed)


def segments(c):
    """Some segments: one thread sets marks of 64 bits, the other has a state that lasts over all of them."""
    r = random.Random(3)
    lines = ["loom node.0 cpus 0:0 1:1", "proc 100 app 1", "thread 101", "thread 102", 'mark 0 single "Wide"', 'mark 1 stack "Depth"', "",
             "101 0 OHx 0 -1 0", "102 5 OHx 1 -1 0", "102 10 OM[ 7 1"]
    for i in range(1, MARKS):
        value = r.choice((r.randrange(1, 5), r.randrange(1, 1 << 40), -r.randrange(1, 1 << 62)))
        lines.append(f"101 {i * 200_000} OM= {value} 0")
    lines += [f"102 {MARKS * 200_000} OM] 7 1", f"101 {MARKS * 200_000 + 10} OHe", f"102 {MARKS * 200_000 + 20} OHe", ""]
    c.viewer()
    for how in ("lz4", "zstd"):
        file = c.tools.text(how, "\n".join(lines), f"--uscope-compression={how}") + "/ovni.uscp"
        if how == "lz4":
            c.expect("several segments", c.tools.lines("info", file)[0]["segments"] > 2)
        compare(c, file, len(how))


def compressed(c):
    """All kinds of compression; and as ovni 1.14 does it."""
    trace = c.tools.demo("heat") + "/heat"
    c.viewer()
    for seed, words in enumerate((["--uscope-compression=none"], ["--uscope-compression=lz4"], ["--uscope-compression=zstd"], ["--uscope-lz4-prefix"], ["--compat"])):
        out = c.tools.place(f"heat{seed}")
        c.tools.emu("-f", "uscope", *words, "-o", out, trace)
        compare(c, f"{out}/ovni.uscp", seed)
    compare(c, c.tools.prism() + "/ovni.uscp", 7)


def damaged(c):
    c.viewer()
    files = [c.tools.golden(x) + "/ovni.uscp" for x in ("nosv/punctual-breakdown", "marks/stack")]
    trace = c.tools.demo("twoproc") + "/twoproc"
    for how in ("none", "zstd"):
        c.tools.emu("-f", "uscope", f"--uscope-compression={how}", "-o", c.tools.place(how), trace)
        files.append(f"{c.tools.tmp}/{how}/ovni.uscp")
    toy = c.tools.place("other") + "/toy.uscp"
    c.tools.do(f"{c.tools.examples}/uscope_write", toy, "300")
    n = int(os.environ.get("VIEW_DAMAGED", DAMAGED))
    for seed, file in enumerate([*files, toy]):
        for first in range(0, n, 200):
            found = ask(c, "return damage(...args);", data(file), 1000 * seed + first, min(200, n - first))
            c.count += 1
            c.expect(f"{file}: some open", found["opened"] > 0)
            c.expect(f"{file}: failed", found["failed"], None)
            c.found += [f"{file}: {x}" for x in found["faults"]]


def opening(c):
    """A file of many segments that no table names takes few reads; of two files that are opened at once the later one counts."""
    many = b.File(b.Schema(storages=[("s", 1, 0, [("f", "u32")], [])]), b.INTERLEAVED)
    checkpoint, raw = b.State(many.schema).checkpoint(), b.frame(5, [("op", b.SET, 0, 0, 0, 1)], b.INTERLEAVED)
    for i in range(10000):
        many.segment(10000 * i, 10000 * (i + 1), checkpoint, raw, 1)
    c.viewer()
    texts = [base64.b64encode(x).decode() for x in (many.bytes(), b.demo()[0].bytes())]
    found = ask(c, "return open(...args);", *texts)
    reads = found.pop("reads")
    c.expect("all segments are found, the earlier file is refused", found, {"error": None, "segments": 10000, "first": "another file is opened",
                                                                               "later": None, "now": True})
    c.expect(f"{reads} reads", reads < 20)


sys.exit(kit.main(__doc__, [golden, segments, compressed, damaged, opening]))
