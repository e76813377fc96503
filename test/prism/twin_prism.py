#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Property: ovniemu agrees with a naive twin on random Prism streams, line by line.

usage: twin_prism.py OVNIEMU USCOPE [--seed N] [--runs N]

The twin keeps lists of what each thread did in the interval and counts them anew when it
ends, looks at every row after every event, and prints what has changed. It shares no code and
no structure with the model, and is made from the rules of doc/models/prism.md and
doc/format/prism.md. In some runs the streams break the rules, and the emulator is lenient.
"""
import argparse
import collections
import filecmp
import fnmatch
import os
import random
import subprocess
import sys
import tempfile

from random_prism import KINDS, NAMED, make_stream

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "uscope", "timeline"))
import tlkit

CODES = [f"PB{i:02}" for i in range(1, 18)] + [f"PM0{i}" for i in range(1, 7)]
STACK = 512
CUT = ("deeper",)  # what stands for contexts that are too deep

# ---- The twin. ----

class Thread:
    def __init__(self, row, tid, process):
        self.row, self.tid, self.process = row, tid, process
        self.state = 0
        self.cpu = None
        self.runs_in = None  # stream
        self.value = collections.Counter()
        self.stack = {"func": [], "net": [], "operator": []}
        self.deeper = collections.Counter()
        self.locks = collections.Counter()
        self.unknown_locks = self.held = 0
        self.waits = 0
        self.done = []  # events of the interval
        self.active = False


class Core:
    def __init__(self, stream):
        self.stream = stream
        self.current = None
        self.value = collections.Counter()
        self.threads = set()
        self.done = []
        self.swaps = 0
        self.active = self.shown = self.started = False
        self.detail = dict(stream.initial)


def lines_of(e):
    if e.addr is None:
        return set()
    addr = e.addr | 0xFF << 56 if e.addr >> 55 else e.addr
    return {(addr + i) % (1 << 64) // 64 for i in range(e.bytes or 1)}


def totals(events):
    n = collections.Counter()
    lines = set()
    for e in events:
        if e.kind == "mem":
            kind = e.type or 0
            n[(439, 430, 431)[kind]] += 1
            if kind:
                n[431 + kind] += e.bytes or 0
            lines |= lines_of(e)
        elif e.kind == "comp":
            n[(448, 434, 435)[e.format or 0]] += 1
            n[440 + min(e.op or 0, 7)] += 1
        elif e.kind == "cxt" and e.type == 1:
            n[436] += 1
        elif e.kind == "sync" and e.type != 5 and not e.bad:
            n[437] += 1
    n[438] = len(lines)
    return n


def label(name):
    return "(no name)" if name is None else "".join(chr(b) if b < 0x80 else f"\\x{b:02x}" for b in name)


def leave(stack, name):
    """Leaves a call in a stack of (name, anything). Codes of what is wrong, and what was left."""
    if not stack:
        return ["PM01"], []
    if name is None or stack[-1][0] in (name, None):
        return [], [stack.pop()]
    if name not in [have for have, _ in stack]:
        return ["PM02"], []
    left = [stack.pop()]
    while left[-1][0] != name:
        left.append(stack.pop())
    return ["PM02"], left


def selects(e):
    """The thread that an event goes on with."""
    if e.kind == "sync" and e.type == 5 and e.words:
        return e.words[0]
    return e.what if e.kind == "cxt" and e.type == 5 else None


def durations(streams):
    """Enters of functions that return, and how long they take, as their own stream tells."""
    for s in streams:
        stacks = collections.defaultdict(list)
        thread = s.first or None
        for e in s.events:
            word = selects(e)
            thread = thread if word is None else word
            stack = stacks[thread]
            if e.kind != "cxt" or e.type not in (3, 4):
                continue
            if e.type == 3:
                stack.append((e.what, e))
            elif len(stack) > STACK:  # nobody knows the names of these
                stack.pop()
            else:
                yield from ((call, e.time - call.time) for _, call in leave(stack, e.what)[1])


class Twin:
    RUNNING = (400, 401, 402, 403, 404, 405)
    ALWAYS = (410, 412, 413)

    def __init__(self, streams, options):
        self.streams, self.options = streams, options
        self.cores = [Core(s) for s in streams]
        self.rows = {}
        self.fresh = {}
        self.index = collections.defaultdict(dict)
        self.out = collections.defaultdict(lambda: [(0, 0)])
        self.flashes = []
        least = options["filters"].get("min-time", 0)
        self.brief = {id(e) for e, took in durations(streams) if took < least}
        self.moved = False
        self.find_rows()
        self.ticked = 0

    # Rows: stream by stream, as they appear.

    def get(self, process, tid):
        return self.rows.setdefault((process, tid), Thread(len(self.rows) + 1, tid, process))

    def tid_of(self, process, word):
        if 0 < word < 1 << 31:
            return word
        if (process, word) not in self.fresh:
            tid = 2000000 + sum(1 for p, _ in self.fresh if p == process)
            self.fresh[process, word] = tid
        return self.fresh[process, word]

    def find_rows(self):
        for s in self.streams:
            known = s.first != 0
            if known:
                self.get(s.process, s.first)
            for e in s.events:
                word = selects(e)
                if word is not None:
                    self.get(s.process, self.tid_of(s.process, word))
                elif not known and e.kind != "cfg":
                    self.get(s.process, 1000000 + s.number)
                known = known or e.kind != "cfg"

    def number(self, table, key):
        return self.index[table].setdefault(key, len(self.index[table]) + 1)

    # Lines.

    def show(self, key, time, value):
        if self.out[key][-1][1] != value:
            self.out[key].append((time, value))

    def flash(self, key, time, value):
        s = self.out[key]
        if s[-1][1] == value:
            return
        last = s[-1][1]
        s.append((time - 1 if time > 0 and s[-1][0] < time else time, value))
        s.append((time, last))

    def emit(self, time):
        """Every row shows what it has now."""
        for t in self.rows.values():
            runs = t.state == 1
            row = ("thread", t.row)
            self.show((*row, 4), time, t.state)
            self.show((*row, 2), time, t.tid if runs else 0)
            self.show((*row, 6), time, 0 if t.cpu is None else t.cpu + 1)
            for kind in self.RUNNING:
                self.show((*row, kind), time, t.value[kind] if runs else 0)
            for kind in (*self.ALWAYS, *range(430, 449)):
                self.show((*row, kind), time, t.value[kind])
        for n, c in enumerate(self.cores):
            row = ("cpu", n + 1)
            here = [t for t in self.rows.values() if t.state == 1 and t.cpu == n]
            assert len(here) <= 1
            self.show((*row, 3), time, len(here))
            self.show((*row, 2), time, here[0].tid if here else 0)
            self.show((*row, 1), time, here[0].process if here else 0)
            for kind in (*self.RUNNING, 410, 412):
                self.show((*row, kind), time, here[0].value[kind] if here else 0)
            for kind in (*range(430, 449), *range(450, 454), 460, 461):
                self.show((*row, kind), time, c.value[kind])
        for t, c, kind, value in self.flashes:
            if t and (t.state == 1 or kind not in range(420, 425)):
                self.flash(("thread", t.row, kind), time, value)
            if kind == 499:
                self.flash(("cpu", c + 1, kind), time, value)
            elif t.state == 1:
                self.flash(("cpu", t.cpu + 1, kind), time, value)
        self.flashes = []

    # Who runs.

    def switch(self, core, tid, counts, codes):
        n = core.stream.number
        t = self.get(core.stream.process, tid)
        if core.current is t and t.runs_in == n:
            return
        if t.runs_in not in (None, n):
            codes.append("PM04")
        old = core.current
        if old and old.runs_in == n:
            old.state, old.runs_in = 2, None
        t.state, t.cpu, t.runs_in = 1, n, n
        core.current = t
        core.swaps += counts
        core.threads.add(t.row)
        core.value[461] = len(core.threads)

    # Intervals.

    def close(self, who):
        for kind in range(430, 449):
            who.value[kind] = totals(who.done)[kind] if who.done else 0
        if isinstance(who, Core):
            who.value[460] = who.swaps
            who.swaps = 0
        who.done = []
        who.active = False

    def rotate(self, time):
        for who in (*self.rows.values(), *self.cores):
            if who.active or time != self.ticked:
                self.close(who)
        self.ticked = time
        self.emit(time)

    # Events.

    def lock(self, t, e):
        """Codes of what is wrong with a lock or unlock."""
        kind = "spin" if e.type > 10 else "mutex"
        key = (kind, e.words[0]) if e.words else None
        if e.type in (6, 11):
            t.held += 1
            if key:
                t.locks[key] += 1
            else:
                t.unknown_locks += 1
            return []
        if key and t.locks[key]:
            t.locks[key] -= 1
        elif t.unknown_locks:
            t.unknown_locks -= 1
        elif key or not t.held:
            return ["PM03"]
        t.held = max(t.held - 1, 0)
        return []

    def sync(self, t, c, e):
        codes = []
        if e.type is None:
            return codes
        if e.type == 1:
            t.value[413] += 1
        elif e.type in (2, 3):
            t.waits = 3 if e.type == 2 else 2
        elif e.type in (6, 7, 11, 12):
            codes = self.lock(t, e)
        t.value[412] = t.held
        if self.options["events"] != "none":
            self.flashes.append((t, c, 411, e.type))
            if e.words and e.type != 5:
                self.flashes.append((t, c, 415, self.number("object", e.words[0])))
        return codes

    def is_shown(self, t, kind, e):
        f = self.options["filters"]
        if kind != "func" or not f:
            return True
        text = label(e.what)
        listed = any(fnmatch.fnmatchcase(text, p) for p in f.get("only", ["*"])) and not any(fnmatch.fnmatchcase(text, p) for p in f.get("except", []))
        return listed and len(t.stack[kind]) < f.get("depth", STACK) and id(e) not in self.brief

    def enter(self, t, kind, e):
        shown = self.is_shown(t, kind, e)
        deep = t.deeper[kind] or len(t.stack[kind]) == STACK
        if shown and not (deep and self.filters(kind)):
            self.number(kind, e.what)
        if deep:
            t.deeper[kind] += 1
            self.moved = not self.filters(kind)
            if self.moved:
                self.number(kind, CUT)
            return ["PM06"]
        self.moved = shown
        t.stack[kind].append((e.what, shown))
        return []

    def leave(self, t, kind, e):
        stack = t.stack[kind]
        if t.deeper[kind]:
            t.deeper[kind] -= 1
            self.moved = not self.filters(kind)
            return []
        codes, left = leave(stack, e.what)
        self.moved = any(shown for _, shown in left)
        return codes

    def filters(self, kind):
        return kind == "func" and bool(self.options["filters"])


    def context(self, t, e):
        """Codes of what is wrong; self.moved: whether a change of a stack is shown."""
        if e.type in NAMED:
            kind = NAMED[e.type]
            codes = (self.enter if e.type in (3, 6, 8) else self.leave)(t, kind, e)
            shown = [what for what, is_shown in t.stack[kind] if is_shown]
            top = self.number(kind, CUT) if t.deeper[kind] and not self.filters(kind) else self.number(kind, shown[-1]) if shown else 0
            t.value[{"func": 400, "operator": 402, "net": 403}[kind]] = top
            if kind == "func":
                t.value[401] = len(shown) + (0 if self.filters(kind) else t.deeper[kind])
            return codes
        if e.what is not None and e.type == 2:
            t.value[404] = self.number("bb", e.what)
        if e.what is not None and e.type == 1 and self.options["insn"]:
            t.value[405] = self.number("insn", e.what)
        return []

    def shows(self, t, c, e):
        """Events of memory, compute and control flow as such."""
        if self.options["events"] != "all":
            return
        if e.kind == "mem":
            self.flashes.append((t, c, 420, e.type or 3))
            if e.bytes:
                self.flashes.append((t, c, 421, e.bytes))
        elif e.kind == "comp":
            self.flashes.append((t, c, 422, e.format or 3))
            if e.op is not None:
                self.flashes.append((t, c, 423, min(e.op, 7) + 1))
        elif e.kind == "cf":
            self.flashes.append((t, c, 424, e.type + 1))

    def take(self, e, time):
        core = self.cores[e.stream]
        codes = list(e.bad)
        if core.stream.first and not core.started:
            self.switch(core, core.stream.first, 0, codes)
        core.started = True
        if e.kind == "cfg":
            core.detail[e.target] = e.after
            core.value[450 + KINDS.index(e.target)] = 256 + e.after
        else:
            self.take_of_thread(core, e, codes)
        codes = sorted({CODES.index(code) + 1 for code in codes})
        if self.options["lenient"]:
            self.flashes += [(core.current, e.stream, 499, code) for code in codes]
        self.emit(time)

    def take_of_thread(self, core, e, codes):
        word = selects(e)
        if word is not None:
            if not 0 < word < 1 << 31:
                codes.append("PM05")
            self.switch(core, self.tid_of(core.stream.process, word), 1, codes)
        elif not core.current:
            self.switch(core, 1000000 + e.stream, 0, codes)
        if not core.shown:
            for i, kind in enumerate(KINDS):
                core.value[450 + i] = 256 + core.detail[kind]
        core.shown = True
        t = core.current
        unknown = "PB11" in e.bad
        t.active = core.active = True
        if not (e.kind in ("sync", "cxt") and e.type == 5) and not unknown:
            t.waits = 0
        self.moved = False
        if e.kind == "sync" and not unknown:
            codes += self.sync(t, e.stream, e)
        elif e.kind == "cxt":
            codes += self.context(t, e)
        self.shows(t, e.stream, e)
        t.value[410] = t.waits or (1 if t.held else 0)
        t.done.append(e)
        core.done.append(e)
        mode, length = self.options["interval"]
        if (mode == "sync" and e.kind == "sync" and e.type != 5 and not unknown) or (mode == "func" and e.kind == "cxt" and e.type in (3, 4) and self.moved):
            self.close(t)
        for who in (t, core) if mode == "events" else ():
            if len(who.done) == length:
                self.close(who)

    def run(self):
        mode, length = self.options["interval"]
        # Ends come behind all that has their time in their stream.
        merged = sorted([(e.time, s.number, i, e) for s in self.streams for i, e in enumerate(s.events)] +
                        [(s.events[-1].time, s.number, len(s.events), None) for s in self.streams], key=lambda x: x[:3])
        zero = merged[0][0]
        tick = length
        for clock, n, _, e in merged:
            time = clock - zero
            while mode == "time" and time >= tick:
                self.rotate(tick)
                tick += length
            if e:
                self.take(e, time)
                continue
            for t in self.rows.values():
                if t.cpu == n:
                    t.state, t.cpu, t.runs_in = 3, None, None
            self.emit(time)
        end = merged[-1][0] - zero
        if mode == "time":
            self.rotate(end)
            return
        for who in (*self.rows.values(), *(self.cores if mode == "events" else ())):
            if who.active:
                self.close(who)
        self.emit(end)


# ---- Comparison. ----

def read_prv(where):
    rows = collections.defaultdict(list)
    for name in "thread", "cpu":
        with open(f"{where}/{name}.prv", encoding="utf-8") as f:
            next(f)
            for line in f:
                p = [int(x) for x in line.split(":")]
                for kind, value in zip(p[6::2], p[7::2]):
                    rows[name, p[4], kind].append((p[5], value))
    return rows


def make_filters(rng, streams):
    took = [t for _, t in durations(streams) if t] or [20]
    lists = [["main"], ["f", "g"], ["?"], ["x*", "m?in"], ["?xff*", "(no name)"], ["[f-h]", "nothing"]]
    every = {"depth": rng.choice((1, 2, 3, 10)), "min-time": rng.choice(took) + rng.randrange(2), "only": rng.choice(lists), "except": rng.choice(lists)}
    return {k: every[k] for k in every if rng.random() < 0.4} or {"min-time": every["min-time"]}


def one_run(emu, uscope, seed, tmp):
    rng = random.Random(seed)
    wild = rng.random() < 0.5
    filtered = rng.random() < 0.6
    streams = [make_stream(rng, i, rng.choice((20, 300, 900)), wild, 0.4 if filtered else 0.11) for i in range(rng.choice((1, 1, 2, 3)))]
    interval = rng.choice((("time", rng.choice((7, 64, 1000))), ("events", rng.choice((1, 3, 50))), ("sync", 0), ("func", 0)))
    options = {"events": rng.choice(("all", "all", "sync", "none")), "insn": rng.random() < 0.5, "interval": interval, "lenient": wild, "filters": {}}
    os.makedirs(f"{tmp}/in")
    for s in streams:
        with open(f"{tmp}/in/{s.number}.prism", "wb") as f:
            f.write(s.data)
        with open(f"{tmp}/in/{s.number}.json", "w", encoding="utf-8") as f:
            f.write(s.options())
        if s.stamps:
            with open(f"{tmp}/in/{s.number}.stamps", "wb") as f:
                f.write(b"".join(t.to_bytes(8, "little") for t in s.stamps))
    if filtered:
        options["filters"] = make_filters(rng, streams)
    args = [f"--prism-{k}={','.join(v) if isinstance(v, list) else v}" for k, v in options["filters"].items()]
    args += [f"--prism-interval={interval[0]}" + (f":{interval[1]}" if interval[1] else ""), f"--prism-events={options['events']}"]
    args += ["--prism-insn"] * options["insn"] + ["--lenient"] * wild
    p = subprocess.run([emu, "-q", "-f", "prv,uscope", "-o", f"{tmp}/out", *args, f"{tmp}/in"], capture_output=True, timeout=120, check=False)
    if p.returncode:
        return [f"seed {seed}: status {p.returncode}: {p.stderr.decode(errors='backslashreplace')}"]
    twin = Twin(streams, options)
    twin.run()
    have = read_prv(f"{tmp}/out")
    found = []
    for key in sorted(set(have) | set(twin.out)):
        got, want = have.get(key, [(0, 0)]), twin.out[key]
        if got != want and not (key[2] == 7 and got == [(0, 0)]):
            at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
            found.append(f"seed {seed}: {key[0]} {key[1]}, type {key[2]}: line {at}: {got[max(at - 1, 0):at + 3]}, expected {want[max(at - 1, 0):at + 3]}")
    subprocess.run([uscope, "timeline", "--prv", f"{tmp}/back", f"{tmp}/out/ovni.uscp"], capture_output=True, timeout=120, check=True)
    found += [f"seed {seed}: {name} of the µScope file differs" for name in [f"{rows}.{ext}" for rows in ("thread", "cpu") for ext in ("prv", "pcf", "row")]
              if not filecmp.cmp(f"{tmp}/out/{name}", f"{tmp}/back/{name}", shallow=False)]
    # Each event is one cycle, with its punctual values, also where many are written at once.
    tools = tlkit.Tools(emu, uscope)
    tools.emu("-q", "-f", "uscope", "--uscope-raw-events", "-o", f"{tmp}/one", *args, f"{tmp}/in")
    return found + [f"seed {seed}: {x}" for x in tlkit.compare_cycles(tools, [f"{tmp}/{d}/ovni.uscp" for d in ("out", "one")])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("emu")
    parser.add_argument("uscope")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=40)
    o = parser.parse_args()
    found = []
    o.runs = max(o.runs // int(os.environ.get("TEST_SHARE", "1")), 1)
    for seed in range(o.seed, o.seed + o.runs):
        with tempfile.TemporaryDirectory() as tmp:
            found += one_run(o.emu, o.uscope, seed, tmp)
        if len(found) > 10:
            break
    print("\n".join(found[:20]) or f"{o.runs} runs agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
