#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Style and analysis of the C sources: clang-format 14 and clang-tidy 14 find nothing.

usage: lint.py format|tidy TOOL BUILD

Exit status 77 (skipped) with another version: their opinions differ.
"""
import glob
import os
import re
import subprocess
import sys

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
    return subprocess.run([tool, "-p", build, "--quiet", *sources], stderr=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
