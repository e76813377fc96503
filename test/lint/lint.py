#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Style and analysis of the C sources: clang-format 14 and clang-tidy 14 find nothing.

usage: lint.py format|tidy TOOL BUILD

Exit status 77 (skipped) with another version: their opinions differ.

The analyser follows the paths of each function up to a number of steps, which is all of its
time; LINT_DEEP=1 in the environment lets it go as far as it does by itself.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

AT_A_TIME = 2  # sources for one run of clang-tidy
STEPS = 20000  # of the analyser, in one function: 225000 by itself

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def once(build, sources, to):
    """Writes the compile commands with one for each source: what several targets build would be
    analysed as often. The large ones come first: none is left alone at the end."""
    commands = {}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        for command in json.load(f):
            path = os.path.relpath(os.path.join(command["directory"], command["file"]))
            commands.setdefault(path, command)
    lost = [path for path in sources if path not in commands]
    if lost:
        sys.exit(f"no target builds {' '.join(lost)}")
    with open(os.path.join(to, "compile_commands.json"), "w", encoding="utf-8") as f:
        json.dump([commands[path] for path in sources], f)
    return sorted(sources, key=os.path.getsize, reverse=True)


def tidy(tool, build, sources):
    words = [tool, "--quiet"]
    if not os.environ.get("LINT_DEEP"):
        words += [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={STEPS}")]
    with tempfile.TemporaryDirectory() as tmp:
        sources = once(build, sources, tmp)

        def run(some):
            return subprocess.run([*words, "-p", tmp, *some], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        parts = [sources[i:i + AT_A_TIME] for i in range(0, len(sources), AT_A_TIME)]
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            runs = list(pool.map(run, parts))
    print("".join(r.stdout for r in runs), end="")
    return max(r.returncode for r in runs)


def main():
    what, tool, build = sys.argv[1:4]
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    if not re.search(r"version 14\.", version):
        print("skipped: not version 14:", version.strip())
        return 77
    os.chdir(ROOT)
    sources = sorted(glob.glob("src/**/*.c", recursive=True))
    if what == "format":
        everything = sources + sorted(glob.glob("src/**/*.h", recursive=True))
        everything += sorted(glob.glob("test/**/*.[ch]", recursive=True) + glob.glob("doc/**/*.c", recursive=True))
        return subprocess.run([tool, "--dry-run", "-Werror", *everything]).returncode

    return tidy(tool, build, sources)


if __name__ == "__main__":
    sys.exit(main())
