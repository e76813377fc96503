#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of the documents are what the programs do.

usage: examples.py SOURCE_ROOT OVNIEMU

A comment before a block of doc/**/*.md says what it is:

    <!-- trace: NAME -->                        a text trace
    <!-- bytes: NAME PATH -->                   the bytes of a file of it; '|' begins a remark
    <!-- output: NAME default|compat FILE -->   a whole output file
    <!-- lines: NAME default|compat FILE -->    lines of it, one after the other
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

root, emu = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, f"{root}/test/gen")
import asm  # noqa: E402


def blocks():
    """(document, kind, words, text)"""
    for path in sorted(glob.glob(f"{root}/doc/**/*.md", recursive=True)):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for kind, words, body in re.findall(
                r"<!-- (trace|bytes|output|lines): (.*?) -->\n```\w*\n(.*?)^```$", text, re.S | re.M):
            yield os.path.relpath(path, root), kind, words.split(), body


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def check(tmp, kind, words, body):
    """What is there instead, or None."""
    if kind == "bytes":
        want = bytes.fromhex("".join(line.split("|")[0] for line in body.splitlines()))
        got = read(f"{tmp}/{words[0]}/{words[1]}")
        return None if got == want else got.hex(" ")
    got = read(f"{tmp}/{words[0]}.{words[1]}/{words[2]}").decode()
    good = got == body if kind == "output" else f"\n{body}" in f"\n{got}"
    return None if good else got


bad = n = 0
with tempfile.TemporaryDirectory() as where:
    found = list(blocks())
    for _, kind_, words_, body_ in found:
        if kind_ == "trace":
            name = words_[0]
            asm.assemble(body_, f"{where}/{name}", name)
            for view, option in (("default", "-q"), ("compat", "--compat")):
                subprocess.run([emu, option, "-o", f"{where}/{name}.{view}", f"{where}/{name}"],
                               capture_output=True, check=False)
    for document, kind_, words_, body_ in found:
        if kind_ != "trace":
            n += 1
            instead = check(where, kind_, words_, body_)
            if instead is not None:
                bad += 1
                print(f"{document}: {kind_} {' '.join(words_)} is:\n{instead}")
print(f"{n - bad} passed, {bad} failed")
sys.exit(1 if bad or not n else 0)
