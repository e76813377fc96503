#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of a run that goes on: a program writes Prism events into a pipe, ovniemu emulates them, `uscope view` serves ovni.uscp
as it grows, and a page that stays open shows the same as `uscope timeline` at the same time.

usage: live.py BUILD [--only NAME] [-v]
"""
import json
import os
import struct
import subprocess
import sys
import time

import kit

sys.path[1:1] = [os.path.join(kit.HERE, "..", "prism")]

from hooks_kit import END, enter, leave, mem, swap  # noqa: E402

ASK = """const [view, points] = args;
const got = [];
for (const [row, channel, t] of points) { const s = await ovniscope.query(view, row, channel, t); got.push(s ? s.value : 0); }
return got;"""
CHANNELS = ["state", "prism.func"]


class Program:
    """A program that is traced: it tells ovniemu what it does, and waits."""

    def __init__(self, tools, out):
        self.file = f"{out}/ovni.uscp"
        self.emu = subprocess.Popen([f"{tools.tool}/ovniemu", "-q", "-f", "uscope", "-o", out, "--prism", "-"], stdin=subprocess.PIPE)

    def does(self, events):
        self.emu.stdin.write(events)
        self.emu.stdin.flush()

    def ends(self):
        self.emu.stdin.close()
        return self.emu.wait(60)


def compare(c, what, file, end_ns):
    """The page shows at each time what `uscope timeline` reads from the file now."""
    rows = c.browser.run("return ovniscope.info.rows.filter(r => r.view === 'thread').length;")
    points = [[row, channel, t] for t in range(end_ns) for row in range(rows) for channel in CHANNELS]
    moments = [c.tools.moment(file, t) for t in range(end_ns)]
    c.expect(f"{what}: rows", rows > 0)
    c.expect(what, c.browser.run(ASK, "thread", points), [moments[t].get(("thread", row, channel), (0, None))[0] for row, channel, t in points])


def follow(c):
    """Segment by segment, while the program waits in between; then its end."""
    program = Program(c.tools, c.tools.place("live"))
    file = program.file

    def end_ps():
        found = c.tools.run("info", "--json", file)
        return json.loads(found.stdout)["time_end_ps"] if found.returncode == 0 else 0

    def more(events):
        before = end_ps()
        program.does(events)
        if not kit.servekit.wait_until(lambda: end_ps() > before):
            raise AssertionError(f"nothing new in {file}")

    def shows(what):
        c.wait("what is new is shown", "return ovniscope.info.end >= args[0];", end_ps() - 1)
        compare(c, what, file, end_ps() // 1000)
    try:
        more(swap(3) + mem() * 4 + enter("outer") + mem() * 3)
        with c.tools.serve(file) as server:
            c.open(server.address, whole=False)
            shows("first")
            for events in (enter("inner") + mem() * 5, leave("inner") + mem() * 2 + swap(4) + enter("other") + mem(),
                           leave("other") + swap(3) + mem() + leave("outer") + mem() * 9):
                more(events)
                shows(f"behind {end_ps()} ps")
                c.expect("it goes on", c.browser.run("return ovniscope.info.complete;"), False)
            program.does(END)
            c.expect("status of ovniemu", program.ends(), 0)
            c.wait("it is complete", "return ovniscope.info.complete;")
            shows("all")
            c.expect("names", c.browser.run("return (await ovniscope.query('thread', 0, 'prism.func', 10)).text;"), "inner")
            c.browser.open("about:blank")
    finally:
        program.emu.kill()
        program.emu.wait()


def wait(c):
    """A file is served before there is anything in it, and the page waits for it."""
    out = c.tools.prism()
    with open(f"{out}/ovni.uscp", "rb") as f:
        whole = f.read()
    flags, preamble = struct.unpack_from("<Q", whole, 8)[0] & ~5, struct.unpack_from("<I", whole, 28)[0]
    early = whole[:8] + struct.pack("<QQIIQQ", flags, 0, 0, preamble, 0, 0) + whole[48:]
    file = c.tools.place("begin") + "/run.uscp"
    with open(file, "wb") as f, c.tools.serve(file) as server:
        c.browser.open(server.address)
        for begin, end in ((0, 0), (0, 20), (20, 200), (200, preamble)):
            f.write(early[begin:end])
            f.flush()
            time.sleep(1.2)
            c.expect(f"it waits with {end} bytes", c.browser.run("return !ovniscope.info && document.getElementById('work').textContent;"),
                     "waiting for the program that writes this file")
        f.seek(0)
        f.write(whole)
        f.flush()
        c.wait("it is shown", "return window.ovniscope && ovniscope.info && ovniscope.info.complete;")
        c.expect("notes", c.notes(), [])
        c.expect("what it is", c.browser.run("return ovniscope.info.kind;"), "ovni")
        c.browser.open("about:blank")


sys.exit(kit.main(__doc__, [follow, wait]))
