#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What live buffers cost ovniemu, in CPU time, beside a file of the same events: at least 0.7 of its speed.

usage: prism_live.py OVNIEMU IPC_FEED [events]
"""
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "prism"))
from hooks_kit import END, INSN, cfg, comp, cxt, enter, leave, mem, swap  # noqa: E402

EMU, FEED = sys.argv[1:3]
EVENTS = int(sys.argv[3]) if len(sys.argv) > 3 else 4000000
BLOCK = 50000
LIMIT = 0.7
RUNS = 5


def block(rng):
    out = b""
    for i in range(BLOCK // 10):
        name = f"function_{rng.randrange(300)}"
        out += enter(name)
        for k in range(8):
            out += (cxt(INSN, 0x400000 + 4 * rng.randrange(5000)), mem("load", 3, rng.randrange(1 << 24)), comp(2, 3, b"\x01"),
                    mem("store", 2, rng.randrange(1 << 24)))[k % 4]
        out += leave(name)
    return out


def cost(words, beside=None):
    """CPU seconds of a program, without those of what runs beside it."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as p:
        feed = subprocess.Popen(beside) if beside else None
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        if p.returncode or (feed and feed.wait(60)):
            sys.exit(f"{' '.join(words)}: status {p.returncode}")
    return used.ru_utime + used.ru_stime


def main():
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as tmp:
        with open(f"{tmp}/run.prism", "wb") as f:
            f.write(cfg("mem", 0xe0) + cfg("comp", 0xe0) + swap(1) + block(random.Random(1)) * (EVENTS // BLOCK) + END)
        os.mkdir(f"{tmp}/ipc")
        words = [EMU, "-q", "-f", "none", "-j1", "--prism"]
        file, live = [], []
        for _ in range(RUNS):  # in turns: a busy machine is so for both
            file.append(cost([*words, f"{tmp}/run.prism"]))
            live.append(cost([*words, f"ipc:{tmp}/ipc"], [FEED, f"{tmp}/ipc", "0", f"{tmp}/run.prism", "60000"]))
    speed = min(file) / min(live)
    print(f"file: {min(file) / EVENTS * 1e9:.1f} ns an event, live buffers: {min(live) / EVENTS * 1e9:.1f} ns; "
          f"{speed:.2f} of the speed (at least {LIMIT})")
    return speed < LIMIT


if __name__ == "__main__":
    sys.exit(main())
