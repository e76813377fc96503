#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions that ovniemu leaves out: depth, minimum time, names; what stays, at which size of a call its time is
not waited for, and that totals and tools get all events. twin_prism.py does it at random.

usage: filters.py OVNIEMU PRISM_PROFILE
"""
import copy
import random
import re
import resource
import subprocess
import sys

from hooks_kit import END, ENTER, EXIT, THREAD, Run, cfg, check, cxt, enter, finish, fresh, leave, mem, swap

EMU, PROFILE = sys.argv[1:]
FUNC, DEPTH, LOADS = 400, 401, 439
MIB = 1 << 20


def emulate(streams, *options, status=0):
    run = Run(EMU, fresh(), streams, "-f", "prv", "--prism-events=none", *options)
    check(f"status of {options}", run.status == status, f"{run.status}: {run.err}")
    return run


def names(run):
    """number -> label of the functions"""
    out = {}
    lines = iter(run.read("thread.pcf").splitlines())
    for line in lines:
        if line.split()[:2] == ["0", "400"]:
            next(lines)
            for value in lines:
                if not value.strip():
                    break
                number, text = value.split(None, 1)
                out[number] = text
    return out


def story(run, row=1):
    """time:name of what is on top"""
    label = names(run)
    return " ".join(f"{t}:{label.get(v, '-')}" for t, v in (x.split(":") for x in run.lines("thread", FUNC).get(row, "").split()))


# From 0 ns: main, a at 1 with b from 2 to 4 in it, up to 5, then c from 6 to 20, and again b at 21.
CALLS = (enter("main") + enter("a") + enter("b") + mem() + leave("b") + leave("a") + enter("c") + mem() * 13 + leave("c") + enter("b") + leave("b") +
         leave("main") + END)


def by_hand():
    for options, want, depth in (
            ((), "0:main 1:a 2:b 4:a 5:main 6:c 20:main 21:b 22:main 23:-", "0:1 1:2 2:3 4:2 5:1 6:2 20:1 21:2 22:1 23:0"),
            (("--prism-depth=1",), "0:main 23:-", "0:1 23:0"),
            (("--prism-depth=2",), "0:main 1:a 5:main 6:c 20:main 21:b 22:main 23:-", "0:1 1:2 5:1 6:2 20:1 21:2 22:1 23:0"),
            (("--prism-min-time=4ns",), "0:main 1:a 5:main 6:c 20:main 23:-", "0:1 1:2 5:1 6:2 20:1 23:0"),
            (("--prism-min-time=5",), "0:main 6:c 20:main 23:-", "0:1 6:2 20:1 23:0"),
            (("--prism-min-time=1us",), "", ""),
            (("--prism-only=b,c",), "2:b 4:- 6:c 20:- 21:b 22:-", "2:1 4:0 6:1 20:0 21:1 22:0"),
            (("--prism-only=b", "--prism-only=c"), "2:b 4:- 6:c 20:- 21:b 22:-", "2:1 4:0 6:1 20:0 21:1 22:0"),
            (("--prism-only=[ac]", "--prism-except=a*"), "6:c 20:-", "6:1 20:0"),
            (("--prism-except=a,?ain",), "2:b 4:- 6:c 20:- 21:b 22:-", "2:1 4:0 6:1 20:0 21:1 22:0"),
            (("--prism-except=a",), "0:main 2:b 4:main 6:c 20:main 21:b 22:main 23:-", "0:1 2:2 4:1 6:2 20:1 21:2 22:1 23:0"),
            (("--prism-depth=2", "--prism-min-time=2", "--prism-except=m*"), "1:a 5:- 6:c 20:-", "1:1 5:0 6:1 20:0")):
        run = emulate([CALLS], *options)
        check(f"functions with {options}", story(run) == want, f"{story(run)}; expected {want}")
        have = run.lines("thread", DEPTH).get(1, "")
        check(f"depth with {options}", have == depth, f"{have}; expected {depth}")
    run = emulate([CALLS], "--prism-only=b")
    check("labels", list(names(run).values()) == ["b"], names(run))


def windows():
    """A window shows what the whole run shows in it."""
    run = emulate([CALLS], "--from=3ns", "--to=21ns", "--keep-time", "--prism-depth=2")
    check("window", story(run) == "3:a 5:main 6:c 20:main 21:b", story(run))
    run = emulate([CALLS], "--from=3ns", "--to=12ns", "--keep-time", "--prism-min-time=5ns")
    check("window of long calls", story(run) == "3:main 6:c", story(run))


def all_events():
    """Totals and tools get what is not shown; intervals of func end where a function is shown."""
    run = emulate([CALLS], "--prism-interval=func", "--prism-min-time=5")
    have = run.lines("thread", LOADS)[1]
    check("totals of what is shown", have == "6:1 20:13 23:0", have)
    said = [emulate([CALLS], f"--prism-hooks={PROFILE}", *more).out for more in ((), ("--prism-only=c", "--prism-min-time=3", "--prism-depth=4"))]
    check("tools get all", said[0] == said[1] and "main -> b" in said[0], said)


def not_left():
    """What does not return is shown, as where a killed program was."""
    run = emulate([enter("main") + enter("a") + leave("a") + enter("b") + mem() * 2 + END], "--prism-min-time=1ms")
    check("calls without an end", story(run) == "0:main 3:b 5:-", story(run))
    run = emulate([enter("main") + enter("a") + leave("x") + leave("main") + END], "--prism-min-time=3", "--lenient")
    check("two calls left at once", story(run) == "0:main 3:-", story(run))


def several_streams():
    """The return is looked for in the stream of the call."""
    parts = [swap(1) + enter("f") + enter("g") + swap(2) + enter("h") + leave("h") + swap(1) + leave("g") + END,
             mem() * 9 + swap(1) + leave("f") + END]
    run = emulate(parts, "--prism-min-time=100", "--lenient")
    check("threads that share a stream", story(run) == "1:f 3:- 6:f 7:- 9:f 10:-", story(run))
    check("thread 2", story(run, 2) == "", story(run, 2))


def large_calls():
    """A call that holds more than 1 MiB of events is shown though it is short."""
    for n, shown in ((MIB - 1000, ""), (MIB + 1000, "0:main")):
        data = enter("main") + mem() * n + leave("main") + END
        run = emulate([data], "--prism-min-time=1s")
        check(f"a call of {n} bytes", story(run).startswith(shown) and bool(story(run)) == bool(shown), story(run))


def pipes():
    """The same from a pipe, and written byte by byte."""
    rng = random.Random(3)
    data = b"".join(rng.choice((enter("a"), enter("b"), leave("a"), leave("b"), mem(), cxt(THREAD, rng.randrange(1, 4)))) for _ in range(4000)) + END
    options = ["--lenient", "--prism-min-time=7", "--prism-events=none", "-q", "-f", "prv"]
    run = Run(EMU, fresh(), [data], *options)
    for size in (1, 4096):
        where = fresh()
        with subprocess.Popen([EMU, *options, "-o", where, "--prism", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as p:
            for i in range(0, len(data), size):
                p.stdin.write(data[i:i + size])
            p.communicate(timeout=60)
        piped = copy.copy(run)
        piped.dir = where
        for kind in FUNC, DEPTH:
            # Rows of live input begin with a line of 0.
            have, want = ({row: re.sub(r"^\d+:0 ", "", text) for row, text in r.lines("thread", kind).items()} for r in (piped, run))
            check(f"a pipe, {size} bytes at a time", have == want and len(want) == 4, "it differs")


def numbers():
    """Names by number: two numbers of a name are one function."""
    heap = fresh()
    with open(heap, "wb") as f:
        f.write(b"\x00m" + b"\x00f" * 2)
    codes = [bytes([0x60 | kind]) + n.to_bytes(4, "little") for kind, n in ((ENTER, 0), (ENTER, 2), (EXIT, 4), (ENTER, 4), (EXIT, 2), (EXIT, 0))]
    data = b"".join(codes[:4]) + mem() * 5 + b"".join(codes[4:]) + END
    run = emulate([data], f"--prism-set=names={heap}", "--prism-set=name_size=4", "--prism-min-time=3", "--prism-except=m")
    check("names by number", story(run) == "3:f 9:-", story(run))
    run = emulate([codes[0] + bytes([0x60 | ENTER, 9, 0, 0, 0]) + codes[5] + END], f"--prism-set=names={heap}", "--prism-set=name_size=4", "--prism-min-time=3", status=1)
    check("a number without a name", "PN01" in run.err and story(run) == "0:m", run.err + story(run))


def hostile():
    """A million enters, with and without exits; padding of buffers; names that are patterns and no text."""
    for data in (enter("f") * 1000000 + END, enter("f") * 1000000 + leave("f") * 1000000 + END, cfg("cxt", 0x80) + b"\x63" * 1000000 + END, (enter("f") + leave("f")) * 500000 + END):
        run = emulate([data], "--prism-min-time=1h", "--prism-except=g,*h", "-f", "prv")
        check("a million calls", "Sanitizer" not in run.err, run.err)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    check("memory", used < 400 * 1024, f"{used} KiB")
    gaps = (enter("f") + leave("f") + END).ljust(3 * MIB, b"\xff") * 3
    run = emulate([gaps], f"--prism-buffer-size={3 * MIB}", "--prism-min-time=1h")
    check("gaps between buffers", story(run) == "", story(run))
    odd = [b"\xff\xfe", b"[", b"*", b"a\nb", b"\\", b"[a-", b"x" * 256]
    data = b"".join(enter(n) + leave(n) for n in odd) + END
    for pattern in "[", "\\", "*", "?" * 256, "[a-", "[[:foo:]]", "*" * 5000, ",", ",,[", "\xff", "[!", "\\xff\\xfe":
        emulate([data], f"--prism-only={pattern}", f"--prism-except={pattern[::-1]}")
    run = emulate([data], "--prism-only=[,\\xff\\xfe")
    check("names as they are shown", sorted(names(run).values()) == ["[", "\\xff\\xfe"], names(run))


def wrong():
    for option, text in (("--prism-depth=0", "1 to 512"), ("--prism-depth=513", "1 to 512"), ("--prism-depth=-1", "1 to 512"), ("--prism-depth=x", "'x'"),
                         ("--prism-depth=", "1 to 512"), ("--prism-min-time=0", "above 0"), ("--prism-min-time=-1us", "above 0"),
                         ("--prism-min-time=5parsec", "5parsec"), ("--prism-min-time=", "such as"), ("--prism-min-time=99999999999h", "above 0"),
                         ("--prism-only=", "names of functions"), ("--prism-except=", "names of functions")):
        run = emulate([CALLS], option, status=2)
        check(option, option.split("=")[0] in run.err and text in run.err, run.err)
    run = emulate([CALLS], *["--prism-only=a"] * 17, status=2)
    check("many lists", "16 times" in run.err, run.err)


def main():
    for part in (by_hand, windows, all_events, not_left, several_streams, large_calls, pipes, numbers, hostile, wrong):
        part()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
