#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A window that ovniemu cuts out of a trace is that window of the whole run.

usage: cutting.py --emu PATH --uscope PATH [--count N] [--seed S] [--time SECONDS] [--keep DIR] [-v]

The Paraver files of a whole run of a random trace are restricted here, line by line, to random windows (a nanosecond,
between two events, at events, before the first and behind the last), and to random rows and types, and compared with those of
'ovniemu --from --to --rows --types'.
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, *(os.path.join(HERE, "..", x) for x in ("gen", "perfetto", "uscope/timeline"))]
import memory  # noqa: E402
import pftrace  # noqa: E402
import random_traces  # noqa: E402
import same  # noqa: E402
import twin  # noqa: E402

INSTANTS = {what for what in twin.PUNCTUAL.values()}  # (type, value) of what shows for an instant


class Chosen:
    """Rows and types, and how an option tells them."""

    def __init__(self, r, files, rows_of):
        self.rows = {name: list(range(1, file.nrows + 1)) for name, file in files.items()}
        self.types, self.options = None, []
        items = []
        for name, what in ("thread.prv", "thread"), ("cpu.prv", "cpu"), ("proc.prv", "proc"):
            if name not in files or r.random() < 0.6:
                continue
            rows = self.rows[name] = sorted(r.sample(self.rows[name], r.randint(1, files[name].nrows)))
            if r.random() < 0.3 and len(set(rows_of[name])) == len(rows_of[name]):
                items += [f"{what}:{rows_of[name][i - 1].strip().replace('*', '[*]')}" for i in rows]
            elif rows == list(range(rows[0], rows[-1] + 1)):
                items.append(f"{what}:{rows[0]}-{rows[-1]}")
            else:
                items += [f"{what}:{i}" for i in rows]
        if items:
            r.shuffle(items)
            self.options.append("--rows=" + ",".join(items))
        if r.random() < 0.3:
            have = sorted({kind for name in ("thread.prv", "cpu.prv") for _, kind in files[name].lines})
            self.types = set(r.sample(have, r.randint(1, len(have)))) if have else None
        if self.types:
            self.options.append("--types=" + ",".join(map(str, sorted(self.types))))

    def shows(self, name):
        return "breakdown" not in name or not self.types

    def narrows_cpus(self, files):
        return len(self.rows["cpu.prv"]) < files["cpu.prv"].nrows

    def restrict(self, file, name):
        """{(row, type): (the same in the whole, its lines)}"""
        number = {row: i for i, row in enumerate(self.rows[name], 1)}
        return {(number[row], kind): ((row, kind), lines) for (row, kind), lines in file.lines.items()
                if row in number and (not self.types or kind in self.types)}


class File:
    """A PRV as {(row, type): [(time, value)]}, in the order of the file."""

    def __init__(self, path):
        head, *lines = path.read_text().splitlines()
        self.duration, self.nrows = int(head[29:49]), int(head.split("(")[-1].split(":")[0])
        self.lines = {}
        last = 0
        for line in lines:
            f = line.split(":")
            t = int(f[5])
            if t < last:
                raise ValueError(f"{path}: times go back: {line}")
            last = t
            for kind, value in zip(map(int, f[6::2]), map(int, f[7::2])):
                self.lines.setdefault((int(f[4]), kind), []).append((t, value))
        self.last = last


def window(lines, key, first, last, compat):
    """The lines that a window has: what was shown before it, and the lines of its events."""
    before, inside = 0, []
    for i, (t, value) in enumerate(lines):
        # The line of an instant is 1 ns before its event, which has the next line.
        instant = (key[1], value) in INSTANTS and i + 1 < len(lines)
        event = lines[i + 1][0] if instant else t
        if event < first:
            before = value
        elif event <= last:
            inside.append((max(t, first), value))
    if first > 0 and (before or not compat):
        inside.insert(0, (first, before))
    return inside


def changes(lines):
    """Without lines that change nothing: a breakdown of --compat begins with all its rows, when the first is not 0."""
    out, now = [], 0
    for t, v in lines:
        if v != now:
            out.append((t, v))
        now = v
    return out


def differences(name, whole, part, first, last, zero, compat, chosen):
    end = min(last, whole.duration)
    want = max(end, first) - zero
    if part.duration != want:
        yield f"{name}: duration {part.duration}, not {want}"
    left = chosen.restrict(whole, name)
    for key in sorted(left.keys() | part.lines.keys()):
        old, lines = left.get(key, (key, []))
        a = [(t - zero, v) for t, v in window(lines, old, first, last, compat)]
        b = part.lines.get(key, [])
        if compat and "breakdown" in name:
            a, b = changes(a), changes(b)
        if a != b and not (not b and all(v == 0 for _, v in a)):  # an event behind the window enables its model
            i = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            yield f"{name} row {key[0]} type {key[1]}: line {i} is {b[i:i + 3]}, not {a[i:i + 3]}"


def clipped(track, first, last, end, zero):
    """What the window has of a track for Perfetto: slices that were begun before begin with it."""
    slices = [(max(b, first) - zero, min(e, end) - zero, depth, n) for b, e, depth, n in track.slices if b <= last and (e >= first or b >= first)]
    instants = [(t - zero, n) for t, n in track.instants if first <= t <= last]
    flows = [(t - zero, flow, ends) for t, flow, ends in track.flows if first <= t <= last]
    values = [(t - zero, v) for t, v in track.values if first <= t <= last]
    before = [v for t, v in track.values if t < first]
    if before and (before[-1] or values):
        values.insert(0, (first - zero, before[-1]))
    while values and not values[0][1]:
        del values[0]  # a track begins with the first that is not 0
    return {"slices": sorted(slices), "instants": instants, "flows": flows, "values": values}


def compare_perfetto(whole, out, first, last, zero, compat, chosen):
    """Against the whole run, and against the Paraver files beside it."""
    part = pftrace.read(f"{out}/ovni.perfetto-trace").by_path()
    paraver = same.Paraver(out)
    paraver.begin = first - zero
    yield from same.compare(part, paraver, not compat)
    end = max((e for t in whole.values() for _, e, _, _ in t.slices), default=0)
    # Rows that are not chosen have no tracks.
    whole = {path: t for path, t in whole.items() if path in part or not chosen.options}
    for path in whole.keys() | part.keys() if first <= end else ():  # behind the end it is not told which slices were open
        none = pftrace.Track(0, path, (), False)
        a = clipped(whole.get(path, none), first, last, min(last, end), zero)
        b = clipped(part.get(path, none), -1, 1 << 64, 1 << 64, 0)
        for k in a:
            if a[k] != b[k]:
                yield f"{' / '.join(path)}: {k} {[x for x in b[k] if x not in a[k]][:3]}, not {[x for x in a[k] if x not in b[k]][:3]}"


def emulate(emu, trace, out, args, parts="1"):
    """`parts` of the machine are emulated side by side at most, with that much room each."""
    p = subprocess.run([emu, *args, "-q", "-o", out, str(trace)], capture_output=True, text=True, check=False, timeout=60,
                       env={**os.environ, "OVNISCOPE_PARTS": parts})
    return p.returncode, p.stderr


def choose(r, times, duration):
    """Two instants, mostly at events or beside them."""
    def one():
        if times and r.random() < 0.7:
            return max(0, r.choice(times) + r.choice((0, 0, 0, -1, 1)))
        return r.randrange(0, duration + 2)
    a, b = sorted((one(), one()))
    kind = r.random()
    if kind < 0.15:
        b = a
    elif kind < 0.25:
        b = a + 1
    elif kind < 0.3:
        a, b = duration + r.randrange(1, 9), duration + 10
    elif kind < 0.35:
        a = 0
    return a, b


def spell(r, ns, start, duration, late):
    """A time in one of its forms."""
    forms = [f"+{ns}", f"{ns}ns", f"{ns / 1000:.3f}us" if ns < 10**12 else f"{ns}ns", str(start + ns)]
    if ns <= duration:
        forms += ["end" if ns == duration else f"end-{duration - ns}ns"]
    if ns == duration and duration:
        forms.append("100%")
    if late and ns >= duration:
        forms.append(None)
    return r.choice(forms)


def check_window(r, opts, trace, tmp, args, compat, whole, start):
    files, duration, times, tracks, rows_of = whole
    chosen = Chosen(r, files, rows_of)
    first, last = choose(r, times, duration)
    a, b = spell(r, first, start, duration, False), spell(r, last, start, duration, True)
    keep = r.random() < 0.3
    options = ([f"--from={a}"] if first or r.random() < 0.3 else []) + ([f"--to={b}"] if b else []) + ["--keep-time"] * keep + chosen.options + [f"-j{r.choice((1, 2, 3, 8))}"]
    out = f"{tmp}/part"
    shutil.rmtree(out, ignore_errors=True)
    rc, err = emulate(opts.emu, trace, out, args + options + ["-f", "prv,uscope,perfetto"], r.choice(("1", "8", "3:20")))
    if rc:
        return [f"{' '.join(options)}: status {rc}: {err}"]
    zero = 0 if keep else first
    found = []
    for name, file in files.items():
        part = pathlib.Path(out) / name
        if not chosen.shows(name) or ("breakdown" in name and chosen.narrows_cpus(files)):
            continue
        if not part.exists() and name == "proc.prv" and chosen.types:
            continue
        if not part.exists():
            found.append(f"{name} is missing")
            continue
        found += differences(name, file, File(part), first, last, zero, compat, chosen)
        labels = part.with_suffix(".row").read_text().splitlines()[4:]
        if labels != [rows_of[name][i - 1] for i in chosen.rows[name]]:
            found.append(f"{name}: other rows")
    found += compare_perfetto(tracks, out, first, last, zero, compat, chosen)
    # The µScope file tells the same.
    p = subprocess.run([opts.uscope, "timeline", "--prv", f"{out}/again", f"{out}/ovni.uscp"], capture_output=True, text=True, check=False)
    if p.returncode:
        found.append(f"uscope: {p.stderr}")
    for name in sorted(x.name for x in pathlib.Path(out).glob("*.prv")) if p.returncode == 0 else ():
        if (pathlib.Path(out) / name).read_bytes() != (pathlib.Path(out) / "again" / name).read_bytes():
            found.append(f"ovni.uscp: another {name}")
    found += check_uscope(r, opts, trace, tmp, args, first, last, duration, keep)
    return [f"{' '.join(options)} (events {first} to {last}): {x}" for x in found]


def check_uscope(r, opts, trace, tmp, args, first, last, duration, keep):
    """The window of the whole ovni.uscp is the same without the trace."""
    out = f"{tmp}/time"
    if first > duration:
        return []  # the file has no such time
    shutil.rmtree(out, ignore_errors=True)
    ends = [] if last >= duration and r.random() < 0.5 else [last]
    words = ["--keep-time"] * keep
    emulate(opts.emu, trace, out, args + [f"--from=+{first}"] + [f"--to=+{t}" for t in ends] + words + ["-f", "prv"])
    p = subprocess.run([opts.uscope, "timeline", "--prv", f"{out}/again", f"--from={first}ns", *(f"--to={t}ns" for t in ends), *words, f"{tmp}/whole/ovni.uscp"],
                       capture_output=True, text=True, check=False)
    if p.returncode:
        return [f"uscope timeline: {p.stderr}"]
    found = []
    for path in sorted(pathlib.Path(out).glob("*.[pr][rc]*")):
        again = pathlib.Path(out) / "again" / path.name
        a, b = path.read_bytes(), again.read_bytes() if again.exists() else b""
        # The PCF has labels in the order in which they were told, and those told behind the window, too.
        if a != b and (path.suffix != ".pcf" or not set(a.splitlines()) <= set(b.splitlines())):
            found.append(f"uscope timeline: another {path.name}")
    return found


def check_one(seed, tmp, opts, have):
    """What is wrong; None: the trace is of another kind."""
    r = random.Random(f"cut {seed}")
    trace = pathlib.Path(tmp) / "trace"
    g, _ = random_traces.make(seed, str(trace), have, False, have)
    compat = r.random() < 0.3
    # A stack that is left is none of a part; the models of observers have rows of processes and looms.
    # With --compat a CPU counts in a breakdown as it was chosen before the window, which nothing tells.
    args = [a for a in g.args if a != "-l" and not (compat and a == "-b")] + (["--compat"] if compat else ["-m", "parallelism,blocked"] if r.random() < 0.4 else [])
    if emulate(opts.emu, trace, f"{tmp}/whole", args + ["-f", "prv,uscope,perfetto"])[0]:
        return None
    info = subprocess.run([opts.uscope, "info", f"{tmp}/whole/ovni.uscp"], capture_output=True, text=True, check=True).stdout
    start = int(next(line.split()[-1] for line in info.splitlines() if "ovni.first_clock_ns" in line))
    files = {p.name: File(p) for p in pathlib.Path(f"{tmp}/whole").glob("*.prv")}
    duration = files["thread.prv"].duration
    times = sorted({t for f in files.values() for lines in f.lines.values() for t, _ in lines})
    found = []
    rows_of = {name: (pathlib.Path(tmp) / "whole" / name).with_suffix(".row").read_text().splitlines()[4:] for name in files}
    tracks = pftrace.read(f"{tmp}/whole/ovni.perfetto-trace").by_path()
    for _ in range(opts.windows):
        found += check_window(r, opts, trace, tmp, args, compat, (files, duration, times, tracks, rows_of), start)
        if found:
            break
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--emu", required=True)
    p.add_argument("--uscope", required=True)
    p.add_argument("--count", type=int, default=1000000)
    p.add_argument("--windows", type=int, default=4, help="of each trace")
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--time", type=float, default=20)
    p.add_argument("--keep", help="where to leave what is wrong")
    p.add_argument("-v", action="store_true")
    opts = p.parse_args()
    memory.use()
    have = [m for m in random_traces.asm.VERSIONS if m in random_traces.models_of(opts.emu)]
    seed = opts.seed if opts.seed is not None else random.randrange(10**9)
    until, done, bad = time.monotonic() + opts.time, 0, 0
    for s in range(seed, seed + opts.count // int(os.environ.get("TEST_SHARE", "1"))):
        if time.monotonic() > until or bad > 4:
            break
        with tempfile.TemporaryDirectory() as tmp:
            found = check_one(s, tmp, opts, have)
            done += found is not None
            if found:
                bad += 1
                print(f"FAIL seed {s}:", *found[:10 if opts.v else 2], sep="\n  ")
                if opts.keep:
                    shutil.copytree(tmp, f"{opts.keep}/{s}", dirs_exist_ok=True)
    print(f"{done} traces from seed {seed} on, {bad} differ")
    return bad > 0 or done == 0


if __name__ == "__main__":
    sys.exit(main())
