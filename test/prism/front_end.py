#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/examples/prism_trace.c: a program that traces itself, into a file and live.

usage: front_end.py TRACED OVNISCOPE_PRISM OVNIEMU
"""
import collections
import os
import re
import struct
import subprocess
import sys
import tempfile

TRACED, TOOL, OVNIEMU = (os.path.abspath(a) for a in sys.argv[1:4])
FIB = {4: 9, 5: 15}  # calls


def expect(what, good):
    if not good:
        sys.exit(f"not so: {what}")


def run(*words, status=0, out=None, **more):
    env = {k: v for k, v in os.environ.items() if k != "PRISM_OUT"}
    if out:
        env["PRISM_OUT"] = out
    p = subprocess.run(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, stdout=subprocess.PIPE, check=False, timeout=100, env=env, **more)
    expect(f"{words} ends with {status}, not {p.returncode}: {p.stderr.decode()}", p.returncode == status)
    return p.stdout, p.stderr.decode()


def check_events(text, times):
    """Threads enter and leave functions, each in its own order. Returns the number of events."""
    stacks = collections.defaultdict(list)
    calls = collections.Counter()
    thread = 0
    lines = text.splitlines()[1:]
    expect("the stream tells its levels of detail, and ends", lines[:2] == ["config mem 0x0", "config comp 0x0"] and lines[-1] == "end")
    for line in lines[2:-1]:
        swap = re.fullmatch(r"sync swap (\d+)", line)
        if swap:
            expect(f"{line} is another thread", int(swap.group(1)) != thread)
            thread = int(swap.group(1))
            continue
        kind, name = re.fullmatch(r'cxt function-(enter|exit) "([\w+]+)"', line).groups()
        name = re.sub(r"^prism_traced\+0x[0-9a-f]+$", "a static one", name)
        if kind == "enter":
            calls[(thread, name)] += 1
            stacks[thread].append(name)
        else:
            expect(f"{line} leaves {stacks[thread]}", stacks[thread] and stacks[thread].pop() == name)
    expect("all functions are left", not any(stacks.values()))
    want = {(1, "main"): 1, (1, "fib"): times * FIB[4]}
    for i in range(times):
        want.update({(2 + i, "worker"): 1, (2 + i, "fib"): FIB[5], (2 + i, "a static one"): 1})
    expect(f"{dict(calls)} == {want}", calls == want)
    return len(lines)


def files():
    for times in (1, 200):
        run(TRACED, str(times), out="dir/run.prism")
        n = check_events(run(TOOL, "dump", "dir/run.json")[0].decode(), times)
        with open("dir/run.times", "rb") as f:
            stamps = [x for (x,) in struct.iter_unpack("<Q", f.read())]
        expect("each event has a time, which does not go back", len(stamps) == n - 1 and stamps == sorted(stamps))
        run(OVNIEMU, "-q", "-o", "out", "--prism", "dir/run.json")
        with open("out/thread.pcf", encoding="utf-8") as f:
            labels = f.read()
        expect("functions have names", all(re.search(rf"^\d+ +{name}$", labels, re.M) for name in ("main", "fib", "worker")))


def live():
    os.mkfifo("live.prism")
    with subprocess.Popen([OVNIEMU, "-q", "-o", "live", "--prism", "live.prism"]) as emu:
        run(TRACED, "20", out="live.prism")
        expect("it was read live", emu.wait(60) == 0)
    with open("live/thread.pcf", encoding="utf-8") as f:
        expect("functions have names", re.search(r"^\d+ +worker$", f.read(), re.M))
    check_events(run("sh", "-c", '"$1" 3 | "$2" dump -', "sh", TRACED, TOOL, out="/dev/stdout")[0].decode(), 3)


def trouble():
    _, err = run(TRACED, "20", out="/dev/full")
    expect(f"a full disk is told: {err}", "No space left" in err and err.count("\n") == 1)
    _, err = run(TRACED, out="none/run.prism")
    expect(f"a folder that is not there is told: {err}", "none/run.prism" in err)
    # The program goes on when nobody reads any more.
    with subprocess.Popen(["head", "-c", "10", "live.prism"], stdout=subprocess.DEVNULL):
        _, err = run(TRACED, "200", out="live.prism")
    expect(f"a reader that dies is told: {err}", "Broken pipe" in err)


with tempfile.TemporaryDirectory() as tmp:
    os.chdir(tmp)
    run(TRACED)
    expect("nothing is written without PRISM_OUT", not os.listdir())
    os.mkdir("dir")
    files()
    live()
    trouble()
    os.chdir("/")
print("a program traces itself")
