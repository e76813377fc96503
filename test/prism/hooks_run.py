#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tools of users (--prism-hooks): what they are called with, what they may answer and ask for.

usage: hooks_run.py OVNIEMU USCOPE PROBE.so [-v]

PROBE.so (hooks_probe.c) prints its calls and does what $PROBE says.
"""
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import hooks_kit as kit
from hooks_kit import Run, cfg, comp, cxt, enter, leave, mem, swap, sync

EMU, USCOPE, PROBE = (os.path.abspath(p) for p in sys.argv[1:4])
VERBOSE = "-v" in sys.argv
bad = n = 0
tmp = tempfile.mkdtemp(prefix="hooks-")
counter = 0


def check(what, good, *seen):
    global bad, n
    n += 1
    if not good or VERBOSE:
        print(f"{'ok' if good else 'FAILED'}: {what}")
    if not good:
        bad += 1
        for s in seen:
            print(s if isinstance(s, str) else repr(s))


def same(what, got, want):
    if isinstance(got, str):
        check(what, got == want, "\n".join(difflib.unified_diff(want.splitlines(), got.splitlines(), "want", "got", n=0, lineterm="")))
    else:
        check(what, got == want, "got:", got, "want:", want)


def run(streams, *options, probe="", tools=(PROBE,), **env):
    global counter
    counter += 1
    streams = [streams] if isinstance(streams, bytes) else streams
    hooks = [w for t in tools for w in ("--prism-hooks", t)]
    return Run(EMU, f"{tmp}/{counter}", streams, *hooks, *options, env={"PROBE": probe, **env})


def calls(r, *names):
    """The calls of a run, without what they were given."""
    return [" ".join(line.split()[:2]) for line in r.out.splitlines() if not names or line.split()[1] in names]


# ---- What is called, and with what. ----

ALL = """0 begin
0 cfg stream=0 process=1 thread=0 seq=0 offset=0 ns=0 target=memory before=00 after=f0
0 cfg stream=0 process=1 thread=0 seq=1 offset=2 ns=0 target=compute before=00 after=f8
0 sync stream=0 process=1 thread=1 seq=2 offset=4 ns=0 has=129 type=5:swap args=1
0 cxt stream=0 process=1 thread=1 seq=3 offset=13 ns=1 has=257 type=function enter id=0 name=1:main
0 cxt stream=0 process=1 thread=1 seq=4 offset=19 ns=2 has=9 type=instruction id=400526 name=0:
0 comp stream=0 process=1 thread=1 seq=5 offset=27 ns=3 has=242 format=integer op=add bytes=4 arity=2 ids=1,2
0 mem stream=0 process=1 thread=1 seq=6 offset=32 ns=4 has=15 type=load bytes=4 addr=7ffd12345678 id=3
0 cfg stream=0 process=1 thread=1 seq=7 offset=41 ns=5 target=memory before=f0 after=c0
0 mem stream=0 process=1 thread=1 seq=8 offset=43 ns=5 has=3 type=store bytes=8 addr=0 id=0
0 sync stream=0 process=1 thread=1 seq=9 offset=44 ns=6 has=129 type=1:create args=7f00aa001700
0 sync stream=0 process=1 thread=2 seq=10 offset=53 ns=7 has=129 type=5:swap args=2
0 cxt stream=0 process=1 thread=2 seq=11 offset=62 ns=8 has=257 type=function enter id=0 name=2:worker
0 sync stream=0 process=1 thread=2 seq=12 offset=70 ns=9 has=129 type=6:lock args=6010a0
0 comp stream=0 process=1 thread=2 seq=13 offset=79 ns=10 has=242 format=floating point op=mult bytes=8 arity=2 ids=4,5
0 sync stream=0 process=1 thread=2 seq=14 offset=84 ns=11 has=129 type=7:unlock args=6010a0
0 cxt stream=0 process=1 thread=2 seq=15 offset=93 ns=12 has=257 type=function exit id=0 name=2:worker
0 sync stream=0 process=1 thread=1 seq=16 offset=101 ns=13 has=129 type=5:swap args=1
0 sync stream=0 process=1 thread=1 seq=17 offset=110 ns=14 has=129 type=2:join args=7f00aa001700
0 cxt stream=0 process=1 thread=1 seq=18 offset=119 ns=15 has=257 type=function exit id=0 name=1:main
0 buffer_end stream=0 process=1 thread=1 seq=19 offset=125 ns=15
0 finish
"""


def test_calls():
    r = run(kit.WORKED)
    same("all calls of the worked example", r.out, ALL)
    same("the worked example", (r.err, r.status), ("", 0))
    r = run(kit.WORKED, probe="only=cxt only=finish")
    same("what is NULL is not called", calls(r), ["0 begin"] + ["0 cxt"] * 5 + ["0 finish"])
    for interval in ("time:2", "events:2", "sync", "func"):
        r = run(kit.WORKED, f"--prism-interval={interval}", "--prism-events=none")
        same(f"the same calls with intervals of {interval}, and no single events", r.out, ALL)
    # names of all kinds share their ids, and live on
    names = b"".join(enter(f"f{i}") + cxt(kit.OP_ENTER, f"f{i}") + cxt(kit.NET_ENTER, b"\xff" * 256) for i in range(3))
    r = run(swap(1) + names + kit.END, probe="only=cxt")
    same("ids of names", re.findall(r"name=(\d+):", r.out), [str(i) for i in (1, 1, 2, 3, 3, 2, 4, 4, 2)])
    check("names live on", "changed" not in r.out, r.out)
    # buffers
    data = (swap(1) + mem() + kit.END).ljust(16, b"\xee") + mem() + kit.END
    r = run(data, "--prism-set", "buffer_size=16", probe="only=buffer_end only=mem")
    same("buffers", re.findall(r"(\S+) stream.*offset=(\d+)", r.out), [("mem", "9"), ("buffer_end", "10"), ("mem", "16"), ("buffer_end", "17")])
    r = run(swap(1) + bytes([0x82, 0x81]) + kit.END, "--prism-set", "control_flow=true", probe="only=cf")
    same("control flow", re.findall(r"cf .*offset=(\d+).*type=(\d+)", r.out), [("9", "2"), ("10", "1")])


def test_order():
    r = run(swap(1) + mem() + kit.END, probe="add=2")
    same("added hooks follow, in order", calls(r), [f"{i} {c}" for c in ("begin", "sync", "mem", "buffer_end", "finish") for i in range(3)])
    check("begin has the run", r.out.count("same run") == 2, r.out)
    r = run(mem() + kit.END, probe="add=2 nest only=mem")
    same("hooks that add hooks", calls(r, "begin", "mem")[:6], ["0 begin", "1 begin", "2 begin", "3 begin", "4 begin", "0 mem"])
    # two objects: all of the first, then all of the second
    other = f"{tmp}/other.so"
    shutil.copy(PROBE, other)
    r = run(mem() + kit.END, probe="add=1 only=mem only=finish", tools=(PROBE, other))
    same("two objects", calls(r), ["0 begin", "1 begin", "0 begin", "1 begin", "0 mem", "1 mem", "0 mem", "1 mem", "1 buffer_end", "1 buffer_end",
                                   "0 finish", "1 finish", "0 finish", "1 finish"])
    # two streams: by time, then by number, with the thread of each
    r = run([swap(1) + mem() + mem() + kit.END, swap(2) + mem() + kit.END], probe="only=mem only=sync")
    same("two streams", re.findall(r"(\S+) stream=(\d+) process=1 thread=(\d+) seq=(\d+)", r.out),
         [("sync", "0", "1", "0"), ("sync", "1", "2", "0"), ("mem", "0", "1", "1"), ("mem", "1", "2", "1"), ("mem", "0", "1", "2")])
    # before the first swap
    r = run(mem() + kit.END, probe="only=mem")
    same("a thread of its own before the first swap", re.findall(r"thread=(\d+)", r.out), ["1000000"])


INSIDE = """sync func=0:0: op=0:0: net=0:0: bb=- insn=-
cxt func=1:1:main op=0:0: net=0:0: bb=- insn=-
cxt func=1:1:main op=0:0: net=0:0: bb=0 insn=-
cxt func=1:1:main op=0:0: net=0:0: bb=0 insn=400526
mem func=1:1:main op=0:0: net=0:0: bb=0 insn=400526
cxt func=2:2:f op=0:0: net=0:0: bb=0 insn=400526
cxt func=2:2:f op=0:0: net=1:3:net bb=0 insn=400526
cxt func=2:2:f op=1:4:conv net=1:3:net bb=0 insn=400526
sync func=0:0: op=0:0: net=0:0: bb=- insn=-
cxt func=0:0: op=0:0: net=0:0: bb=77 insn=-
sync func=2:2:f op=1:4:conv net=1:3:net bb=0 insn=400526
cxt func=1:1:main op=1:4:conv net=1:3:net bb=0 insn=400526
cxt func=1:1:main op=0:0: net=1:3:net bb=0 insn=400526
cxt func=1:1:main op=0:0: net=0:0: bb=0 insn=400526
cxt func=0:0: op=0:0: net=0:0: bb=0 insn=400526"""


def inside(r):
    """The kinds of the events of a run, and what they are in."""
    return "\n".join(re.sub(r"\d+ (\w+) stream.* (func=.* insn=\S+).*", r"\1 \2", line) for line in r.out.splitlines() if " func=" in line)


def test_inside():
    data = swap(1) + enter("main") + cxt(kit.BB, 0) + cxt(kit.INSN, 0x400526) + mem() + enter("f") + cxt(kit.NET_ENTER, "net") + \
        cxt(kit.OP_ENTER, "conv") + swap(2) + cxt(kit.BB, 0x77) + swap(1) + leave("f") + cxt(kit.OP_EXIT, "conv") + \
        cxt(kit.NET_EXIT, "net") + leave("main") + kit.END
    probe = "inside only=mem only=sync only=cxt"
    same("functions, operators, nets, blocks and instructions", inside(run(data, probe=probe)), INSIDE)
    same("what is not shown is told, too", inside(run(data, "--prism-events=none", probe=probe)), INSIDE)
    r = run([swap(1) + enter("f") + kit.END, mem() + enter("g") + swap(1) + mem() + kit.END], "--lenient", probe="inside only=mem only=cxt only=sync")
    # by time: both of stream 0 with the first two of stream 1; its thread goes on there
    same("a thread takes along what it is in", [re.search(r"thread=(\d+) .* func=(\S+)", line).groups() for line in r.out.splitlines() if "thread" in line],
         [("1", "0:0:"), ("1000001", "0:0:"), ("1", "1:1:f"), ("1000001", "1:2:g"), ("1", "1:1:f"), ("1", "1:1:f")])
    r = run(cfg("cxt", 0x80) + swap(1) + cxt(kit.ENTER, "x")[:1] + mem() + cxt(kit.EXIT, "x")[:1] + mem() + kit.END, probe="inside only=mem only=cfg")
    same("a name that is not shown, and no thread", inside(r),
         "\n".join(f"{e} func={f}:0: op=0:0: net=0:0: bb=- insn=-" for e, f in (("cfg", 0), ("mem", 1), ("mem", 0))))
    deep = enter("a") * 511 + enter("b") + mem() + enter("c") + mem() + leave("c") + mem() + leave("b") + mem()
    r = run(swap(1) + deep + kit.END, "--lenient", "--prism-events=none", probe="inside only=mem")
    same("deeper than 512", re.findall(r"func=(\S+)", r.out), ["512:2:b", "513:0:", "512:2:b", "511:1:a"])


# ---- Their arguments. ----

GIVEN = [  # words behind the file, and what the tool sees of them
    ("", []),
    ("  a=1   b=x,y=z ", ["a is 1", "b is x,y=z"]),
    ("a", ["a is ", "b is not there"]),
    ("b='two words' a=\"it's \\\"so\\\"\"", ["a is it's \"so\"", "b is two words"]),
    ("a=one\\ word b='back\\slash'", ["a is one word", "b is back\\slash"]),
    ("'a'=x\"y\"'z' b=", ["a is xyz", "b is "]),
]


def test_arguments():
    for words, seen in GIVEN:
        r = run(mem() + kit.END, probe="quiet argument=a argument=b", tools=(f"{PROBE} {words}",))
        same(f"arguments {words}", (r.status, r.err), (0, ""))
        check(f"arguments {words}: values", all(f"{s}\n" in r.out for s in seen), r.out)
    os.mkdir(f"{tmp}/a folder")
    shutil.copy(PROBE, f"{tmp}/a folder/it's.so")
    for words, seen in ((f"\"{tmp}/a folder/it's.so\" a=5", "a is 5"), (f"{tmp}/a folder/it's.so", "a is not there")):
        r = run(mem() + kit.END, probe="quiet argument=a", tools=(words,))
        same(f"a file with blanks in its name: {words}", (r.status, seen in r.out), (0, True))
    # each tool has its own
    other = f"{tmp}/own.so"
    shutil.copy(PROBE, other)
    r = run(mem() + kit.END, probe="quiet argument=a", tools=(f"{PROBE} a=1", f"{other} a=2", ))
    same("two tools", (r.status, re.findall("a is (.)", r.out)), (0, ["1", "2"]))
    r = run(mem() + kit.END, probe="quiet add=1 at=begin:1:argument:0:b", tools=(f"{PROBE} b=2",))
    same("hooks that are added may ask", (r.status, r.err), (0, ""))
    r = run(mem() + kit.END, probe="quiet keys", tools=(f"{PROBE} b=2 x a=1",))
    same("all keys", (r.status, re.findall("key (.)", r.out)), (0, ["b", "x", "a"]))
    r = run(mem() + kit.END, probe="quiet number=a:1:65536 number=b:1:5 choice=c:text:json", tools=(f"{PROBE} a=64K c=json",))
    same("a number and a choice", (r.status, re.findall(r"(. is \w+ -?\d+)", r.out)), (0, ["a is number 65536", "b is number 4711", "c is choice 1"]))
    wrong = [
        ("a=1", "", "it takes no arguments, such as 'a'"),
        ("aa=1 a=2", "argument=a number=b:0:1", "it knows no argument 'aa'\n", "  hint: it knows a, b\n"),
        ("a=7", "number=a:8:9", "the argument 'a' needs a number from 8 to 9, not '7'"),
        ("a=8x", "number=a:8:9", "the argument 'a' needs a number from 8 to 9, not '8x'"),
        ("a", "number=a:0:9", "the argument 'a' needs a number from 0 to 9, not ''"),
        ("a=t", "choice=a:one:two:three", "the argument 'a' needs one, two or three, not 't'"),
    ]
    for words, probe, *told in wrong:
        for more in ("", " ignore"):
            r = run(mem() + kit.END, probe=f"quiet {probe}{more}", tools=(f"{PROBE} {words}",))
            check(f"arguments {words} for {probe}{more}", r.status == 1 and r.err.count("error[") == 1 and r.err.startswith("ovniemu: error[hooks]: tool \"probe\": ") and
                  all(t in r.err for t in told) and PROBE in r.err and "0 mem" not in r.out, r.status, r.err)
    for call in ("argument", "key", "number", "choice"):
        for when in ("mem", "finish"):
            r = run(mem() + kit.END, probe=f"quiet at={when}:1:{call}:0:a")
            check(f"{call} in {when}", r.status == 1 and "only begin may ask for arguments" in r.err and r.err.count("error[") == 1, r.err)
    for words, told in (("a=1 a=2", "the argument 'a' is there twice"), ("=5", "'=5' is no argument: it needs a key"), ("a='x", "'ax' ends inside"),
                        ("a=x\\", "ends inside of quotes, or behind a backslash"), (" ".join(f"a{i}" for i in range(65)), "more than 64 arguments")):
        r = run(mem() + kit.END, tools=(f"{PROBE} {words}",))
        check(f"wrong words {words[:20]}", r.status == 2 and f"--prism-hooks '{PROBE} {words}': "[:60] in r.err and told.replace("'ax'", "'a=x'") in r.err, r.status, r.err)
    for words in ("", " ", "''"):
        r = run(mem() + kit.END, tools=(words,))
        check(f"no file in '{words}'", r.status == 2 and "name of a file" in r.err, r.status, r.err)


# ---- What they answer. ----

FUNCTIONS = ["mem", "comp", "sync", "cxt", "cf", "cfg", "buffer_end"]
# each twice
BOTH = swap(1) + (mem() + comp() + cxt(kit.INSN, 1) + cxt(kit.BB, 2) + bytes([0x81]) + cfg("mem", 0) + sync(kit.LOCK, 1)) * 2
FLOW = ("--prism-set", "control_flow=true", "--prism-set", "buffer_size=128")


def test_answers():
    data = BOTH + kit.END
    data = data.ljust(128, b"\0") + data
    plain = calls(run(data, *FLOW, probe="add=1"))
    for f in FUNCTIONS + ["begin"]:
        r = run(data, *FLOW, probe=f"add=1 return={f}:1:1")
        # the first stops with its first call; the other has a count of its own, and stops too
        want = [c for i, c in enumerate(plain) if c.split()[1] != "finish" and plain.index(f"{c[0]} {f}") >= i]
        same(f"{f} returns 1", (calls(r), r.status, r.err), (want, 0, ""))
    for f in FUNCTIONS:
        r = run(data, *FLOW, probe=f"add=1 return={f}:1:-7")
        want = plain[:plain.index(f"0 {f}") + 1] + ["1 finish"]
        same(f"{f} returns -7", (calls(r), r.status), (want, 1))
        check(f"{f} returns -7: message", re.match(rf'ovniemu: error\[hooks\]: tool "probe" \({re.escape(PROBE)}\): it stops the run: {f} returned -7\n'
                                                   rf"  at .*0\.prism \+0x[0-9a-f]+, clock \d+ ns, event R", r.err), r.err)
        check(f"{f} returns -7: outputs", r.read("thread.prv").startswith("#Paraver"))
        r = run(data, *FLOW, probe=f"return={f}:1:2")
        check(f"{f} returns 2", r.status == 1 and f"{f} returned 2, which is none of" in r.err, r.err)
    # only what comes later is lost
    r = run(kit.WORKED, probe="return=sync:3:-1")
    same("the timelines end in front of the event", r.lines("thread", 401)[1], "1:1")
    r = run(kit.WORKED, probe="return=begin:1:-3")
    check("begin returns -3", r.status == 1 and "error[hooks]" in r.err and "begin returned -3" in r.err and PROBE in r.err, r.err)
    same("begin returns -3: nothing else is called", r.out, "0 begin\n")
    r = run(kit.WORKED, probe="quiet add=1 return=finish:1:-4")
    check("finish returns -4", r.status == 1 and r.err.count("finish returned -4") == 2, r.err)
    check("finish returns -4: the timelines are whole", r.lines("thread", 401).get(1) == "1:1 7:0 13:1 15:0", r.err)
    check("finish returns -4: with labels", "worker" in r.read("thread.pcf"))
    r = run(kit.WORKED[:60], probe="quiet")
    check("finish is called when the trace is wrong", r.status == 1 and r.out.endswith("0 finish\n"), r.err)


def test_leaving():
    """Three hooks, which leave one by one, in front of, between and behind the others."""
    events = [mem(), comp()] * 4
    streams = [swap(1) + b"".join(events) + kit.END, swap(2) + b"".join(events) + kit.END]
    for order in ("012", "021", "102", "120", "201", "210"):
        for f in ("mem", "comp"):
            leaves = {who: 2 * k + 1 + (k == 2) for k, who in enumerate(order)}  # the 1st, 3rd and 6th call: of both streams
            r = run(streams, probe="only=mem only=comp add=2 " + " ".join(f"return={f}:{k}:1:{who}" for who, k in leaves.items()))
            want, count = [], 0
            for kind in [k for k in ("mem", "comp") for _ in streams] * 4:
                count += kind == f
                # what the hook has left for is not given at all
                want += [f"{who} {kind}" for who in "012" if count < leaves[who] + (kind == f)]
            same(f"leaving of {f} in the order {order}", (calls(r, "mem", "comp"), r.status), (want, 0))
    # of those that leave or stop the run some lack what they need
    lacking = cfg("mem", 0) + mem() * 2 + cfg("mem", 0x80) + mem() * 2
    probe = "only=mem add=2 needs=mem:1 return=mem:2:1:1"
    r = run(swap(1) + lacking * 2 + kit.END, "--prism-needs=skip", probe=probe)
    same("leaving while another lacks something", calls(r, "mem"), [f"{who} mem" for who in "1212" + "0202" + "22" + "0202"])
    check("leaving while another lacks something: tells", 'tool "probe" did not see 4 memory events' in r.err, r.err)
    for who in "12":
        r = run(swap(1) + lacking + kit.END, "--prism-needs=skip", probe=f"only=mem add=2 needs=mem:1 return=mem:4:-5:{who}")
        same(f"hook {who} stops the run behind the others", calls(r, "mem"), [f"{h} mem" for h in "1212012" + "012"[:int(who) + 1]])
        check(f"hook {who} stops the run behind the others: told once", (r.status, r.err.count("error[")) == (1, 1) and "mem returned -5" in r.err, r.err)


# ---- What they need. ----

NEEDS = [  # kind, mask, level of detail without and with it, the field
    ("mem", 1, 0x70, 0x80, "the type of memory"), ("mem", 2, 0xb0, 0x40, "the size of memory"), ("mem", 4, 0xd0, 0x20, "the address of memory"),
    ("mem", 8, 0xe0, 0x10, "the id of memory"), ("comp", 16, 0x78, 0x80, "the format of compute"), ("comp", 2, 0xb8, 0x40, "the size of compute"),
    ("comp", 32, 0xd8, 0x20, "the operation of compute"), ("comp", 64, 0xe8, 0x10, "the arity of compute"),
    ("comp", 128, 0xf0, 0x18, "the ids of operands of compute"), ("comp", 128, 0xe8, 0x18, "the ids of operands of compute"),
    ("sync", 1, 0x00, 0x80, "the type of sync"), ("sync", 128, 0x80, 0xc0, "the arguments of sync"),
    ("sync", 128, 0x40, 0xc0, "the arguments of sync"), ("cxt", 1, 0x00, 0x80, "the type of context"), ("cxt", 8, 0x80, 0xc0, "the id of context"),
    ("cxt", 256, 0x80, 0xc0, "the name of context"),
]


def event_of(kind, bits):
    """An event with nothing but zeros in it, as the level of detail wants it."""
    on = [bool(bits & b) for b in (0x80, 0x40, 0x20, 0x10, 0x08)]
    if kind == "mem":
        return bytes([0x08 if on[0] else 0]) + bytes(7 * on[2] + on[3])
    if kind == "comp":
        return bytes([0x28 if on[0] else 0x20]) + bytes(on[2] + on[3] + (on[3] and on[4]))
    if kind == "sync":
        return bytes([0x46 if on[0] else 0x40]) + bytes(8 * (on[0] and on[1]))
    return bytes([0x61 if on[0] else 0x60]) + bytes(7 * (on[0] and on[1]))


def test_needs():
    for kind, mask, without, having, field in NEEDS:
        what = f"{kind} needs {mask} of {without:02x}"
        probe = f"needs={kind}:{mask} only={kind}"
        # the level of detail is what counts, not what one event happens to have
        data = swap(1) + cfg(kind, having) + event_of(kind, having) + cfg(kind, without) + event_of(kind, without) * 2 + cfg(kind, having) + \
            event_of(kind, having) + kit.END
        r = run(data, probe=probe)
        # the swap is an event of kind sync, too
        first = 1 + (kind == "sync")
        same(f"{what}: stops", (r.status, len(calls(r, kind))), (1, first))
        check(f"{what}: message", 'error[hooks]: tool "probe"' in r.err and f"it needs {field} events, which" in r.err and
              f"({kind}={without:02x})" in r.err and "--prism-needs=skip" in r.err and "clock" in r.err, r.err)
        r = run(data, "--prism-needs=skip", probe=probe)
        same(f"{what}: skips", (r.status, len(calls(r, kind))), (0, first + 1))
        check(f"{what}: tells", f'tool "probe" did not see 2 {field.split(" of ")[-1]} events' in r.err, r.err)
        r = run(data, probe="needs=%s:%d only=cfg" % (kind, mask))
        same(f"{what}: of no interest without the function", r.status, 0)
    r = run(mem() + kit.END, probe="needs=mem:1 only=mem")
    check("the level of detail at the start", r.status == 1 and "(mem=00)" in r.err, r.err)
    r = run(mem() + kit.END, "--prism-initial-config=mem=80", probe="needs=mem:1 only=mem")
    same("the level of detail at the start is given", (r.status, calls(r, "mem")), (0, ["0 mem"]))
    # streams have levels of their own, and other hooks see all
    streams = [cfg("mem", 0x80) + swap(1) + mem() + kit.END, swap(2) + mem() + kit.END]
    r = run(streams, "--prism-needs=skip", probe="needs=mem:1 only=mem add=1")
    same("by stream and hook", re.findall(r"(\d) mem stream=(\d)", r.out), [("0", "0"), ("1", "0"), ("1", "1")])
    r = run(mem() + kit.END, probe="needs=mem:0x100")
    check("a need that cannot be", r.status == 1 and "its needs of memory events have bits that no such event has: 0x100" in r.err, r.err)


# ---- Channels. ----

def both(what, r, rows, kind, want):
    """What a type shows, in the PRV file and in that of µScope."""
    if r.status != 0:
        check(what, False, r.out, r.err)
        return
    same(f"{what} ({rows}.prv)", r.lines(rows, kind), want)
    prv = f"{r.dir}/again"
    os.makedirs(prv, exist_ok=True)
    p = subprocess.run([USCOPE, "timeline", "--prv", prv, f"{r.dir}/ovni.uscp"], capture_output=True, text=True, check=False)
    for ext in ("prv", "pcf"):
        again = ""
        if p.returncode == 0:
            with open(f"{prv}/{rows}.{ext}", encoding="utf-8") as f:
                again = f.read()
        check(f"{what} (ovni.uscp, {ext})", again == r.read(f"{rows}.{ext}"), p.stderr, again, r.read(f"{rows}.{ext}"))


def test_channels():
    acts = "at=mem:1:set:480:5 at=mem:2:set:480:6 at=mem:3:set:480:6 at=mem:4:clear:480:0 at=mem:5:set:480:7"
    data = swap(1) + mem() * 3 + swap(2) + mem() + swap(1) + mem() + swap(2) + kit.END
    # 0:swap 1-3:mem 4:swap 5:mem of 2 6:swap 7:mem 8:swap
    r = run(data, probe=f"quiet channel=a:0:0 {acts}")
    both("set, while it runs", r, "thread", 480, {1: "1:5 2:6 4:0 6:6 7:7 8:0", 2: ""})
    both("set, on the CPU", r, "cpu", 480, {1: "1:5 2:6 4:0 6:6 7:7 8:0", 2: ""})
    r = run(data, probe=f"quiet channel=a:0:1 {acts}")
    both("set, always", r, "thread", 480, {1: "1:5 2:6 7:7", 2: ""})
    both("set, always, on the CPU", r, "cpu", 480, {1: "1:5 2:6 4:0 6:6 7:7 8:0", 2: ""})
    r = run(data, probe=f"quiet channel=a:0:2 {acts}")
    both("set, of the stream", r, "cpu", 480, {1: "1:5 2:6 5:0 7:7", 2: ""})
    both("set, of the stream: no rows of threads", r, "thread", 480, {})
    acts = "at=mem:1:push:480:5 at=mem:2:push:480:5 at=mem:3:push:480:6 at=mem:4:push:480:9 at=mem:5:pop:480:6"
    r = run(data + b"", probe=f"quiet channel=a:1:0 {acts}")
    both("stack, while it runs", r, "thread", 480, {1: "1:5 3:6 4:0 6:6 7:5 8:0", 2: "5:9 6:0 8:9 8:0"})
    r = run(data, probe=f"quiet channel=a:1:1 {acts}")
    both("stack, always", r, "thread", 480, {1: "1:5 3:6 7:5", 2: "5:9"})
    acts = "at=mem:1:punctual:480:5 at=mem:3:punctual:480:6 at=mem:4:punctual:480:7"
    for track, name in enumerate(("while it runs", "always")):
        r = run(data, probe=f"quiet channel=a:2:{track} {acts}")
        both(f"punctual, {name}", r, "thread", 480, {1: "0:5 1:0 2:6 3:0", 2: "4:7 5:0"})
    both("punctual, on the CPU", r, "cpu", 480, {1: "0:5 1:0 2:6 3:0 4:7 5:0", 2: ""})
    r = run(data, probe=f"quiet channel=a:2:2 {acts}")
    both("punctual, of the stream", r, "cpu", 480, {1: "0:5 1:0 2:6 3:0 4:7 5:0", 2: ""})
    # without a thread nothing happens; the channel of the stream is there
    r = run(cfg("mem", 0) + swap(1) + mem() + kit.END, probe="quiet channel=a:0:1 channel=b:0:2 at=cfg:1:set:480:5 at=cfg:1:set:481:6")
    both("before there is a thread", r, "thread", 480, {1: ""})
    both("before there is a thread, the stream", r, "cpu", 481, {1: "0:6", 2: ""})
    # twice in an event, large values, labels
    r = run(swap(1) + mem() + mem() + kit.END, probe="quiet channel=Big.one-2_x:0:1 at=mem:1:set:480:3 at=mem:1:set:480:4 at=mem:2:set:480:-9223372036854775807 "
            "at=begin:1:label:480:4 at=mem:1:label:480:4 at=mem:2:label:480:77 at=finish:1:label:480:78")
    both("twice in an event, and labels", r, "thread", 480, {1: "1:4 2:-9223372036854775807"})
    pcf = r.read("thread.pcf")
    check("labels", re.search(r"0 480 +Prism user: Big.one-2_x.*\nVALUES\n4 +4\n77 +77\n78 +78\n", pcf), pcf)
    for rows in ("thread", "cpu"):
        name = f"cfg/{rows}/prism/user-Big.one-2_x.cfg"
        check(f"{name}", os.path.exists(f"{r.dir}/{name}") and "evt_type 1 480" in r.read(name), os.listdir(f"{r.dir}/cfg/{rows}/prism"))


def test_all_channels():
    names = " ".join(f"channel=c{i}:0:{i % 3}" for i in range(19))
    acts = " ".join(f"at=mem:1:set:{480 + i}:{i + 1}" for i in range(19))
    r = run(swap(1) + mem() + kit.END, probe=f"quiet {names} {acts}")
    same("all 19 channels", (r.status, re.findall(r"is (\d+)", r.out)), (0, [str(480 + i) for i in range(19)]))
    for i in range(19):
        # in the end the thread is dead, and its CPU shows no thread
        same(f"channel {480 + i}", r.lines("cpu", 480 + i).get(1), f"1:{i + 1}" + ("" if i % 3 == 2 else " 1:0"))
    r = run(mem() + kit.END, probe=f"quiet {names} channel=more:0:0")
    check("no 20th", r.status == 1 and "'more': all 19 channels for tools are taken" in r.err, r.err)
    r = run(mem() + kit.END, probe="quiet add=63 only=mem")
    same("64 hooks", (r.status, r.out.count(" begin"), r.out.count(" finish")), (0, 64, 63))
    r = run(mem() + kit.END, probe="quiet add=64")
    check("no 65th", r.status == 1 and "there are more than 64 hooks" in r.err, r.err)


WRONG = [  # what the tool does, and what is told
    ("channel=:0:0", None),
    ("channel=a/b:0:0", "prism_user_channel: 'a/b': a name has 1 to 48 letters"),
    ("channel=" + "x" * 49 + ":0:0", "a name has 1 to 48 letters"),
    ("channel=.hidden:0:0", "a name has 1 to 48 letters"),
    ("channel=a:0:0 channel=A:0:0", "'A': another channel has that name"),
    ("channel=a:3:0", "'a': there is no mode 3 with tracking 0"),
    ("channel=a:0:3", "'a': there is no mode 0 with tracking 3"),
    ("channel=a:1:2", "'a': the channel of a stream is no stack"),
    ("channel=a:0:0 at=begin:1:set:480:1", "prism_user_set: only the functions of events may change channels"),
    ("channel=a:0:0 at=finish:1:set:480:1", "prism_user_set: only the functions of events may change channels"),
    ("at=mem:1:channel:0:x", "prism_user_channel: only begin may add channels"),
    ("at=finish:1:channel:0:x", "prism_user_channel: only begin may add channels"),
    ("at=mem:1:add:0:0", "prism_hooks_add: only begin may add hooks"),
    ("at=mem:1:set:480:1", "prism_user_set: there is no channel 480"),
    ("channel=a:0:0 at=mem:1:clear:481:1", "prism_user_clear: there is no channel 481"),
    ("channel=a:0:0 at=mem:1:label:479:1", "prism_user_label: there is no channel 479"),
    ("channel=a:0:0 at=mem:1:nolabel:480:1", "prism_user_label: channel 480 (user.a): the label of 1 is NULL"),
    ("channel=a:0:0 at=mem:1:label:480:1 at=mem:1:label:480:01", "collision occurred in labels of type 480"),
    ("channel=a:1:0 at=mem:1:set:480:1", "prism_user_set: channel 480 (user.a) is pushed and popped"),
    ("channel=a:1:0 at=mem:1:clear:480:1", "prism_user_clear: channel 480 (user.a) is pushed and popped"),
    ("channel=a:1:0 at=mem:1:punctual:480:1", "prism_user_punctual: channel 480 (user.a) is pushed and popped"),
    ("channel=a:0:0 at=mem:1:push:480:1", "prism_user_push: channel 480 (user.a) is set and cleared"),
    ("channel=a:2:0 at=mem:1:pop:480:1", "prism_user_pop: channel 480 (user.a) is punctual"),
    ("channel=a:0:0 at=mem:1:set:480:-9223372036854775808", "channel 480 (user.a) cannot hold -9223372036854775808"),
    ("channel=a:2:2 at=mem:1:punctual:480:-9223372036854775808", "channel 480 (user.a) cannot hold -9223372036854775808"),
    ("channel=a:1:0 at=mem:1:pop:480:1", "error[stack-empty]"),
    ("channel=a:1:0 at=mem:1:push:480:1 at=mem:2:pop:480:2", "error[stack-mismatch]"),
    ("channel=a:1:0 at=mem:1:push:480:1 at=mem:1:push:480:2", "error[chan-twice]"),
]


def test_wrong():
    for acts, told in WRONG[1:]:
        for more in ("", " ignore"):
            r = run(swap(1) + mem() + mem() + kit.END, probe=f"quiet {acts}{more}")
            check(f"{acts}{more}", r.status == 1 and told in r.err and "runtime error" not in r.err, r.status, r.err)
            check(f"{acts}{more}: told once", r.err.count("error[") == 1, r.err)
    for f, event in (("mem", mem()), ("comp", comp()), ("cxt", cxt(kit.BB, 1))):
        r = run(swap(1) + event * 3 + kit.END, probe=f"add=1 only={f} ignore at={f}:2:set:480:1")
        same(f"nobody is called behind a failure in {f}, whatever it returns", calls(r, f), [f"{who} {f}" for who in "010"])
    r = run(swap(1) + mem() * 3 + kit.END, probe="quiet add=1 channel=a:1:0 at=mem:1:pop:480:1")
    check("who has failed is not called again", r.out.count("0 finish") == 0 and r.out.count("1 finish") == 1, r.out)


# ---- Objects. ----

NEWER = "#include <prism_hooks.h>\nstruct newer { struct prism_hooks old; long more; };\n"
PART = """#include <prism_hooks.h>
#include <stddef.h>
#include <stdio.h>
static int begin(void *u, struct prism_run *r) { (void)u; (void)r; puts("begin"); return 0; }
static int mem(void *u, const struct prism_at *at, const struct prism_mem *ev) { (void)u; (void)at; (void)ev; puts("mem"); return 0; }
#ifdef __cplusplus
#define SHOWN(...) extern "C" { __VA_ARGS__; }
#else
#define SHOWN(...) __VA_ARGS__;
#endif
"""
# The same tool with the header of ovniemu, without the last members, and with one more that is zero.
GOOD = {
    "this": PART + "const struct prism_hooks prism_tool = { PRISM_HOOKS_HEAD, NULL, { 0, 0, 0, 0 }, begin, mem };",
    "an older": PART + "SHOWN(struct { unsigned version, size; const char *name; unsigned needs[4]; int (*begin)(void *, struct prism_run *);\n"
                "int (*mem)(void *, const struct prism_at *, const struct prism_mem *); } older __asm__(\"prism_tool\") = { 1, sizeof(older), NULL, { 0, 0, 0, 0 }, begin, mem })",
    "a newer": PART + "SHOWN(struct { struct prism_hooks old; long more; } newer __asm__(\"prism_tool\") = "
               "{ { PRISM_HOOKS_VERSION, sizeof(newer), NULL, { 0, 0, 0, 0 }, begin, mem }, 0 })",
}

def test_objects():
    def broken(what, path, *told, options=()):
        r = run(mem() + kit.END, *options, tools=(path,))
        check(what, r.status == 1 and r.err.startswith("ovniemu: error[hooks]") and all(t in r.err for t in told), r.status, r.err)

    broken("no such file", f"{tmp}/none.so", "cannot be loaded", f"{tmp}/none.so", "No such file")
    broken("no such file here", "none.so", "cannot be loaded", "none.so", "No such file")
    with open(f"{tmp}/text.so", "w", encoding="utf-8") as f:
        f.write("no object\n")
    broken("a text", f"{tmp}/text.so", "cannot be loaded", "text.so")
    broken("a folder", tmp, "cannot be loaded")
    sources = {
        "nothing": ("int prism_tol;", "exports no prism_tool", "const struct prism_hooks prism_tool"),
        "hidden": ("#include <prism_hooks.h>\n__attribute__((visibility(\"hidden\"))) struct prism_hooks prism_tool;", "exports no prism_tool"),
        "undefined": ("#include <prism_hooks.h>\nint emu_close(void *); int f(void) { return emu_close(0); }\nconst struct prism_hooks prism_tool = { PRISM_HOOKS_HEAD };",
                      "undefined symbol: emu_close"),
        "tiny": ("const char prism_tool[7] = { 1 };", "its prism_tool is no struct prism_hooks: it has 7 bytes"),
        "other": ("const unsigned prism_tool[40] = { 7, 160 };", "its prism_tool has version 7 of struct prism_hooks, which has version 1 here"),
        "lies": ("const unsigned prism_tool[40] = { 1, 161 };", "its prism_tool has 160 bytes, but says it has 161"),
        "short": ("const unsigned prism_tool[40] = { 1, 7 };", "its prism_tool has 160 bytes, but says it has 7"),
        "newer": (NEWER + "struct newer prism_tool = { { PRISM_HOOKS_HEAD }, 1 };\n__attribute__((constructor)) static void f(void) { prism_tool.old.size = sizeof(prism_tool); }",
                  "bytes, of which", "are known here, and the others are not zero"),
        "function": ("int prism_tool(void) { return 0; }", "and is no data"),
    }
    cc = os.environ.get("CC", "cc")
    header = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/lib/prism")
    if shutil.which(cc.split()[0]):
        for name, (text, *told) in sources.items():
            with open(f"{tmp}/{name}.c", "w", encoding="utf-8") as f:
                f.write(text)
            subprocess.run([*cc.split(), "-shared", "-fPIC", "-I", header, "-o", f"{tmp}/{name}.so", f"{tmp}/{name}.c"], check=True)
            broken(name, f"{tmp}/{name}.so", f"{name}.so", *told)
        for language, compiler in (("c", cc.split()), ("c++", [shutil.which("g++") or shutil.which("clang++")])):
            if not compiler[0]:
                continue
            for name, text in GOOD.items():
                so = f"{tmp}/{name}-{language}.so"
                with open(f"{tmp}/good.txt", "w", encoding="utf-8") as f:
                    f.write(text)
                subprocess.run([*compiler, "-x", language, "-shared", "-fPIC", "-I", header, "-o", so, f"{tmp}/good.txt"], check=True)
                r = run(swap(1) + mem() * 3 + kit.END, tools=(so,))
                same(f"a tool of {name} header, in {language}", (r.status, r.out, r.err), (0, "begin\nmem\nmem\nmem\n", ""))
    r = run(mem() + kit.END, tools=(PROBE, PROBE))
    check("twice", r.status == 1 and "given twice" in r.err and r.out.count("0 finish") == 1, r.status, r.err, r.out)
    r = run(mem() + kit.END, tools=(PROBE, f"{tmp}/none.so"))
    check("the others finish when one cannot be loaded", r.status == 1 and r.out == "0 begin\n0 finish\n", r.out)
    r = run(mem() + kit.END, probe="name=- return=mem:1:-1")
    check("the name of the file", f'tool "{os.path.basename(PROBE)}"' in r.err, r.err)
    r = run(mem() + kit.END, probe="name=other return=mem:1:-1")
    check("the name of the tool", 'tool "other"' in r.err, r.err)
    here = os.getcwd()
    os.chdir(tmp)
    shutil.copy(PROBE, "here.so")
    r = run(mem() + kit.END, tools=("here.so",))
    os.chdir(here)
    same("a name without a folder is a file here", (r.status, r.out.count("0 mem")), (0, 1))


def test_fails_early():
    """What began finishes, also when nothing comes in between."""
    first = b"\xe0"
    other = f"{tmp}/no-directory"
    with open(other, "w", encoding="ascii"):
        pass
    for what, stream, options, text in (("no such directory", kit.END, ["-o", f"{other}/out"], "error[write]: cannot create the directory"),
                                        ("no directory", kit.END, ["-o", other], "error[write]: cannot create"),
                                        ("the first event is wrong", first, [], "error[prism]: PB02")):
        r = run(stream, *options)
        check(what, r.status == 1 and text in r.err, r.status, r.err)
        same(f"{what}: the tool finishes", r.out, "0 begin\n0 finish\n")


def test_interrupt():
    words = [EMU, "-q", "-o", f"{tmp}/interrupt", "--prism", "-", "--prism-hooks", PROBE]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PROBE": "live"}) as p:
        alarm = threading.Timer(60, p.kill)
        alarm.start()
        p.stdin.write(swap(1) + mem())
        p.stdin.flush()
        seen = [p.stdout.readline() for _ in range(3)]
        p.send_signal(signal.SIGINT)
        rest = p.stdout.read()
        p.stdin.close()
        status = p.wait()
        alarm.cancel()
    check("a signal: finish is called, and all is well", (status, rest) == (0, b"0 finish\n") and b" mem " in seen[2], status, rest, seen)


def test_live_channels():
    """Rows that come as the stream is read show what those do that are known."""
    acts = "quiet channel=a:0:1 channel=b:1:0 channel=c:2:1 channel=d:0:2 at=mem:1:set:480:5 at=mem:1:set:483:1 at=mem:1:push:481:6 " \
        "at=mem:2:punctual:482:7 at=mem:2:push:481:8 at=mem:3:push:481:9 at=mem:3:set:480:4 at=mem:4:pop:481:9 at=mem:4:set:483:2"
    data = swap(1) + mem() + swap(2) + mem() + swap(3) + mem() + mem() + swap(1) + cxt(kit.BB, 1) + kit.END
    plain = run(data, probe=acts)
    live = f"{tmp}/live-channels"
    p = subprocess.run([EMU, "-q", "-o", live, "--prism", "-", "--prism-hooks", PROBE], input=data, capture_output=True, check=False,
                       env={**os.environ, "PROBE": acts})
    same("live channels", (p.returncode, p.stderr), (0, b""))
    shown = {480: {1: "1:5", 2: "", 3: "5:4"}, 481: {1: "1:6 2:0 7:6 8:0", 2: "3:8 4:0", 3: "5:9 6:0"}, 482: {1: "", 2: "2:7 3:0", 3: ""}}
    for kind, want in shown.items():
        both(f"channel {kind}", plain, "thread", kind, want)
    plain.dir = live
    for kind, want in shown.items():
        # a row that came late begins with a line of nothing, just before
        got = {row: re.sub(r"^\d+:0 ?", "", values) for row, values in plain.lines("thread", kind).items()}
        same(f"live channel {kind}", got, want)
    same("live channel 483", plain.lines("cpu", 483), {1: "1:1 6:2", 2: ""})


def test_none():
    """Without timelines tools see the same, and the same is told of what is wrong."""
    two = [swap(1) + mem() * 3 + enter("f") + mem() * 2 + comp() + kit.END, mem() + swap(2) + enter("g") + (mem() + comp()) * 4 + kit.END]
    torn = swap(1) + mem() * 5 + bytes([0x18])
    cases = [(kit.WORKED, "inside", ()), (two, "inside add=2 return=mem:3:1:1", ()), (two, "return=mem:3:-1", ()), (two, "return=comp:1:7 add=1", ()),
             (two, "quiet at=mem:6:fail:1:why", ()), (two, "needs=mem:1", ()), (two, "needs=mem:1", ("--prism-needs=skip",)), (torn, "", ()),
             (two, "", ("--prism-clock=mode=instr",)), (torn, "", ("--lenient",)), (two, "", ("--prism-interval=events:2", "--prism-events=all", "--prism-insn")),
             (swap(1) + mem() + leave("f") + mem() + kit.END, "", ()), (swap(1) + leave("f") + kit.END, "", ("--lenient",)),
             ([swap(1) + mem() * 2 + kit.END, mem() + swap(1) + kit.END], "", ()), (kit.WORKED, "channel=a:1:0 at=mem:1:push:480:1 at=mem:2:pop:480:2", ()),
             (kit.WORKED, "channel=a:1:0 at=mem:1:push:480:1 at=mem:2:pop:480:1", ()), ((mem() + comp() + kit.END).ljust(300, b"\0") + mem(), "", ("--prism-set", "buffer_size=300"))]
    for streams, probe, options in cases:
        shown = run(streams, *options, probe=probe)
        none = run(streams, *options, "-f", "none", probe=probe)
        what = f"-f none with {probe} {options}"
        same(what, (none.status, none.out), (shown.status, shown.out))
        same(f"{what}: told", none.err, shown.err.replace(f"{tmp}/{counter - 1}/", f"{tmp}/{counter}/"))
        check(f"{what}: writes nothing", not os.path.exists(none.dir))
    p = subprocess.run([EMU, "-q", "-f", "none", "--prism", "-", "--prism-hooks", PROBE], input=kit.WORKED, capture_output=True, check=False,
                       env={**os.environ, "PROBE": ""})
    same("-f none of stdin", (p.returncode, p.stdout.decode(), p.stderr), (0, ALL, b""))
    long = swap(1) + (mem() * 3000 + comp() * 2 + enter("f")) * 3 + kit.END
    none, shown = (run(long, "-f", f, probe="only=mem only=comp only=cxt") for f in ("none", "prv"))
    same("-f none of many events", (none.out, none.err), (shown.out, shown.err))
    # more threads than live input has rows by default, and several processes; no tool at all
    many = b"".join(swap(i) + mem() for i in range(1, 700)) + kit.END
    r = run(many, "-f", "none", probe="only=mem")
    same("-f none with many threads", (r.status, re.findall(r"thread=(\d+)", r.out)), (0, [str(i) for i in range(1, 700)]))
    r = run(many, "-f", "none", tools=())
    same("-f none without tools", (r.status, r.out, r.err), (0, "", ""))
    p = subprocess.run([EMU, "-f", "none", "--prism", f"{tmp}/{counter}/0.prism"], capture_output=True, text=True, check=False)
    check("-f none counts all events", re.search(r"\b1400 events of 699 threads", p.stderr), p.stderr)


def test_fail():
    for f in ("begin", "mem", "finish"):
        for more in ("", " ignore"):
            r = run(swap(1) + mem() * 2 + kit.END, probe=f"quiet at={f}:1:fail:42:why{more}")
            check(f"fails with a reason in {f}{more}", r.status == 1 and r.err.count("error[") == 1 and
                  re.match(r'ovniemu: error\[hooks\]: tool "probe"( \(.*\))?: why 42\n  (at|in)? ?', r.err) and ("clock" in r.err) == (f == "mem"), r.err)


def test_clock():
    r = run(swap(1) + mem() * 2 + cxt(kit.INSN, 1) + mem() + kit.END, "--prism-clock=start=100,tick_ns=5", probe="")
    same("the clock of events", re.findall(r"ns=(\d+)", r.out), ["100", "105", "110", "115", "120", "120"])
    r = run(swap(1) + mem() * 2 + cxt(kit.INSN, 1) + mem() + kit.END, "--prism-clock=mode=instr,start=100,tick_ns=5", probe="only=mem")
    same("the clock of instructions", re.findall(r"ns=(\d+)", r.out), ["100", "100", "105"])


# ---- Damaged streams. ----

def test_lenient():
    data = swap(1) + bytes([0x5f]) + bytes(8) + bytes([0x40]) + bytes(8) + bytes([0xb4, 0xff, 0xb8, 1]) + cfg("mem", 0xff) + mem("invalid", 2, 1, 1) + \
        cfg("comp", 0xf8) + comp(3, 0, bytes([200, 0, 1])) + cxt(kit.EXIT, "f") + kit.END
    r = run(data, "--lenient", probe="")
    same("lenient: status", r.status, 0)
    same("lenient: no type beyond the known ones", re.findall(r"type=(\d+):", r.out), ["5", "0", "0"])
    same("lenient: config events of no kind are not given", re.findall(r"target=(\S+) before=(\w+) after=(\w+)", r.out),
         [("memory", "00", "f0"), ("compute", "00", "f8")])
    same("lenient: type and format", re.findall(r"(?:type|format)=(undefined)", r.out), ["undefined", "undefined"])
    check("lenient: the exit is given", "type=function exit id=0 name=1:f" in r.out, r.out)


def test_live():
    p = subprocess.run([EMU, "-q", "-o", f"{tmp}/live", "--prism", "-", "--prism-hooks", PROBE], input=kit.WORKED, capture_output=True, check=False,
                       env={**os.environ, "PROBE": ""})
    same("stdin", p.stdout.decode(), ALL)
    same("stdin: status", (p.returncode, p.stderr), (0, b""))
    # called for each event while the next one is not there yet; the writer dies inside one
    words = [EMU, "-q", "-o", f"{tmp}/fifo", "--prism", "-", "--prism-hooks", PROBE]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PROBE": "live"}) as p:
        alarm = threading.Timer(60, p.kill)
        alarm.start()
        same("live: begin", p.stdout.readline(), b"0 begin\n")
        for i, event in enumerate([swap(1), mem(), comp(), enter("f"), swap(2), cfg("mem", 0xe0)]):
            p.stdin.write(event)
            p.stdin.flush()
            line = p.stdout.readline().decode()
            check(f"live: event {i} at once", f" seq={i} " in line, line)
        p.stdin.write(mem(addr=1)[:5])
        out, err = p.communicate()
        alarm.cancel()
    same("live: the end", (p.returncode, out), (0, b"0 finish\n"))
    check("live: the end is told", b"PB01" in err, err)


for name_, test in list(globals().items()):
    if name_.startswith("test_"):
        test()
shutil.rmtree(tmp, ignore_errors=True)
print(f"{n - bad} passed, {bad} failed")
sys.exit(1 if bad else 0)
