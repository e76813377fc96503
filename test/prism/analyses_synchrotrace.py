#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Event files of SynchroTrace say what random programs did, in the words of the simulator's parser, and what one did that is looked
at by hand.

usage: analyses_synchrotrace.py OVNIEMU SYNCHROTRACE.so [SEED]
"""
import collections
import glob
import gzip
import os
import random
import re
import sys
import tempfile

import hooks_kit as kit
from analyses_kit import Analyser, Program

EMU, TOOL = (os.path.abspath(p) for p in sys.argv[1:3])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
ROUNDS = 24 // int(os.environ.get("TEST_SHARE", "1")) or 1
TYPES = {kit.LOCK: 1, kit.UNLOCK: 2, kit.CREATE: 3, kit.JOIN: 4, kit.BARRIER: 5, kit.COND_WAIT: 6, 9: 7, 10: 8, kit.SPIN_LOCK: 9, kit.SPIN_UNLOCK: 10}
# What the parser takes.
LINE = re.compile(r"@ \d+,\d+,\d+,\d+ (\$ 0x[0-9a-f]+ 0x[0-9a-f]+ )*(\* 0x[0-9a-f]+ 0x[0-9a-f]+ )*|(# \d+ \d+ 0x[0-9a-f]+ 0x[0-9a-f]+ )+|"
                  r"\^ \d+\^0x[0-9a-f]+(&0x[0-9a-f]+)?|! 4096")
MASK = (1 << 56) - 1
bad = n = 0


def same(what, got, want):
    global bad, n
    n += 1
    if got != want:
        bad += 1
        print(f"FAILED: {what}\ngot:\n{got}\nwant:\n{want}")


def files(folder):
    """The text of each file by its number, and the table of threads."""
    out = {}
    for path in glob.glob(f"{folder}/sigil.events.out-*.gz"):
        with open(path, "rb") as f:
            data = f.read()
        out[int(re.search(r"-(\d+)\.gz", path).group(1))] = (gzip.decompress(data) if data else b"").decode().splitlines()
    with open(f"{folder}/sigil.pthread.out", encoding="utf-8") as f:
        return out, f.read()


SMALL = {
    1: ["@ 1,0,0,1 $ 0x1000 0x1007 ", "^ 3^0x77", "@ 0,1,0,0 ", "^ 5^0xb0", "^ 4^0x77", "^ 3^0x78"],
    2: ["# 1 0 0x1004 0x1007 # 1 0 0x1000 0x1003 ", "@ 0,0,2,0 * 0x1004 0x100b ", "^ 6^0xc0&0xc8", "^ 5^0xb0"],
    3: [],
}

SMALL_REPORT = """\
event files of SynchroTrace in {}: 3 threads of process 1
1 joins were left out: nobody had made those threads

number     thread       compute communication          sync          iops         flops         reads        writes  instructions         bytes
     1          1             2             0             4             1             1             0             1             0             0
     2          2             1             1             2             0             0             3             0             1             8
     3          0             0             0             0             0             0             0             0             0             0
"""


def small(analyser, where):
    """Thread 1 writes 8 bytes, thread 2 reads half of them, then all, of which those are its own now, and 4 more; a thread is made that does nothing."""
    os.makedirs(where)
    data = (kit.cfg("mem", 0xe0) + kit.cfg("comp", 0xc0) + kit.swap(1) + kit.comp(1) + kit.mem("store", 3, 0x1000) + kit.sync(kit.CREATE, 0x77) + kit.swap(2) +
            kit.mem("load", 2, 0x1004) + kit.mem("load", 3, 0x1000) + kit.cxt(kit.INSN, 5) + kit.mem("load", 3, 0x1004) + kit.sync(kit.COND_WAIT, 0xc0, 0xc8) +
            kit.sync(kit.BARRIER, 0xb0) + kit.swap(1) + kit.comp(2) + kit.sync(kit.BARRIER, 0xb0) + kit.sync(kit.JOIN, 0x77) + kit.sync(kit.JOIN, 0x79) +
            kit.sync(kit.CREATE, 0x77) + kit.END)
    with open(f"{where}/s.prism", "wb") as f:
        f.write(data)
    options = ["--prism", f"{where}/s.prism"]
    same("small", analyser.run(options, f"{TOOL} dir={where}/st"), (SMALL_REPORT.format(f"{where}/st"), ""))
    got, table = files(f"{where}/st")
    same("small: files", got, SMALL)
    same("small: threads", table, "##119,2\n##120,3\n**176,1,2,\n")
    for words, why in (("", "dir=DIR"), (f"dir={where}/st", "cannot be written"), (f"dir={where}/s.prism", "cannot be"), ("accesses=101 dir=x", "accesses"),
                       ("dir=/proc/no", "cannot be made")):
        err = analyser.run(options, f"{TOOL} {words}", status=1)[1]
        same(f"{words}: {err}", why in err, True)
    # Creates of one object have the numbers behind it; each is a file, so they are counted.
    for creates, status in ((20, 0), (32767, 1)):
        with open(f"{where}/creates.prism", "wb") as f:
            f.write(kit.swap(1) + kit.sync(kit.CREATE, 0x77) * creates + kit.END)
        err = analyser.run(["--prism", f"{where}/creates.prism"], f"{TOOL} dir={where}/creates{creates}", status=status)[1]
        same(f"{creates} creates", "there are more than 32767 threads" in err, status == 1)
    same("objects", files(f"{where}/creates20")[1], "".join(f"##{119 + i},{2 + i}\n" for i in range(20)))
    # 40,000 loads are several writes of a file, and markers of instructions
    with open(f"{where}/many.prism", "wb") as f:
        f.write(kit.cfg("mem", 0xe0) + kit.swap(1) + b"".join(kit.mem("load", 2, i * 4099 & MASK) + kit.cxt(kit.INSN, i) for i in range(40000)) + kit.END)
    analyser.run(["--prism", f"{where}/many.prism"], f"{TOOL} dir={where}/many")
    got, _ = files(f"{where}/many")
    same("many", (sum(line.count("*") for line in got[1]), got[1].count("! 4096"), len(got[1])), (40000, 9, 409))


class Thread:
    def __init__(self):
        self.lines = []
        self.events = 0
        self.communicated = 0
        self.reset()

    def reset(self):
        self.ops, self.count = [0, 0], {"load": 0, "store": 0}
        self.bytes = {"load": set(), "store": set()}
        self.active = False
        self.edges = []

    def end(self, compute=True, communication=True):
        if compute and self.active:
            text = f"@ {self.ops[0]},{self.ops[1]},{self.count['load']},{self.count['store']} "
            for kind, sign in (("store", "$"), ("load", "*")):
                ordered = sorted(self.bytes[kind])
                begins = [b for b in ordered if b - 1 not in self.bytes[kind]]
                ends = [b for b in ordered if b + 1 not in self.bytes[kind]]
                text += "".join(f"{sign} {a:#x} {b:#x} " for a, b in zip(begins, ends))
            edges = self.edges
            self.reset()
            self.edges = edges
            self.add(text)
        if communication and self.edges:
            runs = []
            for who, event, byte in self.edges:
                if runs and runs[-1][:2] == [who, event] and runs[-1][3] + 1 == byte:
                    runs[-1][3] = byte
                else:
                    runs.append([who, event, byte, byte])
            self.communicated += len(self.edges)
            self.edges = []
            self.add("".join(f"# {w} {e} {a:#x} {b:#x} " for w, e, a, b in runs))

    def add(self, text):
        self.lines.append(text)
        self.events += 1


def signed(addr):
    return addr | 0xff << 56 if addr >> 55 else addr


def expected(program, accesses):
    threads, numbers = [], {}
    writer, readers = {}, collections.defaultdict(set)
    creates, newest, barriers, running = [], {}, collections.defaultdict(set), {}
    fresh = collections.deque()  # threads without a create
    process = program.events[0].process
    for e in program.events:
        if e.process != process:
            continue
        if e.thread not in numbers:
            threads.append(Thread())
            numbers[e.thread] = len(threads)
            free = [c for c in creates if not c["thread"]]
            if len(threads) > 1 and free:
                free[0]["thread"] = len(threads)
            elif len(threads) > 1:
                fresh.append(len(threads))
        me = numbers[e.thread]
        t = threads[me - 1]
        if running.get(e.stream, me) != me:
            threads[running[e.stream] - 1].end()
        running[e.stream] = me
        if e.what == "comp" and e.type:
            t.end(compute=False)
            t.ops[e.type - 1] += 1
            t.active = True
        elif e.what == "sync":
            args = list(e.args)
            if e.type == kit.CREATE:
                key = args[0]
                while key in [c["key"] for c in creates]:
                    key += 1
                creates.append({"key": key, "thread": fresh.popleft() if fresh else 0})
                newest[args[0]] = key
                args[0] = key
            if e.type == kit.JOIN:
                if args[0] not in newest:
                    continue
                args[0] = newest[args[0]]
            if e.type == kit.BARRIER:
                barriers[args[0]].add(me)
            t.end()
            t.add(f"^ {TYPES[e.type]}^" + "&".join(f"{a:#x}" for a in args))
        elif e.what == "mem" and e.type != "undefined":
            span = range(e.addr, min(e.addr + e.size, 1 << 56))
            if e.type == "store":
                t.end(compute=False)
                for b in span:
                    writer[b] = (me, t.events)
                    readers.pop(b, None)
                local = list(span)
            else:
                far = [b for b in span if b in writer and writer[b][0] != me and me not in readers[b]]
                local = [b for b in span if b not in far]
                if far:
                    t.end(communication=False)
                    t.edges += [(*writer[b], b - e.addr + signed(e.addr)) for b in far]
                for b in span:
                    readers[b].add(me)
            if local:
                t.end(compute=False)
                t.active = True
                t.count[e.type] += 1
                t.bytes[e.type].update(b - e.addr + signed(e.addr) for b in local)
            if max(t.count.values()) >= accesses:
                t.end(communication=False)
    for t in threads:
        t.end()
    for c in creates:
        if not c["thread"]:
            threads.append(Thread())
            c["thread"] = len(threads)
    table = "".join(f"##{c['key']},{c['thread']}\n" for c in creates)
    table += "".join(f"**{b},{''.join(f'{t},' for t in sorted(who))}\n" for b, who in sorted(barriers.items()))
    return {i + 1: t.lines for i, t in enumerate(threads)}, table, [t.communicated for t in threads]


with tempfile.TemporaryDirectory() as tmp:
    runs = Analyser(EMU, tmp)
    small(runs, f"{tmp}/small")
    for k in range(ROUNDS):
        rng = random.Random(SEED + k)
        p = Program(rng, count=1000)
        if not p.events:
            continue
        most = rng.choice((1, 3, 100))
        what = f"seed {SEED} round {k} accesses {most}"
        result = runs.json(p.write(f"{tmp}/{k}"), f"{TOOL} accesses={most} dir={tmp}/{k}/st")
        got, table = files(f"{tmp}/{k}/st")
        want, want_table, communicated = expected(p, most)
        same(what, got, want)
        same(f"{what}: threads", table, want_table)
        same(f"{what}: lines", [line for lines in got.values() for line in lines if not LINE.fullmatch(line)], [])
        same(f"{what}: bytes", [t["bytes"] for t in result["threads"]], communicated)
print(f"{n - bad} passed, {bad} failed")
sys.exit(1 if bad else 0)
