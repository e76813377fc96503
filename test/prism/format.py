#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What doc/format/prism.md says is so.

usage: format.py PROGRAM ROOT

* the bytes in it are what ovniscope-prism makes of the text beside them, and the other way round
* its codes are those of prism.h, in the same order and words
* the names in "As text" are known, and none is missing
"""
import os
import re
import subprocess
import sys
import tempfile

TOOL, ROOT = os.path.abspath(sys.argv[1]), sys.argv[2]
found = []


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def run(*args, stdin=b""):
    p = subprocess.run([TOOL, *args], input=stdin, capture_output=True, check=False, timeout=60)
    if p.returncode:
        found.append(f"{' '.join(args)}: status {p.returncode}: {p.stderr.decode()[:300]}")
    return p.stdout


def check_block(settings, text):
    """A stream: in a line the bytes of an event, blanks, its text. With `names` the first lines are those of a heap."""
    heap = "names" in settings
    settings = [s for s in settings if s != "names"]
    head = "stream compute_layout=" + " ".join(settings) + "\n"
    rows = [re.fullmatch(r"((?:[0-9a-f]{2} )*[0-9a-f]{2})  +(\S.*)", line) for line in text.splitlines()]
    if not all(rows):
        found.append(f"no row of bytes and text: {text.splitlines()[rows.index(None)]}")
        return 0
    names = [r for r in rows if r.group(2).startswith("name ")]
    rows = rows[len(names):]
    data = b"".join(bytes.fromhex(r.group(1)) for r in rows)
    want = [r.group(2) for r in rows]
    sets = [f"--set={s}" for s in [f"compute_layout={settings[0]}", *settings[1:]]]
    if heap:
        with tempfile.NamedTemporaryFile() as f:
            f.write(b"".join(bytes.fromhex(r.group(1)) for r in names))
            f.flush()
            have = run("dump", "-q", *sets, f"--names={f.name}", stdin=data).decode().splitlines()
        found.extend([] if have[1:] == want else [f"{data.hex(' ')}: {have} is not {want}"])
        return len(rows)
    have = run("dump", "-q", *sets, stdin=data).decode().splitlines()
    if have[1:] != want:
        found.append(f"{data.hex(' ')}: {have} is not {want}")
    made = run("encode", "-q", stdin=(head + "\n".join(want) + "\n").encode())
    # What is behind an end is nothing.
    plain = re.sub(rb"\xc0\xff+", lambda m: b"\xc0" + bytes(len(m.group()) - 1), data)
    if made != plain:
        found.append(f"{want} is {made.hex(' ')}, not {plain.hex(' ')}")
    return len(rows)


def check_codes(page):
    unquote = re.compile(r'\\(.)')
    rows = re.findall(r'^\tX\((\w+), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)', read("src/lib/prism/prism.h"), re.M)
    warns = set(re.findall(r"PRISM_(P\w\d\d)", read("src/lib/prism/text.c")))
    want = [(name, unquote.sub(r"\1", text), "warning" if name in warns else "error", "error" if lenient == "no" else unquote.sub(r"\1", lenient))
            for name, text, lenient in rows]
    have = re.findall(r"^\| (P\w\d\d) \| (.*?) \| (\w+) \| (.*?) \|$", page, re.M)
    found.extend(f"code: {w} in prism.h, {h} in the page" for h, w in zip(have, want) if h != w)
    if len(have) != len(want):
        found.append(f"{len(want)} codes in prism.h, {len(have)} in the page")


def check_names(page):
    section = page.split("## As text", 1)[1].split("\n## ", 1)[0]
    source = read("src/lib/prism/text.c")
    for what in ("mem", "format", "op", "sync", "cxt"):
        body = re.search(rf"^NAMES\(prism_{what}_name, (.*?)\)$", source, re.S | re.M).group(1)
        for name in re.findall(r'"(.*?)"', body):
            word = name.replace(" ", "-")
            if name not in ("undefined", "invalid") and f"`{word}`" not in section:
                found.append(f'"As text" lacks {word}')


PAGE = read("doc/format/prism.md")
blocks = re.findall(r"^```prism (.*?)\n(.*?)^```$", PAGE, re.S | re.M)
n = sum(check_block(head.split(), text) for head, text in blocks)
check_codes(PAGE)
check_names(PAGE)
if n < 100:
    found.append(f"only {n} events are in the page")
print("\n".join(found) if found else f"{n} events of {len(blocks)} streams are what the page says")
sys.exit(1 if found else 0)
