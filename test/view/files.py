#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All kinds of files in the page: raw, LZ4 and ZSTD, of each version of the format, of other tools, through the dialog of
the installed page, in the page above and below the limit, and served, also while they grow.

usage: files.py BUILD [--vectors FOLDER] [--only TEST] [-v]

The folder has files of other writers, and is no part of the project; without it they are not looked at.
"""
import os
import shutil
import sys

import kit

import build as b

ASK = """
return Promise.all(args[0].map(async ([view, row, name, t]) => {
	try {
		const s = await ovniscope.query(view, row, name, t);
		return s.index === 0 && s.value === null ? null : s.text;
	} catch (e) {
		return String(e);
	}
}));
"""


def text_of(schema, strings, field, v):
    """As the page shows a value of build.State."""
    shown = b.State.shown(field, v)
    if field[1] == "enum":
        return next((label for value, label in schema.enums[field[2]][1] if value == v), shown)
    if field[1] == "str":
        return strings[v] if v < len(strings) else f"#{v}"
    return {"0": "false", "1": "true"}[shown] if field[1] == "bool" else shown


def twin(c, name, f, s, strings):
    """The page has what a script has recorded, at all of its times."""
    path = c.tools.place("twin") + f"/{name}.uscp"
    with open(path, "wb") as out:
        out.write(f.bytes())
    c.give(path)
    points, want = [], []
    last = max(t for t, _ in s.history)
    for t in sorted({t + d for t, _ in s.history for d in (-1, 0, 1) if 0 <= t + d <= last}):
        state = next((x for when, x in reversed(s.history) if when <= t), b.State(f.schema))
        for i, (storage, slots, _, fields, props) in enumerate(f.schema.storages):
            for k in range(slots):
                for n, field in enumerate(fields):
                    row = state.slots[i][k]
                    points.append([storage, k, field[0], t / 1000])
                    want.append(None if row is None else text_of(f.schema, strings, field, row[n]))
            for n, field in enumerate(props):
                points.append([f"{storage} (properties)", 0, field[0], t / 1000])
                want.append(text_of(f.schema, strings, field, state.props[i][n]))
    for p, x, y in zip(points, c.browser.run(ASK, points), want):
        c.expect(f"{name}: {p}", x, y)


def formats(c):
    c.viewer()
    for name, flags in (("interleaved", b.INTERLEAVED), ("wide", 0), ("compact", b.COMPACT),
                        ("lz4", b.INTERLEAVED | b.COMPRESSED), ("zstd", b.COMPRESSED | b.ZSTD)):
        for more in (b.COMPLETE, b.COMPLETE | b.STRINGS, 0):
            f, s = b.demo(flags | more)
            strings = ["", 'a "text"', "naïve"] if more & b.STRINGS else []
            twin(c, f"{name}-{more}", f, s, strings)
            c.expect(f"{name}: notes", [x for x in c.notes() if more], [])


def compression(c):
    """A timeline that is long enough to have been compressed."""
    trace = c.tools.demo("heat") + "/heat"
    pictures = {}
    for how in ("none", "lz4", "zstd"):
        c.tools.emu("-f", "uscope", f"--uscope-compression={how}", "-o", c.tools.place(how), trace)
        c.viewer()
        c.give(f"{c.tools.tmp}/{how}/ovni.uscp")
        points = [[cls, row, name, t] for t in range(0, 100_000_000, 1_357_911) for cls, row, name in (("thread", 1, "state"), ("cpu", 2, "tid"))]
        pictures[how] = c.browser.run(ASK, points)
        c.expect(f"{how}: notes", c.notes(), [])
    c.expect("LZ4", pictures["lz4"], pictures["none"])
    c.expect("ZSTD", pictures["zstd"], pictures["none"])


def states(c, file, times):
    """A file of another tool against `uscope state`."""
    views = c.browser.run("return ovniscope.info.views.map(v => v.name);")
    points, want = [], []
    for t in times:
        for line in c.tools.lines("-q", "state", "-t", str(t), "--raw", file):
            if line["kind"] != "state":
                continue
            path = f"{line['scope'].rstrip('/')}/{line['storage']}"
            view = next((v for v in (path, path[1:]) if v in views), path)
            for key, more in (("fields", ""), ("properties", " (properties)")):
                for name, value in line.get(key, {}).items():
                    points.append([view + more, line.get("slot", 0) if key == "fields" else 0, name, t / 1000])
                    want.append(value)
    got = c.browser.run("""return Promise.all(args[0].map(async ([view, row, name, t]) => {
        try { const s = await ovniscope.query(view, row, name, t); return String(s.value); } catch (e) { return String(e); } }));""", points)
    c.expect(f"{file} has states", bool(points))
    for p, x, y in zip(points, got, want):
        c.expect(f"{file}: {p}", x, str(int(y)))


def others(c):
    """A processor, threads of a Prism stream, and the files of other writers."""
    toy = c.tools.place("other") + "/toy.uscp"
    c.tools.do(f"{c.tools.examples}/uscope_write", toy, "300")
    prism = c.tools.prism()
    c.tools.do(f"{c.tools.tool}/prism/ovniscope-prism", "uscope", "-q", f"{prism}/program.prism", "-o", f"{prism}/program.uscp")
    c.viewer()
    for file in (toy, f"{prism}/program.uscp"):
        c.give(file)
        end = c.browser.run("return ovniscope.info.end;")
        states(c, file, sorted({0, end // 7, end // 3, end // 2, end - 1, end}))
        c.expect(f"{file}: notes", c.notes(), [])
        c.settle()
    for file in c.tools.vectors:
        if not os.path.basename(file).startswith("v"):
            continue  # is wrong: hostile.py
        if c.give(file, opens=False):
            c.expect(f"{file}: nothing to show", c.tools.lines("-q", "info", file)[0]["schema"]["storages"], [])
            continue
        end = c.browser.run("return ovniscope.info.end;")
        if c.tools.lines("-q", "info", file)[0]["segments"]:
            states(c, file, [end // 3, end // 2, end - 1])


def limit(c):
    """Above the limit the page has an overview, and then the file."""
    out = c.tools.demo("heat")
    file = f"{out}/ovni.uscp"
    page = f"{out}/small.html"
    c.tools.uscope("view", "--html-limit=4K", "-o", page, file)
    c.open(page, whole=False)
    c.settle()
    c.expect("it is not whole", c.browser.run("return ovniscope.info.whole;"), False)
    c.expect("it asks for the file", any("ovni.uscp" in x for x in c.notes()))
    c.expect("states are provisional", c.browser.run("""
        const plot = document.getElementById('plot'), p = plot.getContext('2d').getImageData(0, 0, plot.width, plot.height).data;
        return new Set(new Uint32Array(p.buffer)).size > 8;"""))
    c.give(file)
    c.expect("now it is", c.browser.run("return ovniscope.info.whole;"))
    c.expect("and has no notes", c.notes(), [])
    ask = [["thread", 0, "state", t * 1e6] for t in range(0, 50)]
    got = c.browser.run(ASK, ask)
    c.open(f"{out}/ovni.html")
    c.expect("states are those of the whole page", got, c.browser.run(ASK, ask))


def served(c):
    """Two browsers' pages of one server; each shows all."""
    out = c.tools.demo("twoproc")
    ask = [["thread", row, "state", t * 1e6] for row in range(6) for t in range(0, 300, 17)]
    c.open(f"{out}/ovni.html")
    want = c.browser.run(ASK, ask)
    with c.tools.serve(f"{out}/ovni.uscp") as server:
        c.open(server.address)
        tab = c.browser.new_tab()
        c.open(server.address)
        c.expect("the second viewer", c.browser.run(ASK, ask), want)
        c.settle()
        c.browser.close_tab(tab)
        c.expect("the first viewer", c.browser.run(ASK, ask), want)
    # The server has gone: what was read stays.
    c.expect("without the server", c.browser.run(ASK, ask), want)
    c.browser.open("about:blank")
    c.browser.complaints()


def follow(c):
    """A file that grows, segment by segment."""
    live = c.tools.place("live") + "/live.uscp"
    f, s = b.demo(b.INTERLEAVED)
    whole = f.bytes()
    f.segments.pop()
    short = f.bytes()
    with open(live, "wb") as out:
        out.write(short)
    with c.tools.serve(live) as server:
        c.open(server.address, whole=False)
        before = c.browser.run("return ovniscope.info.end;")
        c.settle()
        with open(live, "r+b") as out:
            out.seek(len(short))
            out.write(whole[len(short):])
            out.seek(0)
            out.write(whole[:48])
        c.wait("the page follows", "return ovniscope.info.end > args[0];", before)
        c.settle()
        c.expect("it shows all of it", c.browser.run("return ovniscope.state.t1 >= ovniscope.info.end * 0.99;"))
        points = [["regs", 0, "text", 2.9], ["count", 0, "n", 2.9], ["rob", 10, "bal", 2.0]]
        c.expect("states of the new segment", c.browser.run(ASK, points), ["#1", "65536", "-1"])
        # Now it is finished, with strings.
        f, s = b.demo(b.INTERLEAVED | b.COMPLETE | b.STRINGS)
        with open(live, "r+b") as out:
            out.write(f.bytes())
        c.wait("it is complete", "return ovniscope.info.complete;")
        c.expect("texts are there", c.browser.run(ASK, points[:1]), ['a "text"'])
    c.browser.open("about:blank")
    c.browser.complaints()


def shrinks(c):
    """A file that gets shorter while it is served is told, and what was read stays."""
    out = c.tools.place("shrinks")
    file = f"{out}/ovni.uscp"
    shutil.copy(c.tools.demo("heat") + "/ovni.uscp", file)
    with c.tools.serve(file) as server:
        c.open(server.address)
        c.settle()
        with open(file, "r+b") as f:
            f.truncate(5000)
        c.browser.run("await new Promise(done => setTimeout(done, 1500)); await ovniscope.settled();")
        tab = c.browser.new_tab()
        c.browser.open(server.address)
        c.wait("a second viewer tells", "return document.getElementById('failed').textContent || "
               "document.querySelectorAll('#notes p').length;")
        c.browser.close_tab(tab)
    c.browser.open("about:blank")
    c.browser.complaints()


sys.exit(kit.main(__doc__, [formats, compression, others, limit, served, follow, shrinks]))
