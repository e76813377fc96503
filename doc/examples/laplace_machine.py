#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small machine, logged as Laplace does: three tasks, of which two are forks of the first.

usage: laplace_machine.py DIR

Writes DIR/refs.lrb, DIR/kernel.lkt and DIR/laplace.json. Always the same bytes.

    10  sweeps over 64 pages of its own, again and again
    11  fork of 10: writes to pages that it shares with 10, so that each is copied, then stays
        in a few of them
    12  fork of 10: reads a mapped file from end to end, and passes what it finds to 11 through a
        shared segment
"""
import json
import os
import random
import struct
import sys

HEAP, SHARED, LIBRARY, CODE, KERNEL = 0x8100000, 0x40000000, 0x50000000, 0x8048000, 0xC0100000
PAGE = 4096
SLICE = 5000  # cycles that a task runs
SLICES = 150


class Machine:
    def __init__(self, where):
        self.refs = open(os.path.join(where, "refs.lrb"), "wb")
        self.kernel = open(os.path.join(where, "kernel.lkt"), "w", encoding="ascii")
        self.cycle = 0x10000
        self.random = random.Random(7)
        self.context = {}
        self.owned = {}  # task -> heap pages it may write without a copy

    def close(self):
        self.refs.close()
        self.kernel.close()

    def event(self, tag, *args):
        self.cycle += 200
        words = [a if isinstance(a, str) else f"{a:x}" for a in args]
        self.kernel.write(" ".join([tag, f"{self.cycle:x}", *words]) + "\n")

    def ref(self, task, kind, addr, length=4):
        self.cycle += self.random.choice((1, 1, 2, 5))
        self.refs.write(kind.encode() + struct.pack("<QBII", self.cycle, length, self.context[task], addr))

    def code(self, task):
        self.ref(task, "i", CODE + self.random.randrange(0, 2 * PAGE, 4))

    def write(self, task, addr):
        """To a page that is shared since a fork: the kernel copies it first."""
        page = addr // PAGE
        if HEAP // PAGE <= page < HEAP // PAGE + 64 and page not in self.owned[task]:
            self.in_kernel(task, 6)
            self.event("C", task, page * PAGE)
            self.in_kernel(task, 6)
            self.owned[task].add(page)
        self.ref(task, "w", addr)

    def in_kernel(self, task, n):
        for _ in range(n):
            self.ref(task, self.random.choice("iirw"), KERNEL + self.random.randrange(0, 12 * PAGE, 4))

    def start(self):
        self.context[0x10] = 0xA1
        self.event("F", 0x10, 0)
        self.event("A", 0x10, 0xA1)
        self.event("X", 0x10, 0x51, 8, 1, "machine")
        self.event("M", 0x10, CODE, 2 * PAGE, 0x51, 8, 1, 0, "machine")
        self.event("m", 0x10, HEAP, 64 * PAGE)
        self.event("S", 0x10)
        self.owned[0x10] = set(range(HEAP // PAGE, HEAP // PAGE + 64))

    def fork(self, child, context):
        self.in_kernel(0x10, 20)
        self.event("F", child, 0x10)
        self.event("A", child, context)
        self.event("D", 0xA1, context, CODE, CODE + 2 * PAGE)
        self.event("D", 0xA1, context, HEAP, HEAP + 64 * PAGE)
        self.context[child] = context
        self.owned[child] = set()
        self.owned[0x10] = set()

    def switch(self, old, new):
        self.in_kernel(old, 15)
        self.event("S", new)
        self.in_kernel(new, 15)


def sweep(m, state):
    """10: a diagonal in the view of pages."""
    m.code(0x10)
    addr = HEAP + state["at"] % (64 * PAGE)
    if state["at"] % 512 == 0:
        m.write(0x10, addr)
    else:
        m.ref(0x10, "r", addr)
    state["at"] += 64


def reuse(m, state):
    """11: many pages at first, then few."""
    m.code(0x11)
    pages = 40 if state["n"] < 4000 else 6
    m.write(0x11, HEAP + m.random.randrange(0, pages * PAGE, 4))
    if state["n"] % 50 == 0:
        m.ref(0x11, "r", SHARED + m.random.randrange(0, 8 * PAGE, 4))
    state["n"] += 1


def read_file(m, state):
    """12: each page once."""
    m.code(0x12)
    m.ref(0x12, "r", LIBRARY + state["offset"] % (256 * PAGE), 8)
    state["offset"] += 96
    if state["offset"] % 60 == 0:
        m.ref(0x12, "w", SHARED + m.random.randrange(0, 8 * PAGE, 4))


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    where = sys.argv[1]
    os.makedirs(where, exist_ok=True)
    m = Machine(where)
    m.start()
    work = {0x10: (sweep, {"at": 0}), 0x11: (reuse, {"n": 0}), 0x12: (read_file, {"offset": 0})}
    tasks = [0x10]
    running = 0x10
    for i in range(SLICES):
        if i == 10:
            m.fork(0x11, 0xA2)
            m.event("s", 0x11, SHARED, 8 * PAGE, 1)
            tasks.append(0x11)
        if i == 14:
            m.fork(0x12, 0xA3)
            m.event("M", 0x12, LIBRARY, 256 * PAGE, 0x77, 8, 1, 0, "a file to read.txt")
            m.event("s", 0x12, SHARED, 8 * PAGE, 1)
            m.event("<", 0x12, 0x77, 8, 1, 0, 4 * PAGE)
            tasks.append(0x12)
        if i == 110:
            m.event("U", 0x12, LIBRARY, 256 * PAGE)
            m.event("T", 0x12)
            m.event("u", 0xA3)
            tasks.remove(0x12)
            m.event("S", 0x10)
            running = 0x10
        do, state = work[running]
        end = m.cycle + SLICE
        while m.cycle < end:
            do(m, state)
        new = tasks[(tasks.index(running) + 1) % len(tasks)]
        if new != running:
            m.switch(running, new)
            running = new
    m.event("e")
    m.close()
    with open(os.path.join(where, "laplace.json"), "w", encoding="ascii") as f:
        json.dump({"version": 1, "format": "laplace", "name": "machine", "freq_hz": 1000000000,
                   "cpus": [{"references": "refs.lrb", "kernel": "kernel.lkt"}]}, f, indent=1)
        f.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
