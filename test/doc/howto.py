#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what doc/howto-model.md says, with the blocks of that page and what is installed, and nothing else.

usage: howto.py SOURCE_ROOT BUILD_ROOT

Each block of code follows a comment that says what it is:

  <!-- file: NAME -->             the content of that file
  <!-- run -->                    commands of the shell; what they export lasts
  <!-- run: with the prefix -->   ... in which /usr/local is where ovniscope is installed
  <!-- run: status N -->          ... the last of which ends so
  <!-- run: in the tree -->       ... in a copy of the source tree, in which the model of the page is then tried
  <!-- shows -->                  lines that the commands before have printed, one behind the other
  <!-- shows: other times -->     ... with other numbers
"""
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, BUILD = (os.path.abspath(p) for p in sys.argv[1:3])
sys.path[:0] = [f"{ROOT}/test/uscope"]
from installkit import Installed  # noqa: E402

PAGE = "doc/howto-model.md"
counts = {"file": 0, "run": 0, "shows": 0}


def blocks(text):
    """(line, kind, how, text) of each block of code"""
    known = r"<!-- (file|run|shows)(?:: ([^\n]*))? -->\n"
    for m in re.finditer(rf"(?:{known})?^```\w*\n(.*?)^```$", text, re.S | re.M):
        line = text.count("\n", 0, m.start()) + 1
        if not m[1]:
            sys.exit(f"{PAGE}:{line}: a block of code that is not tried")
        yield line, m[1], m[2] or "", m[3]
    plain = re.search(r"\n\n(?:    |\t)[^\n]*", re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M))
    if plain:
        sys.exit(f"{PAGE}: a block of code that is not tried:{plain[0]}")


class Reader:
    """Who reads the page, in a folder of his own and with an environment that knows nothing of the tree."""

    def __init__(self, tmp, prefix):
        self.here, self.tree, self.kept, self.prefix = f"{tmp}/work", f"{tmp}/tree", f"{tmp}/exported", prefix
        self.said = ""
        os.mkdir(self.here)
        self.env = {k: os.environ[k] for k in ("HOME", "PATH") if k in os.environ}

    def file(self, name, text):
        with open(f"{self.here}/{name}", "w", encoding="utf-8") as f:
            f.write(text)
        return ""

    def run(self, how, text):
        if how == "in the tree":
            self.copy_tree()
        where = self.tree if how == "in the tree" else self.here
        want = int(how.split()[1]) if how.startswith("status") else 0
        if how == "with the prefix":
            text = text.replace("/usr/local", self.prefix)
        script = f"set -e\nif [ -e {self.kept} ]; then . {self.kept}; fi\n{text}\nexport -p | grep -v 'PWD=' >{self.kept}\n"
        p = subprocess.run(["bash", "-c", script], cwd=where, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.said = p.stdout
        if p.returncode != want:
            return f"status {p.returncode}:\n{self.said[-4000:]}"
        return self.try_tree() if how == "in the tree" else ""

    def shows(self, how, text):
        def plain(lines):
            if how:
                lines = re.sub(r"\d+(\.\d+)?(ns|us|ms|s|%)?", "N", lines)
                lines = re.sub(" +", " ", lines)
            return "\n" + re.sub("^ +| +$", "", lines, flags=re.M)
        return "" if plain(text) in plain(self.said) else f"this came out:\n{self.said}"

    def copy_tree(self):
        """What a build needs, and the model. Build directories of other people may lie around."""
        os.mkdir(self.tree)
        for name in ("meson.build", "meson_options.txt"):
            shutil.copy(f"{ROOT}/{name}", self.tree)
        for name in ("src", "doc", "test", "cfg"):
            shutil.copytree(f"{ROOT}/{name}", f"{self.tree}/{name}", symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "build*", "*.obs"))
        shutil.copy(f"{self.here}/demo.c", self.tree)

    def try_tree(self):
        p = subprocess.run([f"{self.tree}/build/src/emu/tool/ovniemu", "-o", "of-tree", "demo-trace"], cwd=self.here, env=self.env, capture_output=True, text=True, check=False)
        same = p.returncode == 0 and filecmp.cmp(f"{self.here}/of-tree/thread.prv", f"{self.here}/demo-trace/thread.prv", shallow=False)
        return "" if same else f"the model in the tree gives another timeline: {p.stderr}"


def main():
    with tempfile.TemporaryDirectory() as tmp:
        prefix = Installed(tmp, BUILD, "ovniscope").ask("--variable=prefix", "ovniscope")[0]
        with open(f"{prefix}/share/{PAGE.replace('/', '/ovniscope/')}", encoding="utf-8") as f:
            text = f.read()
        reader = Reader(tmp, prefix)
        for line, kind, how, block in list(blocks(text)):  # all of them are known before the first one runs
            bad = getattr(reader, kind)(how, block)
            if bad:
                sys.exit(f"{PAGE}:{line}: {bad}")
            counts[kind] += 1
    print("the page is true: " + ", ".join(f"{n} {kind}" for kind, n in counts.items()))


main()
