#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what doc/howto-model.md says, with the blocks of that page.

usage: howto.py SOURCE_ROOT

Blocks are named by a comment before them: <!-- test: NAME -->. Files go into a copy of
the tree, which is built; the trace is assembled and emulated; the lines of the other
blocks must come out.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
TOOLS = ["src/emu/tool/ovniemu", "src/emu/tool/model/ovniscope-model"]


def blocks(path):
    """name -> text of the block behind the comment"""
    with open(path, encoding="utf-8") as f:
        return dict(re.findall(r"<!-- test: (\S+) -->\n```\w*\n(.*?)^```$", f.read(), re.S | re.M))


def run(words, **more):
    p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)
    return p.returncode, p.stdout, p.stderr


def must(words, **more):
    status, out, err = run(words, **more)
    if status:
        sys.exit(f"{' '.join(words)}: status {status}\n{out[-4000:]}{err[-4000:]}")


def copy_tree(to):
    """What a build needs. Build directories of other people may lie around."""
    for name in ("meson.build", "meson_options.txt"):
        shutil.copy(f"{ROOT}/{name}", to)
    for name in ("src", "doc", "test", "cfg"):
        if os.path.isdir(f"{ROOT}/{name}"):
            shutil.copytree(f"{ROOT}/{name}", f"{to}/{name}", symlinks=True,
                            ignore=shutil.ignore_patterns("__pycache__", "build*", "*.obs"))


def write(path, text, mode="w"):
    with open(path, mode, encoding="utf-8") as f:
        f.write(text)


def assemble(tree, text, where, *options):
    os.makedirs(where)
    write(f"{where}/demo.txt", text)
    must([f"{tree}/build/src/emu/tool/model/ovniscope-model", "trace", *options, f"{where}/demo.txt", f"{where}/trace"])


def emulate(tree, text, where, *options):
    """(status, directory with the output, stderr)"""
    if not os.path.exists(where):
        assemble(tree, text, where, *options)
    status, _, err = run([f"{tree}/build/src/emu/tool/ovniemu", *options, f"{where}/trace"])
    return status, f"{where}/trace", err


def missing(lines, text):
    """The lines that do not follow each other in the text."""
    return [] if f"\n{lines}" in f"\n{text}" else lines.splitlines()


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def main():
    page = blocks(f"{ROOT}/doc/howto-model.md")
    bad = []
    with tempfile.TemporaryDirectory() as tmp:
        tree = f"{tmp}/tree"
        os.mkdir(tree)
        copy_tree(tree)
        write(f"{tree}/src/models/demo.c", page["src/models/demo.c"])
        write(f"{tree}/src/models/models.def", page["src/models/models.def"], "a")
        must(["meson", "setup", "--werror", "-Dbuildtype=debug", "build"], cwd=tree)
        must(["ninja", "-C", "build", *TOOLS], cwd=tree)

        status, out, err = emulate(tree, page["demo.txt"], f"{tmp}/good")
        if status:
            sys.exit(f"ovniemu: status {status}\n{err}")
        thread = read(f"{out}/thread.prv").split("\n", 1)[1]
        if thread != page["thread.prv"]:
            bad += ["thread.prv is:"] + thread.splitlines()
        if missing(page["thread.pcf"], read(f"{out}/thread.pcf")):
            bad += ["thread.pcf is:"] + read(f"{out}/thread.pcf").splitlines()[-30:]
        for view in ("thread/demo/phase", "thread/demo/level", "cpu/demo/phase", "cpu/demo/level"):
            if not os.path.exists(f"{out}/cfg/{view}.cfg"):
                bad.append(f"no view cfg/{view}.cfg")

        # The same in a file of its own, with what is installed: none of the tree has it.
        os.makedirs(f"{tmp}/include/ovniscope")
        for header in ("core/ovniscope/model.h", "trace/ovniscope/event.h"):
            shutil.copy(f"{ROOT}/src/emu/{header}", f"{tmp}/include/ovniscope")
        write(f"{tmp}/demo.c", page["src/models/demo.c"].replace("model_demo", "ovniscope_model"))
        must([*os.environ.get("CC", "cc").split(), "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-shared", "-fPIC",
              f"-I{tmp}/include", "-o", f"{tmp}/demo.so", f"{tmp}/demo.c"])
        bad += [f"the page does not say: {c}" for c in ("cc -shared -fPIC", "ovniemu --model ./demo.so") if c not in page["plugin"]]
        write(f"{tree}/src/models/models.def", "".join(line for line in read(f"{tree}/src/models/models.def").splitlines(True) if "demo" not in line))
        os.remove(f"{tree}/src/models/demo.c")
        must(["meson", "setup", "--reconfigure", "build"], cwd=tree)  # whatever the clock says of models.def
        must(["ninja", "-C", "build", *TOOLS], cwd=tree)
        status, out, err = emulate(tree, page["demo.txt"], f"{tmp}/plugin", "--model", f"{tmp}/demo.so")
        if status or read(f"{out}/thread.prv").split("\n", 1)[1] != page["thread.prv"]:
            bad += [f"as a file of its own, status {status} and:"] + err.splitlines()

        # And without code.
        write(f"{tmp}/demo.json", page["demo.json"])
        status, out, err = emulate(tree, page["demo.txt"], f"{tmp}/declared", "--model", f"{tmp}/demo.json")
        if status or read(f"{out}/thread.prv").split("\n", 1)[1] != page["thread.prv"]:
            bad += [f"without code, status {status} and:"] + err.splitlines()
        write(f"{tmp}/demo.json", page["demo.json"].replace('"arg": "level"', '"arg": "levle"'))
        status, _, err = emulate(tree, page["demo.txt"], f"{tmp}/declared", "--model", f"{tmp}/demo.json")
        if status != 1 or missing(page["demo.json.stderr"], err.replace(f"{tmp}/", "")):
            bad += [f"with a wrong argument, status {status} and:"] + err.splitlines()

        wrong = page["demo.txt"].replace("XRI", "XSS", 1)
        status, _, err = emulate(tree, wrong, f"{tmp}/wrong", "--model", f"{tmp}/demo.so")
        if status != 1 or missing(page["stderr"], err):
            bad += [f"with the wrong event, status {status} and:"] + err.splitlines()
    print("\n".join(bad) if bad else "the listing builds and does what the page says")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
