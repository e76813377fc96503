#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page by its keys alone: moves, cursor, search, folding, channels, selection and CSV, settings, help; a link that leads
to the same place; names for screen readers; both themes readable.

usage: keys.py BUILD [--only TEST] [-v]
"""
import csv
import glob
import io
import os
import sys

import kit

import build as b

STATE = """
await ovniscope.settled();
const s = ovniscope.state, names = l => l.map(c => ovniscope.info.channels[c].name);
const place = r => r === null ? null : s.view.rows.indexOf(r);
return {view: s.view.name, t0: s.t0, t1: s.t1, channels: names(s.channels), folded: [...s.folded], filter: s.filter, theme: s.theme,
	size: s.size, side: s.side, patterns: s.patterns, only: [...s.only].length,
	cursor: s.cursor && {row: place(s.cursor.row), t: s.cursor.t},
	selection: s.selection && {rows: s.selection.rows.map(place), t0: s.selection.t0, t1: s.selection.t1},
	focus: document.activeElement.id, dialog: document.querySelector('dialog[open]')?.id ?? ''};
"""


def state(c):
    return c.browser.run(STATE)


def press(c, *keys):
    c.browser.keys(*keys)
    return state(c)


def to_row(c, row):
    """The cursor to the begin of a row; groups are on the way."""
    c.browser.keys("Home")
    for _ in range(20):
        at = state(c)["cursor"]["row"]
        if at == row:
            return
        c.browser.keys("Up" if at is not None and at > row else "Down")
    c.expect("the cursor gets to a row", at, row)


def show(c, what=""):
    """twoproc, threads: two processes of three threads."""
    out = c.tools.place("twoproc")
    if not os.path.exists(f"{out}/ovni.html"):
        c.tools.demo("twoproc")
    c.open(f"{out}/ovni.html#view=thread&ch=state{what}")
    c.browser.run("document.getElementById('plot').focus();")
    return f"{out}/ovni.uscp"


def moves(c):
    show(c)
    whole = press(c, "f")
    near = press(c, "w", "w")
    c.expect("w zooms in", near["t1"] - near["t0"] < 0.5 * (whole["t1"] - whole["t0"]))
    left = press(c, "a")
    c.expect("a goes to the left", left["t0"] < near["t0"] and abs(left["t1"] - left["t0"] - near["t1"] + near["t0"]) < 2000)
    right = press(c, "d")
    c.expect("d goes back to the right", abs(right["t0"] - near["t0"]) < 2000)
    c.expect("s zooms out", press(c, "s")["t1"] - state(c)["t0"] > near["t1"] - near["t0"])
    c.expect("f fits", [press(c, "f")[k] for k in ("t0", "t1")], [whole["t0"], whole["t1"]])
    c.browser.keys(*["w"] * 60)
    least = state(c)
    c.expect("zoom ends at some ns", least["t1"] - least["t0"] <= 20_000, True)
    c.expect("a time can be gone to", press(c, "t")["dialog"], "go")
    half = round((whole["t0"] + whole["t1"]) / 4 / 1000)
    c.browser.type("#time", f"{half} ns")
    at = press(c, "Enter")
    c.expect("go to a time: cursor", at["cursor"]["t"], half * 1000)
    c.expect("go to a time: it is seen", at["t0"] <= half * 1000 <= at["t1"])
    c.browser.keys("f")


def cursor(c):
    file = show(c)
    intervals = c.tools.intervals(file)
    for row in (0, 1):
        to_row(c, row)
        # The changes of the row, one by one.
        some = [i for i in intervals["thread", row, "state"] if i.end > i.begin]
        seen = [press(c, "n")["cursor"] for _ in some[:6]]
        c.expect(f"n in row {row}", [x["t"] for x in seen[:len(some) - 1]], [i.end for i in some[:-1]][:6])
        c.expect(f"row {row}", {x["row"] for x in seen}, {row})
        c.expect("p goes back", press(c, "p")["cursor"]["t"] < seen[-1]["t"])
    press(c, "End")
    at = press(c, "p")
    key = ("thread", at["cursor"]["row"], "state")
    inside = next(i for i in intervals[key] if i.begin <= at["cursor"]["t"] < i.end)
    zoomed = press(c, "Enter")
    c.expect("Enter zooms to the state", zoomed["t0"] <= inside.begin and zoomed["t1"] >= inside.end and
             zoomed["t1"] - zoomed["t0"] <= max(3 * (inside.end - inside.begin), 20_000))
    told = c.wait("it is told in words", "return document.getElementById('what').textContent;")
    c.expect("the words have the state", inside.label in told)
    c.expect("the list has all rows", c.browser.run("return document.querySelectorAll('#cursor tbody tr').length;"), 6)
    c.expect("Escape clears the cursor", press(c, "Escape")["cursor"], None)


def search(c):
    show(c)
    second = rows(c)[1]
    c.browser.keys("/")
    c.expect("/ goes to the search", state(c)["focus"], "search")
    c.browser.keys(*"2.")
    c.wait("rows are found", "return document.querySelectorAll('#hits li').length;")
    c.browser.keys("Down", "Enter")
    c.expect("the row is found", "2." in c.browser.run("return ovniscope.info.rows[ovniscope.state.cursor.row].label;"))
    c.browser.keys("/", "Control+a", "Delete", *"paused")
    c.wait("states are found", "return [...document.querySelectorAll('#hits li')].some(e => /paused/i.test(e.textContent));")
    c.browser.keys("Enter")
    at = state(c)
    c.expect("the state is highlighted", at["only"], 1)
    text = c.browser.run("const {row, t} = args[0]; return (await ovniscope.query('thread', row, 'state', t / 1000)).text;", at["cursor"])
    c.expect("the cursor is on it", text, "Paused")
    c.browser.keys("/", "Control+a", "Delete", *second, "Enter")
    c.expect("rows are filtered", state(c)["filter"] != "" and len(rows(c)) < 6)
    c.browser.keys("Escape", "Escape", "Escape", "Escape", "Escape")
    c.expect("all rows are back", len(rows(c)) >= 6)


def rows(c):
    return c.browser.run("return [...document.querySelectorAll('#tree .row')].map(e => e.textContent);")


def fold(c):
    show(c)
    c.expect("all rows", len(rows(c)), 6)
    c.expect("{ folds all", [len(press(c, "{")["folded"]), len(rows(c))], [2, 0])
    c.expect("} unfolds all", [len(press(c, "}")["folded"]), len(rows(c))], [0, 6])
    c.browser.run("document.getElementById('tree').focus();")
    c.browser.keys("Home")
    for _ in range(8):
        c.browser.keys("Up")
    c.expect("a group folds", [len(press(c, "Enter")["folded"]), len(rows(c))], [1, 3])
    c.expect("and unfolds", [len(press(c, "Enter")["folded"]), len(rows(c))], [0, 6])


def channels(c):
    show(c)
    before = state(c)["channels"]
    c.browser.keys("c")
    c.expect("c opens the channels", c.browser.run("return document.getElementById('channels').open;"))
    c.browser.keys("Space")
    c.expect("a channel more or less", state(c)["channels"] != before)
    c.browser.keys("Escape")
    c.expect("Escape closes them", [c.browser.run("return document.getElementById('channels').open;"), state(c)["focus"]], [False, "plot"])
    size = press(c, "]")["size"]
    c.expect("rows get larger and smaller", press(c, "[", "[")["size"], size - 4)
    c.expect("l hides the side", press(c, "l")["side"], False)
    c.expect("l shows it", press(c, "l")["side"], True)
    c.expect("? helps", press(c, "?")["dialog"], "help")
    c.expect("the help begins at its begin", c.browser.run("return document.getElementById('help').scrollTop;"), 0)
    keys = c.browser.run("return [...document.querySelectorAll('#keys kbd')].map(e => e.textContent);")
    c.expect("the help has all keys", [k for k in "W A S D F Z N P T / C [ ] { } L O ? Esc Enter".split() if k not in keys], [])
    c.expect("Escape closes it", press(c, "Escape")["dialog"], "")


def tab_to(c, key, want):
    """Moves the focus on until it is on what is called like that."""
    for _ in range(100):
        if c.browser.run(f"return document.activeElement.{key};") == want:
            return
        c.browser.keys("Tab")
    c.expect(f"Tab reaches {want}", False)


def select(c):
    show(c)
    to_row(c, 0)
    c.browser.keys(*["Right"] * 5, *["Shift+Right"] * 10, *["Shift+Down"] * 2)
    area = state(c)["selection"]
    c.expect("an area is selected", area is not None and len(area["rows"]) >= 2 and area["t1"] > area["t0"])
    place = press(c, "z")
    c.expect("z zooms to it", place["t0"] <= area["t0"] and place["t1"] >= area["t1"] and
             place["t1"] - place["t0"] < 1.5 * (area["t1"] - area["t0"]))
    c.wait("it is counted", "return document.querySelectorAll('#selection tbody tr').length;")
    c.expect("all of the table is seen", c.browser.run("const e = document.querySelector('#selection .wide'); return e.scrollWidth <= e.clientWidth;"))
    # To the button that saves it, with Tab alone.
    to = c.tools.place("downloads")
    c.browser.cdp("Page.setDownloadBehavior", behavior="allow", downloadPath=to)
    tab_to(c, "textContent", "Save CSV")
    c.browser.keys("Enter")
    for _ in range(200):
        if glob.glob(f"{to}/*.csv"):
            break
        c.browser.run("await new Promise(done => setTimeout(done, 20));")
    with open(glob.glob(f"{to}/*.csv")[0], encoding="utf-8") as f:
        lines = list(csv.reader(io.StringIO(f.read())))
    shown = c.browser.run("return [...document.querySelectorAll('#selection tbody tr')].map(e => e.cells[0].textContent);")
    c.expect("the CSV has the states", sorted(x[1] or "nothing" for x in lines[1:1 + len(shown)]), sorted(shown))
    c.expect("their times add up", round(sum(float(x[2]) for x in lines[1:1 + len(shown)]) * 1000),
             round((area["t1"] - area["t0"]) * len(area["rows"])))
    c.browser.run("document.getElementById('plot').focus();")
    c.expect("Escape clears it", press(c, "Escape")["selection"], None)
    c.browser.run("for (let i = 0; i < 2; i++) { document.querySelector('#legend .swatch').click(); await new Promise(done => setTimeout(done, 200)); }")
    c.expect("nothing is hidden: Escape clears the cursor", press(c, "Escape")["cursor"], None)


def settings(c):
    show(c)
    colours = []
    for theme in ("light", "dark"):
        tab_to(c, "ariaLabel", "Settings")
        c.browser.keys("Enter")
        tab_to(c, "id", "theme")
        c.browser.keys(theme[0])
        c.browser.keys("Escape")
        c.expect(f"the theme is {theme}", state(c)["theme"], theme)
        colours.append(c.browser.run("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor];"))
        bright = [sum(map(float, x[x.index("(") + 1:-1].split(",")[:3])) for x in colours[-1]]
        c.expect(f"{theme}: text differs from its background", abs(bright[0] - bright[1]) > 400)
        c.expect(f"{theme}: background", bright[1] > 383, theme == "light")


def link(c):
    show(c)
    to_row(c, 1)
    c.browser.keys("w", "w", "a", *["Right"] * 3, "n", *["Shift+Right"] * 6, "Shift+Down", "c", "Space", "Escape", "]")
    c.browser.run("await ovniscope.settled(); await new Promise(done => setTimeout(done, 400));")
    before, address = state(c), c.browser.address()
    c.expect("the link has the place", "#view=thread" in address and "t=" in address)
    tab = c.browser.new_tab()
    c.open(address)
    after = state(c)
    for key in ("view", "t0", "t1", "channels", "folded", "filter", "cursor", "selection", "size"):
        got, want = after[key], before[key]
        if key in ("t0", "t1"):
            got, want = abs(got - want) < 2, True
        c.expect(f"link: {key}", got, want)
    c.browser.close_tab(tab)
    # What does not fit the file, or makes no sense, is left out.
    for bad in ("#", "#view=no", "#t=9,1", "#t=x", "#t=1e400,-1", "#ch=none,none", "#cursor=-1,nan", "#cursor=0,Infinity", "#sel=0,Infinity,0", "#sel=5,4,3-2", "#sel=0,1e18,0-99999999",
                "#view=%ff%00&fold=%0a%0a&q=%f0%9f%98%80", "#size=1e9&theme=__proto__&sort=constructor&unit=<b>", "#" + "x" * 100000):
        c.browser.run("location.hash = args[0];", bad)
        c.expect(f"{bad[:40]}: a view", state(c)["view"] in ("thread", "cpu"))
        got = state(c)
        c.quiet(f"{bad[:40]}")
        c.expect(f"{bad[:40]}: a place", got["t1"] > got["t0"] and got["t1"] - got["t0"] < 1e18)


def places(c):
    """Many rows: a link leads to those that were seen, the list at the cursor has those around it; names with a comma."""
    f = b.File(b.Schema(storages=[("s", 1000, 0, [("a,b", "u32"), ("c%2C", "u32")], [])]), b.INTERLEAVED | b.COMPLETE)
    s = b.Script(f)
    s.frame(0, [("op", b.SET, 0, 999, 0, 7), ("op", b.SET, 0, 999, 1, 7)])
    s.cut(0, 1000)
    file = c.tools.place("rows") + "/rows.uscp"
    with open(file, "wb") as out:
        out.write(f.bytes())
    c.tools.uscope("view", "-o", file + ".html", file)
    c.open(file + ".html#ch=a%252Cb,c%25252C&cursor=700,0")
    c.browser.run("await ovniscope.settled(); document.getElementById('plot').focus();")
    seen = c.browser.run("const e = document.querySelector('#tree [aria-selected=true]'); return e && e.title;")
    c.expect("the row of the cursor is seen", seen, "s[700]")
    c.wait("it is listed", "return document.querySelector('#cursor .here');")
    listed = c.browser.run("""const box = document.querySelector('#cursor .list').getBoundingClientRect(), here = document.querySelector('#cursor .here'),
        rows = [...document.querySelectorAll('#cursor tbody tr')].map(e => e.cells[0].textContent), y = here.getBoundingClientRect();
        return [rows.length, rows[0], here.cells[0].textContent, y.top >= box.top && y.bottom <= box.bottom];""")
    c.expect("rows around that of the cursor are listed", listed, [400, "s[500]", "s[700]", True])
    c.expect("what is left out is told", "501 to 900 of 1000" in c.browser.run("return document.getElementById('cursor').textContent;"))
    c.browser.keys("PageDown")
    before, top = state(c), c.browser.run("return ovniscope.state.top;")
    c.browser.run("await new Promise(done => setTimeout(done, 400));")
    c.open(c.browser.address())
    c.expect("the link has the names", [state(c)["channels"], before["channels"]], [["a,b", "c%2C"]] * 2)
    again, height = c.browser.run("return [ovniscope.state.top, document.querySelector('#tree .row').clientHeight + 5];")
    c.expect(f"the link has the rows that were seen, {again} px and {top} px from the top", top > 0 and abs(again - top) <= height / 2)


def names(c):
    """Whatever takes the focus has a name, as a screen reader needs."""
    show(c)
    to_row(c, 0)
    c.browser.keys(*["Shift+Right"] * 3)
    c.wait("it is counted", "return document.querySelectorAll('#selection tbody tr').length;")
    nodes = c.browser.cdp("Accessibility.getFullAXTree")["nodes"]
    value = lambda node, key: (node.get(key) or {}).get("value")
    focusable = [n for n in nodes if not n.get("ignored") and any(p["name"] == "focusable" and p["value"]["value"] for p in n.get("properties", ()))]
    c.expect("there is something to focus", len(focusable) > 10)
    for n in focusable:
        if value(n, "role") != "RootWebArea":
            c.expect(f"a {value(n, 'role')} has a name", bool(value(n, "name")))


sys.exit(kit.main(__doc__, [moves, cursor, search, fold, channels, select, settings, link, places, names]))
