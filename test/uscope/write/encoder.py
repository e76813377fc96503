# SPDX-License-Identifier: MIT
"""encoder: a writer of µScope files that is as plain as it can be, the twin of the one in
C. It runs the texts of script.c and gives the bytes of the whole file, uncompressed.
Nothing is done as it goes: frames are kept as lists and encoded when they end, the
summary is made from a table of all cycles."""
import struct

SIZES = {1: 1, 2: 2, 3: 4, 4: 8, 5: 1, 6: 2, 7: 4, 8: 8, 9: 1, 10: 4, 11: 1}
BOOL, STRING_REF, ENUM, U64 = 9, 10, 11, 4
SPARSE, BUFFER = 1, 2
SET, CLEAR, ADD, PROP = 1, 2, 3, 4
MAX_TIME = 2**64 - 2


def align8(n):
    return (n + 7) // 8 * 8


def pad8(b):
    return b + bytes(align8(len(b)) - len(b))


def leb(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7f | 0x80])
        n >>= 7
    return out + bytes([n])


def unescape(s):
    if not s.startswith("="):
        return None
    return s[1:].replace("\\\\", "\0").replace("\\t", "\t").replace("\\n", "\n").replace("\0", "\\")


class Storage:
    def __init__(self, name, scope, slots, flags):
        self.name, self.scope, self.nslots, self.flags = name, scope, slots, flags
        self.fields, self.props = [], []

    def reset(self):
        self.slots = [[0] * len(self.fields) for _ in range(self.nslots)]
        self.valid = [not self.flags & SPARSE] * self.nslots
        self.values = [0] * len(self.props)

    def checkpoint(self):
        out = b""
        if self.flags & SPARSE:
            mask = [0] * ((self.nslots + 7) // 8)
            for i, v in enumerate(self.valid):
                mask[i // 8] |= v << i % 8
            out += bytes(mask)
        for slot, valid in zip(self.slots, self.valid):
            if valid:
                out += b"".join(v.to_bytes(SIZES[f[1]], "little") for v, f in zip(slot, self.fields))
        return out + b"".join(v.to_bytes(SIZES[f[1]], "little") for v, f in zip(self.values, self.props))


def xxh64(data):
    """XXH64 with seed 0."""
    p = (0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63, 0x27d4eb2f165667c5)
    mask = 2**64 - 1

    def turn(v, n):
        return (v << n | v >> 64 - n) & mask

    def mix(lane, v):
        return turn((lane + v * p[1]) & mask, 31) * p[0] & mask

    lanes = [(p[0] + p[1]) & mask, p[1], 0, -p[0] & mask]
    whole = len(data) // 32 * 32
    for i, v in enumerate(struct.unpack(f"<{whole // 8}Q", data[:whole])):
        lanes[i % 4] = mix(lanes[i % 4], v)
    h = p[4]
    if whole:
        h = sum(turn(v, n) for v, n in zip(lanes, (1, 7, 12, 18))) & mask
        for v in lanes:
            h = ((h ^ mix(0, v)) * p[0] + p[3]) & mask
    h = h + len(data) & mask
    rest = bytes(data[whole:])
    while len(rest) >= 8:
        h = (turn(h ^ mix(0, int.from_bytes(rest[:8], "little")), 27) * p[0] + p[3]) & mask
        rest = rest[8:]
    if len(rest) >= 4:
        h = (turn(h ^ int.from_bytes(rest[:4], "little") * p[0] & mask, 23) * p[1] + p[2]) & mask
        rest = rest[4:]
    for byte in rest:
        h = turn(h ^ byte * p[4] & mask, 11) * p[0] & mask
    h = (h ^ h >> 33) * p[1] & mask
    h = (h ^ h >> 29) * p[2] & mask
    return h ^ h >> 32


class Encoder:
    def __init__(self):
        self.clocks, self.scopes, self.enums, self.storages, self.events = [], [], [], [], []
        self.sumfields, self.dut, self.ext = [], [], {}
        self.o = dict.fromkeys("""frames compression level interval_ps origin_ps min_raw max_raw drop_empty only_changes sync
            lz4_size_prefix background no_checksums no_summary no_auto_summary summary_base summary_fan_out summary_budget""".split(), 0)
        self.truncated = self.misuses = self.operations = self.nevents = self.nframes = 0
        self.first = "OK"
        self.mode = "idle"
        self.strings = []
        self.counters = []  # name, storage, {cycle: value}, [(first, end)]
        self.density = {}
        self.total = 0
        self.has_density = False

    def run(self, lines):
        for line in lines:
            verb, *args = line.split("\t")
            getattr(self, "do_" + verb)(*args)
        return self.file

    # ---- Definitions.

    def do_clock(self, name, period):
        self.clocks.append((unescape(name), int(period)))

    def do_scope(self, name, parent, protocol, clock):
        self.scopes.append((unescape(name), int(parent) % 65536, unescape(protocol), int(clock) % 256))

    def do_enum(self, name):
        self.enums.append((unescape(name), []))

    def do_value(self, enum, value, name):
        self.enums[int(enum)][1].append((int(value), unescape(name)))

    def do_storage(self, name, scope, slots, flags):
        self.storages.append(Storage(unescape(name), int(scope) % 65536, int(slots), int(flags)))

    def do_field(self, storage, name, kind, enum):
        self.storages[int(storage)].fields.append((unescape(name), int(kind), int(enum)))

    def do_property(self, storage, name, kind, enum):
        self.storages[int(storage)].props.append((unescape(name), int(kind), int(enum)))

    def do_eventtype(self, name, scope):
        self.events.append((unescape(name), int(scope) % 65536, []))

    def do_eventfield(self, event, name, kind, enum):
        self.events[int(event)][2].append((unescape(name), int(kind), int(enum)))

    def do_sumfield(self, name, kind, scope):
        self.sumfields.append((unescape(name), int(kind), int(scope) % 65536))

    def do_ext(self, which, owner, field, ext):
        self.ext[int(which), int(owner), int(field)] = bytes.fromhex(ext)

    def do_dut(self, key, value):
        self.dut.append((unescape(key), unescape(value)))

    def do_option(self, name, value):
        assert name in self.o
        self.o[name] = int(value)

    # ---- Open.

    def preamble(self):
        pool, offsets = b"", {}

        def text(s):
            nonlocal pool
            if s not in offsets:
                offsets[s] = len(pool)
                pool += s.encode() + b"\0"
            return struct.pack("<H", offsets[s])

        def fields(which, owner, all_fields):
            out = b""
            for i, (name, kind, enum) in enumerate(all_fields):
                out += text(name) + struct.pack("<BB", kind, enum if kind == ENUM else 0)
                out += self.ext.get((which, owner, i), bytes(4))
            return out

        defs = b""
        for i, (name, period) in enumerate(self.clocks):
            defs += text(name) + struct.pack("<HI", i, period)
        for i, (name, parent, protocol, clock) in enumerate(self.scopes):
            defs += text(name) + struct.pack("<HH", i, parent)
            defs += (b"\xff\xff" if protocol is None else text(protocol)) + struct.pack("<B3x", clock)
        for name, values in self.enums:
            defs += text(name) + struct.pack("<BB", len(values), 0)
            for value, label in values:
                defs += struct.pack("<BB", value, 0) + text(label)
        for i, s in enumerate(self.storages):
            defs += text(s.name) + struct.pack("<HHHHHHH", i, s.nslots, len(s.fields), s.flags, s.scope, len(s.props), 0)
            defs += fields(0, i, s.fields) + fields(1, i, s.props)
        for i, (name, scope, efields) in enumerate(self.events):
            defs += text(name) + struct.pack("<HHH", i, len(efields), scope) + fields(2, i, efields)
        for name, kind, scope in self.sumfields:
            defs += text(name) + struct.pack("<BBHH", kind, 0, scope, 0)
        dut = struct.pack("<HH", len(self.dut), 0) + b"".join(text(k) + text(v) for k, v in self.dut)
        schema = struct.pack("<BBHHHHH", len(self.enums), len(self.clocks), len(self.scopes), len(self.storages),
                             len(self.events), len(self.sumfields), 12 + len(defs)) + defs + pool
        config = struct.pack("<Q", self.o["interval_ps"])
        out = b""
        for kind, payload in ((1, dut), (2, schema), (3, config), (0x8001, b""), (0, b"")):
            if kind == 0x8001 and self.o["no_checksums"]:
                continue
            out += struct.pack("<HHI", kind, 0, len(payload)) + pad8(payload)
        return out

    def do_open(self):
        assert self.o["compression"] == 2
        for s in self.storages:
            s.reset()
        self.body = self.preamble()
        self.segments = []
        self.start = self.min_time = self.o["origin_ps"]
        self.last_cycle = self.last_frame = self.end = 0
        self.any_cycle = False
        self.blob, self.frames, self.active = b"", 0, 0
        self.density_of = None
        self.auto = {}
        if self.o["no_summary"] or self.o["no_auto_summary"]:
            return
        for i, s in enumerate(self.storages):
            if s.flags & BUFFER:
                continue
            if not s.flags & SPARSE and s.nslots == 1 and [f[1] for f in s.fields] == [U64]:
                self.auto[i] = len(self.counters)
                self.counters.append((s.name, i, {}, []))
            names = [f[0] for f in s.fields]
            if s.flags & SPARSE and "entity_id" in names and self.density_of is None:
                self.density_of = (i, names.index("entity_id"))
                self.has_density = True

    def cycle(self, t):
        return t // (self.clocks[0][1] or 1)

    # ---- Calls.

    def misuse(self, status):
        self.misuses += 1
        if self.first == "OK":
            self.first = status

    def inside(self):
        if self.mode == "in":
            return True
        if self.mode in ("refused", "shut"):
            self.misuses += 1
        else:
            self.misuse("E_STATE")
        return False

    def do_begin(self, t):
        t = int(t)
        if self.mode != "idle":
            if self.mode == "in":
                self.mode = "shut"
            self.misuse("E_STATE")
        elif t < self.min_time or t > MAX_TIME:
            self.mode = "refused"
            self.misuse("E_RANGE")
        else:
            self.mode = "in"
            self.time = self.last_cycle = self.min_time = t
            self.any_cycle = True
            self.items = []
            # The state before the frame, for the case that it begins a segment.
            self.before = self.checkpoint()

    def checkpoint(self):
        out = b""
        for i, s in enumerate(self.storages):
            block = s.checkpoint()
            out += struct.pack("<HHI", i, 0, len(block)) + block
        return out

    def cut(self, t):
        """Where a segment begins before a frame at t, or None."""
        interval, origin = self.o["interval_ps"], self.o["origin_ps"]
        if not self.frames or t <= self.last_frame:
            return None
        g = origin + (t - origin) // interval * interval if interval else 0
        if interval and g > self.last_frame and len(self.blob) >= self.o["min_raw"]:
            return g
        return t if len(self.blob) >= (self.o["max_raw"] or self.default_max_raw()) else None

    def default_max_raw(self):
        """16 checkpoints of a state where all slots are valid."""
        n = sum(8 + s.nslots * sum(SIZES[f[1]] for f in s.fields) + sum(SIZES[f[1]] for f in s.props)
                + (s.nslots + 7) // 8 * bool(s.flags & SPARSE) for s in self.storages)
        return min(max(16 * n, 1 << 20), 64 << 20)

    def commit(self, end):
        body = bytearray(pad8(self.body))
        offset = 48 + len(body)
        prev = self.segments[-1][0] if self.segments else 0
        body += b"uSEG" + struct.pack("<IQQQIIIIII", 0, self.start, end, prev, len(self.ckpt), len(self.blob),
                                      len(self.blob), self.frames, self.active, 0)
        self.body = bytes(body) + self.ckpt + self.blob
        self.segments.append((offset, self.start, end))
        self.start, self.blob, self.frames, self.active = end, b"", 0, 0

    def do_end(self):
        if self.mode == "idle" or self.mode == "done":
            self.misuse("E_STATE")
            return
        was, self.mode = self.mode, "idle"
        if was == "refused" or (self.o["drop_empty"] and not self.items):
            return
        cut = self.cut(self.time)
        if cut is not None:
            self.commit(cut)
        if not self.frames:
            self.ckpt = self.before
            self.base = self.start
        self.emit()
        self.last_frame = self.base = self.time

    def emit(self):
        delta = self.time - self.base
        ops = [i for i in self.items if i[0] != "event"]
        events = [i for i in self.items if i[0] == "event"]
        self.operations += len(ops)
        self.nevents += len(events)
        if self.o["frames"] == 0:
            parts = [self.items[i:i + 65535] for i in range(0, len(self.items), 65535)] or [[]]
            for part in parts:
                self.record(leb(delta) + struct.pack("<H", len(part)) + self.encode_v02(part), part)
                delta = 0
            return
        oparts = [ops[i:i + 65535] for i in range(0, len(ops), 65535)] or [[]]
        eparts = [events[i:i + 65535] for i in range(0, len(events), 65535)] or [[]]
        parts = [(p, []) for p in oparts[:-1]] + [(oparts[-1], eparts[0])] + [([], p) for p in eparts[1:]]
        for o, e in parts:
            compact = self.o["frames"] == 2 and not self.needs_wide(o)
            out = leb(delta) + struct.pack("<BBHH", compact, 0, len(o), len(e))
            for _, action, storage, slot, field, value in o:
                out += struct.pack("<BBHHH", action, storage, slot, field, value) if compact else \
                    struct.pack("<BBHHHQ", action, 0, storage, slot, field, value)
            for _, kind, payload in e:
                out += struct.pack("<HHI", kind, 0, len(payload)) + payload
            self.record(out, o + e)
            delta = 0

    @staticmethod
    def needs_wide(items):
        return any(i[0] != "event" and (i[2] > 255 or i[5] > 65535) for i in items)

    def encode_v02(self, items):
        wide = self.needs_wide(items)
        out = []
        for item in items:
            if item[0] == "event":
                out.append(struct.pack("<BBHI", 3, 0, item[1], len(item[2])) + item[2])
            elif wide:
                out.append(struct.pack("<BBHHHQ", 1, *item[1:]))
            else:
                out.append(struct.pack("<BBBHHH", 2, *item[1:]))
        return b"".join(out)

    def record(self, data, items):
        self.blob += data
        self.frames += 1
        self.nframes += 1
        self.active += bool(items)

    def canonical(self, kind, value):
        if kind == BOOL:
            return int(value != 0)
        bits = 8 * SIZES[kind]
        low = value % 2**bits
        sign = low - 2**bits if low >> (bits - 1) else low
        if value not in (low, sign % 2**64):
            self.truncated += 1
        return low

    def slot(self, s, i, f, v, add):
        s, i, f, v = int(s), int(i), int(f), int(v)
        if not self.inside():
            return
        if s >= len(self.storages) or i >= self.storages[s].nslots or f >= len(self.storages[s].fields):
            self.misuse("E_RANGE")
            return
        st = self.storages[s]
        kind = st.fields[f][1]
        if add and kind in (BOOL, STRING_REF, ENUM):
            self.misuse("E_ARG")
            return
        v = self.canonical(kind, v)
        if self.o["only_changes"] and st.valid[i] and v == (0 if add else st.slots[i][f]):
            return
        if not st.valid[i]:
            st.slots[i] = [0] * len(st.fields)
            st.valid[i] = True
        st.slots[i][f] = (st.slots[i][f] + v) % 2**(8 * SIZES[kind]) if add else v
        self.items.append(("op", ADD if add else SET, s, i, f, v))
        if add and s in self.auto:
            self.count(self.auto[s], self.cycle(self.time), v)
        if not add and (s, f) == self.density_of:
            self.do_density(self.time, 1)

    def do_set(self, s, i, f, v):
        self.slot(s, i, f, v, False)

    def do_add(self, s, i, f, v):
        self.slot(s, i, f, v, True)

    def do_clear(self, s, i):
        s, i = int(s), int(i)
        if not self.inside():
            return
        if s >= len(self.storages) or i >= self.storages[s].nslots:
            self.misuse("E_RANGE")
        elif not self.storages[s].flags & SPARSE:
            self.misuse("E_ARG")
        elif self.storages[s].valid[i] or not self.o["only_changes"]:
            self.storages[s].valid[i] = False
            self.items.append(("op", CLEAR, s, i, 0, 0))

    def do_prop(self, s, p, v):
        s, p, v = int(s), int(p), int(v)
        if not self.inside():
            return
        if s >= len(self.storages) or p >= len(self.storages[s].props):
            self.misuse("E_RANGE")
            return
        v = self.canonical(self.storages[s].props[p][1], v)
        if self.o["only_changes"] and v == self.storages[s].values[p]:
            return
        self.storages[s].values[p] = v
        self.items.append(("op", PROP, s, 0, p, v))

    def do_event(self, kind, payload):
        kind, payload = int(kind), bytes.fromhex(payload)
        if not self.inside():
            return
        if kind >= len(self.events):
            self.misuse("E_RANGE")
        elif len(payload) != sum(SIZES[f[1]] for f in self.events[kind][2]):
            self.misuse("E_ARG")
        else:
            self.items.append(("event", kind, payload))

    def do_values(self, kind, values):
        kind, values = int(kind), [int(v) for v in values.split(",") if v]
        if not self.inside():
            return
        if kind >= len(self.events):
            self.misuse("E_RANGE")
        elif len(values) != len(self.events[kind][2]):
            self.misuse("E_ARG")
        else:
            payload = b"".join(self.canonical(f[1], v).to_bytes(SIZES[f[1]], "little")
                               for f, v in zip(self.events[kind][2], values))
            self.items.append(("event", kind, payload))

    def do_string(self, s):
        s = unescape(s)
        if s not in self.strings:
            self.strings.append(s)

    def do_flush(self):
        if self.mode != "idle":
            self.misuse("E_STATE")
        elif self.frames:
            self.min_time = self.last_cycle + 1
            self.commit(self.min_time)

    def do_setend(self, t):
        if int(t) > MAX_TIME:
            self.misuse("E_RANGE")
        else:
            self.end = int(t)

    # ---- Summary.

    def do_counter(self, name, storage):
        self.counters.append((unescape(name), int(storage), {}, []))

    def count(self, counter, cycle, delta):
        values = self.counters[counter][2]
        values[cycle] = (values.get(cycle, 0) + delta) % 2**64

    def do_sadd(self, counter, t, delta):
        self.count(int(counter), self.cycle(int(t)), int(delta))

    def do_span(self, counter, t0, t1):
        self.counters[int(counter)][3].append((self.cycle(int(t0)), self.cycle(int(t1))))

    def do_density(self, t, n):
        c = self.cycle(int(t))
        self.density[c] = self.density.get(c, 0) + int(n)
        self.total += int(n)
        self.has_density = True

    def summary(self):
        if self.o["no_summary"] or not self.nframes or not (self.counters or self.has_density):
            return b""
        budget = self.o["summary_budget"] or 32 << 20
        most = 1024
        while most < 1 << 20 and 32 * (len(self.counters) + 1) * most * 2 <= budget:
            most *= 2
        base = self.o["summary_base"] or 1024
        fan = self.o["summary_fan_out"] or 4
        last = self.cycle(self.last_frame)
        while last // base + 1 > most and base < 1 << 31:
            base *= 2
        deltas = sum(struct.unpack_from("<I", self.body, offset - 48 + 36)[0] for offset, _, _ in self.segments)
        cut = (last // base + 1) * base
        density = {c: v for c, v in self.density.items() if c < cut}
        counters = [(name, storage, {c: v for c, v in values.items() if c < cut and v}, [(a, min(b, cut)) for a, b in spans if a < min(b, cut)])
                    for name, storage, values, spans in self.counters]
        counters = [c for c in counters if c[2] or c[3]]
        while True:
            n = last // base + 1
            sizes = [n]
            while sizes[-1] > 1:
                sizes.append(-(-sizes[-1] // fan))
            size = 28 + sum(4 + 4 * k for k in sizes) + sum(10 + len(c[0].encode()) + sum(4 + 24 * k for k in sizes) for c in counters)
            if size <= max(deltas // 8, 16384) or n == 1:
                break
            if base < 1 << 31:
                base *= 2
            elif counters:
                counters.pop()
            else:
                return b""
        level = [0] * n
        for c, v in density.items():
            level[c // base] += v
        levels = [[min(v, 2**32 - 1) for v in level]]
        while len(levels[-1]) > 1:
            low = levels[-1]
            levels.append([min(sum(low[i:i + fan]), 2**32 - 1) for i in range(0, len(low), fan)])
        out = b"TSUM" + struct.pack("<IIQI", base, fan, self.total, len(levels))
        for low in levels:
            out += struct.pack(f"<I{len(low)}I", len(low), *low)
        out += struct.pack("<I", len(counters))
        for name, storage, values, spans in counters:
            out += struct.pack("<I", len(name.encode())) + name.encode() + struct.pack("<HI", storage, len(levels))
            low = [self.bucket(b, base, values, spans) for b in range(n)]
            while True:
                out += struct.pack("<I", len(low)) + b"".join(struct.pack("<QQQ", *e) for e in low)
                if len(low) == 1:
                    break
                groups = [low[i:i + fan] for i in range(0, len(low), fan)]
                low = [(min(e[0] for e in g), max(e[1] for e in g), sum(e[2] for e in g) % 2**64) for g in groups]
        return out

    @staticmethod
    def bucket(b, base, values, spans):
        first, end = b * base, (b + 1) * base
        every = [v for c, v in values.items() if first <= c < end and v]
        total = sum(every)
        for start, stop in spans:
            cycles = min(stop, end) - max(start, first)
            if cycles > 0:
                every.append(1)
                total += cycles
        return (min(every), max(every), total % 2**64) if every else (0, 0, 0)

    # ---- The end.

    def put_checksums(self, end, at):
        """Each segment with the padding before it; and the rest, the header last and the last sum 0."""
        f = bytearray(self.file)
        rest = f[48:end]
        for offset, _, _ in self.segments:
            checkpoint, deltas = struct.unpack_from("<II", f, offset + 32)
            begin, end = end, offset + 56 + checkpoint + deltas
            struct.pack_into("<Q", f, at, xxh64(f[begin:end]))
            at += 8
        struct.pack_into("<Q", f, at, xxh64(rest + f[end:] + f[:48]))
        self.file = bytes(f)

    def do_finish(self):
        if self.mode != "idle":
            self.misuse("E_STATE")
            self.do_end()
        self.mode = "done"
        last = max(self.last_cycle, self.end)
        if self.frames:
            self.commit(last + 1)
        entries = []
        if self.strings:
            data = [s.encode() for s in self.strings]
            table, at = b"", 0
            for s in data:
                table += struct.pack("<II", at, len(s))
                at += len(s) + 1
            entries.append((2, struct.pack("<II", len(data), 0) + table + b"".join(s + b"\0" for s in data)))
        summary = self.summary()
        if summary:
            entries.append((0x10, summary))
        entries.append((3, b"".join(struct.pack("<QQQ", *s) for s in self.segments)))
        preamble_end = 48 + len(self.preamble())
        sums_at = len(entries)
        if not self.o["no_checksums"]:
            entries.append((0x8001, bytes(8 * len(self.segments) + 8)))
        table = b""
        for kind, data in entries:
            self.body = pad8(self.body)
            table += struct.pack("<HHIQQ", kind, 0, 0, 48 + len(self.body), len(data))
            self.body += data
        self.body = pad8(self.body)
        flags = 1 | (4 if self.strings else 0) | {0: 0x80, 1: 0, 2: 0x40}[self.o["frames"]]
        header = b"uSCP" + struct.pack("<HHQQIIQQ", 0, 3, flags, last, len(self.segments), preamble_end,
                                       48 + len(self.body), self.segments[-1][0] if self.segments else 0)
        self.file = header + self.body + table + bytes(24)
        if not self.o["no_checksums"]:
            self.put_checksums(preamble_end, struct.unpack_from("<Q", table, 24 * sums_at + 8)[0])
        self.said = f"open OK\nfinish {self.first}\noperations {self.operations} events {self.nevents} frames {self.nframes} " \
                    f"segments {len(self.segments)} truncated {self.truncated} misuses {self.misuses}\n"
