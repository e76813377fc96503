#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Timelines with changed bytes: `uscope` prints something or says what is wrong.

usage: damaged.py --uscope USCOPE --make MAKETIMELINE [--seed S] [--count N] [--time SECONDS]

No crash, no endless loop, no finding of a sanitizer, whatever the bytes are.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

import tlkit

MODES = [["timeline", *m] for m in (["--at", "50%"], ["--json", "-c", "*"], ["--profile"], ["--prv", "out"], [], ["--recover", "-a", "-r", "1"])]
MODES += [["history", "/cpu/ovni[0].state"], ["history", "--from=25%", "--json", "--recover", "/thread/ovni[1].state"],
          ["export", "--format=vcd"], ["export", "--format=vcd", "--raw", "--from=25%", "--recover"]]


def damage(r, data):
    """Some bytes changed, or the end cut off."""
    data = bytearray(data)
    for _ in range(r.choice((1, 1, 2, 8))):
        i = r.randrange(len(data))
        data[i] = r.choice((0, 1, 0x7f, 0x80, 0xff, data[i] ^ 1 << r.randrange(8), r.randrange(256)))
    if r.random() < 0.1:
        del data[r.randrange(len(data)):]
    return bytes(data)


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--uscope", required=True)
    ap.add_argument("--make", required=True)
    ap.add_argument("--seed", type=int, default=random.randrange(10**9))
    ap.add_argument("--count", type=int, default=400)
    ap.add_argument("--time", type=float, default=10)
    a = ap.parse_args()
    print(f"seed {a.seed}")
    if "TIMELINE_SECONDS" in os.environ:
        a.count, a.time = 10**6, float(os.environ["TIMELINE_SECONDS"])
    tools = tlkit.Tools(a.uscope, a.uscope)
    make = os.path.abspath(a.make)
    failed = done = 0
    end = time.monotonic() + a.time
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        whole = []
        for variant in ("plain", "plain-stopped"):
            subprocess.run([make, "x.uscp", variant], check=True)
            with open("x.uscp", "rb") as f:
                whole.append(f.read())
        for i in range(a.count):
            if time.monotonic() > end or failed >= 5:
                break
            r = random.Random(a.seed + i)
            with open("x.uscp", "wb") as f:
                f.write(damage(r, r.choice(whole)))
            p = tools.uscope(*MODES[i % len(MODES)], "x.uscp")
            err = p.stderr.decode(errors="replace")
            done += 1
            if p.returncode not in (0, 1, 2) or "Sanitizer" in err or "runtime error" in err or (p.returncode and not err):
                failed += 1
                os.makedirs("/tmp/timeline-damaged", exist_ok=True)
                os.replace("x.uscp", f"/tmp/timeline-damaged/{a.seed + i}.uscp")
                print(f"FAIL seed {a.seed + i}, {MODES[i % len(MODES)]}, kept in /tmp/timeline-damaged: status {p.returncode}\n{err[:2000]}")
    print(f"{done} files, {failed} failures")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
