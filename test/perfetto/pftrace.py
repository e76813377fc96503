# SPDX-License-Identifier: MIT
"""A naive reader of Perfetto traces: protobuf by its rules, then what a viewer makes of the packets.

A track is what a viewer shows: its names from the root on, its slices as (begin, end, depth, name), its
instants as (time, name), its counter as (time, value), its changes in the order of the file, and its flows.
"""
import gzip
import struct

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


class Broken(Exception):
    pass


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Broken("a number has no end")
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 128:
            return value, at


def fields(data):
    """[(field, value)] of a message: numbers, or bytes."""
    out, at = [], 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif wire == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise Broken("a field is cut")
        else:
            raise Broken(f"wire type {wire}")
        if tag >> 3 == 0 or at > len(data):
            raise Broken("a field has no number, or is cut")
        out.append((tag >> 3, value))
    return out


def message(data, many=()):
    """{field: value}; lists of those in `many`. No other field comes twice."""
    out = {k: [] for k in many}
    for field, value in fields(data):
        if field in many:
            out[field].append(value)
        elif field in out:
            raise Broken(f"field {field} comes twice")
        else:
            out[field] = value
    return out


def signed(v):
    return v - (v >> 63 << 64)


class Track:
    def __init__(self, uuid, path, ranks, counter):
        self.uuid, self.path, self.ranks, self.counter = uuid, path, ranks, counter
        self.slices, self.instants, self.values = [], [], []
        self.changes = []  # (time, what is on top now, or None; an instant as a third)
        self.flows = []    # (time, id, ends)
        self.open = []     # places in slices


class Sequence:
    def __init__(self):
        self.time = self.track = None
        self.names = {}


class Trace:
    def __init__(self, data):
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        self.size, self.tracks, self.parents = len(data), {}, {}
        self.sequences, self.events, self.packets = {}, 0, 0
        for field, value in fields(data):
            if field != 1:
                raise Broken(f"field {field} of the trace")
            self.packets += 1
            self.take(message(value))

    def take(self, p):
        known = {6, 8, 10, 11, 12, 13, 59, 60}
        if set(p) - known:
            raise Broken(f"fields {sorted(set(p) - known)} of a packet")
        if 60 in p:
            self.describe(message(p[60]))
            return
        s = self.sequences.setdefault(p[10], Sequence())
        if p.get(13, 0) & 1:
            s.__init__()
        if 6 in p:
            clocks = [message(c) for c in message(p[6], many=(1,))[1]]
            if [(c[1], c.get(3, 0)) for c in clocks] != [(6, 0), (64, 1)] or clocks[0][2] != clocks[1][2]:
                raise Broken("the clock of a sequence")
            s.time = clocks[1][2]
        if 59 in p:
            defaults = message(p[59])
            if defaults[58] != 64:
                raise Broken("the clock of a sequence is another one")
            s.track = self.tracks[message(defaults[11])[11]]
        for name in message(p[12], many=(2,))[2] if 12 in p else ():
            name = message(name)
            if name[1] in s.names:
                raise Broken("a name comes twice")
            s.names[name[1]] = name[2].decode()
        if 11 in p:
            s.time += p[8]
            self.events += 1
            self.event(s, message(p[11], many=(4, 47, 48)))

    def describe(self, d):
        parent = self.parents.get(d.get(5), ((), ()))
        if 5 in d and d[5] not in self.parents:
            raise Broken("a track comes before its parent")
        if d[1] in self.parents:
            raise Broken("a track comes twice")
        path, ranks = parent[0] + (d[2].decode(),), parent[1] + (d[12],)
        self.parents[d[1]] = path, ranks
        self.tracks[d[1]] = Track(d[1], path, ranks, 8 in d)

    def event(self, s, e):
        t, time = s.track, s.time
        name = s.names[e[10]] if 10 in e else e[23].decode() if 23 in e else None
        t.flows += [(time, f, False) for f in e[47]] + [(time, f, True) for f in e[48]]
        if e[9] == BEGIN:
            t.open.append(len(t.slices))
            t.slices.append([time, None, len(t.open) - 1, name])
        elif e[9] == END:
            t.slices[t.open.pop()][1] = time
        elif e[9] == INSTANT:
            t.instants.append((time, name))
        elif e[9] == COUNTER and t.counter:
            t.values.append((time, signed(e[30])))
            return
        else:
            raise Broken(f"an event of type {e[9]}")
        top = t.slices[t.open[-1]][3] if t.open else None
        t.changes.append((time, top, name) if e[9] == INSTANT else (time, top))

    def by_path(self):
        """Tracks that show anything."""
        return {t.path: t for t in self.tracks.values() if t.slices or t.instants or t.values}


def read(path):
    with open(path, "rb") as f:
        return Trace(f.read())
