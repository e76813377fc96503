# SPDX-License-Identifier: MIT
"""What the tests of `uscope timeline` share: runs of the tools, and the Paraver files of a
run read plainly."""
import glob
import itertools
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "gen"), os.path.join(HERE, "..", "..", "prop"), os.path.join(HERE, "..", "tool")]

import uscope_tool  # pylint: disable=wrong-import-position


class Tools:
    def __init__(self, emu, uscope):
        self.emu_path, self.uscope_path = os.path.abspath(emu), os.path.abspath(uscope)
        self.files = self.profiles = 0  # with profiles, and those that are known to be of what the file has counted

    def emu(self, *args, **more):
        return subprocess.run([self.emu_path, *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False, **more)

    def uscope(self, *args, **more):
        return subprocess.run([self.uscope_path, *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False, **more)

    def lines(self, *args):
        """What a command prints with --json."""
        p = self.uscope(*args, "--json")
        if p.returncode != 0:
            raise AssertionError(f"uscope {' '.join(args)}: status {p.returncode}\n{p.stderr.decode(errors='replace')}")
        return [json.loads(x) for x in p.stdout.splitlines()]


def read_prv(path):
    """Header, and (row, type) -> [(time, value)]"""
    sequences = {}
    with open(path, encoding="ascii") as f:
        header = f.readline()
        for line in f:
            p = line.rstrip("\n").split(":")
            for i in range(6, len(p), 2):
                sequences.setdefault((int(p[4]), int(p[i])), []).append((int(p[5]), int(p[i + 1])))
    return header, sequences


def as_text(line):
    """As the µScope file has it: bytes that are no UTF-8 escaped; blanks at the end do not count."""
    return re.sub("[\udc80-\udcff]", lambda m: f"\\x{ord(m.group()) - 0xdc00:02x}", line).rstrip(" ")


def read_pcf(path):
    """Lines of each type, in order: its label, then 'value label'."""
    types, current, values = {}, None, False
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f.read().split("\n"):
            m = re.match(r"0 +(\d+) +(.*)$", line)
            if line in ("EVENT_TYPE", "VALUES", ""):
                values = line == "VALUES" or (values and line != "")
            elif current is not None and values:
                types[current].append(as_text(line))
            elif m:
                current = int(m.group(1))
                types[current] = [as_text(m.group(2))]
    return types


def different_sequences(a, b):
    """Where two PRV differ: texts."""
    out = []
    for k in sorted(set(a) | set(b)):
        x, y = a.get(k, []), b.get(k, [])
        if x != y:
            i = next((i for i, (u, v) in enumerate(zip(x, y)) if u != v), min(len(x), len(y)))
            out.append(f"row {k[0]} type {k[1]} differs at record {i}: {x[i:i + 3]} became {y[i:i + 3]}")
    return out


def compare_files(want, got):
    """The Paraver files of the emulator and those out of its µScope file."""
    found = []
    names = sorted(x for x in os.listdir(want) if x.endswith((".prv", ".pcf", ".row")))
    back = sorted(os.listdir(got))
    if names != back:
        return [f"the files are {' '.join(back)} instead of {' '.join(names)}"], 0
    exact = 0
    for name in names:
        a, b = f"{want}/{name}", f"{got}/{name}"
        with open(a, "rb") as f, open(b, "rb") as g:
            same = f.read() == g.read()
        exact += same
        if same:
            continue
        if name.endswith(".prv"):
            (h1, s1), (h2, s2) = read_prv(a), read_prv(b)
            found += [f"{name}: header {h2!r} instead of {h1!r}"] if h1 != h2 else []
            found += [f"{name}: {x}" for x in different_sequences(s1, s2)] or [f"{name}: lines are in another order"]
        elif name.endswith(".pcf"):
            p, q = read_pcf(a), read_pcf(b)
            if list(p) != list(q):
                found.append(f"{name}: types {list(q)} instead of {list(p)}")
            for t in p:
                if t in q and (p[t][0] != q[t][0] or sorted(p[t]) != sorted(q[t])):
                    found.append(f"{name}: type {t}: {q[t]} instead of {p[t]}")
        else:
            found.append(f"{name} differs")
    return found, len(names) - exact


def read_view(path):
    """PRV type, title and colours of a view: {value: 0xRRGGBB}"""
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        text = f.read()
    title, kind = (re.search(p, text, re.M).group(1) for p in ("^window_name (.*)$", r"^window_filter_module evt_type 1 (\d+)$"))
    palette = "".join(re.findall("^window_custom_color_palette (.*)$", text, re.M))
    return int(kind), as_text(title), {int(v): int(r) << 16 | int(g) << 8 | int(b)
                                       for v, r, g, b in re.findall(r"\{(-?\d+)\.0+:(\d+),(\d+),(\d+)\}", palette)}


def compare_views(tools, file, cfg):
    """What differs in the titles and colours of the views, and those in the tables of the file."""
    schema = json.loads(tools.uscope("info", "--json", file).stdout)["schema"]
    classes = [schema["scopes"][x["scope"]]["name"] for x in schema["storages"]]
    found, colors, titles = [], {}, {}
    for line in tools.uscope("state", "--json", file).stdout.splitlines():
        x = json.loads(line)
        f = x.get("fields")
        if x.get("storage") == "channels":
            titles[classes[f["storage"]], f["prv_type"]] = re.sub("[\0-\x1f\x7f]", " ", f["title"]).rstrip(" ")
        for cls in () if x.get("storage") != "colors" else ("thread", "cpu") if f["class"] == "both" else (f["class"],):
            if colors.setdefault((cls, f["prv_type"]), {}).setdefault(f["value"], f["rgb"]) != f["rgb"]:
                found.append(f"{cls} {f['prv_type']}: two colours for {f['value']}")
    for path in glob.glob(f"{cfg}/*/*/*.cfg"):
        if path.endswith("-histogram.cfg"):
            continue
        cls = path.split("/")[-3]
        kind, title, want = read_view(path)
        key = ("breakdown", kind) if ("breakdown", kind) in titles else (cls, kind)
        if titles.get(key) != title:
            found.append(f"{path}: the title is {title!r}, and {titles.get(key)!r} in the file")
        if colors.get(key, {}) != want:
            found.append(f"{path}: colours are {want}, and {colors.get(key)} in the file")
    return found


def value_at(sequence, time):
    """The last value at or before a time."""
    value = 0
    for t, v in sequence:
        if t > time:
            break
        value = v
    return value


def read_instants(lines):
    """(class, row, type, ns) -> values that the PRV shows for the nanosecond before."""
    instants = {}
    for x in lines:
        if x["kind"] == "instant":
            instants.setdefault((x["class"], x["row"], x["type"], x["begin_ps"] // 1000), []).append(x["value"])
    return instants


def compare_states(want, rows, time, instants):
    """The rows of --at --json, and the PRV of the run."""
    found = []
    for row in rows:
        for state in row["states"]:
            cls, kind = row["class"], state["type"]
            name = state["channel"].split(".")[0] + "-breakdown" if cls == "breakdown" else cls
            right = value_at(want[name].get((row["row"], kind), []), time)
            if state["value"] != right and right not in instants.get((cls, row["row"], kind, time + 1), []):
                found.append(f"{name} row {row['row']} type {kind} is {state['value']} at {time} ns, but the PRV says {right}")
    return found


def vcd_value(kind, text):
    """A label, or a number; "" for nothing."""
    if kind == "string":
        return re.sub(rb"\\x(..)", lambda m: bytes.fromhex(m.group(1).decode()), text.encode()).decode()
    number = int(text, 2)
    return str(number - (number >> 63 << 64)) if number else ""


def span_value(span, kind):
    """The same; "#" for a label of blanks, which shows as a number."""
    label = (span["label"] or "").lstrip(" ")
    if kind == "string" and span["label"]:
        return label or "#"
    return "" if kind != "string" and not span["value"] else str(span["value"])


def without_repeats(changes, end):
    """Those before the end: what begins there lasts no time, and is not listed."""
    out = []
    for time, value in sorted(changes.items()):
        if time < end and value != (out[-1][1] if out else ""):
            out.append((time, value))
    return out


def compare_vcd(tools, file, spans):
    """What differs in the VCD and the list of intervals: a variable for each row and channel that shows anything."""
    variables, end = uscope_tool.read_vcd(tools.uscope("export", "--format=vcd", file).stdout.decode())
    names, by_row, last = {}, {}, end
    for line in tools.lines("timeline", file):
        if line["kind"] == "timeline":
            last = line["end_ps"]
        elif line["kind"] == "row":
            name = f"{line['class']}/" + re.sub(rb"[^A-Za-z0-9]", b"_", line["name"].encode()).decode()
            names[line["class"], line["row"]] = f"{name}_row{line['row']}" if name in names.values() else name
    for s in spans:
        by_row.setdefault(f"{names[s['class'], s['row']]}/{re.sub('[^A-Za-z0-9]', '_', s['channel'])}", []).append(s)
    found = [f"VCD: {path} is missing" for path in by_row if path not in variables]
    for path, (kind, _, changes) in variables.items():
        want, instants = {}, {}
        mine = by_row.get(path, [])
        for s in mine:
            if s["kind"] == "instant":
                instants[s["begin_ps"]] = span_value(s, kind)
            else:
                want[s["begin_ps"]] = span_value(s, kind)
        for s in mine:
            if s["end_ps"] < end and s["kind"] != "instant":
                want.setdefault(s["end_ps"], "")
        # a punctual value lasts for a nanosecond; then the state is there again
        state = sorted(want.items())
        for t in instants:
            want[t + 1000] = value_at(state, t + 1000) or ""
        want.update(instants)
        have = without_repeats({t: vcd_value(kind, v) for t, v in changes}, end)
        want = without_repeats(want, end)
        # states that begin or end with the trace are no intervals; a punctual value there makes the VCD longer
        have, want = ([(t, v) for t, v in x if t < last or t in instants] for x in (have, want))
        differences = [x for x in itertools.zip_longest(have, want) if x[0] != x[1] and (not all(x) or x[0][0] != x[1][0] or
                       x[1][1] != "#" or not re.fullmatch("#?[0-9]+", x[0][1]))]
        if differences:
            found.append(f"VCD: {path} is {differences[0][0]}, and the intervals have {differences[0][1]}")
        if len({v for _, v in changes}) < 2 and not vcd_value(kind, changes[0][1]):
            found.append(f"VCD: {path} shows nothing")
    return found


def compare_density(tools, file):
    """What differs in the overview: how many events there were when, and those in the file."""
    times = [json.loads(x)["time_ps"] // 1000 for x in tools.uscope("events", "--json", file).stdout.splitlines() if b'"event":"ovni"' in x]
    summary = json.loads(tools.uscope("summary", "--json", "--level=0", file).stdout)
    if summary is None:  # too large beside the deltas of a long trace
        return []
    base = summary["base_interval_cycles"]
    # the emulator counts in buckets of 1024 ns or more, a million of them
    size = max(base, 1 << max(10, max(times, default=0).bit_length() - 20))
    want, have = {}, {}
    for t in times:
        want[t // size] = want.get(t // size, 0) + 1
    for i, n in enumerate(summary["density"]["buckets"]):
        if n:
            have[i * base // size] = have.get(i * base // size, 0) + n
    return [] if want == have else [f"density: {sum(have.values())} events, {sum(want.values())} in the file, or at other times"]


def has_said_otherwise(tools, file, changed, data):
    """Whether the profile is another one when a time that the file has counted is: `changed` becomes that file. It is
    not if nothing was counted."""
    at = data.rfind(b"\x02\x80\0\0\0\0\0\0", int.from_bytes(data[32:40], "little"))
    pos = int.from_bytes(data[at + 8:at + 16], "little")
    end = pos + int.from_bytes(data[at + 16:at + 24], "little")

    def number():
        nonlocal pos
        v = shift = 0
        while True:
            byte = data[pos]
            pos += 1
            v |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return v
    number(), number()
    while pos < end:
        number(), number()
        for _ in range(max(0, number() - 1)):
            number()
            for _ in range(number()):
                number()
                if data[pos] & 0x7f > 1:
                    other = bytearray(data)
                    other[pos] -= 1
                    with open(changed, "wb") as f:
                        f.write(other)
                    words = ("timeline", "--profile", "--json")
                    return tools.uscope(*words, file).stdout != tools.uscope(*words, changed).stdout
                number()
    return False


def compare_profile(tools, file, plain):
    """What differs between the times that the file has counted and the sum of all states; `plain` becomes a
    copy of the file without them. Of each file one of the commands that show them."""
    with open(file, "rb") as f:
        data = bytearray(f.read())
    at = data.rfind(b"\x02\x80\0\0\0\0\0\0", int.from_bytes(data[32:40], "little"))
    if at < 0:  # of very many rows that do next to nothing it would be too large
        return [] if len(data) > 500000 else ["the file has no times of states"]
    found = []
    tools.files += 1
    if not tools.profiles or tools.files % 5 == 0:
        tools.profiles += has_said_otherwise(tools, file, plain, data)
    data[at] = 3
    with open(plain, "wb") as f:
        f.write(data)
    words = ([], ["--channel", "*"], ["--row", "thread/*"])[tools.files % 3]
    have, want = (tools.uscope("timeline", "--profile", "--json", *words, x) for x in (file, plain))
    if have.stdout != want.stdout or have.stderr.count(b"\n") != want.stderr.count(b"\n") or have.returncode:
        found.append(f"profile {' '.join(words)}: {have.stdout[:200]} and {want.stdout[:200]}")
    return found


def compare_cycles(tools, files):
    """What differs in two files of one trace, with and without the events of the trace: nothing
    should but these events."""
    dumps, summaries = [], []
    for file in files:
        lines = tools.uscope("dump", "--frames", file).stdout.splitlines()
        lines = [x for x in lines if b'"event":"ovni"' not in x and b'"kind":"segment"' not in x]
        # of frames, where they begin; not those of nothing but an event of the trace
        begins = [b'"kind":"frame"' in x for x in lines] + [True]
        dumps.append([b"frame" if begins[i] else x for i, x in enumerate(lines) if not (begins[i] and begins[i + 1])])
        # its buckets are wider in the smaller file, and that of a long trace may be left out
        text = tools.uscope("summary", file).stdout.decode()
        summaries.append(dict(re.findall(r'^(counter ".*?") .* sum (\d+)$', text, re.M)))
    found = [f"one by one: {a} and {b}" for a, b in zip(*dumps) if a != b][:3]
    if len(dumps[0]) != len(dumps[1]):
        found.append(f"one by one: {len(dumps[0])} and {len(dumps[1])} items")
    found += compare_density(tools, files[1])
    other = [name for name in summaries[0] if summaries[1].get(name, summaries[0][name]) != summaries[0][name]]
    return found + [f"one by one: another sum of {name}" for name in other]
