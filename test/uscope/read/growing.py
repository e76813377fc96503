#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs growing.c over a trace made by build.py.

usage: growing.py PROGRAM
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build as b  # noqa: E402


def trace(flags):
    f = b.File(b.demo_schema(), flags, dut=[("k", "v")])
    s = b.Script(f)
    for i in range(4):
        for k in range(5):
            s.frame(i * 100 + k * 7, [("op", b.SET, 0, k, 0, i), ("event", 0, bytes([k, i, 0, 0, 1])), ("op", b.ADD, 2, 0, 0, 1)])
        s.cut(i * 100, i * 100 + 100)
    if flags & b.STRINGS:
        f.sections.append((2, b.string_table([b"one"])))
    return f.bytes()


with tempfile.TemporaryDirectory() as tmp:
    paths = []
    for name, flags in (("live", b.INTERLEAVED), ("complete", b.INTERLEAVED | b.COMPLETE | b.STRINGS)):
        paths.append(os.path.join(tmp, name + ".uscp"))
        with open(paths[-1], "wb") as out:
            out.write(trace(flags))
    sys.exit(subprocess.run([sys.argv[1], *paths], check=False).returncode)
