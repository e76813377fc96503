#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovnidump and ovnitop against a naive twin, on random streams, sorted or not, whole or
damaged, with names and payloads of any bytes.

usage: look_twin.py --dump OVNIDUMP --top OVNITOP [--count N] [--time S] [--seed N]

The twin reads the bytes of all streams, merges them in the plainest way, and prints the
lines of 'ovnidump -x' and the counts of 'ovnitop'. The seed of a failure is printed.
"""
import argparse
import collections
import csv
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

KNOWN = [b"OHx", b"OHe", b"OB.", b"OBx", b"OU[", b"OU]", b"OM=", b"VYc", b"VTx", b"VAs", b"KCO", b"6Tc", b"POc", b"VWC"]


class Failure(Exception):
    pass


def event(rnd, clock):
    mcv = rnd.choice(KNOWN) if rnd.random() < 0.8 else bytes(rnd.randrange(256) for _ in range(3))
    head = mcv + struct.pack("<q", clock)
    kind = rnd.random()
    if kind < 0.4:
        return bytes([rnd.choice((0, 0, 0x20, 0xe0))]) + head
    if kind < 0.8:
        n = rnd.choice((4, 8, 12, 16, rnd.randrange(2, 17)))
        return bytes([n - 1]) + head + rnd.randbytes(n)
    n = rnd.choice((0, 4, 5, 8, 16, rnd.randrange(40), rnd.randrange(6000)))
    data = struct.pack("<I", rnd.randrange(9)) + rnd.choice((b"label\0", b"\"a\\\x1b\n\xc3\xa9\0", b"open"))
    data = data[:n] + rnd.randbytes(max(0, n - len(data)))
    return bytes([rnd.choice((0x13, 0x10, 0x1f))]) + head + struct.pack("<I", n) + data


def stream(rnd):
    out = b"ovni\1\0\0\0"
    clock = rnd.randrange(100)
    for _ in range(rnd.choice((0, 1, 5, rnd.randrange(60), rnd.randrange(600)))):
        clock += rnd.randrange(6)
        at = clock
        if rnd.random() < 0.02:
            at = rnd.choice((clock - rnd.randrange(50), -rnd.randrange(1 << 63) - 1, (1 << 63) - 1, 0))
        out += event(rnd, at)
    damage = rnd.random()
    if damage < 0.1:
        out = out[:rnd.randrange(8, len(out) + 1)]
    elif damage < 0.15:
        out += rnd.randbytes(rnd.randrange(40))
    elif damage < 0.18:
        data = bytearray(out)
        data[rnd.randrange(8, len(data)) if len(data) > 8 else 0] = rnd.randrange(256)
        out = bytes(data)
    return out


def parse(data):
    """[(clock, mcv, payload, length)] of what is whole; the header must be good"""
    if data[:8] != b"ovni\1\0\0\0":
        return []
    found, p = [], 8
    while p + 12 <= len(data):
        flags = data[p]
        if flags & 0x10:
            if p + 16 > len(data):
                break
            size = 16 + struct.unpack_from("<I", data, p + 12)[0]
        else:
            size = 12 + (flags & 15) + (flags & 15 > 0)
        if p + size > len(data):
            break
        found.append((struct.unpack_from("<q", data, p + 4)[0], data[p + 1:p + 4], data[p + 12:p + size], size))
        p += size
    return found


def merge(streams):
    """(rank, event) in order: each time the lowest (clock, rank) of the first ones left"""
    at = [0] * len(streams)
    while True:
        heads = [(s[at[i]][0], i) for i, s in enumerate(streams) if at[i] < len(s)]
        if not heads:
            return
        i = min(heads)[1]
        yield i, streams[i][at[i]]
        at[i] += 1


def letters(mcv):
    return "".join(chr(c) if 0x20 < c < 0x7f else f"\\x{c:02x}" for c in mcv)


def lines(names, events):
    return [f"{ev[0]:10d}  {letters(ev[1])}  {names[i]}  " + "".join(f":{b:02x}" for b in ev[2]) for i, ev in events]


def run(words):
    p = subprocess.run(words, capture_output=True, timeout=60, check=False)
    if p.returncode not in (0, 1):
        raise Failure(f"{words}: status {p.returncode}: {p.stderr.decode(errors='replace')[-2000:]}")
    if p.returncode == 1 and b"error[" not in p.stderr:
        raise Failure(f"{words}: fails without a message")
    return p.stdout.decode()


def same(what, want, got):
    if want != got:
        k = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
        raise Failure(f"{what}: {len(got)} lines instead of {len(want)}; number {k}:\n"
                      f"  want {want[k:k + 1]}\n  got  {got[k:k + 1]}")


def check(rnd, tmp, dump, top):
    names = [f"loom.n.1/proc.1/thread.{i}" for i in range(1, rnd.choice((2, 3, 4, 10, 40)))]
    names.sort()
    streams = []
    for name in names:
        os.makedirs(f"{tmp}/{name}")
        data = stream(rnd)
        with open(f"{tmp}/{name}/stream.obs", "wb") as f:
            f.write(data)
        if rnd.random() < 0.5:
            with open(f"{tmp}/{name}/stream.json", "w", encoding="utf-8") as f:
                f.write(json.dumps({"version": 3, "ovni": {"finished": rnd.randrange(2)}}))
        streams.append(parse(data))
    events = list(merge(streams))
    same("ovnidump -x", lines(names, events), run([dump, "-q", "-x", tmp]).splitlines())

    # one form or the other has to be readable, and of the same events
    text = run([dump, "-q", "-f", "json", tmp])
    objects = [json.loads(x) for x in text.splitlines()]
    same("json", [(ev[0], letters(ev[1]), names[i]) for i, ev in events],
         [(o["clock"], o["event"], o["stream"]) for o in objects])
    rows = list(csv.DictReader(io.StringIO(run([dump, "-q", "-f", "csv", "-X", tmp]), newline="")))
    same("csv", [(str(ev[0]), letters(ev[1]), "".join(f":{b:02x}" for b in ev[2])) for i, ev in events],
         [(r["clock"], r["event"], r["payload"]) for r in rows])
    if len(run([dump, "-q", tmp]).splitlines()) != len(events):
        raise Failure("text: not a line for each event")

    # a part of it
    if events:
        low, high = sorted(rnd.choice(events)[1][0] for _ in range(2))
        mcv = letters(rnd.choice(events)[1][1])
        plain = len(mcv) == 3 and not set(mcv) & set(",\\?")
        pattern = "".join(rnd.choice((c, "?")) for c in mcv) if plain else "???"
        part = [(i, ev) for i, ev in events if low <= ev[0] <= high
                and all(p == "?" or ord(p) == c for p, c in zip(pattern, ev[1]))]
        same(f"--from={low} --to={high} -e {pattern}", lines(names, part),
             run([dump, "-q", "-x", f"--from={low}", f"--to={high}", "-e", pattern, tmp]).splitlines())

    counts = collections.Counter(letters(ev[1]) for _, ev in events)
    got = [x.rsplit(None, 1) for x in run([top, "-q", tmp]).splitlines()]
    same("ovnitop", sorted(counts.items()), sorted((name, int(n)) for name, n in got))
    by = json.loads(run([top, "-q", "-j", "--by=thread", tmp]))
    size = {name: (len(s), sum(ev[3] for ev in s)) for name, s in zip(names, streams) if s}
    same("ovnitop --by=thread", sorted(size.items()), sorted((r["name"], (r["events"], r["bytes"])) for r in by["rows"]))
    if events and (by["first"], by["last"]) != (min(e[0] for _, e in events), max(e[0] for _, e in events)):
        raise Failure("first and last")
    for step in ("", f"--step={rnd.choice((1, 3, 10, 1000))}ns"):
        if not step or events and max(e[0] for _, e in events) - events[0][1][0] < 1 << 19:
            check_times(step, events, run([top, "-q", "-j", "--by=time", *step.split(), tmp]))


def check_times(step, events, text):
    by = json.loads(text)
    want = collections.defaultdict(lambda: [0, 0])
    for _, ev in events:
        since = ev[0] - by["origin"]
        row = want[since // by["step"] * by["step"] if since >= 0 else None]
        row[0] += 1
        row[1] += ev[3]
    got = {r.get("from"): [r["events"], r["bytes"]] for r in by["rows"] if r["events"]}
    if got != want or (events and by["origin"] != events[0][1][0]):
        raise Failure(f"ovnitop --by=time {step}: {dict(want)} and not {by}")


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--dump", required=True)
    ap.add_argument("--top", required=True)
    ap.add_argument("--count", type=int, default=100)
    ap.add_argument("--time", type=float, default=20)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    a = ap.parse_args()
    end = time.time() + a.time
    n = 0
    count = max(a.count // int(os.environ.get("TEST_SHARE", "1")), 1)
    while n < count and (time.time() < end or n == 0):
        seed = a.seed + n
        with tempfile.TemporaryDirectory() as tmp:
            try:
                check(random.Random(seed), f"{tmp}/trace", a.dump, a.top)
            except (Failure, ValueError, KeyError) as e:
                print(f"FAIL --seed {seed} --count 1: {type(e).__name__}: {e}")
                return 1
        n += 1
    print(f"{n} traces, from seed {a.seed} on: ovnidump and ovnitop are like the twin")
    return 0


if __name__ == "__main__":
    sys.exit(main())
