#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniemu on Laplace traces: a worked example whose timelines are known, in all forms; what is
wrong, strict and lenient; manifests.

usage: emulate.py OVNIEMU OVNISCOPE-LAPLACE
"""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import worked
from worked import KERNEL, REFS, binary, interleave, sequences, text_of, value_at, write

# (row, type): time:value without the first 0. A pair at time 0 is at time 0 as a whole.
SEQUENCES = {
    (1, 300): "772:1 773:0",
    (1, 301): "773:2",
    (1, 303): "775:11 776:0",
    (1, 340): "773:4",
    (2, 300): "47:3 48:0 48:1 49:0 49:2 50:0 303:1 304:0 799:3 800:0",
    (2, 301): "48:1 304:2 512:0 784:2 800:1",
    (2, 302): "32:1 512:0 784:1",
    (2, 303): "0:5 0:0 15:8 16:0 31:1 32:0 255:2 256:0 287:6 288:0 783:1 784:0",
    (2, 304): "47:1 48:0 48:1 49:0 303:6 304:0",
    (2, 305): "256:3 288:4 512:0 784:4 800:0",
    (2, 317): "32:12 512:0 784:12",
    (2, 340): "48:1 49:3 304:4 512:0 784:4 800:1",
    (3, 300): "512:3 513:0 532:2 533:0 559:1 560:0",
    (3, 301): "513:1 768:0",
    (3, 302): "512:2 768:0",
    (3, 303): "271:5 272:0 511:1 512:0 527:12 528:0 543:7 544:0 767:4 768:0",
    (3, 304): "527:5 528:0 559:2 560:0",
    (3, 305): "528:5 533:0 544:4 560:0",
    (3, 317): "512:12 544:48 768:0",
    (3, 340): "513:1 533:5 560:6 768:0",
}
STATES = {
    (2, 4): "0:2 32:1 512:2 784:1",
    (2, 2): "32:119 512:0 784:119",
    (3, 4): "256:2 512:1 768:3",
    (3, 2): "512:256 768:0",
}
# loads, stores, fetches, working set, footprint, first touches
TOTALS = (310, 311, 312, 315, 316, 318)
WINDOWS = {
    (256, 2): (1, 1, 1, 3, 3, 3),
    (512, 2): (1, 0, 0, 1, 4, 1),
    (768, 3): (1, 1, 1, 3, 3, 1),
    (800, 1): (1, 0, 0, 1, 1, 0),
    (800, 2): (0, 0, 1, 1, 4, 0),
}
CPU = {
    (1, 331): "0:1 256:2 768:1",
    (1, 332): "0:1 272:2 776:1",
    (1, 330): "256:1 512:0 768:1",
    (1, 316): "256:3 512:4 768:6",
    (1, 315): "256:3 512:1 768:3 800:2",
}


def check(what, good, detail=""):
    worked.check(good, f"{what}: {detail}")


def run(emu, out, *args):
    return subprocess.run([emu, "-f", "prv", "-o", out, *args], capture_output=True, text=True, timeout=60, check=False)


def compare(name, out, kinds=None, totals=True, cpus=True):
    thread = sequences(f"{out}/thread.prv")
    for key, want in {**SEQUENCES, **STATES}.items():
        if kinds is None or key[1] in kinds:
            check(name, text_of(thread.get(key, [])) == want, f"row, type {key}: {text_of(thread.get(key, []))}, expected {want}")
    for key, s in thread.items():
        check(name, key in SEQUENCES or key[1] not in range(300, 310) or not s, f"row, type {key} shows something: {text_of(s)}")
    for tick in (256, 512, 768, 800) if totals else ():
        for row in (1, 2, 3):
            have = tuple(value_at(thread[row, kind], tick) for kind in TOTALS)
            footprint = max((w[4] for (t, r), w in WINDOWS.items() if r == row and t <= tick), default=0)
            want = WINDOWS.get((tick, row), (0, 0, 0, 0, footprint, 0))
            check(name, have == want, f"row {row} at {tick}: totals {have}, expected {want}")
    cpu = sequences(f"{out}/cpu.prv")
    for key, want in CPU.items() if cpus else ():
        check(name, text_of(cpu[key]) == want, f"CPU row, type {key}: {text_of(cpu[key])}, expected {want}")


def example(emu, tool, tmp):
    k = write(f"{tmp}/kernel.lkt", KERNEL)
    inputs = {
        "text": ["--laplace", write(f"{tmp}/refs.lrt", REFS), "--laplace-kernel", k],
        "binary": ["--laplace", write(f"{tmp}/refs.lrb", binary(REFS)), "--laplace-kernel", k],
        "big endian": ["--laplace", write(f"{tmp}/big.lrb", binary(REFS, ">")), "--laplace-kernel", k, "--laplace-set", "endian=big"],
        "interleave": ["--laplace", write(f"{tmp}/all.lmt", interleave())],
        "by content": ["--laplace", write(f"{tmp}/refs", binary(REFS)), "--laplace-kernel", write(f"{tmp}/k", KERNEL)],
        "text by content": ["--laplace", write(f"{tmp}/all", interleave())],
        "windows line ends": ["--laplace", write(f"{tmp}/crlf.lmt", interleave().replace("\n", "\r\n"))],
    }
    packed = write(f"{tmp}/kernel.lkt.gz", gzip.compress(KERNEL.encode()))
    inputs["compressed"] = ["--laplace", write(f"{tmp}/refs.lrb.gz", gzip.compress(binary(REFS))), "--laplace-kernel", packed]
    inputs["compressed text"] = ["--laplace", write(f"{tmp}/refs.gz", gzip.compress(REFS.encode())), "--laplace-kernel", packed]
    inputs["compressed interleave"] = ["--laplace", write(f"{tmp}/all.gz", gzip.compress(interleave().encode()))]
    os.mkdir(f"{tmp}/dir")
    write(f"{tmp}/dir/r.lrb", binary(REFS))
    write(f"{tmp}/dir/k.lkt", KERNEL)
    write(f"{tmp}/dir/laplace.json", json.dumps({"version": 1, "format": "laplace", "name": "sim", "freq_hz": 1000000000,
          "endian": "little", "dialect": "laplace", "page_size": 4096, "kernel_base": "c0000000", "kernel_refs": "task",
          "offset_unit": "byte", "cpus": [{"references": "r.lrb", "kernel": "k.lkt"}]}))
    inputs["manifest"] = [f"{tmp}/dir"]
    subprocess.run([tool, "split", "-q", f"{tmp}/refs.lrb", k, "-o", f"{tmp}/split"], check=True)
    inputs["per-process"] = ["--laplace", f"{tmp}/split"]
    shutil.copytree(f"{tmp}/split", f"{tmp}/packed")
    subprocess.run(["gzip", "-r", f"{tmp}/packed"], check=True)
    inputs["per-process, compressed"] = ["--laplace", f"{tmp}/packed"]
    for name, args in inputs.items():
        p = run(emu, f"{tmp}/out", "--laplace-window=256", *args)
        check(name, p.returncode == 0, p.stderr)
        # There a reference over two pages is two.
        if p.returncode == 0:
            compare(name, f"{tmp}/out", {301, 302, 303, 305, 317} if "per-process" in name else None, "per-process" not in name)
    with open(f"{tmp}/out/thread.row", encoding="utf-8") as f:
        names = f.read().splitlines()[-3:]
    check("rows", names == ["kernel", "task 77", "task 100"], names)
    with open(f"{tmp}/out/thread.pcf", encoding="utf-8") as f:
        check("labels", re.search(r"^1\s+9f8e7$", f.read(), re.M), "no label 9f8e7")

    # Less of it, but the same totals; with runs of references as one event.
    for refs, gone in ("pages", {300}), ("none", {300, 304, 340}):
        for name in "text", "binary", "interleave", "compressed":
            p = run(emu, f"{tmp}/out", "--laplace-window=256", f"--laplace-refs={refs}", *inputs[name])
            check(refs, p.returncode == 0, p.stderr)
            compare(f"{refs}, {name}", f"{tmp}/out", {k for _, k in SEQUENCES} - gone)
            thread = sequences(f"{tmp}/out/thread.prv")
            gone_now = gone - {304}  # copies are no references
            check(refs, not any(s for (_, kind), s in thread.items() if kind in gone_now), f"types {gone_now} are there")

    # The kernel's references in its own row.
    run(emu, f"{tmp}/out", "--laplace-set=kernel_refs=kernel-thread", *inputs["binary"])
    s = sequences(f"{tmp}/out/thread.prv")
    check("kernel-thread", text_of(s[1, 340]) == "304:4" and text_of(s[2, 301]) == "48:1 512:0 784:1", s[1, 340])

    # The same machine at 3 GHz: three cycles are a nanosecond, rounded down.
    run(emu, f"{tmp}/out", "--laplace-set=freq_hz=3000000000", *inputs["binary"])
    s = sequences(f"{tmp}/out/thread.prv")
    check("3 GHz", text_of(s[2, 302]) == "10:1 170:0 261:1", text_of(s[2, 302]))


def counted(emu, tmp):
    """What is in no mapping is counted each time, also where references come as one event."""
    kernel = write(f"{tmp}/k.lkt", "F 1 5 0\nA 1 5 a1\nm 1 5 8048000 1000\nS 2 5\n")
    refs = write(f"{tmp}/r.lrb", binary("".join(f"r {i + 10:x} 4 a1 {0x8048000 if i % 4 == 0 else 0x9000000 + i // 90 * 4096:x}\n" for i in range(200))))
    for how in "all", "pages", "none":
        p = run(emu, f"{tmp}/out", f"--laplace-refs={how}", "--laplace", refs, "--laplace-kernel", kernel)
        check(how, "LM05: 150 times:" in p.stderr and p.stderr.count("warning: LM05: address ") == 5, p.stderr)
        s = sequences(f"{tmp}/out/thread.prv")
        check(how, value_at(s[2, 310], 1000) == 200 and value_at(s[2, 315], 1000) == 4, f"{s[2, 310]} loads, {s[2, 315]} pages")


def first_touches(emu, tool, tmp):
    """A page is touched first as often in a per-process merge as in the trace that it is made of."""
    kernel = write(f"{tmp}/k.lkt", "F 1 5 0\nA 2 5 a1\nm 3 5 1000 2000\nS 4 5\nC 10 5 1000\nU 20 5 1000 1000\nm 20 5 1000 1000\n"
                   "< 30 5 77 8 1 0 1000\nM 31 5 8000 2000 77 8 1 0 f\n")
    refs = write(f"{tmp}/r.lrt", "r 5 4 a1 1000\nr 11 4 a1 1000\nr 21 4 a1 1000\nr 32 4 a1 8000\nr 33 4 a1 9000\n")
    subprocess.run([tool, "split", "-q", refs, kernel, "-o", f"{tmp}/split of touches"], check=True)
    have = {}
    for name, args in ("trace", ["--laplace", refs, "--laplace-kernel", kernel]), ("merge", ["--laplace", f"{tmp}/split of touches"]):
        p = run(emu, f"{tmp}/out", *args)
        check(name, p.returncode == 0, p.stderr)
        s = sequences(f"{tmp}/out/thread.prv")
        have[name] = text_of(s[2, 304]), value_at(s[2, 318], 1000)
    check("first touches", have["trace"] == have["merge"], have)
    check("first touches", have["trace"][1] == 3, have)


def pipes(emu, tool, tmp):
    """References may come through a pipe when a file tells the tasks."""
    kernel = write(f"{tmp}/kernel.lkt", KERNEL)
    inputs = {"binary": binary(REFS), "text": REFS.encode(), "compressed": gzip.compress(binary(REFS))}
    for name, data in inputs.items():
        p = subprocess.run([emu, "-f", "prv", "-o", f"{tmp}/out", "--laplace-window=256", "--laplace-refs=all", "--laplace", "-", "--laplace-kernel", kernel],
                           input=data, capture_output=True, timeout=60, check=False)
        check(f"{name}, standard input", p.returncode == 0, p.stderr)
        compare(f"{name}, standard input", f"{tmp}/out")
        # Of two CPUs, in whatever order their writers come.
        os.makedirs(f"{tmp}/p", exist_ok=True)
        for i in (0, 1):
            if not os.path.exists(f"{tmp}/p/{i}"):
                os.mkfifo(f"{tmp}/p/{i}")
        write(f"{tmp}/p/laplace.json", json.dumps({"version": 1, "format": "laplace", "cpus": [{"references": "0", "kernel": "../kernel.lkt"}, {"references": "1"}]}))
        with subprocess.Popen([emu, "-f", "prv", "-o", f"{tmp}/out", "--laplace-window=256", "--laplace-refs=all", f"{tmp}/p"], stderr=subprocess.PIPE) as p:
            write(f"{tmp}/p/1", b"")
            write(f"{tmp}/p/0", data)
            err = p.communicate(timeout=60)[1].decode()
        check(f"{name}, pipes", p.returncode == 0, err)
        compare(f"{name}, pipes", f"{tmp}/out", totals=False, cpus=False)
    basic = subprocess.run([tool, "basic", "-q", kernel, write(f"{tmp}/r.lrt", REFS)], stdout=subprocess.PIPE, check=True).stdout
    os.mkfifo(f"{tmp}/b.lbm")
    with subprocess.Popen([emu, "-f", "prv", "-o", f"{tmp}/out", "--laplace", f"{tmp}/b.lbm"], stderr=subprocess.PIPE) as p:
        write(f"{tmp}/b.lbm", basic)
        err = p.communicate(timeout=60)[1].decode()
    check("basic, pipe", p.returncode == 0 and sequences(f"{tmp}/out/thread.prv")[1, 340][-1] == (9, 1), err)
    # How many come is not known; a writer that dies leaves what came.
    p = subprocess.run([emu, "-f", "prv", "-o", f"{tmp}/out", "--laplace", "-", "--laplace-kernel", kernel], input=binary(REFS)[:-5], capture_output=True, timeout=60, check=False)
    err = p.stderr.decode()
    check("a pipe that is cut", p.returncode == 1 and "LR01" in err and "the standard input +0x90" in err and "--laplace-refs=all writes it" in err, err)
    check("a pipe that is cut", value_at(sequences(f"{tmp}/out/thread.prv")[2, 301], 304) == 2, err)
    for args, text in ((["--laplace", "-"], "name a file of events with --laplace-kernel"), (["--laplace-kernel", "/dev/null"], "write it to a file first"),
                       (["--laplace", f"{tmp}/x.lmt"], "write it to a file first"), (["--laplace", "/dev/stdin"], "write the references to a file first")):
        if not os.path.exists(f"{tmp}/x.lmt"):
            os.mkfifo(f"{tmp}/x.lmt")
        p = subprocess.run([emu, "-o", f"{tmp}/out", *args], input=b"r 1 1 1 1\n", capture_output=True, timeout=60, check=False)
        check(f"{args}", p.returncode == 1 and b"error[read]" in p.stderr and text.encode() in p.stderr, p.stderr)
    # A compressed file that was cut: what came, with --lenient.
    cut = write(f"{tmp}/cut.lrb.gz", gzip.compress(binary(REFS))[:-9])
    p = run(emu, f"{tmp}/out", "--laplace", cut, "--laplace-kernel", kernel)
    check("cut", p.returncode == 1 and "error[read]" in p.stderr and "end inside a frame" in p.stderr, p.stderr)
    p = run(emu, f"{tmp}/out", "--lenient", "--laplace", cut, "--laplace-kernel", kernel)
    check("cut, lenient", p.returncode == 0 and p.stderr.count("end inside a frame") == 1, p.stderr)
    # Events in a pipe of references come too late.
    p = subprocess.run([emu, "-o", f"{tmp}/out", "--laplace", "-", "--laplace-kernel", kernel], input=interleave().encode(), capture_output=True, timeout=60, check=False)
    check("events in a pipe", p.returncode == 1 and b"LR02" in p.stderr, p.stderr)


def rows(tmp):
    with open(f"{tmp}/out/thread.row", encoding="utf-8") as f:
        return f.read().splitlines()[4:]


def basic_and_parts(emu, tool, tmp):
    refs = write(f"{tmp}/refs.lrb", binary(REFS))
    kernel = write(f"{tmp}/kernel.lkt", KERNEL)
    with open(f"{tmp}/b.lbm", "wb") as f:
        subprocess.run([tool, "basic", "-q", refs, kernel], stdout=f, check=True)
    p = run(emu, f"{tmp}/out", "--laplace", f"{tmp}/b.lbm")
    s = sequences(f"{tmp}/out/thread.prv") if p.returncode == 0 else {}
    check("basic", p.returncode == 0 and text_of(s[1, 340]) == "0:1 1:2 2:3 4:4 5:1 6:5 7:6 8:4 9:1", p.stderr + str(s.get((1, 340))))
    check("basic", text_of(s.get((1, 301), [])) == "0:1" and not s.get((1, 302)), "mode or space")
    check("basic, rows", rows(tmp) == ["task 1"], rows(tmp))

    # References alone: each space is a task. The kernel alone.
    p = run(emu, f"{tmp}/out", "--laplace", refs)
    s = sequences(f"{tmp}/out/thread.prv") if p.returncode == 0 else {}
    check("references alone", p.returncode == 0 and text_of(s[1, 2]) == "0:1 465:0 752:1" and text_of(s[2, 2]) == "465:2 752:0", p.stderr + str(s.get((1, 2))))
    check("references alone, rows", rows(tmp) == ["space 9f8e7", "space 9f8e8"], rows(tmp))
    # References of the kernel that belong to no task, or shall not: they have the row of the kernel.
    early = write(f"{tmp}/early.lrt", "r 1000 4 9f8e7 c0100000\nr 1010 4 9f8e7 8048000\n")
    for args in ["--laplace", early], ["--laplace-set=kernel_refs=kernel-thread", "--laplace", refs]:
        p = run(emu, f"{tmp}/out", *args)
        s = sequences(f"{tmp}/out/thread.prv") if p.returncode == 0 else {}
        check("kernel row", p.returncode == 0 and rows(tmp)[:2] == ["kernel", "space 9f8e7"] and s.get((1, 340)), p.stderr + str(rows(tmp)))
    p = run(emu, f"{tmp}/out", "--laplace-kernel", kernel)
    s = sequences(f"{tmp}/out/thread.prv") if p.returncode == 0 else {}
    check("kernel alone", p.returncode == 0 and text_of(s[2, 303]) == SEQUENCES[2, 303], p.stderr)
    for name in "empty.lrb", "empty.lrt", "empty.lmt", "empty":
        p = run(emu, f"{tmp}/out", "--laplace", write(f"{tmp}/{name}", ""))
        check("empty", p.returncode == 0, p.stderr)

    # Stamps far apart.
    p = run(emu, f"{tmp}/out", "--laplace", write(f"{tmp}/far.lrt", "r 10 1 1 0\nr 30000000000013 1 1 0\n"))
    s = sequences(f"{tmp}/out/thread.prv") if p.returncode == 0 else {}
    check("far", p.returncode == 0 and (0x30000000000003, 0) in s[1, 300], p.stderr)
    p = run(emu, f"{tmp}/out", "--laplace-set=freq_hz=3000000001", "--laplace", write(f"{tmp}/far.lrt", "r 10 1 1 0\nr 7000000000000015 1 1 0\n"))
    s = sequences(f"{tmp}/out/thread.prv") if p.returncode == 0 else {}
    check("far, 3 GHz", p.returncode == 0 and (0x7000000000000005 * 10**9 // 3000000001, 0) in s[1, 300], p.stderr)
    p = run(emu, f"{tmp}/out", "--laplace", write(f"{tmp}/far.lrt", "r 0 1 1 0\nr ffffffffffffffff 1 1 0\n"))
    check("too far", p.returncode == 1 and "63 bits" in p.stderr, p.stderr)


# code, file, data, line (0: binary), offset, status of strict, and what lenient leaves of references
R1, R2 = "r 1 4 a1 8048000\n", "r 9 4 a1 8048000\n"
BAD = [
    ("LR01", "x.lrb", binary(R1) + b"r12", 0, 18, 1),
    ("LR02", "x.lrb", binary(R1) + b"x" + binary(R2)[1:] + binary(R2), 0, 18, 2),
    ("LR02", "x.lbm", "R 1\nx 2\n", 2, 4, 1),
    ("LR03", "x.lrt", R1 + "r 2 0 a1 0\n" + R2, 2, 17, 2),
    ("LR04", "x.lrt", R1 + "r 2 4 a1 fffffffe\n", 2, 17, 2),
    ("LR05", "x.lrt", R2 + R1, 2, 17, 2),
    ("LT01", "x.lrt", R1 + "r 2 4 a1\n" + R2, 2, 17, 2),
    ("LT02", "x.lrt", R1 + "r 2 4 a1 0x10\n" + R2, 2, 17, 2),
    ("LT03", "x.lrt", R1 + "r 2 004 a1 10\n" + R2, 2, 17, 2),
    ("LT04", "x.lrt", R1 + "rr 2 4 a1 10\n" + R2, 2, 17, 2),
    ("LT05", "x.lrt", R1 + "r" * 9000 + "\n" + R2, 2, 17, 2),
    ("LT05", "x.lrt", R1 + "r 2 4 a1 1\0\n" + R2, 2, 17, 2),
    ("LK01", "x.lkt", "S 1 5\n! 2 5\nT 3 5\n", 2, 6, 0),
    ("LK02", "x.lkt", "S 1 5\nX 2 5 1 2 3\nT 3 5\n", 2, 6, 0),
    ("LK03", "x.lkt", "S 1 5\nm 2 5 1000 0\nT 3 5\n", 2, 6, 0),
    ("LK04", "x.lkt", "S 1 5\ne 2\nT 3 5\n", 3, 10, 0),
    ("LM02", "x.lkt", "S 1 5\nF 2 6 5\nF 3 6 5\n", 3, 14, 0),
    ("LM03", "x.lkt", "S 1 5\nT 2 5\nS 3 5\n", 3, 12, 0),
]
WARN = [
    ("LT06", "x.lrt", R1[:-1], 1),
    ("LM01", "x.lkt", "S 1 5\n", 1),
    ("LM04", "x.lmt", "A 1 5 a1\nm 1 5 8048000 1000\nS 1 5\nr 2 4 a2 8048000\n", 4),
    ("LM05", "x.lmt", "A 1 5 a1\nS 1 5\nr 2 4 a1 8048000\n", 3),
    ("LM06", "x.lkt", "S 1 5\nu 2 a1\n", 2),
]


def bad(emu, tmp):
    for code, name, data, line, offset, left in BAD:
        path = write(f"{tmp}/{name}", data)
        args = ["--laplace-kernel" if name.endswith("lkt") else "--laplace", path]
        p = run(emu, f"{tmp}/out", *args)
        where = f"{name}, line {line}, +0x{offset:x}" if line else f"{name} +0x{offset:x}"
        what = f"{code} in {name}, strict"
        check(what, p.returncode == 1 and f"error[laplace]: {code}: " in p.stderr and where in p.stderr, f"status {p.returncode}, {p.stderr}")
        p = run(emu, f"{tmp}/out", "--lenient", *args)
        what = f"{code} in {name}, lenient"
        check(what, p.returncode == 0 and f"{code}: 1 time:" in p.stderr and where in p.stderr, f"status {p.returncode}, {p.stderr}")
        if p.returncode:
            continue
        s = sequences(f"{tmp}/out/thread.prv")
        loads = sum(v for (_, kind), x in s.items() if kind == 310 for _, v in x[-1:])
        check(what, loads == left, f"{loads} loads are left, not {left}")
        codes = {v for (_, kind), x in s.items() if kind == 399 for _, v in x} - {0, CODES.index("LM01") + 1}
        # Where nothing follows there is nothing to show it with.
        want = set() if code in ("LR01", "LK04") or name == "x.lbm" else {CODES.index(code) + 1}
        check(what, codes == want, f"diagnostics {codes}, not {want}")
    for code, name, data, line in WARN:
        path = write(f"{tmp}/{name}", data)
        p = run(emu, f"{tmp}/out", "--laplace-kernel" if name.endswith("lkt") else "--laplace", path)
        good = p.returncode == 0 and f"warning: {code}: " in p.stderr and re.search(rf"{name}, line {line}\b", p.stderr)
        check(code, good, f"status {p.returncode}, {p.stderr}")


CODES = "LR01 LR02 LR03 LR04 LR05 LT01 LT02 LT03 LT04 LT05 LT06 LK01 LK02 LK03 LK04 LM01 LM02 LM03 LM04 LM05 LM06 LJ01".split()

GOOD = {"version": 1, "format": "laplace", "cpus": [{"references": "r.lrt"}]}
MANIFESTS = [
    ({**GOOD, "version": 2}, "version"), ({**GOOD, "version": "1"}, "version"), ({**GOOD, "format": "lap"}, "format"),
    ({k: v for k, v in GOOD.items() if k != "version"}, "version"), ({k: v for k, v in GOOD.items() if k != "format"}, "format"),
    ({k: v for k, v in GOOD.items() if k != "cpus"}, "cpus"), ({**GOOD, "cpus": []}, "cpus"), ({**GOOD, "cpus": {}}, "cpus"),
    ({**GOOD, "cpus": [3]}, "cpus"), ({**GOOD, "cpus": [{}]}, "cpus"), ({**GOOD, "cpus": GOOD["cpus"] + [{}]}, "cpus"), ({**GOOD, "cpus": GOOD["cpus"] * 5000}, "cpus"),
    ({**GOOD, "cpus": [{"references": 3}]}, "references"), ({**GOOD, "cpus": [{"kernel": ""}]}, "kernel"),
    ({**GOOD, "freq_hz": 0}, "freq_hz"), ({**GOOD, "freq_hz": -1}, "freq_hz"), ({**GOOD, "freq_hz": 1.5}, "freq_hz"),
    ({**GOOD, "freq_hz": "1000"}, "freq_hz"), ({**GOOD, "freq_hz": 1e300}, "freq_hz"), ({**GOOD, "endian": "middle"}, "endian"),
    ({**GOOD, "endian": None}, "endian"), ({**GOOD, "dialect": "klingon"}, "dialect"), ({**GOOD, "page_size": 8192}, "page_size"),
    ({**GOOD, "kernel_base": 3221225472}, "kernel_base"), ({**GOOD, "kernel_base": "0xc0000000"}, "kernel_base"),
    ({**GOOD, "kernel_base": "100000000"}, "kernel_base"), ({**GOOD, "kernel_refs": "all"}, "kernel_refs"),
    ({**GOOD, "offset_unit": []}, "offset_unit"), ({**GOOD, "name": ""}, "name"), ({**GOOD, "name": 3}, "name"),
]


def unknown_tags(emu, tmp):
    """They are punctual events of their tag, in the row of who runs."""
    kernel = write(f"{tmp}/k.lkt", "q 0 1\nF 5 9 0\nS 6 9\nq 10 a b\n^ 20\n")
    p = run(emu, f"{tmp}/out", "--laplace-kernel", kernel)
    check("unknown tags", p.returncode == 0 and p.stderr.count("the tag 'q' is not known") == 1 and "tag q: 2 times" in p.stderr, p.stderr)
    s = sequences(f"{tmp}/out/thread.prv")
    check("unknown tags", s[1, 303] == [(0, 369), (0, 0), (4, 2), (5, 0)] and text_of(s[2, 303]) == "5:1 6:0 15:369 16:0 31:350 32:0", f"{s[1, 303]} {s[2, 303]}")
    with open(f"{tmp}/out/thread.pcf", encoding="utf-8") as f:
        check("unknown tags", re.search(r"^369\s+Tag q$", f.read(), re.M), "no label")
    for args in ["--laplace-set=unknown_tags=refuse"], ["--laplace-set=unknown_tags=refuse", "--lenient"]:
        p = run(emu, f"{tmp}/out", "--laplace-kernel", kernel, *args)
        check("refused", p.returncode == (len(args) == 1) and "LK01" in p.stderr and "tag q" not in p.stderr, p.stderr)


def manifests(emu, tmp):
    os.makedirs(f"{tmp}/m", exist_ok=True)
    write(f"{tmp}/m/r.lrt", R1)
    for manifest, key in MANIFESTS:
        write(f"{tmp}/m/laplace.json", json.dumps(manifest))
        for lenient in [], ["--lenient"]:
            p = run(emu, f"{tmp}/out", *lenient, f"{tmp}/m")
            check(f"manifest {manifest}", p.returncode == 1 and f'LJ01: the key "{key}"' in p.stderr, f"status {p.returncode}, {p.stderr}")
    write(f"{tmp}/m/laplace.json", json.dumps({**GOOD, "colour": "red"}))
    p = run(emu, f"{tmp}/out", f"{tmp}/m")
    check("unknown key", p.returncode == 0 and '"colour"' in p.stderr, p.stderr)
    for args, status in ((["--laplace", f"{tmp}/none"], 1), (["--laplace", f"{tmp}/m"], 1), (["--laplace", f"{tmp}/m/r.lrt", f"{tmp}/m"], 2),
                         (["--laplace-refs=some", f"{tmp}/m"], 2), (["--laplace-window=0", f"{tmp}/m"], 2), (["--laplace-set=x", f"{tmp}/m"], 2),
                         (["--laplace-set=x=1", f"{tmp}/m"], 2), (["--laplace-set=endian=x", f"{tmp}/m"], 2), (["--laplace", "/dev/null"], 1), (["--compat", f"{tmp}/m"], 2),
                         (["--laplace", write(f"{tmp}/odd", "what is this?\nno trace\n")], 1)):
        p = run(emu, f"{tmp}/out", *args)
        check(f"{args}", p.returncode == status and "error[" in p.stderr, f"status {p.returncode}, {p.stderr}")


def documents(emu, tmp):
    """What doc/laplace.md says of its example, and the machine of the demo."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(f"{root}/doc/laplace.md", encoding="utf-8") as f:
        page = f.read()
    for name, text in re.findall(r"<!-- test: (\S+) -->\n```text\n(.*?)```", page, re.S):
        write(f"{tmp}/{name}", text)
    p = run(emu, f"{tmp}/out", "--laplace-window=256", "--laplace", f"{tmp}/refs.lrt", "--laplace-kernel", f"{tmp}/kernel.lkt")
    s = sequences(f"{tmp}/out/thread.prv") if p.returncode == 0 else {}
    check("doc/laplace.md", p.returncode == 0 and text_of(s[2, 304]).startswith("15:1 16:0 ") and (263, 6) in s[2, 304], p.stderr)
    check("doc/laplace.md", [v for _, v in s.get((3, 304), []) if v] == [5], "copies of task 11")
    check("doc/laplace.md", value_at(s.get((3, 315), []), 768) == 2, "working set of task 11")

    subprocess.run([sys.executable, f"{root}/doc/examples/laplace_machine.py", f"{tmp}/machine"], check=True)
    p = run(emu, f"{tmp}/out", "-q", "--laplace-window=10000", f"{tmp}/machine")
    check("machine", p.returncode == 0 and not p.stderr, p.stderr)
    cpu = sequences(f"{tmp}/out/cpu.prv")
    check("machine", cpu[1, 331][-1][1] == 2 and max(v for _, v in cpu[1, 331]) == 3, f"tasks {cpu[1, 331]}")


def main():
    emu, tool = sys.argv[1:]
    for test in (lambda t: example(emu, tool, t), lambda t: basic_and_parts(emu, tool, t), lambda t: counted(emu, t), lambda t: first_touches(emu, tool, t), lambda t: pipes(emu, tool, t), lambda t: bad(emu, t), lambda t: documents(emu, t), lambda t: manifests(emu, t), lambda t: unknown_tags(emu, t)):
        with tempfile.TemporaryDirectory() as tmp:
            test(tmp)
    return worked.finish()


if __name__ == "__main__":
    sys.exit(main())
