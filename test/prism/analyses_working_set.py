#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines and pages of each window are those that a set of them has, in random programs and in one that is looked at by hand.

usage: analyses_working_set.py OVNIEMU WORKING_SET.so [SEED]
"""
import os
import random
import sys
import tempfile

import hooks_kit as kit
from analyses_kit import Analyser, Program

EMU, TOOL = (os.path.abspath(p) for p in sys.argv[1:3])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
ROUNDS = 16 // int(os.environ.get("TEST_SHARE", "1")) or 1
bad = n = 0


def same(what, got, want):
    global bad, n
    n += 1
    if got != want:
        bad += 1
        print(f"FAILED: {what}\ngot:\n{got}\nwant:\n{want}")


SMALL = """\
working sets: lines of 64 bytes and pages of 4096, in windows of 4 ns

         from ns stream     accesses        lines    new lines        pages    new pages
               0    all            3            3            3            2            2
               8    all            1            1            0            1            0

2 windows with accesses
all streams: 4 accesses, 3 lines, 3 at most, from 0 ns on, 2 pages, 2 at most, from 0 ns on
"""


def small(analyser, where):
    os.makedirs(where)
    with open(f"{where}/s.prism", "wb") as f:
        f.write(kit.cfg("mem", 0xe0) + kit.swap(1) + kit.mem("load", 3, 0x40) + kit.mem("store", 0, 0x41) + kit.mem("load", 3, 0xffc) + kit.swap(1) * 4 +
                kit.mem("load", 3, 0xff0) + kit.END)
    options = ["--prism", f"{where}/s.prism"]
    same("small", analyser.run(options, f"{TOOL} window=4"), (SMALL, ""))
    # a megabyte of lines that are all new: those that are left out are estimated
    with open(f"{where}/many.prism", "wb") as f:
        f.write(kit.cfg("mem", 0xe0) + b"".join(kit.mem("load", 0, i << 6) for i in range(16384)) + kit.END)
    many = analyser.json(["--prism", f"{where}/many.prism"], f"{TOOL} keep=1024")["streams"][0]["lines"]
    same(f"estimated: {many}", (many["sample"] >= 16, 12000 < many["all"] < 21000), (True, True))
    for words, why in (("window=0", "is no time"), ("window=x", "begins with a digit"), ("window=-3", "begins with a digit"), ("window=1.0000001ns", "window"),
                       ("page=3", "no power of two")):
        err = analyser.run(options, f"{TOOL} {words}", status=1)[1]
        same(f"{words}: {err}", why in err, True)


def expected(program, window, line, page):
    """Windows, and totals by stream."""
    windows, totals, seen, order = {}, {}, {}, {}
    streams = []
    for e in program.events:
        if e.what != "mem":
            continue
        if e.stream not in streams:
            streams.append(e.stream)
        process = order.setdefault(e.process, len(order))
        last = min(e.addr + e.size - 1, (1 << 56) - 1)
        for stream in (None, e.stream):
            row = windows.setdefault(e.time // window, {"n": len(streams)}).setdefault(stream, {"accesses": 0, line: set(), page: set(), "new": {line: 0, page: 0}})
            row["accesses"] += 1
            totals[stream] = totals.get(stream, 0) + 1
            for size in {line, page}:
                for key in range(e.addr // size, last // size + 1):
                    row[size].add((process, key))
                    old = seen.setdefault((stream, size), set())
                    row["new"][size] += (process, key) not in old
                    old.add((process, key))
            windows[e.time // window]["n"] = len(streams)
    rows = []
    for at, window_rows in windows.items():
        for stream, r in sorted(((s, r) for s, r in window_rows.items() if s != "n"), key=lambda x: -1 if x[0] is None else x[0]):
            if stream is None or window_rows["n"] > 1:
                rows.append({"from": at * window, "stream": stream, "accesses": r["accesses"], "lines": len(r[line]), "new_lines": r["new"][line],
                             "pages": len(r[page]), "new_pages": r["new"][page]})
    return rows, {s: (totals[s], len(seen[s, line]), len(seen[s, page])) for s in totals if s is None or len(streams) > 1}


with tempfile.TemporaryDirectory() as tmp:
    runs = Analyser(EMU, tmp)
    small(runs, f"{tmp}/small")
    for k in range(ROUNDS):
        rng = random.Random(SEED + k)
        p = Program(rng, count=2000)
        args = {"window": rng.choice((1, 7, 100, 10**6)), "line": rng.choice((1, 64)), "page": rng.choice((1024, 4096))}
        result = runs.json(p.write(f"{tmp}/{k}"), " ".join([TOOL] + [f"{key}={v}" for key, v in args.items()]))
        rows, all_of = expected(p, **args)
        same(f"seed {SEED} round {k} {args}", result["windows"], rows)
        same(f"seed {SEED} round {k} {args}: totals", {s["stream"]: (s["accesses"], s["lines"]["all"], s["pages"]["all"]) for s in result["streams"]}, all_of)
        for s in result["streams"]:
            mine = [r for r in rows if r["stream"] == s["stream"]]
            most = max(mine, key=lambda r: r["lines"])
            if s["stream"] is None:
                same(f"seed {SEED} round {k} {args}: most", (s["lines"]["most"], s["lines"]["most_from"]), (most["lines"], most["from"]))
print(f"{n - bad} passed, {bad} failed")
sys.exit(1 if bad else 0)
