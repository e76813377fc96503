#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-prism uscope: a worked example whose states and events are known, random streams next
to a plain twin, what is wrong, and outputs that fail.

usage: tool_uscope.py OVNISCOPE-PRISM USCOPE
"""
import collections
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile

from hooks_kit import END, FULL, SPIN_LOCK, UNLOCK, WORKED, cfg, cxt, enter, leave, mem, swap, sync
from toolkit import CXTS, FORMATS, MEM_TYPES, SYNCS, Stream

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "uscope"))
from convertkit import Converter  # noqa: E402

failures = []
NONE = 65535
DENSE = ("counters", "detail")
HAS = {"type": 1, "size": 2, "addr": 4, "id": 8, "format": 16, "op": 32, "arity": 64, "args": 128}

# (storage, slot, field): time in ns -> value, changes only; None: the slot is no longer valid.
STATES = {
    ("threads", 0, "tid"): {0: 1},
    ("threads", 0, "process"): {0: 1},
    ("threads", 0, "state"): {0: "running", 7: "paused", 13: "running", 15: "dead"},
    ("threads", 0, "cpu"): {0: 0, 7: NONE, 13: 0, 15: NONE},
    ("threads", 0, "depth"): {0: 0, 1: 1, 15: 0},
    ("threads", 0, "function"): {0: "", 1: "main", 15: ""},
    ("threads", 0, "locks"): {0: 0},
    ("threads", 0, "parent"): {0: 0},
    ("threads", 1, "tid"): {7: 2},
    ("threads", 1, "process"): {7: 1},
    ("threads", 1, "state"): {7: "running", 13: "paused", 15: "dead"},
    ("threads", 1, "cpu"): {7: 0, 13: NONE},
    ("threads", 1, "depth"): {7: 0, 8: 1, 12: 0},
    ("threads", 1, "function"): {7: "", 8: "worker", 12: ""},
    ("threads", 1, "locks"): {7: 0, 9: 1, 11: 0},
    ("threads", 1, "parent"): {7: 1},
    ("counters", 0, "loads"): {4: 1},
    ("counters", 0, "load_bytes"): {4: 4},
    ("counters", 0, "stores"): {5: 1},
    ("counters", 0, "store_bytes"): {5: 8},
    ("counters", 0, "int_ops"): {3: 1},
    ("counters", 0, "insns"): {2: 1},
    ("counters", 0, "syncs"): {6: 1, 14: 2},
    ("counters", 1, "fp_ops"): {10: 1},
    ("counters", 1, "syncs"): {9: 1, 11: 2},
    ("frames", 0, "thread"): {1: 0, 15: None},
    ("frames", 0, "depth"): {1: 1, 15: None},
    ("frames", 0, "kind"): {1: "function enter", 15: None},
    ("frames", 0, "name"): {1: "main", 15: None},
    ("frames", 0, "enter_seq"): {1: 3, 15: None},
    ("frames", 1, "thread"): {8: 1, 12: None},
    ("frames", 1, "depth"): {8: 1, 12: None},
    ("frames", 1, "kind"): {8: "function enter", 12: None},
    ("frames", 1, "name"): {8: "worker", 12: None},
    ("frames", 1, "enter_seq"): {8: 11, 12: None},
    ("locks", 0, "object"): {9: 0x6010A0},
    ("locks", 0, "owner"): {9: 1, 11: NONE},
    ("locks", 0, "acquisitions"): {9: 1},
    ("detail", 0, "mem"): {0: 0xF0, 5: 0xC0},
    ("detail", 0, "comp"): {0: 0xF8},
    ("detail", 0, "sync"): {0: 0xC0},
    ("detail", 0, "cxt"): {0: 0xC0},
}
EVENTS = {
    "cfg": [(0, "memory", 0, 0xF0), (0, "compute", 0, 0xF8), (5, "memory", 0xF0, 0xC0)],
    "mem": [(4, 0, "load", 4, 0x7FFD12345678, 3, 15), (5, 0, "store", 8, 0, 0, 3)],
    "comp": [(3, 0, "integer", 4, 1, 2, 1, 2, 0, 0, 242), (10, 1, "floating point", 8, 3, 2, 4, 5, 0, 0, 242)],
    "sync": [(0, 0, "swap", 1, 0), (6, 0, "create", 0x7F00AA001700, 0), (7, 1, "swap", 2, 0), (9, 1, "lock", 0x6010A0, 0),
             (11, 1, "unlock", 0x6010A0, 0), (13, 0, "swap", 1, 0), (14, 0, "join", 0x7F00AA001700, 0)],
    "cxt": [(1, 0, "function enter", 0, "main"), (2, 0, "instruction", 0x400526, ""), (8, 1, "function enter", 0, "worker"),
            (12, 1, "function exit", 0, "worker"), (15, 0, "function exit", 0, "main")],
}


def check(ok, *what):
    if not ok:
        failures.append(" ".join(str(w) for w in what))


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


kit = Converter(*sys.argv[1:3], check)
run, look, convert = kit.run, kit.look, kit.convert


def load(path="o.uscp", unit=1000):
    """States as in STATES at the end of each cycle, and events by stream and name."""
    now = {}
    states = collections.defaultdict(dict)
    events = collections.defaultdict(list)

    def settle(time, changed):
        for key in changed:
            have = states[key]
            last = list(have.values())[-1] if have else 0 if key[0] == "counters" else None
            if now.get(key) != last:
                have[time] = now.get(key)

    changed = set()
    used = collections.defaultdict(set)
    at = 0
    for x in kit.records(path):
        if x["time_ps"] / unit != at:
            settle(at, changed)
            changed = set()
            at = x["time_ps"] / unit
        if x["kind"] == "event":
            events[x["scope"], x["event"]].append((at, *x["fields"].values()))
            continue
        slot = x["storage"], x["slot"]
        fields = used[slot]
        if x["kind"] != "clear":
            fields.add(x["field"])
        keys = [(*slot, f) for f in fields] if x["kind"] == "clear" else [(*slot, x["field"])]
        for key in keys:
            changed.add(key)
            if x["kind"] == "clear":
                now[key] = None
            else:
                now[key] = now.get(key, 0) + x["value"] if x["kind"] == "add" else x["value"]
    settle(at, changed)
    return {k: v for k, v in states.items() if v}, events


def compare(have, want, what):
    for key in set(have) | set(want):
        check(have.get(key) == want.get(key), what, key, "is", str(have.get(key))[:600], "not", str(want.get(key))[:600])


def worked_example():
    write("w.prism", WORKED)
    check(convert("w.prism") == "", "a good stream has a message")
    states, events = load()
    compare(states, STATES, "state")
    compare({k[1]: v for k, v in events.items()}, EVENTS, "event")
    check({k[0] for k in events} == {"/stream0"}, "scopes", set(events))
    # without accesses the totals wait for the end of a window
    convert("--accesses=none", "--window=6", "w.prism")
    few, events = load()
    compare({k: v for k, v in few.items() if k[0] != "counters"}, {k: v for k, v in STATES.items() if k[0] != "counters"}, "without accesses")
    compare({k[1]: v for k, v in events.items()}, {k: v for k, v in EVENTS.items() if k not in ("mem", "comp")}, "without accesses")
    check(few["counters", 0, "loads"] == {6: 1} and few["counters", 1, "fp_ops"] == {12: 1} and few["counters", 0, "syncs"] == {12: 1, 15: 2},
          "windows", {k: v for k, v in few.items() if k[0] == "counters"})
    # a pipe gives the same file, but for what would need a look ahead
    p = subprocess.run([kit.tool, "uscope", "-o", "p.uscp", "-"], input=WORKED, stderr=subprocess.PIPE, check=False, timeout=60)
    check(p.returncode == 0 and load("p.uscp")[0] == states, "from a pipe", p.stderr)


def tables():
    run("encode", "--describe=p.json", "-o", "p.prism", "--compute-layout=packed", "--set", "clock=mode=instr", os.devnull)
    convert("-q", "--lenient", "--name", "M\xfc", "w.prism", "p.json", "w.prism", env={**os.environ, "LC_ALL": "C.UTF-8"})
    info = look("info", "o.uscp")
    fields = {
        "threads": "sparse, 1024 slots of 23 bytes: tid U32, process U32, state ENUM thread_state, cpu U16, depth U16, function STRING_REF, locks U16, parent U32",
        "counters": "dense, 1024 slots of 64 bytes: loads U64, stores U64, load_bytes U64, store_bytes U64, int_ops U64, fp_ops U64, insns U64, syncs U64",
        "frames": "sparse buffer, 16384 slots of 17 bytes: thread U16, depth U16, kind ENUM cxt_type, name STRING_REF, enter_seq U64",
        "locks": "sparse, 4096 slots of 18 bytes: object U64, owner U16, acquisitions U64",
        "detail": "dense, 3 slots of 4 bytes: mem U8, comp U8, sync U8, cxt U8",
    }
    order = [x.split()[1][:-1] for x in info.splitlines() if x.startswith("    storage ")]
    check(order == list(fields), "order of the storages", order)
    for name, text in fields.items():
        check(f"    storage {name}: {text}\n" in info, "storage", name, info)
    types = {
        "mem": "thread U16, type ENUM mem_type, bytes U16, addr U64, id U8, has U16",
        "comp": "thread U16, format ENUM op_format, bytes U16, op U8, arity U8, id0 U8, id1 U8, id2 U8, id3 U8, has U16",
        "sync": "thread U16, type ENUM sync_type, arg0 U64, arg1 U64",
        "cxt": "thread U16, type ENUM cxt_type, id U64, name STRING_REF",
        "cfg": "target ENUM event_type, before U8, after U8",
    }
    order = [x.split()[1][:-1] for x in info.splitlines() if x.startswith("      event ")]
    check(order == list(types) * 3, "order of the events", order)
    for name, text in types.items():
        check(info.count(f"      event {name}: {text}\n") == 3, "event", name, info)
    for text in ("  /, clock prism\n", "    stream2, protocol prism, clock prism\n", "dut_name = M\xfc\n", "prism.protocol_version = 0.1\n",
                 "prism.clock_mode = mixed\n", "prism.compute_layout = mixed\n", "prism: 1ns\n", "  thread_state: 0 free, 1 paused, 2 running, 3 dead\n",
                 "  mem_type: 0 undefined, 1 load, 2 store", "  op_type: 0 undefined, 1 add", "6 mov\n", "  event_type: 0 memory, 1 compute, 2 sync, 3 context, 4 control flow, 5 config, 6 end\n"):
        check(text in info, text, "is not in", info)
    convert("w.prism")
    text = look("summary", "o.uscp")
    check("density: 1 instruction" in text, "density of instructions", text)
    write("n.prism", FULL + swap(1) + mem("load", 2, 4096, 1) * 9 + END)
    convert("n.prism")
    text = look("summary", "o.uscp")
    check("density: 10 instructions" in text, "density of events", text)
    for name, total in (("loads", 9), ("load_bytes", 36)):
        check(any(f'"{name}"' in x and x.endswith(f"sum {total}") for x in text.splitlines()), "counter", name, text)
    check('"syncs"' not in text, "a counter without a value", text)


class Thread:
    def __init__(self, slot):
        self.slot = slot
        self.stacks = {"function": [], "net": [], "operator": []}
        self.held = collections.Counter()
        self.stream = None
        self.last = None


class Twin:
    """The same file out of the events, as plainly as can be."""

    def __init__(self, nstreams):
        self.now = {}
        self.states = collections.defaultdict(dict)
        self.events = collections.defaultdict(list)
        self.threads = {}
        self.running = [None] * nstreams
        self.created = []
        self.locks = {}
        self.used = 0
        self.given_back = []
        self.slots = {}
        for i in range(nstreams):
            for f, v in (("mem", 0), ("comp", 0), ("sync", 0xC0), ("cxt", 0xC0)):
                self.now["detail", i, f] = v

    def put(self, storage, slot, **fields):
        for f, v in fields.items():
            self.now[storage, slot, f] = v

    def count(self, t, **fields):
        for f, v in fields.items():
            key = ("counters", t.slot, f)
            self.now[key] = self.now.get(key, 0) + v

    def settle(self, time):
        for key, v in self.now.items():
            have = self.states[key]
            last = list(have.values())[-1] if have else 0 if key[0] == "counters" else None
            if v != last:
                have[time] = v

    def switch(self, i, tid, real):
        t = self.threads.get(tid)
        if not t:
            t = self.threads[tid] = Thread(len(self.threads))
            parent = self.created.pop(0) if real and self.created else 0
            self.put("threads", t.slot, tid=tid, process=1, depth=0, function="", locks=0, parent=parent)
        old = self.running[i]
        if old is t and t.stream == i:
            return
        if old and old.stream == i:
            old.stream = None
            self.put("threads", old.slot, state="paused", cpu=NONE)
        self.running[i] = t
        t.stream = t.last = i
        t.tid = tid
        self.put("threads", t.slot, state="running", cpu=i)

    def end(self, i):
        for t in self.threads.values():
            if t.last == i and t.stream in (None, i):
                t.stream = t.last = None
                self.put("threads", t.slot, state="dead", cpu=NONE)

    def clear(self, slot):
        for key in [k for k in self.now if k[:2] == ("frames", slot)]:
            self.now[key] = None
        self.given_back.append(slot)

    def context(self, i, seq, kind, name):
        t = self.running[i]
        what, way = CXTS[kind].split("-")
        stack = t.stacks[what]
        if way == "enter":
            if self.used < 16384:
                slot = self.used
                self.used += 1
            else:
                slot = self.given_back.pop(0)
            stack.append((name, slot))
            self.put("frames", slot, thread=t.slot, depth=len(stack), kind=f"{what} enter", name=name, enter_seq=seq)
        elif stack:
            while stack[-1][0] != name and name in [x for x, _ in stack]:
                self.clear(stack.pop()[1])
            if stack[-1][0] == name:
                self.clear(stack.pop()[1])
        f = t.stacks["function"]
        self.put("threads", t.slot, depth=len(f), function=f[-1][0] if f else "")

    def lock(self, t, kind, obj):
        key = (kind.split("-")[0] == "spin", obj)
        if "unlock" in kind:
            if not t.held[key]:
                return
            t.held[key] -= 1
            lock = self.locks[key]
            if not t.held[key] and lock["owner"] is t:
                lock["owner"] = None
                self.put("locks", lock["slot"], owner=NONE)
        else:
            t.held[key] += 1
            lock = self.locks.setdefault(key, {"slot": len(self.locks), "n": 0})
            lock["n"] += 1
            lock["owner"] = t
            self.put("locks", lock["slot"], object=obj, owner=t.slot, acquisitions=lock["n"])
        self.put("threads", t.slot, locks=sum(t.held.values()))

    def take(self, i, seq, time, ev):
        kind, *a = ev
        if kind == "end":
            return
        scope = f"/stream{i}"
        if kind == "cfg":
            target = ("memory", "compute", "sync", "context")[a[0]]
            f = ("mem", "comp", "sync", "cxt")[a[0]]
            self.events[scope, "cfg"].append((time, target, self.now["detail", i, f], a[1]))
            self.put("detail", i, **{f: a[1]})
            return
        if kind == "sync" and a[0] == 5:
            self.switch(i, a[1], True)
        elif kind == "cxt" and a[0] == 5:
            self.switch(i, a[1], True)
        elif not self.running[i]:
            self.switch(i, 1000000 + i, False)
        t = self.running[i]
        if kind == "mem":
            if a[0] in (1, 2):
                n = "load" if a[0] == 1 else "store"
                self.count(t, **{n + "s": 1, n + "_bytes": 1 << a[1]})
            addr = a[2] | 0xFF << 56 if a[2] >> 55 else a[2]
            self.events[scope, "mem"].append((time, t.slot, MEM_TYPES[a[0]], 1 << a[1], addr, a[3], 15))
        elif kind == "comp":
            if a[0]:
                self.count(t, **{"int_ops" if a[0] == 1 else "fp_ops": 1})
            ids = (a[3] + [0] * 4)[:4]
            self.events[scope, "comp"].append((time, t.slot, FORMATS[a[0]].replace("-", " "), 1 << a[1], a[2], len(a[3]), *ids, 242))
        elif kind == "sync":
            if a[0] in (6, 7, 11, 12):
                self.lock(t, SYNCS[a[0]], a[1])
            if a[0] == 1:
                self.created.append(t.tid)
            if a[0] != 5:
                self.count(t, syncs=1)
            self.events[scope, "sync"].append((time, t.slot, SYNCS[a[0]].replace("-", " "), a[1], a[2] if len(a) > 2 else 0))
        else:
            named = isinstance(a[1], bytes)
            if named:
                self.context(i, seq, a[0], a[1].decode())
            if a[0] == 1:
                self.count(t, insns=1)
            self.events[scope, "cxt"].append((time, t.slot, CXTS[a[0]].replace("-", " "), 0 if named else a[1], a[1].decode() if named else ""))


def random_events(r, n, threads):
    """Events of a stream in full detail: threads of its own, and stacks that mostly fit."""
    out = [("cfg", 0, 0xF0), ("cfg", 1, 0xF8)]
    names = [b"main", b"f", b"g", "µ".encode()]
    for _ in range(n):
        kind = r.choice("mcsxxwld")
        if kind == "m":
            out.append(("mem", r.randrange(3), r.randrange(8), r.getrandbits(56), r.randrange(256)))
        elif kind == "c":
            out.append(("comp", r.randrange(3), r.randrange(8), r.randrange(7), [r.randrange(256) for _ in range(r.randrange(1, 5))]))
        elif kind == "s":
            t = r.choice([1, 2, 3, 4, 8, 9, 10])
            out.append(("sync", t, *[r.getrandbits(64) for _ in range(2 if t == 8 else 1)]))
        elif kind == "l":
            out.append(("sync", r.choice([6, 7, 11, 12]), r.randrange(1, 4)))
        elif kind == "w":
            out.append(("sync", 5, r.choice(threads)) if r.random() < 0.8 else ("cxt", 5, r.choice(threads)))
        elif kind == "d":
            out.append(("cfg", 0, 0xF0))
        else:
            t = r.choice([1, 2, 3, 3, 4, 4, 6, 7, 8, 9])
            out.append(("cxt", t, r.getrandbits(56) if t < 3 else r.choice(names)))
    return out + [("end",)]


def twins():
    for seed in range(40):
        r = random.Random(seed)
        n = r.randrange(1, 5)
        # in some runs threads move between streams
        sets = [[1, 2, 3, 7]] * n if seed % 3 == 0 else [[10 * i + k for k in range(1, 4)] for i in range(n)]
        streams = [random_events(r, r.randrange(150), sets[i]) for i in range(n)]
        ticks = [r.randrange(1, 4) for _ in range(n)]
        merged = []
        for i, events in enumerate(streams):
            s = Stream(packed=seed & 1 == 1)
            clock = last = 0
            for seq, (kind, *a) in enumerate(events):
                {"mem": s.mem, "comp": s.comp, "sync": s.sync, "cxt": s.cxt, "cfg": s.config, "end": s.end}[kind](*a)
                time = last if kind == "end" else clock
                merged.append((time, i, seq, (kind, *a)))
                last = time
                clock += 0 if kind in ("cfg", "end") else ticks[i]
            write(f"s{i}.prism", s.data())
            write(f"s{i}.json", json.dumps({"version": 1, "format": "prism", "events": f"s{i}.prism", "clock": {"tick_ns": ticks[i]},
                                            "compute_layout": "packed" if s.packed else "wide"}).encode())
        err = convert("-q", "--lenient", *[f"s{i}.json" for i in range(n)])
        t = Twin(n)
        # the end of a stream comes with its last event
        merged.sort(key=lambda x: x[:3])
        at = 0
        for time, i, seq, ev in merged:
            if time != at:
                t.settle(at)
                at = time
            t.take(i, seq, time, ev)
            if ev[0] == "end":
                t.end(i)
        t.settle(at)
        states, events = load()
        compare(states, {k: v for k, v in t.states.items() if v}, f"seed {seed} state")
        compare(events, {k: v for k, v in t.events.items() if v}, f"seed {seed} event")
        if failures:
            print(err)
            return


def what_is_wrong():
    bad = [
        ("PM01", leave("f") + END, False), ("PM02", enter("f") + enter("g") + leave("f") + END, True), ("PM03", sync(UNLOCK, 5) + END, True),
        ("PM03", sync(UNLOCK, 5) + sync(SPIN_LOCK, 5) + END, True), ("PM05", swap(0) + END, False), ("PM05", swap(1 << 31) + END, False),
        ("PM06", enter("f") * 513 + END, True), ("PB01", swap(1)[:3], False), ("PB14", swap(1), True),
    ]
    for code, data, warns in bad:
        write("b.prism", data)
        _, err = run("uscope", "-o", "b.uscp", "b.prism", status=0 if warns else 1)
        check(f" {code}: " in err and "b.prism, byte " in err, code, err)
        check(os.path.exists("b.uscp") == warns and not os.path.exists("b.uscp.part"), code, "leaves", os.listdir("."))
        err = convert("--lenient", "b.prism")
        check(f"{code}: 1 time" in err, code, "lenient", err)
        if os.path.exists("b.uscp"):
            os.remove("b.uscp")
    # one thread in two streams
    write("a.prism", swap(1) + enter("f") + END)
    write("b.prism", swap(1) + enter("g") + END)
    _, err = run("uscope", "-o", "b.uscp", "a.prism", "b.prism", status=1)
    check("error[prism]: PM04: " in err and "b.prism, byte 0" in err, err)
    convert("--lenient", "-q", "a.prism", "b.prism")
    check(load()[0]["threads", 0, "function"] == {0: "", 1: "g", }, "a thread taken over", load()[0]["threads", 0, "function"])
    # ids that cannot be are threads of their own, the same for the same
    write("b.prism", swap(0) + swap(1 << 31) + swap(0) + END)
    convert("--lenient", "-q", "b.prism")
    states = load()[0]
    check([v[min(v)] for k, v in sorted(states.items()) if k[0] == "threads" and k[2] == "tid"] == [2000000, 2000001], "fresh ids", states)
    # deep stacks are only counted
    write("b.prism", enter("f") * 600 + leave("f") * 600 + END)
    convert("--lenient", "-q", "b.prism")
    depth = load()[0]["threads", 0, "depth"]
    check(max(depth.values()) == 600 and list(depth.values())[-1] == 0, "deep", depth)
    # tables that are full: what is new is left out, and told
    write("b.prism", b"".join(swap(i) + mem() for i in range(1, 1100)) + b"".join(sync(6, i) for i in range(4100)) + END)
    err = convert("b.prism")
    check("the table threads has 1024 slots: 75 times" in err and "the table locks has 4096 slots: 4 times" in err, "full tables", err)
    data = b"".join(swap(i) + enter("f") * 512 for i in range(1, 40)) + b"".join(swap(i) + leave("f") * 512 for i in range(1, 40)) + enter("g") + END
    write("b.prism", data)
    err = convert("b.prism")
    check(f"the table frames has 16384 slots: {39 * 512 - 16384} times" in err, "full frames", err)
    names = [v for k, v in load()[0].items() if k[0] == "frames" and k[2] == "name"]
    check(len(names) == 16384 and sum("g" in v.values() for v in names) == 1, "slots are used again")
    # names of any bytes
    write("b.prism", enter(b"\xff\x00a") + enter("µ") + END)
    convert("-q", "b.prism")
    check({"\\xff\\x00a", "µ"} <= {x[4] for x in load()[1]["/stream0", "cxt"]}, "names", load()[1])
    # times: from the first event on, whatever it is
    write("b.prism", FULL + swap(1) + enter("f") + END)
    write("b.ts", b"".join(x.to_bytes(8, "little") for x in (1700000000000000000,) * 2 + (1700000000000000003, 1700000000000000007)))
    convert("--set", "clock=mode=timestamps", "--set", "timestamps=b.ts", "b.prism")
    check(load()[0]["threads", 0, "depth"] == {3: 0, 7: 1}, "timestamps", load()[0])
    _, err = run("uscope", "-o", "x.uscp", "--tick-ns=9223372036854775", "b.prism", "b.prism", status=1)
    check("PM04" in err or "error[time]" in err, err)
    _, err = run("uscope", "-o", "x.uscp", "--tick-ns=9223372036854776", "b.prism", status=1)
    check("error[time]" in err, "times that do not fit", err)
    # before the first swap
    write("b.prism", cfg("mem", 0) + mem() + swap(5) + END)
    convert("b.prism", "--set", "process=7")
    states = load()[0]
    check(states["threads", 0, "tid"] == {0: 1000000} and states["threads", 1, "tid"] == {1: 5} and states["threads", 1, "process"] == {1: 7}, states)
    write("b.prism", enter("early") + swap(1000000) + enter("real") + END)
    convert("b.prism")
    states = load()[0]
    check([states.get(("threads", i, "depth")) for i in range(2)] == [{0: 1}, {1: 0, 2: 1}], states)
    write("b.prism", cfg("mem", 0) + mem() + swap(5) + END)
    convert("b.prism", "--set", "first_thread=9")
    check(load()[0]["threads", 0, "tid"] == {0: 9}, load()[0])
    write("empty.prism", b"")
    convert("-q", "empty.prism", "--set", "first_thread=9")
    check(load()[0]["threads", 0, "state"] == {0: "dead"}, "an empty stream")
    # types without metadata
    write("b.prism", cfg("cxt", 0x80) + cfg("sync", 0x80) + b"\x63\x46\x63\x64\x47\x64" + cfg("cxt", 0) + b"\x60" + END)
    check(convert("b.prism") == "" and load()[0]["threads", 0, "locks"] == {0: 0, 1: 1, 4: 0}, "without metadata", load()[0])


def outputs():
    run("uscope", "-o", "w.prism", "w.prism", status=2)
    _, err = run("uscope", "-o", "-", "w.prism", status=2)
    check("no pipe" in err, err)
    _, err = run("uscope", "-o", "/dev/null", "w.prism", status=1)
    check("no regular file" in err, err)
    write("large.prism", FULL + mem("load", 2, 4096, 1) * 100000 + END)
    write("keep.uscp", b"precious")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

    _, err = run("uscope", "-o", "keep.uscp", "large.prism", status=1, preexec_fn=small_files)
    with open("keep.uscp", "rb") as f:
        check("error[write]" in err and f.read() == b"precious" and not os.path.exists("keep.uscp.part"), "a full disk", err)
    convert("--progress", "-q", "large.prism")
    # many streams, in a directory
    os.mkdir("many")
    for i in range(300):
        write(f"many/{i:04}.prism", cxt(5, i + 1) + enter("f") + leave("f") + END)
    err = convert("many", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)))
    states, events = load()
    check(states["threads", 299, "cpu"] == {0: 299, 2: NONE} and ("/stream127", "cxt") in events, "many streams")
    check("the first 128 streams" in err and ("/stream128", "cxt") not in events, "events of many streams", err)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        for part in (worked_example, tables, twins, what_is_wrong, outputs):
            part()
    print("\n".join(failures[:40]) if failures else "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
