#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovni.perfetto-trace tells the same as the Paraver files of its run.

usage: same.py --emu OVNIEMU [--golden] [--random] [--seed S] [--count N] [--time SECONDS] [--tp SCRIPT] [--keep DIR] [-v]

Each trace is emulated in both views. Then each row and type of the PRV that shows anything is a track with the same names, in
the same place, and has slices, instants and numbers of the same times and labels; no other tracks are there but those
of tasks. Slices stand in each other as the values on the stack do, which the naive twin of the emulator tells
for random traces. With --perfetto-gzip the content is the same.

--tp: the files are read by the trace processor of Perfetto, in place of our own reader: SCRIPT is a program for node that runs
SQL on a trace, `TPDIR=... node SCRIPT TRACE SQL...`; without it, node or TPDIR the test is skipped.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "uscope", "timeline")]

import pftrace
import tlkit

import asm
import casefile
import memory
import random_traces

ROOTS = (("Threads", "thread"), ("CPUs", "cpu"), ("Processes", "proc"))


def clean(text):
    return "".join(" " if ord(c) < 32 or ord(c) == 127 else c for c in text).rstrip(" ")


def labels_of(lines):
    """Label of the type, and {value: label}, as PCF have them."""
    values = {}
    for line in lines[1:]:
        value, _, label = line.partition(" ")
        values[int(value)] = label.lstrip(" ") if value == line.split(" ")[0] and len(value) >= 4 else line[5:]
    return lines[0], values


class Paraver:
    """(class, row, its label, label of the type) -> [(time, value)], and the labels of its values. begin: its first time, 0 but in a window."""

    def __init__(self, out):
        self.shown, self.labels, self.begin, self.end = {}, {}, 0, 0
        for root, name in ROOTS:
            if not os.path.exists(f"{out}/{name}.prv"):
                continue
            header, sequences = tlkit.read_prv(f"{out}/{name}.prv")
            types = {t: labels_of(lines) for t, lines in tlkit.read_pcf(f"{out}/{name}.pcf").items()}
            with open(f"{out}/{name}.row", encoding="utf-8", errors="surrogateescape") as f:
                rows = f.read().split("\n")[4:]
            self.end = max(self.end, int(header.split("):")[1].split("_ns")[0]))
            for (row, kind), changes in sequences.items():
                title, values = types[kind]
                if any(v for _, v in changes):
                    key = (root, row, clean(rows[row - 1]), clean(title))
                    self.shown[key] = changes
                    self.labels[key] = values


def at_times(changes):
    """{time: the last at it}, without repeats."""
    out = []
    for t, v in sorted({t: v for t, v in changes}.items()):
        if v != (out[-1][1] if out else ""):
            out.append((t, v))
    return out


def of_track(track, begin):
    """The changes of a track as Paraver has them: an instant lasts for the nanosecond before it, unless the trace begins with it."""
    lines, last = [], None
    for change in track.changes:
        t, top = change[0], clean(change[1] or "")
        if len(change) == 2:
            lines.append((t, top))
        elif t == begin or last == t:
            lines += [(t, clean(change[2])), (t, top)]
        else:
            lines += [(t - 1, clean(change[2])), (t, top)]
        last = t
    # a stable sort: an instant stands behind what was at the nanosecond before
    return sorted(lines, key=lambda x: x[0])


def name(value, labels):
    return labels.get(value) or str(value) if value else ""


def compare_track(key, track, paraver):
    changes, labels = paraver.shown[key], paraver.labels[key]
    if track.counter:
        # it begins with the first that is not 0
        have, want = ([x for i, x in enumerate(q) if i or x[1]] for q in (at_times(track.values), at_times(changes)))
    else:
        # what is open ends with the trace
        have = at_times(of_track(track, paraver.begin) + [(paraver.end, "")])
        want = at_times([(t, clean(name(v, labels))) for t, v in changes] + [(paraver.end, "")])
    if have == want:
        return []
    i = next((i for i, (a, b) in enumerate(zip(have, want)) if a != b), min(len(have), len(want)))
    return [f"{' / '.join(map(str, key))}: change {i} is {have[i:i + 2]}, and the PRV has {want[i:i + 2]}"]


def compare_slices(key, track, paraver):
    """Where the channel has neither instants nor levels, each line of the PRV is a slice, of no length too."""
    changes, labels = paraver.shown[key], paraver.labels[key]
    ends = [t for t, _ in changes[1:]] + [paraver.end]
    want = [(t, e, clean(name(v, labels))) for (t, v), e in zip(changes, ends) if v]
    have = [(b, e, clean(n)) for b, e, _, n in track.slices]
    return [] if have == want else [f"{' / '.join(map(str, key))}: {len(have)} slices, {[x for x in zip(have, want) if x[0] != x[1]][:1]}, and {len(want)} in the PRV"]


def compare(tracks, paraver, exact):
    """Texts that tell what differs; tracks: {path: track}"""
    found, left = [], dict(paraver.shown)
    for path, track in tracks.items():
        if track.flows:
            continue
        key = (path[0], track.ranks[-2] + 1, clean(path[-2]), clean(path[-1]))
        if key not in left:
            found.append(f"{' / '.join(path)} is not in the PRV")
            continue
        if len(path) != {"Threads": 5, "CPUs": 4, "Processes": 3}[path[0]]:
            found.append(f"{' / '.join(path)} is not where it should be")
        found += compare_track(key, track, paraver)
        nested = any(s[2] for s in track.slices)
        if exact and not track.counter and not track.instants and not nested and path[0] != "Threads":
            found += compare_slices(key, track, paraver)
        if any(s[1] is None for s in track.slices):
            found.append(f"{' / '.join(path)}: a slice has no end")
        del left[key]
    return found + [f"{' / '.join(map(str, key))} is missing" for key in left]


def check_flows(tracks):
    """A flow begins once, and ends at most once, and not before."""
    found, begins, ends = [], {}, {}
    for path, track in tracks.items():
        for t, flow, ending in track.flows:
            if flow in (ends if ending else begins):
                found.append(f"flow {flow:x} twice")
            (ends if ending else begins)[flow] = t
            if not path[-1].endswith(" tasks"):
                found.append(f"flows in {path[-1]}")
    return found + [f"flow {f:x} ends before it begins" for f in ends if f in begins and ends[f] < begins[f]]


class Processor:
    """The tracks of a file as the trace processor sees them."""
    SQL = ("select id, coalesce(parent_id, -1), hex(name), type from track",
           "select track_id, ts, dur, depth, hex(name) from slice order by id",
           "select track_id, ts, cast(value as int) from counter order by id",
           "select b.track_id, b.ts, e.track_id, e.ts from flow f join slice b on f.slice_out = b.id join slice e on f.slice_in = e.id",
           "select name, value from stats where severity in ('error', 'data_loss') and value > 0")

    def __init__(self, script):
        self.script = script

    def missing(self):
        if not os.path.isfile(self.script):
            return f"there is no {self.script}"
        if not shutil.which("node"):
            return "there is no node"
        return "" if os.path.isfile(os.environ.get("TPDIR", "") + "/trace_processor.wasm") else "TPDIR is not set to the trace processor"

    def read(self, path):
        p = subprocess.run(["node", self.script, path, *self.SQL], capture_output=True, timeout=120, check=True)
        tables = []
        for line in p.stdout.decode().splitlines():
            if line.startswith("# "):
                tables.append([])
            elif tables and not line.startswith("("):
                tables[-1].append(line.split("|"))
        nodes, slices, counters, flows, errors = (t[1:] for t in tables)
        if errors:
            raise pftrace.Broken(f"the trace processor says {errors}")
        names = {int(i): (int(parent), bytes.fromhex(name).decode()) for i, parent, name, _ in nodes}

        def path_of(i):
            return () if i < 0 else path_of(names[i][0]) + (names[i][1],)
        tracks = {}

        def track(i):
            return tracks.setdefault(i, pftrace.Track(i, path_of(i), (), False))
        for i, ts, dur, depth, label in slices:
            t, begin, dur = track(int(i)), int(ts), int(dur)
            t.slices.append([begin, begin + dur if dur >= 0 else None, int(depth), bytes.fromhex(label).decode()])
        for i, ts, value in counters:
            track(int(i)).counter = True
            track(int(i)).values.append((int(ts), int(value)))
        for i, begin, k, end in flows:
            track(int(i)).flows.append((int(begin), 0, False))
            track(int(k)).flows.append((int(end), 0, True))
        return tracks

    def compare(self, trace, path):
        """What differs in the tracks of our reader and of the trace processor."""
        mine = {t.path: t for t in trace.tracks.values() if t.slices or t.values or t.instants}
        theirs = {t.path: t for t in self.read(path).values()}
        found = [f"trace processor: {' / '.join(p)} is only in one" for p in set(mine) ^ set(theirs)]
        flows = {}
        for p in set(mine) & set(theirs):
            a, b = mine[p], theirs[p]
            have = sorted((s[0], s[1], s[3]) for s in a.slices) + sorted((t, t, n) for t, n in a.instants)
            got = [(s[0], s[1], s[3]) for s in b.slices]
            if sorted(have) != sorted(got):
                found.append(f"trace processor: {' / '.join(p)}: {len(got)} slices, not {len(have)}, or others: {sorted(set(have) ^ set(got))[:2]}")
            if not a.instants and sorted((s[0], s[1], s[2]) for s in a.slices) != sorted((s[0], s[1], s[2]) for s in b.slices):
                found.append(f"trace processor: {' / '.join(p)}: other depths")
            if [(t, float(v)) for t, v in a.values] != [(t, float(v)) for t, v in b.values]:
                found.append(f"trace processor: {' / '.join(p)}: {b.values[:3]} instead of {a.values[:3]}")
            for t, flow, ends in a.flows:
                flows.setdefault(flow, [None, None])[ends] = (p, t)
        want = sorted(tuple(f) for f in flows.values() if all(f))
        ends = {True: [], False: []}
        for p, b in theirs.items():
            for t, _, e in b.flows:
                ends[e].append((p, t))
        if sorted(ends[False]) != sorted(w[0] for w in want) or sorted(ends[True]) != sorted(w[1] for w in want):
            found.append(f"trace processor: {len(ends[True])} flows, not {len(want)}, or others")
        return found


class Test:
    def __init__(self, emu, processor):
        self.emu, self.processor, self.files, self.tracks, self.events, self.bytes = os.path.abspath(emu), processor, 0, 0, 0, 0

    def run(self, trace, out, words):
        p = subprocess.run([self.emu, "-q", *words, "-f", "prv,perfetto", "-o", out, trace], stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=120, check=False)
        file = f"{out}/ovni.perfetto-trace"
        if p.returncode not in (0, 1):
            return [f"ovniemu: status {p.returncode}: {p.stderr.decode(errors='replace')}"]
        if not os.path.exists(f"{out}/thread.prv"):
            return []
        try:
            read = pftrace.read(file)
            found = self.processor.compare(read, file) if self.processor else []
        except (pftrace.Broken, KeyError, IndexError, UnicodeDecodeError) as e:
            return [f"{type(e).__name__}: {e}"]
        tracks = read.by_path()
        self.files, self.tracks, self.events, self.bytes = self.files + 1, self.tracks + len(tracks), self.events + read.events, self.bytes + read.size
        found += compare(tracks, Paraver(out), "--compat" not in words) + check_flows(tracks)
        if not self.processor:
            found += self.compressed(trace, out, words, file)
        return found

    def compressed(self, trace, out, words, file):
        subprocess.run([self.emu, "-q", *words, "-f", "perfetto", "--perfetto-gzip", "-j", "1", "-o", f"{out}/gzip", trace],
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        with open(file, "rb") as f, open(f"{out}/gzip/ovni.perfetto-trace", "rb") as g:
            return [] if f.read() == pftrace.gzip.decompress(g.read()) else ["compressed, it is another file"]


def golden_cases(a):
    """All of them, or each n-th with TEST_SHARE=n."""
    for label, path in list(casefile.find(os.path.join(HERE, "..", "golden")))[a.seed % a.share::a.share]:
        one = casefile.Case(path)

        def make(trace, one=one):
            asm.assemble(one.get("in.txt"), trace)
            one.unpack(f"{trace}-case", lambda name: "/" not in name)
        yield label, make, [w.replace("{case}", "{trace}-case") for w in one.get("args", "").split()]


def random_cases(a):
    have = random_traces.models_of(os.path.abspath(a.emu))
    models = [m for m in asm.VERSIONS if m in have]
    for seed in range(a.seed, a.seed + a.count):
        g = random_traces.Generator(seed, models)

        def make(trace, g=g):
            asm.assemble(g.text(), trace)
        yield f"seed {seed}", make, g.args


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--golden", action="store_true")
    ap.add_argument("--random", action="store_true")
    ap.add_argument("--tp")
    ap.add_argument("--seed", type=int, default=random.randrange(10**9))
    ap.add_argument("--count", type=int, default=10**6)
    ap.add_argument("--time", type=float, default=15)
    ap.add_argument("--keep")
    ap.add_argument("-v", action="store_true")
    a = ap.parse_args()
    a.share = int(os.environ.get("TEST_SHARE", "1"))
    memory.use()
    processor = Processor(a.tp) if a.tp else None
    if processor and processor.missing():
        print(f"skipped: {processor.missing()}")
        return 77
    test = Test(a.emu, processor)
    print(f"seed {a.seed}")
    failed, end = 0, time.monotonic() + a.time / a.share
    for cases in ([golden_cases(a)] if a.golden else []) + ([random_cases(a)] if a.random else []):
        for label, make, words in cases:
            if failed >= 10 or (cases.__name__ == "random_cases" and time.monotonic() > end):
                break
            tmp = tempfile.mkdtemp(prefix="perfetto-", dir=a.keep)
            make(f"{tmp}/trace")
            words = [w.replace("{trace}", f"{tmp}/trace") for w in words]
            found = [f"default: {x}" for x in test.run(f"{tmp}/trace", f"{tmp}/default", words)]
            if not processor:
                found += [f"compat: {x}" for x in test.run(f"{tmp}/trace", f"{tmp}/compat", words + ["--compat"])]
            if not found:
                shutil.rmtree(tmp)
                continue
            failed += 1
            print(f"FAIL {label}, left in {tmp}")
            for x in found[:20 if a.v else 2]:
                print(f"     {x}")
    print(f"{test.files} files compared, {test.tracks} tracks, {test.bytes / max(1, test.events):.1f} bytes an event; {failed} traces failed")
    return 1 if failed or not test.files else 0


if __name__ == "__main__":
    sys.exit(main())
