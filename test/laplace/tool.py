#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-laplace as a user sees it.

usage: tool.py PROGRAM doc/format/laplace.md
"""
import gzip
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading

from worked import KERNEL, REFS, binary, check, finish, interleave, read, write

TOOL = os.path.abspath(sys.argv[1])
DOCUMENT = os.path.abspath(sys.argv[2])

SPLIT = {
    "9f8e7.1/77.txt": """\
A 1000 77 9f8e7
m 1010 77 8048000 3000
S 1020 77
i 1030 4 8048 1
r 1031 2 8049 2
r 1031 2 804a 3
w 1032 4 804a 3
F 1100 100 77
D 1120 9f8e7 9f8e8 8048000 804b000
S 1310 77
i 1320 3 8048 1
""",
    "9f8e8.1/100.txt": """\
A 1110 100 9f8e8
S 1200 100
i 1201 2 8048 1
C 1210 100 8048000
w 1215 4 8048 5
M 1220 100 1a2b3000 9000 8efa5567 35 5 0 foobar.so
r 1230 8 1a2b3 6
T 1300 100
""",
    "kernel.txt": "r 1130 4 c0100 4\nr 1305 4 c0100 4\nu 1308 9f8e8\n",
}
STAT = {
    "records": 21, "references": 9, "kinds": {"load": 4, "store": 2, "fetch": 3}, "bytes": {"load": 20, "store": 8, "fetch": 9},
    "kernel_events": 12,
    "events": {"schedule": 3, "fork": 1, "exit": 1, "assign_context": 2, "duplicate_range": 1, "map_file": 1, "map_anonymous": 1,
               "unmap_all": 1, "copy_on_write": 1},
    "first_cycle": 4096, "last_cycle": 4896, "span": 800, "tasks": 2, "address_spaces": 2, "pages_touched": 6,
    "classes": {"anonymous": 3, "of_files": 1, "copied_on_write": 1, "of_the_kernel": 1},
    "working_set": {"mean": 2.2, "most": 3, "windows": 4, "window": 256},
}
BASIC = "I 1\nR 2\nR 3\nW 3\nR 4\nI 1\nW 5\nR 6\nR 4\nI 1\n"


def run(*args, status=0, stdin=b"", **more):
    """(stdout, stderr as text)"""
    if "stdout" not in more:
        more["stdout"] = subprocess.PIPE
    p = subprocess.run([TOOL, *args], input=stdin, stderr=subprocess.PIPE, check=False, timeout=120, **more)
    err = p.stderr.decode(errors="replace")
    check(p.returncode == status, args, "status", p.returncode, "not", status, err[-400:])
    return p.stdout, err


def worked_example():
    write("k.lkt", KERNEL)
    write("r.lrt", REFS)
    for order in ("little", "big"):
        run("binary", "--endian", order, "r.lrt", f"{order}.lrb")
        data = read(f"{order}.lrb")
        check(data == binary(REFS, "<" if order == "little" else ">"), "binary of", order)
        check(run("text", f"--endian={order}", f"{order}.lrb")[0] == REFS.encode(), "text of", order)
    mixed = interleave().encode()
    inputs = {
        "text": ["r.lrt", "k.lkt"],
        "text, turned round": ["k.lkt", "r.lrt"],
        "binary": ["little.lrb", "k.lkt"],
        "big": ["--endian", "big", "k.lkt", "big.lrb"],
        "interleave": ["m.lmt"],
        "no suffix": ["m"],
        "crlf": ["crlf"],
    }
    write("m.lmt", mixed)
    write("m", mixed)
    write("crlf", b"# a comment\r\n\r\n" + mixed.replace(b"\n", b"  \r\n").replace(b"foobar.so  ", b"foobar.so"))
    for name, args in inputs.items():
        check(run("merge", *args)[0] == mixed, "merge from", name)
        check(run("basic", "-q", *args)[0] == BASIC.encode(), "basic from", name)
        run("split", "-q", *args, "-o", f"split {name}")
        have = {}
        for top, _, names in os.walk(f"split {name}"):
            for x in names:
                path = os.path.join(top, x)
                have[os.path.relpath(path, f"split {name}")] = read(path).decode()
        check(have == SPLIT, "split from", name, have)
        out = run("stat", "-q", "--window", "256", *args)[0].decode()
        for line in ("records        21", "references     9", "  r load               4, 20 bytes", "kernel events  12",
                     "  S schedule           3", "span           800 cycles", "pages touched  6", "tasks          2",
                     "working set    2.2 pages on average, 3 at most, in 4 windows of 256 cycles"):
            check(line in out.splitlines(), "stat from", name, "has not", line, out)
        have = json.loads(run("stat", "-q", "--json", "--window", "256", *args)[0])
        check(have == STAT, "stat --json from", name, have)
    check(run("merge", "-", "k.lkt", stdin=REFS.encode())[0] == mixed, "merge with the standard input")
    # kernel traces come first where stamps are equal, whatever the order and the names
    write("ties.r", "r 5 4 1 0\nr 6 4 1 0\n")
    write("ties.k", "a 5 1\na 6 1\n")
    for args in (["ties.r", "ties.k"], ["ties.k", "ties.r"]):
        check(run("merge", *args)[0] == b"a 5 1\nr 5 4 1 0\na 6 1\nr 6 4 1 0\n", "ties", args)
    # what was written is read again
    for path in SPLIT:
        out = run("stat", "--format", "process", f"split text/{path}")[0].decode()
        check("references" in out, "stat of", path)
    write("b.lbm", BASIC)
    out = run("stat", "b.lbm")[0].decode()
    have = json.loads(run("stat", "--json", "b.lbm")[0])
    check(have["kinds"] == {"load": 5, "store": 2, "fetch": 3} and "bytes" not in have and "first_cycle" not in have, "stat --json of the basic merge", have)
    # the classes of touched pages sum to their total, with copies, and with pages that were read before
    write("classes.lkt", "F 1 5 0\nA 1 5 a1\nS 2 5\nm 3 5 1000 3000\n< 4 5 77 8 1 0 2000\nM 5 5 8000 2000 77 8 1 0 f\nC 6 5 1000\nC 7 5 2000\n")
    write("classes.lrt", "r 10 4 a1 1000\nr 11 4 a1 3000\nr 12 4 a1 8000\nr 13 4 a1 9000\nr 14 4 a1 20000\nr 15 4 a1 1000\n")
    have = json.loads(run("stat", "-q", "--json", "classes.lkt", "classes.lrt")[0])
    want = {"anonymous": 1, "of_files": 2, "in_no_mapping": 1, "copied_on_write": 1}
    check(have["pages_touched"] == 5 and have["classes"] == want, "classes of touched pages", have)
    check("references     10" in out and "pages touched  6" in out and "cycle" not in out, "stat of the basic merge", out)
    # only references, only a kernel trace
    check(run("basic", "r.lrt")[0] == b"I 1\nR 2\nR 3\nW 3\nR 4\nI 5\nW 5\nR 6\nR 4\nI 1\n", "basic of references only")
    check(run("basic", "-q", "k.lkt")[0] == b"", "basic of a kernel trace only")
    run("split", "r.lrt", "-o", "alone")
    check(sorted(os.listdir("alone")) == ["9f8e7.1", "9f8e8.1", "kernel.txt"] and os.listdir("alone/9f8e8.1") == ["2.txt"], "split without a kernel trace")


def round_trip():
    r = random.Random(1)
    data = bytearray()
    ts = 0
    for _ in range(100000):
        ts += r.getrandbits(r.randrange(45))
        va = r.getrandbits(32) >> r.randrange(32)
        data += struct.pack("<BQBII", r.choice(b"rwiRWI"), ts, r.randrange(1, min(255, 2**32 - va) + 1), r.getrandbits(32) >> r.randrange(32), va)
    write("random.lrb", data)
    run("text", "random.lrb", "random.lrt")
    run("binary", "random.lrt", "again.lrb")
    check(read("again.lrb") == data, "round trip")
    text = run("text", stdin=bytes(data))[0]
    check(text == read("random.lrt"), "through pipes")
    want = "".join("%c %x %x %x %x\n" % struct.unpack_from("<BQBII", data, 18 * i) for i in range(0, 100000))
    check(text.decode() == want, "text as Python prints it")
    run("binary", "--endian=big", "random.lrt", "big.lrb")
    run("text", "--endian=big", "big.lrb", "big.lrt")
    check(read("big.lrt") == text, "round trip, big endian")


def messages():
    write("bad.lrt", "r 1 4 2 3\nr 2 4 2\nr 3 4 2 3\nr 2 4 2 3\n")
    _, err = run("binary", "bad.lrt", "bad.lrb", status=1)
    check("error[laplace]: LT01: " in err and "bad.lrt, line 2, byte 10 (+0xa)" in err and "--lenient" in err, err)
    check(not os.path.exists("bad.lrb") and not os.path.exists("bad.lrb.part"), "an output is left behind an error")
    _, err = run("binary", "--lenient", "bad.lrt", "bad.lrb")
    check("LT01: 1 time" in err and "LR05: 1 time" in err and "warning: LT01: " in err, err)
    check(len(read("bad.lrb")) == 3 * 18, "lenient")
    _, err = run("binary", "--lenient", "-q", "bad.lrt", "bad.lrb")
    check("LT01: 1 time" in err and "warning" not in err, "quiet", err)
    write("old.lrb", b"precious")
    run("binary", "bad.lrt", "old.lrb", status=1)
    check(read("old.lrb") == b"precious", "a failed run replaced a file")
    # many of a kind are counted
    write("many.lrt", "r 1 0 2 3\n" * 1000)
    _, err = run("binary", "--lenient", "many.lrt", "many.lrb")
    check("LR03: 1000 times" in err and len(err.splitlines()) < 20, "many", err)
    write("cut.lrb", b"r" * 35)
    _, err = run("text", "cut.lrb", status=1)
    check("error[laplace]: LR01: " in err and "byte 18 (+0x12)" in err, err)
    write("what", b"\x7fELF" + bytes(50))
    check("error[format]" in run("stat", "what", status=1)[1], "unknown content")
    check("error[read]" in run("stat", "nowhere", status=1)[1], "missing file")
    check("error[read]" in run("stat", ".", status=1)[1], "directory")
    check("error[format]" in run("merge", "b.lbm", status=1)[1], "merge of a basic merge")
    # the names of files do not drive the terminal
    name = "a\x1b[31m\n.lrt"
    write(name, "x\n")
    err = run("binary", name, status=1)[1]
    check("\x1b" not in err and "a?[31m?.lrt" in err, "control characters")


def usage():
    out = run("--help")[0].decode()
    for name in ("text", "binary", "merge", "split", "basic", "stat", "uscope"):
        check(f"\n  {name} " in out, "--help lacks", name)
        text = run(name, "--help")[0].decode()
        check(text.startswith(f"Usage: ovniscope-laplace {name} ") and len(text.splitlines()) < 28, name, "--help")
        check(all(len(x) <= 80 for x in text.splitlines()), name, "--help is wide")
    check(b"ovniscope-laplace" in run("--version")[0], "--version")
    for args in ([], ["nothing"], ["text", "a", "b", "c"], ["text", "--what"], ["text", "--endian"],
                 ["text", "--endian=middle"], ["stat", "--dialect", "x"], ["stat", "--format", "x"], ["stat", "--window=0"],
                 ["stat", "--window=1x"], ["stat", "--kernel-base", "0x1"], ["split", "k.lkt"], ["text", "--window=5"],
                 ["text", "random.lrb", "random.lrb"], ["text", "-o", "a", "random.lrb", "b"]):
        _, err = run(*args, status=2)
        check("error[usage]" in err and "hint" in err, args, err)
    # options in front of the command
    check(run("--endian", "big", "text", "big.lrb", "-o", "-")[0] == read("big.lrt"), "options first")


def outputs():
    # a link stays a link
    os.symlink("target.lrt", "link.lrt")
    write("target.lrt", b"")
    run("text", "random.lrb", "link.lrt")
    check(os.path.islink("link.lrt") and read("target.lrt") == read("random.lrt"), "a link as output")
    run("text", "random.lrb", "/dev/null")
    check(not os.path.isfile("/dev/null"), "a device as output")
    if os.path.exists("/dev/full"):
        for args in (["text", "random.lrb", "/dev/full"], ["merge", "random.lrb", "-o", "/dev/full"], ["stat", "random.lrb", "-o", "/dev/full"]):
            check("error[write]" in run(*args, status=1)[1], args, "to a full disk")
        with open("/dev/full", "wb") as full:
            check("error[write]" in run("basic", "random.lrb", status=1, stdout=full)[1], "full standard output")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

    run("text", "random.lrb", "large.lrt", status=1, preexec_fn=small_files)
    check(not [x for x in os.listdir(".") if x.startswith("large")], "what did not fit is left")
    _, err = run("split", "-q", "random.lrb", "--lenient", "-o", "nowhere/there", status=1)
    check("error[write]" in err, "split below nothing")
    os.mkdir("full")
    write("full/file", b"x")
    _, err = run("split", "k.lkt", "r.lrt", "-o", "full", status=1)
    check("not an empty directory" in err and os.listdir("full") == ["file"], "split over a directory", err)
    # an error in the middle leaves nothing
    write("late.lrt", REFS + "r 1 4 2 3\n")
    run("split", "-q", "k.lkt", "late.lrt", "-o", "late", status=1)
    os.mkdir("empty")
    run("split", "-q", "k.lkt", "late.lrt", "-o", "empty", status=1)
    check(os.path.isdir("empty") and not os.path.exists("empty.part"), "an empty directory does not stay where split fails")
    check(not [x for x in os.listdir(".") if x.startswith("late") and x != "late.lrt"], "split leaves", os.listdir("."))
    # more tasks than descriptors, and than buffers
    many = "".join(f"r {i:x} 4 {i % 3000 + 1:x} {i * 4096 % 0x80000000:x}\n" for i in range(30000))
    write("many.lmt", "\n" + many)
    run("split", "many.lmt", "-q", "-o", "crowd")
    n = sum(len(names) for _, _, names in os.walk("crowd"))
    check(n == 1, "without a schedule all is the kernel's")
    write("many2.lrt", many)
    run("split", "many2.lrt", "-q", "-o", "crowd2")
    names = [os.path.join(d, x) for d, _, xs in os.walk("crowd2") for x in xs]
    check(len(names) == 3001 and sum(read(x).count(b"\n") for x in names) == 30000, "3000 tasks", len(names))
    err = run("text", "--progress", "random.lrb", "/dev/null")[1]
    check("records" in err and "%" in err, "progress", err)


def passes_on(args, feed, want):
    """What comes through pipes goes on before more comes: feed has what is written to each, then what is there."""
    fifos = [f"fifo{i}" for i in range(len(feed[0][0]))]
    for fifo in fifos:
        os.mkfifo(fifo)
    with subprocess.Popen([TOOL, *args, *fifos], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        # both are open before one is written to
        ends = [open(fifo, "wb", buffering=0) for fifo in fifos]
        timer = threading.Timer(30, p.kill)
        timer.start()
        for inputs, out in feed:
            for end, data in zip(ends, inputs):
                end.write(data)
            have = p.stdout.read(len(out)) if out else b""
            check(have == out, args, "is not passed on", have, out)
        for end in ends:
            end.close()
        rest = p.stdout.read()
        check(rest == want and p.wait() == 0, args, "ends with", rest, p.stderr.read())
        timer.cancel()
    for fifo in fifos:
        os.unlink(fifo)


def pipes():
    a, b, c = "r 1 4 2 3\n", "w 100 4 2 3\n", "i 200 4 2 3\n"
    records = [binary(x, "<") for x in (a, b, c)]
    passes_on(["text"], [([records[0] + records[1][:7]], a.encode()), ([records[1][7:]], b.encode()), ([records[2]], c.encode())], b"")
    passes_on(["binary"], [([(a + "w 100").encode()], records[0]), ([b" 4 2 3\n"], records[1])], b"")
    # as far as both are known: one record of each waits for what may come in front of it
    passes_on(["merge"], [([b"a 1 5\na 150 5\n", (a + b).encode()], b"a 1 5\n" + (a + b).encode()), ([b"", c.encode()], b"a 150 5\n"),
                          ([b"a 300 5\n", b""], c.encode())], b"a 300 5\n")
    packed = gzip.compress(records[0] + records[1], mtime=0)
    passes_on(["text"], [([packed], (a + b).encode()), ([gzip.compress(records[2])], c.encode())], b"")


def compressed():
    """Inputs that are compressed are read as they are, whatever their name; with names of both kinds, and through a pipe."""
    packers = [("gz", gzip.compress)]
    for end, packer in (("zst", "zstd"), ("lz4", "lz4")):
        if shutil.which(packer):
            packers.append((end, lambda data, packer=packer: subprocess.run([packer, "-c"], input=data, capture_output=True, check=True).stdout))
    want = {}
    for command in (["merge"], ["basic", "-q"], ["stat", "-q"]):
        want[command[0]] = run(*command, "little.lrb", "k.lkt")[0]
    for end, pack in packers:
        write(f"p.lrb.{end}", pack(read("little.lrb")))
        write(f"p.lkt.{end}", pack(KERNEL.encode()))
        write("p", pack(read("little.lrb")))
        write("pt", pack(REFS.encode()))
        for command in (["merge"], ["basic", "-q"], ["stat", "-q"]):
            for refs in (f"p.lrb.{end}", "p", "pt"):
                check(run(*command, refs, f"p.lkt.{end}")[0] == want[command[0]], command, "of", refs, end)
        check(run("text", stdin=pack(read("random.lrb")))[0] == read("random.lrt"), "text of compressed bytes through a pipe", end)
        check(run("binary", "pt")[0] == read("little.lrb"), "binary of compressed text", end)
        # what was cut: what came, with --lenient
        half = pack(read("random.lrb"))
        half = half[:len(half) // 2]
        check("end inside a frame" in run("text", stdin=half, status=1)[1], "cut", end)
        out, err = run("text", "--lenient", stdin=half)
        check(read("random.lrt").startswith(out) and "end inside a frame" in err, "cut, lenient", end, err)
        damaged = bytearray(pack(read("random.lrb")))
        damaged[20:60] = bytes(40)
        err = run("text", stdin=bytes(damaged), status=1)[1]
        check("error[read]" in err or "error[laplace]" in err, "damaged", end, err)
    for magic, tool in ((b"\xfd7zXZ\0", "xz -dc"), (b"BZh9", "bzip2 -dc")):
        check(tool in run("stat", stdin=magic + bytes(99), status=1)[1], "compressed with", tool)


UNKNOWN = "F 1 5 0\nq  0002\tany  thing \r\nS 3 5\n^ 4\nq 5 \"x\"\n"


def unknown_tags():
    """Events of tracers that we do not know pass as they are, and are counted."""
    write("u.lkt", UNKNOWN)
    write("u.lrt", "r 2 4 1 1000\nr 6 4 1 2000\n")
    want = UNKNOWN.replace("S 3", "r 2 4 1 1000\nS 3").encode() + b"r 6 4 1 2000\n"
    out, err = run("merge", "u.lrt", "u.lkt")
    check(out == want, "unknown tags", out)
    check(err.count("LK01: the tag 'q' is not known") == 1 and "tag q: 2 times" in err and "tag ^: 1 time:" in err, "unknown tags are told", err)
    check(run("merge", "-q", stdin=want)[0] == want, "unknown tags again")
    check(run("merge", "-q", "u.lrt", "u.lkt")[1] == "", "unknown tags, quiet")
    err = run("merge", "--unknown-tags=refuse", "u.lkt", status=1)[1]
    check("error[laplace]: LK01: unknown tag" in err and "line 2" in err, "unknown tags are refused", err)
    check(run("merge", "-q", "--lenient", "--unknown-tags=refuse", "u.lkt")[0] == b"F 1 5 0\nS 3 5\n", "unknown tags are skipped")
    # what is no event at all is wrong as before; in order, as others are
    for line in ("! 5 1", "q", "q xyz", "\x01 5", "\x80 5", "q 12345678123456781"):
        write("no.lkt", f"F 1 5 0\n{line}\n".encode("latin-1"))
        check("LK01" in run("merge", "no.lkt", status=1)[1], "no event:", line)
    write("no.lkt", "F 3 5 0\nq  2 a  b\n")
    check("LR05" in run("merge", "no.lkt", status=1)[1], "an unknown tag that goes back")
    check(run("merge", "--lenient", "-q", "no.lkt")[0] == b"F 3 5 0\nq 3 a  b\n", "the timestamp of an unknown tag that goes back")
    write("long.lkt", b"q 1 " + b"x" * 8188 + b"\n")
    check(run("merge", "-q", "long.lkt")[0] == read("long.lkt"), "a long line")
    have = json.loads(run("stat", "-q", "--json", "u.lkt")[0])
    check(have["unknown_tags"] == {"q": 2, "^": 1} and have["kernel_events"] == 5, "stat of unknown tags", have)
    check("  q unknown tag        2" in run("stat", "-q", "u.lkt")[0].decode(), "stat of unknown tags")
    run("split", "-q", "u.lkt", "-o", "usplit")
    check(read("usplit/kernel.txt") + read("usplit/0.1/5.txt") == UNKNOWN.encode(), "split of unknown tags")


def windows():
    out = run("stat", "-q", "--csv", "--window=256", "r.lrt", "k.lkt")[0].decode().splitlines()
    rows = [dict(zip(out[0].split(","), map(int, x.split(",")))) for x in out[1:]]
    check([x["cycle"] for x in rows] == [0x1000, 0x1100, 0x1200, 0x1300], "cycles of windows", out)
    total = {k: sum(x[k] for x in rows) for k in rows[0]}
    check((total["loads"], total["stores"], total["fetches"], total["load_bytes"], total["store_bytes"], total["kernel_events"]) == (4, 2, 3, 20, 8, 12), "totals", total)
    check([x["working_set"] for x in rows] == [3, 1, 3, 2] and [x["footprint"] for x in rows] == [3, 4, 6, 6] and total["new_pages"] == 6, "pages of windows", rows)
    check(run("stat", "--csv", "--window=1", stdin=b"r 1 4 2 3\nr ffffffffffffffff 4 2 3\n")[0].count(b"\n") == 3, "windows without records")
    check("error[usage]" in run("stat", "--csv", "--json", status=2)[1], "two forms")


def dialects():
    write("k5.lkt", "F 1 0 1 0\nM 2 0 1 1000 1000 5 8 1 0 f lib.so\nT 3 9 1 a b\n")
    check(run("merge", "--dialect", "kvmtrace-0.5", "k5.lkt")[0] == read("k5.lkt"), "dialect")
    check("error[laplace]: LT01: " in run("merge", "k5.lkt", status=1)[1], "a dialect that is not told")


def document():
    """What the description of the formats shows is so."""
    text = read(DOCUMENT).decode()
    rows = re.findall(r"^\| `(\w( [0-9a-f]+){4})` \| `([0-9a-f ]+)` \|$", text, re.M)
    check(len(rows) == 3, "worked bytes:", len(rows))
    for line, _, data in rows:
        check(run("binary", stdin=(line + "\n").encode())[0].hex(" ") == data, "worked bytes of", line)
    big = re.search(r"in big endian: `([0-9a-f ]+)`", text).group(1)
    check(run("binary", "--endian=big", stdin=(rows[0][0] + "\n").encode())[0].hex(" ") == big, "worked bytes, big endian")
    trace, basic = re.findall(r"^```text\n(.*?)^```$", text, re.M | re.S)
    out, err = run("basic", stdin=trace.encode())
    check(out.decode() == basic and not err, "example", out, err)
    # the table of codes
    codes = re.findall(r"^\| (L[A-Z]\d\d) \|", text, re.M)
    check(len(codes) == len(set(codes)) == 21, "codes", codes)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        for part in (worked_example, round_trip, messages, usage, outputs, pipes, compressed, unknown_tags, windows, dialects, document):
            part()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
