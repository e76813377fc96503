# SPDX-License-Identifier: MIT
"""What the tests of the analyses share: random programs as Prism streams, and the list of their events."""
import json
import os
import subprocess

import hooks_kit as kit

NAMES = ["main", "f", "g\"\\", b"\xff\xfe\x1b", "x" * 256]


NO_THREAD = 1000000  # of stream 0: events in front of the first swap


class Event:
    def __init__(self, stream, what, data, **fields):
        self.stream, self.what, self.data = stream, what, data
        self.type = self.addr = self.size = self.name = None
        self.args = ()
        self.__dict__.update(fields)


class Program:
    """Streams of threads that access memory, compute, call functions and take locks. A thread stays in its stream. `threads` and `function`
    of events are those behind them; an event takes a tick."""

    def __init__(self, rng, nstreams=None, count=None, addresses=None):
        self.rng = rng
        self.lock_owner = {}
        self.addresses = addresses or rng.choice((
            lambda: rng.randrange(64) * 8,
            lambda: rng.randrange(1 << 14),
            lambda: rng.choice((0, 60, 0x7f0000000000, (1 << 55) - 4, 1 << 55, (1 << 56) - 1)) + rng.randrange(4),
            lambda: rng.randrange(1 << 56)))
        self.processes = [rng.choice((1, 1, 2)) for _ in range(nstreams or rng.choice((1, 1, 2, 3)))]
        self.streams = [self.stream(i, rng.randrange(count or 400)) for i in range(len(self.processes))]
        # Streams are merged by time, and those of one time by their number.
        self.events = [e for _, _, e in sorted(((t, i, e) for i, s in enumerate(self.streams) for t, e in enumerate(s)), key=lambda x: x[:2])]
        self.place()

    def stream(self, number, count):
        rng = self.rng
        threads = [100 * number + i for i in range(1, rng.randint(2, 4))]
        stacks = {t: [] for t in [0] + threads}
        now = 0
        events = []

        def add(what, data, **fields):
            events.append(Event(number, what, data, thread=now, time=len(events), **fields))

        if rng.random() < 0.9:
            now = threads[0]
            add("swap", kit.swap(now))
        for _ in range(count):
            p = rng.random()
            if p < 0.08:
                now = rng.choice(threads)
                add("swap", kit.swap(now))
            elif p < 0.20:
                stack = stacks[now]
                if stack and rng.random() < 0.5:
                    add("leave", kit.leave(stack[-1]), name=stack.pop())
                elif len(stack) < 60:
                    stack.append(rng.choice(NAMES))
                    add("enter", kit.enter(stack[-1]), name=stack[-1])
            elif p < 0.30:
                kind = rng.choice((0, 1, 2))
                add("comp", kit.comp(kind), type=kind)
            elif p < 0.34:
                add("insn", kit.cxt(kit.INSN, rng.randrange(1 << 56)))
            elif p < 0.38:
                kind = rng.choice((kit.CREATE, kit.JOIN, kit.BARRIER, kit.COND_WAIT, 9, 10))
                args = [rng.choice((0x10, 0x20, 0x7f00aa001700)) for _ in range(2 if kind == kit.COND_WAIT else 1)]
                add("sync", kit.sync(kind, *args), type=kind, args=args)
            else:
                kind, size, addr = rng.choice(("load", "load", "store", "store", "undefined")), rng.randrange(8), self.addresses() & (1 << 56) - 1
                add("mem", kit.mem(kind, size, addr), type=kind, size=1 << size, addr=addr)
        return events

    def place(self):
        """The process and the function of events, behind them; before is that of the thread in front of it."""
        stacks = {}
        for e in self.events:
            e.process = self.processes[e.stream]
            e.thread = e.thread or NO_THREAD + e.stream
            stack = stacks.setdefault((e.process, e.thread), [])
            e.before = stack[-1] if stack else None
            if e.what == "enter":
                stack.append(e.name)
            elif e.what == "leave":
                stack.pop()
            e.function = stack[-1] if stack else None

    def write(self, where):
        """The streams with their descriptions, and the options that name them."""
        os.makedirs(where)
        options = []
        for i, s in enumerate(self.streams):
            with open(f"{where}/{i}.prism", "wb") as f:
                f.write(kit.cfg("mem", 0xe0) + kit.cfg("comp", 0xc0) + b"".join(e.data for e in s) + kit.END)
            with open(f"{where}/{i}.json", "w", encoding="utf-8") as f:
                json.dump({"version": 1, "format": "prism", "events": f"{i}.prism", "process": self.processes[i]}, f)
            options += ["--prism", f"{where}/{i}.json"]
        return options


def text_of(name):
    """A name as JSON has it."""
    return name if name is None or isinstance(name, str) else "".join(chr(c) if c < 128 else f"\\x{c:02x}" for c in name)


class Analyser:
    """Runs an analysis."""

    def __init__(self, emu, folder):
        self.emu, self.folder = emu, folder
        self.n = 0

    def run(self, options, analysis, *more, status=0):
        """stdout, and stderr."""
        self.n += 1
        words = [self.emu, "-q", "-o", f"{self.folder}/out{self.n}", "-f", "prv", "--prism-events=none", *options, "--prism-hooks", analysis, *more]
        p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120)
        if p.returncode != status:
            raise AssertionError(f"{' '.join(words)}: status {p.returncode}\n{p.stderr.decode(errors='replace')}")
        return p.stdout.decode(errors="backslashreplace"), p.stderr.decode(errors="backslashreplace")

    def json(self, options, analysis, *more):
        return json.loads(self.run(options, f"{analysis} format=json", *more)[0])
