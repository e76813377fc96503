#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Golden cases: a text trace and the exact output of the emulator.

usage: run.py --emu PATH [--only S] [--update] [--arg OPTION]... [-v] [DIR]

A case is a file GROUP/NAME.case below DIR (default: where this script is) of these sections
(test/gen/casefile.py tells the format):

    in.txt       the trace, in the format of test/gen/asm.py
    args         optional: one line of options; {trace} is replaced, and {case} by a
                 directory that has the sections without a slash as files
    types        optional: the PRV types to compare (numbers and ranges), for
                 traces where models that come later may add lines
    default/...  the expectation of a run, and that of a run with --compat.
    compat/...   If there is none of the two the case is an error.

and in each of the two any of

    TRACE.{prv,pcf,row}               the whole file, exact; TRACE is thread, cpu, proc
                                      or MODEL-breakdown
    TRACE.{prv,pcf,row}.has           lines (fnmatch patterns) that must be found in
                                      the file in this order, others between them
    stderr                            lines (fnmatch patterns), each of which must
                                      match some line of the standard error
    exit                              the exit status; 0 when absent

Cases of a group with the name of a model that the emulator lacks are skipped.
What is absent is not compared. --update rewrites the sections that exist, except
the patterns. In patterns write '[[]' for '['.
"""
import argparse
import concurrent.futures
import difflib
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))
import asm  # noqa: E402
import casefile  # noqa: E402
import memory  # noqa: E402

TRACES = ("thread", "cpu", "proc", "nosv-breakdown", "nanos6-breakdown", "openmp-breakdown")
FILES = [f"{t}.{e}" for t in TRACES for e in ("prv", "pcf", "row")]


def read(path, default=None):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            return f.read()
    except FileNotFoundError:
        return default


def only_types(text, types):
    """The PRV text with the pairs of these types only."""
    lines = text.splitlines(keepends=True)
    out = lines[:1]
    for line in lines[1:]:
        p = line.rstrip("\n").split(":")
        pairs = [f":{t}:{v}" for t, v in zip(p[6::2], p[7::2]) if t.isdigit() and int(t) in types]
        if pairs:
            out.append(":".join(p[:6]) + "".join(pairs) + "\n")
    return "".join(out)


def parse_types(text):
    types = set()
    for word in text.split():
        first, _, last = word.partition("-")
        types |= set(range(int(first), int(last or first) + 1))
    return types


def missing_pattern(patterns, lines, ordered):
    """The first pattern without a line, or None."""
    at = 0
    for p in patterns:
        found = next((i for i in range(at, len(lines)) if fnmatch.fnmatchcase(lines[i], p)), None)
        if found is None:
            return p
        if ordered:
            at = found + 1
    return None


def diff(name, want, got):
    lines = difflib.unified_diff(want.splitlines(), got.splitlines(),
                                 f"expected {name}", f"actual {name}", lineterm="", n=2)
    lines = list(lines)
    if not lines:
        return [f"{name}: differs in the last newline"]
    return lines[:40] + ([f"... {len(lines) - 40} lines more"] if len(lines) > 40 else [])


def run_view(one, view, emu, extra, update):
    """Texts that tell what differs."""
    stderr = one.get(f"{view}/stderr")
    status = int(one.get(f"{view}/exit", "0"))
    with tempfile.TemporaryDirectory() as tmp:
        trace, outdir = f"{tmp}/trace", f"{tmp}/out"
        os.mkdir(outdir)
        asm.assemble(one.get("in.txt"), trace, one.path)
        one.unpack(f"{tmp}/case", lambda name: "/" not in name)
        args = one.get("args", "").replace("{trace}", trace).replace("{case}", f"{tmp}/case").split()
        command = [emu, *extra, *args] + (["--compat"] if view == "compat" else [])
        command += [] if stderr is not None or status else ["-q"]
        try:
            p = subprocess.run(command + ["-o", outdir, trace], capture_output=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return ["no end after 60 s"]
        err = p.stderr.decode(errors="replace").splitlines()
        found = []
        if p.returncode != status:
            if update and f"{view}/exit" in one:
                write(one, f"{view}/exit", f"{p.returncode}\n")
            else:
                found += [f"exit status {p.returncode} instead of {status}"] + err[-3:]
        if status and not err:
            found.append("failed without a message")
        if stderr is not None:
            p = missing_pattern(stderr.splitlines(), err, False)
            if p is not None:
                found += [f"no line of stderr is like: {p}"] + err[-6:]
        for name in FILES:
            found += compare(one, view, outdir, name, update)
    return found


def compare(one, view, outdir, name, update):
    want, has = one.get(f"{view}/{name}"), one.get(f"{view}/{name}.has")
    if want is None and has is None:
        return []
    got = read(f"{outdir}/{name}")
    if got is None:
        return [f"{name}: missing"]
    if "types" in one and name.endswith(".prv"):
        got = only_types(got, parse_types(one.get("types")))
    out = []
    if has is not None:
        p = missing_pattern(has.splitlines(), got.splitlines(), True)
        if p is not None:
            out.append(f"{name}: no line (in order) like: {p}")
    if want is not None and want != got:
        if update:
            write(one, f"{view}/{name}", got)
        else:
            out += diff(name, want, got)
    return out


def write(one, name, text):
    one.set(name, text)
    print(f"updated {name} of {os.path.relpath(one.path)}")


def run_case(path, emu, extra, update):
    """(view, what differs) of each view of the case."""
    try:
        one = casefile.Case(path)
        views = [v for v in ("default", "compat") if one.has(v)]
        if not views or "in.txt" not in one:
            return [("", ["no expectation" if not views else "no in.txt"])]
        return [(view, run_view(one, view, emu, extra, update)) for view in views]
    except (asm.AsmError, casefile.CaseError) as e:
        return [("", [str(e)])]


def absent_models(emu):
    """Of the models of the runtimes, those that the help does not list."""
    text = subprocess.run([emu, "--help"], capture_output=True, text=True, check=False).stdout
    have = re.findall(r"(\w+) \d+\.\d+\.\d+ \(.\)", text)
    return {name for name in asm.VERSIONS if name not in have}


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--update", action="store_true")
    ap.add_argument("--only", default="")
    ap.add_argument("--arg", action="append", default=[])
    ap.add_argument("-v", action="store_true")
    ap.add_argument("dir", nargs="?", default=HERE)
    a = ap.parse_args()
    memory.use()
    emu = os.path.abspath(a.emu)
    passed = failed = skipped = 0
    absent = absent_models(emu)
    wanted = []
    for name, path in casefile.find(a.dir):
        if a.only in name:
            if name.split(os.sep)[0] in absent:
                skipped += 1
                print(f"skipped: {name}: no such model")
            else:
                wanted.append((name, path))
    # Each case waits for processes: threads do.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda x: run_case(x[1], emu, a.arg, a.update), wanted)
        for (name, _), views in zip(wanted, results):
            for view, found in views:
                passed, failed = passed + (not found), failed + bool(found)
                if found or a.v:
                    print("FAIL" if found else "ok  ", name, view)
                for line in found:
                    print(f"     {line}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
