#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tools of users in front of all that reads Laplace traces: what they change is as if the files had been so, what they may not
stops the run with tool, file and place.

usage: hooks.py OVNISCOPE_LAPLACE OVNIEMU SOURCE_ROOT PROBE COUNT RANGE
"""
import os
import random
import subprocess
import sys
import tempfile

import worked
from worked import KERNEL, REFS, binary, finish, write

TOOL, EMU, ROOT, PROBE, COUNT, RANGE = [os.path.abspath(p) for p in sys.argv[1:7]]
SEED = int(os.environ.get("SEED", "1"))


def check(what, have, want):
    worked.check(have == want, f"{what}: {have!r}, not {want!r}")


def read(path):
    return worked.read(path).decode()


def run(*args, status=0):
    r = subprocess.run(args, capture_output=True, timeout=120, check=False)
    check(f"status of {args}: {r.stderr}", r.returncode, status)
    return r.stdout, r.stderr.decode()


def changed(text):
    """What the probe makes of a file with change."""
    lines = []
    for line in text.splitlines():
        f = line.split(" ")
        f[1] = f"{int(f[1], 16) | 7:x}"
        if f[0] in "rwi":
            addr = int(f[4], 16) ^ (0x1000 if f[0] == "w" else 0)
            f[4] = f"{addr:x}"
            keep = (addr >> 2) % 3 != 0
        else:
            if f[0] == "M":
                f[5] = f"{int(f[5], 16) ^ 1:x}"
                f[9] = "new-" + f[9]
            keep = f[0] not in "Cq"
        if keep:
            lines.append(" ".join(f) + "\n")
    return "".join(lines)


def make(rng):
    """References, and events of the kernel with tags that are not known among them."""
    refs, events, ts = [], ["F 0 1 0\n", "A 0 1 a\n", "F 1 2 1\n", "A 1 2 b\n"], 2
    for _ in range(rng.randrange(1, 200)):
        ts += rng.randrange(20)
        refs.append(f"{rng.choice('rwi')} {ts:x} {rng.choice('1248')} {rng.choice('ab')} {rng.randrange(0x1000, 0x40000) * 4:x}\n")
        if rng.randrange(3) == 0:
            events.append(rng.choice([f"S {ts:x} 1", f"S {ts:x} 2", f"m {ts:x} 1 1000 4000", f"M {ts:x} 2 8000 9000 {rng.randrange(9):x} 8 1 0 f x",
                                      f"q {ts:x} any thing", f"y {ts:x}", f"C {ts:x} 2 1000"]) + "\n")
    return "".join(refs), "".join(events)


def outputs(where, refs, events, *options):
    """All that tools make of two files."""
    rb = f"{where}/refs.lrb"
    write(rb, binary(refs))
    write(f"{where}/refs.lrt", refs)
    write(f"{where}/k.lkt", events)
    made = [run(TOOL, "text", *options, rb)[0], run(TOOL, "binary", *options, f"{where}/refs.lrt")[0]]
    for command in ["merge", "basic", "stat"]:
        made.append(run(TOOL, command, "--lenient", "-q", *options, rb, f"{where}/k.lkt")[0])
    # Of a binary file without tools, references are taken many at once.
    for how, name in [("all", "refs.lrb"), ("none", "refs.lrt")]:
        run(EMU, "-q", "-f", "prv", "--lenient", f"--laplace-refs={how}", *options, "-o", f"{where}/o", "--laplace", f"{where}/{name}",
            "--laplace-kernel", f"{where}/k.lkt")
        made += [read(f"{where}/o/{name}.{kind}") for name in ["thread", "cpu"] for kind in ["prv", "row"]]
    return made


def test_twin(where):
    rng = random.Random(SEED)
    for i in range(3):
        refs, events = make(rng)
        want = outputs(where, changed(refs), changed(events))
        have = outputs(where, refs, events, "--laplace-hooks", f"{PROBE} change")
        for k, (a, b) in enumerate(zip(have, want)):
            check(f"filtered {i}, output {k}", a, b)
        same = outputs(where, refs, events)
        for k, (a, b) in enumerate(zip(outputs(where, refs, events, "--laplace-hooks", PROBE), same)):
            check(f"not filtered {i}, output {k}", a, b)


def test_log(where):
    """Places and order, begin and finish."""
    write(f"{where}/refs.lrb", binary(REFS))
    write(f"{where}/k.lkt", KERNEL)
    log = f"{where}/log"
    hooks = f"{PROBE} log={log} loud=yes"
    run(TOOL, "merge", "--laplace-hooks", hooks, f"{where}/refs.lrb", f"{where}/k.lkt")
    lines = read(log).splitlines()
    check("begin and end", (lines[0], lines[-1], lines.count("finish")), ("begin loud", "finish", 1))
    for name, text in [("refs.lrb", REFS), ("k.lkt", KERNEL)]:
        mine = [line.split()[1:] for line in lines if line.startswith(f"{where}/{name}")]
        check(f"records of {name}", len(mine), len(text.splitlines()))
    check("a line", [line for line in lines if line.startswith(f"{where}/k.lkt:1 ")], [f"{where}/k.lkt:1 {' '.join(KERNEL.split()[:2])}"])
    os.unlink(log)
    run(EMU, "-q", "-f", "prv", "--laplace-hooks", hooks, "-o", f"{where}/o", "--laplace", f"{where}/refs.lrb", "--laplace-kernel", f"{where}/k.lkt")
    check("passes", [line for line in read(log).splitlines() if line.split()[0] in ("begin", "finish")], ["begin ahead loud", "finish", "begin loud", "finish"])


def test_names(where):
    """A name that the tool gave stays while a record of another file is read."""
    names = {"a": "one", "b": "another"}
    for file, name in names.items():
        write(f"{where}/{file}.lkt", f"F 1 1 0\nM 10 1 1000 1000 7 8 1 0 {name}\n")
    out = run(TOOL, "merge", "-q", "--laplace-hooks", f"{PROBE} change", f"{where}/a.lkt", f"{where}/b.lkt")[0].decode()
    check("names", [line.split()[-1] for line in out.splitlines() if line[0] == "M"], [f"new-{name}" for name in names.values()])


def test_bad(where):
    refs, kernel = f"{where}/refs.lrb", f"{where}/k.lkt"
    write(refs, binary("r 10 4 a 1000\nr 20 4 a 2000\nw 30 4 a 3000\n"))
    write(kernel, "F 1 1 0\nM 10 1 1000 1000 7 8 1 0 f\nq 20 any\n")
    cases = [
        ("bad=back at=2", "goes back in time: from 30 to 0, below 20 before it", refs, "+0x24"),
        ("bad=kind at=1", "its kind is none of r w i R W I", refs, "+0x12"),
        ("bad=empty at=1", "is empty, or goes beyond ffffffff", refs, "+0x12"),
        ("bad=wrap at=0", "is empty, or goes beyond ffffffff", refs, "+0x0"),
        ("bad=type at=0", "becomes another kind of record", refs, "+0x0"),
        ("bad=argument at=1", "it asks for arguments, which only begin may", refs, "+0x12"),
        ("bad=stop at=1", "it stops the run: filter_ref returned -3", refs, "+0x12"),
        ("bad=return at=1", "filter_ref returned 2", refs, "+0x12"),
        ("bad=fail at=2", "it does not like w", refs, "+0x24"),
        ("bad=tag at=1", "becomes another kind of record", kernel, "line 2"),
        ("bad=code at=2", "becomes another kind of record", kernel, "line 3"),
        ("bad=range at=1", "a range is empty or wraps", kernel, "line 2"),
        ("bad=digits at=0", "a field has too many digits", kernel, "line 1"),
        ("bad=name at=1", "no part of a line", kernel, "line 2"),
        ("bad=name at=2", "its line is none of its tag", kernel, "line 3"),
        ("bad=begin", "it stops the run: begin returned -7", refs, PROBE),
        ("bad=finish", "it stops the run: finish returned -9", refs, PROBE),
        ("colour=red", "colour", refs, PROBE),
        ("at=x", "needs a number", refs, PROBE),
        ("loud=maybe", "loud", refs, PROBE),
        ("log=/nowhere/x", "/nowhere/x cannot be written", refs, PROBE),
    ]
    for arguments, text, path, place in cases:
        option = ["--laplace-hooks", f"{PROBE} {arguments}"]
        source = "--laplace" if path == refs else "--laplace-kernel"
        for command in [[TOOL, "merge", *option, path], [TOOL, "stat", *option, "--lenient", path],
                        [EMU, "-q", "-f", "prv", *option, "-o", f"{where}/o", source, path]]:
            err = run(*command, status=1)[1]
            good = "error[hooks]" in err and "probe" in err and text in err and place in err and err.count("error") == 1
            check(f"{command[:2]} {arguments}: {err}", good, True)
    for what, status, n in [("fail", 1, 0), ("stop", 1, 0), ("none", 0, 1)]:
        run(TOOL, "text", "--laplace-hooks", f"{PROBE} bad={what} at=1 log={where}/stopped-{what}", refs, status=status)
        check(f"finish behind {what}", read(f"{where}/stopped-{what}").count("finish"), n)
    check("no output", os.path.exists(f"{where}/out"), False)
    for text, status, want in [("", 2, "--laplace-hooks"), ("/nowhere.so", 1, "cannot be loaded"), (f"{PROBE} 'a", 2, "--laplace-hooks")]:
        for command in [[TOOL, "text"], [EMU, "--laplace"]]:
            check(f"{text}", want in run(*command, refs, "--laplace-hooks", text, status=status)[1], True)
    twice = ["--laplace-hooks", PROBE, "--laplace-hooks", PROBE]
    check("twice", "given twice" in run(TOOL, "text", *twice, refs, status=1)[1], True)


def test_examples(where):
    write(f"{where}/refs.lrb", binary("r 10 4 a 1000\nw 20 4 a 2000\nr 30 4 b 2004\n"))
    count = run(TOOL, "text", "-q", "--laplace-hooks", COUNT, f"{where}/refs.lrb")
    check("count", (count[0], count[1]), (b"r 10 4 a 1000\nw 20 4 a 2000\nr 30 4 b 2004\n", "references r 2\nreferences w 1\n"))
    kept = run(TOOL, "text", "-q", "--laplace-hooks", f"{RANGE} from=0x2000 space=0xb", f"{where}/refs.lrb")
    check("range", (kept[0], kept[1]), (b"r 30 4 b 2004\n", "laplace_range: 1 references kept, 2 dropped\n"))
    both = run(TOOL, "text", "-q", "--laplace-hooks", f"{RANGE} from=0x2000", "--laplace-hooks", COUNT, f"{where}/refs.lrb")
    check("in order", "references r 1\nreferences w 1\n" in both[1], True)
    check("no address", "from='zz' is no address" in run(TOOL, "text", "--laplace-hooks", f"{RANGE} from=zz", f"{where}/refs.lrb", status=1)[1], True)
    alone = run(TOOL, "text", "-q", "--laplace-hooks", f"{PROBE} bad=alone at=0 log={where}/alone", f"{where}/refs.lrb")
    check("left alone", (alone[0].count(b"\n"), len(read(f"{where}/alone").splitlines())), (3, 2))


def test_document(where):
    """The listing of doc/laplace.md is a tool that does what is said of it."""
    listing = read(f"{ROOT}/doc/laplace.md").split("```c\n")[1].split("```")[0]
    write(f"{where}/elsewhere.c", listing)
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-shared", "-fPIC", f"-I{ROOT}/src/lib/laplace", "-o", f"{where}/elsewhere.so",
        f"{where}/elsewhere.c")
    write(f"{where}/refs.lrb", binary("r 10 4 a 8001000\nw 20 4 a 2000\n"))
    out = run(TOOL, "text", "--laplace-hooks", f"{where}/elsewhere.so by=4K", f"{where}/refs.lrb")
    check("listing", out, (b"r 10 4 a 8002000\nw 20 4 a 2000\n", ""))


with tempfile.TemporaryDirectory() as base:
    for test in [test_twin, test_log, test_names, test_bad, test_examples, test_document]:
        os.mkdir(f"{base}/{test.__name__}")
        test(f"{base}/{test.__name__}")
sys.exit(finish())
