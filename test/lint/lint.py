#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Style and analysis of the C sources: clang-format 14 and clang-tidy 14 find nothing.

usage: lint.py format|tidy TOOL BUILD

Exit status 77 (skipped) with another version: their opinions differ.
"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

AT_A_TIME = 8  # sources for one run of clang-tidy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    what, tool, build = sys.argv[1:4]
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    if not re.search(r"version 14\.", version):
        print("skipped, not version 14:", version.strip())
        return 77
    os.chdir(ROOT)
    sources = sorted(glob.glob("src/**/*.c", recursive=True))
    if what == "format":
        everything = sources + sorted(glob.glob("src/**/*.h", recursive=True))
        everything += sorted(glob.glob("test/**/*.[ch]", recursive=True) + glob.glob("doc/**/*.c", recursive=True))
        return subprocess.run([tool, "--dry-run", "-Werror", *everything]).returncode

    def tidy(some):
        return subprocess.run([tool, "-p", build, "--quiet", *some], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)

    parts = [sources[i:i + AT_A_TIME] for i in range(0, len(sources), AT_A_TIME)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        runs = list(pool.map(tidy, parts))
    print("".join(run.stdout for run in runs), end="")
    return max(run.returncode for run in runs)


if __name__ == "__main__":
    sys.exit(main())
