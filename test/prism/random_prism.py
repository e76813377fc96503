# SPDX-License-Identifier: MIT
"""Random Prism streams: their bytes, and the events that a reader sees in them."""
import collections

KINDS = ("mem", "comp", "sync", "cxt")
BITS = {"mem": 0xF0, "comp": 0xF8, "sync": 0xC0, "cxt": 0xC0}
NAMED = {3: "func", 4: "func", 6: "net", 7: "net", 8: "operator", 9: "operator"}


class Event:
    def __init__(self, kind, **fields):
        self.kind = kind
        self.bad = []
        self.__dict__.update(fields)


class Stream:
    """Bytes of a stream, and the events as a reader sees them: what is not shown is None."""

    def __init__(self, rng, number):
        self.number = number
        self.packed = rng.random() < 0.5
        self.word = rng.choice((8, 8, 4))
        self.cf = rng.random() < 0.5
        self.process = rng.choice((1, 1, 2))
        self.first = 0
        self.clock = rng.choice(("event", "event", "instr", "timestamps"))
        self.start = rng.choice((0, 0, 3, 1000))
        self.tick = rng.choice((1, 1, 2, 10))
        self.detail = {"mem": 0, "comp": 0, "sync": 0xC0, "cxt": 0xC0}
        if rng.random() < 0.5:
            self.detail = {k: rng.randrange(256) & BITS[k] for k in KINDS}
        self.initial = dict(self.detail)
        self.size = rng.choice((0, 0, 300, 4096))  # of a buffer
        self.data = b""
        self.events = []
        self.stamps = []

    def add(self, event, raw):
        room = self.size - len(self.data) % self.size if self.size else len(raw) + 1
        if len(raw) + 1 > room:
            self.data += b"\xc0" + bytes([0x77]) * (room - 1)
        self.data += raw
        self.events.append(event)

    def config(self, kind, bits):
        event = Event("cfg", target=kind, after=bits)
        self.add(event, bytes([0xA0 | KINDS.index(kind) << 2, bits]))
        self.detail[kind] = bits

    def mem(self, kind, exponent, addr, ident):
        d = self.detail["mem"]
        first = (kind << 3 if d & 0x80 else 0) | (exponent if d & 0x40 else 0)
        raw = bytes([first]) + (addr & (1 << 56) - 1).to_bytes(7, "little") * bool(d & 0x20) + bytes([ident]) * bool(d & 0x10)
        event = Event("mem", type=kind % 3 if d & 0x80 else None, bytes=1 << exponent if d & 0x40 else None, addr=addr if d & 0x20 else None)
        event.bad = ["PB07"] if d & 0x80 and kind == 3 else []
        self.add(event, raw)

    def comp(self, form, exponent, op, ids):
        d = self.detail["comp"]
        raw = bytes([0x20 | (form << 3 if d & 0x80 else 0) | (exponent if d & 0x40 else 0)])
        arity = len(ids) - 1
        if self.packed:
            op &= 63
            both = (op << 2 if d & 0x20 else 0) | (arity if d & 0x10 else 0)
            raw += bytes([both]) * bool(d & 0x30)
        else:
            raw += bytes([op]) * bool(d & 0x20) + bytes([arity << 6]) * bool(d & 0x10)
        if d & 0x18 == 0x18:
            raw += bytes(ids)
        event = Event("comp", format=form % 3 if d & 0x80 else None, op=op if d & 0x20 else None)
        event.bad = ["PB08"] * bool(d & 0x80 and form == 3) + ["PB09"] * bool(d & 0x20 and op > 6)
        self.add(event, raw)

    def sync(self, kind, *words):
        d = self.detail["sync"]
        if not d & 0x80:
            return self.add(Event("sync", type=None, words=()), b"\x40")
        words = [w & (1 << 8 * self.word) - 1 for w in words] if d & 0x40 else []
        event = Event("sync", type=kind, words=words)
        event.bad = ["PB11"] if kind not in range(1, 13) else []
        return self.add(event, bytes([0x40 | kind]) + b"".join(w.to_bytes(self.word, "little") for w in words))

    def cxt(self, kind, what):
        d = self.detail["cxt"]
        if not d & 0x80:
            return self.add(Event("cxt", type=None, what=None), b"\x60")
        raw = bytes([0x60 | kind])
        if d & 0x40:
            raw += bytes([len(what) - 1]) + what if kind in NAMED else what.to_bytes(7, "little")
        event = Event("cxt", type=kind, what=what if d & 0x40 else None)
        event.bad = ["PB13"] if kind in NAMED and d & 0x40 and what == b"\xff\xfe" else []
        return self.add(event, raw)

    def flow(self, kind):
        self.add(Event("cf", type=kind), bytes([0x80 | kind]))

    def finish(self, rng):
        """Ends the stream, and gives each event its time."""
        self.data += b"\xc0"
        now = self.start
        for e in self.events:
            e.stream = self.number
            if self.clock == "timestamps":
                self.start += rng.choice((0, 1, 1, 1, 2, 50)) if rng.random() < 0.99 else 3000
                e.time = self.start
                self.stamps.append(e.time)
                continue
            if self.clock == "instr" and e.kind == "cxt" and e.type == 1:
                now += self.tick
            e.time = now
            if self.clock == "event" and e.kind != "cfg":
                now += self.tick

    def options(self):
        levels = "".join(f'"{k}": "{v:02x}", ' for k, v in self.initial.items())[:-2]
        stamps = f'"{self.number}.stamps"' if self.clock == "timestamps" else "null"
        start = 0 if self.clock == "timestamps" else self.start
        return (f'{{"version": 1, "format": "prism", "events": "{self.number}.prism", "compute_layout": "{"packed" if self.packed else "wide"}", '
                f'"word_size": {self.word}, "buffer_size": {self.size}, "initial_config": {{{levels}}}, "process": {self.process}, '
                f'"first_thread": {self.first}, "control_flow": {str(self.cf).lower()}, '
                f'"clock": {{"mode": "{self.clock}", "start": {start}, "tick_ns": {self.tick}}}, "timestamps": {stamps}}}')


def make_stream(rng, number, count, wild, calls=0.11):
    """Unless it is wild nothing breaks a rule, and threads stay in their stream."""
    s = Stream(rng, number)
    if not wild and rng.random() < 0.8:
        s.initial["cxt"] = s.detail["cxt"] = 0xC0
    threads = [1, 2, 3, 9, (1 << 31) - 1] if wild else [100 * number + i for i in range(1, 5)]
    stacks = collections.defaultdict(list)
    current = None
    if rng.random() < 0.3:
        s.first = current = rng.choice(threads)
    names = [b"main", b"f", b"g", b"\xff\xfe", b"x" * 256]

    def switch(how):
        nonlocal current
        to = rng.choice(threads + ([0, 1 << 31, 12345678901] if wild and rng.random() < 0.1 else []))
        if how == "swap":
            s.sync(5, to)
            seen = s.events[-1].words
        else:
            s.cxt(5, to)
            seen = s.events[-1].what
        current = to if seen else current

    for _ in range(count):
        what = rng.random()
        if what < 0.04:
            kind = rng.choice(KINDS if wild else KINDS[:3])
            s.config(kind, rng.choice((0, BITS[kind], BITS[kind], rng.randrange(256) & BITS[kind])))
        elif what < 0.09:
            switch(rng.choice(("swap", "swap", "context")))
        elif what < 0.09 + calls:
            kind = rng.choice((3, 3, 3, 6, 8))
            stack = stacks[current, kind]
            leaves = rng.random() < 0.5
            if wild:
                s.cxt(kind + leaves, rng.choice(names))
            elif leaves and stack:
                s.cxt(kind + 1, stack.pop())
            elif not leaves:
                stack.append(rng.choice(names))
                s.cxt(kind, stack[-1])
        elif what < 0.30:
            s.cxt(1, rng.choice((0x400000, 0x400004, rng.randrange(1 << 56))))
        elif what < 0.36:
            s.cxt(2, rng.randrange(6))
        elif what < 0.50:
            kind = rng.choice((1, 2, 3, 4, 6, 6, 7, 7, 8, 9, 10, 11, 12))
            if wild and rng.random() < 0.1:
                kind = rng.choice((0, 13, 31))
            s.sync(kind, *[rng.choice((0x10, 0x20, 0x7f00aa001700)) for _ in range(2 if kind == 8 else 1)])
        elif what < 0.52 and s.cf:
            s.flow(rng.randrange(32))
        elif what < 0.75:
            addr = rng.choice((0, 60, 64, 4096, rng.randrange(1 << 12), (1 << 56) - 1))
            s.mem(rng.choice((0, 1, 1, 2, 2, 3) if wild else (0, 1, 1, 2)), rng.randrange(8), addr, rng.randrange(256))
        else:
            s.comp(rng.choice((0, 1, 2, 3) if wild else (0, 1, 2)), rng.randrange(8), rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 63)),
                   [rng.randrange(256) for _ in range(rng.randrange(1, 5))])
        if wild and rng.random() < 0.0005:
            deep = rng.randrange(300, 700)
            s.config("cxt", 0xC0)
            for _ in range(deep):
                s.cxt(3, b"deep")
            for _ in range(rng.randrange(deep)):
                s.cxt(4, b"deep")
    s.finish(rng)
    return s
