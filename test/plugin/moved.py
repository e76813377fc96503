# SPDX-License-Identifier: MIT
"""What the tests of models in files share. The first arguments of each: TOOLS, the folder of the tools, and SRC, that
of the sources."""
import difflib
import glob
import os
import re
import shutil
import subprocess
import sys

TOOLS, SRC = (os.path.abspath(p) for p in sys.argv[1:3])
sys.path[:0] = [f"{SRC}/test/gen"]
import asm  # noqa: E402
import casefile  # noqa: E402

# What the model demo of this folder has events for.
TRACE = """loom node.0 cpus 0:0
proc 100 app 1
thread 101 require demo=1.0.0

101   0  OHx 0 -1 0
101  10  xRi
101  20  xRI
101  30  xSs
101  35  xLs u32=2
101  40  xP@
101  70  xSS
101  80  OHe
"""
counts = [0, 0]


def check(what, good, *facts):
    counts[not good] += 1
    if not good:
        print(f"FAILED: {what}", *facts, sep="\n")


def same(what, got, want):
    lines = [f"got  {got!r}", f"want {want!r}"]
    if isinstance(got, str) and isinstance(want, str):
        lines = list(difflib.unified_diff(want.splitlines(), got.splitlines(), "want", "got", lineterm="", n=1))[:20]
    check(what, got == want, *lines)


class Run:
    def __init__(self, tool, *words, folders=None, cwd="."):
        env = {k: v for k, v in os.environ.items() if k != "OVNISCOPE_MODELS"}
        if folders is not None:
            env["OVNISCOPE_MODELS"] = folders
        p = subprocess.run([f"{TOOLS}/{tool}", *words], cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
        self.status, self.out, self.err = p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")

    def __str__(self):
        return f"status {self.status}\n{self.out[-2000:]}{self.err}"


def outputs(folder):
    """name -> text, without the µScope file, which holds the version"""
    out = {}
    for path in glob.glob(f"{folder}/**", recursive=True):
        if os.path.isfile(path) and not path.endswith(".uscp"):
            with open(path, encoding="utf-8") as f:
                out[os.path.relpath(path, folder)] = f.read()
    return out


def compare(name, letter, other, new, types, file):
    """A built-in model, and what `file` has of it under another name, letter and types: the same bytes but for those."""
    def back(text):
        for old, to in types.items():
            text = re.sub(rf"\b{to}\b *", lambda m, o=old: o.ljust(len(m.group())) if m.group().endswith(" ") else o, text)
        return re.sub(rf"\bevent {new}(\S\S)", rf"event {letter}\1", text.replace(other, name))

    for path in sorted(glob.glob(f"{SRC}/test/golden/{name}/*.case")):
        case = os.path.basename(path)
        text = casefile.parse(casefile.decode(casefile.read_bytes(path)))["in.txt"]
        for folder in ("built-in", "moved"):
            shutil.rmtree(folder, ignore_errors=True)
        asm.assemble(text, "built-in")
        asm.assemble(re.sub(rf"(?m)^(\d+ +\d+ +){letter}(\S\S)", rf"\1{new}\2", text).replace(f"{name}=", f"{other}="), "moved")
        for view in ((), ("--compat",), ("-l",)):
            shutil.rmtree("one", ignore_errors=True)
            shutil.rmtree("two", ignore_errors=True)
            a = Run("ovniemu", "-q", *view, "-o", "one", "built-in")
            b = Run("ovniemu", "-q", *view, "-o", "two", "-m", other, "--model", file, "moved")
            same(f"{name}/{case} {view}: status and messages", (b.status, back(b.err)), (a.status, a.err))
            want, got = outputs("one"), {back(k): back(v) for k, v in outputs("two").items()}
            same(f"{name}/{case} {view}: files", sorted(got), sorted(want))
            for made in want:
                same(f"{name}/{case} {view}: {made}", got.get(made), want[made])


def done():
    """Exit status."""
    print(f"{counts[0]} passed, {counts[1]} failed")
    return counts[1] > 0
