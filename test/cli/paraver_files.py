#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are these files what Paraver opens without a complaint?

usage: paraver_files.py [--compat] [--killed | --short] OUTDIR...
       paraver_files.py --emu PATH --golden DIR          all golden cases, both views, also with --gzip
       paraver_files.py --emu PATH --random COUNT [--seed S] [--time SECONDS]

An output directory has thread.prv, cpu.prv, their .pcf and .row, and the views in cfg/.
The rules are those of spec/paraver-consumer.md plus our own promises: times in order and
not above the duration, one record for a row and instant, each type from time 0 on and no
repeated value (not with --compat); each type in the PCF once, with a label of its own that
the views carry too; views for exactly the types that occur. Labelled values of a view have
colours of their own, error states red ones; windows are as high as their rows need; and a
histogram, of a timeline in the same file, is there for exactly the types whose labels are
small numbers.

--killed: of a run that could not close its files. The duration may be missing, the last
line may be cut, the views may be absent.
"""
import argparse
import gzip
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", d) for d in ("gen", "prop")]
import asm  # noqa: E402
import casefile  # noqa: E402
import memory  # noqa: E402

CLASSES = ("thread", "cpu")
HEADER = re.compile(r"#Paraver \([^()]*\):(\d{20})_ns:0:1:1\((\d+):1\)")
RECORD = re.compile(r"2:0:1:1:(\d+):(\d+)((?::\d+:-?\d+)+)")
SECTIONS = ("DEFAULT_OPTIONS", "DEFAULT_SEMANTIC", "STATES", "STATES_COLOR", "EVENT_TYPE", "VALUES")
MAX_ROWS = 65535
MARKS = range(100, 200)  # types whose values the program chooses
IDS = {1, 2, 3, 6, 10, 12, 14, 15, 35, 38, 52, 340} | set(range(200, 300))


class Found(list):
    """What is wrong, at most some lines of each file."""

    def __init__(self, limit=8):
        super().__init__()
        self.limit, self.count = limit, {}

    def add(self, where, text):
        self.count[where] = self.count.get(where, 0) + 1
        if self.count[where] <= self.limit:
            self.append(f"{where}: {text}")


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Prv:
    def __init__(self, path, name, found, compat, killed):
        self.types, self.values, self.rows, self.duration = set(), {}, 0, 0
        data = read(path)
        text = data.decode("ascii", errors="replace")
        lines = text.split("\n")
        last = lines.pop()
        if last and not killed:
            found.add(name, f"the last line has no end: {last!r}")
        if not lines:
            return found.add(name, "there is no header") if not killed else None
        m = HEADER.fullmatch(lines[0])
        if not m:
            return found.add(name, f"not a header: {lines[0]!r}")
        self.duration, self.rows = int(m.group(1)), int(m.group(2))
        if not 1 <= self.rows <= MAX_ROWS:
            found.add(name, f"{self.rows} rows")
        if len(lines) == 1 and not compat and not killed:
            found.add(name, "no record: Paraver refuses such a file")
        self.records(lines[1:], name, found, compat, killed)

    def records(self, lines, name, found, compat, killed):
        now, instant, current = 0, set(), {}
        for number, line in enumerate(lines, 2):
            m = RECORD.fullmatch(line)
            if not m:
                found.add(name, f"line {number} is not an event: {line!r}")
                continue
            row, t = int(m.group(1)), int(m.group(2))
            fields = m.group(3)[1:].split(":")
            pairs = list(zip(map(int, fields[::2]), map(int, fields[1::2])))
            if not 1 <= row <= self.rows:
                found.add(name, f"line {number}: row {row} of {self.rows}")
            if t < now:
                found.add(name, f"line {number}: time goes back from {now} to {t}")
            if t > self.duration and not killed:
                found.add(name, f"line {number}: time {t} is above the duration {self.duration}")
            if t != now:
                now, instant = t, set()
            if compat and len(pairs) != 1:
                found.add(name, f"line {number}: {len(pairs)} pairs with --compat")
            if not compat and row in instant:
                found.add(name, f"line {number}: a second record of row {row} at {t}")
            instant.add(row)
            for typ, value in pairs:
                self.pair(typ, value, row, t, current, (found, name, number, compat))

    def pair(self, typ, value, row, t, current, where):
        found, name, number, compat = where
        if not 1 <= typ < 2**31 or not -2**63 <= value < 2**63:
            found.add(name, f"line {number}: {typ}:{value} is out of range")
        self.types.add(typ)
        self.values.setdefault(typ, set()).add(value)
        if not compat:
            old = current.get((row, typ))
            if old is None and t != 0:
                found.add(name, f"line {number}: type {typ} of row {row} begins at {t}, not at 0")
            if old == value:
                found.add(name, f"line {number}: type {typ} of row {row} repeats {value}")
            current[row, typ] = value


class Pcf:
    def __init__(self, path, name, found, compat):
        self.labels, self.values = {}, {}
        data = read(path)
        if b"\r" in data:
            found.add(name, "has a carriage return")
        if not data.endswith(b"\n"):
            found.add(name, "the last line has no end")
        section, typ = None, None
        for number, line in enumerate(data.decode("utf-8", errors="surrogateescape").split("\n"), 1):
            if line in SECTIONS:
                if line == "VALUES" and typ is None:
                    found.add(name, f"line {number}: VALUES outside of a type")
                section = line
                typ = None if line == "EVENT_TYPE" else typ
            elif not line or line.startswith("#"):
                continue
            elif section == "EVENT_TYPE":
                typ = self.type_line(line, typ, f"{name}:{number}", found, name, compat)
            elif section == "VALUES" and typ is not None:
                self.value_line(line, typ, f"line {number}", found, name)
            elif section is None:
                found.add(name, f"line {number} is outside of a section: {line!r}")

    def type_line(self, line, before, at, found, name, compat):
        m = re.fullmatch(r"(\d+) +(\d+) +(\S.*)", line)
        if not m:
            found.add(name, f"{at} is not a type with a label: {line!r}")
            return before
        typ, label = int(m.group(2)), m.group(3)
        if before is not None:
            found.add(name, f"{at}: two types share one list of values")
        if typ in self.labels:
            found.add(name, f"{at}: type {typ} is declared twice")
        if label in self.labels.values() and not compat:
            found.add(name, f"{at}: a second type with the label {label!r}")
        self.labels[typ], self.values[typ] = label, {}
        return typ

    def value_line(self, line, typ, at, found, name):
        m = re.fullmatch(r"(-?\d+) +(\S.*| *\S.*)", line)
        if not m:
            return found.add(name, f"{at} is not a value with a label: {line!r}")
        value = int(m.group(1))
        if not -2**31 <= value < 2**31:
            found.add(name, f"{at}: value {value} does not fit in 32 bits")
        if value in self.values[typ]:
            found.add(name, f"{at}: value {value} of type {typ} is labelled twice")
        self.values[typ][value] = m.group(2)
        return None


def check_row(path, name, rows, found, compat):
    lines = read(path).decode("utf-8", errors="surrogateescape").split("\n")
    want = ["LEVEL NODE SIZE 1", "hostname", "", f"LEVEL THREAD SIZE {rows}"]
    if lines[:4] != want:
        found.add(name, f"begins with {lines[:4]}, and not with {want}")
    labels = lines[4:]
    if not labels or labels.pop() != "":
        found.add(name, "the last line has no end")
    if len(labels) != rows:
        found.add(name, f"{len(labels)} labels for {rows} rows")
    if any(not x.strip() or "\r" in x for x in labels):
        found.add(name, "a label is blank or has a carriage return")
    if len(set(labels)) < len(labels) and not compat:
        found.add(name, f"two rows are called {next(x for x in labels if labels.count(x) > 1)!r}")


# ---- Colours and histograms. ----

PALETTE_MAX = 256  # colours of a view
COLUMNS = 10000
STATISTICS = ["% Time", "Time", "# Bursts", "Average Burst Time"]
ERRORS = {777: (255, 0, 0), 666: (170, 0, 0)}


def only(text, key, name, found):
    """The value of a line that must be there once."""
    m = re.findall(rf"^{re.escape(key)} (.*)$", text, re.M)
    if len(m) != 1:
        found.add(name, f"{len(m)} lines {key}")
    return m[0] if m else ""


def check_colors(text, name, labels, cls, found):
    """Each labelled value has a colour, and no other has it."""
    entries = re.findall(r"\{(-?\d+)\.0+:(\d+),(\d+),(\d+)\}", "".join(re.findall(r"^window_custom_color_palette (.*)$", text, re.M)))
    colors = {int(e[0]): tuple(map(int, e[1:])) for e in entries}
    if len(colors) < len(entries) or any(c > 255 for rgb in colors.values() for c in rgb):
        found.add(name, "a value has two colours, or a colour is out of range")
    if "window_color_mode window_in_null_gradient_mode" in text:
        if colors:
            found.add(name, "a gradient and colours")
        return
    shown = {v for v in labels if 0 < v < 2**31}
    lacking = sorted(shown - set(colors))
    if lacking and len(colors) < PALETTE_MAX:
        found.add(name, f"no colour for the values {lacking[:5]}")
    if len(set(colors.values())) < len(colors):
        twice = [v for v, c in colors.items() if list(colors.values()).count(c) > 1]
        found.add(name, f"the values {twice[:5]} have one colour")
    for value in set(ERRORS) & shown if cls.startswith("cpu") or cls.endswith("-breakdown") else ():
        if colors.get(value) != ERRORS[value]:
            found.add(name, f"the error state {value} is not red")


def check_histograms(text, name, title, found):
    """Tables that refer to the window of the file."""
    tables = text.split("< NEW ANALYZER2D >\n")[1:]
    seen = []
    for t in tables:
        get = {k: only(t, f"Analyzer2D.{k}:", name, found) for k in ("Name", "ControlWindow", "DataWindow", "Statistic", "Minimum", "Maximum",
                                                                    "Delta", "ColorMode", "Color", "AnalysisLimits", "HorizVert", "HideCols")}
        seen.append(get["Statistic"])
        if (get["ControlWindow"], get["DataWindow"]) != ("1", "1"):
            found.add(name, f"windows {get['ControlWindow']} and {get['DataWindow']}, but there is one")
        if not get["Name"].startswith(title + ": "):
            found.add(name, f"the name is {get['Name']!r}")
        if get["ColorMode"] != "window_in_null_gradient_mode" or get["Color"] != "True":
            found.add(name, "no gradient")
        if float(get["Delta"] or 0) != 1 or not 0 < float(get["Maximum"] or 0) - float(get["Minimum"] or 0) < COLUMNS:
            found.add(name, f"columns of {get['Delta']} from {get['Minimum']} to {get['Maximum']}")
    if sorted(seen) != sorted(STATISTICS):
        found.add(name, f"the statistics are {seen}")
    if "\nwindow_open false\n" not in text:
        found.add(name, "the timeline opens too")


def wants_histogram(text, labels, cls):
    """Whether there must be a histogram behind the view."""
    if "null_gradient" in text or cls.endswith("-breakdown"):
        return False
    own = [v for v in labels if v > 0 and not (cls == "cpu" and v in ERRORS)]
    return bool(own) and max(own) < COLUMNS


def view_types(outdir, cls, pcf, rows, found, short):
    """The types for which there is a view, after checking each view."""
    histograms, wanted = set(), set()
    # The views of a breakdown are beside those of the CPUs, one in the folder of a model.
    model = cls[:-len("-breakdown")] if cls.endswith("-breakdown") else None
    types, top = [], os.path.join(outdir, "cfg", *(["cpu", model] if model else [cls]))
    for where, _, files in os.walk(top):
        for file in sorted(files):
            if (file == "breakdown.cfg") != bool(model):
                continue
            path = os.path.join(where, file)
            name = os.path.relpath(path, outdir)
            text = read(path).decode("utf-8", errors="surrogateescape")
            if short and not text:
                continue
            if not file.endswith(".cfg") or not text.startswith("#ParaverCFG\n"):
                found.add(name, "is not a view")
                continue
            if not text.endswith("\n") or "\r" in text:
                found.add(name, "has a carriage return, or no end of line")
            m = re.findall(r"^window_filter_module evt_type 1 (\d+)$", text, re.M)
            label = re.findall(r'^window_filter_module evt_type_label 1 "(.*)"$', text, re.M)
            if len(m) != 1 or len(label) != 1:
                found.add(name, f"{len(m)} types and {len(label)} labels of types")
                continue
            typ, values = int(m[0]), pcf.values.get(int(m[0]), {})
            if "< NEW ANALYZER2D >" in text:
                histograms.add(typ)
                check_histograms(text, name, only(text, "window_name", name, found), found)
            else:
                types.append(typ)
                if wants_histogram(text, values, cls):
                    wanted.add(typ)
            if file.endswith("-histogram.cfg") != ("< NEW ANALYZER2D >" in text):
                found.add(name, "its name does not say whether it is a histogram")
            if label[0] != pcf.labels.get(typ):
                found.add(name, f"the label {label[0]!r} is not that of the PCF, {pcf.labels.get(typ)!r}")
            check_colors(text, name, values, cls, found)
            size = (only(text, "window_width", name, found), only(text, "window_height", name, found))
            if size != ("900", str(min(max(20 * rows, 150), 900))):
                found.add(name, f"a window of {size} for {rows} rows")
            for key in ("window_name", "window_level thread", "ConfigFile.Version:", "ConfigFile.NumWindows: 1"):
                if not re.search(rf"^{re.escape(key)}", text, re.M):
                    found.add(name, f"no line {key}")
    if histograms != wanted and not short:
        found.add(f"cfg/{cls}", f"histograms of the types {sorted(histograms)}, not of {sorted(wanted)}")
    return types


def check_class(outdir, cls, found, compat, killed, short):
    files = {e: os.path.join(outdir, f"{cls}.{e}") for e in ("prv", "pcf", "row")}
    missing = [f"{cls}.{e}" for e, path in files.items() if not os.path.exists(path)]
    if missing:
        if not killed and not short:
            found.add(outdir, f"missing: {' '.join(missing)}")
        return
    prv = Prv(files["prv"], f"{cls}.prv", found, compat, killed)
    pcf = Pcf(files["pcf"], f"{cls}.pcf", found, compat)
    check_row(files["row"], f"{cls}.row", prv.rows, found, compat)
    for typ in sorted(prv.types - set(pcf.labels)):
        found.add(f"{cls}.pcf", f"type {typ} is in the PRV but not declared")
    for typ, values in prv.values.items():
        labels = pcf.values.get(typ)
        if labels and typ not in MARKS and typ not in IDS:
            unknown = sorted(values - set(labels) - {0})
            if unknown:
                found.add(f"{cls}.pcf", f"no label for the values {unknown[:5]} of type {typ}")
    views = view_types(outdir, cls, pcf, prv.rows, found, short)
    for typ in sorted(set(views) - prv.types if not short else ()):
        found.add(f"cfg/{cls}", f"a view of type {typ}, which does not occur: Paraver refuses it")
    if not killed and not short:
        for typ in sorted(prv.types - set(views)):
            found.add(f"cfg/{cls}", f"no view of type {typ}")


def check(outdir, compat=False, killed=False, short=False):
    """Texts that tell what is wrong with an output directory."""
    found = Found()
    others = sorted(f[:-4] for f in os.listdir(outdir) if f.endswith("-breakdown.prv") or f == "proc.prv")
    for cls in [*CLASSES, *others]:
        check_class(outdir, cls, found, compat, killed, short)
    return found


# ---- Over the outputs of other tests. ----

def check_packed(plain, packed):
    """What --gzip has changed beside the compression."""
    found = []
    for name in sorted(f for f in os.listdir(plain) if os.path.isfile(f"{plain}/{f}")):
        path = f"{packed}/{name}.gz" if name.endswith(".prv") else f"{packed}/{name}"
        if not os.path.exists(path):
            found.append(f"{name}: not there with --gzip")
        elif read(f"{plain}/{name}") != (gzip.decompress(read(path)) if name.endswith(".prv") else read(path)):
            found.append(f"{name}: another with --gzip")
    return found + ([] if len(os.listdir(plain)) == len(os.listdir(packed)) else ["other files with --gzip"])


def emulate(emu, text, name, args, view, found, packed=False):
    with tempfile.TemporaryDirectory() as tmp:
        asm.assemble(text, f"{tmp}/trace", name)
        os.mkdir(f"{tmp}/out")
        command = [emu, "-q", *[a.replace("{trace}", f"{tmp}/trace") for a in args],
                   *(["--compat"] if view == "compat" else []), "-o", f"{tmp}/out", f"{tmp}/trace"]
        p = subprocess.run(command, capture_output=True, timeout=60, check=False)
        if not 0 <= p.returncode <= 2:
            found.append(f"{name} {view}: exit status {p.returncode}")
        if p.returncode == 0 or os.path.exists(f"{tmp}/out/thread.prv"):
            found += [f"{name} {view}: {x.replace(tmp, '')}" for x in check(f"{tmp}/out", view == "compat")]
            if packed:
                again = subprocess.run([*command[:-2], f"{tmp}/packed", "--gzip", f"{tmp}/trace"], capture_output=True, timeout=60, check=False)
                found += [] if again.returncode == p.returncode else [f"{name} {view}: exit status {again.returncode} with --gzip"]
                found += [f"{name} {view}: {x}" for x in check_packed(f"{tmp}/out", f"{tmp}/packed")]
            return 1
    return 0


def over_goldens(emu, top, found):
    n = 0
    for name, path in casefile.find(top):
        one = casefile.Case(path)
        with tempfile.TemporaryDirectory() as tmp:
            one.unpack(tmp, lambda name: "/" not in name)
            args = one.get("args", "").replace("{case}", tmp).split()
            for view in ("default", "compat"):
                n += emulate(emu, one.get("in.txt"), name, args, view, found, True)
    return n


def over_random(emu, count, seed, seconds, found):
    import random_traces
    seed = seed if seed is not None else random.randrange(10**9)
    print(f"seed {seed}")
    n, end = 0, time.monotonic() + seconds
    for s in range(seed, seed + count):
        if time.monotonic() > end or len(found) > 20:
            break
        text = random_traces.Generator(s).text()
        for view in ("default", "compat"):
            n += emulate(emu, text, f"seed {s}", ["-m", "useful,parallelism"] if s % 2 else [], view, found)
    return n


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--compat", action="store_true")
    ap.add_argument("--killed", action="store_true")
    ap.add_argument("--short", action="store_true")
    ap.add_argument("--emu")
    ap.add_argument("--golden")
    ap.add_argument("--random", type=int, default=0)
    ap.add_argument("--seed", type=int)
    ap.add_argument("--time", type=float, default=60)
    ap.add_argument("dirs", nargs="*")
    a = ap.parse_args()
    memory.use()
    found, n = [], 0
    for outdir in a.dirs:
        found += check(outdir, a.compat, a.killed, a.short)
        n += 1
    if a.golden:
        n += over_goldens(os.path.abspath(a.emu), a.golden, found)
    if a.random:
        n += over_random(os.path.abspath(a.emu), max(a.random // int(os.environ.get("TEST_SHARE", "1")), 1), a.seed, a.time, found)
    for text in found:
        print(text)
    print(f"{n} outputs, {len(found)} faults")
    return 1 if found or not n else 0


if __name__ == "__main__":
    sys.exit(main())
