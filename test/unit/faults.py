#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes that fail, signals, and threads that cannot be made, with several threads and parts of the machine.

usage: faults.py --emu OVNIEMU --uscope USCOPE [--seed S]      OVNIEMU is linked with faults.c

Each write of a run fails once, and before each the process gets SIGTERM. It ends by itself, says why in one message, and
its timelines are the begin of those of a whole run, up to the end of a line. After a signal all of them end at the same event.
Without the threads that it asks for the files are the same. With TEST_SHARE=n each n-th write.
"""
import argparse
import filecmp
import glob
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cli")]
import tools  # noqa: E402

# Threads, parts of the machine and how much room each has, outputs.
RUNS = ((4, "1", "prv,uscope"), (3, "8:300", "prv,uscope"), (5, "8:40", "prv --gzip"))


def make(top, burst):
    """Two looms; in one of them nearly all events come in one short while, which is in one slice of time."""
    for i, (loom, first, step, n) in enumerate((("a.1", 1000, 10000, 200), ("a.1", 10000001, 1, burst), ("a.2", 10000003, 100, 3000), ("a.2", 1004, 10000, 1000)), 1):
        where = f"{top}/loom.{loom}/proc.{i}/thread.{i}"
        text = tools.metadata(i, 4).replace(b'"node.0"', b'"%s"' % loom.encode()).replace(b'"pid": 100', b'"pid": %d' % i)
        tools.write(f"{where}/stream.json", text)
        tools.write(f"{where}/stream.obs", tools.stream(i % 4, first, step, n))


def text_of(path):
    """The lines behind the header."""
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as f:
        return f.read().partition(b"\n")[2]


class Faults:
    def __init__(self, args, tmp):
        self.args, self.tmp, self.nfound = args, tmp, 0

    def run(self, out, run, trace="trace", **faults):
        threads, parts, outputs = run
        shutil.rmtree(out, ignore_errors=True)
        env = {**os.environ, "OVNISCOPE_PARTS": parts, "FAULT_COUNT": f"{self.tmp}/count", **{f"FAULT_{k.upper()}": str(v) for k, v in faults.items()}}
        p = subprocess.run([self.args.emu, "-q", "-j", str(threads), "-f", *outputs.split(), "-o", out, f"{self.tmp}/{trace}"], env=env, timeout=100,
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        return p.returncode, p.stderr

    def check(self, good, what, *more):
        if not good:
            self.nfound += 1
            print(what, *more)

    def is_begin(self, what, whole, out):
        """The timelines are the begin of those in `whole`, and of each ends with a line."""
        for path in glob.glob(f"{out}/*.prv*"):
            try:
                have = text_of(path)
            except (EOFError, OSError) as e:
                self.check(False, what, os.path.basename(path), e)
                continue
            self.check(have in (b"", text_of(f"{whole}/{os.path.basename(path)}")[:len(have)]) and have[-1:] in (b"", b"\n"), what, os.path.basename(path))

    def all_end_together(self, what, out):
        """What ovni.uscp holds is what the others hold, and the last event of all is the last one that counts."""
        if not os.path.exists(f"{out}/thread.prv"):
            return
        with open(f"{out}/thread.prv", encoding="utf-8") as f:
            head, *lines = f
        last = max((int(x.split(":")[5]) for x in lines), default=0)
        self.check(f":{last:020}_ns:" in head, what, "the last event is not at", last, head)
        if not os.path.exists(f"{out}/ovni.uscp"):
            return
        made = f"{self.tmp}/made"
        subprocess.run([self.args.uscope, "timeline", "--prv", made, f"{out}/ovni.uscp"], stdout=subprocess.DEVNULL, check=True)
        for name in "thread.prv", "cpu.prv":
            self.check(filecmp.cmp(f"{out}/{name}", f"{made}/{name}", shallow=False), what, name, "and ovni.uscp end at other events")

    def walk(self, number, run):
        whole, out = f"{self.tmp}/whole{number}", f"{self.tmp}/out"
        said = self.run(whole, run)
        self.check(said == (0, ""), run, said)
        with open(f"{self.tmp}/count", encoding="utf-8") as f:
            nwrites = int(f.read())
        share = int(os.environ.get("TEST_SHARE", "1"))
        for n in range(1 + random.randrange(share), nwrites + 1, share):
            what = f"{run}, write {n} of {nwrites} fails:"
            status, said = self.run(out, run, write=n)
            self.check(status == 1 and said.count("error[write]") == 1 and said.count("error[") == 1, what, status, said)
            self.is_begin(what, whole, out)
            what = f"{run}, SIGTERM before write {n} of {nwrites}:"
            status, said = self.run(out, run, signal=n)
            self.check((status == 143 and "stopped by the user (SIGTERM)" in said) or (status, said) == (0, ""), what, status, said)
            self.is_begin(what, whole, out)
            if status == 143:
                self.all_end_together(what, out)
        for n in range(1, run[0]):
            what = f"{run}, no room for thread {n}:"
            said = self.run(out, run, thread=n)
            self.check(said == (0, ""), what, said)
            names = [os.path.relpath(path, whole) for path in glob.glob(f"{whole}/**", recursive=True) if os.path.isfile(path)]
            _, other, wrong = filecmp.cmpfiles(whole, out, names, shallow=False)
            self.check(not other + wrong, what, other + wrong)

    def stop_soon(self):
        """In the middle of a slice, too."""
        make(f"{self.tmp}/long", 300000)
        status, said = self.run(f"{self.tmp}/out", (3, "8", "prv,uscope"), trace="long", signal=16)
        nlines = text_of(f"{self.tmp}/out/thread.prv").count(b"\n")
        self.check(status == 143 and 10000 < nlines < 150000, "SIGTERM in a slice: status", status, said, nlines, "lines")
        self.all_end_together("SIGTERM in a slice:", f"{self.tmp}/out")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--emu", required=True)
    p.add_argument("--uscope", required=True)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    args = p.parse_args()
    print("seed", args.seed)
    random.seed(args.seed)
    with tempfile.TemporaryDirectory() as tmp:
        make(f"{tmp}/trace", 30000)
        faults = Faults(args, tmp)
        for number, run in enumerate(RUNS):
            faults.walk(number, run)
        faults.stop_soon()
    return 1 if faults.nfound else 0


if __name__ == "__main__":
    sys.exit(main())
