#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A naive twin of the emulator.

It reads a trace directory by itself and computes, for each (file, row, type), the
exact sequence of (time, value) that the PRV file must hold, the row names, the
labels of task types and the duration. Nothing here is fast; each view follows the text that defines it:

  compat    channels with a dirty list, muxes and row flags, as in ovni 1.14
  default   after each event the value that each row shows is computed again from
            the state of the machine, and printed when it differs

usage: twin.py [--compat] [-b] [-l] TRACEDIR  print the result
       twin.py --check-conformance DIR        compare with the recorded cases of DIR
       twin.py --check-golden DIR             compare with the golden cases of DIR
       twin.py --compare OUTDIR [--compat] TRACEDIR   compare with emulator output
"""
import argparse
import collections
import json
import os
import re
import struct
import sys
import tempfile

HOUR = 3600 * 10**9
TOO_MANY = 777
UNKNOWN, RUNNING, PAUSED, DEAD, COOLING, WARMING = range(6)
ACTIVE = (RUNNING, COOLING, WARMING)

# name -> letter, version; what a thread must be to emit its events
MODELS = {"ovni": ("O", 1, 1), "kernel": ("K", 1, 0), "nosv": ("V", 2, 7), "nanos6": ("6", 1, 1),
          "nodes": ("D", 1, 0), "openmp": ("P", 1, 2), "tampi": ("T", 1, 0), "mpi": ("M", 1, 0)}
NEEDS = {"V": ACTIVE, "6": ACTIVE, "D": (RUNNING,), "P": (RUNNING,), "T": (RUNNING,), "M": (RUNNING,)}

Decl = collections.namedtuple("Decl", "model kind dup track flag")
# PRV type -> its channel. dup: may be written with the value that it holds
DECL = {int(line.split()[1]): Decl(line[0], *line.split()[2:]) for line in """\
V 15 single dup    run SKIPDUPNULL
V 10 single nodup  run SKIPDUPNULL
V 11 single dup    run SKIPDUPNULL
V 12 single dup    run SKIPDUPNULL
V 13 stack  dup    act SKIPDUPNULL
V 14 single dup    run SKIPDUPNULL
V 16 single nodup  run SKIPDUPNULL
6 35 single nodup  run SKIPDUP
6 36 single dup    run EMITDUP
6 37 stack  nodup  act SKIPDUP
6 38 single dup    run EMITDUP
6 39 stack  nodup  any SKIPDUP
6 40 single nodup  run SKIPDUP
D 30 stack  nodup  act SKIPDUP
M 25 stack  nodup  run SKIPDUP
T 20 stack  nodup  act SKIPDUP
P 50 stack  dup    act SKIPDUPNULL
P 51 stack  dup    act SKIPDUPNULL
P 52 stack  dup    act SKIPDUPNULL""".splitlines()}
COUNTER = Decl("V", "single", "dup", "act", "SKIPDUPNULL ZERO")
IDLE = {16: 100, 40: 100}  # and its value in all threads before the first event
RESTING = 101  # of a physical CPU without running thread
SUBSYSTEM = {"V": 13, "6": 37, "D": 30, "M": 25, "T": 20, "P": 50}
LABEL = {"V": 11, "6": 36, "P": 51}
BREAKDOWN = {"V": 17, "6": 41, "P": 53}

# Events without arguments. Type, then '+' and categories of begin, end and value.
PAIRS = """
13 +VS hf6 []7 Nn7 +VU []8 +VM aA9 fF10 +VA rR12 dD13 sS14 pP15 yY16 wW17 cC18 aA19 eE20 lL21 tT22
   uU23 bB24 oO25 gG26 kK27 jJ28 mM29 iI30 nN31 +VH wW32 dD33
37 +6W []19 tT18 wW20 mM21 sS22 rR23 gG24 +6C []3 +6U []4 +6F []5 +6O []6 +6M aA16 fF17
   +6D rR10 uU11 +6S []9 aA7 pP8 +6B bB14 uU15 wW12 fF13
39 +6H eE4 wW3 lL1 mM2
30 +DR []1 +DU []2 +DW []3 +DI []4 +DT []5 +DC []6 +DS []7 +DP []8
20 +TC iI1 +TG cC2 +TL iI3 pP4 +TQ aA5 tT6 +TR cC7 tT8 aA9 sS10 +TT cC11 wW12
25 +MU iI1 tT2 fF3 +MW []4 aA5 yY6 sS7 +MT []8 aA9 yY10 sS11 +MR []12 sS17 oO18 +MS []13 bB14 rR15
   sS16 +Mr []19 sS24 oO25 +Ms []20 bB21 rR22 sS23 +MA gG26 rR27 aA28 +MC bB29 sS36 eE37 +MD bB30
   gG31 sS35 +ME []32 sS33 bB34 +Ma gG38 rR39 aA40 +Mc bB41 sS48 eE49 +Md bB42 gG43 sS47
   +Me []44 sS45 bB46
50 +PB fF1 jJ2 bB3 tT5 +PI aA6 rR7 []8 +PW dD9 cC10 yY11 sS12 eE13 iI14 +PT aA15 cC16 dD17 rR18 []19
   iI20 sS21 gG22 tT23 wW24 yY25 +PA []26 +PC fF27 iI28 +PM iI29 uU30 +PH []31
"""
# in --compat these are without effect, as those of NOTHING are in both views
PUNCTUAL = {"VSr": (13, 34), "VSs": (13, 35), "VS@": (13, 36),
            "6Sr": (37, 60), "6Ss": (37, 61), "6S@": (37, 62), "6W*": (37, 65)}
NOTHING = ("VHa", "VHA", "6t[", "6t]", "6TC", "PBs", "PBS")


def operations():
    """mcv -> (operation, type, value)"""
    ops = {mcv: ("punctual", *what) for mcv, what in PUNCTUAL.items()}
    ops.update({mcv: ("nothing", None, None) for mcv in NOTHING})
    for model, kind in ("V", 16), ("6", 40):
        ops.update({f"{model}P{v}": ("set", kind, i) for v, i in (("p", 100), ("r", 101), ("a", 102))})
    for word in PAIRS.split():
        if word.isdigit():
            kind = int(word)
        elif word[0] == "+":
            category = word[1:]
        else:
            ops[category + word[0]] = ("push", kind, int(word[2:]))
            ops[category + word[1]] = ("pop", kind, int(word[2:]))
    return ops


OPERATIONS = operations()


def parse_types(text):
    """'1-4 7' -> {1, 2, 3, 4, 7}"""
    types = set()
    for word in text.split():
        first, _, last = word.partition("-")
        types |= set(range(int(first), int(last or first) + 1))
    return types


def label_value(label):
    """The value of a task type: a hash of the bytes of its label."""
    mask, a, b, c = 2**32 - 1, 0x9e3779b9, 0x9e3779b9, 0xfeedbeef

    def mix(a, b, c):
        for x, y, z in (13, 8, 13), (12, 16, 5), (3, 10, 15):
            a = ((a - b - c) & mask) ^ (c >> x)
            b = ((b - c - a) & mask) ^ ((a << y) & mask)
            c = ((c - a - b) & mask) ^ (b >> z)
        return a, b, c

    whole = len(label) // 12 * 12
    for at in range(0, whole, 12):
        x, y, z = struct.unpack_from("<III", label, at)
        a, b, c = mix((a + x) & mask, (b + y) & mask, (c + z) & mask)
    rest = label[whole:]
    x, y, z = struct.unpack("<III", rest[:8].ljust(8, b"\0") + b"\0" + rest[8:].ljust(3, b"\0"))
    c = mix((a + x) & mask, (b + y) & mask, (c + z + len(label)) & mask)[2]
    value = (c + 666) & 0x7fffffff
    return value if value >= 1000 else value + 1000


class TraceError(Exception):
    pass


class Again(Exception):
    """What the machine must have known from the beginning: the letter of a model, or the type
    and the kind of marks."""


def check(condition, message):
    if not condition:
        raise TraceError(message)


# ---------------------------------------------------------------- reading ----

Event = collections.namedtuple("Event", "clock mcv payload jumbo")


class Thread:
    """A thread and its stream."""

    def __init__(self, relpath, meta):
        self.relpath, self.meta = relpath, meta
        self.events, self.truncated = [], False
        self.state, self.cpu, self.out = UNKNOWN, None, False
        self.flush, self.kernel, self.marks = None, [], {}
        self.values = {}  # type -> stack of values, at most one in a single
        self.bodies = {"V": [], "6": [], "P": []}  # those that began and did not end

    def number(self, key):
        value = self.meta.get(key, 0)
        ok = isinstance(value, (int, float)) and not isinstance(value, bool)
        return int(value) if ok else 0

    def ended(self):
        """Does the metadata say that the thread ended well?"""
        return self.number("finished") == 1

    def no_end_told(self):
        """Version 1 does not tell, unless the process has no metadata at all."""
        return self.version == 1 and not self.meta.get("no_process")

    def running(self):
        return self.state == RUNNING

    def active(self):
        return self.state in ACTIVE


class Cpu:
    def __init__(self, index, phyid):
        self.index, self.phyid, self.threads = index, phyid, []

    def running(self):
        return [t for t in self.threads if t.running()]


class Proc:
    def __init__(self, pid):
        self.pid, self.app, self.rank, self.nranks, self.threads = pid, None, None, None, []
        self.types = {"V": {}, "6": {}, "P": {}}  # id -> label, in order of creation
        self.tasks = {"V": {}, "6": {}, "P": {}}


class Loom:
    def __init__(self, name):
        self.name, self.procs, self.cpus, self.offset = name, {}, {}, 0
        self.host = name.split(".")[0]


def read_stream(path):
    """The whole events of a stream and whether it ends in the middle of one."""
    data = open(path, "rb").read()
    check(data[:8] == b"ovni" + struct.pack("<I", 1), f"bad header in {path}")
    events, at = [], 8
    while at < len(data):
        if len(data) - at < 12:
            return events, True
        flags, mcv, clock = struct.unpack_from("<B3sq", data, at)
        if flags & 0x10:
            if len(data) - at < 16:
                return events, True
            size = 16 + struct.unpack_from("<I", data, at + 12)[0]
        else:
            size = 12 + (flags & 15) + (1 if flags & 15 else 0)
        if size > len(data) - at:
            return events, True
        jumbo = flags & 0x10 != 0
        events.append(Event(clock, mcv.decode("latin-1"), data[at + (16 if jumbo else 12):at + size], jumbo))
        at += size
    return events, False


def find_threads(tracedir):
    """The streams in path order, with the metadata of all versions in v3 words."""
    found = []
    for top, dirs, files in os.walk(tracedir, followlinks=True):
        rel = os.path.relpath(top, tracedir)
        for name in files:
            path = os.path.join(top, name)
            if name == "stream.json":
                meta = json.load(open(path))
                check(meta.get("version") == 3, f"bad version in {path}")
                found.append((rel, f"{top}/stream.obs", {**meta["ovni"], "nosv": meta.get("nosv")}, 3))
            elif name.endswith(".obs") and name != "stream.obs" or re.match(r"thread\.\d+$", name):
                found.append((f"{rel}/{name}", path, *old_meta(tracedir, f"{rel}/{name}")))
    check(found, "no streams")
    check(len({f[3] for f in found}) == 1, "mixed metadata versions")
    found.sort(key=lambda f: os.fsencode(f[0]))
    threads = []
    for rel, path, meta, version in found:
        check(os.path.exists(path), f"no {path}")
        t = Thread(rel, meta)
        t.version = version
        t.events, t.truncated = read_stream(path)
        threads.append(t)
    return threads


def old_meta(tracedir, rel):
    """Metadata versions 1 and 2: the path is the identity."""
    loom, proc, stream = rel.split("/")
    tid = int(stream.split(".")[1])
    tpath = os.path.join(tracedir, loom, proc, f"thread.{tid}.json")
    path = os.path.join(tracedir, loom, proc, "metadata.json")
    crashed = not os.path.exists(path)
    pmeta = {"version": 2 if os.path.exists(tpath) else 1} if crashed else json.load(open(path))
    version = pmeta["version"]
    check(version in (1, 2), "bad version")
    meta = {"loom": loom[len("loom."):], "pid": int(proc.split(".")[1]), "tid": tid, "no_process": crashed}
    for key in ("app_id", "rank", "nranks"):
        if key in pmeta:
            meta[key] = pmeta[key]
    if "cpus" in pmeta:
        meta["loom_cpus"] = pmeta["cpus"]
    if version == 2:
        tmeta = json.load(open(tpath))
        for key in ("require", "mark"):
            if key in tmeta["ovni"]:
                meta[key] = tmeta["ovni"][key]
        meta["finished"] = tmeta["ovni"].get("finished", 0)
        meta["nosv"] = tmeta.get("nosv")
    return meta, version


class System:
    """Looms, processes, threads and CPUs in row order."""

    def __init__(self, tracedir, offsets=None, strict=False, have=None, learned=()):
        self.strict, self.learned = strict, learned
        self.have = {name: version for name, version in MODELS.items() if have is None or name in have}
        self.streams = find_threads(tracedir)
        self.version = self.streams[0].version
        for t in self.streams:
            check(not strict or t.version == 1 or t.ended(), f"{t.relpath}: not finished")
            check(not strict or not t.meta.get("no_process"), f"{t.relpath}: no metadata.json")
        # A program died: what it did not write is made up.
        self.unfinished = not strict and any(self.died(t) for t in self.streams)
        looms = {}
        for t in self.streams:
            self.place(looms, t)
        self.order(looms)
        path = offsets or os.path.join(tracedir, "clock-offsets.txt")
        if offsets or os.path.exists(path):
            self.read_offsets(path)
        self.gate()
        self.read_require()
        self.kernel = "K" in self.enabled
        self.read_marks()
        self.decl = {kind: d for kind, d in DECL.items() if d.model in self.enabled}
        self.read_counters()
        for t in self.threads:
            t.values = {kind: [IDLE[kind]] if kind in IDLE else [] for kind in self.decl}

    def place(self, looms, t):
        """Put a thread in its process and loom, and merge what it says of both."""
        name, pid, t.tid = t.meta.get("loom"), t.number("pid"), t.number("tid")
        check(isinstance(name, str) and "/" not in name, "bad loom name")
        check(pid > 0 and t.tid > 0, "bad pid or tid")
        t.loom = loom = looms.setdefault(name, Loom(name))
        t.proc = proc = loom.procs.setdefault(pid, Proc(pid))
        check(t.tid not in [x.tid for x in proc.threads], "repeated tid")
        proc.threads.append(t)
        cpus = t.meta.get("loom_cpus")
        if isinstance(cpus, list):
            check(cpus, "empty loom_cpus")
            for c in cpus:
                index, phyid = int(c.get("index", 0)), int(c.get("phyid", 0))
                check(index >= 0 and phyid >= 0, "negative CPU")
                check(loom.cpus.setdefault(phyid, Cpu(index, phyid)).index == index,
                      "one CPU with two indices")
        if "app_id" in t.meta:
            check(t.number("app_id") > 0, "bad app_id")
            check(proc.app in (None, t.number("app_id")), "two app_ids in a process")
            proc.app = t.number("app_id")
        if "rank" in t.meta:
            pair = t.number("rank"), t.number("nranks")
            check(0 <= pair[0] < pair[1], "bad rank")
            check((proc.rank, proc.nranks) in ((None, None), pair), "two ranks in a process")
            proc.rank, proc.nranks = pair

    def order(self, looms):
        for loom in looms.values():
            ranks = [p.rank for p in loom.procs.values()]
            check(None not in ranks or ranks == [None] * len(ranks), "some ranks are missing")
            loom.rank = None if None in ranks else min(ranks)
            loom.procs = sorted(loom.procs.values(),
                                key=lambda p: p.pid if loom.rank is None else p.rank)
        self.looms = sorted(looms.values(), key=lambda x: os.fsencode(x.name))
        if all(x.rank is not None for x in self.looms):
            first = list(looms.values()).index
            self.looms = sorted(self.looms, key=lambda x: (x.rank, first(x)))
        self.threads, self.cpus = [], []
        self.thread_names, self.cpu_names = [], []
        for number, loom in enumerate(self.looms):
            for proc in loom.procs:
                check(proc.app is not None or self.version < 3, "no app_id")
                proc.app = proc.app or 0  # the process died before it could tell
                proc.threads.sort(key=lambda t: t.tid)
                for t in proc.threads:
                    self.threads.append(t)
                    self.thread_names.append(f"TH {proc.app}.{t.tid}")
            self.guess_cpus(loom)
            lacks = not self.strict and any(self.died(t) for p in loom.procs for t in p.threads)
            check(loom.cpus or lacks, "loom without CPUs")
            physical = sorted(loom.cpus.values(), key=lambda c: c.phyid)
            check(sorted(c.index for c in physical) == list(range(len(physical))), "bad CPU indices")
            loom.by_index = {c.index: c for c in physical}
            loom.by_index[-1] = Cpu(-1, -1)
            threads = sorted((t for p in loom.procs for t in p.threads), key=lambda t: (t.proc.pid, t.tid))
            own = self.all_virtual(threads)
            for t in threads:
                t.virtual = Cpu(-1, -1) if own else loom.by_index[-1]
            for c in physical:
                self.cpus.append(c)
                self.cpu_names.append(f" CPU {number}.{c.phyid}")
            self.cpus += [t.virtual for t in threads] if own else [loom.by_index[-1]]
            self.cpu_names += [f"vCPU {number}.{t.proc.pid}.{t.tid}" for t in threads] if own else [f"vCPU {number}.*"]
        for i, t in enumerate(self.threads):
            t.gindex = i
        for i, c in enumerate(self.cpus):
            c.gindex = i

    def all_virtual(self, threads):
        """No thread executes in a physical CPU: each gets a virtual one of its own."""
        named = [(ev.mcv, struct.unpack_from("<i", ev.payload)[0]) for t in threads for ev in t.events
                 if ev.mcv in ("OHx", "OAs", "OAr") and len(ev.payload) >= 4]
        begins = any(ev.mcv == "OHx" for t in threads for ev in t.events)
        return not self.strict and begins and not any(0 <= i < 4096 for _, i in named)

    def guess_cpus(self, loom):
        """A crashed thread tells no CPUs: those that events of its loom name are taken."""
        threads = [t for p in loom.procs for t in p.threads]
        if self.strict or all(t.ended() or t.no_end_told() for t in threads):
            return
        named = [struct.unpack_from("<i", ev.payload)[0] for t in threads for ev in t.events
                 if ev.mcv in ("OHx", "OAs", "OAr") and len(ev.payload) >= 4]
        need = max([i + 1 for i in named if 0 <= i < 4096], default=0)
        told = {c.index for c in loom.cpus.values()}
        need = max([need] + [i + 1 for i in told if i < 4096])
        for index in sorted(set(range(need)) - told):
            phyid = index
            while phyid in loom.cpus:
                phyid += 1
            loom.cpus[phyid] = Cpu(index, phyid)

    def read_offsets(self, path):
        lines = [x for x in open(path).read().split("\n")[1:] if x]
        check(lines, "empty offset table")
        seen = set()
        for line in lines:
            fields = line.split()
            if not fields:
                break
            check(len(fields) >= 5, "short line in the offset table")
            host = fields[1]
            looms = [x for x in self.looms if x.host == host]
            check(looms and host not in seen, "host unknown or repeated in the offset table")
            seen.add(host)
            for loom in looms:
                loom.offset = int(float(fields[2]))  # int() truncates towards zero

    @staticmethod
    def died(t):
        return not t.ended() and not t.no_end_told()

    def gate(self):
        first = [t.events[0].clock + t.loom.offset for t in self.streams if t.events]
        check(all(abs(c - first[0]) <= HOUR for c in first), "large clock gate")

    def read_require(self):
        every = {letter for letter, _, _ in self.have.values()}
        self.enabled = every if self.version == 1 else {"O"}
        self.enabled |= {x[0] for x in self.learned if len(x) == 1}
        self.lacks = any(name not in self.have for t in self.threads for name in (t.meta.get("require") or {}))
        for t in self.threads:
            require = t.meta.get("require")
            if not isinstance(require, dict):
                check(self.version < 3 or not t.ended(), "no ovni.require")
                if self.version < 3 or self.strict:
                    self.enabled = every  # the thread may use any model
                continue
            for name, want in require.items():
                if name not in self.have or not isinstance(want, str):
                    continue
                m = re.match(r"(\d+)\.(\d+)\.(\d+)([-.].*)?$", want)
                check(m, f"bad version {want}")
                letter, major, minor = self.have[name]
                check(int(m.group(1)) == major and int(m.group(2)) <= minor, f"version {want} of {name}")
                self.enabled = self.enabled | {letter}

    def read_marks(self):
        """mark type -> 'single' or 'stack', in order of first definition"""
        self.marks, titles, labels = {}, {}, {}
        for t in self.threads:
            for key, mark in t.meta.get("mark", {}).items():
                check(re.match(r"\d{1,2}$", key), "bad mark type")
                n, kind = int(key), mark["chan_type"]
                check(kind in ("single", "stack"), "bad chan_type")
                check(self.marks.setdefault(n, kind) == kind, "two kinds of one mark")
                check(titles.setdefault(n, mark["title"]) == mark["title"], "two titles of one mark")
                for value, label in mark.get("labels", {}).items():
                    check(labels.setdefault((n, int(value)), label) == label, "two labels of one value")
        for n, kind in sorted(x for x in self.learned if len(x) == 2):
            self.marks.setdefault(n, kind)
        for t in self.threads:
            t.marks = {n: [] for n in self.marks}

    def read_counters(self):
        """The names of the hardware counters of nosv."""
        self.counters = {}
        for t in self.threads if "V" in self.enabled else ():
            hwc = (t.meta.get("nosv") or {}).get("hwc")
            if not isinstance(hwc, dict) or not hwc:
                continue
            check(len(self.counters) in (0, len(hwc)), "another number of hardware counters")
            for key, value in hwc.items():
                check(re.match(r"\d{1,2}$", key) and int(key) < len(hwc), "bad index of a hardware counter")
                check(isinstance(value, dict) and isinstance(value.get("name"), str), "counter without name")
                check(self.counters.setdefault(int(key), value["name"]) == value["name"], "two names of a counter")
            check(len(self.counters) == len(hwc), "indices of counters with gaps")
        self.decl.update({200 + i: COUNTER for i in sorted(self.counters)})

    def distinct_names(self):
        """Of threads with one application and tid, those behind the first tell their loom."""
        seen, names = set(), []
        for t, name in zip(self.threads, self.thread_names):
            names.append(f"{name} of {t.loom.name}" if name in seen else name)
            seen.add(name)
        return names

    def breakdowns(self, compat):
        """letter -> name of the trace"""
        out = {letter: name + "-breakdown" for name, letter in (("nosv", "V"), ("nanos6", "6"), ("openmp", "P"))
               if letter in self.enabled}
        if "V" in out:
            # the peer also asks the threads that do not use nosv
            asked = [t for t in self.threads if compat or not isinstance(t.meta.get("require"), dict)
                     or "nosv" in t.meta["require"]]
            # a thread that died before it could tell is not asked
            asked = [t for t in asked if not (self.unfinished and self.died(t) and "can_breakdown" not in (t.meta.get("nosv") or {}))]
            can = [(t.meta.get("nosv") or {}).get("can_breakdown") for t in asked]
            check(all(isinstance(c, bool) for c in can), "nosv.can_breakdown is missing")
            if not all(can) or not can:
                del out["V"]
        return out

    def physical(self):
        return [(row, c) for row, c in enumerate(self.cpus, 1) if c.index >= 0]

    def labels(self, letter):
        """value -> label of the types of all processes"""
        out = {}
        for loom in self.looms:
            for proc in loom.procs:
                for label in proc.types[letter].values():
                    value = label_value(label)
                    check(out.setdefault(value, label) == label, "two labels with one value")
        return out


# ------------------------------------------------------------ the machine ----

class Machine:
    """The state that events change. A view hears of each write."""

    def __init__(self, system, view):
        self.s, self.view = system, view

    def apply(self, t, ev):
        model, category, value = ev.mcv
        letters = {x[0] for x in self.s.have.values()}
        if self.s.lacks and not self.s.strict and model not in letters:
            return  # of a model that is required and not there
        if model not in self.s.enabled and not self.s.strict and model in letters:
            raise Again(model)
        check(model in self.s.enabled, f"model of {ev.mcv} not enabled")
        if model == "K":
            self.kernel(t, ev)
        elif model == "O":
            check(not t.out, "thread out of CPU")
            if category in "BU":
                return
            handler = {"H": self.affair, "A": self.affinity, "C": self.create, "F": self.flush,
                       "M": self.mark}.get(category)
            check(handler, f"unknown event {ev.mcv}")
            handler(t, value, ev.payload)
        else:
            check(t.state in NEEDS[model], "thread in a wrong state")
            check(model != "V" or not t.out, "thread out of CPU")
            self.runtime(t, ev)

    # model kernel

    def kernel(self, t, ev):
        check(ev.mcv in ("KCO", "KCI"), f"unknown event {ev.mcv}")
        check(t.out == (ev.mcv == "KCI"), "already out, or not out")
        t.out = ev.mcv == "KCO"
        t.kernel = [3] if t.out else []
        self.view.kernel(t)

    # model ovni

    def cpu_of(self, t, payload, size=4):
        check(len(payload) >= size, "short payload")
        index = struct.unpack_from("<i", payload)[0]
        if index == -1:
            return t.virtual
        check(index in t.loom.by_index, "bad CPU index")
        return t.loom.by_index[index]

    TRANSITION = {"x": ((UNKNOWN, DEAD), RUNNING), "e": ((RUNNING, COOLING), DEAD),
                  "p": ((RUNNING, COOLING), PAUSED), "r": ((PAUSED, WARMING), RUNNING),
                  "c": ((RUNNING,), COOLING), "w": ((PAUSED,), WARMING)}

    def affair(self, t, value, payload):
        if value == "C":
            return
        check(value in self.TRANSITION, "unknown event")
        cpu = self.cpu_of(t, payload) if value == "x" else t.cpu
        before, after = self.TRANSITION[value]
        check(t.state in before, f"bad transition OH{value} from {t.state}")
        if value == "x":
            t.cpu = cpu
            self.view.thread_cpu(t)
        t.state = after
        self.view.thread_state(t)
        if value == "x":
            cpu.threads.append(t)
        if value == "e":
            cpu.threads.remove(t)
        self.view.cpu(cpu)
        if value == "e":
            t.cpu = None
            self.view.thread_cpu(t)

    def affinity(self, t, value, payload):
        if value == "s":
            check(len(payload) == 4, "bad payload size")
            check(t.active(), "not active")
            cpu = self.cpu_of(t, payload)
            if cpu is not t.cpu:
                self.migrate(t, cpu)
        elif value == "r":
            check(len(payload) == 8, "bad payload size")
            tid = struct.unpack_from("<i", payload, 4)[0]
            found = [x for p in [t.proc] + t.loom.procs for x in p.threads if x.tid == tid]
            if self.s.unfinished and (not found or found[0].state == UNKNOWN):
                return
            check(found, "no such thread")
            target = found[0]
            check(target.state not in (UNKNOWN, DEAD), "target not alive")
            cpu = self.cpu_of(target if target.loom is t.loom else t, payload)
            if cpu is target.cpu:
                # the peer fails; in the default view it is like OAs: nothing happens
                check(not isinstance(self.view, CompatView), "already there")
                return
            self.migrate(target, cpu)
        else:
            check(False, "unknown event")

    def migrate(self, t, cpu):
        old = t.cpu
        old.threads.remove(t)
        self.view.cpu(old)
        cpu.threads.append(t)
        self.view.cpu(cpu)
        t.cpu = cpu
        self.view.thread_cpu(t)

    def create(self, t, value, payload):
        check(value == "n", "unknown event")

    def flush(self, t, value, payload):
        check(value in "[]", "unknown event")
        check((t.flush is None) == (value == "["), "already flushing, or not flushing")
        t.flush = 1 if value == "[" else None
        self.view.flush(t)

    def mark(self, t, value, payload):
        check(value in "[]=", "unknown event")
        check(len(payload) == 12, "bad payload size")
        v, n = struct.unpack("<qi", payload)
        if self.s.unfinished and n not in self.s.marks and 0 <= n < 100:
            raise Again(n, "single" if value == "=" else "stack")
        # 0 shows as nothing in Paraver, -2^63 is nothing in the emulator
        check(v not in (0, -2**63), "a value that no mark can have")
        check(n in self.s.marks, "undefined mark")
        check((value == "=") == (self.s.marks[n] == "single"), "wrong kind of mark")
        stack = t.marks[n]
        if value == "=":
            stack[:] = [v]
        elif value == "[":
            stack.append(v)
        else:
            check(stack and stack[-1] == v, "pop does not match")
            stack.pop()
        self.view.mark(t, n)


    # the models of the runtimes

    HANDLER = {"VY": "new_type", "VT": "nosv_task", "VW": "read_values", "6Y": "new_type", "6T": "nanos6_task",
               "PO": "new_type", "PP": "openmp_task", "PQ": "worksharing"}

    def runtime(self, t, ev):
        if ev.mcv in OPERATIONS:
            op, kind, value = OPERATIONS[ev.mcv]
            if op == "punctual":
                self.view.punctual(t, kind, value)
            elif op != "nothing":
                self.write(t, op, kind, value)
            return
        handler = self.HANDLER.get(ev.mcv[:2])
        check(handler, f"unknown event {ev.mcv}")
        getattr(self, handler)(t, ev)

    def write(self, t, op, kind, value):
        d, content = self.s.decl[kind], t.values[kind]
        top = content[-1] if content else None
        if op == "pop":
            check(top is not None and top == value, "pop does not match")
            content.pop()
        else:
            check(d.dup == "dup" or top != value, "value repeated in a channel")
            check(op == "set" or len(content) < 512, "stack full")
            content[:] = ([] if op == "set" else content) + [value]
        self.view.write(t, op, kind, value)

    def ids(self, ev, count, exact=False):
        check(not ev.jumbo or ev.mcv[1:] in ("Yc", "Oc"), "a jumbo event")
        size = 4 * count
        check(len(ev.payload) == size if exact else len(ev.payload) >= size, "bad payload size")
        return struct.unpack_from(f"<{count}I", ev.payload)

    def new_type(self, t, ev):
        check(ev.mcv[2] == "c", "unknown event")
        check(ev.jumbo, "not a jumbo event")
        check(len(ev.payload) >= 4 and b"\0" in ev.payload[4:], "label without end")
        ident, label = self.ids(ev, 1)[0], ev.payload[4:].split(b"\0")[0]
        types = t.proc.types[ev.mcv[0]]
        check(ident != 0 and ident not in types, "type id is 0 or used")
        check(len(label) < 512, "label too long")
        types[ident] = label or b"(unlabeled task type %d)" % ident

    def new_task(self, t, ev, flags, exact):
        ident, kind = self.ids(ev, 2, exact)
        types, tasks = t.proc.types[ev.mcv[0]], t.proc.tasks[ev.mcv[0]]
        check(ident not in tasks, "task id used")
        if self.s.unfinished:
            types.setdefault(kind, b"(unknown task type %d)" % kind)
        check(kind in types, "unknown type")
        tasks[ident] = Task(ident, label_value(types[kind]), flags)

    def task(self, t, ev, body=0):
        ident, tasks = self.ids(ev, 1)[0], t.proc.tasks[ev.mcv[0]]
        if self.s.unfinished and ident and ident not in tasks:
            types = t.proc.types[ev.mcv[0]]
            label = types.setdefault(0, b"(unknown task type)")
            tasks[ident] = Task(ident, label_value(label), ("pause", "resurrect", "relaxed") + (("parallel",) if body else ()))
        check(ident in tasks, "unknown task")
        return tasks[ident]

    def move(self, what, body, stack):
        """One of x, p, r, e on a body; the stack of the thread."""
        top = stack[-1] if stack else None
        if what == "x":
            check(body.state == "created" or body.state == "dead" and "resurrect" in body.flags,
                  f"body executed while {body.state}")
            check(not top or top.state != "running" or "relaxed" in top.flags, "executed over a running body")
            stack.append(body)
            body.state = "running"
            return
        check(what in "pre", "unknown event")
        check(top is body, "body not on top of the stack of the thread")
        check(body.state == ("paused" if what == "r" else "running"), f"bad {what} of a {body.state} body")
        check(what != "p" or "pause" in body.flags, "body that cannot pause")
        body.state = {"p": "paused", "r": "running", "e": "dead"}[what]
        if what == "e":
            stack.pop()

    def nosv_task(self, t, ev):
        what = ev.mcv[2]
        if what in "cC":
            self.new_task(t, ev, ("pause", "resurrect") if what == "c" else ("parallel",), False)
            return
        number = self.ids(ev, 2)[1]
        task = self.task(t, ev, number)
        if what in "pr" and not self.s.strict and "parallel" not in task.flags:
            number = 0
        if "parallel" in task.flags:
            check(number > 0, "parallel body without number")
        else:
            check(number == 0, "second body of a normal task")
            number = 1
        self.move(what, task.body(number), t.bodies["V"])
        check(task.ident != 0, "task id 0")
        if what in "xe":
            self.write(t, "push" if what == "x" else "pop", 13, 11)
        shown = (number, task.ident, task.value, t.proc.app) if what in "xr" else (None,) * 4
        for kind, value in zip((15, 10, 11, 12), shown):
            self.write(t, "set", kind, value)
        if t.proc.rank is not None:
            self.write(t, "set", 14, t.proc.rank + 1 if what in "xr" else None)

    def read_values(self, t, ev):
        n = len(self.s.counters)
        check(ev.mcv == "VWC" and ev.jumbo and n and len(ev.payload) == 8 * n, "bad counters")
        for i, value in enumerate(struct.unpack(f"<{n}q", ev.payload)):
            self.write(t, "set", 200 + i, value)

    def nanos6_task(self, t, ev):
        what, stack = ev.mcv[2], t.bodies["6"]
        if what == "c":
            self.new_task(t, ev, ("pause", "relaxed"), True)
            return
        check(what in "xpre", "unknown event")
        task = self.task(t, ev)
        self.move(what, task.body(1), stack)
        check(task.ident != 0, "task id 0")
        if what in "xe":
            self.write(t, "push" if what == "x" else "pop", 37, 1)
        if what == "e":
            task = stack[-1].task if stack and stack[-1].state == "running" else None
        elif what == "p":
            task = None
        self.write(t, "set", 35, task.ident if task else None)
        self.write(t, "set", 36, task.value if task else None)
        if t.proc.rank is not None:
            self.write(t, "set", 38, t.proc.rank + 1 if task else None)

    def openmp_task(self, t, ev):
        what = ev.mcv[2]
        check(what in "cxe", "unknown event")
        if what == "c":
            check(self.ids(ev, 2)[0] != 0, "task id 0")
            self.new_task(t, ev, ("resurrect", "relaxed"), True)
            return
        task = self.task(t, ev)
        self.move(what, task.body(1), t.bodies["P"])
        for kind, value in (52, task.ident), (51, task.value):
            self.write(t, "push" if what == "x" else "pop", kind, value)

    def worksharing(self, t, ev):
        check(ev.mcv[2] in "xe", "unknown event")
        kind, types = self.ids(ev, 1)[0], t.proc.types["P"]
        check(kind in types, "unknown type")
        self.write(t, "push" if ev.mcv[2] == "x" else "pop", 51, label_value(types[kind]))


class Body:
    def __init__(self, task):
        self.task, self.flags, self.state = task, task.flags, "created"


class Task:
    def __init__(self, ident, value, flags):
        self.ident, self.value, self.flags, self.bodies = ident, value, flags, {}

    def body(self, number):
        return self.bodies.setdefault(number, Body(self))


# ------------------------------------------------------------ default view ----

class DefaultView:
    """What every row shows is a function of the state of the machine."""

    def __init__(self, system, out, breakdowns):
        self.s, self.out, self.breakdowns, self.shown, self.points = system, out, breakdowns, {}, []
        self.end_event(0)  # the initial lines

    def thread_cpu(self, *_):
        pass

    thread_state = cpu = kernel = flush = mark = write = thread_cpu

    def punctual(self, t, kind, value):
        self.points.append((t, kind, value))

    def model_values(self, t):
        """(type, value, thread states in which the thread shows it)"""
        if self.s.kernel:
            yield 45, t.kernel[-1] if t.kernel else 0, range(6)
        yield 7, t.flush or 0, range(6)
        for n in self.s.marks:
            yield 100 + n, t.marks[n][-1] if t.marks[n] else 0, ACTIVE
        for kind, d in self.s.decl.items():
            states = {"any": range(6), "act": ACTIVE, "run": (RUNNING,)}[d.track]
            yield kind, t.values[kind][-1] or 0 if t.values[kind] else 0, states

    def values(self):
        for row, t in enumerate(self.s.threads, 1):
            yield ("thread", row, 6), t.cpu.gindex + 1 if t.cpu else 0
            yield ("thread", row, 4), t.state
            yield ("thread", row, 2), t.tid if t.active() else 0
            for kind, value, states in self.model_values(t):
                yield ("thread", row, kind), value if t.state in states else 0
        for row, c in enumerate(self.s.cpus, 1):
            run = c.running()
            yield ("cpu", row, 3), len(run)
            nothing = [(2, 0), (1, 0)] + [(x[0], RESTING if x[0] in IDLE and c.index >= 0 else 0)
                                          for x in self.model_values(self.s.threads[0])]
            if len(run) == 1:
                t = run[0]
                show = [(2, t.tid), (1, t.proc.pid)] + [x[:2] for x in self.model_values(t)]
            elif not run:
                show = nothing
            else:
                show = [(x[0], TOO_MANY) for x in nothing]
            for kind, value in show:
                yield ("cpu", row, kind), value

    def contribution(self, letter, row):
        """What a CPU row gives to the breakdown."""
        def shown(kind):
            return self.shown["cpu", row, kind]

        if letter == "P":
            return shown(51) or shown(50)
        idle, subsystem, label, body = (16, 13, 11, 11) if letter == "V" else (40, 37, 36, 1)
        if shown(idle) != 100:
            return shown(idle)
        return shown(label) if shown(subsystem) == body and shown(label) else shown(subsystem) or 2

    def broken_down(self):
        for letter, file in self.breakdowns.items():
            values = sorted(self.contribution(letter, row) for row, _ in self.s.physical())
            for i, value in enumerate(values, 1):
                yield (file, i, BREAKDOWN[letter]), value

    def end_event(self, now):
        for rows in self.values, self.broken_down:
            for key, value in rows():
                if self.shown.get(key) != value:
                    self.shown[key] = value
                    self.out[key].append((now, value))
        for t, kind, value in self.points:
            keys = [("thread", t.gindex + 1, kind)]
            if t.cpu.running() == [t]:
                keys.append(("cpu", t.cpu.gindex + 1, kind))
            for key in keys:
                # one instant before, unless the row has a line at this one already
                seq = self.out[key]
                seq += [(now if seq[-1][0] == now else now - 1, value), (now, self.shown[key])]
        self.points = []


# ------------------------------------------------------------- compat view ----

class Chan:
    """A channel: single or stack, in the bay."""

    def __init__(self, bay, stack=False, ignore_dup=False, allow_dup=False, dirty_write=False):
        self.bay, self.is_stack, self.content = bay, stack, []
        self.ignore_dup, self.allow_dup, self.dirty_write = ignore_dup, allow_dup, dirty_write
        self.last, self.dirty = None, False
        self.on_dirty, self.on_emit = [], []

    def read(self):
        return self.content[-1] if self.content else None

    def write(self, v, push):
        check(not self.dirty or self.dirty_write, "channel written twice")
        if not self.allow_dup and v == self.last:
            check(self.ignore_dup, "value repeated in a channel")
            return
        self.content = (self.content if push else []) + [v]
        self.touch()

    def set(self, v):
        assert not self.is_stack
        self.write(v, False)

    def push(self, v):
        assert self.is_stack
        self.write(v, True)

    def pop(self, v):
        check(not self.dirty or self.dirty_write, "channel written twice")
        check(self.content and self.content[-1] == v, "pop does not match")
        self.content = self.content[:-1]
        self.touch()

    def touch(self):
        if not self.dirty:
            self.dirty = True
            self.bay.dirty.append(self)


class Bay:
    def __init__(self):
        self.dirty = []

    def propagate(self):
        for chan in self.dirty:  # grows while it is walked
            for callback in list(chan.on_dirty):
                callback()
        for chan in self.dirty:
            for callback in chan.on_emit:
                callback()
        for chan in self.dirty:
            chan.last, chan.dirty = chan.read(), False
        self.dirty = []


class Mux:
    """output = the input that select(value) names, or the default."""

    def __init__(self, bay, select_chan, select, default=None):
        self.select_chan, self.select, self.current, self.default = select_chan, select, None, default
        self.output = Chan(bay, allow_dup=True, dirty_write=True)
        select_chan.on_dirty.append(self.selected)

    def selected(self):
        if self.current:
            self.current.on_dirty.remove(self.changed)
        self.current = self.select(self.select_chan.read())
        if self.current:
            self.current.on_dirty.append(self.changed)
        self.changed()

    def changed(self):
        self.output.set(self.current.read() if self.current else self.default)


class Sort:
    """The i-th output is the i-th smallest input, null being 0."""

    def __init__(self, bay, inputs):
        self.values, self.outputs = [0] * len(inputs), []
        for i, chan in enumerate(inputs):
            self.outputs.append(Chan(bay, allow_dup=True, dirty_write=True))
            chan.on_dirty.append(lambda i=i, chan=chan: self.changed(i, chan.read() or 0))

    def changed(self, i, value):
        if value == self.values[i]:
            return
        self.values[i] = value
        for output, smallest in zip(self.outputs, sorted(self.values)):
            if output.read() != smallest:
                output.set(smallest)


class CompatView:
    def __init__(self, system, out, breakdowns):
        self.s, self.out, self.now = system, out, 0
        self.bay = Bay()
        for row, t in enumerate(system.threads, 1):
            self.thread_channels(t, row)
        for row, c in enumerate(system.cpus, 1):
            self.cpu_channels(c, row)
        for letter, file in breakdowns.items():
            sort = Sort(self.bay, [self.contribution(letter, c.views).output for _, c in system.physical()])
            for row, chan in enumerate(sort.outputs, 1):
                self.connect(chan, file, row, BREAKDOWN[letter], "SKIPDUP", "ZERO")
        for t in system.threads:
            for kind in IDLE:
                if kind in t.raw:
                    t.raw[kind].set(IDLE[kind])
        self.bay.propagate()

    def connect(self, chan, file, row, kind, *flags):
        seen = []

        def emit():
            v = chan.read()
            if seen and seen[-1] == v and "EMITDUP" not in flags:
                if "SKIPDUP" in flags or "SKIPDUPNULL" in flags and v is None:
                    return
                check("SKIPDUPNULL" in flags, "value repeated in a row")
            seen.append(v)
            value = (v or 0) + (1 if "NEXT" in flags and v is not None else 0)
            check(v is None or value != 0 or "ZERO" in flags, "zero in a row")
            self.out[file, row, kind].append((self.now, value))

        chan.on_emit.append(emit)

    def thread_channels(self, t, row):
        t.c_cpu, t.c_state = Chan(self.bay), Chan(self.bay)
        t.c_tid = Chan(self.bay, ignore_dup=True)
        self.connect(t.c_cpu, "thread", row, 6, "NEXT")
        self.connect(t.c_tid, "thread", row, 2)
        # the initial state 0 is only a number: nothing is connected to it yet
        self.connect(t.c_state, "thread", row, 4, "SKIPDUP", "ZERO")
        t.raw = {}
        if self.s.kernel:
            t.raw[45] = Chan(self.bay, stack=True)
            self.connect(t.raw[45], "thread", row, 45, "SKIPDUP")
        t.raw[7] = Chan(self.bay)
        self.connect(t.raw[7], "thread", row, 7, "SKIPDUP")
        for n, kind in self.s.marks.items():
            raw = t.raw[100 + n] = Chan(self.bay, stack=kind == "stack", allow_dup=True)
            mux = Mux(self.bay, t.c_state, lambda state, raw=raw: raw if state in ACTIVE else None)
            self.connect(mux.output, "thread", row, 100 + n, "SKIPDUPNULL")
        for kind, d in self.s.decl.items():
            shown = raw = t.raw[kind] = Chan(self.bay, stack=d.kind == "stack", allow_dup=d.dup == "dup")
            if d.track != "any":
                states = ACTIVE if d.track == "act" else (RUNNING,)
                shown = Mux(self.bay, t.c_state, lambda state, raw=raw, states=states:
                            raw if state in states else None).output
            self.connect(shown, "thread", row, kind, *d.flag.split())

    def cpu_channels(self, c, row):
        c.c_tid, c.c_pid, c.c_run, c.c_count = (Chan(self.bay, ignore_dup=True) for _ in range(4))
        self.connect(c.c_tid, "cpu", row, 2)
        self.connect(c.c_pid, "cpu", row, 1)
        self.connect(c.c_count, "cpu", row, 3, "ZERO")
        kinds = ([45] if self.s.kernel else []) + [7] + [100 + n for n in self.s.marks]
        for kind in kinds:
            mux = Mux(self.bay, c.c_run, lambda i, kind=kind:
                      None if i is None else self.s.threads[i].raw[kind])
            self.connect(mux.output, "cpu", row, kind, "SKIPDUPNULL" if kind >= 100 else "SKIPDUP")
        c.views = {}
        for kind, d in self.s.decl.items():
            mux = Mux(self.bay, c.c_run, lambda i, kind=kind:
                      None if i is None else self.s.threads[i].raw[kind], RESTING if kind in IDLE else None)
            self.connect(mux.output, "cpu", row, kind, *d.flag.split())
            c.views[kind] = mux.output

    def contribution(self, letter, views):
        """The last mux of a CPU before the sort."""
        if letter == "P":
            label, subsystem = views[51], views[50]
            return Mux(self.bay, label, lambda v: subsystem if v is None else label)
        idle, subsystem, label, body = (16, 13, 11, 11) if letter == "V" else (40, 37, 36, 1)
        idle, subsystem, label = views[idle], views[subsystem], views[label]

        def runtime_or_task(v):
            if v == body and label.read() is not None:
                return label
            return None if v is None else subsystem

        first = Mux(self.bay, subsystem, runtime_or_task, 2)
        return Mux(self.bay, idle, lambda v: first.output if v == 100 else idle)

    # what the machine reports

    def thread_cpu(self, t):
        t.c_cpu.set(t.cpu.gindex if t.cpu else None)

    def thread_state(self, t):
        t.c_state.set(t.state)
        t.c_tid.set(t.tid if t.active() else None)

    def cpu(self, c):
        run = c.running()
        check(len(run) < 2 or c.index < 0, "two threads running in a physical CPU")
        one = run[0] if len(run) == 1 else None
        c.c_tid.set(one.tid if one else None)
        c.c_pid.set(one.proc.pid if one else None)
        c.c_run.set(one.gindex if one else None)
        c.c_count.set(len(run))

    def kernel(self, t):
        t.raw[45].push(3) if t.out else t.raw[45].pop(3)

    def flush(self, t):
        t.raw[7].set(t.flush)

    def mark(self, t, n):
        raw, now = t.raw[100 + n], t.marks[n]
        if not raw.is_stack:
            raw.set(now[-1])
        elif len(now) > len(raw.content):
            raw.push(now[-1])
        else:
            raw.pop(raw.read())

    def write(self, t, op, kind, value):
        getattr(t.raw[kind], op)(value)

    def punctual(self, *_):
        pass

    def end_event(self, now):
        self.now = now
        self.bay.propagate()


# -------------------------------------------------------------- emulation ----

class Result:
    """seqs: (file, row, type) -> [(time, value)]; error: None or text; names: file ->
    those of its rows; labels: (file, type) -> {value: label of a task type}"""

    def __init__(self):
        self.seqs, self.names, self.labels = collections.defaultdict(list), {}, {}
        self.duration, self.error = 0, None


def emulate(tracedir, compat, offsets=None, strict=False, breakdown=False, have=None):
    """strict: -l. Also with compat an unfinished trace is an error. have: the names of
    the models that the emulator has, all by default."""
    learned = []
    while True:
        r = Result()
        try:
            run(r, tracedir, compat, offsets, strict, breakdown, have, learned)
        except Again as e:
            learned.append(e.args)
            continue
        except TraceError as e:
            r.error = str(e)
        return r


class Ranks:
    """Streams by clock, and those with one clock in their own order."""

    def __init__(self):
        self.heads = []

    def insert(self, clock, rank):
        self.heads.append((clock, rank))

    def extract(self):
        first = min(self.heads)
        self.heads.remove(first)
        return first


class PeerHeap(Ranks):
    """The heap of ovni 1.14, whose shape decides among streams with one clock."""

    def insert(self, clock, rank):
        heads, i = self.heads, len(self.heads)
        heads.append((clock, rank))
        while i and heads[i][0] < heads[(i - 1) // 2][0]:
            heads[i], heads[(i - 1) // 2] = heads[(i - 1) // 2], heads[i]
            i = (i - 1) // 2

    def extract(self):
        heads = self.heads
        heads[0], first = heads[-1], heads[0]
        heads.pop()
        i = 0
        while True:
            best = i
            for child in (2 * i + 1, 2 * i + 2):
                if child < len(heads) and heads[child][0] < heads[best][0]:
                    best = child
            if best == i:
                return first
            heads[i], heads[best], i = heads[best], heads[i], best


def run(r, tracedir, compat, offsets, lint, breakdown, have, learned):
    strict = lint or compat
    s = System(tracedir, offsets, strict, have, learned)
    breakdowns = s.breakdowns(compat) if breakdown else {}
    r.names = {"thread": s.thread_names if compat else s.distinct_names(), "cpu": s.cpu_names}
    n = len(s.physical())
    r.names.update({file: [f"~CPU {n - i:4}" for i in range(n)] for file in breakdowns.values()})
    view = (CompatView if compat else DefaultView)(s, r.seqs, breakdowns)
    machine = Machine(s, view)
    position, clock = [0] * len(s.streams), [0] * len(s.streams)

    def step(rank):
        """Look at the next event of a stream; None at its end."""
        t = s.streams[rank]
        if position[rank] == len(t.events):
            check(not t.truncated or not (strict or t.ended()), f"{t.relpath}: incomplete event")
            return None
        now = t.events[position[rank]].clock + t.loom.offset
        check(now >= clock[rank], f"{t.relpath}: clock goes backwards")
        clock[rank] = now
        return now

    def add(rank):
        now = step(rank)
        if now is not None:
            queue.insert(now, rank)

    queue = PeerHeap() if compat else Ranks()
    for rank in range(len(s.streams)):
        add(rank)
    origin = None
    while queue.heads:
        now, rank = queue.extract()
        t = s.streams[rank]
        origin = now if origin is None else origin
        r.duration = now - origin
        machine.apply(t, t.events[position[rank]])
        view.end_event(r.duration)
        position[rank] += 1
        add(rank)
    for t in s.streams:
        # one that never began is only worth a warning
        if strict or t.ended() and t.state != UNKNOWN:
            check(t.state == DEAD, f"thread {t.tid} is not dead")
    for letter, kind in LABEL.items():
        if letter in s.enabled:
            r.labels["thread", kind] = r.labels["cpu", kind] = s.labels(letter)
            if letter in breakdowns:
                r.labels[breakdowns[letter], BREAKDOWN[letter]] = s.labels(letter)
    if lint:
        for t in s.threads:
            for kind in SUBSYSTEM.values():
                check(not t.values.get(kind), f"a stack is not empty at the end: type {kind} of thread {t.tid}")


# ------------------------------------------------------------- comparison ----

def read_prv(path):
    """(duration, rows, (row, type) -> [(time, value)])"""
    with open(path) as f:
        m = re.match(r"#Paraver \(.*?\):(\d+)_ns:0:1:1\((\d+):1\)$", f.readline().rstrip("\n"))
        if not m:
            raise ValueError(f"{path}: bad header")
        seqs, last = collections.defaultdict(list), 0
        for number, line in enumerate(f, 2):
            p = line.rstrip("\n").split(":")
            if p[:4] != ["2", "0", "1", "1"] or len(p) < 8 or len(p) % 2:
                raise ValueError(f"{path}:{number}: not an event record: {line[:80]!r}")
            row, time = int(p[4]), int(p[5])
            if time < last:
                raise ValueError(f"{path}:{number}: time goes back from {last} to {time}")
            if not 1 <= row <= int(m.group(2)):
                raise ValueError(f"{path}:{number}: no row {row}")
            last = time
            for kind, value in zip(p[6::2], p[7::2]):
                seqs[row, int(kind)].append((time, int(value)))
    return int(m.group(1)), int(m.group(2)), seqs


def read_row(path):
    return open(path).read().split("\n")[4:-1]


def read_labels(path):
    """type -> {value: label}"""
    types, current, values = {}, None, False
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            line = line.rstrip("\n")
            if line in ("EVENT_TYPE", "VALUES"):
                values = line == "VALUES"
            elif line and values:
                value, _, label = line.partition(" ")
                types[current][int(value)] = label.lstrip(" ")
            elif re.match(r"\d+ +\d+ ", line):
                current = int(line.split()[1])
                types[current] = {}
    return types


def differences(r, outdir, types=None, files=None, rows=True):
    """Texts, one per difference between a result and the files in a directory."""
    out = []
    for file in r.names if files is None else files:
        names = r.names.get(file)
        if names is None:
            out.append(f"{file}.prv: the twin has none")
            continue
        try:
            duration, nrows, got = read_prv(f"{outdir}/{file}.prv")
        except (OSError, ValueError) as e:
            out.append(str(e))
            continue
        if (duration, nrows) != (r.duration, len(names)):
            out.append(f"{file}.prv: header says duration {duration}, {nrows} rows; "
                       f"expected {r.duration}, {len(names)}")
        want = {k[1:]: v for k, v in r.seqs.items() if k[0] == file and v}
        if types:
            got = {k: v for k, v in got.items() if k[1] in types}
            want = {k: v for k, v in want.items() if k[1] in types}
        for key in sorted(set(got) | set(want)):
            a, b = want.get(key, []), got.get(key, [])
            if a != b:
                i = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
                out.append(f"{file}.prv: row {key[0]} type {key[1]}, item {i}: "
                           f"expected {a[i:i + 3]}, got {b[i:i + 3]}")
        if rows and os.path.exists(f"{outdir}/{file}.row") and read_row(f"{outdir}/{file}.row") != names:
            out.append(f"{file}.row: {read_row(f'{outdir}/{file}.row')} instead of {names}")
        if rows and not r.error and os.path.exists(f"{outdir}/{file}.pcf"):
            out += label_differences(r, file, f"{outdir}/{file}.pcf", types)
    return out


def label_differences(r, file, path, types):
    got = read_labels(path)
    for (of, kind), labels in r.labels.items():
        if of == file and (not types or kind in types):
            # a line break would end the label
            want = {v: os.fsdecode(label).replace("\n", " ") for v, label in labels.items()}
            have = {v: label for v, label in got.get(kind, {}).items() if v >= 1000}
            if want != have:
                yield f"{file}.pcf: labels of type {kind}: {have} instead of {want}"


# words of the reason that a case gives for its failure -> the error of the twin
REASONS = (("lint: ", "not empty at the end"), ("duplicate value", "value repeated"), ("other major version", "version"),
           ("not compatible", "version"), ("no stream requires", "not enabled"), ("still running", "over a running"),
           ("a running task is executed", "executed while running"), ("ended task is executed", "executed while dead"),
           ("paused body is executed", "executed while paused"), ("cannot pause", "cannot pause"),
           ("out of its CPU", "out of CPU"), ("one hour apart", "clock gate"), ("same index", "bad CPU|one CPU"),
           ("never finished", "not finished"), ("without physical CPUs", "without CPUs"))


def check_conformance(top, only, verbose):
    passed, failed = 0, 0
    for case in sorted(os.listdir(top)):
        path = os.path.join(top, case)
        if only not in case or not os.path.exists(f"{path}/case.json"):
            continue
        for one in json.load(open(f"{path}/case.json"))["runs"]:
            breakdown = "-b" in one["options"]
            r = emulate(f"{path}/trace", True, strict=True, breakdown=breakdown)
            reason = one.get("reason", "")
            if one["succeeds"]:
                files = sorted({f.rsplit(".", 1)[0] for f in one["files"]})
                expected = f"{path}/expected/{'breakdown' if breakdown else 'default'}"
                errors = [r.error] if r.error else differences(r, expected, files=files)
            elif r.error is None:
                errors = [f"must fail: {reason}"]
            elif not any(a in reason and re.search(b, r.error) for a, b in REASONS):
                errors = [f"must fail because {reason}, not because {r.error}"]
            else:
                errors = []
            passed, failed = passed + (not errors), failed + bool(errors)
            if errors or verbose:
                print("FAIL" if errors else "ok  ", case, *one["options"], f"({r.error})" if r.error else "")
            for e in errors[:3]:
                print("    ", e)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def check_golden(top, only, verbose):
    """The hand-made expectations and the twin must tell the same story."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gen"))
    import asm
    import casefile
    passed = failed = 0
    for name, path in casefile.find(top):
        if only not in name:
            continue
        one = casefile.Case(path)
        with tempfile.TemporaryDirectory() as tmp, tempfile.TemporaryDirectory() as where:
            asm.assemble(one.get("in.txt"), tmp, name)
            one.unpack(where)
            args = one.get("args", "").split()
            if any(o in a for a in args for o in ("useful", "blocked", "parallelism")):
                continue  # the twin has no observers
            for view in ("default", "compat"):
                expected = f"{where}/{view}"
                if not one.has(view):
                    continue
                offsets = None
                if "-c" in args:
                    offsets = args[args.index("-c") + 1].replace("{trace}", tmp).replace("{case}", where)
                r = emulate(tmp, view == "compat", offsets, "-l" in args, "-b" in args)
                have = sorted(x[:-4] for x in os.listdir(expected) if x.endswith(".prv"))
                types = parse_types(one.get("types")) if "types" in one else None
                errors = differences(r, expected, types, have)
                status = int(one.get(f"{view}/exit", "0"))
                if (status == 0) != (r.error is None):
                    errors.append(f"expected status {status}, the twin says {r.error}")
                passed, failed = passed + (not errors), failed + bool(errors)
                if errors or verbose:
                    print("FAIL" if errors else "ok  ", name, view)
                for e in errors[:4]:
                    print("    ", e)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--compat", action="store_true")
    ap.add_argument("--check-conformance", metavar="DIR")
    ap.add_argument("--check-golden", metavar="DIR")
    ap.add_argument("--compare", metavar="OUTDIR")
    ap.add_argument("--only", default="")
    ap.add_argument("-b", action="store_true")
    ap.add_argument("-l", action="store_true")
    ap.add_argument("-v", action="store_true")
    ap.add_argument("trace", nargs="?")
    a = ap.parse_args()
    if a.check_conformance:
        return check_conformance(a.check_conformance, a.only, a.v)
    if a.check_golden:
        return check_golden(a.check_golden, a.only, a.v)
    if not a.trace:
        ap.error("no trace directory")
    r = emulate(a.trace, a.compat, strict=a.l, breakdown=a.b)
    if a.compare:
        found = differences(r, a.compare)
        print("\n".join(found) if found else "no difference")
        return 1 if found else 0
    for file, names in r.names.items():
        print(f"{file}: duration {r.duration}, rows {names}")
        for key in sorted(k for k in r.seqs if k[0] == file):
            print(f"  row {key[1]} type {key[2]}: " + " ".join(f"{t}={v}" for t, v in r.seqs[key]))
    if r.error:
        print("error:", r.error)
    return 1 if r.error else 0


if __name__ == "__main__":
    sys.exit(main())
