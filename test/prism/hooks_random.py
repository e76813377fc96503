#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Property: tools see the events of random streams, all of them, in order, and with the fields
that the level of detail shows; and only those that show what they need.

usage: hooks_random.py OVNIEMU PROBE.so [--seed N] [--runs N]

Half of the streams break rules, and the run is lenient. What is expected comes from how the
streams were made (random_prism.py).
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

from random_prism import make_stream

MEM = ("undefined", "load", "store")
FORMAT = ("undefined", "integer", "floating point")
NO_THREAD = 1000000


def thread_of(s, e, current):
    """The thread behind an event; 0: none yet"""
    selects = e.kind == "sync" and e.type == 5 and e.words and e.words[0] or e.kind == "cxt" and e.type == 5 and e.what
    if selects:
        return selects
    if not current and e.kind != "cfg":
        return NO_THREAD + s.number
    return current


def lacks(e, needs):
    """Whether a tool with these needs does not see it."""
    if e.kind == "mem":
        return needs.get("mem") == 4 and e.addr is None or needs.get("mem") == 2 and e.bytes is None or needs.get("mem") == 1 and e.type is None
    if e.kind == "comp":
        return needs.get("comp") == 32 and e.op is None or needs.get("comp") == 16 and e.format is None
    if e.kind == "sync":
        return needs.get("sync") == 128 and not e.words
    if e.kind == "cxt":
        return needs.get("cxt") == 256 and e.what is None or needs.get("cxt") == 1 and e.type is None
    return False


class Inside:
    """What a thread has entered: of each kind the names, and the last block and instruction."""

    def __init__(self):
        self.stacks = {3: [], 8: [], 6: []}
        self.block = self.insn = "-"

    def take(self, e):
        if e.kind != "cxt" or e.type is None:
            return
        if e.type in self.stacks:
            self.stacks[e.type].append(e.what)
        elif e.type - 1 in self.stacks:
            del self.stacks[e.type - 1][-1:]
        elif e.what is not None and e.type == 2:
            self.block = f"{e.what:x}"
        elif e.what is not None and e.type == 1:
            self.insn = f"{e.what:x}"

    def shown(self, ids):
        """A pattern"""
        out = ""
        for kind, what in ((3, "func"), (8, "op"), (6, "net")):
            name = self.stacks[kind][-1] if self.stacks[kind] else None
            out += f" {what}={len(self.stacks[kind])}:{ids[name] if name else 0}:{re.escape((name or b'').decode(errors='backslashreplace'))}"
        return f"{out} bb={self.block} insn={self.insn}"


def fields(e, ids):
    """What the probe prints of an event, as a pattern."""
    if e.kind == "mem":
        addr = e.addr or 0
        addr |= 0xFF << 56 if addr >> 55 else 0
        return f"type={MEM[e.type or 0]} bytes={e.bytes or 0} addr={addr:x} id="
    if e.kind == "comp":
        return f"format={FORMAT[e.format or 0]} op=.* "
    if e.kind == "sync":
        kind = e.type if e.type in range(1, 13) else 0
        return f"type={kind}:.* args={','.join(f'{w:x}' for w in e.words)}$"
    if e.kind == "cxt":
        name = e.what if isinstance(e.what, bytes) else b""
        number = ids.setdefault(name, len(ids) + 1) if name else 0
        ident = e.what if isinstance(e.what, int) else 0
        return f"id={ident:x} name={number}:{re.escape(name.decode(errors='backslashreplace'))}$"
    if e.kind == "cf":
        return f"type={e.type}$"
    return f"target=.* after={e.after:02x}$"


def expected(streams, needs, threads):
    ids = {}
    current = {s.number: s.first for s in streams}
    inside = collections.defaultdict(Inside)
    for _, n, i in sorted((e.time, s.number, i) for s in streams for i, e in enumerate(s.events)):
        s, e = streams[n], streams[n].events[i]
        current[n] = thread_of(s, e, current[n])
        pattern = fields(e, ids)
        # config events are of the thread that ran last, before the first one of none
        inside[s.process, current[n]].take(e)
        where = inside[s.process, current[n]].shown(ids) if threads else ""
        if not lacks(e, needs):
            who = current[n] if threads else r"\d+"
            seq = i if s.size == 0 else r"\d+"  # End events of buffers count too
            yield f"^0 {e.kind} stream={n} process={s.process} thread={who} seq={seq} offset=\\d+ ns={e.time}{where} .*{pattern}"


def one(emu, probe, rng, where):
    wild = rng.random() < 0.5
    streams = [make_stream(rng, i, rng.choice((20, 300, 900)), wild) for i in range(rng.choice((1, 1, 2, 3)))]
    os.makedirs(where)
    for s in streams:
        for name, data in ((f"{s.number}.prism", s.data), (f"{s.number}.json", s.options().encode()),
                           (f"{s.number}.stamps", b"".join(t.to_bytes(8, "little") for t in s.stamps))):
            with open(f"{where}/{name}", "wb") as f:
                f.write(data)
    needs = {kind: rng.choice(masks) for kind, masks in
             {"mem": (0, 1, 2, 4), "comp": (0, 16, 32), "sync": (0, 0, 128), "cxt": (0, 1, 256)}.items() if rng.random() < 0.5}
    words = " ".join(["inside only=mem only=comp only=sync only=cxt only=cf only=cfg"] + [f"needs={k}:{v}" for k, v in needs.items() if v])
    p = subprocess.run([emu, "-q", "-f", rng.choice(("prv", "none")), "-o", f"{where}/out", "--prism-hooks", probe, "--prism-needs=skip", "--prism-events=none",
                        *(["--lenient"] if wild else []), where], capture_output=True, check=False, timeout=120, env={**os.environ, "PROBE": words})
    got = p.stdout.decode(errors="backslashreplace").splitlines()
    want = ["^0 begin$", *expected(streams, needs, not wild)]
    if p.returncode:
        return f"status {p.returncode}\n{p.stderr.decode(errors='replace')[-1000:]}"
    for i, pattern in enumerate(want):
        if i >= len(got) or not re.search(pattern, got[i]):
            return f"call {i} is\n{got[i] if i < len(got) else 'missing'}\nand not like\n{pattern}"
    return None if len(got) == len(want) else f"{len(got) - len(want)} calls too many: {got[len(want)]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("emu")
    parser.add_argument("probe")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--runs", type=int, default=60)
    args = parser.parse_args()
    for i in range(max(args.runs // int(os.environ.get("TEST_SHARE", "1")), 1)):
        with tempfile.TemporaryDirectory() as tmp:
            wrong = one(os.path.abspath(args.emu), os.path.abspath(args.probe), random.Random(args.seed + i), f"{tmp}/trace")
        if wrong:
            print(f"{wrong}\nseed {args.seed + i} (--seed {args.seed + i} --runs 1)")
            return 1
    print(f"{args.runs} runs, seed {args.seed}")
    return 0


sys.exit(main())
