#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tools that look at events, with one allocation that fails (failing.c).

usage: tool_nomem.py --dump OVNIDUMP --top OVNITOP --sort OVNISORT --fix OVNIFIX [--runs N] [--model FILE]

Whichever it is, the tool ends by itself and either says so, or does what it does otherwise.
A file that ovnisort or ovnifix leaves is the old one or the new one, and nothing is beside it.
With --model, only the loading of a model: from a folder, and that file. At most N allocations of a command are made to fail: the first ones, and then some.
"""
import argparse
import os
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "gen"), os.path.join(HERE, "..", "cli")]
import asm  # noqa: E402
import tools  # noqa: E402

TRACE = """
loom n.1 cpus 0:0
proc 1 app 1
thread 1 require nosv=2.7.0
thread 2
offset n 1000

1 10 OHx 0 -1 0
1 100 VYc 100 "type one"
1 200 VTC 200 100
1 300 OU[
1 150 OB.
1 120 jjj jumbo hex=0011223344
1 400 OU]
1 500 OHe
2 20 OHx -1 -1 0
2 600 OHe
"""

KILLED = """
loom n.1
proc 1 app 1
thread 1 crashed
thread 2 crashed

1 10 OHx 0 -1 0
2 20 OHx 1 -1 0
2 30 KCO
2 40 KCI
2 50 OM= 1 7
2 raw 0f4f
"""


def content(top):
    """{path: bytes} of all files below"""
    return {os.path.relpath(os.path.join(d, f), top): tools.read(os.path.join(d, f))
            for d, _, files in os.walk(top) for f in files}


def run(words, trace, count, at=0, more=False):
    env = dict(os.environ, FAILING_AT=str(at), FAILING_COUNT=count, LC_ALL="C")
    if more:
        env["FAILING_ALL"] = "1"
    p = subprocess.run([*words, trace], capture_output=True, timeout=60, check=False, env=env)
    return p.returncode, p.stdout, p.stderr.decode(errors="replace")


def walk(words, source, runs, tmp):
    """What is wrong, or None"""
    trace, count = f"{tmp}/work", f"{tmp}/count"

    def once(at, more):
        shutil.rmtree(trace, ignore_errors=True)
        shutil.copytree(source, trace)
        return run(words, trace, count, at, more)

    before = content(source)
    want = once(0, False)
    after = content(trace)
    with open(count, encoding="ascii") as f:
        n = int(f.read())
    if want[0] != 0 or n < 20:
        return f"{words}: status {want[0]}, {n} allocations: {want[2]}"
    chosen = list(range(1, n + 1))
    if n > runs:
        half = runs // 2
        chosen = chosen[:half] + chosen[half::(n - half) // half + 1]
    for more in (False, True):
        for at in chosen:
            status, out, err = once(at, more)
            what = f"{words}: allocation {at} of {n} fails{', and all behind' if more else ''}: "
            files = content(trace)
            if status not in (0, 1):
                return f"{what}status {status}: {err[-1500:]}"
            if status == 1 and "error[" not in err:
                return f"{what}status 1 without a message: {err}"
            if status == 0 and (out != want[1] or files != after):
                return f"{what}status 0 and another output: {err}"
            if any(files.get(k) not in (before.get(k), after.get(k)) for k in {*files, *before, *after}):
                return f"{what}left {sorted(files)}"
    print(f"{' '.join(words[1:])}: {n} allocations, {2 * len(chosen)} runs")
    return None


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--dump", required=True)
    ap.add_argument("--top", required=True)
    ap.add_argument("--sort", required=True)
    ap.add_argument("--fix", required=True)
    ap.add_argument("--model")
    ap.add_argument("--runs", type=int, default=80)
    a = ap.parse_args()
    a.runs = a.runs // int(os.environ.get("TEST_SHARE", "1"))
    commands = [[a.dump, "-q"], [a.dump, "-q", "--corrected", "-fjson", "--stream=*1"], [a.top, "-q"],
                [a.top, "-q", "--by=time"], [a.top, "-q", "-j", "--by=thread"], [a.sort, "-q"], [a.sort, "-q", "--all"]]
    with tempfile.TemporaryDirectory() as tmp:
        if a.model:
            end = os.path.splitext(a.model)[1]
            os.makedirs(f"{tmp}/models")
            shutil.copy(a.model, f"{tmp}/models/one{end}")
            os.environ["OVNISCOPE_MODELS"] = f"{tmp}/models"
            asm.assemble(TRACE, f"{tmp}/trace", "trace")
            wrong = walk([a.top, "-q", "--model", f"{tmp}/models/one{end}"], f"{tmp}/trace", a.runs, tmp)
            if wrong:
                print("FAIL", wrong)
            return 1 if wrong else 0
        asm.assemble(KILLED, f"{tmp}/killed", "killed")
        thread = f"{tmp}/killed/loom.n.1/proc.1/thread.1"
        head = struct.pack("=8sIIQQQQQQ", b"ovnitail", 1, 0, 4096, 0, 0, 0, 8, 28)
        tools.write(f"{thread}/stream.tail", head + tools.read(f"{thread}/stream.obs")[8:36])
        tools.write(f"{thread}/stream.obs", tools.read(f"{thread}/stream.obs")[:8])
        wrong = walk([a.fix, "-q"], f"{tmp}/killed", a.runs // 2, tmp)
        if wrong:
            print("FAIL", wrong)
            return 1
        for kind in ("", "zst", "lz4"):
            source = f"{tmp}/trace{kind}"
            asm.assemble(TRACE, source, "trace")
            if kind:
                tools.pack(kind, f"{source}/loom.n.1/proc.1/thread.1/stream.obs")
            for words in commands:
                wrong = walk(words, source, a.runs if not kind else a.runs // 5, tmp)
                if wrong:
                    print("FAIL", wrong)
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
