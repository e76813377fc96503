# SPDX-License-Identifier: MIT
"""What the tests of the page share: the traces that they look at, their pages, and a run in the browser."""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

import chromium

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[1:1] = [os.path.join(HERE, "..", "gen"), os.path.join(HERE, "..", "uscope", "read"), os.path.join(HERE, "..", "uscope", "tool")]

import asm  # noqa: E402
import casefile  # noqa: E402
import memory  # noqa: E402
import servekit  # noqa: E402

Interval = collections.namedtuple("Interval", "begin end value label")  # ps


class Tools:
    """The programs of a build, and a folder for what they write."""

    def __init__(self, build, tmp, vectors=""):
        self.vectors = sorted(glob.glob(f"{os.path.abspath(vectors)}/*.uscp")) if vectors else []
        self.tool, self.examples, self.tmp = f"{build}/src/emu/tool", f"{build}/doc/examples", tmp
        self.viewer = f"{build}/src/view/ovniscope-view.html"
        self.maketimeline = f"{build}/test/uscope/timeline/uscope_maketimeline"

    @staticmethod
    def do(*words, status=0, **more):
        p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False, **more)
        if p.returncode != status:
            raise AssertionError(f"{' '.join(words)}: status {p.returncode}\n{p.stderr.decode(errors='replace')}")
        return p.stdout

    def emu(self, *words):
        return self.do(f"{self.tool}/ovniemu", "-q", *words)

    def uscope(self, *words, status=0):
        return self.do(f"{self.tool}/uscope/uscope", *words, status=status)

    def run(self, *words):
        """A command of uscope, however it ends."""
        return subprocess.run([f"{self.tool}/uscope/uscope", *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)

    def lines(self, *words):
        """What a command of uscope prints with --json."""
        return [json.loads(x) for x in self.uscope(*words, "--json").splitlines()]

    def place(self, name):
        path = f"{self.tmp}/{name}"
        os.makedirs(path, exist_ok=True)
        return path

    # ---- Traces: each leaves ovni.uscp and ovni.html in its folder, which is returned. ----

    def emulate(self, name, *words):
        out = self.place(name)
        self.emu("-f", "uscope,html", "-o", out, *words)
        return out

    def text(self, name, text, *words):
        trace = f"{self.place(name)}/{name}"
        asm.assemble(text, trace)
        return self.emulate(name, *words, trace)

    def golden(self, name):
        one = casefile.Case(f"{ROOT}/test/golden/{name}.case")
        words = one.get("args", "").split()
        if any("{" in word for word in words):
            raise AssertionError(f"{name} needs more than its trace")
        return self.text(name.replace("/", "-"), one.get("in.txt"), *words)

    def demo(self, name):
        trace = f"{self.place(name)}/{name}"
        self.do(f"{self.examples}/{name}", env={**os.environ, "OVNI_TRACEDIR": trace})
        return self.emulate(name, trace)

    def laplace(self, *words, change=lambda folder: None):
        trace = self.place("laplace") + "/machine"
        self.do(sys.executable, f"{ROOT}/doc/examples/laplace_machine.py", trace)
        change(trace)
        return self.emulate("laplace", "--laplace-window=10000", *words, trace)

    def prism(self, *words, change=lambda text: text):
        trace = self.place("prism")
        with open(f"{trace}/program.txt", "w", encoding="ascii") as f:
            f.write(change(self.do(sys.executable, f"{ROOT}/doc/examples/prism_program.py").decode()))
        self.do(f"{self.tool}/prism/ovniscope-prism", "encode", f"{trace}/program.txt", f"{trace}/program.prism")
        return self.emulate("prism", "--prism-interval=time:1000", *words, "--prism", f"{trace}/program.prism")

    def page(self, file, *words):
        """The page of a µScope file."""
        page = file + ".html"
        self.uscope("view", *words, "-o", page, file)
        return page

    def serve(self, file):
        """A server of a file, for `with`."""
        return servekit.Server(f"{self.tool}/uscope/uscope", file, "--no-browser")

    def moment(self, file, t):
        """All states at a time in ns: {(class, row from 0, channel): (value, label)}"""
        return {(line["class"], line["row"] - 1, s["channel"]): (s["value"], s["label"])
                for line in self.lines("timeline", "--all", f"--at={t}ns", file) if line["kind"] == "row" for s in line["states"]}

    def intervals(self, file):
        """All intervals of a timeline: {(class, row from 0, channel): [Interval]}, by time."""
        out = collections.defaultdict(list)
        for line in self.lines("timeline", "--all", "-r", "*", file):
            if line["kind"] == "interval":
                out[line["class"], line["row"] - 1, line["channel"]].append(
                    Interval(line["begin_ps"], line["end_ps"], line["value"], line["label"]))
        return {key: sorted(some) for key, some in out.items()}


class Checks:
    """What was found; and the browser, in which every page is whole and complains of nothing."""

    def __init__(self, browser, tools):
        self.browser, self.tools = browser, tools
        self.found = []
        self.count = 0

    def expect(self, what, got, want=True):
        self.count += 1
        if got != want:
            self.found.append(f"{what}: {short(got)} instead of {short(want)}")

    def wait(self, what, script, *args, seconds=10):
        """Until a script returns something true, which is returned."""
        end = time.monotonic() + seconds
        while True:
            got = self.browser.run(script, *args)
            if got:
                return got
            if time.monotonic() > end:
                raise chromium.Failed(f"{what}: not within {seconds} s")
            time.sleep(0.02)

    def open(self, page, whole=True):
        """Opens a page with a file and waits until it is shown."""
        self.browser.open(page)
        self.wait(f"{page} opens", "return window.ovniscope && ovniscope.info && ovniscope.ready.then(() => true);")
        if whole:
            self.expect(f"notes in {page}", self.notes(), [])

    def viewer(self):
        """Opens the page without a file."""
        self.browser.open(self.tools.viewer)
        self.wait("the empty page", "return window.ovniscope && document.body.classList.contains('empty');")

    def give(self, file, opens=True):
        """Gives the page that is open a file, as the dialog does; returns what it says if it does not show it."""
        self.browser.run("window.before = ovniscope.info; document.getElementById('failed').textContent = '';"
                         "document.querySelectorAll('#notes button').forEach(e => e.click());")
        self.browser.type("#file", file)
        failed = self.wait(f"{file} is shown or refused", """return document.getElementById('failed').textContent ||
            ovniscope.info && ovniscope.info !== window.before && 'shown' ||
            [...document.querySelectorAll('#notes p')].map(e => e.firstChild.textContent).find(t => t.includes('cannot be shown'));""")
        if opens:
            self.expect(f"{file} opens", failed, "shown")
        return "" if failed == "shown" else failed

    def notes(self):
        """What the page tells is wrong."""
        return self.browser.run("return [...document.querySelectorAll('#notes p')].map(e => e.firstChild.textContent);")

    def settle(self):
        self.browser.run("await ovniscope.settled();")

    def quiet(self, what, but=()):
        """Nothing was complained about since the last time."""
        for text in self.browser.complaints():
            if not any(x in text for x in but):
                self.found.append(f"{what}: {short(text)}")


def short(v):
    text = v if isinstance(v, str) else repr(v)
    return text if len(text) <= 400 else text[:400] + "…"


def main(doc, tests):
    """tests: functions of Checks, which are called in one browser."""
    ap = argparse.ArgumentParser(usage=doc)
    ap.add_argument("build")
    ap.add_argument("--vectors", default="")
    ap.add_argument("--only", default="")
    ap.add_argument("-v", action="store_true")
    a = ap.parse_args()
    chromium.skip_without()
    memory.use()
    failed = 0
    with tempfile.TemporaryDirectory() as tmp, chromium.Chromium() as browser:
        for test in tests:
            if a.only not in test.__name__:
                continue
            begin = time.monotonic()
            c = Checks(browser, Tools(os.path.abspath(a.build), tmp, a.vectors))
            try:
                test(c)
                c.quiet(test.__name__)
            except (chromium.Failed, AssertionError, asm.AsmError, OSError) as e:
                c.found += [f"{test.__name__}: {type(e).__name__}: {short(str(e))}", *map(short, browser.complaints())]
            failed += bool(c.found)
            if c.found or a.v:
                print(f"{'FAIL' if c.found else 'ok  '} {test.__name__} ({c.count} checks, {time.monotonic() - begin:.1f} s)")
            for text in c.found[:20]:
                print(f"     {text}")
    print("failed" if failed else "ok")
    return 1 if failed else 0
