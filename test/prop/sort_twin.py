#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovnisort against a naive twin, on random streams and on the examples of its manual.

usage: sort_twin.py --sort OVNISORT [--count N] [--time SECONDS] [--seed N]

The twin keeps a list of events and does what ovnisort(1) says, step by step. A round is one
directory with many streams: some without metadata, some compressed, some cut inside an
event, and all must come out as the twin says, to the byte.
"""
import argparse
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import tools  # noqa: E402

HEADER = b"ovni\1\0\0\0"
OK, TOO_SMALL, CUT = "ok", "sort-window", "stream-truncated"

# before, after: clocks in parentheses, b is any event
EXAMPLES = """
OHx(1) b(5) OU[(10) b(3) b(4) OU](12) OHe(20)
OHx(1) b(3) b(4) b(5) OU[(10) OU](12) OHe(20)

OU[(10) b(3) b(4) OU](12)
b(3) b(4) OU[(10) OU](12)

OHx(1) b(8) b(5) OU[(10) b(6) OU](12)
OHx(1) b(8) b(5) b(6) OU[(10) OU](12)

OHx(1) b(8) b(5) OU[(10) b(3) OU](12)
OHx(1) b(3) b(5) b(8) OU[(10) OU](12)

OHx(1) OU[(10) b(30) b(20) OU](12) OHe(40)
OHx(1) OU[(10) b(20) b(30) OU](12) OHe(40)

OHx(1) OU[(10) b(3) OU[(11) b(2) OU](12) b(11) OU](13)
OHx(1) b(2) b(3) OU[(10) OU[(11) OU](12) b(11) OU](13)
"""


class Event:
    """Its bytes; two events are the same one only if they are the same object."""

    def __init__(self, mcv, clock, payload=b"", jumbo=False):
        self.mcv, self.clock = mcv, clock
        flags = 0x13 if jumbo else max(len(payload) - 1, 0)
        if jumbo:
            payload = struct.pack("<I", len(payload)) + payload
        self.data = struct.pack("<B3sq", flags, mcv.encode(), clock) + payload


def encode(events):
    return HEADER + b"".join(e.data for e in events)


# -- the twin ----------------------------------------------------------------

def sort_region(events, first, end, n):
    """The region is events[first:end], with its OU] at end. False: the window is too small."""
    low = max(0, end - (n - 1))
    lowest = min(e.clock for e in events[first:end])
    start = end - 1
    while start >= low and events[start].clock >= lowest:
        start -= 1
    if start < low:
        if end >= n - 1:
            return False
        start = 0
    events[start:end] = sorted(events[start:end], key=lambda e: e.clock)
    return True


def twin(events, n):
    """(result, events) of sorting the regions with a window of n - 1 events"""
    events, state, first = list(events), "outside", None
    for i, e in enumerate(list(events)):
        if state == "outside":
            state = "opened" if e.mcv == "OU[" else "outside"
        elif e.mcv == "OU]":
            if state == "inside" and not sort_region(events, first, i, n):
                return TOO_SMALL, None
            state = "outside"
        elif state == "opened":
            state, first = "inside", i
    return OK, events


def is_sorted(events):
    clocks = [e.clock for e in events]
    return clocks == sorted(clocks)


# -- random streams ----------------------------------------------------------

def random_events(rng, count, spread, fat):
    events, clock, inside = [], rng.randrange(50), False
    for _ in range(count):
        mcv = rng.choice(["KCI", "OB.", "OUx", "OU.", "OHx"])
        if rng.random() < 0.12:
            mcv = "OU]" if inside == (rng.random() < 0.9) else "OU["
            inside = mcv == "OU["
        clock += rng.randrange(4)
        late = inside and mcv != "OU[" or rng.random() < 0.02
        shown = max(0, clock - rng.randrange(spread)) if late and rng.random() < 0.8 else clock
        payload, jumbo = b"", rng.random() < 0.05
        if jumbo:
            payload = rng.randbytes(rng.randrange(200000 if fat and rng.random() < 0.05 else 50))
        elif rng.random() < 0.5:
            payload = rng.randbytes(rng.randrange(2, 17))
        events.append(Event(mcv, shown, payload, jumbo))
    return events


class Case:
    def __init__(self, rng, top, number, big):
        count = rng.randrange(20000, 60000) if big else rng.choice([0, 1, 2, 5, 20, 60, 200])
        self.events = random_events(rng, count, rng.choice([3, 10, 100, 5000]), big)
        self.name = f"thread.{number}"
        self.dir = f"{top}/{self.name}"
        self.kind = rng.choice(["", "", "", "zst", "lz4"])
        self.tail = b""
        if not self.kind and rng.random() < 0.1:
            self.tail = Event("OHe", 7, b"12345678").data[:rng.randrange(1, 20)]
        self.before = encode(self.events) + self.tail
        self.path = f"{self.dir}/stream.obs"
        tools.write(self.path, self.before)
        if rng.random() < 0.5:
            tools.write(f"{self.dir}/stream.json", tools.metadata(number + 1, 1))
        if self.kind:
            tools.pack(self.kind, self.path)
            self.path += f".{self.kind}"

    def now(self):
        if not self.kind:
            return tools.read(self.path)
        command = {"zst": "zstd", "lz4": "lz4"}[self.kind]
        return subprocess.run([command, "-dc", self.path], capture_output=True, check=True).stdout


class Failure(Exception):
    pass


def run(sort, args, top):
    p = subprocess.run([sort, *args, top], capture_output=True, timeout=300, check=False)
    if p.returncode not in (0, 1) or p.stdout:
        raise Failure(f"{args}: status {p.returncode}: {p.stderr.decode(errors='replace')[-2000:]}")
    return p.returncode, p.stderr.decode(errors="replace")


def errors_of(text, name):
    """error names whose place is that stream"""
    lines, found = text.splitlines(), set()
    for line, after in zip(lines, lines[1:] + [""]):
        if "error[" in line and after.split()[:2] == ["at", name]:
            found.add(line.split("error[")[1].split("]")[0])
    return found


def expect(case, what, want, text, errors):
    if case.now() != want:
        raise Failure(f"{case.name} ({len(case.events)} events, {case.kind or 'plain'}): not what {what} gives")
    found = errors_of(text, case.name)
    if found != errors:
        raise Failure(f"{case.name}: {what} reports {found} instead of {errors}")


def one_round(rng, sort, top):
    big = rng.random() < 0.05
    cases = [Case(rng, top, i, big) for i in range(2 if big else 40)]
    if big:
        n = rng.choice([3, 1000, 17000, 40000, 1000000])
    else:
        n = rng.choice([2, 3, 5, 8, 20, 100, 1000000])
    window = [] if n == 1000000 else ["-n", str(n)]

    # -c changes nothing and finds each stream that is not sorted
    status, text = run(sort, ["-c"], top)
    for c in cases:
        errors = ({"clock-backwards"} if not is_sorted(c.events) else set()) | ({CUT} if c.tail else set())
        expect(c, "-c", c.before, text, errors)
    if status != any(c.tail or not is_sorted(c.events) for c in cases):
        raise Failure(f"-c: status {status}")

    results = [twin(c.events, n) for c in cases]
    bad = any(r[0] != OK for r in results) or any(c.tail for c in cases)
    for dry in (["--dry-run"], []):
        status, text = run(sort, dry + window, top)
        for c, (result, events) in zip(cases, results):
            want = c.before if dry or result != OK else encode(events) + c.tail
            errors = {result} if result != OK else {CUT} if c.tail else set()
            expect(c, f"{dry} -n {n}", want, text, errors)
        if status != bad:
            raise Failure(f"-n {n}: status {status}")

    # again, what is there now
    present = [events if result == OK else c.events for c, (result, events) in zip(cases, results)]
    for c, events in zip(cases, present):
        c.before = encode(events) + c.tail
    status, text = run(sort, window, top)
    for i, c in enumerate(cases):
        result, events = twin(present[i], n)
        present[i] = events if result == OK else present[i]
        expect(c, "the second run", encode(present[i]) + c.tail, text, {result} if result != OK else {CUT} if c.tail else set())

    # --all is a stable sort of what is there
    status, text = run(sort, ["--all"], top)
    for c, events in zip(cases, present):
        events = sorted(events, key=lambda e: e.clock)
        expect(c, "--all", encode(events) + c.tail, text, {CUT} if c.tail else set())
    leftover = [f for _, _, files in os.walk(top) for f in files if "ovnisort" in f]
    if leftover:
        raise Failure(f"files are left: {leftover}")


def all_round(rng, sort, top):
    """--all: a stable sort when no event is later than half of the window; else an error"""
    cases = [Case(rng, top, i, rng.random() < 0.01) for i in range(20)]
    n = rng.choice([2, 3, 4, 7, 30, 100, 30000])
    _, text = run(sort, ["--all", "-n", str(n)], top)
    for c in cases:
        order = sorted(range(len(c.events)), key=lambda i: c.events[i].clock)
        # how many places an event has to go back
        late = max((i - place for place, i in enumerate(order)), default=0)
        found = errors_of(text, c.name)
        cut = {CUT} if c.tail else set()
        if TOO_SMALL in found:  # before the end is seen, or there
            if late <= (n - 1) // 2:
                raise Failure(f"--all -n {n}: {c.name} needs no more than {late}, and is refused")
            expect(c, "--all", c.before, text, {TOO_SMALL} | found & cut)
        else:
            expect(c, f"--all -n {n}", encode(c.events[i] for i in order) + c.tail, text, cut)


def parse_example(line):
    return [Event("OB." if w[0] == "b" else w[:3], int(w.split("(")[1][:-1])) for w in line.split()]


def examples(sort, top):
    texts = [t.splitlines() for t in EXAMPLES.strip().split("\n\n")]
    for i, (before, after) in enumerate(texts):
        path = f"{top}/thread.{i}/stream.obs"
        tools.write(path, encode(parse_example(before)))
        result, events = twin(parse_example(before), 1000000)
        if result != OK or encode(events) != encode(parse_example(after)):
            raise Failure(f"the twin does not sort: {before}")
    run(sort, [], top)
    for i, (before, after) in enumerate(texts):
        if tools.read(f"{top}/thread.{i}/stream.obs") != encode(parse_example(after)):
            raise Failure(f"not as in the manual: {before}")
    # running it again changes nothing that is in order
    _, text = run(sort, [], top)
    if text.count("empty sort region") == 0:
        raise Failure("no warning about empty regions")
    # the window: the start is the fifth event back; and no start, with all of the stream in
    # a window that is just full, or has room for one more
    path = f"{top}/thread.0/stream.obs"
    for line, n, status in (("OHx(1) b(5) b(6) OU[(10) b(3) OU](12)", 5, 1), ("OHx(1) b(5) b(6) OU[(10) b(3) OU](12)", 6, 0),
                            ("OU[(10) b(3) b(4) OU](12)", 4, 1), ("OU[(10) b(3) b(4) OU](12)", 5, 0)):
        events = parse_example(line)
        tools.write(path, encode(events))
        if (twin(events, n)[0] == TOO_SMALL) != status:
            raise Failure(f"-n {n}: the twin: {line}")
        got, text = run(sort, ["-n", str(n)], f"{top}/thread.0")
        if got != status or ("cannot find a event previous to clock 3" in text) != status:
            raise Failure(f"-n {n}: status {got}: {text}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sort", required=True)
    p.add_argument("--count", type=int, default=1000000)
    p.add_argument("--time", type=float, default=20)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    args = p.parse_args()
    # one that does not end must not fill the disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    if not shutil.which("zstd") or not shutil.which("lz4"):
        print("skipped: zstd and lz4 are needed")
        return 77
    rng, end, rounds = random.Random(args.seed), time.time() + args.time / int(os.environ.get("TEST_SHARE", "1")), 0
    print("seed", args.seed)
    try:
        with tempfile.TemporaryDirectory() as top:
            examples(args.sort, top)
        while rounds < args.count and time.time() < end:
            with tempfile.TemporaryDirectory() as top:
                (all_round if rounds % 3 == 2 else one_round)(rng, args.sort, top)
            rounds += 1
    except Failure as e:
        print(f"round {rounds}: {e}")
        return 1
    print(rounds, "rounds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
