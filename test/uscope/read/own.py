#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files made here, byte by byte: what the reader gives for good ones, the diagnostic that
each broken rule raises, the error of each kind of damage, and random files against the
plain twin of build.py.

usage: own.py DUMP [SEED]
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build as b  # noqa: E402

FAILED = []
COUNT = 0
DIR = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def dump(data, mode="default", queries=()):
    global COUNT
    COUNT += 1
    path = os.path.join(DIR.name, "own.uscp")
    with open(path, "wb") as f:
        f.write(data)
    run = subprocess.run([sys.argv[1], mode, path, *map(str, queries)], capture_output=True, check=False)
    if run.returncode or run.stderr:
        sys.exit(f"status {run.returncode}: {run.stderr.decode()}")
    return json.loads(run.stdout)


def check(what, got, want):
    if got != want:
        FAILED.append(what)
        print(f"FAILED {what}:\n  got  {got!r}\n  want {want!r}"[:2000])


# ---- Good files. ----

def payload(schema, kind, data):
    out, at = [], 0
    for f in schema.events[kind][1]:
        n = b.TYPES[f[1]][1]
        out.append(b.State.shown(f, int.from_bytes(data[at:at + n], "little")))
        at += n
    return out


def check_content(what, f, s, mode="default", times=None):
    """Every state, and the events of some ranges."""
    last = max((t for t, _ in s.history), default=0)
    times = times or sorted({t + d for t, _ in s.history for d in (-1, 0, 1) if t + d >= f.segments[0]["start"]} | {last + 10**12})
    ranges = [(0, 2**64 - 1), (times[0], times[len(times) // 2]), (times[len(times) // 2], times[-1]), (last, 0)]
    got = dump(f.bytes(), mode, [*times, *(f"{x}-{y}" for x, y in ranges)])
    check(f"{what}: open", got["open"], "ok")
    if got["open"] != "ok":
        return got
    for i, t in enumerate(times):
        want = b.State(f.schema)
        for when, state in s.history:
            if when <= t:
                want = state
        check(f"{what}: state at {t}", got["states"][i].get("storages", got["states"][i]), want.json())
    for i, (x, y) in enumerate(ranges):
        want = [{"time_ps": str(t), "event": k, "fields": payload(f.schema, k, p)} for t, k, p in s.events if x <= t <= y]
        check(f"{what}: events {x}-{y}", got["event_queries"][i]["events"], want)
    return got


def good_files():
    for name, flags in (("interleaved", b.INTERLEAVED), ("wide", 0), ("compact", b.COMPACT),
                        ("lz4", b.INTERLEAVED | b.COMPRESSED), ("zstd", b.COMPRESSED | b.ZSTD)):
        for more in (0, b.COMPLETE, b.COMPLETE | b.STRINGS):
            f, s = b.demo(flags | more)
            for mode in ("default", "strict", "recover"):
                got = check_content(f"{name} {more} {mode}", f, s, mode)
                check(f"{name}: diagnostics", got["diagnostics"], {})
                check(f"{name}: complete", got["complete"], bool(more))
                check(f"{name}: strings", got["strings"], ["", 'a "text"', "naïve"] if more & b.STRINGS else [])
                check(f"{name}: dut", got["dut"], [["dut_name", "demo"], ["dut_name", "second"]])
    f, s = b.demo()
    got = dump(f.bytes())
    check("scopes", [(x["parent"], x["protocol"], x["clock"]) for x in got["schema"]["scopes"]], [(None, None, 0), (0, "cpu", None), (1, "", 1)])
    check("enum", got["schema"]["enums"][0]["values"], [[0, "fetch"], [7, "retire"], [7, "again"]])
    check("summary field", got["schema"]["summary_fields"][0]["types"][0]["type"], "u32")
    # Before the first segment, and without segments.
    f = b.File(b.demo_schema(), b.INTERLEAVED | b.COMPLETE)
    check("no segments", dump(f.bytes(), "strict", [0])["states"], [{"time_ps": "0", "error": "E_NODATA"}])
    s = b.Script(f)
    s.frame(600, [("op", b.SET, 2, 0, 0, 5)])
    s.cut(500, 700)
    got = dump(f.bytes(), "strict", [499, 500, 600])
    check("before the first", [x.get("error") for x in got["states"]], ["E_NODATA", None, None])
    check("at the first", [x["storages"][2]["rows"] for x in got["states"][1:]], [{}, {"0": ["5"]}])
    # An error takes the whole segment, early states included, and no other one.
    f, s = b.demo()
    f.segments[0]["raw"] += b"\0\1\0\x7f"
    got = dump(f.bytes(), "default", [0, 1000])
    check("damage behind", [x.get("error") for x in got["states"]], ["E_FRAME", None])
    check("decode", [x["decode"] for x in got["segments"]], ["E_FRAME", "ok"])


def summaries():
    density = [[1, 2, 3], [3, 3], [6]]
    counters = [(b"c", 2, [[(1, 2, 3), (0, 0, 0), (4, 4, 4)], [(0, 2, 3), (4, 4, 4)], [(0, 4, 7)]]), (b"", 0, [])]
    for kind, magic in ((16, b"TSUM"), (16, b"CSUM"), (1, b"TSUM"), (1, b"CSUM")):
        f, _ = b.demo()
        f.sections.append((kind, b.summary(4, 2, density, counters, 9, magic) + b"behind"))
        got = dump(f.bytes(), "strict")["summary"]
        new = magic == b"TSUM"
        check(f"{magic} {kind}", got, {
            "kind": magic.decode(), "base_interval_cycles": 4, "fan_out": 2, "total_instructions": "9" if new else "0",
            "density": density if new else [],
            "counters": [{"name": n.decode(), "storage": st, "levels": [[[str(v) for v in m] for m in level] for level in levels]}
                         for n, st, levels in counters]})
    f, _ = b.demo()
    f.sections += [(1, b"no summary"), (1, b"x"), (0x7777, b"unknown"), (2, b.string_table([b"one"])), (2, b"second"),
                   (16, b.summary(1, 2, [], [])), (16, b"junk")]
    f.flags |= b.STRINGS
    got = dump(f.bytes(), "strict")
    check("the first of a type", (got["open"], got["strings"], got["summary"]["density"]), ("ok", ["one"], []))
    good = b.summary(4, 2, density, counters)
    for what, data in (("base", b.summary(0, 2, [], [])), ("fan-out", b.summary(4, 1, [], [])), ("magic", b"XSUM" + good[4:]),
                       ("short", good[:-1]), ("levels", good[:20] + struct.pack("<I", 65) + good[24:]),
                       ("entries", good[:24] + struct.pack("<I", 2**30) + good[28:]),
                       ("last level", b.summary(4, 2, density, counters[:1])[:-1]), ("last name", b.summary(4, 2, [], [(b"name", 0, [])])[:-8]),
                       ("counters", good[:20] + struct.pack("<II", 0, 2**32 - 1)), ("empty", b"")):
        f, _ = b.demo()
        f.sections.append((16, data))
        got = dump(f.bytes())
        check(f"summary {what}", (got["summary"], got["diagnostics"]), (None, {"V_SUMMARY": 1}))


# ---- Rules broken. ----

def mutated(fn, flags=b.INTERLEAVED | b.COMPLETE, **args):
    f, s = b.demo(flags, **args)
    fn(f)
    return f, s


def first(f, **change):
    f.segments[0].update(change)


def chunk(f, kind, data=None, flags=0):
    f.chunks = [(k, p if data is None or k != kind else data(p), flags if k == kind else fl) for k, p, fl in f.chunks]


def cut_block(cp, storage, fn):
    """The checkpoint with the payload of one block changed."""
    out, at = b"", 0
    while at < len(cp):
        i, _, n = struct.unpack_from("<HHI", cp, at)
        p = cp[at + 8:at + 8 + n]
        at += 8 + n
        p = fn(p) if i == storage else p
        out += b"" if p is None else b.block(i, p)
    return out


def diagnostics():
    lz4 = b.INTERLEAVED | b.COMPLETE | b.COMPRESSED
    cases = [
        ({"N_CHUNK_FLAGS": 1}, lambda f: chunk(f, 3, flags=5), {}),
        ({"N_PREAMBLE_TAIL": 1}, lambda f: setattr(f, "preamble_tail", b"12345678"), {}),
        ({"N_TAIL": 1}, lambda f: setattr(f, "tail", b"uSEG half"), {"flags": b.INTERLEAVED}),
        ({"V_COUNT": 1}, lambda f: f.header.update(segments=3), {}),
        ({"V_STRFLAG": 1}, lambda f: f.header.update(flags=f.flags | b.STRINGS), {}),
        ({"V_STRFLAG": 1}, lambda f: f.sections.append((2, b.string_table([b"x"]))), {}),
        ({"V_NOSECT": 1}, lambda f: f.header.update(table=0), {}),
        ({"V_ALIGN": 4}, lambda f: (setattr(f, "align", 1), f.sections.append((99, b"abc")), first(f, raw=f.segments[0]["raw"] + b"\0\0\0"), first(f, frames=4)), {}),
        ({"N_RESERVED": 1}, lambda f: first(f, flags=1), {}),
        ({"V_TIME_END": 1}, lambda f: first(f, end=100), {}),
        ({"V_NFRAMES": 1}, lambda f: first(f, frames=4), {}),
        ({"V_LZ4_PREFIX": 2}, lambda f: [s.update(prefix=True) for s in f.segments], {"flags": lz4}),
        ({"V_MASK": 1}, lambda f: first(f, checkpoint=cut_block(f.segments[0]["checkpoint"], 0, lambda p: b"\0\x80" + p[2:])), {}),
        ({"V_CKPT_EXTRA": 1}, lambda f: first(f, checkpoint=cut_block(f.segments[0]["checkpoint"], 1, lambda p: p + b"x")), {}),
        ({"V_CKPT_MISSING": 1}, lambda f: first(f, checkpoint=cut_block(f.segments[0]["checkpoint"], 2, lambda p: None)), {}),
        ({"N_CKPT_UNKNOWN": 2}, lambda f: first(f, checkpoint=b.block(99, b"12") + f.segments[0]["checkpoint"] + b.block(98, b"")), {}),
    ]
    for want, fn, args in cases:
        f, s = mutated(fn, **args)
        got = check_content(str(want), f, s)
        check("diagnostics", got.get("diagnostics"), want)
        strict = any(k.startswith("V_") for k in want)
        opened = dump(f.bytes(), "strict")
        check(f"{want} strict", opened["open"], "E_STRICT" if strict else "ok")
        if strict:
            check("reason", opened["reason"].split(":")[0] in want, True)
    # Properties that a checkpoint lacks are zero.
    f, s = mutated(lambda f: f.segments[1].update(checkpoint=cut_block(f.segments[1]["checkpoint"], 0, lambda p: p[:-1])))
    got = dump(f.bytes(), "default", [1000])
    check("V_CKPT_PROPS", (got["diagnostics"], got["states"][0]["storages"][0]["properties"]), ({"V_CKPT_PROPS": 1}, ["0", "0"]))
    # Bad operations and events are left out, and shown.
    f = b.File(b.demo_schema(), b.INTERLEAVED | b.COMPLETE)
    s = b.Script(f)
    bad = [("op", 9, 0, 0, 0, 0), ("op", b.SET, 5, 0, 0, 0), ("op", b.SET, 0, 11, 0, 0), ("op", b.SET, 0, 0, 3, 0), ("op", b.CLEAR, 1, 0, 0, 0),
           ("op", b.PROP, 0, 0, 2, 0), ("op", b.ADD, 4, 0, 0, 0), ("event", 0, b"1234"), ("event", 3, b"unknown")]
    s.frame(5, [("op", b.SET, 0, 0, 0, 1), *bad, ("event", 1, b""), ("op", b.CLEAR, 4, 8, 9, 9), ("op", b.PROP, 0, 999, 0, 3)])
    s.cut(0, 6)
    got = check_content("bad operations", f, s)
    check("bad operations", got["diagnostics"], {"V_BAD_OP": 7, "V_BAD_EVENT": 1, "N_UNKNOWN_EVENT": 1})
    check("marked", [i.get("bad", False) for i in got["segments"][0]["frames"][0]["items"]], [False] + [True] * 9 + [False] * 3)
    # Strings: no table at all.
    good = b.string_table([b"abc", b"de"])
    for what, data in (("short", good[:7]), ("count", struct.pack("<I", 3) + good[4:17]), ("offset", good[:8] + struct.pack("<I", 8) + good[12:]),
                       ("length", good[:20] + struct.pack("<I", 4) + good[24:]), ("many", struct.pack("<I", 2**32 - 1) + good[4:])):
        f, s = mutated(lambda f: f.sections.append((2, data)), flags=b.INTERLEAVED | b.COMPLETE | b.STRINGS)
        f.sections.pop(0)
        got = dump(f.bytes())
        check(f"strings {what}", (got["strings"], got["diagnostics"]), ([], {"V_STRINGS": 1}))
    # Storage definitions of the other size, a pool offset that counts 2 too much, a gap.
    plain = [("s", 4, 0, [("a", "u16"), ("b", "u8")], [])]
    for what, args, minor, want in (
            ("old", {"old": True}, 2, {}), ("old as new", {"old": True}, 3, {"V_LAYOUT": 1}), ("new as old", {}, 2, {"V_LAYOUT": 1}),
            ("pool base", {"old": True, "pool_extra": 2}, 1, {"V_POOL_BASE": 1}), ("gap", {"gap": 6}, 3, {"N_POOL_GAP": 1})):
        f = b.File(b.Schema(plain), b.COMPLETE, minor, dut=[("k", "v")], **args)
        s = b.Script(f)
        s.frame(1, [("op", b.SET, 0, 3, 1, 5)])
        s.cut(0, 2)
        got = check_content(what, f, s)
        check(what, got["diagnostics"], want)
        check(f"{what}: names", (got["dut"], got["schema"]["storages"][0]["fields"][1]["name"]), ([["k", "v"]], "b"))
    f = b.File(b.Schema([("s", 4, 8 | b.SPARSE, [], [])]), b.COMPLETE)
    check("storage flags", dump(f.bytes())["diagnostics"], {"N_RESERVED": 1})


# ---- Errors of open. ----

def errors():
    def at(offset, data):
        return lambda raw: raw[:offset] + data + raw[offset + len(data):]

    f, _ = b.demo()
    raw = f.bytes()
    schema_at = 48 + 8 + len(b.align(f.chunks[0][1])) + 8
    table = struct.unpack_from("<Q", raw, 32)[0]
    end = struct.unpack_from("<I", raw, 28)[0]
    for want, change in (
            ("E_TRUNCATED", lambda r: r[:47]), ("E_TRUNCATED", lambda r: b""), ("E_TRUNCATED", lambda r: r[:end - 1]),
            ("E_MAGIC", at(0, b"x")), ("E_VERSION", at(4, b"\1")), ("E_VERSION", at(6, b"\4")),
            ("E_FLAGS", at(9, b"\1")), ("E_FLAGS", at(15, b"\x80")), ("E_FLAGS", at(8, bytes([b.INTERLEAVED | 16]))),
            ("E_PREAMBLE", at(28, b"\0\0\0\0")), ("E_PREAMBLE", at(28, b"\1\0\0\0")), ("E_PREAMBLE", at(28, struct.pack("<I", end - 8))),
            ("E_PREAMBLE", at(52, b"\xff\xff\xff\xff")), ("E_PREAMBLE", at(48, b"\2")), ("E_PREAMBLE", at(48, b"\x09")),
            ("E_SECTION", at(32, struct.pack("<Q", len(raw) + 1))), ("E_SECTION", at(32, b"\xff" * 8)), ("E_SECTION", lambda r: r[:-1]),
            ("E_SECTION", at(table + 16, b"\xff" * 8)), ("E_SECTION", at(table + 8, b"\xff" * 8)), ("E_SECTION", at(table + 16, b"\x2f")),
            ("E_SCHEMA", at(schema_at + 12, b"\xff\xfe")), ("E_SCHEMA", at(schema_at + 1, b"\0")), ("E_SCHEMA", at(schema_at + 10, b"\xff\xff"))):
        got = dump(change(raw))
        check(want, (got["open"], bool(got.get("reason"))), (want, True))
    for want, payloads in (("E_PREAMBLE", {1: b"\0\0"}), ("E_PREAMBLE", {1: b"\5\0\0\0abc"}), ("E_SCHEMA", {1: b"\1\0\0\0\0\0\xff\xff"}),
                           ("E_PREAMBLE", {2: b"\0" * 11}), ("E_PREAMBLE", {3: b"\0" * 7}), ("E_SCHEMA", {2: b"\0" * 12})):
        f, _ = b.demo()
        f.chunks = [(k, payloads.get(k, p), fl) for k, p, fl in f.chunks]
        check(f"{want} {payloads}", dump(f.bytes())["open"], want)
    for missing in (0, 1, 2, 3):
        f, _ = b.demo()
        f.chunks = [c for c in f.chunks if c[0] != missing]
        check(f"no chunk {missing}", dump(f.bytes())["open"], "E_PREAMBLE")
    f, _ = b.demo()
    f.chunks.insert(1, f.chunks[2])
    check("two of a chunk", dump(f.bytes())["open"], "E_PREAMBLE")
    f, s = b.demo()
    f.chunks = [(0x55, bytes(100), 0), f.chunks[1], (3, struct.pack("<Q", 77) + b"more", 0), f.chunks[0], (0, b"end", 0)]
    got = check_content("other order", f, s, "strict")
    check("interval", got["config"]["checkpoint_interval_ps"], "77")
    # No end of the preamble yet.
    f = b.File(b.demo_schema())
    f.header["preamble_end"] = 0
    raw = f.bytes()
    check("end unset", dump(raw, "strict")["open"], "ok")
    check("end unset, no END", dump(raw[:-8], "strict")["open"], "ok")
    check("end unset, cut", dump(raw[:-20])["open"], "E_TRUNCATED")
    # Schemas.
    for what, args in (
            ("no clock", {"clocks": []}), ("no scope", {"scopes": []}), ("scope 0 with a parent", {"scopes": [("/", 0, None, 0)]}),
            ("second root", {"scopes": [("/", b.NONE, None, 0), ("x", b.NONE, None, 0)]}),
            ("unknown parent", {"scopes": [("/", b.NONE, None, 0), ("x", 2, None, 0)]}),
            ("circle", {"scopes": [("/", b.NONE, None, 0), ("x", 2, None, 0), ("y", 1, None, 0)]}),
            ("unknown clock", {"scopes": [("/", b.NONE, None, 1)]}),
            ("unknown enum", {"storages": [("s", 1, 0, [("f", "enum", 0)], [])]})):
        check(what, dump(b.File(b.Schema(**args), b.COMPLETE).bytes())["open"], "E_SCHEMA")
    deep = [("/", b.NONE, None, 0)] + [("x", i + 2 if i < 4998 else 0, None, 0xff) for i in range(4999)]
    check("deep tree", dump(b.File(b.Schema(scopes=deep), b.COMPLETE).bytes())["open"], "ok")


# ---- Errors of segments. ----

def segment_errors():
    lz4 = b.INTERLEAVED | b.COMPLETE | b.COMPRESSED
    v01 = b.COMPLETE
    zstd = lz4 | b.ZSTD
    f, _ = b.demo(lz4)
    raw = f.segments[0]["raw"]
    cp = f.segments[0]["checkpoint"]
    many = b.leb(2**64 - 1)
    # A block whose last bytes are a match: 20 zeros, after all else and one zero.
    more = len(raw) + 1 - 15
    match = b"\xff" * (1 + more // 255) + bytes([more % 255]) + raw + b"\0\1\0\1"
    for want, flags, change in (
            ("E_SEGMENT", lz4, {"magic": b"uSEH"}), ("E_SEGMENT", lz4, {"prev": 8}), ("E_SEGMENT", lz4, {"prev": 2**63}),
            ("E_SEGMENT", lz4, {"checkpoint_size": 2**32 - 1}), ("E_SEGMENT", lz4, {"packed_size": 2**31}),
            ("E_SEGMENT", b.INTERLEAVED | b.COMPLETE, {"raw_size": 3}),
            ("E_LIMIT", lz4, {"raw_size": 3 << 30}), ("E_LIMIT", lz4, {"raw_size": 1 << 20}), ("E_LIMIT", zstd, {"raw_size": (1 << 30) + 1}),
            ("E_COMPRESS", lz4, {"raw_size": len(raw) + 1}), ("E_COMPRESS", lz4, {"raw_size": len(raw) - 1}), ("E_COMPRESS", lz4, {"raw_size": 0}),
            ("E_COMPRESS", lz4, {"packed": b""}), ("E_COMPRESS", lz4, {"raw": raw + bytes(21), "packed": match}), ("E_COMPRESS", zstd, {"packed": b.zstd(raw) + b"x"}), ("E_COMPRESS", zstd, {"packed": b.zstd(raw) + b.zstd(b"")}),
            ("E_COMPRESS", zstd, {"packed": b.zstd(raw)[:-1]}), ("E_COMPRESS", zstd, {"packed": b"\x50\x2a\x4d\x18\0\0\0\0" + b.zstd(raw)}),
            ("E_COMPRESS", zstd, {"raw_size": len(raw) + 1}), ("E_COMPRESS", zstd, {"raw_size": 9 << 20}), ("E_COMPRESS", zstd, {"packed": b.lz4(raw)}),
            ("E_CHECKPOINT", lz4, {"checkpoint": cp[:-1]}), ("E_CHECKPOINT", lz4, {"checkpoint": cp + b"\0" * 7}),
            ("E_CHECKPOINT", lz4, {"checkpoint": cp + cp}), ("E_CHECKPOINT", lz4, {"checkpoint": cut_block(cp, 1, lambda p: p[:-1])}),
            ("E_CHECKPOINT", lz4, {"checkpoint": cut_block(cp, 0, lambda p: b"\1\0" + bytes(6))}),
            ("E_CHECKPOINT", lz4, {"checkpoint": cut_block(cp, 0, lambda p: p[:1])}), ("E_CHECKPOINT", lz4, {"checkpoint": cut_block(cp, 0, lambda p: b"\xff\xff" + p[2:])}),
            ("E_FRAME", lz4, {"raw": raw[:-1]}), ("E_FRAME", lz4, {"raw": raw + b"\x80"}), ("E_FRAME", lz4, {"raw": raw + b"\0\0"}),
            ("E_FRAME", lz4, {"raw": raw + b"\0\1\0"}), ("E_FRAME", lz4, {"raw": raw + b"\0\1\0\4"}), ("E_FRAME", lz4, {"raw": raw + b"\0\1\0\0"}),
            ("E_FRAME", lz4, {"raw": raw + many + b"\0\0"}), ("E_FRAME", lz4, {"raw": raw + b"\xff" * 9 + b"\2\0\0"}),
            ("E_FRAME", lz4, {"raw": raw + b"\0\1\0\3\0\1\0" + struct.pack("<I", 1)}), ("E_FRAME", lz4, {"raw": raw + b"\0\1\0\3\0\1\0" + struct.pack("<I", 2**32 - 1)}),
            ("E_FRAME", lz4, {"raw": raw + b"\0\1\0\1" + bytes(14)}), ("E_FRAME", lz4, {"raw": raw + b"\0\1\0\2" + bytes(7)}),
            ("E_FRAME", v01, {"raw": b"\0\1\0\0\0\0\0"}), ("E_FRAME", v01, {"raw": b"\0\2\0\0\0\0\0"}), ("E_FRAME", v01, {"raw": b"\0\0\0\1\0\0\0" + bytes(15)}),
            ("E_FRAME", v01, {"raw": b"\0\0\0\0\0\1\0" + bytes(7)}), ("E_FRAME", v01, {"raw": b"\0\0\0\0\0"})):
        f, _ = b.demo(flags)
        first(f, **change)
        got = dump(f.bytes(), "default", [0, 999, 1000, "0-5000", "1000-5000"])
        # What comes first is found first: a segment of a size that is a lie hides the next.
        check(f"{want} {change} strict", dump(f.bytes(), "strict")["open"], want)
        check(f"{want} {change}", (got["open"], got["segments"][0]["decode"], got["states"][0].get("error"), got["event_queries"][0].get("error")),
              ("ok", want, want, want))
        check("the next is good", (got["segments"][1]["decode"], "error" in got["states"][2]), ("ok", False))
        got = dump(f.bytes(), "recover", [1000])
        kept = 1 if want == "E_SEGMENT" and "raw_size" not in change else 2
        check(f"recovered {change}", (got["open"], len(got["segments"])), ("ok", kept))
    # A ZSTD frame of more than 8 MiB, with its window: an event of that many zeros.
    zeros = 66 << 17
    raw = b"\0\1\0\3\0\0\0" + struct.pack("<I", zeros)
    blocks = (len(raw) << 3).to_bytes(3, "little") + raw + ((1 << 17) << 3 | 2).to_bytes(3, "little").ljust(4, b"\0") * 66 + b"\1\0\0"
    for log, want in ((25, None), (26, "E_LIMIT")):
        head = b"\x28\xb5\x2f\xfd\x80" + bytes([log - 10 << 3]) + struct.pack("<I", len(raw) + zeros)
        f, _ = b.demo(zstd)
        f.segments[0].update(packed=head + blocks, raw_size=len(raw) + zeros, frames=1)
        got = dump(f.bytes(), "default", [0])
        check(f"window of 2^{log}", got["states"][0].get("error"), want)
    # A prefix that is not one: the first 4 bytes of a block happen to be its size.
    f, s = b.demo(lz4)
    raw = b"\0\0\0" * 77 + b"\0"
    block = b.lz4(raw)
    size = struct.unpack_from("<I", block)[0]
    check("prefix by chance is for real blocks", size == len(raw), False)
    # Chains.
    f, s = b.demo(b.INTERLEAVED)
    one = struct.unpack_from("<Q", f.bytes(), 40)[0]
    for want, change in (("E_SEGMENT", {"tail": one - 8}), ("E_SEGMENT", {"tail": 2**64 - 1}), ("E_SEGMENT", {"tail": one + 1})):
        f, s = b.demo(b.INTERLEAVED)
        f.header.update(change)
        check(str(change), dump(f.bytes())["open"], want)
        got = check_content(f"{change} recovered", f, s, "recover")
        check("found", got["recovery"], {"segments": 2, "holes": 0, "discarded": 0})
    f, s = b.demo(b.INTERLEAVED)
    f.segments[1]["prev"] = one
    check("loop", dump(f.bytes())["open"], "E_SEGMENT")
    f, s = b.demo(b.INTERLEAVED)
    f.segments[0]["start"], f.segments[0]["end"] = 2000, 3000
    check("order of times", dump(f.bytes())["open"], "E_SEGMENT")
    f, s = b.demo()
    f.segments[0]["start"], f.segments[0]["end"] = 2000, 3000
    check("order of the table", dump(f.bytes())["open"], "E_SECTION")
    f, s = b.demo()
    f.segments[0].update(start=5, end=4)
    check("end before begin", dump(f.bytes())["segments"][0]["decode"], "E_SEGMENT")
    # Garbage between segments, and before the tables.
    f, s = b.demo(b.INTERLEAVED)
    raw = f.bytes()
    got = dump(raw[:one] + b"uSEGgarb" * 3 + raw[one:], "recover", [100, 2900])
    check("hole", (got["recovery"], [x.get("error") for x in got["states"]]), ({"segments": 2, "holes": 1, "discarded": 24}, [None, None]))
    # An old segment behind a newer one is not of this trace; nor is one that is not aligned
    # and does not know the one before it.
    f, s = b.demo(b.INTERLEAVED)
    end = f.bytes()
    f.segments.append(dict(f.segments[0]))
    got = dump(f.bytes(), "recover")
    check("older", (len(got["segments"]), got["recovery"]["discarded"]), (2, len(f.bytes()) - len(b.align(end))))
    for prev, kept in ((None, 2), (struct.unpack_from("<I", end, 28)[0] + 8, 1)):
        f, s = b.demo(b.INTERLEAVED)
        f.align = 1
        f.segments[0]["raw"] += b"\0\0\0"
        f.segments[0]["frames"] += 1
        if prev:
            f.segments[1]["prev"] = prev
        got = dump(f.bytes(), "recover")
        check("not aligned", len(got["segments"]), kept)


# ---- Random files against the twin. ----

def random_value(r, wide):
    return r.choice((0, 1, r.getrandbits(8), r.getrandbits(16), *((r.getrandbits(32), r.getrandbits(64)) if wide else ())))


def random_file(r):
    kinds = list(b.TYPES)
    kinds.remove("enum")

    def fields(n):
        return [(f"f{i}", r.choice(kinds)) for i in range(r.randrange(n))]

    storages = [(f"s{i}", r.choice((0, 1, 7, 8, 9, 40)), r.choice((0, 1, 2, 3)), fields(5), fields(3)) for i in range(r.randrange(1, 5))]
    schema = b.Schema(storages, [(f"e{i}", fields(4)) for i in range(r.randrange(4))])
    flags = r.choice((0, b.COMPACT, b.INTERLEAVED)) | r.choice((0, b.COMPRESSED, b.COMPRESSED | b.ZSTD)) | r.choice((0, b.COMPLETE))
    f = b.File(schema, flags)
    f.align = r.choice((8, 8, 1))
    s = b.Script(f)
    time_ps = start = r.choice((0, 10**9))
    for _ in range(r.randrange(1, 6)):
        for _ in range(r.randrange(1, 12)):
            time_ps += r.choice((0, 1, 127, 128, 10**6, 2**40))
            items, events = [], []
            wide = bool(r.randrange(2))
            for _ in range(r.choice((0, 1, 3, 20))):
                st = r.randrange(len(storages) + (r.random() < .05))
                have = storages[st] if st < len(storages) else ("", 1, 0, [], [])
                items.append(("op", r.choice((1, 1, 1, 2, 3, 4)), st, r.randrange(have[1] + 1), r.randrange(max(len(have[3]), len(have[4])) + 1), random_value(r, wide)))
            for _ in range(r.choice((0, 0, 1, 2))):
                kind = r.randrange(len(schema.events) + 1)
                size = b.size_of(schema.events[kind][1]) if kind < len(schema.events) else 3
                events.append(("event", kind, r.randbytes(size if r.random() < .9 else size + 1)))
            both = items + events
            if flags & b.INTERLEAVED:
                r.shuffle(both)
            s.frame(time_ps, both, None if wide else wide if flags & (b.COMPACT | b.INTERLEAVED) else None)
        end = time_ps + r.choice((0, 1, 1, 1000))
        s.cut(start, end)
        start = end
        time_ps = max(time_ps, start)
    return f, s


def random_files(seed):
    r = random.Random(seed)
    deadline = time.monotonic() + float(os.environ.get("USCOPE_SECONDS", "4")) / int(os.environ.get("TEST_SHARE", "1"))
    n = 0
    while n < 20 or time.monotonic() < deadline:
        f, s = random_file(r)
        times = sorted({r.choice(s.history)[0] + r.choice((-1, 0, 1)) for _ in range(12)} | {s.history[-1][0] + 5})
        times = [t for t in times if t >= f.segments[0]["start"]]
        got = check_content(f"random file {n} of seed {seed}", f, s, "default", times)
        check("bad operations", got["diagnostics"].get("V_BAD_OP", 0), s.bad_ops)
        n += 1
        if FAILED:
            break
    print(f"{n} random files, seed {seed}")


def main():
    good_files()
    summaries()
    diagnostics()
    errors()
    segment_errors()
    random_files(int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 10**6)
    print(f"{COUNT} files read, {len(FAILED)} checks failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
