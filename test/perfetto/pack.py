#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the sink of Perfetto traces writes as protobuf is what a naive reader finds: random fields, plain and compressed,
visible in part while it is written.

usage: pack.py PACK [--seed S] [--count N]
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import pftrace


def script(r):
    """Lines, and the fields that they make."""
    lines, want = [], []
    for _ in range(r.randrange(1, 200)):
        field = r.choice((1, 2, 15, 16, 31, 60, 2047, 2**29 - 1))
        if r.random() < 0.5:
            value = r.choice((0, 1, 127, 128, 16383, 16384, 2**32, 2**63 - 1, 2**63, 2**64 - 1, r.getrandbits(r.randrange(1, 65))))
            lines.append(f"n {field} {value}")
            want.append((field, value))
        else:
            size = r.choice((0, 1, 127, 128, 4095, 4096, 4097, 70000, r.randrange(3000)))
            lines.append(f"b {field} {size}")
            want.append((field, bytes((i * 7 + field) & 255 for i in range(size))))
        if r.random() < 0.1:
            lines.append("f")
    return "".join(f"{x}\n" for x in lines), want


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("pack")
    ap.add_argument("--seed", type=int, default=random.randrange(10**9))
    ap.add_argument("--count", type=int, default=60)
    a = ap.parse_args()
    print(f"seed {a.seed}")
    failed = 0
    for i in range(a.count):
        text, want = script(random.Random(a.seed + i))
        for words in ([], ["gzip"]):
            with tempfile.TemporaryDirectory() as tmp:
                path = f"{tmp}/out"
                subprocess.run([a.pack, path, *words], input=text.encode(), check=True, timeout=60)
                with open(path, "rb") as f:
                    data = f.read()
                have = pftrace.fields(zlib.decompress(data, 31) if words else data)
            if have != want:
                failed += 1
                k = next((k for k, (x, y) in enumerate(zip(have, want)) if x != y), min(len(have), len(want)))
                print(f"seed {a.seed + i} {words}: {len(have)} fields, not {len(want)}; field {k} differs")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
