#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an event of a model costs that comes from a file: mpi as C and as JSON, compared with the built-in one; and what it
costs that other models have hooks for it.

An observer that changes a channel is compared with a model that makes the same change to a channel of its own, in a hook: changes cost
the same whoever makes them, and the limit is on observing.

usage: models.py OVNIEMU SRC [EVENTS]

User time of runs in turns, as the machine is another one a second later: runs of one turn are compared, and the median of all
turns counts. While a limit is passed there are more turns, as disturbances end and costs stay: up to ROUNDS times. Exit status 1
when one is passed by far then.
"""
import json
import os
import re
import resource
import statistics
import struct
import subprocess
import sys
import tempfile

EMU, SRC = (os.path.abspath(p) for p in sys.argv[1:3])
EVENTS = int(sys.argv[3]) if len(sys.argv) > 3 else 1000000
LIMIT, TOLERANCE, TURNS, ROUNDS = 1.05, 1.1, 15, 2
BUILT_IN = 33  # ns of an event of the built-in model where limits in ns were set; a slower machine gets more
sys.path[:0] = [f"{SRC}/test/gen"]
import asm  # noqa: E402


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def make_trace(folder, letter, model):
    asm.assemble(f"loom n cpus 0:0\nproc 1\nthread 1 require {model}=1.0.0\n1 0 OHx 0 -1 0\n1 {10**12} OHe\n", folder)
    path = f"{folder}/loom.n/proc.1/thread.1/stream.obs"
    with open(path, "rb") as f:
        ends = f.read()
    calls = [x for name in ("S[", "R[", "W[", "AR", "CB", "DB") for x in ((name[0] + name[1].lower()).encode(), (name[0] + ("]" if name[1] == "[" else name[1])).encode())]
    events = b"".join(struct.pack("<B3sQ", 0, letter.encode() + calls[i % len(calls)], 100 + i * 700) for i in range(EVENTS - EVENTS % len(calls)))
    write(path, ends[:-12] + events + ends[-12:])


OBSERVER = """#include "ovniscope/model.h"
static bool probe(struct emu *emu) { (void)emu; return true; }
static void nothing(struct emu *emu, const struct event *ev) { (void)emu; (void)ev; }
static void count(struct emu *emu, const struct event *ev) { (void)ev; ++*(uint64_t *)emu_data(emu); }
const struct model ovniscope_model = { MODEL_ABI, .id = 'y', .name = "observer", .version = "1.0.0", .data_size = 8, .probe = probe,
\t.observes = "M", HOOKS };
"""


OWN = {  # the hook of a model that does what the observer of that name does
    "mirror": "if (emu_value(emu, 0)) emu_set(emu, 1, emu_value(emu, 0)); else emu_clear(emu, 1);",
    "changes": "if (emu_value(emu, 0)) emu_set(emu, 1, emu_value(emu, 1) + 1);",
    "events": "emu_set(emu, 1, emu_value(emu, 1) + 1);",
}


def with_hook(code, act):
    """The model with one channel more, that no row shows, and a hook."""
    chan = '[FUNCTION + 1] = { .name = "seen", .title = "Seen", .prv_type = 987, .dup = DUP_SKIP, .values = VALUES_ANY, .thread_track = TRACK_HIDDEN, .cpu_track = TRACK_HIDDEN },'
    for old, new in (("chans[] = {", f"chans[] = {{ {chan}"), ("CHANS(chans),", "CHANS(chans), .pre = hook,"),
                     ("const struct model ", f"static void hook(struct emu *emu, const struct event *ev) {{ (void)ev; {act} }}\nconst struct model ")):
        assert code.count(old) == 1
        code = code.replace(old, new)
    return code


def declare(file, **observer):
    """A JSON model that observes, into a channel that no row shows: what is printed is no part of the cost."""
    channel = {"name": "seen", "title": "Seen", "type": 987, "values": "any", "thread": "hidden", "cpu": "hidden"}
    with open(file, "w", encoding="utf-8") as f:
        json.dump({"name": "declared", "version": "1.0.0", "letter": "z", "channels": [channel], "observers": [{"channel": "seen", **observer}]}, f)


def compile_to(so, text):
    subprocess.run([*os.environ.get("CC", "cc").split(), "-O2", "-shared", "-fPIC", f"-I{SRC}/src/emu/public", "-x", "c", "-o", so, "-"],
                   input=text, text=True, check=True)


def cpu(folder, *words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([EMU, "-q", "-f", "prv", "-o", "out", *words, folder], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def costs(turns):
    """What each limit is on, in words, its format, what it is now, the limit, and from where on it is passed by far."""
    def ns_more(way, base):
        return statistics.median(t[way] - t[base] for t in turns) / EVENTS * 1e9

    for way in ("C", "JSON"):
        yield f"as {way}", "{:.3f}", statistics.median(t[way] / t["built-in"] for t in turns), LIMIT, LIMIT * TOLERANCE
    slowness = max(1, statistics.median(t["built-in"] for t in turns) / EVENTS * 1e9 / BUILT_IN)
    for way, base, what, hooks, limit in (("late", "built-in", "hooks in emit and post that do nothing, each", 2, 2), ("observer", "built-in", "an observer", 1, 10),
                                          ("mirror", "own mirror", "a mirror in JSON", 1, 10), ("changes", "own changes", "counted changes in JSON", 1, 10),
                                          ("events", "own events", "counted events in JSON", 1, 10), ("rest", "built-in", "events in JSON that are not counted", 1, 10)):
        change = f"; {ns_more(base, 'built-in'):.1f} for the change itself" if base != "built-in" else ""
        yield what, f"{{:.1f}} ns an event{change}", ns_more(way, base) / hooks, limit * slowness, limit * slowness * 2


def main():
    text = read(f"{SRC}/test/plugin/mpi.json")
    text = re.sub(r'("enter"|"leave"): "M', r'\1: "N', text.replace('"letter": "M"', '"letter": "N"').replace('"name": "mpi"', '"name": "mpj"').replace('"type": 25,', '"type": 986,'))
    write("mpj.json", text.encode())
    code = read(f"{SRC}/src/models/mpi.c").replace("model_mpi", "ovniscope_model").replace('"mpi"', '"mpj"').replace("'M'", "'N'").replace("= 25,", "= 986,")
    code = re.sub(r'"M(..)"', r'"N\1"', code)
    compile_to("mpj.so", code)
    for way, act in OWN.items():
        compile_to(f"own {way}.so", with_hook(code, act))
    compile_to("late.so", OBSERVER.replace("HOOKS", ".emit = nothing, .post = nothing"))
    compile_to("count.so", OBSERVER.replace("HOOKS", ".pre = count"))
    declare("mirror.json", mirror="mpi.function")
    declare("changes.json", count="mpi.function")
    declare("events.json", count_events=["MS[", "MS]", "MR[", "MR]", "MW[", "MW]", "MAr", "MAR", "MCb", "MCB", "MDb", "MDB"])
    declare("rest.json", count_events=["MFi", "MFI"])
    make_trace("built-in", "M", "mpi")
    make_trace("moved", "N", "mpj")
    ways = {"built-in": ("built-in",), "C": ("moved", "--model", "./mpj.so"), "JSON": ("moved", "--model", "mpj.json"),
            "late": ("built-in", "--model", "./late.so"), "observer": ("built-in", "--model", "./count.so"),
            **{f"own {way}": ("moved", "--model", f"./own {way}.so") for way in OWN},
            **{way: ("built-in", "--model", f"{way}.json") for way in ("mirror", "changes", "events", "rest")}}
    turns = []
    for _ in range(ROUNDS):
        turns += [{way: cpu(*words) for way, words in ways.items()} for _ in range(TURNS)]
        if all(have <= limit for _, _, have, limit, _ in costs(turns)):
            break
    print(f"built-in: {statistics.median(t['built-in'] for t in turns) / EVENTS * 1e9:.1f} ns an event")
    for what, form, have, limit, _ in costs(turns):
        print(f"{'ok  ' if have <= limit else 'OVER'} {what}: {form.format(have)} (limit {limit:.3g})")
    return any(have > far for _, _, have, _, far in costs(turns))


with tempfile.TemporaryDirectory(prefix="bench-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as tmp:
    os.chdir(tmp)
    sys.exit(main())
