#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the page counts in an area: time, share, how many, mean, shortest and longest of each state, as its CSV has them, are what
comes out of the intervals of `uscope timeline` by plain adding up.

usage: selection.py BUILD [--only TEST] [-v]
"""
import collections
import csv
import io
import random
import sys

import kit

import build as b

AREAS = 20  # of each trace

# Selects areas by links, one after the other, and takes the CSV that the button would save.
ASK = """
const texts = [];
let taken = null;
const create = URL.createObjectURL;
URL.createObjectURL = blob => { taken = blob; return create.call(URL, new Blob([])); };
HTMLAnchorElement.prototype.click = () => 0;
for (const hash of args[0]) {
	const before = document.getElementById('selection').firstChild;
	location.hash = hash;
	for (let i = 0; i < 400; i++) {
		await new Promise(done => setTimeout(done, 10));
		const heads = [...document.querySelectorAll('#selection h3')];
		if (document.getElementById('selection').firstChild !== before && heads.length &&
				heads.every(h => !h.textContent.includes('counting') && h.nextSibling.querySelector?.('tbody')))
			break;
	}
	[...document.querySelectorAll('#selection button')].find(b => b.textContent === 'Save CSV').click();
	texts.push(await taken.text());
}
URL.createObjectURL = create;
return texts;
"""


def areas(intervals, seed):
    """[(class, channel, rows, t0, t1)] in ns"""
    r = random.Random(seed)
    rows = collections.defaultdict(list)
    for cls, row, channel in sorted(intervals):
        rows[cls, channel].append(row)
    out = []
    for _ in range(AREAS):
        cls, channel = r.choice(sorted(rows))
        some = rows[cls, channel]
        first = r.randrange(len(some))
        some = some[first:first + r.choice((1, 2, 100))]
        end = max(i.end for row in some for i in intervals[cls, row, channel]) // 1000
        t0, t1 = sorted((r.randrange(end + 1), r.choice((end, r.randrange(end + 1)))))
        if t1 > t0:
            out.append((cls, channel, some, t0, t1))
    return out


def naive(intervals, cls, channel, rows, t0, t1):
    """{text: [durations in ns]}"""
    out = collections.defaultdict(list)
    for row in rows:
        before = None
        for i in intervals[cls, row, channel]:
            a, b = max(i.begin // 1000, t0), min(i.end // 1000, t1)
            if b <= a:
                continue
            text = i.label.strip() if i.label else str(i.value) if i.value or cls == "proc" else ""
            if before == (text, a):  # as what was between lasted no time
                out[text][-1] += b - a
            else:
                out[text].append(b - a)
            before = (text, b)
    return out


def check(c, out):
    intervals = c.tools.intervals(f"{out}/ovni.uscp")
    wanted = areas(intervals, out.rsplit("/", 1)[1])
    c.open(f"{out}/ovni.html")
    titles = c.browser.run("return ovniscope.info.channels.map(k => [k.view, k.name, k.title]);")
    texts = c.browser.run(ASK, [f"#view={cls}&ch={channel}&sel={t0 * 1000},{t1 * 1000},{','.join(map(str, rows))}"
                                for cls, channel, rows, t0, t1 in wanted])
    for area, text in zip(wanted, texts):
        cls, channel, rows, t0, t1 = area
        what = f"{out.rsplit('/', 1)[1]} {cls} {channel} rows {rows} from {t0} to {t1} ns"
        lines = list(csv.reader(io.StringIO(text)))
        states = lines[1:lines.index([])]
        title = next(t for v, n, t in titles if (v, n) == (cls, channel))
        c.expect(f"{what}: channel", {x[0] for x in states}, {title})
        want = naive(intervals, *area)
        whole = (t1 - t0) * len(rows)
        got = {x[1]: [float(x[2]), float(x[3]), int(x[4]), *map(float, x[5:])] for x in states}
        c.expect(f"{what}: states", sorted(got), sorted(want))
        for state, some in want.items():
            numbers = [sum(some), round(sum(some) / whole, 6), len(some), round(sum(some) / len(some), 3), min(some), max(some)]
            c.expect(f"{what}: {state}", [round(x - y, 2) for x, y in zip(got.get(state, [0] * 6), numbers)], [0] * 6)
        # The histogram counts each of them once.
        counts = collections.Counter()
        from_to = lines.index(["channel", "state", "from_ns", "to_ns", "count"])
        for x in lines[from_to + 1:lines.index([], from_to)]:
            counts[x[1]] += int(x[4])
            inside = sum(float(x[2]) - 0.01 <= d <= float(x[3]) + 0.01 for d in want.get(x[1], []))
            c.expect(f"{what}: {x[1]} from {x[2]} to {x[3]}", int(x[4]) <= inside)
        c.expect(f"{what}: histogram", counts, {state: len(some) for state, some in want.items()})


def demo(c):
    check(c, c.tools.demo("heat"))


def prism(c):
    check(c, c.tools.prism())


def golden(c):
    for name in ("nosv/parallel-bodies", "nanos6/breakdown", "parallelism/count"):
        check(c, c.tools.golden(name))


def incomplete(c):
    """Durations of more states than are counted, and a segment that cannot be read: the page and the CSV say so."""
    f = b.File(b.Schema(storages=[("s", 2, 0, [("a,b", "u32")], [])]), b.INTERLEAVED | b.COMPLETE)
    s = b.Script(f)
    for t in range(300):
        s.frame(t * 1000, [("op", b.SET, 0, 0, 0, t + 1)])
    s.cut(0, 300_000)
    s.cut(300_000, 400_000)
    for name, wrong, told in (("many", {}, "durations without those of 45 states"), ("damaged", {"raw_size": 0xffffffff}, "incomplete")):
        f.segments[1].update(wrong)
        file = c.tools.place(name) + f"/{name}.uscp"
        with open(file, "wb") as out:
            out.write(f.bytes())
        c.viewer()
        c.give(file)
        [text] = c.browser.run(ASK, ["#ch=a%252Cb&sel=0,400000,0-1"])
        c.expect(f"{name}: the CSV says so", text.split("\n")[0].startswith('"# s.a,b: ' + told))
        c.expect(f"{name}: the page says so", told in c.browser.run("return document.getElementById('selection').textContent;"))


sys.exit(kit.main(__doc__, [demo, prism, golden, incomplete]))
