#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Machines with several CPUs: a worked example whose timelines are known, in all forms, and what
a manifest of several may not say.

usage: cpus.py OVNIEMU OVNISCOPE-LAPLACE USCOPE OVNIDUMP
"""
import filecmp
import json
import os
import subprocess
import sys
import tempfile

from worked import binary, check, finish, interleave, read, sequences, text_of, value_at, write

EMU, TOOL, USCOPE, DUMP = (os.path.abspath(x) for x in sys.argv[1:5])

# Task 10 runs on CPU 0, then on CPU 1; task 11 on CPU 1, which CPU 0 takes it from while it runs.
# Both CPUs have a reference at 1030.
KERNELS = ["""\
F 1000 10 0
A 1000 10 a1
m 1000 10 8048000 2000
F 1004 11 10
A 1008 11 a2
m 1008 11 8048000 1000
S 1010 10
S 1100 0
S 1140 11
T 1180 11
""", """\
S 1020 11
< 1120 11 5 8 1 0 3000
S 1200 10
e 1210
"""]
REFS = ["""\
w 1030 4 a1 8048000
r 1110 4 a1 c0100000
r 1150 4 a2 8048000
""", """\
r 1030 4 a2 8048000
i 1130 2 a2 c0100004
i 1160 2 a2 c0100008
w 1204 4 a1 8049000
"""]
# (row, type): time:value. Pages: 1 and 2 of the tasks at 1030, 3 of the kernel, 4 to 6 of the
# file, 7 at 1204.
THREADS = {
    (1, 301): "272:2",
    (1, 319): "512:2 528:0",
    (1, 340): "272:3",
    (2, 4): "0:2 16:1 256:2 512:1",
    (2, 6): "0:1 512:2",
    (2, 302): "16:1 256:0 512:1",
    (2, 319): "256:1 512:0 528:1",
    (2, 340): "48:1 256:0 512:1 516:7",
    (3, 4): "4:2 32:1 384:3",
    (3, 6): "4:1 32:2 320:1 384:0",
    (3, 302): "32:2 384:0",
    (3, 303): "7:5 8:0 8:8 8:0 31:1 32:0 287:17 288:0 319:1 320:0 383:4 384:0",
    (3, 305): "288:6 336:0",
    (3, 315): "256:1 512:2 528:0",
    (3, 316): "256:1 512:2",
    (3, 320): "512:12288 528:0",
    (3, 340): "48:2 304:3 336:2 384:0",
}
CPUS = {
    (1, 2): "16:16 256:0 320:17 384:0",
    (2, 2): "32:17 320:0 512:16",
    (1, 301): "48:1 256:0 320:2 336:1 384:0",
    (2, 301): "48:1 304:2 320:0 512:1",
    (1, 302): "16:1 256:0 320:2 384:0",
    (2, 302): "32:2 320:0 512:1",
    (1, 304): "47:1 48:0",
    (2, 304): "47:1 48:0 515:1 516:0",
    (1, 305): "320:6 336:0",
    (2, 305): "288:6 320:0",
    (1, 315): "256:1 512:2 528:0",
    (2, 315): "256:1",
    (1, 316): "256:1 512:3",
    (2, 316): "256:1 512:2 528:3",
    (1, 318): "256:1 528:0",
    (2, 318): "256:1 512:0 528:1",
    (1, 319): "256:1 512:2 528:0",
    (2, 319): "256:1 512:2 528:1",
    (2, 320): "512:12288 528:0",
    (1, 330): "256:1 512:2 528:0",
    (2, 330): "256:1 512:0 528:1",
    (1, 331): "0:1 4:2 384:1",
    (2, 331): "0:1 4:2 384:1",
    (1, 332): "0:1 8:2",
    (2, 332): "0:1 8:2",
    (1, 340): "48:1 256:0 320:3 336:2 384:0",
    (2, 340): "48:2 304:3 320:0 512:1 516:7",
}


def manifest(path, cpus, **more):
    os.makedirs(path, exist_ok=True)
    write(f"{path}/laplace.json", json.dumps({"version": 1, "format": "laplace", "cpus": cpus, **more}))
    return path


def run(*args, status=0):
    p = subprocess.run(args, capture_output=True, timeout=60, check=False)
    err = p.stderr.decode(errors="replace")
    check(p.returncode == status, args, "status", p.returncode, "not", status, err)
    return p.stdout.decode(errors="replace"), err


def emulate(path, *args, status=0, out="out"):
    return run(EMU, "-o", out, "--laplace-window=256", *args, path, status=status)[1]


def compare(what, out="out", without=()):
    for name, want in (("thread", THREADS), ("cpu", CPUS)):
        have = sequences(f"{out}/{name}.prv")
        for key, text in want.items():
            if key[1] not in without:
                check(text_of(have.get(key, [])) == text, what, name, key, "is", text_of(have.get(key, [])), "not", text)


def example():
    for i in (0, 1):
        write(f"k{i}.lkt", KERNELS[i])
        write(f"r{i}.lrt", REFS[i])
        write(f"r{i}.lrb", binary(REFS[i]))
        write(f"m{i}.lmt", interleave(KERNELS[i], REFS[i]))
    both = {
        "text": [{"references": f"../r{i}.lrt", "kernel": f"../k{i}.lkt"} for i in (0, 1)],
        "binary": [{"references": f"../r{i}.lrb", "kernel": f"../k{i}.lkt"} for i in (0, 1)],
        "interleave": [{"references": f"../m{i}.lmt"} for i in (0, 1)],
        "mixed": [{"references": "../r0.lrb", "kernel": "../k0.lkt"}, {"references": "../m1.lmt"}],
    }
    for name, cpus in both.items():
        err = emulate(manifest(name, cpus))
        check("warning" not in err, name, err)
        # An interleave that begins with an event counts as a kernel: its page at 1030 is the first.
        turned = (340,) if name == "mixed" else ()
        compare(name, without=turned)
        run(USCOPE, "timeline", "--prv", "back", "out/ovni.uscp")
        for x in "thread.prv", "cpu.prv", "cpu.row", "thread.row":
            check(filecmp.cmp(f"out/{x}", f"back/{x}", shallow=False), name, x, "of ovni.uscp is another")
        emulate(name, "-f", "prv", "--laplace-refs=none", out="none")
        compare(f"{name}, no references", "none", (300, 304, 340))
    rows = read("out/cpu.row").decode().splitlines()
    check(rows[-3:] == [" CPU 0.0", " CPU 0.1", "vCPU 0.*"], "rows", rows)
    text = run(DUMP, "text")[0]
    events = [x.split()[:2] for x in text.splitlines()]
    check(len(events) == sum(x.count("\n") for x in KERNELS + REFS) + 1 and events[-1] == ["528", "LW."], "ovnidump", text)
    check([x[1] for x in events if x[0] == "48"] == ["LRw", "LRr"], "what has one time is by CPU", text)

    # The order of the entries is that of the rows, and of what has one time.
    emulate(manifest("turned", both["text"][::-1]))
    have = sequences("out/cpu.prv")
    check(text_of(have[2, 2]) == CPUS[1, 2] and text_of(have[1, 2]) == CPUS[2, 2], "entries turned round", have[1, 2], have[2, 2])
    check((48, 2) in have[2, 340] and (48, 1) in have[1, 340], "pages, entries turned round", have[1, 340], have[2, 340])


def parts():
    """An entry without references or without a kernel, no kernel at all."""
    emulate(manifest("half", [{"kernel": "../k0.lkt"}, {"references": "../r1.lrt", "kernel": "../k1.lkt"}]))
    have = sequences("out/cpu.prv")
    check(text_of(have[1, 2]) == CPUS[1, 2] and not have[1, 319], "a CPU without references", have[1, 319])
    check(text_of(have[2, 319]) == CPUS[2, 319], "the other one", have[2, 319])
    # Nobody tells what runs there: its references belong to the row of the kernel.
    emulate(manifest("blind", [{"references": "../r1.lrt"}, {"references": "../r0.lrt", "kernel": "../k0.lkt"}]))
    have = sequences("out/cpu.prv")
    check(not have[1, 2] and text_of(have[1, 319]) == "256:1 512:2 516:1", "a CPU without a kernel", have[1, 319])
    check(value_at(sequences("out/thread.prv")[1, 319], 256) == 1, "the references of a CPU without a kernel")
    # A space is a task, and runs where it was referenced last.
    write("b0.lrt", "r 0 4 a1 1000\nr 10 4 a1 1000\nr 20 4 a2 1000\n")
    write("b1.lrt", "r 8 4 a1 2000\nr 20 4 a3 1000\n")
    emulate(manifest("bare", [{"references": "../b0.lrt"}, {"references": "../b1.lrt"}]))
    thread, cpu = sequences("out/thread.prv"), sequences("out/cpu.prv")
    check(text_of(cpu[1, 2]) == "0:1 8:0 16:1 32:2" and text_of(cpu[2, 2]) == "8:1 16:0 32:3", "spaces as tasks", cpu[1, 2], cpu[2, 2])
    check(text_of(thread[1, 6]) == "0:1 8:2 16:1", "the CPUs of a space", thread[1, 6])
    # The same reference of the kernel is of a task on one CPU, and of none on the other, which runs nothing yet.
    write("b0.lrt", "r 0 4 a1 1000\nr 8 4 a1 c0100000\n")
    write("b1.lrt", "r 10 4 a1 c0100000\n")
    emulate(manifest("none", [{"references": "../b0.lrt"}, {"references": "../b1.lrt"}]))
    names = read("out/thread.row").decode().splitlines()[4:]
    check(names == ["kernel", "space a1"], "a CPU that runs nothing", names)
    # It comes back to where it was last: no switch of that CPU.
    check(value_at(cpu[1, 330], 32) == 2 and value_at(cpu[2, 330], 32) == 2, "switches", cpu[1, 330], cpu[2, 330])
    # The same pages by two CPUs: a first touch is one, a working set of each.
    check(value_at(cpu[1, 318], 32) == 2 and value_at(cpu[2, 318], 32) == 2 and value_at(cpu[1, 316], 32) == 2, "pages", cpu[1, 318], cpu[2, 318])


def merged():
    """Merges by process tell their pages, and whether a page was touched before is known of all."""
    for i, text in enumerate(("F 1 10 0\nA 1 10 a1\nm 1 10 8048000 2000\nS 2 10\nr 3 4 8048 7\nr 5 4 8049 8\n", "r 4 4 8048 7\nr 6 4 8050 9\n")):
        os.makedirs(f"p{i}/a1.1", exist_ok=True)
        write(f"p{i}/a1.1/{10 + i}.txt", text)
    emulate(manifest("process", [{"references": "../p0"}, {"references": "../p1"}]), "--lenient")
    cpu = sequences("out/cpu.prv")
    check(value_at(cpu[1, 318], 5) == 2 and value_at(cpu[2, 318], 5) == 1, "first touches of a merge", cpu[1, 318], cpu[2, 318])
    check(value_at(cpu[1, 316], 5) == 2 and value_at(cpu[2, 316], 5) == 2, "footprints of a merge", cpu[1, 316], cpu[2, 316])


def tool():
    """ovniscope-laplace --cpus"""
    files = ["r0.lrt", "k0.lkt", "r1.lrb", "m1.lmt"]
    write("m1.lmt", KERNELS[1])
    run(TOOL, "uscope", "-q", "--cpus=0,0,1,1", *files, "-o", "t.uscp")
    shown = {}
    switches = []
    for x in map(json.loads, run(USCOPE, "dump", "t.uscp")[0].splitlines()):
        if x.get("storage") == "cpu" and x["field"] in ("pid", "mode"):
            shown.setdefault((x["slot"], x["field"]), []).append((x["time_ps"] // 1000, x["value"]))
        if x.get("event") == "switch":
            switches.append((x["time_ps"] // 1000, *x["fields"].values()))
    check(text_of(shown[0, "pid"]) == CPUS[1, 2] and text_of(shown[1, "pid"]) == CPUS[2, 2], "pids of the table cpu", shown)
    check(text_of(shown[1, "mode"]) == "48:user 304:kernel 320:0 512:user", "modes of the table cpu", shown[1, "mode"])
    check(switches == [(16, 0, 16), (32, 0, 17), (256, 16, 0), (320, 17, 0), (320, 0, 17), (384, 17, 0), (512, 0, 16)], "switches", switches)
    info = run(USCOPE, "info", "t.uscp")[0]
    check("storage cpu: dense, 2 slots of 10 bytes" in info, "slots", info)
    # Who ran decides where a reference goes.
    run(TOOL, "split", "-q", "--cpus", "0,0,1,1", *files, "-o", "split")
    check(read("split/a2.1/11.txt").decode().count("\n") == 8, "split", read("split/a2.1/11.txt"))
    check(read("split/kernel.txt") == b"F 1000 10 0\nS 1100 0\nr 1110 4 c0100 3\ni 1130 2 c0100 3\ni 1160 2 c0100 3\n", "split", read("split/kernel.txt"))
    check("LM04" not in run(TOOL, "basic", "--cpus=0,0,1,1", *files)[1], "basic warns of spaces")
    check("LM04" in run(TOOL, "basic", *files)[1], "as one CPU the spaces do not fit")
    for text in "0,0,1", "0,0,1,1,1", "0,0,1,x", "0,0,,1", "", "0,0,1,4096", "-1,0,0,0", "0,0,1,1 ":
        check("--cpus" in run(TOOL, "stat", f"--cpus={text}", *files, status=2)[1], "--cpus", text)


def wrong():
    for cpus, text in (([{"references": "../r0.lrt"}] * 2, "CPU 1 names the file that CPU 0 has"),
                       ([{"references": "../r0.lrt"}, {"references": "../r1.lrt", "kernel": "../r0.lrt"}], "CPU 1 names the file that CPU 0 has"),
                       ([{"references": "../r0.lrt"}, {}], '"kernel", or both, of CPU 1'),
                       ([{"references": "../r0.lrt"}, 3], "list of objects"),
                       ([{"references": f"../{i}"} for i in range(4097)], "has 4097 CPUs")):
        err = emulate(manifest("wrong", cpus), status=1)
        check("error[laplace]: LJ01: " in err and text in err, "manifest", text, err)
    write("b.lbm", "R 1\n")
    err = emulate(manifest("basic", [{"references": "../b.lbm"}, {"references": "../r1.lrt"}]), status=1)
    check("a basic merge has no timestamps" in err, "a basic merge of two CPUs", err)
    err = emulate(manifest("none", [{"references": "../r0.lrt"}, {"references": "none"}]), status=1)
    check("error[read]" in err and "none" in err, "a file that is not there", err)
    # A message names the file; the diagnostic is in the row of the CPU.
    write("bad.lrt", "r 1030 4 a2 8048000\nr 1031 0 a2 8048000\nr 1032 4 a2 8048000\n")
    cpus = [{"references": "../r0.lrt", "kernel": "../k0.lkt"}, {"references": "../bad.lrt", "kernel": "../k1.lkt"}]
    err = emulate(manifest("bad", cpus), status=1)
    check("LR03" in err and "bad.lrt, line 2, +0x14" in err, "place", err)
    emulate("bad", "--lenient")
    cpu = sequences("out/cpu.prv")
    check(not cpu[1, 399] and text_of(cpu[2, 399]) == "49:3 50:0", "diagnostics", cpu[1, 399], cpu[2, 399])


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        for part in (example, parts, merged, tool, wrong):
            part()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
