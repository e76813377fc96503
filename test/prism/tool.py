#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-prism as a user sees it: dump, encode, stat and recode.

usage: tool.py PROGRAM
"""
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

from hooks_kit import END, FULL, WORKED, cfg, comp, cxt, enter, mem, swap, sync
from toolkit import Stream, quote

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "cli"))
import tools  # noqa: E402

TOOL = os.path.abspath(sys.argv[1])
SHARE = int(os.environ.get("TEST_SHARE", "1"))
failures = []
NAMES = [b"main", b"f", b"a b", b"x" * 255, b"y" * 256, b'quote " and \\ and # too', "µ∂ß".encode(), b"\xff\xfe\x80", b"\x00", b"\n\x1b[31m",
         "‮evil".encode(), "\u0085".encode(), b"\\x41", b"\xc3", b" "]
TEXT = """\
stream compute_layout=wide
config mem 0xf0
config comp 0xf8
sync swap 1
cxt function-enter "main"
cxt instruction 0x400526
comp integer size=4 op=add arity=2 ids=1,2
mem load size=4 addr=0x7ffd12345678 id=3
config mem 0xc0
mem store size=8
sync create 0x7f00aa001700
sync swap 2
cxt function-enter "worker"
sync lock 0x6010a0
comp floating-point size=8 op=mult arity=2 ids=4,5
sync unlock 0x6010a0
cxt function-exit "worker"
sync swap 1
sync join 0x7f00aa001700
cxt function-exit "main"
end
"""


def check(ok, *what):
    if not ok:
        failures.append(" ".join(str(w) for w in what))


def write(path, data):
    with open(path, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def run(*args, status=0, stdin=b"", **more):
    """(stdout, stderr as text)"""
    if "stdout" not in more:
        more["stdout"] = subprocess.PIPE
    if isinstance(stdin, str):
        stdin = stdin.encode()
    p = subprocess.run([TOOL, *args], input=stdin, stderr=subprocess.PIPE, check=False, timeout=120, **more)
    err = p.stderr.decode(errors="replace")
    check(p.returncode == status, args, "status", p.returncode, "not", status, err[-400:])
    return p.stdout, err


def worked_example():
    write("w.prism", WORKED)
    check(run("dump", "w.prism")[0].decode() == TEXT, "dump", run("dump", "w.prism")[0])
    check(run("dump", stdin=WORKED)[0].decode() == TEXT, "dump of the standard input")
    for args in (["dump"], ["dump", "-"], ["recode", "--to-compute-layout=wide", "-"], ["stat", "-"]):
        with open("w.prism", "rb") as f:
            p = subprocess.run([TOOL, *args], stdin=f, capture_output=True, check=False, timeout=60)
        check((p.returncode, p.stderr) == (0, b"") and p.stdout == run(*args, stdin=WORKED)[0], args, "of a file as the standard input", p.stderr)
    check(run("encode", stdin=TEXT)[0] == WORKED, "encode")
    write("w.txt", TEXT)
    for args in (["w.txt", "again.prism"], ["w.txt", "-o", "again.prism"], ["-o", "again.prism", "-"]):
        run("encode", *args, stdin=TEXT)
        check(read("again.prism") == WORKED, "encode", args)
        os.remove("again.prism")
    check(run("recode", "w.prism")[0] == WORKED, "recode to the same")
    packed = run("recode", "--to-compute-layout=packed", "w.prism")[0]
    check(len(packed) == 124 and bytes.fromhex("2a050102") in packed and bytes.fromhex("330d0405") in packed, "packed", packed.hex(" "))
    check(run("recode", "--compute-layout=packed", "--to-compute-layout=wide", stdin=packed)[0] == WORKED, "packed and back")
    check(run("dump", "--compute-layout", "packed", stdin=packed)[0].decode() == TEXT.replace("=wide", "=packed"), "dump of packed")
    # where, when, and bytes
    lines = run("dump", "--bytes", "w.prism")[0].decode()
    check("mem load size=4 addr=0x7ffd12345678 id=3         # 32, 4 ns: 0a 78 56 34 12 fd 7f 00 03\n" in lines, "dump --bytes", lines)
    check("config mem 0xc0                                  # 41, 5 ns: a0 c0\n" in lines, "time of a config event", lines)
    check(run("encode", stdin=lines)[0] == WORKED, "encode of what has comments")
    for words in (["--clock=instr", "--tick-ns=5"], ["--clock=instr,tick_ns=5"], ["--clock=mode=instr,tick_ns=5"], ["--set", "clock=instr,tick_ns=5"]):
        lines = run("dump", "--bytes", *words, "w.prism")[0].decode()
        check("# 13, 0 ns:" in lines and "# 19, 5 ns:" in lines and "# 119, 5 ns:" in lines, "ticks of instructions", words, lines)
    check(run("dump", "--json", "w.prism")[0] == run("dump", "--format=json", "w.prism")[0], "dump --format=json")
    check(run("dump", "--json", "--format=text", "w.prism")[0] == run("dump", "w.prism")[0], "dump --format=text")
    objects = [json.loads(x) for x in run("dump", "--json", "--bytes", "w.prism")[0].splitlines()]
    check(len(objects) == 20, "dump --json", len(objects))
    check(objects[5] == {"offset": 27, "clock": 3, "event": "compute", "format": "integer", "size": 4, "op": "add", "arity": 2, "ids": [1, 2],
                         "bytes": " 2a 01 40 01 02"}, objects[5])
    check(objects[6]["addr"] == "0x7ffd12345678" and objects[7]["after"] == "0xc0" and objects[-1]["event"] == "end", objects)
    out = run("stat", "w.prism")[0].decode().split("\n")
    for line in ("events                 20", "bytes                  126", "last ns                15", "memory                 2",
                 "  load                 1", "  bytes stored         8", "  op mult              1", "sync                   7",
                 "  swap                 3", "  function enter       2", "config                 3", "end of buffer          1",
                 "threads                2", "functions              2"):
        check(line in out, "stat lacks", line, out)
    counts = json.loads(run("stat", "--json", "w.prism")[0])
    check(counts["stream"] == "w.prism" and counts["events"] == 20 and counts["sync"]["swap"] == 3 and counts["functions"] == 2, counts)
    # 75 bytes of the packed layout, with an address of a negative sign
    data = bytes.fromhex("a0f0a4f8110df0adbaefbead0c2c0d0c6f4165000000000000006319" + b"aCoolFunctionBeingProfiled".hex() +
                         "624d010000000000" "616f000000000000" "a0d00c5ac0")
    out = run("dump", "--compute-layout=packed", stdin=data)[0].decode().splitlines()
    check(len(data) == 75 and len(out) == 12, len(data), out)
    check(out[3] == "mem store size=2 addr=0xffadbeefbaadf00d id=12" and out[4] == "comp integer size=16 op=mult arity=2 ids=12,111", out)
    check(out[6] == 'cxt function-enter "aCoolFunctionBeingProfiled"' and out[7] == "cxt basic-block 333" and out[10] == "mem load size=16 id=90", out)
    check(run("encode", stdin="\n".join(out))[0] == data, "the packed vector, encoded")


def round_trips():
    """Streams of all kinds: the text is known, and gives the same bytes."""
    for seed in range(60 // SHARE):
        r = random.Random(seed)
        s = Stream(packed=seed & 1 == 1, word=4 if seed & 2 else 8, control_flow=seed & 4 == 4)
        s.config(0, 0)
        s.config(1, 0)
        s.random(r, r.randrange(400), NAMES)
        s.end()
        text = s.text()
        data = s.data()
        options = ["-q"] + (["--compute-layout=packed"] if s.packed else []) + (["--word-size=4"] if s.word == 4 else []) + \
            (["--control-flow"] if s.control_flow else [])
        out = run("dump", *options, stdin=data)[0].decode("utf-8", "surrogateescape")
        check(out == text, "seed", seed, "dump", [(a, b) for a, b in zip(out.splitlines(), text.splitlines()) if a != b][:2])
        check(run("encode", stdin=text)[0] == data, "seed", seed, "encode")
        check(run("recode", *options, stdin=data)[0] == data, "seed", seed, "recode")
        # what comes back from the other layout, and out of buffers, is the same
        other = "wide" if s.packed else "packed"
        there = run("recode", *options, "--to-compute-layout", other, stdin=data)[0]
        back = run("recode", *[x for x in options if "layout" not in x], "--compute-layout", other, "--to-compute-layout", "packed" if s.packed else "wide", stdin=there)[0]
        check(back == data, "seed", seed, "to the other layout and back")
        size = r.choice([259, 300, 4096])
        buffers = run("recode", *options, f"--to-buffer-size={size}", stdin=data)[0]
        ends = run("dump", *options, f"--buffer-size={size}", stdin=buffers)[0].decode("utf-8", "surrogateescape").splitlines()[1:]
        check([x for x in ends if x != "end"] == text.splitlines()[1:-1] and ends[-1] == "end", "seed", seed, "in buffers of", size)
        check(run("recode", *options, f"--buffer-size={size}", stdin=buffers)[0] == buffers, "seed", seed, "buffers as they are")
        back = run("recode", *options, f"--buffer-size={size}", "--to-buffer-size=0", stdin=buffers)[0]
        check(back == data, "seed", seed, "out of buffers")
        check(all(json.loads(x) for x in run("dump", "--json", *options, stdin=data)[0].decode().splitlines()), "seed", seed, "JSON")
        counts = json.loads(run("stat", "--json", *options, stdin=data)[0])
        check(counts["events"] == len(s.events) and counts["bytes"] == len(data), "seed", seed, "stat", counts)


def less_detail():
    """Fields that are taken away are gone, and no others."""
    for seed in range(20):
        r = random.Random(seed)
        mask = [r.getrandbits(8) & b for b in (0xF0, 0xF8, 0xC0, 0xC0)]
        full, less = Stream(), Stream()
        # a level of detail that is not the usual one is told in front
        less.config(0, mask[0])
        less.config(1, mask[1])
        full.config(0, 0xF0)
        full.config(1, 0xF8)
        for kind in (2, 3):
            if mask[kind] != 0xC0:
                less.config(kind, mask[kind])
        state = r.getstate()
        for s in (full, less):
            r.setstate(state)
            for _ in range(100):
                s.mem(r.randrange(3), r.randrange(8), r.getrandbits(56), r.randrange(256))
                s.comp(r.randrange(3), r.randrange(8), r.randrange(7), [1, 2, 3])
                s.sync(r.randrange(9, 13), r.getrandbits(64))
                s.cxt(3, r.choice(NAMES))
            s.end()
        detail = ",".join(f"{k}={m:02x}" for k, m in zip(("mem", "comp", "sync", "cxt"), mask))
        out = run("recode", "-q", "--detail", detail, stdin=full.data())[0]
        check(out == less.data(), "seed", seed, detail, len(out), len(less.data()))
    # an initial config is told in the stream, so that it stands for itself
    data = mem("load", 2, 0x1000, 7) + END
    out = run("recode", "--initial-config=mem=f0", stdin=data)[0]
    check(out == cfg("mem", 0xF0) + cfg("comp", 0) + data, "initial config", out.hex(" "))
    check(run("dump", "--initial-config=mem=f0,comp=80", stdin=data)[0].startswith(b"stream compute_layout=wide initial_config=mem=f0,comp=80\nmem load size=4"),
          "dump with an initial config")
    # words of 4 bytes
    data = FULL + sync(6, 0x12345678) + END
    short = run("recode", "--to-word-size=4", stdin=data)[0]
    check(short == FULL + b"\x46\x78\x56\x34\x12" + END, "words of 4 bytes", short.hex(" "))
    check(run("recode", "--word-size=4", "--to-word-size=8", stdin=short)[0] == data, "words of 8 bytes")
    _, err = run("recode", "--to-word-size=4", stdin=FULL + sync(6, 1 << 32) + END, status=1)
    check("error[value]" in err and "byte 4" in err, "a word that does not fit", err)
    _, err = run("recode", "--to-compute-layout=packed", stdin=FULL + comp(1, 0, b"\x40\x00\x00") + END, status=1)
    check("error[value]" in err and "63" in err, "an operation that does not fit", err)
    # sizes that are half of the bytes: ten of them are two accesses
    address = (0x1000).to_bytes(7, "little")
    data = cfg("mem", 0xE0) + cfg("comp", 0)
    half = data + b"\x15" + address + b"\x0c" + address + END
    split = data + b"\x13" + address + b"\x11" + (0x1008).to_bytes(7, "little") + b"\x0b" + address + END
    check(run("recode", "--set=half_sizes=true", stdin=half)[0] == split, "an access of ten bytes")
    check(run("recode", "--set=half_sizes=true", "--detail=mem=a0", stdin=half)[0].count(address) == 2, "one without a size stays one")
    write("half.ts", bytes(32))
    write("half.prism", half)
    half = ["recode", "--set=half_sizes=true", "--set=clock=timestamps", "--set=timestamps=half.ts", "half.prism"]
    check("error[timestamps]" in run(*half, status=1)[1], "an access of ten bytes has one timestamp")
    run(*half, "half2.prism", "--to-timestamps=half2.ts")
    check(read("half2.prism") == split and len(read("half2.ts")) == 40, "timestamps of its parts")
    _, err = run("recode", "--to-buffer-size=8", stdin=WORKED, status=1)
    check("error[prism]: PB16: " in err and "--to-buffer-size" in err, "too small a buffer", err)


# code, bytes, options, events that are left in lenient mode, whether it is only a warning
BAD = [
    ("PB01", FULL + swap(1)[:5], [], 2, False),
    ("PB02", FULL + b"\xe1" + END, [], 2, False),
    ("PB03", FULL + b"\x81" + END, [], 2, False),
    ("PB04", FULL + b"\xb4\x00" + END, [], 4, False),
    ("PB05", b"\xa1\xf0" + END, [], 2, True),
    ("PB06", b"\xa0\xf1" + END, [], 2, True),
    ("PB07", cfg("mem", 0x80) + b"\x18" + END, [], 3, False),
    ("PB08", cfg("comp", 0x80) + b"\x38" + END, [], 3, False),
    ("PB09", FULL + comp(1, 0, b"\x07\x00\x00") + END, [], 4, True),
    ("PB10", FULL + comp(1, 0, b"\x01\x01\x00") + END, [], 4, True),
    ("PB11", sync(13, 5) + END, [], 2, False),
    ("PB12", FULL + b"\x6a" + END, [], 2, False),
    ("PB13", enter(b"a\0") + END, [], 2, True),
    ("PB14", FULL, [], 2, True),
    ("PB15", FULL + END + b"\x00", [], 3, False),
    ("PB16", FULL + swap(1) + bytes(16), ["--buffer-size=8"], 2, False),
    ("PB17", b"\x05" + END, [], 2, True),
    ("PT01", FULL + swap(1) + END, ["--set", "clock=mode=timestamps", "--set", "timestamps=two.ts"], 2, False),
    ("PT01", FULL[:2] + END, ["--set", "clock=mode=timestamps", "--set", "timestamps=two.ts"], 2, False),
    ("PT02", FULL + END, ["--set", "clock=mode=timestamps", "--set", "timestamps=back.ts"], 3, False),
]


def what_is_wrong():
    write("two.ts", (5).to_bytes(8, "little") + (6).to_bytes(8, "little"))
    write("back.ts", (6).to_bytes(8, "little") + (5).to_bytes(8, "little"))
    for code, data, options, left, warns in BAD:
        write("bad.prism", data)
        for command in ("dump", "stat", "recode"):
            more = ["--to-timestamps=bad.ts"] if command == "recode" else []
            _, err = run(command, *options, *more, "bad.prism", status=0 if warns else 1)
            check(f"{'warning' if warns else 'error[prism]'}: {code}: " in err and "bad.prism, byte " in err, command, code, err)
        out, err = run("dump", "--lenient", *options, "bad.prism")
        lines = out.decode().splitlines()[1:]
        check(len(lines) == left, code, "lenient:", lines)
        check(f"warning: {code}: " in err and f"{code}: 1 time" in err, code, "lenient", err)
        _, err = run("dump", "--lenient", "-q", *options, "bad.prism")
        check("warning" not in err and (f"{code}: 1 time" in err) != warns, code, "quiet", err)
    _, err = run("dump", stdin=FULL + b"\xe1", status=1)
    check("(standard input), byte 4 (+0x4)" in err and "--lenient" in err and "hint" in err, err)
    # an output is there as a whole or not
    write("bad.prism", FULL + b"\xe1")
    write("old.txt", b"precious")
    run("dump", "bad.prism", "old.txt", status=1)
    check(read("old.txt") == b"precious" and not os.path.exists("old.txt.part"), "a failed run replaced a file")
    # many of a kind are counted
    _, err = run("dump", "--lenient", stdin=b"\x05" * 1000 + END)
    check("PB17: 1000 times" in err and len(err.splitlines()) < 20, "many", err)
    # random bytes
    r = random.Random(7)
    for _ in range(200 // SHARE):
        data = bytes(r.choices(range(256), weights=[4] * 192 + [1] * 64, k=r.randrange(300)))
        for command in ("dump", "recode", "stat"):
            run(command, "--lenient", "-q", "--control-flow", stdin=data)
    # names do not drive the terminal
    data = enter(b"\x1b[31m\r\n") + END
    for args in (["dump"], ["dump", "--json"]):
        out = run(*args, "-q", stdin=data)[0]
        check(b"\x1b" not in out and b"\r" not in out, args, out)
    name = "a\x1b[31m\n.prism"
    write(name, b"\xe0")
    err = run("dump", name, status=1)[1]
    check("\x1b" not in err and "a?[31m?.prism" in err, "the name of a file", err)
    check("\x1b" not in run("stat", "--lenient", "-q", name)[0].decode(), "the name of a file in stat")
    # compressed streams
    write("w.prism.zst", tools.compress("zst", tools.read("w.prism")))
    check(run("dump", "w.prism.zst")[0].decode() == TEXT, "compressed")


BAD_TEXT = [
    ("nonsense", "mem, comp, sync"), ("mem loads", "type"), ("mem size=3", "power of two"), ("mem size=256", "large"), ("mem load load", "twice"),
    ("mem id=256", "large"), ("mem addr=zz", "number"), ("mem addr=0x100000000000000", "56 bits"), ("comp op=256", "large"), ("comp arity=5", "large"),
    ("comp arity=0", "1 to 4"), ("comp arity=2 ids=1", "as many ids"), ("comp ids=1,2,3,4,5", "at most 4"), ("sync lock 1 2", "more words"),
    ("sync condition-wait 1", "two words"), ("sync swap 0x", "number"), ("sync swap 18446744073709551616", "number"), ("cxt function-enter main", "quotes"),
    ('cxt function-enter "main', "quote is missing"), ('cxt function-enter ""', "empty"), ('cxt function-enter "\\q"', "backslash"),
    ('cxt function-enter "' + "x" * 257 + '"', "256"), ("cxt thread 0x100000000000000", "large"), ('cxt instruction "a"', "number"), ("config what 1", "mem, comp"),
    ("config mem 0x100", "large"), ("cf 32", "large"), ("end end", "too many"), ("bytes 1", "two hexadecimal"), ("stream nothing", "setting"),
    ("mem size=4", "shows no size"), ("comp integer", "shows no format"), ("sync lock", "missing"), ("cxt function-enter", "missing"), ("cxt", "missing"),
    ("config mem 0xf1", "PB06"), ("cf 1", "PB03"), ("end\nmem", "PB15"), ("sync 13 5", "PB11"), ("stream word_size=5", "setting"),
    ("mem\nstream word_size=4", "in front"), ("mem " * 5000, "long"), ("stream what=ever", "setting"), ("\0", "expected"),
]


def wrong_text():
    for text, problem in BAD_TEXT:
        _, err = run("encode", stdin="# first\n" + text + "\n", status=1)
        line = 3 if "\n" in text else 2
        check(problem in err and f"(standard input), line {line}, byte " in err, repr(text[:60]), err)
        _, err = run("encode", "--lenient", "-q", stdin="# first\n" + text + "\nend\n")
        check(f"text: {1 + ('PB15' in problem)} time" in err, "lenient", repr(text[:60]), err)
    out, err = run("encode", "--lenient", stdin="mem size=4 \nconfig mem 0xf0 # full\nnonsense\n  mem\tstore size=2\r\nend")
    check(out == b"\x00\xa0\xf0\x11" + bytes(8) + b"\xc0" and "text: 3 times" in err, "lenient", out, err)
    out, err = run("encode", stdin="bytes a0 f0 18 # as they are\nmem\n")
    check(out == b"\xa0\xf0\x18\x00" and "warning: PB14: " in err, "bytes as they are", out, err)
    check(run("encode", stdin="comp\nconfig comp 0xf8\ncomp ids=1,2 op=2 integer size=1\nend")[0] == bytes.fromhex("20a4f8280240" "0102c0"), "arity of the ids")
    check(run("encode", "--compute-layout=packed", stdin="stream compute_layout=wide\nconfig comp 0x20\ncomp op=1\nend")[0] == bytes.fromhex("a4202004c0"),
          "the command line wins over the text")
    check(run("encode", stdin="config mem 0x20\nmem addr=0xff80000000000000\nmem addr=0x80000000000000\nend")[0] ==
          cfg("mem", 0x20) + (b"\x00" + bytes(6) + b"\x80") * 2 + END, "addresses with the sign, or without")
    # buffers: the rest of each is filled, the last may be short
    out = run("encode", "--buffer-size=8", stdin="config mem 0xc0\nend\nmem load size=2\n" + "mem store size=1\n" * 7 + "end\n")[0]
    check(out == bytes.fromhex("a0c0c00000000000" "09101010101010c0" "10c0"), "buffers", out.hex(" "))
    check(quote(b"a\\b") == '"a\\\\b"', "the kit")


def descriptions():
    run("encode", "--compute-layout=packed", "--word-size=4", "--buffer-size=64", "--describe", "d.json", "-o", "d.prism",
        stdin="config mem 0xf0\nconfig comp 0xf8\nsync swap 7\ncxt thread 9\nmem load size=4 addr=0x1000 id=1\ncomp integer size=4 op=add ids=1\nend\n")
    d = json.loads(read("d.json"))
    check(d == {"version": 1, "format": "prism", "events": "d.prism", "compute_layout": "packed", "word_size": 4, "buffer_size": 64,
                "initial_config": {"mem": "00", "comp": "00", "sync": "c0", "cxt": "c0"}, "process": 1, "first_thread": 0, "control_flow": False,
                "clock": {"mode": "event", "start": 0, "tick_ns": 1}, "timestamps": None}, d)
    out = run("dump", "d.json")[0].decode()
    check(out.startswith("stream compute_layout=packed word_size=4 buffer_size=64\n") and "sync swap 7\n" in out, out)
    check(run("encode", stdin=out)[0] == read("d.prism"), "encode takes the settings of dump")
    # the option wins over the description
    check(b"buffer_size" not in run("dump", "--buffer-size=0", "d.json")[0], "an option over a description")
    run("recode", "d.json", "--to-compute-layout=wide", "--to-word-size=8", "--to-buffer-size=0", "--describe", "e.json", "-o", "e.prism")
    check(run("dump", "e.json")[0].splitlines()[1:] == out.encode().splitlines()[1:], "recode with a description")
    # timestamps
    d.update({"events": "t.prism", "timestamps": "t.ts", "clock": {"mode": "timestamps"}, "compute_layout": "wide", "word_size": 8, "buffer_size": 0})
    write("t.json", json.dumps(d))
    write("t.prism", FULL + swap(1) + enter("f") + END)
    write("t.ts", b"".join(x.to_bytes(8, "little") for x in (1700000000000000000, 1700000000000000001, 1700000000000000005, 1700000000000000009)))
    out = [json.loads(x)["clock"] % 100 for x in run("dump", "--json", "t.json")[0].splitlines()]
    check(out == [0, 1, 5, 9, 9], "timestamps", out)
    write("first.prism", END.ljust(4, b"\xff") + b"\x00\x00" + END)
    write("first.ts", (10 ** 18).to_bytes(8, "little") + (10 ** 18 + 4).to_bytes(8, "little"))
    words = ["--buffer-size=4", "--set", "clock=mode=timestamps", "--set", "timestamps=first.ts"]
    out = [json.loads(x)["clock"] - 10 ** 18 for x in run("dump", "--json", *words, "first.prism")[0].splitlines()]
    check(out == [0, 0, 4, 4], "an End in front of all", out)
    # a directory is all of its streams
    os.mkdir("dir")
    for i in (0, 1):
        write(f"dir/{i}.prism", WORKED)
    out = run("stat", "--json", "dir", "w.prism")[0].splitlines()
    check([json.loads(x)["stream"] for x in out] == ["dir/0.prism", "dir/1.prism", "w.prism"], "a directory", out)
    # what a description lacks may be an option
    os.mkdir("late")
    write("late/t.prism", read("t.prism"))
    write("late/t.json", json.dumps({"version": 1, "format": "prism", "events": "t.prism", "clock": {"mode": "timestamps"}}))
    out, err = run("stat", "--set", "timestamps=t.ts", "late")
    check(b"last ns                1700000000000000009" in out, "timestamps of a directory", out, err)
    write("late/t.json", json.dumps({"version": 1, "format": "prism", "events": "t.prism", "timestamps": "x"}))
    err = run("stat", "late")[1]
    check(err.count("timestamps are not looked at") == 1, "a directory is told twice", err)
    os.mkdir("empty")
    check("no stream" in run("stat", "empty", status=1)[1], "an empty directory")
    # a wrong key of the command line is wrong usage, of which nothing is left
    for options in (["clock=mode=x"], ["what=1"], ["process=0"], ["clock=mode=timestamps"]):
        words = [x for o in options for x in ("--set", o)]
        for args in (["dump", *words, "w.prism", "-o", "new"], ["stat", *words, "dir"], ["recode", *words, "w.prism", "new"],
                     ["encode", *words, "w.txt", "new"], ["uscope", *words, "dir", "-o", "new"]):
            err = run(*args, status=2)[1]
            check("error[usage]: PJ01: the key" in err and "the command line" in err and f"{args[0]} --help lists" in err, args, err)
            check(not os.path.exists("new") and not os.path.exists("new.part"), args, "leave a file")
    write("w2.txt", "stream process=0\n")
    err = run("encode", "w2.txt", status=1)[1]
    check("error[prism]: PJ01: the key" in err and "at w2.txt" in err and "line 1" in err, "a key of a text", err)
    write("x.json", '{"version": 1, "format": "prism"}')
    check("PJ01" in run("dump", "x.json", status=1)[1], "a description without events")


def outputs_apart():
    """No output takes the place of an input, or of another output, whatever it is called."""
    os.makedirs("apart/sub")
    os.chdir("apart")
    clock = {"mode": "timestamps"}
    write("a.prism", WORKED)
    write("a.ts", b"".join(x.to_bytes(8, "little") for x in range(19)))
    write("a.json", json.dumps({"version": 1, "format": "prism", "events": "a.prism", "timestamps": "a.ts", "clock": clock}))
    os.symlink("a.prism", "soft.prism")
    os.link("a.prism", "hard.prism")
    os.symlink("sub", "link")
    here = os.getcwd()
    before = {x: read(x) for x in ("a.prism", "a.ts", "a.json")}
    for args in (["a.prism", "./a.prism"], ["a.prism", f"{here}/a.prism"], ["a.prism", "soft.prism"], ["soft.prism", "a.prism"], ["a.prism", "hard.prism"],
                 ["hard.prism", "soft.prism"], ["a.prism", "o", "--describe=./a.prism"], ["a.prism", "o", "--describe=soft.prism"],
                 ["a.prism", "o", "--describe=sub/../hard.prism"], ["a.json", "a.json"], ["a.json", "o", "--describe=./a.json"], ["a.json", "./a.ts"],
                 ["a.json", "o", "--describe=sub/../a.ts"], ["a.json", "o", "--to-timestamps=./a.ts"], ["a.json", "o", "--to-timestamps=soft.prism"],
                 # outputs that are one file
                 ["a.prism", "o", "--describe=./o"], ["a.prism", "sub/o", "--describe=link/o"], ["a.prism", "o", "--describe=o.part"],
                 ["a.prism", "o", "--to-timestamps=./o"], ["a.prism", "o", "--to-timestamps=o.part"], ["a.prism", "o.part", "--to-timestamps=o"],
                 ["a.prism", "o", "--to-timestamps=d", "--describe=./d"], ["a.prism", "o", "--to-timestamps=d", "--describe=./d.part"],
                 ["a.prism", "o", "--to-timestamps=-"], ["a.prism", "--describe=d"], ["a.prism", "-", "--describe=d"]):
        err = run("recode", *args, status=2)[1]
        check("error[usage]" in err, args, err)
        check(sorted(os.listdir(".")) == ["a.json", "a.prism", "a.ts", "hard.prism", "link", "soft.prism", "sub"], args, os.listdir("."))
        check(os.listdir("sub") == [], args, os.listdir("sub"))
    check(all(read(k) == v for k, v in before.items()), "an input was changed")
    # other files of like names are others
    run("recode", "a.prism", "sub/a.prism", "--describe=sub/a.json")
    check(read("sub/a.prism") == WORKED and json.loads(read("sub/a.json"))["events"] == "a.prism", read("sub/a.json"))
    # a description names files as they are seen from where it is
    run("recode", "a.json", "o.prism", "--describe=sub/o.json")
    d = json.loads(read("sub/o.json"))
    check((d["events"], d["timestamps"]) == (f"{here}/o.prism", f"{here}/a.ts"), d)
    check(run("dump", "--json", "sub/o.json")[0] == run("dump", "--json", "a.json")[0], "a description elsewhere")
    run("recode", "a.json", "sub/p.prism", "--to-timestamps=link/p.ts", "--describe=sub/p.json")
    d = json.loads(read("sub/p.json"))
    check((d["events"], d["timestamps"]) == ("p.prism", "p.ts"), d)
    os.chdir("..")


def stamped(path):
    """What a stream is: (time, event), without Ends."""
    found = [json.loads(x) for x in run("dump", "--json", "-q", path)[0].splitlines()]
    return [(x["clock"], {k: v for k, v in x.items() if k not in ("offset", "clock")}) for x in found if x["event"] != "end"]


def but_configs(events):
    return [x for x in events if x[1]["event"] != "config"]


def other_times():
    """Timestamps that are those of the output, or none."""
    os.mkdir("times")
    os.chdir("times")
    r = random.Random(9)
    clock = {"mode": "timestamps"}
    seen = set()
    for seed in range(12):
        s = Stream()
        told = seed % 3
        for kind in range(told):
            s.config(kind, 0xF0)
        s.random(r, 200, NAMES)
        n = len(s.events)
        s.end()
        size = r.choice((0, 300, 4096))
        write("s.txt", s.text())
        run("encode", "-q", f"--buffer-size={size}", "s.txt", "a.prism")
        ts = sorted(r.choices(range(10 ** 15, 10 ** 15 + 500), k=n))
        write("a.ts", b"".join(x.to_bytes(8, "little") for x in ts))
        write("a.json", json.dumps({"version": 1, "format": "prism", "events": "a.prism", "timestamps": "a.ts", "clock": clock, "buffer_size": size}))
        words = ["recode", "-q", "a.json", "b.prism", f"--to-buffer-size={r.choice((0, 259, 1000))}", "--describe=b.json"]
        have = stamped("a.json")
        run(*words, "--to-timestamps=b.ts")
        got = stamped("b.json")
        check(json.loads(read("b.json"))["timestamps"] == "b.ts", "seed", seed, read("b.json"))
        check(len(read("b.ts")) == 8 * len(got), "seed", seed, "timestamps", len(read("b.ts")), len(got))
        check(but_configs(got) == but_configs(have), "seed", seed, "events or times differ")
        check([t for t, _ in got] == sorted(t for t, _ in got), "seed", seed, "times go back")
        added = len(got) - len(have)
        check(0 <= added <= 2 - told, "seed", seed, added, "were added, and", told, "told")
        seen.add(added)
        # without, they are those of the input, if they fit
        os.remove("b.json")
        err = run(*words, status=1 if added else 0)[1]
        if added:
            check("error[timestamps]: a config event" in err and "a.prism, byte" in err and "--to-timestamps=FILE" in err, "seed", seed, err)
            check(not os.path.exists("b.json"), "seed", seed, "a description is left")
        else:
            check(json.loads(read("b.json"))["timestamps"] == "a.ts" and stamped("b.json") == have, "seed", seed, read("b.json"))
    check(seen == {0, 1, 2}, "not all was tried", seen)
    # of any clock
    write("w.prism", WORKED)
    run("recode", "--set=clock=instr,tick_ns=5,start=7", "w.prism", "v.prism", "--to-timestamps=v.ts", "--describe=v.json")
    check([t for t, _ in stamped("v.json")] == [7] * 4 + [12] * 15, "times of instructions", stamped("v.json"))
    # what is left out, and what comes behind the end
    for data, n, text in ((FULL + sync(13, 5) + enter("f") + END, 4, "left out"), (FULL + b"\xb4\x00" + enter("f") + END, 4, "left out"),
                          (FULL + enter("f") + b"\xe0", 4, "the stream ends here")):
        write("a.prism", data)
        write("a.ts", b"".join(x.to_bytes(8, "little") for x in range(5, 5 + n)))
        words = ["recode", "-q", "--lenient", "--buffer-size=0", "a.json", "b.prism"]
        err = run(*words, status=1)[1]
        check("error[timestamps]" in err and text in err, text, err)
        run(*words, "--to-timestamps=b.ts", "--describe=b.json")
        check([t for t, _ in stamped("b.json")] == ([5, 6, 8] if text == "left out" else [5, 6, 7]), text, stamped("b.json"))
    # both outputs are there, or none is
    for x in ("b.prism", "b.ts", "b.json"):
        os.remove(x)
    write("a.prism", FULL + enter("f") * 3 + b"\xe0")
    run("recode", "a.prism", "b.prism", "--to-timestamps=b.ts", status=1)
    if os.path.exists("/dev/full"):
        write("a.prism", FULL + enter("f") * 30000 + END)
        for args in (["b.prism", "--to-timestamps=/dev/full"], ["/dev/full", "--to-timestamps=b.ts"]):
            err = run("recode", "a.prism", *args, "--describe=b.json", status=1)[1]
            check("error[write]" in err, args, err)
    check(not [x for x in os.listdir(".") if x.startswith("b.")], "what did not work is left", os.listdir("."))
    os.chdir("..")


def usage():
    out = run("--help")[0].decode()
    for name in ("dump", "encode", "stat", "recode", "uscope"):
        check(f"\n  {name} " in out, "--help lacks", name)
        text = run(name, "--help")[0].decode()
        check(text.startswith(f"Usage: ovniscope-prism {name} ") and len(text.splitlines()) < 36, name, "--help")
        check(all(len(x) <= 80 for x in text.splitlines()), name, "--help is wide")
    check(b"ovniscope-prism" in run("--version")[0], "--version")
    for args in ([], ["nothing"], ["dump", "a", "b", "c"], ["dump", "--what"], ["dump", "--compute-layout"], ["dump", "--compute-layout=middle"], ["dump", "--word-size=5"],
                 ["dump", "--buffer-size=-1"], ["dump", "--buffer-size=99999999999"], ["dump", "--initial-config=mem"], ["dump", "--initial-config=mem=f1"],
                 ["dump", "--initial-config=what=f0"], ["dump", "--initial-config=mem=f0x"], ["dump", "--set=x"], ["dump", "--tick-ns=0"], ["dump", "--clock=x"],
                 ["dump", "--to-compute-layout=wide"], ["recode", "--json"], ["recode", "--detail=cf=00"], ["encode", "--describe=x.json"],
                 ["recode", "--describe=new.prism", "w.prism", "new.prism"], ["recode", "--describe=w.prism", "w.prism", "new.prism"],
                 ["recode", "w.prism", "w.prism"], ["dump", "-o", "a", "w.prism", "b"], ["uscope", "w.prism"], ["dump"] + ["--control-flow"] * 17):
        _, err = run(*args, status=2)
        check("error[usage]" in err and "hint" in err, args, err)
    check(run("--compute-layout", "packed", "dump", "d.json", "-o", "-")[0].startswith(b"stream"), "options first")
    check(not os.path.exists("new.prism") and not os.path.exists("new.prism.part"), "wrong usage leaves a file")
    # neither is what is written until the output is complete
    write("in.prism.part", FULL + END)
    for args in (["recode", "in.prism.part", "in.prism"], ["uscope", "-o", "in.prism", "in.prism.part"]):
        err = run(*args, status=2)[1]
        check("in.prism.part is an input" in err and read("in.prism.part") == FULL + END and not os.path.exists("in.prism"), args, err)


def wait_for(path):
    end = time.monotonic() + 30
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.05)


def example():
    """The program of the demo is a good stream, and random text none."""
    program = os.path.join(HERE, "..", "..", "doc", "examples", "prism_program.py")
    text = subprocess.run([sys.executable, program], stdout=subprocess.PIPE, check=True).stdout
    out, err = run("encode", stdin=text)
    check(err == "" and run("dump", stdin=out)[0] == b"stream compute_layout=wide\n" + text, "doc/examples/prism_program.py", err)
    check("  barrier              2" in run("stat", stdin=out)[0].decode(), "stat of the program")
    r = random.Random(3)
    for _ in range(100):
        lines = [bytearray(x) for x in r.choices(text.splitlines(), k=20)]
        for x in lines:
            x[r.randrange(len(x))] = r.randrange(256)
        run("encode", "--lenient", "-q", stdin=bytes(b"\n".join(lines)))


def outputs():
    write("large.prism", FULL + mem("load", 2, 4096, 1) * 300000 + END)
    run("dump", "large.prism", "/dev/null")
    if os.path.exists("/dev/full"):
        for args in (["dump", "large.prism", "/dev/full"], ["recode", "large.prism", "/dev/full"], ["stat", "large.prism", "-o", "/dev/full"],
                     ["encode", "w.txt", "/dev/full"], ["recode", "--describe=/dev/full", "w.prism", "-o", "x.prism"]):
            check("error[write]" in run(*args, status=1)[1], args, "to a full disk")
        with open("/dev/full", "wb") as full:
            check("error[write]" in run("dump", "large.prism", status=1, stdout=full)[1], "full standard output")
        # also while more is waited for
        for command in ("dump", "recode"):
            with open("/dev/full", "wb") as full, \
                    subprocess.Popen([TOOL, command], bufsize=0, stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE) as p:
                try:
                    p.stdin.write(FULL + swap(1))
                except BrokenPipeError:
                    pass  # it has ended already
                try:
                    check(p.wait(30) == 1 and b"error[write]" in p.stderr.read(), command, "full, live")
                except subprocess.TimeoutExpired:
                    check(False, command, "waits for events that nobody will see")
                    p.kill()

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

    run("recode", "large.prism", "large2.prism", status=1, preexec_fn=small_files)
    check(not [x for x in os.listdir(".") if x.startswith("large2")], "what did not fit is left")
    check("error[read]" in run("dump", "nowhere", status=1)[1], "missing file")
    check("error[read]" in run("dump", ".", status=1)[1], "directory")
    err = run("stat", "--progress", "large.prism")[1]
    check("events" in err and "%" in err, "progress", err)
    # a reader that leaves is no error to talk about
    with subprocess.Popen([TOOL, "dump", "large.prism"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        check(p.stdout.readline().startswith(b"stream"), "the first line")
        p.stdout.close()
        check(p.stderr.read() == b"" and p.wait() == -signal.SIGPIPE, "a reader that leaves")
    with subprocess.Popen([TOOL, "recode", "large.prism", "--to-timestamps", "left.times"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        p.stdout.read(10)
        p.stdout.close()
        check(p.stderr.read() == b"" and p.wait() == -signal.SIGPIPE, "a reader that leaves a recode")
    check(not [x for x in os.listdir(".") if x.startswith("left.times")], "a reader that left, and the file beside")
    # the user ends it: while it waits, and while it works
    for command in ("dump", "stat", "recode", "encode"):
        with subprocess.Popen([TOOL, command, "-o", "int.out", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            p.stdin.write(FULL + swap(1) if command != "encode" else b"config mem 0xf0\n")
            p.stdin.flush()
            wait_for("int.out.part")
            p.send_signal(signal.SIGINT)
            err = p.stderr.read()
            check(b"error[interrupted]" in err and p.wait() == 130, command, "interrupted", p.returncode, err)
        check(not os.path.exists("int.out") and not os.path.exists("int.out.part"), command, "interrupted leaves a file")
    os.mkfifo("nobody.prism")
    with subprocess.Popen([TOOL, "dump", "nobody.prism"], stderr=subprocess.PIPE) as p:
        time.sleep(0.5)
        p.send_signal(signal.SIGINT)
        err = p.stderr.read()
        check(b"error[interrupted]" in err and p.wait() == 130, "interrupted in front of a FIFO", p.returncode, err)
    # what has come of a pipe is there before the rest comes
    r, w = os.pipe()
    with subprocess.Popen([TOOL, "dump"], stdin=r, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as p:
        os.close(r)
        os.write(w, FULL + swap(1) + cxt(1, 5)[:3])
        got = [p.stdout.readline() for _ in range(4)]
        check(got[-1] == b"sync swap 1\n", "live", got)
        os.write(w, cxt(1, 5)[3:] + END)
        os.close(w)
        check(p.stdout.read() == b"cxt instruction 0x5\nend\n", "the rest of it")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        for part in (worked_example, round_trips, less_detail, what_is_wrong, wrong_text, descriptions, outputs_apart, other_times, usage, example, outputs):
            part()
    print("\n".join(failures) if failures else "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
