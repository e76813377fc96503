#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random stacks of few values, with pauses, as slices in slices: against lists.

usage: nesting.py --emu OVNIEMU [--seed S] [--count N]
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gen")]

import asm
import pftrace


class Shown:
    """The slices of a stack: its values as the row shows them, but for those equal to the one below."""

    def __init__(self):
        self.open, self.slices = [], []

    def show(self, time, values):
        levels = [v for i, v in enumerate(values) if i == 0 or v != values[i - 1]]
        keep = min(len(levels), len(self.open))
        while [v for _, v in self.open[:keep]] != levels[:keep]:
            keep -= 1
        while len(self.open) > keep:
            begin, v = self.open.pop()
            self.slices.append((begin, time, len(self.open), str(v)))
        for v in levels[keep:]:
            self.open.append((time, v))


def generate(r):
    """Text of a trace, and the slices of its stack."""
    lines = ["loom n.0 cpus 0:0", "proc 1 app 1", "thread 1", 'mark 0 stack "Depth"', "1 0 OHx 0 -1 0"]
    shown, stack, time, runs = Shown(), [], 0, True
    # now and then more than the emulator hands over at once
    for _ in range(r.choice((5, 30, 100, 300) * 5 + (20000,))):
        time += r.choice((1, 1, 2, 1000))
        kind = r.random()
        if kind < 0.1:
            lines.append(f"1 {time} {'OHp' if runs else 'OHr'}")
            runs = not runs
        elif not runs:
            continue
        elif stack and kind < r.choice((0.3, 0.6, 0.8)):
            lines.append(f"1 {time} OM] {stack.pop()} 0")
        elif len(stack) < 60:
            stack.append(r.choice((1, 1, 2, 3, -4)))
            lines.append(f"1 {time} OM[ {stack[-1]} 0")
        shown.show(time, stack if runs else [])
    lines += [] if runs else [f"1 {time + 1} OHr"]
    shown.show(time + 1, stack)
    lines.append(f"1 {time + 2} OHe")
    shown.show(time + 2, [])
    return "\n".join(lines) + "\n", sorted(shown.slices)


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--seed", type=int, default=random.randrange(10**9))
    ap.add_argument("--count", type=int, default=60)
    a = ap.parse_args()
    print(f"seed {a.seed}")
    failed = levels = 0
    for seed in range(a.seed, a.seed + a.count):
        text, want = generate(random.Random(seed))
        with tempfile.TemporaryDirectory() as tmp:
            asm.assemble(text, f"{tmp}/trace")
            view = ["--compat"] if seed % 3 == 0 else []
            subprocess.run([os.path.abspath(a.emu), "-q", *view, "-f", "perfetto", "-o", f"{tmp}/out", f"{tmp}/trace"], check=True, timeout=60)
            tracks = pftrace.read(f"{tmp}/out/ovni.perfetto-trace").by_path()
        have = sorted(tuple(s) for path, t in tracks.items() if path[0] == "Threads" and path[-1] == "Depth" for s in t.slices)
        levels = max([levels] + [s[2] for s in want])
        if have != want:
            failed += 1
            print(f"seed {seed}: {[x for x in have if x not in want][:3]} instead of {[x for x in want if x not in have][:3]}")
    print(f"{levels + 1} levels at most; {failed} failed")
    return 1 if failed or levels < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
