# SPDX-License-Identifier: MIT
"""What the scripts of this folder share: the output of ovnievents and of ovniemu as tables."""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "gen"))
import asm  # noqa: E402

HEADER = """
loom node.0 cpus 0:0
proc 1 app 1 rank 0/1
thread 1 require nosv=2.7.0
set nosv.can_breakdown true
"""

# What the default view adds to the labels of CPU rows and of breakdowns.
ERRORS = {777: "Error: too many threads", 666: "Error: the thread does not show it"}


def without_errors(stem, values):
    return [v for v in values if stem == "thread" or v[1] != ERRORS.get(v[0])]


def markdown(tool):
    return subprocess.run([tool], capture_output=True, text=True, check=True).stdout


def events(tool):
    """{model: {id, version, events}}"""
    out = subprocess.run([tool, "--json"], capture_output=True, text=True, check=True).stdout
    return json.loads(out)


def emulate(emu, text, tmp, *options):
    """Runs ovniemu on a text trace; the outputs are in the directory out of tmp."""
    asm.assemble(text, os.path.join(tmp, "trace"))
    return subprocess.run([emu, "-q", "-a", "-m", "laplace,prism,useful,blocked,parallelism", *options, "-o", os.path.join(tmp, "out"), os.path.join(tmp, "trace")],
                          capture_output=True, text=True, check=False)


def cells(line):
    """The cells of a row of a Markdown table."""
    row = re.split(r"(?<!\\)\|", line.strip())[1:-1]
    return [re.sub(r"\\(\W)", r"\1", c.strip()) for c in row]


def views(text):
    """The views of the Markdown: list of {model, title, type, rows, kind, dup, values}.

    rows: {"thread" or "CPU": when it shows}; of a breakdown {"breakdown": stem of its files}.
    """
    found = []
    model = None
    for line in text.splitlines():
        m = re.match(r"## (\S+) \(`.`\)$", line)
        model = m.group(1) if m else model
        if line.startswith("### "):
            found.append({"model": model, "title": re.sub(r"\\(\W)", r"\1", line[4:]), "rows": {}, "values": []})
        elif line.startswith("* type "):
            v = found[-1]
            v["type"] = int(re.match(r"\* type (\d+)", line).group(1))
            v["kind"] = "stack" if "a stack" in line else "single"
            v["dup"] = "may be entered again" in line
            m = re.search(r", (thread|CPU) rows", line)
            if m:
                v["rows"][m.group(1)] = "base"
            m = re.search(r"breakdown in `(.*?)\.prv`", line)
            if m:
                v["rows"]["breakdown"] = m.group(1)
        elif re.match(r"\* (thread|CPU) rows: ", line):
            rows, when = re.match(r"\* (thread|CPU) rows: (.*?)(?:, `|$)", line).groups()
            found[-1]["rows"][rows] = when
        elif re.match(r"\* (the )?rows? of ", line):
            found[-1]["rows"]["proc"] = "always"
        elif re.match(r"\| -?\d+ \| ", line):
            value, label = cells(line)
            found[-1]["values"].append((int(value), label))
    return found


def pcf(path):
    """{type: (label, [(value, label)])} of a PCF file; labels keep their blanks."""
    found = {}
    current = None
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for before, line in zip([""] + lines, lines):
        if before == "EVENT_TYPE":
            _, kind, label = re.match(r"(\d+) +(\d+) +(.*)$", line).groups()
            current = found[int(kind)] = (label, [])
        elif current and re.match(r"-?\d+ +\S", line):
            value, label = re.match(r"(-?\d+) +(.*)$", line).groups()
            current[1].append((int(value), label))
    return found
