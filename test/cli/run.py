#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the command line tools, as a user sees them.

usage: run.py --build DIR [--emu PATH] [--only S] [--update] [-v] [DIR]
       run.py --coverage [DIR]

Scripts: DIR/GROUP/NAME.sh runs with /bin/sh in a fresh directory. In its environment
are BUILD (the build directory), SRC (the source root), EMU (ovniemu), ASM (test/gen/asm.py),
FILES (paraver_files.py), TOOLS (tools.py), PYTHON, and LIB (lib.sh, to be sourced). What must come out
is beside it:

    NAME.exit                          the status; absent: 0
    NAME.{stdout,stderr}.exact         the whole text
    NAME.{stdout,stderr}.glob          one fnmatch pattern per line, in order; a line
                                       '...' stands for any number of lines
    NAME.{stdout,stderr}.ignore        not compared
    none of the three                  the stream must be silent

A script that ends with status 77 is skipped; its last line of stdout says why.

Bad input: DIR/bad/ERROR.case or DIR/bad/ERROR.VARIANT.case, ERROR being the name in
src/emu/base/diag.h. ovniemu runs with '-o out trace' on what these sections make
(test/gen/casefile.py tells the format):

    in.txt          a text trace, assembled to ./trace, then
    make.sh         a script with the environment above that makes or changes ./trace
    args            optional: one line of options
    run.sh          optional: what runs instead of ovniemu
    stderr.glob     patterns that must be found in stderr in this order, other lines may
                    stand between them; the first line is that of the message
    exit            optional: the status; absent: 1
    files           optional: 'any' when the files of ./out are not to be checked

and stderr must hold error[ERROR], and tell no other error at its end. The files in ./out, if there are any, must be valid up
to the error (paraver_files.py). --coverage runs nothing: it looks whether each error name has a case
(UNREACHABLE lists the few that cannot have one). --update rewrites the .exact files that
exist, and the stderr.glob of bad input where no pattern has a '*'. In patterns write '[[]'
for '['.
"""
import argparse
import difflib
import fnmatch
import os
import re
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.path.dirname(os.path.dirname(HERE))
ASM = os.path.join(SRC, "test", "gen", "asm.py")
sys.path[:0] = [HERE, os.path.dirname(ASM)]
import asm  # noqa: E402
import casefile  # noqa: E402
import memory  # noqa: E402
import paraver_files  # noqa: E402

SKIPPED = 77
FILE_MAX = 3 << 30  # bytes: a tool that does not end must not fill the disk

# error names that no input gives, and why
UNREACHABLE = {
    "memory": "needs an allocation that fails: the allocation walk tests it",
    "model-clash": "the build refuses such models: the unit test of modelset has it",
    "chan-twice": "no event of a correct model does it: the unit test of the channels has it",
    "interrupted": "a run that the user stops ends well: cli/signals",
}


class Skipped(Exception):
    pass


def read(path, default=None):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return default


def shell(script, cwd, env):
    return command(["/bin/sh", script], cwd, env)


def command(words, cwd, env):
    """(status, stdout, stderr); the status is None when it does not end"""
    try:
        p = subprocess.run(words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return None, "", "no end after 120 s"
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")


def glob_match(patterns, lines):
    """All lines against the patterns; '...' takes any number of lines."""
    if not patterns:
        return not lines
    if patterns[0] == "...":
        return any(glob_match(patterns[1:], lines[i:]) for i in range(len(lines) + 1))
    return bool(lines) and fnmatch.fnmatchcase(lines[0], patterns[0]) and glob_match(patterns[1:], lines[1:])


def check_text(base, stream, got, update):
    stem = f"{base}.{stream}"
    if os.path.exists(f"{stem}.ignore"):
        return []
    patterns = read(f"{stem}.glob")
    if patterns is not None:
        if glob_match(patterns.splitlines(), got.splitlines()):
            return []
        return [f"{stream} is not like {os.path.basename(stem)}.glob:"] + got.splitlines()[:15]
    want = read(f"{stem}.exact")
    if want is None:
        return [f"{stream} is not silent:"] + got.splitlines()[:15] if got else []
    if want == got:
        return []
    if update:
        with open(f"{stem}.exact", "w", encoding="utf-8") as f:
            f.write(got)
        print(f"updated {os.path.relpath(stem)}.exact")
        return []
    lines = difflib.unified_diff(want.splitlines(), got.splitlines(), f"expected {stream}",
                                 f"actual {stream}", lineterm="", n=2)
    return list(lines)[:40] or [f"{stream}: differs in the last newline"]


def run_script(script, env, update):
    base = script[:-len(".sh")]
    with tempfile.TemporaryDirectory() as tmp:
        status, out, err = shell(script, tmp, env)
    if status == SKIPPED:
        raise Skipped((out.strip().splitlines() or ["no reason given"])[-1])
    want = int(read(f"{base}.exit", "0"))
    found = []
    if status != want:
        found += [f"exit status {status} instead of {want}"] + (out + err).splitlines()[-8:]
        return found
    return found + check_text(base, "stdout", out, update) + check_text(base, "stderr", err, update)


def check_files(case, tmp, compat):
    """What was written before the error stays valid."""
    if case.get("files", "").strip() == "any" or not os.path.exists(f"{tmp}/out/thread.prv"):
        return []
    return [f"out: {x}" for x in paraver_files.check(f"{tmp}/out", compat)]


def message(error, lines):
    """The first line of the message and the place below it, as patterns."""
    found = []
    for i, line in enumerate(lines):
        if f"error[{error}]" in line:
            found += [line] + [x for x in lines[i + 1:i + 2] if x.startswith("  at ")]
    return "".join(re.sub(r"([\[*?])", r"[\1]", x) + "\n" for x in found)


def run_bad(path, env, update):
    error = os.path.basename(path).split(".")[0]
    case = casefile.Case(path)
    args = case.get("args", "").split()
    with tempfile.TemporaryDirectory() as tmp, tempfile.TemporaryDirectory() as scripts:
        case.unpack(scripts, lambda name: name.endswith(".sh"))
        os.mkdir(f"{tmp}/out")
        text = case.get("in.txt")
        if text is not None:
            asm.assemble(text, f"{tmp}/trace", path)
        if "make.sh" in case:
            status, out, err = shell(f"{scripts}/make.sh", tmp, env)
            if status == SKIPPED:
                raise Skipped(out.strip())
            if status != 0:
                return [f"make.sh: exit status {status}: {err.strip()}"]
        if "run.sh" in case:
            status, out, err = shell(f"{scripts}/run.sh", tmp, env)
            if status == SKIPPED:
                raise Skipped(out.strip())
        else:
            status, _, err = command([env["EMU"], *args, "-o", "out", "trace"], tmp, env)
        files = check_files(case, tmp, "--compat" in args)
    want = int(case.get("exit", "1"))
    found = []
    if status != want:
        found.append(f"exit status {status} instead of {want}")
    if f"error[{error}]" not in err:
        found.append(f"no error[{error}] in stderr")
    ended = re.search(r"the run failed \((.*?)\)", err)
    if ended and ended.group(1) != error:
        found.append(f"{ended.group()}, and not ({error})")
    at, lines = 0, err.splitlines()
    patterns = case.get("stderr.glob", "").splitlines()
    if not patterns:
        found.append("stderr.glob is missing")
    for p in patterns:
        hit = next((i for i in range(at, len(lines)) if fnmatch.fnmatchcase(lines[i], p)), None)
        if hit is None and update and not found and "*" not in "".join(patterns):
            case.set("stderr.glob", message(error, lines))
            print(f"updated stderr.glob of {os.path.relpath(path)}")
            break
        if hit is None:
            found.append(f"no line of stderr (in order) is like: {p}")
            break
        at = hit + 1
    return found + files + (lines[-8:] if found else [])


def find(top):
    """(name, path, is a bad-input case) of each test"""
    for group in sorted(os.listdir(top)):
        where = os.path.join(top, group)
        if not os.path.isdir(where) or group.startswith(("_", ".")):
            continue
        for name in sorted(os.listdir(where)):
            path = os.path.join(where, name)
            if group == "bad" and name.endswith(".case"):
                yield f"{group}/{name[:-5]}", path, True
            elif group != "bad" and name.endswith(".sh"):
                yield f"{group}/{name[:-3]}", path, False


def uncovered(top):
    """What is wrong with the set of cases."""
    names = re.findall(r'\bX\([A-Z_]+, "([a-z-]+)"', read(f"{SRC}/src/emu/base/diag.h", ""))
    have = {name.split("/")[1].split(".")[0] for name, _, bad in find(top) if bad}
    return ([f"no case for the error {n}" for n in names if n not in have and n not in UNREACHABLE]
            + [f"the error {n} has a case, and is in UNREACHABLE" for n in UNREACHABLE if n in have]
            + [f"there is no error {n}" for n in sorted({*have, *UNREACHABLE} - set(names))])


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--build", default=".")
    ap.add_argument("--emu")
    ap.add_argument("--only", default="")
    ap.add_argument("--update", action="store_true")
    ap.add_argument("--coverage", action="store_true")
    ap.add_argument("-v", action="store_true")
    ap.add_argument("dir", nargs="?", default=HERE)
    a = ap.parse_args()
    memory.use()
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MAX, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    build = os.path.abspath(a.build)
    emu = os.path.abspath(a.emu) if a.emu else f"{build}/src/emu/tool/ovniemu"
    # Scripts start Python often: without what is installed beside it, it starts three times as fast.
    env = dict(os.environ, BUILD=build, SRC=SRC, EMU=emu, ASM=ASM, LC_ALL="C", PYTHON=f"{sys.executable} -S -E",
               **{k: f"{HERE}/{v}" for k, v in (("FILES", "paraver_files.py"), ("TOOLS", "tools.py"), ("LIB", "lib.sh"))})
    passed = failed = 0
    results = []
    skipped = []
    for name, path, bad in find(os.path.abspath(a.dir)):
        if a.only in name and not a.coverage:
            try:
                results.append((name, run_bad(path, env, a.update) if bad else run_script(path, env, a.update)))
            except Skipped as e:
                skipped.append(f"skipped: {name}: {e}")
            except (asm.AsmError, casefile.CaseError, OSError, ValueError) as e:
                results.append((name, [f"{type(e).__name__}: {e}"]))
    if a.coverage:
        results.append(("coverage", uncovered(os.path.abspath(a.dir))))
    for name, found in results:
        passed, failed = passed + (not found), failed + bool(found)
        if found or a.v:
            print("FAIL" if found else "ok  ", name)
        for line in found:
            print(f"     {line}")
    print("".join(f"{x}\n" for x in skipped) + f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
