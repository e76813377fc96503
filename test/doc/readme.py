#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program in README.md compiles, and its trace can be emulated.

usage: readme.py SOURCE_ROOT DIR_OF_LIBOVNI OVNIEMU
"""
import os
import re
import subprocess
import sys
import tempfile

root, lib, emu = (os.path.abspath(a) for a in sys.argv[1:4])


def must(words, **more):
    p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)
    if p.returncode:
        sys.exit(f"{' '.join(words)}: status {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stderr


with open(f"{root}/README.md", encoding="utf-8") as f:
    source = re.search(r"<!-- test: hello.c -->\n```c\n(.*?)^```$", f.read(), re.S | re.M).group(1)
with tempfile.TemporaryDirectory() as tmp:
    with open(f"{tmp}/hello.c", "w", encoding="utf-8") as f:
        f.write(source)
    must(["cc", "-Wall", "-Wextra", "-Werror", "hello.c", "-o", "hello", f"-I{lib}", f"-L{lib}",
          "-lovni", f"-Wl,-rpath,{lib}"], cwd=tmp)
    env = {k: v for k, v in os.environ.items() if not k.startswith("OVNI_")}
    must(["./hello"], cwd=tmp, env=env)
    messages = must([emu, "ovni"], cwd=tmp)
    with open(f"{tmp}/ovni/thread.prv", encoding="utf-8") as f:
        lines = f.read()
    if "warning" in messages or not re.search(r"^2:0:1:1:1:\d+:100:1$", lines, re.M):
        sys.exit(f"{messages}\n{lines}")
print("the program of README.md runs, and its mark is in the timeline")
