# SPDX-License-Identifier: MIT
"""µScope files, byte by byte, without the library: for tests of what it reads.

A File is a list of parts put together by File.bytes(); every number of it can be wrong.
"""
import struct

SET, CLEAR, ADD, PROP = 1, 2, 3, 4
SPARSE, BUFFER = 1, 2
COMPLETE, COMPRESSED, STRINGS, ZSTD, COMPACT, INTERLEAVED = 1, 2, 4, 8, 64, 128
NONE = 0xffff
TYPES = {"u8": (1, 1), "u16": (2, 2), "u32": (3, 4), "u64": (4, 8), "i8": (5, 1), "i16": (6, 2),
         "i32": (7, 4), "i64": (8, 8), "bool": (9, 1), "str": (10, 4), "enum": (11, 1)}


def align(data):
    return data + bytes(-len(data) % 8)


def leb(n):
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


class Schema:
    """clocks (name, period); scopes (name, parent, protocol, clock); enums (name, values);
    storages (name, slots, flags, fields, properties); events (name, fields); fields are
    (name, type) or (name, "enum", id)."""

    def __init__(self, storages=(), events=(), clocks=(("clk", 1000),), scopes=(("/", NONE, None, 0),),
                 enums=(), summary=()):
        self.storages, self.events, self.clocks = list(storages), list(events), list(clocks)
        self.scopes, self.enums, self.summary = list(scopes), list(enums), list(summary)
        self.pool = bytearray()

    def text(self, s):
        s = s.encode() + b"\0"
        at = self.pool.find(s)
        if at < 0:
            at = len(self.pool)
            self.pool += s
        return at

    def field(self, f):
        return struct.pack("<HBB4x", self.text(f[0]), TYPES[f[1]][0], f[2] if len(f) > 2 else 0)

    def bytes(self, old=False, pool_extra=0, gap=0):
        d = b"".join(struct.pack("<HHI", self.text(n), i, p) for i, (n, p) in enumerate(self.clocks))
        for i, (n, parent, protocol, clock) in enumerate(self.scopes):
            d += struct.pack("<HHHHB3x", self.text(n), i, parent, NONE if protocol is None else self.text(protocol), clock)
        for n, values in self.enums:
            d += struct.pack("<HBx", self.text(n), len(values))
            d += b"".join(struct.pack("<BxH", v, self.text(label)) for v, label in values)
        for i, (n, slots, flags, fields, props) in enumerate(self.storages):
            d += struct.pack("<HHHHHH", self.text(n), i, slots, len(fields), flags, NONE)
            if not old:
                d += struct.pack("<HH", len(props), 0)
            d += b"".join(self.field(f) for f in fields) + b"".join(self.field(f) for f in ([] if old else props))
        for i, (n, fields) in enumerate(self.events):
            d += struct.pack("<HHHH", self.text(n), i, len(fields), NONE) + b"".join(self.field(f) for f in fields)
        d += b"".join(struct.pack("<HBBHH", self.text(n), TYPES[t][0], 0, NONE, 0) for n, t in self.summary)
        head = struct.pack("<BBHHHHH", len(self.enums), len(self.clocks), len(self.scopes), len(self.storages),
                           len(self.events), len(self.summary), 12 + len(d) + pool_extra + gap)
        return head + d + bytes(gap) + bytes(self.pool)


def size_of(fields):
    return sum(TYPES[f[1]][1] for f in fields)


def block(storage, payload):
    return struct.pack("<HHI", storage, 0, len(payload)) + payload


def pack(fields, values):
    return b"".join((v & (1 << 8 * TYPES[f[1]][1]) - 1).to_bytes(TYPES[f[1]][1], "little") for f, v in zip(fields, values))


class State:
    """The plain twin of the state of a file: a list of numbers for everything."""

    def __init__(self, schema):
        self.schema = schema
        self.slots = [[None if s[2] & SPARSE else [0] * len(s[3]) for _ in range(s[1])] for s in schema.storages]
        self.props = [[0] * len(s[4]) for s in schema.storages]

    def copy(self):
        other = State(self.schema)
        other.slots = [[row and list(row) for row in s] for s in self.slots]
        other.props = [list(p) for p in self.props]
        return other

    def op(self, action, storage, slot, field, value):
        """False: not a good operation."""
        if storage >= len(self.slots):
            return False
        fields, props, flags = self.schema.storages[storage][3], self.schema.storages[storage][4], self.schema.storages[storage][2]
        if action == PROP:
            if field >= len(props):
                return False
            self.props[storage][field] = value & (1 << 8 * TYPES[props[field][1]][1]) - 1
            return True
        if slot >= len(self.slots[storage]):
            return False
        if action == CLEAR:
            if not flags & SPARSE:
                return False
            self.slots[storage][slot] = None
            return True
        if action not in (SET, ADD) or field >= len(fields):
            return False
        row = self.slots[storage][slot] or [0] * len(fields)
        if action == ADD:
            value += row[field]
        row[field] = value & (1 << 8 * TYPES[fields[field][1]][1]) - 1
        self.slots[storage][slot] = row
        return True

    def checkpoint(self):
        out = b""
        for i, (_, slots, flags, fields, props) in enumerate(self.schema.storages):
            p = b""
            if flags & SPARSE:
                mask = bytearray((slots + 7) // 8)
                for k, row in enumerate(self.slots[i]):
                    if row is not None:
                        mask[k >> 3] |= 1 << (k & 7)
                p += bytes(mask)
            p += b"".join(pack(fields, row) for row in self.slots[i] if row is not None)
            out += block(i, p + pack(props, self.props[i]))
        return out

    @staticmethod
    def shown(f, v):
        bits = 8 * TYPES[f[1]][1]
        if f[1][0] == "i" and v >> bits - 1:
            v -= 1 << bits
        return str(int(v != 0) if f[1] == "bool" else v)

    def json(self):
        """As dump.c shows it."""
        out = []
        for i, (_, _, flags, fields, props) in enumerate(self.schema.storages):
            rows = {}
            for k, row in enumerate(self.slots[i]):
                if row is None:
                    continue
                shown = [self.shown(f, v) for f, v in zip(fields, row)]
                if flags & SPARSE or any(v != "0" for v in shown):
                    rows[str(k)] = shown
            out.append({"storage": i, "occupancy": sum(row is not None for row in self.slots[i]), "rows": rows,
                        "properties": [self.shown(f, v) for f, v in zip(props, self.props[i])]})
        return out


# ---- Frames. An item is ("op", action, storage, slot, field, value) or ("event", type, payload). ----

def frame(delta, items, flags, wide=None):
    """One frame. wide: of all operations; None: where one needs it."""
    ops = [i for i in items if i[0] == "op"]
    if wide is None:
        wide = not flags & (COMPACT | INTERLEAVED) or any(o[2] > 255 or o[5] > 65535 for o in ops)
    if flags & INTERLEAVED:
        out = leb(delta) + struct.pack("<H", len(items))
        for i in items:
            if i[0] == "event":
                out += struct.pack("<BBHI", 3, 0, i[1], len(i[2])) + i[2]
            elif wide:
                out += struct.pack("<BBHHHQ", 1, i[1], i[2], i[3], i[4], i[5])
            else:
                out += struct.pack("<BBBHHH", 2, i[1], i[2], i[3], i[4], i[5])
        return out
    events = [i for i in items if i[0] == "event"]
    out = leb(delta) + struct.pack("<BBHH", not wide, 0, len(ops), len(events))
    for i in ops:
        if wide:
            out += struct.pack("<BBHHHQ", i[1], 0, i[2], i[3], i[4], i[5])
        else:
            out += struct.pack("<BBHHH", i[1], i[2], i[3], i[4], i[5])
    return out + b"".join(struct.pack("<HHI", e[1], 0, len(e[2])) + e[2] for e in events)


def lz4(raw):
    """A block that is all literals."""
    n = len(raw)
    if n < 15:
        return bytes([n << 4]) + raw
    more = n - 15
    return b"\xf0" + b"\xff" * (more // 255) + bytes([more % 255]) + raw


def zstd(raw):
    """A frame of one block that is not compressed."""
    assert len(raw) < 1 << 17
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(raw)) + (len(raw) << 3 | 1).to_bytes(3, "little") + raw


def packed(raw, flags, prefix=False):
    if not flags & COMPRESSED or not raw:
        return raw
    if flags & ZSTD:
        return zstd(raw)
    return (struct.pack("<I", len(raw)) if prefix else b"") + lz4(raw)


# ---- Sections. ----

def string_table(texts):
    entries = data = b""
    for t in texts:
        entries += struct.pack("<II", len(data), len(t))
        data += t + b"\0"
    return struct.pack("<II", len(texts), 0) + entries + data


def summary(base, fan_out, density, counters, total=0, magic=b"TSUM"):
    out = magic + struct.pack("<II", base, fan_out)
    if magic == b"TSUM":
        out += struct.pack("<QI", total, len(density))
        out += b"".join(struct.pack(f"<I{len(level)}I", len(level), *level) for level in density)
    out += struct.pack("<I", len(counters))
    for name, storage, levels in counters:
        out += struct.pack("<I", len(name)) + name + struct.pack("<HI", storage, len(levels))
        for level in levels:
            out += struct.pack("<I", len(level)) + b"".join(struct.pack("<QQQ", *m) for m in level)
    return out


def chunk(kind, payload, flags=0):
    return struct.pack("<HHI", kind, flags, len(payload)) + align(payload)


class File:
    def __init__(self, schema, flags=INTERLEAVED, minor=3, interval=0, dut=(), **schema_args):
        self.schema, self.flags, self.minor = schema, flags, minor
        pairs = b"".join(struct.pack("<HH", schema.text(k), schema.text(v)) for k, v in dut)
        schema_bytes = schema.bytes(**schema_args)
        self.chunks = [(1, struct.pack("<HH", len(dut), 0) + pairs, 0), (2, schema_bytes, 0),
                       (3, struct.pack("<Q", interval), 0), (0, b"", 0)]
        self.preamble_tail = b""
        self.segments = []  # dicts: what is missing is computed
        self.sections = []  # (type, bytes)
        self.align = 8
        self.tail = b""
        self.header = {}    # fields that are to be wrong
        self.no_table = False

    def segment(self, start, end, checkpoint, raw, frames, **more):
        self.segments.append(dict(start=start, end=end, checkpoint=checkpoint, raw=raw, frames=frames, **more))

    def bytes(self):
        out = bytearray(48)
        for c in self.chunks:
            out += chunk(*c)
        out += self.preamble_tail
        preamble_end = len(out)
        prev, table = 0, []
        for s in self.segments:
            out += bytes(-len(out) % self.align)
            deltas = s["packed"] if "packed" in s else packed(s["raw"], self.flags, s.get("prefix"))
            at = len(out)
            table.append((at, s["start"], s["end"]))
            out += struct.pack("<4sIQQQIIIIII", s.get("magic", b"uSEG"), s.get("flags", 0), s["start"], s["end"], s.get("prev", prev),
                               s.get("checkpoint_size", len(s["checkpoint"])), s.get("packed_size", len(deltas)),
                               s.get("raw_size", len(s["raw"])), s["frames"], s.get("active", s["frames"]), 0)
            out += s["checkpoint"] + deltas
            prev = at
        header = dict(magic=b"uSCP", major=0, minor=self.minor, flags=self.flags, total=0, segments=len(self.segments),
                      preamble_end=preamble_end, table=0, tail=prev)
        if self.flags & COMPLETE:
            sections = list(self.sections)
            if not self.no_table:
                sections.append((3, b"".join(struct.pack("<QQQ", *t) for t in table)))
            entries = b""
            for kind, data in sections:
                out += bytes(-len(out) % self.align)
                entries += struct.pack("<HHIQQ", kind, 0, 0, len(out), len(data))
                out += data
            out += bytes(-len(out) % self.align)
            header["table"] = len(out)
            header["total"] = max([1, *(s["end"] for s in self.segments)]) - 1
            out += entries + bytes(24)
        out += self.tail
        header.update(self.header)
        out[:48] = struct.pack("<4sHHQQIIQQ", *(header[k] for k in (
            "magic", "major", "minor", "flags", "total", "segments", "preamble_end", "table", "tail")))
        return bytes(out)


# ---- Ready ones. ----

def demo_schema():
    return Schema(
        clocks=[("clk", 1000), ("slow", 0)],
        scopes=[("/", NONE, None, 0), ("core", 0, "cpu", 0xff), ("other", 1, "", 1)],
        enums=[("stage", [(0, "fetch"), (7, "retire"), (7, "again")])],
        storages=[
            ("rob", 11, SPARSE | BUFFER, [("entity_id", "u32"), ("done", "bool"), ("bal", "i16")], [("head", "u16"), ("b", "i8")]),
            ("regs", 3, 0, [("stage", "enum", 0), ("val", "u64"), ("text", "str")], []),
            ("count", 1, 0, [("n", "u64")], [("p", "i64")]),
            ("none", 0, SPARSE, [], []),
            ("bits", 9, SPARSE, [], []),
        ],
        events=[("step", [("id", "u32"), ("stage", "enum", 0)]), ("tick", []), ("signed", [("v", "i32")])],
        summary=[("s", "u32")])


class Script:
    """Frames that are given one by one, in segments; knows the state at every time."""

    def __init__(self, file):
        self.file = file
        self.state = State(file.schema)
        self.history = []  # (time, state) after each frame
        self.events = []   # (time, type, payload)
        self.bad_ops = 0
        self.frames = []

    def frame(self, time, items, wide=None):
        self.frames.append((time, items, wide))

    def cut(self, start, end, **more):
        raw, last = b"", start
        checkpoint = self.state.checkpoint()
        for time, items, wide in self.frames:
            raw += frame(time - last, items, self.file.flags, wide)
            last = time
            for i in items:
                if i[0] == "op":
                    self.bad_ops += not self.state.op(*i[1:])
                elif i[1] < len(self.file.schema.events) and size_of(self.file.schema.events[i[1]][1]) == len(i[2]):
                    self.events.append((time, i[1], i[2]))
            self.history.append((time, self.state.copy()))
        args = dict(checkpoint=checkpoint, raw=raw, frames=len(self.frames))
        args.update(more)
        self.file.segment(start, end, **args)
        self.frames = []


def demo(flags=INTERLEAVED | COMPLETE, **args):
    """A file with two segments and something of everything."""
    f = File(demo_schema(), flags, dut=[("dut_name", "demo"), ("dut_name", "second")], interval=1000, **args)
    s = Script(f)
    s.frame(0, [("op", SET, 0, 3, 0, 7), ("op", SET, 0, 3, 2, 0xfffe), ("event", 0, b"\7\0\0\0\7"), ("op", PROP, 0, 0, 1, 0xff)])
    s.frame(100, [("op", SET, 1, 1, 1, 1 << 63), ("op", ADD, 2, 0, 0, 1), ("event", 1, b"")])
    s.frame(100, [("op", SET, 0, 10, 1, 2), ("op", CLEAR, 0, 3, 0, 0), ("op", SET, 1, 2, 0, 7)])
    s.cut(0, 1000)
    s.frame(1000, [])
    s.frame(1500, [("op", ADD, 0, 10, 2, 0xffff), ("op", PROP, 2, 0, 0, (1 << 64) - 2), ("event", 2, b"\xff\xff\xff\xff")])
    s.frame(2900, [("op", SET, 1, 0, 2, 1), ("op", ADD, 2, 0, 0, 0xffff)])
    s.cut(1000, 2901)
    if flags & STRINGS:
        f.sections.append((2, string_table([b"", b"a \"text\"", "naïve".encode()])))
    return f, s
