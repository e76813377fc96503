#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what doc/prism.md says, with the blocks of that page; the analyses of doc/analyses.md report what is there.

usage: prism.py SOURCE_ROOT OVNIEMU OVNISCOPE_PRISM USCOPE

Blocks are named by a comment before them: <!-- test: NAME -->.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT, EMU, TOOL, USCOPE = (os.path.abspath(p) for p in sys.argv[1:5])
bad = []


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


PAGE = read(f"{ROOT}/doc/prism.md")
BLOCKS, ANALYSES = (dict(re.findall(r"<!-- test: (\S+) -->\n```\w*\n(.*?)^```$", page, re.S | re.M))
                    for page in (PAGE, read(f"{ROOT}/doc/analyses.md")))

# What is installed, and the compiler of the build. -Werror: the listing is an example.
PRELUDE = """set -e
ovniemu() { "$EMU" "$@"; }
ovniscope-prism() { "$TOOL" "$@"; }
uscope() { "$USCOPE" "$@"; }
pkg-config() { [ "$*" = "--cflags prism" ] && echo "-I$ROOT/src/lib/prism"; }
cc() { command ${CC:-cc} -std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror "$@"; }
"""


def run(script, where):
    """(status, stdout, stderr)"""
    # only bash knows functions with a '-' in their name
    env = {**os.environ, "ROOT": ROOT, "EMU": EMU, "TOOL": TOOL, "USCOPE": USCOPE}
    p = subprocess.run(["bash", "-c", PRELUDE + script], cwd=where, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       check=False, timeout=120)
    return p.returncode, p.stdout, p.stderr


def same(what, got, want):
    if got != want:
        bad.append(f"{what} is:\n{got}\nand not:\n{want}")


def lines(what, block, path):
    """The lines of a block follow each other in a file."""
    text = read(path)
    at = -1
    for line in BLOCKS[block].splitlines():
        at = text.find(f"\n{line}\n", at + 1)
        if at < 0:
            bad.append(f"{what}: no line {line}\nin\n{text}")


def codes():
    """The rows of the table of codes, out of the header."""
    text = read(f"{ROOT}/src/lib/prism/prism.h")
    warns = read(f"{ROOT}/src/lib/prism/text.c")
    warns = re.search(r"warnings = (.*?);", warns, re.S).group(1)
    listed = text[text.index("#define PRISM_CODE_LIST"):text.index("enum prism_code")]
    for name, what, lenient in re.findall(r'X\((\w+), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)', listed):
        what, lenient = (s.replace('\\"', '"').replace("\\\\xNN", "`\\xNN`") for s in (what, lenient))
        row = f"| `{name}` | {what} | {'warning' if f'PRISM_{name}' in warns else 'error'} | {'also an error' if lenient == 'no' else lenient} |"
        if row not in PAGE:
            bad.append(f"the table of codes has no row\n{row}")
        yield name


def descriptions(where):
    """The description that is shown has all keys, with their defaults."""
    text = re.search(r"```json\n(.*?)^```", PAGE, re.S | re.M).group(1)
    want = json.loads(text)
    with open(f"{where}/core0.json", "w", encoding="utf-8") as f:
        f.write(text)
    status, _, err = run("cp run.prism core0.prism; ovniemu -q -o described --prism core0.json --prism-interval=time:8", where)
    same("a description with the defaults", (status, err), (0, ""))
    for name in ("thread.prv", "cpu.prv"):
        same(f"{name} with the defaults", read(f"{where}/described/{name}"), read(f"{where}/out/{name}"))
    table = re.search(r"\| key \| value \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE).group(1)
    same("the keys in the table", re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in table.splitlines())), list(want))


def manual(where):
    """The listing of prism_hooks(3) does what it promises."""
    page = read(f"{ROOT}/doc/man/prism_hooks.3")
    with open(f"{where}/stores.c", "w", encoding="utf-8") as f:
        f.write(re.search(r"^\.Bd -literal -offset indent\n(.*?)^\.Ed", page, re.S | re.M).group(1).replace("\\e", "\\"))
    build = "cc -shared -fPIC $(pkg-config --cflags prism) -o stores.so stores.c; "
    same("prism_hooks(3)", run(build + "ovniemu -q -o stores --prism run.prism --prism-hooks ./stores.so", where), (0, "", ""))
    # The only store is at 10.
    if not re.search(r"^2:0:1:1:1:10:(?:.*:)?480:1(?::|$)", read(f"{where}/stores/cpu.prv"), re.M):
        bad.append("prism_hooks(3): the store is not shown")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        for name in ("run.txt", "cache.c", "where.c"):
            with open(f"{tmp}/{name}", "w", encoding="utf-8") as f:
                f.write(BLOCKS[name])
        same("encode and ovniemu", run(BLOCKS["commands"], tmp), (0, "", ""))
        size = os.path.getsize(f"{tmp}/run.prism")
        if f"The stream has {size} bytes" not in PAGE:
            bad.append(f"the stream has {size} bytes")
        same("dump", run("ovniscope-prism dump run.prism", tmp)[1].split("\n", 1)[1], BLOCKS["run.txt"])
        lines("thread.prv", "thread.prv", f"{tmp}/out/thread.prv")
        if not re.search(r"\n2 +worker\n", read(f"{tmp}/out/thread.pcf")):
            bad.append("thread.pcf: function 2 is not labelled worker")
        descriptions(tmp)
        same("the tool", run(BLOCKS["tool-commands"], tmp), (0, BLOCKS["stdout"], ""))
        lines("cpu.prv", "cpu.prv", f"{tmp}/out/cpu.prv")
        for view in ("thread/prism/user-miss", "cpu/prism/user-misses"):
            if not os.path.exists(f"{tmp}/out/cfg/{view}.cfg"):
                bad.append(f"there is no view {view}")
        same("a stream with less", run(BLOCKS["less-commands"], tmp), (1, "", BLOCKS["stderr"]))
        same("a tool with an argument", run(BLOCKS["where-commands"], tmp), (0, BLOCKS["where"], ""))
        same("a wrong argument", run(BLOCKS["wrong-commands"], tmp), (1, "", BLOCKS["wrong"]))
        with open(f"{tmp}/lackey.txt", "w", encoding="utf-8") as f:
            f.write(BLOCKS["lackey.txt"])
        same("import", run(BLOCKS["lackey-commands"], tmp), (0, BLOCKS["lackey-dump"], ""))
        for block in re.findall(r"<!-- test: (\S+) -->", read(f"{ROOT}/doc/analyses.md")):
            same(block, run(f"ovniemu -q -o out --prism run.prism --prism-hooks {block}", tmp), (0, ANALYSES[block], ""))
        for command in re.findall(r"^    (uscope timeline .*)$", PAGE, re.M):
            status, out, err = run(command, tmp)
            if status or not re.search(r"^thread 2 .* worker ", out, re.M):
                bad.append(f"{command}: status {status}\n{out}{err}")
        manual(tmp)
        status, out, err = run("cat run.prism | ovniemu -q -o live --prism - --prism-hooks ./cache.so", tmp)
        same("live", (status, out, err), (0, BLOCKS["stdout"], ""))
    n = len(list(codes()))
    if n != 27:
        bad.append(f"{n} codes")
    print("\n".join(bad))
    print(f"{len(bad)} of what doc/prism.md says is not so")
    return 1 if bad else 0


sys.exit(main())
