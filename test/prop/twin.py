#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A naive twin of the emulator, for the models ovni and kernel.

It reads a trace directory by itself and computes, for each (file, row, type), the
exact sequence of (time, value) that the PRV file must hold, the row names and the
duration. Nothing here is fast; each view follows the text that defines it:

  compat    channels with a dirty list, muxes and row flags, as in ovni 1.14
  default   after each event the value that each row shows is computed again from
            the state of the machine, and printed when it differs

usage: twin.py [--compat] TRACEDIR            print the result
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
HAVE = {"ovni": (1, 1), "kernel": (1, 0)}
# types of this twin; the rest of a file belongs to other models
OWN_TYPES = {1, 2, 3, 4, 6, 7, 45} | set(range(100, 200))


class TraceError(Exception):
    pass


def check(condition, message):
    if not condition:
        raise TraceError(message)


# ---------------------------------------------------------------- reading ----

Event = collections.namedtuple("Event", "clock mcv payload")


class Thread:
    """A thread and its stream."""

    def __init__(self, relpath, meta):
        self.relpath, self.meta = relpath, meta
        self.events, self.truncated = [], False
        self.state, self.cpu, self.out = UNKNOWN, None, False
        self.flush, self.kernel, self.marks = None, [], {}

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
        events.append(Event(clock, mcv.decode("latin-1"), data[at + 12:at + size]))
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
                found.append((rel, f"{top}/stream.obs", meta["ovni"], 3))
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
    return meta, version


class System:
    """Looms, processes, threads and CPUs in row order."""

    def __init__(self, tracedir, offsets=None, strict=False):
        self.strict = strict
        self.streams = find_threads(tracedir)
        self.version = self.streams[0].version
        looms = {}
        for t in self.streams:
            self.place(looms, t)
        self.order(looms)
        path = offsets or os.path.join(tracedir, "clock-offsets.txt")
        if offsets or os.path.exists(path):
            self.read_offsets(path)
        self.gate()
        self.read_require()
        self.read_marks()

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
            check(loom.cpus, "loom without CPUs")
            physical = sorted(loom.cpus.values(), key=lambda c: c.phyid)
            check(sorted(c.index for c in physical) == list(range(len(physical))), "bad CPU indices")
            loom.by_index = {c.index: c for c in physical}
            loom.by_index[-1] = Cpu(-1, -1)
            for c in physical + [loom.by_index[-1]]:
                self.cpus.append(c)
                self.cpu_names.append(f" CPU {number}.{c.phyid}" if c.index >= 0 else f"vCPU {number}.*")
        for i, t in enumerate(self.threads):
            t.gindex = i
        for i, c in enumerate(self.cpus):
            c.gindex = i

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

    def gate(self):
        first = [t.events[0].clock + t.loom.offset for t in self.streams if t.events]
        check(all(abs(c - first[0]) <= HOUR for c in first), "large clock gate")

    def read_require(self):
        self.kernel = self.version == 1
        for t in self.threads:
            require = t.meta.get("require")
            if not isinstance(require, dict):
                check(self.version < 3 or not t.ended(), "no ovni.require")
                self.kernel = True  # the thread may use any model
                continue
            for name, want in require.items():
                if name not in HAVE or not isinstance(want, str):
                    continue
                m = re.match(r"(\d+)\.(\d+)\.(\d+)([-.].*)?$", want)
                check(m, f"bad version {want}")
                major, minor = HAVE[name]
                check(int(m.group(1)) == major and int(m.group(2)) <= minor, f"version {want}")
                self.kernel |= name == "kernel"

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
        for t in self.threads:
            t.marks = {n: [] for n in self.marks}


# ------------------------------------------------------------ the machine ----

class Machine:
    """The state that events change. A view hears of each write."""

    def __init__(self, system, view, ignore_other_models):
        self.s, self.view, self.lenient = system, view, ignore_other_models

    def apply(self, t, ev):
        model, category, value = ev.mcv
        if model == "K" and self.s.kernel:
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
            check(self.lenient and model in "VD6TMP", f"unknown event {ev.mcv}")

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
            check(found, "no such thread")
            target = found[0]
            check(target.state not in (UNKNOWN, DEAD), "target not alive")
            cpu = self.cpu_of(t, payload)
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


# ------------------------------------------------------------ default view ----

class DefaultView:
    """What every row shows is a function of the state of the machine."""

    def __init__(self, system, out):
        self.s, self.out, self.shown = system, out, {}
        self.end_event(0)  # the initial lines

    def thread_cpu(self, *_):
        pass

    thread_state = cpu = kernel = flush = mark = thread_cpu

    def model_values(self, t):
        """(type, value, shown only while active) of a thread"""
        if self.s.kernel:
            yield 45, t.kernel[-1] if t.kernel else 0, False
        yield 7, t.flush or 0, False
        for n in self.s.marks:
            yield 100 + n, t.marks[n][-1] if t.marks[n] else 0, True

    def values(self):
        for row, t in enumerate(self.s.threads, 1):
            yield ("thread", row, 6), t.cpu.gindex + 1 if t.cpu else 0
            yield ("thread", row, 4), t.state
            yield ("thread", row, 2), t.tid if t.active() else 0
            for kind, value, only_active in self.model_values(t):
                yield ("thread", row, kind), value if t.active() or not only_active else 0
        for row, c in enumerate(self.s.cpus, 1):
            run = c.running()
            yield ("cpu", row, 3), len(run)
            nothing = [(2, 0), (1, 0)] + [(x[0], 0) for x in self.model_values(self.s.threads[0])]
            if len(run) == 1:
                t = run[0]
                show = [(2, t.tid), (1, t.proc.pid)] + [x[:2] for x in self.model_values(t)]
            elif not run:
                show = nothing
            else:
                show = [(x[0], TOO_MANY) for x in nothing]
            for kind, value in show:
                yield ("cpu", row, kind), value

    def end_event(self, now):
        for key, value in self.values():
            if self.shown.get(key) != value:
                self.shown[key] = value
                self.out[key].append((now, value))


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

    def __init__(self, bay, select_chan, select):
        self.select_chan, self.select, self.current = select_chan, select, None
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
        self.output.set(self.current.read() if self.current else None)


class CompatView:
    def __init__(self, system, out):
        self.s, self.out, self.now = system, out, 0
        self.bay = Bay()
        for row, t in enumerate(system.threads, 1):
            self.thread_channels(t, row)
        for row, c in enumerate(system.cpus, 1):
            self.cpu_channels(c, row)
        self.bay.propagate()

    def connect(self, chan, file, row, kind, *flags):
        seen = []

        def emit():
            v = chan.read()
            if seen and seen[-1] == v:
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

    def end_event(self, now):
        self.now = now
        self.bay.propagate()


# -------------------------------------------------------------- emulation ----

class Result:
    """seqs: (file, row, type) -> [(time, value)]; error: None or text."""

    def __init__(self):
        self.seqs = collections.defaultdict(list)
        self.duration, self.error, self.thread_names, self.cpu_names = 0, None, [], []


def emulate(tracedir, compat, offsets=None, ignore_other_models=False, strict=False):
    """strict (-l, and always with compat): an unfinished trace is an error"""
    r = Result()
    try:
        run(r, tracedir, compat, offsets, ignore_other_models, strict or compat)
    except TraceError as e:
        r.error = str(e)
    return r


def run(r, tracedir, compat, offsets, ignore_other_models, strict):
    s = System(tracedir, offsets, strict)
    for t in s.streams:
        check(not strict or t.version == 1 or t.ended(), f"{t.relpath}: not finished")
        check(not strict or not t.meta.get("no_process"), f"{t.relpath}: no metadata.json")
    r.thread_names, r.cpu_names = s.thread_names, s.cpu_names
    view = (CompatView if compat else DefaultView)(s, r.seqs)
    machine = Machine(s, view, ignore_other_models)
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

    heads = {rank: step(rank) for rank in range(len(s.streams))}
    heads = {rank: now for rank, now in heads.items() if now is not None}
    origin = None
    while heads:
        now, rank = min((now, rank) for rank, now in heads.items())
        t = s.streams[rank]
        origin = now if origin is None else origin
        r.duration = now - origin
        machine.apply(t, t.events[position[rank]])
        view.end_event(r.duration)
        position[rank] += 1
        del heads[rank]
        following = step(rank)
        if following is not None:
            heads[rank] = following
    for t in s.streams:
        # one that never began is only worth a warning
        if strict or t.ended() and t.state != UNKNOWN:
            check(t.state == DEAD, f"thread {t.tid} is not dead")


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


def differences(r, outdir, types=None, files=("thread", "cpu"), rows=True):
    """Texts, one per difference between a result and the files in a directory."""
    out = []
    for file in files:
        names = r.thread_names if file == "thread" else r.cpu_names
        try:
            duration, nrows, got = read_prv(f"{outdir}/{file}.prv")
        except (OSError, ValueError) as e:
            out.append(str(e))
            continue
        if (duration, nrows) != (r.duration, len(names)):
            out.append(f"{file}.prv: header says duration {duration}, {nrows} rows; "
                       f"expected {r.duration}, {len(names)}")
        if types:
            got = {k: v for k, v in got.items() if k[1] in types}
        want = {k[1:]: v for k, v in r.seqs.items() if k[0] == file and v}
        for key in sorted(set(got) | set(want)):
            a, b = want.get(key, []), got.get(key, [])
            if a != b:
                i = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
                out.append(f"{file}.prv: row {key[0]} type {key[1]}, item {i}: "
                           f"expected {a[i:i + 3]}, got {b[i:i + 3]}")
        if rows and os.path.exists(f"{outdir}/{file}.row") and read_row(f"{outdir}/{file}.row") != names:
            out.append(f"{file}.row: {read_row(f'{outdir}/{file}.row')} instead of {names}")
    return out


def check_conformance(top, only):
    passed, failed, skipped = 0, 0, 0
    for case in sorted(os.listdir(top)):
        path = os.path.join(top, case)
        if only not in case or not os.path.exists(f"{path}/case.json"):
            continue
        first = json.load(open(f"{path}/case.json"))["runs"][0]
        r = emulate(f"{path}/trace", True, ignore_other_models=True)
        if not first["succeeds"]:
            if r.error is None and not case.startswith("ovni-"):
                skipped += 1  # the error is in a model that this twin does not know
                continue
            errors = [] if r.error else ["must fail: " + first.get("reason", "")]
        else:
            errors = [r.error] if r.error else differences(r, f"{path}/expected/default", OWN_TYPES)
        passed, failed = passed + (not errors), failed + bool(errors)
        print("FAIL" if errors else "ok  ", case)
        for e in errors[:3]:
            print("    ", e)
    print(f"{skipped} skipped (models unknown to the twin)")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def check_golden(top, only):
    """The hand-made expectations and the twin must tell the same story."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gen"))
    import asm
    passed = failed = 0
    for where, _, files in sorted(os.walk(top)):
        name = os.path.relpath(where, top)
        if "in.txt" not in files or only not in name:
            continue
        with tempfile.TemporaryDirectory() as tmp:
            asm.assemble(open(f"{where}/in.txt", encoding="utf-8").read(), tmp, name)
            for view in ("default", "compat"):
                expected = f"{where}/{view}"
                if not os.path.isdir(expected):
                    continue
                try:
                    args = open(f"{where}/args").read().split()
                except FileNotFoundError:
                    args = []
                offsets = None
                if "-c" in args:
                    offsets = args[args.index("-c") + 1].replace("{trace}", tmp).replace("{case}", where)
                r = emulate(tmp, view == "compat", offsets, strict="-l" in args)
                have = [x for x in ("thread", "cpu") if os.path.exists(f"{expected}/{x}.prv")]
                types = OWN_TYPES if os.path.exists(f"{where}/types") else None
                errors = differences(r, expected, types, have)
                status = 0
                if os.path.exists(f"{expected}/exit"):
                    status = int(open(f"{expected}/exit").read())
                if (status == 0) != (r.error is None):
                    errors.append(f"expected status {status}, the twin says {r.error}")
                passed, failed = passed + (not errors), failed + bool(errors)
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
    ap.add_argument("trace", nargs="?")
    a = ap.parse_args()
    if a.check_conformance:
        return check_conformance(a.check_conformance, a.only)
    if a.check_golden:
        return check_golden(a.check_golden, a.only)
    if not a.trace:
        ap.error("no trace directory")
    r = emulate(a.trace, a.compat)
    if a.compare:
        found = differences(r, a.compare)
        print("\n".join(found) if found else "no difference")
        return 1 if found else 0
    for file, names in (("thread", r.thread_names), ("cpu", r.cpu_names)):
        print(f"{file}: duration {r.duration}, rows {names}")
        for key in sorted(k for k in r.seqs if k[0] == file):
            print(f"  row {key[1]} type {key[2]}: " + " ".join(f"{t}={v}" for t, v in r.seqs[key]))
    if r.error:
        print("error:", r.error)
    return 1 if r.error else 0


if __name__ == "__main__":
    sys.exit(main())
