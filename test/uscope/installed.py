#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples compile against an installed libuscope, and do what they promise.

usage: installed.py SOURCE_ROOT BUILD_ROOT

Installs into a folder of its own, and asks pkg-config there, as a user does.
"""
import os
import re
import sys
import tempfile

from installkit import Installed, expect, run

root, build = (os.path.abspath(a) for a in sys.argv[1:3])


class Toy:
    """The processor of uscope_write.c, to know what the file must hold."""

    def __init__(self):
        self.fetch = self.execute = None  # number of the instruction
        self.left = self.next = self.done = 0
        self.stalled = False
        self.retired = []  # (cycle, pc)

    def cycle(self, n):
        if self.execute is not None:
            self.left -= 1
            if self.left == 0:
                self.retired.append((n, 0x1000 + 4 * self.execute))
                self.done += 1
                self.execute = None
        if self.fetch is not None and self.execute is None:
            self.execute, self.fetch = self.fetch, None
            self.left = 3 if self.execute % 3 == 2 else 1
        self.stalled = self.fetch is not None
        if not self.stalled:
            self.fetch = self.next
            self.next += 1

    def lines(self):
        """As uscope_read prints them."""
        def text(i):
            return "mul" if i % 3 == 2 else "add"
        busy = [i for i in (self.fetch, self.execute) if i is not None]
        yield f"pipe: {len(busy)} of 2 slots stalled={int(self.stalled)}"
        if self.fetch is not None:
            yield f"  0: pc={0x1000 + 4 * self.fetch} left=0 text={text(self.fetch)}"
        if self.execute is not None:
            yield f"  1: pc={0x1000 + 4 * self.execute} left={self.left} text={text(self.execute)}"
        yield "done: 1 of 1 slots"
        yield f"  0: count={self.done}"


def at(cycle):
    toy = Toy()
    for n in range(cycle + 1):
        toy.cycle(n)
    return toy


def check(tmp, read, cycles, *args):
    """What is printed of a time in the middle."""
    time, window = args
    toy = at(min(time // 500, cycles - 1))
    segments = (cycles - 1) // 200 + 1
    want = ["dut_name: toy", "stages: 2", f"complete, {segments} segments", f"at {time} ps:", *toy.lines()]
    want += [f"{n * 500} ps retire pc={pc}" for n, pc in toy.retired if time - window <= n * 500 <= time]
    got = run([read, f"{tmp}/toy.uscp", str(time), str(window)]).splitlines()
    expect(f"{got} == {want}", got == want)


with tempfile.TemporaryDirectory() as tmp:
    inst = Installed(tmp, build, "uscope")
    inst.check_headers("uscope.h", "uscope_dpi.h")
    sv = inst.ask("--variable=sv", "uscope-dpi")[0]
    expect(f"{sv} is installed", os.path.exists(sv))
    expect("libuscope_dpi is linked", "-luscope_dpi" in inst.ask("--libs", "uscope-dpi"))
    for name in ("uscope_write", "uscope_read"):
        inst.compile(f"{root}/doc/examples/{name}.c", f"{tmp}/{name}")
    write, read = f"{tmp}/uscope_write", f"{tmp}/uscope_read"

    run([write, f"{tmp}/toy.uscp"])
    for time, window in ((0, 0), (500, 500), (1499, 1000), (10000, 2000), (99999, 50000), (100000, 0),
                         (123456, 100000), (499500, 499500), (600000, 600000)):
        check(tmp, read, 1000, time, window)
    out = run([read, f"{tmp}/toy.uscp"])
    expect("all events are printed", out.count(" retire ") == len(at(999).retired) > 500)

    run([write, f"{tmp}/toy.uscp", "1"])
    check(tmp, read, 1, 0, 0)
    run([write, f"{tmp}/toy.uscp", "0"])
    expect("no segments", "complete, 0 segments" in run([read, f"{tmp}/toy.uscp"]))
    expect("why it cannot be written", re.search(r"/none/a: .+", run([write, "/none/a"], 1)))
    expect("why it cannot be read", re.search(r"/dev/null: .+", run([read, "/dev/null"], 1)))
    run([write], 2)
    run([read], 2)

    # The program in the man page.
    inst.compile_page(f"{root}/doc/man/libuscope.3", f"{tmp}/page")
    os.chdir(tmp)
    expect("the program of the man page prints 50", run([f"{tmp}/page"]) == "50\n")
print("the examples compile against what is installed, and the files hold what they promise")
