#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovni.perfetto-trace while a Prism stream is written: what was emulated is there whenever the input waits, and in the
end it tells the same as the Paraver files; names of functions are known when they are shown.

usage: live.py --emu OVNIEMU
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "prism")]

import pftrace
import same
from hooks_kit import END, enter, leave, mem, swap

FILE = "ovni.perfetto-trace"


def read_so_far(path):
    """Whole packets of a file that may be compressed, and may end anywhere."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = zlib.decompressobj(31).decompress(data)
    while data:
        try:
            return pftrace.Trace(data)
        except pftrace.Broken:
            data = data[:-1]
    return pftrace.Trace(b"")


def names(trace):
    """{(thread, function): times}"""
    found = {}
    for path, t in trace.by_path().items():
        if path[0] == "Threads" and "function" in path[-1]:
            found.update({(path[-2], s[3]): s[:3] for s in t.slices})
    return found


def wait_for(path, good):
    """Reads until what was written is there."""
    for _ in range(500):
        if os.path.exists(path) and good(have := names(read_so_far(path))):
            return have
        time.sleep(0.02)
    return None


def run(emu, words):
    found = []
    with tempfile.TemporaryDirectory() as tmp:
        p = subprocess.Popen([emu, "-q", "-f", "prv,perfetto", "-o", f"{tmp}/out", *words, "--prism", "-"], stdin=subprocess.PIPE)
        file = f"{tmp}/out/{FILE}"

        def put(data):
            p.stdin.write(data)
            p.stdin.flush()
        put(swap(3) + mem() * 4 + enter("outer") + mem() * 3 + enter("inner") + mem() * 5)
        have = wait_for(file, lambda n: ("thread 3", "inner") in n)
        if not have or have["thread 3", "inner"][1:] != [None, 1] or have["thread 3", "outer"][1:] != [None, 0]:
            found.append(f"while it waits: {have}")
        put(leave("inner") + mem() * 2 + swap(4) + enter("other") + mem())
        have = wait_for(file, lambda n: ("thread 4", "other") in n)
        if not have or have["thread 3", "inner"][1] is None:
            found.append(f"later: {have}")
        put(leave("other") + swap(3) + mem() + leave("outer") + END)
        p.stdin.close()
        if p.wait(60):
            return found + [f"status {p.returncode}"]
        trace = pftrace.read(file)
        found += same.compare(trace.by_path(), same.Paraver(f"{tmp}/out"), False)
        if {f for _, f in names(trace)} != {"outer", "inner", "other"}:
            found.append(f"functions {names(trace)}")
    return found


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    a = ap.parse_args()
    found = []
    for words in ([], ["--perfetto-gzip"]):
        found += [f"{' '.join(words)} {x}" for x in run(os.path.abspath(a.emu), words)]
    for x in found:
        print(x)
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main())
