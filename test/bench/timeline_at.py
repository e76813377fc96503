#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`uscope timeline --at` in a long file: at most 20 ms in all, however long it is.

usage: timeline_at.py USCOPE MAKETIMELINE [CHANGES]

CHANGES: state changes in the file; default: 5 million, or TIMELINE_CHANGES. The target is
meant for 100 million, which take 1.2 GB on disk while it runs.
"""
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

LIMIT_MS = 20


def main():
    uscope, make = (os.path.abspath(x) for x in sys.argv[1:3])
    changes = int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get("TIMELINE_CHANGES", 5_000_000))
    with tempfile.TemporaryDirectory() as tmp:
        file = f"{tmp}/long.uscp"
        begin = time.monotonic()
        subprocess.run([make, file, "good", str(changes)], check=True)
        print(f"{changes} state changes, {os.path.getsize(file) / 1e6:.0f} MB, written in {time.monotonic() - begin:.1f} s")
        r = random.Random(1)
        wall, cpu = [], []
        for _ in range(40):
            at = f"{r.uniform(0, 100):.4f}%"
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            begin = time.monotonic()
            subprocess.run([uscope, "timeline", "--at", at, file], check=True, stdout=subprocess.DEVNULL)
            wall.append((time.monotonic() - begin) * 1000)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
        wall.sort()
        cpu.sort()
        print(f"--at: best {wall[0]:.1f} ms, median {wall[20]:.1f} ms, worst {wall[-1]:.1f} ms; CPU {cpu[20]:.1f} ms; limit {LIMIT_MS} ms")
    # Others may use the machine: the best runs count, and CPU time where all had to wait.
    return min(wall[4], cpu[20]) > LIMIT_MS


if __name__ == "__main__":
    sys.exit(main())
