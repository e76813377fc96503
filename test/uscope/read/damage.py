#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program over small files made by build.py, or over the conformance vectors if
they are there. "good" are those of our own that break no rule, "packed" the compressed
ones.

usage: damage.py PROGRAM own|good|packed|vectors
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import build as b  # noqa: E402

SKIP = 77


def small(flags, **args):
    """One of everything, in few bytes."""
    schema = b.Schema([("a", 9, b.SPARSE, [("x", "u16"), ("y", "i8")], [("p", "bool")]), ("b", 1, 0, [("n", "u64")], [])],
                      [("e", [("v", "u8")])], enums=[("k", [(1, "one")])])
    f = b.File(schema, flags, dut=[("k", "v")], **args)
    s = b.Script(f)
    s.frame(3, [("op", b.SET, 0, 8, 0, 5), ("event", 0, b"\1"), ("op", b.PROP, 0, 0, 0, 1)])
    s.frame(300, [("op", b.ADD, 1, 0, 0, 1 << 40), ("op", b.CLEAR, 0, 8, 0, 0)])
    s.cut(0, 400)
    s.frame(400, [("op", b.SET, 0, 1, 1, 0xff), ("event", 0, b"\2")])
    s.cut(400, 401)
    return f


def own():
    """name, bytes"""
    full = b.COMPLETE | b.INTERLEAVED | b.COMPRESSED | b.STRINGS
    for name, flags in (("lz4", full), ("zstd", full | b.ZSTD), ("wide", b.COMPLETE), ("live", b.COMPACT | b.COMPRESSED)):
        f = small(flags)
        if flags & b.STRINGS:
            f.sections.append((2, b.string_table([b"one", b""])))
            f.sections.append((16, b.summary(4, 2, [[1, 2, 3], [3, 3], [6]],
                                             [(b"n", 1, [[(1, 2, 3), (0, 0, 0)], [(0, 2, 3)]])])))
        yield name, f.bytes()
    f = small(b.COMPLETE, minor=2, old=True)
    f.align = 1
    yield "old", f.bytes()
    yield "twice", small(b.INTERLEAVED).bytes() + b"uSEG" * 20


def main():
    program, what = sys.argv[1:3]
    if what == "vectors":
        folder = os.path.join(HERE, "..", "..", "..", "..", "shared", "conformance", "uscope")
        if not os.path.isdir(folder):
            print(f"skipped: no vectors in {folder}")
            return SKIP
        files = sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(".uscp"))
        return subprocess.run([program, *files], check=False).returncode
    with tempfile.TemporaryDirectory() as tmp:
        files = []
        for name, data in own():
            if what == "good" and name in ("old", "twice") or what == "packed" and name not in ("lz4", "zstd"):
                continue
            files.append(os.path.join(tmp, name + ".uscp"))
            with open(files[-1], "wb") as f:
                f.write(data)
        return subprocess.run([program, *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
