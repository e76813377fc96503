#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-prism with one allocation that fails (test/unit/failing.c), each in turn: it ends by
itself, and either says so and leaves no output, or does what it does otherwise.

usage: tool_memory.py PROGRAM [RUNS]
"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

from hooks_kit import WORKED

TOOL = os.path.abspath(sys.argv[1])
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 150
COMMANDS = [["dump", "w.prism"], ["dump", "--json", "--bytes", "w.json"], ["encode", "w.txt"], ["stat", "w.prism", "w.json"], ["stat", "dir"],
            ["recode", "--to-compute-layout=packed", "--describe=d.json", "w.json"],
            ["recode", "--to-timestamps=out.ts", "--describe=sub/d.json", "w.json"], ["uscope", "--lenient", "w.prism", "w.json"],
            ["uscope", "--accesses=none", "dir"], ["import", "perf.txt"], ["import", "lackey.txt.gz"]]
PERF = "".join(f"x {i % 3 + 1} {i}.5: cycles: \n\t 12 f{i}+0x1 (y)\n\t 13 main+0x1 (y)\n\n" for i in range(9))


def content(path):
    if not os.path.exists(path):
        return None
    if os.path.isdir(path):
        return {name: content(f"{path}/{name}") for name in os.listdir(path)}
    with open(path, "rb") as f:
        return f.read()


def run(words, at, more):
    for path in ("out", "out.part", "out.ts", "d.json", "sub/d.json"):
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.remove(path)
    env = dict(os.environ, FAILING_AT=str(at), FAILING_COUNT="count", LC_ALL="C")
    if more:
        env["FAILING_ALL"] = "1"
    p = subprocess.run([TOOL, words[0], "-q", "-o", "out", *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=60, check=False, env=env)
    return p.returncode, p.stderr.decode(errors="replace")


def walk(words):
    """What is wrong, or None"""
    status, err = run(words, 0, False)
    want = content("out")
    n = int(content("count"))
    if status != 0 or not want or n < 3:
        return f"{words}: status {status}, {n} allocations: {err}"
    chosen = list(range(1, n + 1))[:RUNS:int(os.environ.get("TEST_SHARE", "1"))]
    for more in (False, True):
        for at in chosen:
            status, err = run(words, at, more)
            what = f"{words}: allocation {at} of {n} fails{', and all behind' if more else ''}: "
            if status not in (0, 1):
                return f"{what}status {status}: {err[-1500:]}"
            if status == 1 and "error[" not in err:
                return f"{what}status 1 without a message: {err}"
            # import keeps what it has
            if status == 1 and words[0] != "import" and (os.path.exists("out") or os.path.exists("out.ts")):
                return f"{what}an output is left: {err}"
            if status == 0 and content("out") != want:
                return f"{what}status 0 and another output: {err}"
            if os.path.exists("out.part"):
                return f"{what}a part is left: {err}"
    print(f"{' '.join(words)}: {n} allocations, {2 * len(chosen)} runs")
    return None


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        os.mkdir("dir")
        os.mkdir("sub")
        for path in ("w.prism", "dir/a.prism"):
            with open(path, "wb") as f:
                f.write(WORKED)
        with open("w.json", "w", encoding="ascii") as f:
            f.write('{"version": 1, "format": "prism", "events": "w.prism", "process": 2}')
        with open("w.txt", "wb") as f:
            f.write(subprocess.run([TOOL, "dump", "w.prism"], stdout=subprocess.PIPE, check=True).stdout)
        with open("perf.txt", "w", encoding="ascii") as f:
            f.write(PERF)
        with gzip.open("lackey.txt.gz", "wb") as f:
            f.write(b"I  00401136,7\n L 1ffefff000,8\n")
        for words in COMMANDS:
            wrong = walk(words)
            if wrong:
                print("FAIL", wrong)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
