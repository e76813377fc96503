#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the page shows is what is in the file: the states that its own query function tells are those of `uscope
timeline`, and of `uscope state` for files that are no timelines, at random times and rows and at the edges of states.

usage: states.py BUILD [--only TEST] [-v]
"""
import random
import sys

import kit

POINTS = 1000  # in all pages together of a test at least so many, and 150 in each

# Of each model the case with all its states, and those with what is special.
GOLDEN = ["ovni/virtual-oversubscribed", "ovni/flush", "kernel/states", "marks/values", "mpi/states", "nanos6/states", "nanos6/breakdown",
          "nodes/states", "nosv/states", "nosv/parallel-bodies", "nosv/counters", "openmp/states", "parallelism/count", "rows/by-rank",
          "tampi/states", "unfinished/crashed", "useful/agree"]

ASK = """
const [points] = args;
return Promise.all(points.map(async ([view, row, name, t]) => {
	try {
		const s = await ovniscope.query(view, row, name, t);
		return [String(s.value), s.text, s.begin, s.end];
	} catch (e) {
		return ["error", String(e), 0, 0];
	}
}));
"""


def text_of(key, value, label):
    """0 is a number in rows of processes only. The label of a CPU begins with a blank."""
    return label.strip() if label is not None else "" if value == 0 and key[0] != "proc" else str(value)


def lasting(some):
    """Without those that last no time; what is the same before and behind one is one."""
    out = []
    for i in some:
        if i.end > i.begin:
            if out and (out[-1].end, out[-1].value) == (i.begin, i.value):
                i = out.pop()._replace(end=i.end)
            out.append(i)
    return out


def points_of(intervals, count, seed):
    """[(key, t in ns, interval)]: half of them the first or last nanosecond of a state."""
    r = random.Random(seed)
    keys = sorted(key for key in intervals if lasting(intervals[key]))
    out = []
    for _ in range(count):
        key = r.choice(keys)
        some = lasting(intervals[key])
        if r.random() < 0.5:
            i = r.choice(some)
            t = r.choice((i.begin // 1000, i.end // 1000 - 1))
        else:
            t = r.randrange(some[0].begin // 1000, some[-1].end // 1000)
        at = next((i for i in some if i.begin <= t * 1000 < i.end), None)
        if at:
            out.append((key, t, at))
    return out


def compare_timeline(c, out, count):
    intervals = c.tools.intervals(f"{out}/ovni.uscp")
    c.open(f"{out}/ovni.html")
    points = points_of(intervals, count, out.rsplit("/", 1)[1])
    told = c.browser.run(ASK, [[*key, t] for key, t, _ in points])
    for (key, t, want), got in zip(points, told):
        text = text_of(key, want.value, want.label)
        c.expect(f"{out.rsplit('/', 1)[1]}: {' '.join(map(str, key))} at {t} ns", got, [str(want.value), text, want.begin / 1000, want.end / 1000])
    compare_names(c, out)


def compare_moments(c, out, count):
    """For files that have too many states to list all."""
    r = random.Random(count)
    end = c.tools.lines("timeline", f"{out}/ovni.uscp")[0]["end_ps"] // 1000
    c.open(f"{out}/ovni.html")
    for t in [0, end - 1, *(r.randrange(end) for _ in range(count))]:
        wanted = c.tools.moment(f"{out}/ovni.uscp", t)
        told = c.browser.run(ASK, [[*key, t] for key in wanted])
        for (key, (value, label)), got in zip(wanted.items(), told):
            c.expect(f"{out.rsplit('/', 1)[1]}: {' '.join(map(str, key))} at {t} ns", got[:2], [str(value), text_of(key, value, label)])
    compare_names(c, out)


def compare_names(c, out):
    """All rows and channels are there, with their names."""
    rows, channels = {}, {}
    for line in c.tools.lines("timeline", f"{out}/ovni.uscp"):
        if line["kind"] == "row":
            rows.setdefault(line["class"], []).append(line["name"])
        elif line["kind"] == "channel":
            channels.setdefault(line["class"], []).append(line["channel"])
    got = c.browser.run("""const {views, rows, channels} = ovniscope.info; return Object.fromEntries(views.map(v =>
        [v.name, [v.rows.map(r => rows[r].label), v.channels.map(k => channels[k].name)]]));""")
    for name in rows:
        c.expect(f"{out}: rows of {name}", got.get(name, [[], []])[0], rows[name])
        c.expect(f"{out}: channels of {name}", sorted(got.get(name, [[], []])[1]), sorted(channels[name]))


def golden(c):
    for name in GOLDEN:
        compare_timeline(c, c.tools.golden(name), max(POINTS // len(GOLDEN), 100))


def demo(c):
    for name in ("heat", "twoproc"):
        compare_timeline(c, c.tools.demo(name), POINTS)


def laplace(c):
    compare_moments(c, c.tools.laplace(), 10)


def prism(c):
    compare_timeline(c, c.tools.prism(), POINTS)
    c.expect("instants that are lines", c.browser.run("return ovniscope.info.channels.filter(k => k.punctual && k.type === 'count').map(k => k.name);"), [])


sys.exit(kit.main(__doc__, [demo, golden, laplace, prism]))
