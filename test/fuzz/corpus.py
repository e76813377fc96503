#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small seed corpus for a fuzz target, and the target run over it.

usage: corpus.py TARGET OUTDIR [--run PROGRAM] [--mutants N]

TARGET is a name of SEEDS below. The seeds are whole inputs made
with the assembler; the mutants are those with bytes changed, cut out, doubled or
joined, always the same ones.
"""
import argparse
import gzip
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))
sys.path.insert(0, os.path.join(HERE, "..", "uscope", "read"))
sys.path.append(os.path.join(HERE, "..", "prism"))
import asm  # noqa: E402
import build as uscope  # noqa: E402
import damage  # noqa: E402
import import_samples  # noqa: E402

HEAD = "trace v3\nloom n cpus 0:0 1:1\nproc 1\nthread 1 require kernel=1.0.0\n"

STREAMS = [
    "1 0 OHe",
    "1 0 OHx 0 -1 0\n1 10 OHc\n1 20 OHp\n1 30 OHw\n1 40 OHr\n1 50 OHe",
    "1 0 OHx 0 -1 0\n1 1 OAs 1\n1 2 OAr 0 1\n1 3 OAs -1\n1 4 OHe",
    "1 0 OHx 0 -1 0\n1 5 OM= 3 0\n1 6 OM[ 4 1\n1 7 OM[ 5 1\n1 8 OM] 5 1\n1 9 OM] 4 1\n1 10 OHe",
    "1 0 OHx 0 -1 0\n1 5 OF[\n1 6 OF]\n1 7 KCO\n1 8 KCI\n1 9 OB.\n1 9 OU[\n1 9 OU]\n1 10 OCn 4\n1 11 OHC 1 2\n1 12 OHe",
    "1 0 OHx 0 -1 0\n1 5 OHe jumbo str=\"abc\"",
    "1 0 OHx 0 -1 0\n1 5 OM= 3 7",
    "1 0 OHx 0 -1 0\n1 5 OM[ 3 -1",
    "1 0 OHx 0 -1 0\n1 5 OM] 3 100",
    "1 5 OHx 0 -1 0\n1 4 OHe",
    "1 0 OHx 0 -1 0\n1 1 ZZZ",
    "1 0 OHx 9 -1 0",
    "1 0 OHx -1 -1 0\n1 10 OHe\n1 truncate 5",
    "1 0 OHx -1 -1 0\n1 raw 10414243 0100000000000000 ffffffff",
    "1 0 OHx -1 -1 0\n1 raw 10414243 0100000000000000 05000000 41424344",
    "1 0 OHx 0 -1 0\n" + "".join(f"1 {i} OB.\n" for i in range(1, 130)) + "1 200 OHe",
]

META = HEAD + """mark 1 single "Phase" 1="One" -2="Two"
mark 2 stack "Depth"
"""

CLOCK_TABLES = [
    "rank hostname offset_median offset_mean offset_std\n0 node1 1.5 2 3\n1 node2 -1e3 2 3\n",
    "x\n0 node1 1 1 1\n",
    "wallclock clock_ns node1 node2\n1.5 1000 0 50\n2.5 2000 0 70\n3.5 3000 0 40\n",
    "wallclock clock_ns node1 node2\n1 1 -9223372036854775807 5\n1 9223372036854775807 0 -5\n",
    "wallclock clock_ns node1\n1 2 3\n1 2 3\n",
    "wallclock node1 node2\n1 2 3\n",
    "x\n0 node1 1 1 1\n0 node1 1 1 1\n",
    "x\n0 node1 nan inf 0x1p3\n",
    "x\n" + "y" * 1100,
    "x\n\n\t\n1\tnode2\t-9e18\t0\t0 extra fields\r\n",
    "",
]

SIGNATURES = ["OHe", "OM[(i64 value, i32 type)", "VYc+(u32 id, str label)", "ABC(u8 a,u16 b,u32 c,u64 d,i8 e,i16 f)",
              "OHe(", "OH", "OHe(str s, u8 x)", "ABC(" + ",".join(["u8 a"] * 17) + ")", "ABC(u8 " + "a" * 40 + ")",
              "ABC(u8 " + "a" * 31 + ")", "ABC(u8 " + "a" * 32 + ")"]


DECLARED = """{ "$schema": "s", "name": "full", "version": "1.2.3", "letter": "y", "need": ["active", "in_cpu"], "always": true, "foreign": false,
"channels": [
{"name": "a", "title": "A", "bare_title": true, "type": 910, "kind": "stack", "dup": "allow", "repeat": "values", "values": "any", "thread": "active", "cpu": "active", "drained": true,
 "idle": 7, "initial": 3, "labels": {"7": "seven", "-3": "minus"}, "view": {"file": "a", "thread_title": "T", "cpu_title": "C", "palette": "1:0,100,0 2:255,225,25", "draw_random": true, "next_value": true}},
{"name": "b", "title": "B", "type": 911, "kind": "punctual", "dup": "skip", "repeat": "all", "values": "any", "thread": "any", "cpu": "hidden", "view": {"file": "b", "gradient": true}},
{"name": "c", "title": "C", "type": 912, "values": "any"}, {"name": "d", "title": "D", "type": 913, "values": "text"}, {"name": "e", "title": "E", "type": 914, "values": "any"}, {"name": "f", "title": "F", "type": 915, "values": "any"}],
"observers": [{"channel": "e", "count_events": ["yA[", "OHx"]}, {"channel": "f", "mirror": "full.a"}],
"states": [{"channel": "a", "value": 1, "enter": "yA[", "leave": "yA]", "label": "one", "text": "enters|leaves"}, {"channel": "c", "value": 2, "label": "two"}],
"events": [
{"event": "yPx(u32 n, str s)", "text": "happens %{n}", "op": "punctual", "channel": "b", "value": 5, "payload": "exact"},
{"event": "yS.(i16 n)", "text": "sets", "op": "set", "channel": "c", "value": 2}, {"event": "yC.", "text": "clears", "op": "clear", "channel": "c", "any_value": true, "unlisted": true},
{"event": "ya[", "text": "pushes", "op": "push", "channel": "a", "value": 3}, {"event": "ya]", "text": "pops", "op": "pop", "channel": "a", "value": 3},
{"event": "yD.(u8 n, str s)", "text": "t", "op": "set", "channel": "d", "arg": "s", "need": ["running"]}, {"event": "yE[(i16 n)", "text": "t", "op": "push", "channel": "a", "arg": "n", "value": 9, "need": []},
{"event": "yE](i16 n)", "text": "t", "op": "pop", "channel": "a", "arg": "n", "value": 9}, {"event": "yEp(u64 n)", "text": "t", "op": "punctual", "channel": "b", "arg": "n"},
{"event": "yL.(u32 n, str s)", "text": "t", "op": "label", "channel": "a", "arg": "n", "text_arg": "s"}, {"event": "yC+(i32 n)", "text": "t", "op": "add", "channel": "c", "arg": "n"},
{"event": "yI+(u8 n)", "text": "nothing", "op": "ignore", "payload": "first"}],
"breakdown": {"file": "f", "title": "F", "type": 920, "state": "a", "task": "c", "idle": "c", "progressing": 1, "in_body": 2, "unknown": 9, "view": {"file": "v"}} }"""


def files_of(text):
    """relpath -> bytes of an assembled trace."""
    out = {}
    with tempfile.TemporaryDirectory() as tmp:
        asm.assemble(text, tmp)
        for folder, _, names in os.walk(tmp):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as f:
                    out[os.path.relpath(path, tmp)] = f.read()
    return out


def obs(events):
    return files_of(HEAD + events)["loom.n/proc.1/thread.1/stream.obs"]


def stream_seeds():
    plain = [obs(e) for e in STREAMS]
    for i, data in enumerate(plain):
        yield bytes([0]) + data
        yield bytes([0x08]) + data           # --compat
        yield bytes([0x20]) + data           # unfinished
        yield bytes([0x04 | 1 + i % 2]) + data   # compressed by the target
        yield bytes([3]) + data + b"\xfe" + plain[1]
        yield bytes([0x84]) + data
        packed = gzip.compress(data, mtime=0)
        yield bytes([0x80]) + packed + packed  # two members
        yield bytes([0xa0]) + packed[:-9]      # unfinished, and cut
        yield bytes([0x80]) + packed[:-8] + bytes(4) + packed[-4:]  # another checksum
        for at in range(0, len(packed), 7):
            yield bytes([0x80]) + packed[:at] + bytes([packed[at] ^ 0x21]) + packed[at + 1:]
    yield bytes([0x40]) + plain[1][8:]
    yield bytes([1]) + b"\x28\xb5\x2f\xfd" + bytes(range(20))
    yield bytes([2]) + struct.pack("<I", 0x184D2204) + bytes(range(20))
    yield bytes([0]) + b"ovni\2\0\0\0"
    yield bytes([0x20]) + b"ov"


def ring_seeds():
    """First bytes: see ring.c."""
    def event(mcv, clock, payload=b"", jumbo=b""):
        if jumbo:
            return bytes([0x13]) + mcv + struct.pack("<QI", clock, len(jumbo)) + jumbo
        return bytes([len(payload) - 1 if payload else 0]) + mcv + struct.pack("<Q", clock) + payload

    def chunk(offset, own, clock, magic=b"ovniring", capacity=400, **other):
        shared = event(b"VYc", clock, jumbo=b"\3\0\0\0three\0") + event(b"VTc", clock, struct.pack("<II", 1, 3))
        begun = event(b"OHx", clock, struct.pack("<iiQ", 0, -1, 3))
        snapshot = (shared + begun if other.get("late") else begun + shared) + event(b"VAr", clock) + event(b"VTx", clock, struct.pack("<II", 4, 0))
        n = other.get("snapshot", len(snapshot))
        head = magic + struct.pack("<IIQQQIIQQ", other.get("version", 1), 0, capacity, other.get("lost", 0), 0, other.get("shared", len(shared)), n,
                                   offset, other.get("used", len(snapshot + own)))
        return head + (snapshot + own).ljust(400, b"\0")

    def ring(*chunks):
        return b"".join(chunks).ljust(8 * 464, b"\0")

    own = event(b"OCn", 20) * 3
    middle, end = event(b"OCn", 30) * 3, event(b"VTe", 40, struct.pack("<II", 4, 0)) + event(b"VAR", 41) + event(b"OHe", 42)
    good = [chunk(8 + 36, own, 10), chunk(8 + 72, middle, 30), chunk(8 + 108, end, 40)]
    for how in (0, 8, 0x10, 0x20, 0x28):
        yield bytes([how, 0]) + ring(*good)
        yield bytes([how, 0]) + ring(good[1], good[2], chunk(2**64 - 1, own, 5), good[0])
        yield bytes([how, 0]) + ring(good[2], chunk(7, own, 5), good[0])  # a gap
        yield bytes([how, 0]) + ring(chunk(8, own, 5), good[0])
        yield bytes([how | 1, 10]) + good[0][64:]
        yield bytes([how | 1, 255]) + good[2][64:]
    for other in {"used": 401}, {"used": 2**64 - 1}, {"used": 3}, {"snapshot": 1000}, {"shared": 2**32 - 1}, {"version": 2}, {"lost": 5}, {"capacity": 0}, \
            {"capacity": 2**64 - 1}, {"capacity": 2**64 - 65}, {"capacity": 401}, {"magic": b"ovnitail"}, {"late": 1}:
        yield bytes([0, 0]) + ring(chunk(8 + 36, own, 10, **other), *good[1:])
        yield bytes([0, 0]) + ring(good[0], chunk(8 + 72, middle, 30, **other), good[2])
    yield bytes([0, 0]) + ring(*good)[:1000]
    yield bytes([0, 0]) + ring(*good)[:40]
    yield bytes([0, 0]) + ring(*[chunk(2**64 - 1, own, 5)] * 8)
    yield bytes([0, 0]) + ring(*[chunk(2**64 - 40 + i, own, 5) for i in range(8)])


def metadata_seeds():
    for data in (files_of(META), files_of(HEAD.replace("thread 1", "thread 1 unfinished")),
                 files_of(HEAD.replace("proc 1", "proc 1 rank 2/4"))):
        yield b"\0" + data["loom.n/proc.1/thread.1/stream.json"]
        yield b"\4" + data["loom.n/proc.1/thread.1/stream.json"]
    old = files_of(HEAD.replace("v3", "v2").replace("proc 1", "proc 1 rank 0/1") + 'mark 1 single "Phase" 1="One"\n')
    yield b"\1" + old["loom.n/proc.1/metadata.json"]
    yield b"\2" + old["loom.n/proc.1/thread.1.json"]
    yield b"\1" + files_of(HEAD.replace("v3", "v1"))["loom.n/proc.1/metadata.json"]
    yield b"\0{ /* a comment */ \"version\": 3, \"a\\u0000b\": [1e999, -0, \"\\ud834\\udd1e\"] // end\n}"
    yield b"\0" + b'{"a":' * 1100
    yield b"\0\xef\xbb\xbf{}"


def uscope_seeds():
    for _, data in damage.own():
        yield data
    for flags in (0, uscope.COMPACT, uscope.INTERLEAVED | uscope.COMPLETE | uscope.STRINGS, uscope.COMPRESSED | uscope.COMPLETE):
        yield uscope.demo(flags)[0].bytes()
    yield uscope.File(uscope.demo_schema(), uscope.COMPLETE).bytes()
    for block, size in ((uscope.lz4(bytes(range(40))), 40), (b"\x11a\1\0\xf0\3" + b"abcdefghijklmnopqr", 24), (b"\x1fa\1\0\xff\5\x50bcdef", 285)):
        yield b"z" + struct.pack("<H", size) + block


LAPLACE_REFS = """i 1030 4 9f8e7 8048000
r 1031 4 9f8e7 8049ffe
w 1032 4 9f8e7 804a010
R 1130 ff 9f8e7 fffffffe
W ffffffffffffffff 1 0 0
"""

LAPLACE_KERNEL = """F 0 77 0
A 1000 77 9f8e7
m 1010 77 8048000 3000
S 1020 77
r 1021 4 9f8e7 8049ffe
F 1100 100 77
A 1110 100 9f8e8
D 1120 9f8e7 9f8e8 8048000 804b000
S 1200 100
C 1210 100 8048000
w 1211 4 9f8e8 8049ffe
M 1220 100 1a2b3000 9000 8efa5567 35 5 1000 foobar.so
@ 1221 100 1a2b5000 a000 1a2b3000 9000
r 1222 4 9f8e8 1a2b5000
s 1223 100 2000000 5000 3
/ 1224 100 3
( 1225 100 8efa5567 35 5 a name
< 1226 100 8efa5567 35 5 0 ffffffff
> 1227 100 8efa5567 35 5 1000 2000
t 1228 8efa5567 35 5 1001
- 1229 8efa5567 35 5
) 122a 100 8efa5567 35 5
X 122b 100 8efa5567 35 5 prog
a 122c 100
U 122d 100 1a2b6000 2000
& 122e 100 1 2 3
T 1300 100
u 1308 9f8e8
S 1310 77
e 1400
"""


def laplace_ref_seeds():
    binary = b"".join(struct.pack("<BQBII", ord(x[0]), *(int(v, 16) for v in x.split()[1:])) for x in LAPLACE_REFS.splitlines())
    for how in (0, 16):
        yield bytes([how | 1]) + binary
        yield bytes([how | 9]) + binary
        yield bytes([how]) + binary
        yield bytes([how | 1]) + binary[:-5]
        yield bytes([how | 2]) + LAPLACE_REFS.encode()
        yield bytes([how | 2]) + LAPLACE_REFS.upper().replace("I", "i", 1).replace("\n", " \r\n\n#\n").encode()
        yield bytes([how | 4]) + LAPLACE_KERNEL.encode()
        yield bytes([how | 5]) + b"R 1\nW 5647abcd3829ef10\ni 0 rest\n"
        yield bytes([how | 6]) + b"r 123456789abcdef0 4 9a8b7 8888ffff3e456a21\nF 123456789abcdef7 100 77\n"
        yield bytes([how | 2]) + b"#" * 9000 + b"\n" + LAPLACE_REFS.encode()


def laplace_kernel_seeds():
    for how in (0, 4, 12, 28, 44, 76):
        yield bytes([how | 8]) + LAPLACE_KERNEL.encode()
        yield bytes([how & ~8]) + LAPLACE_KERNEL.encode()
        lines = [x.split(" ") for x in LAPLACE_KERNEL.splitlines()]
        for dialect in (1, 2, 3):
            out = ""
            for f in lines:
                f = list(f)
                if f[0] not in "rw":
                    f[2:2] = ["9"]
                if f[0] == "T":
                    f += ["a", "b"]
                if dialect > 1 and f[0] == "M":
                    f[-1:-1] = ["f"]
                if dialect > 1 and f[0] == "(":
                    f[7:7] = ["800", "p"]
                if dialect == 3 and f[0] in "MX()<>-t":
                    del f[8 if f[0] == "M" else 5 if f[0] in "-t" else 6]
                out += " ".join(f) + "\n"
            yield bytes([how | 8 | dialect]) + out.encode()


def uscope_write_seeds():
    """Options, phrases, then calls: begin a cycle, some operations, end it; some cycles of
    phrases, which go on (0x80), begin at the same time (0x40), or later."""
    r = random.Random("uscope_write")
    for _ in range(40):
        calls = bytearray(r.randrange(256) for _ in range(2 + r.randrange(3)))
        for i in range(6):
            how = r.choice((0, 1, 2, 0x20, 0x23, 0x39, 0x40))
            calls += bytes((12, i, how)) + bytes(r.randrange(256) for _ in range(1 + (how >> 6)))
        for _ in range(r.randrange(60)):
            calls += bytes((0, 0, r.randrange(20)))
            for _ in range(r.randrange(5)):
                calls += bytes((r.choice((3, 5, 6, 7, 8, 9, 14)), r.randrange(12), r.randrange(256), r.randrange(3)))
            calls += bytes((13, r.randrange(6), 2))
            n = r.randrange(9)
            calls += bytes((11, n))
            for i in range(n):
                how = r.choice((0, 0x40, 0x80)) if i else 0
                calls += bytes((how | r.randrange(6),)) + (b"" if how else bytes((r.randrange(20),)))
        yield bytes(calls)


LAPLACE_MANIFEST = """{ "version": 1, "format": "laplace", "name": "n", "freq_hz": 3000000000, "endian": "big",
"dialect": "laplace", "page_size": 4096, "kernel_base": "c0000000", "kernel_refs": "kernel-thread",
"offset_unit": "page", "cpus": [ { "references": "x.lmt", "kernel": "k.lkt" } ] }"""


def laplace_emulate_seeds():
    """First byte: see laplace_emulate.c."""
    for how in b"\0\x10\x20":
        yield bytes([how]) + LAPLACE_MANIFEST.encode()
        yield bytes([how]) + LAPLACE_MANIFEST.replace("x.lmt", "k.lkt").replace("big", "little").encode()
    lines = sorted((LAPLACE_REFS + LAPLACE_KERNEL).splitlines(), key=lambda x: int(x.split()[1], 16))
    for how in b"\1\x11\x21\x31":
        yield bytes([how]) + "\n".join(lines).encode()
        yield bytes([how]) + LAPLACE_KERNEL.encode()
    one = "".join(f"{x}\n" for x in lines)
    two = "".join(f"{x}\n" for x in lines if x[0] in "STrwi")
    for how in b"\x41\x51\x71":
        yield bytes([how]) + (one + two.ljust(len(one), "#")).encode()
    for how in b"\2\x12\x22\x32":
        yield bytes([how]) + next(iter(laplace_ref_seeds()))[1:]


# Events of Prism, wide: a worked example, and one of each kind that it has not.
PRISM = bytes.fromhex("""a0f0 a4f8 450100000000000000 63036d61696e 6126054000000000 2a01400102
0a78563412fd7f0003 a0c0 13 411700aa007f0000aa 450200000000000000 6305776f726b6572 46a010600000000000
3303400405 47a010600000000000 6405776f726b6572 450100000000000000 421700aa007f0000aa 64036d61696e c0""")
PRISM_MORE = bytes.fromhex("""a8c0 acc0 b000 480011600000000000a010600000000000 4300000000000000ff 624d010000000000
65ffffffffffffff 66026e6574 67026e6574 6803436f6e76 6903436f6e76 81 a4f8 3306c001020304 a0e0 1300000000008080
a880 46 ac80 63 a9ff b4f0 6302c3a900 6300ff c0""")


def prism_decode_seeds():
    """First byte: see prism_decode.c."""
    for how in (0, 4, 8, 12):
        yield bytes([how]) + PRISM
        yield bytes([how]) + PRISM_MORE
        yield bytes([how | 1]) + PRISM.replace(b"\x01\x40", b"\x05").replace(b"\x03\x40", b"\x0d")
        for buffers in (3, 4, 5, 6, 7):
            yield bytes([how | buffers << 5]) + PRISM.ljust(300, b"\xff") + PRISM_MORE
    for how in (16, 17, 18, 24, 25, 26):
        for detail in ("f0f8c0c000", "00000000ff", "8080808000", "ffffffffff", "50a8c0c000"):
            yield bytes([how]) + bytes.fromhex(detail) + PRISM[4:]
            yield bytes([how]) + bytes.fromhex(detail) + bytes(range(256))


PRISM_DESCRIPTION = """{ "version": 1, "format": "prism", "events": "a.prism", "compute_layout": "packed", "word_size": 8,
"buffer_size": 0, "initial_config": { "mem": "f0", "comp": "00", "sync": "c0", "cxt": "c0" }, "process": 3, "first_thread": 9,
"control_flow": true, "clock": { "mode": "instr", "start": "9223372036854775000", "tick_ns": 100 }, "timestamps": null }"""


def prism_emulate_seeds():
    """First byte: see prism_emulate.c."""
    for how in (0, 4, 128, 132):
        yield bytes([how]) + PRISM_DESCRIPTION.encode()
        yield bytes([how]) + PRISM_DESCRIPTION.replace("instr", "timestamps").replace("null", '"a.ts"').encode()
        yield bytes([how | 3]) + b"".join(struct.pack("<Q", 7 * i) for i in range(9))
        yield bytes([how | 3]) + b"".join(struct.pack("<Q", 1 << 9 * i) for i in range(8))
        for kind in (0, 8, 16, 24):
            for live in (0, 32):
                yield bytes([how | kind | live | 1]) + PRISM
                yield bytes([how | kind | live | 2]) + PRISM + PRISM_MORE.ljust(len(PRISM), b"\xff")
                yield bytes([how | kind | live | 65]) + PRISM_MORE


PRISM_TEXT = b"""stream compute_layout=packed word_size=4
config mem 0xf0
config comp 0xf8 # all
sync swap 1
cxt function-enter "ma\\x00in \\" \\\\ \xc2\xb5"
cxt instruction 0x400526
comp integer size=4 op=add arity=2 ids=1,2
comp floating-point op=57 size=128 ids=4
mem load size=4 addr=0xff80000000000000 id=3
sync condition-wait 0x601100 7
bytes a0 f0 FF
cf 3
end
"""


def prism_text_seeds():
    """First byte: see prism_text.c."""
    for how in (1, 3, 5, 9):
        yield bytes([how]) + PRISM_TEXT
    for how in (0, 2, 8, 10):
        yield bytes([how]) + PRISM
        yield bytes([how]) + PRISM_MORE


def prism_import_seeds():
    """First byte: see prism_import.c."""
    texts = [import_samples.LACKEY, import_samples.VIEW, import_samples.CHAMPSIM, import_samples.PERF, import_samples.UFTRACE, import_samples.CHROME]
    for i, text in enumerate(texts):
        for how in (i, 7, i | 8, 15):
            yield bytes([how]) + text
        yield bytes([7]) + gzip.compress(text, mtime=0)


def declared_seeds():
    for name in ("demo", "mpi", "nodes", "tampi"):
        with open(os.path.join(HERE, "..", "plugin", f"{name}.json"), encoding="utf-8") as f:
            text = f.read()
        for letter, kind in ((text.partition('"letter": "')[2][0], ""), ("y", "99")):
            moved = text.replace('"letter": "' + text.partition('"letter": "')[2][0], '"letter": "' + letter)
            moved = re.sub(r'"(enter|leave|event)": ".', rf'"\1": "{letter}', moved).replace('"type": ', '"type": ' + kind)
            yield moved.replace(f'"name": "{name}"', '"name": "m' + name + '"').encode()
    yield DECLARED.encode()
    yield b'{"name": "n", "version": "1.0.0", "letter": "y", "breakdown": {"file": "b", "title": "B", "type": 900, "view": {"file": "v"}}}'


MODEL_TEXT = HEAD + """offset n 1.5
mark 1 single "Phase" 1="One" -2="Two"
mark 2 stack Depth
mark 2 single Again 3="Three"
set a.b [1, "x/y", null]
set ovni.app_id 7
unset ovni.rank
file notes.txt "a\\n\\x00b\\\\"
loom "m 2" cpus 0:4
proc 8 app none rank 0/2 nometa
thread 9 unfinished relpath a/b require none
thread 10 crashed header 6f766e6901000000 # a comment
10 1 OHx 0 -1 0x10
8/9 2 VYc 1 "a b#c 'd'"
9 3 VYc jumbo u32=3 str="str=x"
9 4 VWC 1 -2 3
9 -1 O#\" u64=18446744073709551615
9 1_000 VYc jumbo hex=01000000ff00
9 12 XYz u16=65535 i16=-32768 f64=0.5
9 13 OHe empty
9 raw 2f4f4865 0000000000000000 000102030405060708090a0b0c0d0e0f
9 14 OM= 3 7
9 truncate 3
"""


def model_text_seeds():
    yield MODEL_TEXT.encode()
    yield META.encode()
    for head in (HEAD, HEAD.replace("v3", "v2"), HEAD.replace("v3", "v1 bare")):
        for text in STREAMS:
            yield (head + text).encode()


SEEDS = {
    "model_text": model_text_seeds,
    "declared": declared_seeds,
    "prism_text": prism_text_seeds,
    "prism_import": prism_import_seeds,
    "prism_emulate": prism_emulate_seeds,
    "prism_decode": prism_decode_seeds,
    "laplace_emulate": laplace_emulate_seeds,
    "uscope_read": uscope_seeds,
    "uscope_stream": uscope_seeds,
    "uscope_write": uscope_write_seeds,
    "stream": stream_seeds,
    "ring": ring_seeds,
    "metadata": metadata_seeds,
    "clock_table": lambda: (t.encode() for t in CLOCK_TABLES),
    "signature": lambda: (s.encode() for s in SIGNATURES),
    "laplace_refs": laplace_ref_seeds,
    "laplace_kernel": laplace_kernel_seeds,
}


def mutant(r, seeds):
    data = bytearray(r.choice(seeds))
    for _ in range(r.choice((1, 1, 2, 4, 8))):
        at = r.randrange(len(data) + 1)
        kind = r.randrange(6)
        if kind == 0 and at < len(data):
            data[at] = r.choice((0, 1, 0x10, 0x7f, 0x80, 0xff, r.randrange(256)))
        elif kind == 1 and at < len(data):
            data[at] ^= 1 << r.randrange(8)
        elif kind == 2:
            del data[at:at + r.choice((1, 4, 12, 1000))]
        elif kind == 3:
            data[at:at] = data[at:at + r.choice((1, 12, 24, 200))]
        elif kind == 4:
            data[at:at] = r.choice(seeds)[r.randrange(8):]
        elif kind == 5:
            data[at:at + 4] = struct.pack("<I", r.choice((0, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 16, 2**30)))
    return bytes(data[:20000])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("target", choices=SEEDS)
    p.add_argument("outdir")
    p.add_argument("--run")
    p.add_argument("--mutants", type=int, default=300)
    args = p.parse_args()
    seeds = list(SEEDS[args.target]())
    r = random.Random(args.target)
    inputs = seeds + [mutant(r, seeds) for _ in range(args.mutants)]
    shutil.rmtree(args.outdir, ignore_errors=True)
    os.makedirs(args.outdir)
    for i, data in enumerate(inputs):
        with open(os.path.join(args.outdir, f"{i:05d}"), "wb") as f:
            f.write(data)
    print(f"{len(seeds)} seeds, {len(inputs)} inputs")
    return subprocess.run([args.run, args.outdir], check=False).returncode if args.run else 0


if __name__ == "__main__":
    sys.exit(main())
