#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What nobody should give the page: names that are programs, damaged and cut files, such that claim to be huge, such that are
none. Nothing of it runs or is asked for, the page stays usable, what is whole is shown and what is not is told.

usage: hostile.py BUILD [--vectors FOLDER] [--only TEST] [-v]
"""
import json
import os
import random
import struct
import sys

import chromium
import kit

import build as b

BAD_TEXTS = [
    "<script>window.ran = 1</script>", "</script><script>window.ran = 2</script>", "<img src=x onerror='window.ran=3'>",
    "\"'><svg onload=window.ran=4>", "--><!-- <!-- ]]>", "javascript:window.ran=5", "{{7*7}} ${7*7} `", "&lt;b&gt; &amp;#39;",
    "\u202eright to left\u202c", "a\u0000b\u0001\u001b[31m\u2028\u2029", "\U0001f600\u0301\u0301\ufeff\ufffe", "__proto__", "constructor",
    "x" * (1 << 20), "\n\r\t", " ", "%00%ff#&=?"]
BAD_BYTES = [b"\xff\xfe\x00\x80", b"\xc0\xaf\xed\xa0\x80", b"\xf5\x80\x80\x80 <b>", b"\xe2\x82"]

# What is in the page that a text could have made, and whether something ran.
MADE = """
return [window.ran ?? null, document.querySelectorAll('img, iframe, object, embed, svg, link, base, form:not([method=dialog])').length,
	document.scripts.length, document.querySelectorAll('[onerror], [onload], [onclick], a[href^="javascript"]').length];
"""


# Drops files, [name, bytes in hex], without waiting for one to open.
DROP = """
for (const [name, hex] of args) {
	const dataTransfer = new DataTransfer();
	dataTransfer.items.add(new File([Uint8Array.from(hex.match(/../g), x => parseInt(x, 16))], name));
	document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
}
"""


def use(c):
    """All that shows texts: cursor, tooltip, legend, search, channels, selection, settings, and moves."""
    browser = c.browser
    browser.run("document.getElementById('plot').focus();")
    browser.keys("Home", "Down", "Down", "Right", "n", "n", *["Shift+Right"] * 3, "Shift+Down")
    browser.hover(400, 140)
    browser.hover(500, 160)
    browser.keys("w", "s", "f", "{", "}", "c", "Escape")
    browser.keys("/", "<")
    browser.run("await new Promise(done => setTimeout(done, 60));")
    browser.keys("Escape", "Escape", "Escape", "Escape", "f")
    c.settle()


def made(c, what, scripts):
    got = c.browser.run(MADE)
    c.expect(f"{what}: what ran or was made", [got[0], got[1], got[2], got[3]], [None, 0, scripts, 0])


def names_schema():
    """As many bad texts as names as fit."""
    short = [t.replace("\0", "") for t in BAD_TEXTS if len(t) < 1000]
    fields = [(name, "str") for name in short]
    return b.Schema(clocks=[(short[0], 1000)], scopes=[("/", b.NONE, None, 0), (short[1], 0, short[2], 0xff)],
                    enums=[(short[0], list(enumerate(short)))],
                    storages=[(short[2], 3, b.SPARSE, [*fields, ("e", "enum", 0)], fields[:3]), (short[0], 1, 0, [("e", "enum", 0)], [])],
                    events=[(short[3], [(short[4], "str")])])


def names(c):
    """Of storages, fields, rows and values, of the file and of what was traced; in a dropped file and in a page."""
    schema = names_schema()
    f = b.File(schema, b.INTERLEAVED | b.COMPLETE | b.STRINGS, dut=[("dut_name", BAD_TEXTS[1]), (BAD_TEXTS[0], BAD_TEXTS[2])])
    s = b.Script(f)
    texts = [t.encode("utf-8", "surrogatepass") for t in BAD_TEXTS] + BAD_BYTES
    count = len(schema.storages[0][3]) - 1
    for t in range(len(texts)):
        s.frame(t * 1000, [("op", b.SET, 0, t % 3, t % count, t), ("op", b.SET, 0, (t + 1) % 3, count, t % 16), ("op", b.SET, 1, 0, 0, t % 20),
                           ("op", b.PROP, 0, 0, t % 3, t)])
    s.cut(0, len(texts) * 1000)
    f.sections.append((2, b.string_table(texts)))
    place = c.tools.place("names")
    files = []
    for name in ("names.uscp", "<img src=x onerror='window.ran=6'>.uscp", "\"&quot;&#34;' .uscp", "</scr", "<!--<script>.uscp", "a\nb\u202e.uscp"):
        if "/" not in name:
            files.append(f"{place}/{name}")
            with open(files[-1], "wb") as out:
                out.write(f.bytes())
    c.viewer()
    scripts = c.browser.run("return document.scripts.length;")
    for file in files[:3]:
        c.give(file)
        use(c)
        made(c, file, scripts)
    views = c.browser.run("return ovniscope.info.views.map(v => v.name);")
    for t, text in enumerate(BAD_TEXTS[:8]):
        got = c.browser.run("const s = await ovniscope.query(...args); return s.text;", views[0], t % 3, schema.storages[0][3][t % count][0], t)
        c.expect(f"{text[:30]} is shown as it is", got, text)
    for file in files:
        c.tools.uscope("view", "-o", f"{place}/page.html", file)
        c.open(f"{place}/page.html")
        scripts = c.browser.run("return document.scripts.length;")
        use(c)
        made(c, f"page of {file}", scripts)


def labels(c):
    """Of a timeline: marks, task types, threads' programs."""
    mark = [x for x in BAD_TEXTS if len(x) < 1000 and '"' not in x and x.isprintable()]
    text = "loom n.0 cpus 0:0\nproc 1 app 1\nthread 1 require nosv=2.7.0\n"
    text += f'mark 0 single "{mark[0]}" ' + " ".join(f'{i + 1}="{x}"' for i, x in enumerate(mark)) + "\n"
    text += "1 1000 OHx 0 -1 0\n1 1001 VYc 7 \"</script><script>window.ran=7</script>\"\n1 1002 VTc 1 7\n1 1003 VTx 1 0\n"
    text += "".join(f"1 {1010 + i} OM= {i + 1} 0\n" for i in range(len(mark)))
    text += "1 1100 VTe 1 0\n1 1200 OHe\n"
    out = c.tools.text("labels", text)
    c.open(f"{out}/ovni.html#view=thread&ch=mark0,nosv.task_type")
    scripts = c.browser.run("return document.scripts.length;")
    use(c)
    made(c, "labels", scripts)
    got = c.browser.run("return (await ovniscope.query('thread', 0, 'mark0', args[0])).text;", 10)
    c.expect("a label", got, mark[0])
    got = c.browser.run("return (await ovniscope.query('thread', 0, 'nosv.task_type', 5)).text;")
    c.expect("a task type", got, "</script><script>window.ran=7</script>")


def give(c, data, name="bad.uscp"):
    """What the page says of these bytes: refused with these words, or "" and the notes."""
    path = c.tools.place("bad") + "/" + name
    with open(path, "wb") as f:
        f.write(data)
    failed = c.give(path, opens=False)
    if not failed:
        c.settle()
    return failed, path


def told(c, path, what):
    """The page says something if `uscope check` finds what cannot be read; it may show more than what the tool opens, and
    does not look at checksums."""
    p = c.tools.run("check", "--json", path)
    if not p.stdout or any("checksum" not in e["reason"] for e in json.loads(p.stdout)["errors"]):
        c.expect(f"{what}: it is told", len(c.notes()) > 0)


def none(c):
    """What is no file of ours is refused, in words, and the page is usable behind it."""
    c.viewer()
    good = b.demo()[0].bytes()
    for name, data in (("empty", b""), ("short", b"uSCP"), ("text", b"hello\n" * 100), ("zeros", bytes(100000)), ("random", random.Random(1).randbytes(5000)),
                       ("png", b"\x89PNG\r\n\x1a\n" + bytes(100)), ("header", good[:48]), ("version", good[:6] + b"\x09\0" + good[8:]),
                       ("major", good[:4] + b"\1" + good[5:]), ("flags", good[:8] + b"\xff" * 8 + good[16:]), ("no schema", good[:60])):
        failed, _ = give(c, data)
        c.expect(f"{name} is refused in words", len(failed) > 20)
    failed, _ = give(c, good)
    c.expect("a good one opens then", failed, "")
    c.viewer()
    c.browser.run(DROP, ["bad", b.demo()[0].bytes()[:60].hex()], ["good", good.hex()])
    c.wait("the later one of two is shown", "return ovniscope.info?.name === 'good';")
    c.expect("of the other nothing is said", [c.browser.run("return document.getElementById('failed').textContent;"), c.notes()], ["", []])


def claims(c):
    """Numbers that are not so."""
    c.viewer()
    big = 0xffffffff

    def lie(**segment):
        f, _ = b.demo()
        f.segments[0].update(segment)
        return f.bytes()

    def head(**header):
        f, _ = b.demo()
        f.header.update(header)
        return f.bytes()

    def schema(storages):
        f = b.File(b.Schema(storages=storages), b.INTERLEAVED | b.COMPLETE)
        f.segment(0, 10, b"", b.frame(5, [("op", b.SET, 0, 0, 0, 1)], b.INTERLEAVED), 1)
        return f.bytes()

    def bomb(flags):
        f, _ = b.demo(b.INTERLEAVED | b.COMPLETE | b.COMPRESSED | flags)
        f.segments[0]["raw_size"] = 0xf0000000
        return f.bytes()
    many = b.File(b.demo_schema(), b.INTERLEAVED)
    raw = b"".join(b.frame(0, [], b.INTERLEAVED) for _ in range(100000))
    many.segment(0, 10, b.State(many.schema).checkpoint(), raw, big)
    for name, data in (
            ("raw size", lie(raw_size=big)), ("packed size", lie(packed_size=big)), ("checkpoint size", lie(checkpoint_size=big)),
            ("frames", lie(frames=big)), ("active", lie(active=big)), ("end of a segment", lie(end=(1 << 64) - 1)), ("begin", lie(start=1 << 63)),
            ("before", lie(prev=1 << 60)), ("magic", lie(magic=b"uSEX")), ("segments", head(segments=big)), ("preamble", head(preamble_end=big)),
            ("table", head(table=(1 << 64) - 8)), ("tail", head(tail=1 << 63)), ("total", head(total=(1 << 64) - 1)), ("itself", head(tail=48)),
            ("slots", schema([("s", 65535, 0, [(f"f{i}", "u64") for i in range(200)], [])])),
            ("storages", schema([(f"s{i}", 65535, 0, [("f", "u64")], []) for i in range(20)])),
            ("LZ4 bomb", bomb(0)), ("ZSTD bomb", bomb(b.ZSTD)), ("empty frames", many.bytes())):
        failed, path = give(c, data)
        c.expect(f"{name} ends", isinstance(failed, str))
        c.quiet(name)
        if not failed:
            told(c, path, name)
    c.expect("memory stays below 1 GiB", c.browser.memory()[1] < 1024, True)
    failed, _ = give(c, b.demo()[0].bytes())
    c.expect("a good one opens then", failed, "")


def damage(c):
    """Changed bytes and cut files: no hang and no error of a script; where `uscope check` finds segments that cannot be
    read the page says something."""
    out = c.tools.golden("nosv/parallel-bodies")
    with open(f"{out}/ovni.uscp", "rb") as f:
        timeline = f.read()
    seeds = [timeline, b.demo(b.INTERLEAVED | b.COMPLETE | b.STRINGS)[0].bytes(), b.demo(b.COMPRESSED | b.ZSTD | b.COMPLETE)[0].bytes(),
             b.demo(b.INTERLEAVED | b.COMPRESSED)[0].bytes()]
    r = random.Random(7)
    c.viewer()
    shown = 0
    for n in range(36):
        data = bytearray(r.choice(seeds))
        if n % 4 == 0:
            del data[r.randrange(len(data)):]
        elif n % 4 == 1:
            at = r.randrange(len(data))
            del data[at:at + r.randrange(1, 64)]
        else:
            for _ in range(r.choice((1, 1, 8))):
                data[r.randrange(len(data))] = r.choice((0, 255, r.randrange(256)))
        failed, path = give(c, bytes(data))
        c.quiet(f"damaged file {n}")
        if failed:
            continue
        shown += 1
        if n % 10 == 0:
            use(c)
        told(c, path, f"damaged file {n}")
    c.expect("half of them can be shown", shown >= 12)


def wrong(c):
    """Files of others that are wrong: what `uscope` opens the page opens, and it may open more, if it says so."""
    c.viewer()
    for path in c.tools.vectors:
        if not os.path.basename(path).startswith("x"):
            continue
        if not c.give(path, opens=False):
            c.settle()
            told(c, path, path)
        elif c.tools.run("info", "-q", path).returncode == 0:
            c.expect(f"{path} has nothing to show", c.tools.lines("-q", "info", path)[0]["schema"]["storages"], [])
        c.quiet(path)


def nothing(c):
    """Traces without events, and of no length."""
    for name in ("ovni/no-lines", "errors/stream-truncated"):
        try:
            out = c.tools.golden(name)
        except AssertionError:  # the emulator ends with an error, and leaves what it has
            out = c.tools.place(name.replace("/", "-"))
        if os.path.exists(f"{out}/ovni.html"):
            c.open(f"{out}/ovni.html", whole=False)
            use(c)
    c.viewer()
    for f in (b.File(b.demo_schema(), b.INTERLEAVED | b.COMPLETE), b.File(b.demo_schema(), b.INTERLEAVED)):
        give(c, f.bytes())
    f = b.File(b.demo_schema(), b.INTERLEAVED | b.COMPLETE)
    s = b.Script(f)
    s.frame(500, [("op", b.SET, 2, 0, 0, 5)])
    s.cut(500, 501)
    failed, _ = give(c, f.bytes())
    c.expect("one instant opens", failed, "")
    use(c)
    late = b.File(b.demo_schema(), b.INTERLEAVED | b.COMPLETE)
    s = b.Script(late)
    s.frame((1 << 63) + 5, [("op", b.SET, 2, 0, 0, 5)])
    s.cut(1 << 63, (1 << 63) + 10)
    give(c, late.bytes())


def tables(c):
    """Timelines whose tables are not as they should be: shown all the same, or as any file."""
    c.viewer()
    place = c.tools.place("tables")
    for variant in ("good", "no-property", "no-threads", "stopped"):
        path = f"{place}/{variant}.uscp"
        c.tools.do(c.tools.maketimeline, path, variant)
        c.give(path)
        use(c)
        c.quiet(variant)


sys.exit(kit.main(__doc__, [names, labels, none, claims, damage, wrong, nothing, tables]))
