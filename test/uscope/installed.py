#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples compile against an installed libuscope, and do what they promise.

usage: installed.py SOURCE_ROOT BUILD_ROOT

Installs into a folder of its own, and asks pkg-config there, as a user does.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

root, build = (os.path.abspath(a) for a in sys.argv[1:3])
env = {k: v for k, v in os.environ.items() if not k.startswith(("PKG_CONFIG", "LD_"))}


def run(words, status=0):
    p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=env)
    if p.returncode != status:
        sys.exit(f"{' '.join(words)}: status {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout if status == 0 else p.stderr


def expect(what, good):
    if not good:
        sys.exit(f"not so: {what}")


def check_headers(flags):
    """They compile alone, two times over, in C and C++."""
    for cc, std in (("gcc", "c11"), ("gcc", "c17"), ("clang", "c11"), ("g++", "c++11"), ("clang++", "c++17")):
        if not shutil.which(cc):
            continue
        for header in ("uscope.h", "uscope_dpi.h"):
            p = subprocess.run([cc, "-x", "c++" if "++" in cc else "c", f"-std={std}", "-pedantic", "-Wall", "-Wextra",
                                "-Wundef", "-Werror", "-fsyntax-only", *flags, "-"], check=False, env=env,
                               input=2 * f"#include <{header}>\n", capture_output=True, text=True)
            expect(f"{cc} -std={std} takes {header}: {p.stderr}", p.returncode == 0)


def ask(*words):
    return run(["pkg-config", *words]).split()


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
    run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", f"{tmp}/inst"])
    found = glob.glob(f"{tmp}/inst/**/uscope.pc", recursive=True)
    expect("uscope.pc is installed once", len(found) == 1)
    env.update(PKG_CONFIG_LIBDIR=os.path.dirname(found[0]), PKG_CONFIG_SYSROOT_DIR=f"{tmp}/inst")
    flags = ask("--cflags", "--libs", "uscope")
    check_headers(ask("--cflags", "uscope"))
    libdir = ask("--variable=libdir", "uscope")[0]
    if not libdir.startswith(tmp):
        libdir = f"{tmp}/inst{libdir}"
    sv = ask("--variable=sv", "uscope-dpi")[0]
    expect(f"{sv} is installed", os.path.exists(sv if sv.startswith(tmp) else f"{tmp}/inst{sv}"))
    expect("libuscope_dpi is linked", "-luscope_dpi" in ask("--libs", "uscope-dpi"))
    for name in ("uscope_write", "uscope_read"):
        run(["cc", "-Wall", "-Wextra", "-Werror", f"{root}/doc/examples/{name}.c", "-o", f"{tmp}/{name}", *flags,
             f"-Wl,-rpath,{libdir}"])
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
    with open(f"{root}/doc/man/libuscope.3", encoding="utf-8") as f:
        source = re.search(r"^\.Sh EXAMPLES$.*?^\.Bd -literal\n(.*?)^\.Ed$", f.read(), re.S | re.M).group(1)
    with open(f"{tmp}/page.c", "w", encoding="utf-8") as f:
        f.write(source.replace("\\e", "\\"))
    run(["cc", "-Wall", "-Wextra", "-Werror", f"{tmp}/page.c", "-o", f"{tmp}/page", *flags, f"-Wl,-rpath,{libdir}"])
    os.chdir(tmp)
    expect("the program of the man page prints 50", run([f"{tmp}/page"]) == "50\n")
print("the examples compile against what is installed, and the files hold what they promise")
