#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-laplace uscope: a worked example whose states and events are known, what is wrong,
and outputs that fail.

usage: uscope.py OVNISCOPE-LAPLACE USCOPE
"""
import collections
import json
import os
import random
import resource
import signal
import sys
import tempfile

from worked import KERNEL, REFS, check, finish, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "uscope"))
from convertkit import Converter  # noqa: E402

kit = Converter(*sys.argv[1:3], check)
run, look, convert = kit.run, kit.look, kit.convert

A, B = 0x9F8E7, 0x9F8E8
# (storage, slot, field): time in ns -> value, changes only. None: the slot is no longer valid.
STATES = {
    ("cpu", 0, "pid"): {32: 0x77, 512: 0x100, 768: 0, 784: 0x77},
    ("cpu", 0, "space"): {32: A, 512: B, 768: 0, 784: A},
    ("cpu", 0, "mode"): {48: "user", 304: "kernel", 512: 0, 513: "user", 768: 0, 784: "kernel", 800: "user"},
    ("cpu", 0, "ksection"): {256: 3, 288: 4, 512: 0, 528: 5, 533: 0, 544: 4, 560: 0, 784: 4, 800: 0},
    ("tasks", 0, "pid"): {0: 0},
    ("tasks", 0, "state"): {0: "created"},
    ("tasks", 0, "program"): {0: "kernel"},
    ("tasks", 1, "pid"): {0: 0x77},
    ("tasks", 1, "parent"): {0: 0},
    ("tasks", 1, "space"): {0: A},
    ("tasks", 1, "state"): {0: "created", 32: "running", 512: "waiting", 784: "running"},
    ("tasks", 1, "start_cycle"): {0: 4096},
    ("tasks", 2, "pid"): {256: 0x100, 773: None},
    ("tasks", 2, "parent"): {256: 0x77, 773: None},
    ("tasks", 2, "space"): {256: A, 272: B, 773: None},
    ("tasks", 2, "state"): {256: "created", 512: "running", 768: "exited", 773: None},
    ("tasks", 2, "start_cycle"): {256: 0x1100, 773: None},
    ("tasks", 2, "program"): {256: "", 773: None},
    ("task_counters", 0, "loads"): {773: 1},
    ("task_counters", 0, "load_bytes"): {773: 4},
    ("task_counters", 1, "loads"): {49: 1, 304: 2},
    ("task_counters", 1, "stores"): {50: 1},
    ("task_counters", 1, "fetches"): {48: 1, 800: 2},
    ("task_counters", 1, "load_bytes"): {49: 4, 304: 8},
    ("task_counters", 1, "store_bytes"): {50: 4},
    ("task_counters", 1, "new_pages"): {48: 1, 49: 3, 304: 4},
    ("task_counters", 2, "loads"): {560: 1},
    ("task_counters", 2, "stores"): {533: 1},
    ("task_counters", 2, "fetches"): {513: 1},
    ("task_counters", 2, "load_bytes"): {560: 8},
    ("task_counters", 2, "store_bytes"): {533: 4},
    ("task_counters", 2, "new_pages"): {560: 1},
    ("spaces", 0, "context"): {0: A},
    ("spaces", 0, "tasks"): {0: 1, 256: 2, 272: 1},
    ("spaces", 0, "mapped_bytes"): {0: 0, 16: 0x3000},
    ("spaces", 0, "touched_pages"): {0: 0, 48: 1, 49: 3},
    ("spaces", 1, "context"): {272: B, 784: None},
    ("spaces", 1, "tasks"): {272: 1, 768: 0, 784: None},
    ("spaces", 1, "mapped_bytes"): {272: 0, 288: 0x3000, 544: 0xC000, 776: 0, 784: None},
    ("spaces", 1, "touched_pages"): {272: 0, 513: 1, 533: 2, 560: 3, 784: None},
    ("regions", 0, "space"): {16: 0},
    ("regions", 0, "class"): {16: "anonymous"},
    ("regions", 0, "start"): {16: 0x8048000},
    ("regions", 0, "end"): {16: 0x804B000},
    ("regions", 1, "space"): {288: 1, 776: None},
    ("regions", 1, "start"): {288: 0x8048000, 776: None},
    ("regions", 1, "end"): {288: 0x804B000, 776: None},
    ("regions", 2, "space"): {544: 1, 776: None},
    ("regions", 2, "class"): {544: "file", 776: None},
    ("regions", 2, "start"): {544: 0x1A2B3000, 776: None},
    ("regions", 2, "end"): {544: 0x1A2BC000, 776: None},
    ("regions", 2, "major"): {544: 0x35, 776: None},
    ("regions", 2, "minor"): {544: 5, 776: None},
    ("regions", 2, "inode"): {544: 0x8EFA5567, 776: None},
    ("regions", 2, "offset"): {544: 0, 776: None},
    ("regions", 2, "name"): {544: "foobar.so", 776: None},
    ("regions", -1, "live"): {16: 1, 288: 2, 544: 3, 776: 1},
}
EVENTS = {
    "ref": [
        (48, "fetch", 4, A, 0x8048000, 1, 1), (49, "load", 4, A, 0x8049FFE, 1, 2), (50, "store", 4, A, 0x804A010, 1, 3),
        (304, "load", 4, A, 0xC0100000, 1, 4), (513, "fetch", 2, B, 0x8048004, 2, 1), (533, "store", 4, B, 0x8048800, 2, 5),
        (560, "load", 8, B, 0x1A2B3C48, 2, 6), (773, "load", 4, B, 0xC0100000, 0, 4), (800, "fetch", 3, A, 0x8048010, 1, 1)],
    "kevent": [
        (0, "assign context", 1, 0x77, A, 0, 0), (16, "map anonymous", 1, 0x77, 0x8048000, 0x3000, 0), (32, "schedule", 1, 0x77, 0, 0, 0),
        (256, "fork", 1, 0x100, 0x77, 0, 0), (272, "assign context", 2, 0x100, B, 0, 0),
        (288, "duplicate range", 1, A, B, 0x8048000, 0x804B000), (512, "schedule", 2, 0x100, 0, 0, 0),
        (528, "copy on write", 2, 0x100, 0x8048000, 0, 0), (544, "map file", 2, 0x100, 0x1A2B3000, 0x9000, 0x8EFA5567),
        (768, "exit", 2, 0x100, 0, 0, 0), (776, "unmap all", 0, B, 0, 0, 0), (784, "schedule", 1, 0x77, 0, 0, 0)],
    "page": [
        (48, "anonymous", 1, A, 0x8048), (49, "anonymous", 2, A, 0x8049), (49, "anonymous", 3, A, 0x804A), (304, "kernel", 4, A, 0xC0100),
        (528, "copy on write", 5, B, 0x8048), (560, "file", 6, B, 0x1A2B3)],
    "switch": [(32, 0, 0x77), (512, 0x77, 0x100), (768, 0x100, 0), (784, 0, 0x77)],
}
STORAGES = {
    "cpu": "dense, 1 slot of 10 bytes: pid U32, space U32, mode ENUM mode, ksection U8",
    "tasks": "sparse, 4096 slots of 25 bytes: pid U32, parent U32, space U32, state ENUM task_state, start_cycle U64, program STRING_REF",
    "task_counters": "dense, 4096 slots of 48 bytes: loads U64, stores U64, fetches U64, load_bytes U64, store_bytes U64, new_pages U64",
    "spaces": "sparse, 4096 slots of 22 bytes: context U32, tasks U16, mapped_bytes U64, touched_pages U64",
    "regions": "sparse buffer, 16384 slots of 35 bytes: space U16, class ENUM page_class, start U32, end U32, major U32, minor U32, "
               "inode U32, offset U64, name STRING_REF; properties: live U32",
}
TYPES = {
    "ref": "kind ENUM ref_kind, length U8, space U32, address U32, task U16, page U64",
    "kevent": "kind ENUM kevent, task U16, a U64, b U64, c U64, d U64",
    "page": "class ENUM page_class, page U64, space U32, vpage U32",
    "switch": "from U32, to U32",
}


def load(path="o.uscp", unit=1000):
    """States as in STATES, and events as in EVENTS."""
    states = collections.defaultdict(dict)
    last = {}
    events = collections.defaultdict(list)

    def note(key, time, value):
        if key not in last and key[0] in ("cpu", "task_counters"):
            last[key] = 0
        if key not in last or last[key] != value:
            states[key][time] = value
        last[key] = value

    for x in kit.records(path):
        time = x["time_ps"] / unit
        if x["kind"] == "event":
            events[x["event"]].append((time, *x["fields"].values()))
        elif x["kind"] == "prop":
            note((x["storage"], -1, x["property"]), time, x["value"])
        elif x["kind"] == "clear":
            for key in [k for k in last if k[:2] == (x["storage"], x["slot"])]:
                note(key, time, None)
        else:
            key = (x["storage"], x["slot"], x["field"])
            value = x["value"]
            note(key, time, last.get(key, 0) + value if x["kind"] == "add" else value)
    return states, events


def compare(have, want, what):
    for key in want:
        check(have.get(key) == want[key], what, key, "is", have.get(key), "not", want[key])


def slots(storage, *args, path="o.uscp"):
    """Fields of all slots of a storage, and no properties."""
    out = look("state", "--json", "--storage", storage, *args, path)
    return [x["fields"] for x in map(json.loads, out.splitlines()) if "slot" in x]


def totals(states):
    return {k: list(v.values())[-1] for k, v in states.items() if k[0] == "task_counters"}


def worked_example():
    write("k.lkt", KERNEL)
    write("r.lrt", REFS)
    for order in ("little", "big"):
        run("binary", "--endian", order, "r.lrt", f"{order}.lrb")
    run("merge", "r.lrt", "k.lkt", "-o", "m.lmt")
    inputs = (["r.lrt", "k.lkt"], ["k.lkt", "r.lrt"], ["little.lrb", "k.lkt"], ["--endian", "big", "big.lrb", "k.lkt"], ["m.lmt"])
    first = None
    for args in inputs:
        convert("-q", *args)
        with open("o.uscp", "rb") as f:
            data = f.read()
        first = first or data
        check(data == first, args, "gives another file")
    states, events = load()
    compare(states, STATES, "state")
    check(not set(states) - set(STATES) - {k for k in states if k[0] in ("regions", "tasks")}, "more states than known", set(states) - set(STATES))
    compare(events, EVENTS, "event")
    check(set(events) == set(EVENTS), "events", set(events))
    # what a reader sees at a time: ended tasks for one frame
    for time, valid in (("767ns", True), ("768ns", True), ("772ns", True), ("773ns", False)):
        check((256 in [x["pid"] for x in slots("tasks", "-t", time)]) == valid, "task 100 at", time)
    # totals of a time without references: only at the ends of windows
    convert("-q", "--refs=none", "--window=256", "r.lrt", "k.lkt")
    none, few = load()
    check("ref" not in few, "references in spite of --refs=none")
    compare(few, {k: v for k, v in EVENTS.items() if k != "ref"}, "event without references")
    compare(none, {k: v for k, v in STATES.items() if k[0] in ("cpu", "tasks", "regions")}, "state without references")
    check(totals(none) == totals(states), "totals without references")
    check(none[("task_counters", 1, "loads")] == {256: 1, 512: 2}, "windows", none[("task_counters", 1, "loads")])
    check(none[("task_counters", 2, "fetches")] == {768: 1}, "windows", none[("task_counters", 2, "fetches")])


def tables():
    convert("-q", "--freq=3000000000", "--name", "M\xfc", "--kernel-base", "c0100000", "r.lrt", "k.lkt", env={**os.environ, "LC_ALL": "C.UTF-8"})
    info = look("info", "o.uscp")
    order = [x.split()[1][:-1] for x in info.splitlines() if x.startswith("      storage ")]
    check(order == list(STORAGES), "order of the storages", order)
    order = [x.split()[1][:-1] for x in info.splitlines() if x.startswith("      event ")]
    check(order == list(TYPES), "order of the events", order)
    for name, text in STORAGES.items():
        check(f"      storage {name}: {text}\n" in info, "storage", name, info)
    for name, text in TYPES.items():
        check(f"      event {name}: {text}\n" in info, "event", name, info)
    for text in ("  /, clock cpu_clk\n    laplace, protocol laplace, clock cpu_clk\n", "dut_name = M\xfc\n", "laplace.protocol_version = 0.1\n",
                 "laplace.freq_hz = 3000000000\n", "laplace.page_size = 4096\n", "laplace.kernel_base = c0100000\n", "cpu_clk: 333ps\n",
                 "  task_state: 0 free, 1 created, 2 running, 3 waiting, 4 exited\n"):
        check(text in info, text, "is not in", info)
    # exact times, not multiples of the period
    check([x[0] for x in load(unit=1)[1]["switch"]] == [n * 1000 // 3 for n in (32, 512, 768, 784)], "times at 3 GHz")
    text = look("summary", "o.uscp")
    sums = {"loads": 4, "stores": 2, "fetches": 3, "load_bytes": 20, "store_bytes": 8, "new_pages": 5}
    check("density: 3 instructions" in text, "density", text)
    for name, n in sums.items():
        check(any(f'"{name}" of /laplace/task_counters' in x and x.endswith(f"sum {n}") for x in text.splitlines()), "counter", name, text)
    check(look("strings", "o.uscp").splitlines()[0].split() == ["0", '""'], "string 0")


def far():
    """Times are exact beyond what a double holds."""
    write("far.lrt", "r 10 1 1 0\nr 30000000000013 1 1 0\n")
    convert("far.lrt", "--freq=3000000001")
    times = [x["time_ps"] for x in kit.records("o.uscp") if x["kind"] == "event" and x["event"] == "ref"]
    check(times == [0, 0x30000000000003 * 10**12 // 3000000001], "far apart", times)


def machines():
    """What else can happen to tasks and mappings."""
    # the last record ends a task and a space: they leave a cycle later
    write("end.lkt", "F 1 5 0\nA 2 5 a1\nS 3 5\nX 4 5 1 2 3 /bin/\xff\nT 9 5\nu 9 a1\n".encode("latin-1"))
    convert("-q", "end.lkt")
    states, _ = load()
    check(states[("tasks", 1, "state")] == {0: "created", 2: "running", 8: "exited", 9: None}, "the last exit", states[("tasks", 1, "state")])
    check(states[("spaces", 0, "context")] == {1: 0xA1, 9: None}, "the last space", states[("spaces", 0, "context")])
    check(states[("tasks", 1, "program")] == {0: "", 3: "/bin/\\xff", 9: None}, "program", states[("tasks", 1, "program")])
    # a mapping is cut, moved, shared, replaced by one of a segment
    write("maps.lkt", "F 1 5 0\nA 1 5 a1\nm 2 5 1000 5000\nU 3 5 3000 1000\n@ 4 5 9000 2000 1000 2000\ns 5 5 9000 1000 7\nm 6 5 6000 1000\nA 7 5 a1\n")
    convert("-q", "maps.lkt")
    maps = {}
    for t in range(7):
        maps[t] = sorted((x["class"], x["start"], x["end"], x["inode"]) for x in slots("regions", "--raw", "-t", f"{t}ns"))
    want = {0: [], 1: [(1, 0x1000, 0x6000, 0)], 2: [(1, 0x1000, 0x3000, 0), (1, 0x4000, 0x6000, 0)],
            3: [(1, 0x4000, 0x6000, 0), (1, 0x9000, 0xB000, 0)],
            4: [(1, 0x4000, 0x6000, 0), (1, 0xA000, 0xB000, 0), (3, 0x9000, 0xA000, 7)],
            5: [(1, 0x4000, 0x7000, 0), (1, 0xA000, 0xB000, 0), (3, 0x9000, 0xA000, 7)], 6: []}
    compare(maps, want, "mappings at")
    # a part is shared with another space: what is whole stays so
    write("part.lkt", "F 1 5 0\nA 1 5 a1\nm 2 5 1000 5000\nF 3 6 5\nA 3 6 a2\nD 3 a1 a2 1000 3000\nm 4 5 6000 1000\n")
    convert("-q", "part.lkt")
    check([(x["start"], x["end"]) for x in slots("regions") if x["space"] == 0] == [(0x1000, 0x7000)], "a mapping shared in part", slots("regions"))
    # references only: each space is a task
    convert("r.lrt")
    states, events = load()
    check(events["switch"] == [(0, 0, 1), (465, 1, 2), (752, 2, 1)], "switches without a kernel trace", events["switch"])
    check(not events["kevent"] and len(events["ref"]) == 9, "references only")
    # tables that are full: counted, and no more
    write("full.lkt", "F 1 1 0\nS 1 1\nA 1 1 1\n" + "".join(f"F 2 {i + 2:x} 1\n" for i in range(4100)) + "".join(f"m 3 1 {0x2000 * i:x} 1000\n" for i in range(16400)))
    err = convert("full.lkt")
    check("table tasks has 4096 slots: 6 times" in err and "table regions has 16384 slots: 16 times" in err, "full tables", err)
    # slots are used again, with counts from 0
    write("again.lmt", "".join(f"F {4 * i + 1:x} {i + 2:x} 0\nS {4 * i + 2:x} {i + 2:x}\ni {4 * i + 3:x} 4 1 1000\nT {4 * i + 4:x} {i + 2:x}\n" for i in range(4200)))
    err = convert("-q", "again.lmt")
    check("slots" not in err, "slots of dead tasks", err)
    check({x["fetches"] for x in slots("task_counters")} == {1}, "counts of a slot that is used again")
    write("nothing.lrt", "")
    convert("--format", "text", "nothing.lrt")


def random_trace(r):
    """Events that fit and such that do not."""
    out = []
    ts = 0
    for _ in range(600):
        ts += r.choice((0, 1, 3))
        pid, other, a, b = r.randrange(1, 7), r.randrange(1, 7), r.randrange(1, 5), r.randrange(1, 5)
        va, n = r.randrange(64) << 12, r.randrange(1, 12) << 12
        out.append(r.choice((
            f"F {ts:x} {pid:x} {other:x}", f"A {ts:x} {pid:x} {a:x}", f"T {ts:x} {pid:x}", f"S {ts:x} {r.randrange(7):x}",
            f"D {ts:x} {a:x} {b:x} {va:x} {va + n:x}", f"u {ts:x} {a:x}", *[f"m {ts:x} {pid:x} {va:x} {n:x}"] * 3, *[f"U {ts:x} {pid:x} {va:x} {n:x}"] * 3,
            *[f"M {ts:x} {pid:x} {va:x} {n:x} {a:x} 1 2 {b << 12:x} f{a}"] * 3, f"s {ts:x} {pid:x} {va:x} {n:x} {b:x}", f"C {ts:x} {pid:x} {va:x}",
            *[f"@ {ts:x} {pid:x} {va:x} {n:x} {r.randrange(64) << 12:x} {r.randrange(1, 12) << 12:x}"] * 2,
            *[f"r {ts:x} 8 {a:x} {va + 4090:x}"] * 4)))
    return "".join(x + "\n" for x in out)


def random_machines():
    """At all times the mappings of a space are as large as it says, do not overlap, and live ones
    are counted; tasks are in the spaces that say so."""
    for seed in range(6):
        r = random.Random(seed)
        text = random_trace(r)
        write("random.lmt", text)
        convert("-q", "--lenient", "random.lmt")
        end = int(text.splitlines()[-1].split()[1], 16)
        for t in sorted(r.sample(range(end), 12)) + [end]:
            lines = look("state", "--json", "-t", f"{t}ns", "o.uscp").splitlines()
            tables = collections.defaultdict(dict)
            for x in map(json.loads, lines):
                if "slot" in x:
                    tables[x["storage"]][x["slot"]] = x["fields"]
            what = f"seed {seed}, {t} ns:"
            regions = sorted((x["space"], x["start"], x["end"]) for x in tables["regions"].values())
            check(all(x[0] != y[0] or x[2] <= y[1] for x, y in zip(regions, regions[1:])), what, "regions overlap", regions)
            check({x[0] for x in regions} <= set(tables["spaces"]), what, "regions of no space")
            for slot, space in tables["spaces"].items():
                size = sum(x[2] - x[1] for x in regions if x[0] == slot)
                check(size == space["mapped_bytes"], what, "space", slot, "has", space["mapped_bytes"], "bytes, its regions", size)
            live = [x for x in tables["tasks"].values() if x["state"] != "exited" and x["pid"]]
            check(len({x["pid"] for x in live}) == len(live), what, "a pid lives twice")
            check(sum(x["tasks"] for x in tables["spaces"].values()) <= len(live), what, "more tasks in spaces than there are")
            running = [x["pid"] for x in live if x["state"] == "running"] or [0]
            check(running == [tables["cpu"].get(0, {"pid": 0})["pid"]], what, "runs", running, tables["cpu"])


def bad():
    write("bad.lrt", "r 1 4 2 3\nr 2 4 2\nr 3 4 2 3\nr 2 4 2 3\n")
    err = convert("bad.lrt", out="bad.uscp", status=1)
    check("error[laplace]: LT01: " in err and "bad.lrt, line 2, byte 10 (+0xa)" in err, "strict", err)
    check(not [x for x in os.listdir(".") if x.startswith("bad.uscp")], "an output is left behind an error")
    err = convert("--lenient", "bad.lrt", out="bad.uscp")
    check("LT01: 1 time" in err and "LR05: 1 time" in err, "lenient", err)
    check([x[0] for x in load("bad.uscp")[1]["ref"]] == [0, 2, 2], "lenient references", load("bad.uscp")[1]["ref"])
    # ignored by the machine
    write("dead.lkt", "F 1 5 0\nT 2 5\nS 3 5\nF 4 6 0\nF 5 6 0\n")
    check("error[laplace]: LM03: " in convert("dead.lkt", out="d.uscp", status=1), "a switch to a dead task")
    err = convert("--lenient", "dead.lkt", out="d.uscp")
    states, events = load("d.uscp")
    check("LM03: 1 time" in err and "LM02: 1 time" in err, "dead, lenient", err)
    check(not events["switch"] and len(events["kevent"]) == 4, "dead, lenient", events)
    check(states[("tasks", 2, "state")] == {3: "created", 4: "exited", 5: None}, "a task that is restarted", states[("tasks", 2, "state")])
    write("merged.lbm", "I 1\nR 2\n")
    check("error[format]" in convert("merged.lbm", status=1), "a basic merge")
    write("late.lrt", "r 1 4 2 3\nr ffffffffffffffff 4 2 3\n")
    check("error[time]" in convert("late.lrt", status=1), "times beyond 63 bits")
    convert("late.lrt", "--freq=1000000000000", status=1)
    for args in (["r.lrt"], ["-o", "-", "r.lrt"], ["-o", "x", "--freq=0", "r.lrt"], ["-o", "x", "--freq=232", "r.lrt"], ["-o", "x", "--freq=1e9", "r.lrt"],
                 ["-o", "x", "--freq=1000000000001", "r.lrt"], ["-o", "x", "--refs=some", "r.lrt"], ["-o", "r.lrt", "r.lrt"]):
        check("error[usage]" in run("uscope", *args, status=2)[1], args)
    check(not os.path.exists("x"), "wrong usage leaves a file")
    convert("-q", "--freq=233", "r.lrt")


def outputs():
    write("old.uscp", "precious")
    run("uscope", "bad.lrt", "-o", "old.uscp", status=1)
    with open("old.uscp", encoding="ascii") as f:
        check(f.read() == "precious", "a failed run replaced a file")
    check("error[write]" in convert("r.lrt", out="nowhere/x", status=1), "no such directory")
    if os.path.exists("/dev/full"):
        check("error[write]" in convert("r.lrt", out="/dev/full", status=1), "a device")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    many = "".join(f"r {i:x} 4 1 {i * 4096 % 0x80000000:x}\n" for i in range(200000))
    write("many.lrt", many)
    for size in (0, 1000, 100000, 400000):
        err = convert("many.lrt", out="large.uscp", status=1, preexec_fn=small_files)
        check("error[write]" in err and "large.uscp" in err, "a full disk after", size, err)
        check(not [x for x in os.listdir(".") if x.startswith("large")], "what did not fit is left")
    convert("many.lrt", out="large.uscp")
    text = look("summary", "large.uscp")
    check("sum 200000" in text and "sum 800000" in text, "many references", text)
    check([x["touched_pages"] for x in slots("spaces", path="large.uscp")] == [200000], "pages of many references")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        for part in (worked_example, tables, far, machines, random_machines, bad, outputs):
            part()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
