#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-model new: with what is installed and nothing else, the project builds without a warning and passes its
tests; the header, the program, the trace and the emulation agree.

usage: new.py SRC BUILD
"""
import glob
import os
import shutil
import sys
import tempfile

SRC, BUILD = (os.path.abspath(p) for p in sys.argv[1:3])
sys.path[:0] = [f"{SRC}/test/uscope"]
from installkit import Installed, env, expect, run  # noqa: E402

WARN = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
WORDS = ("@NAME", "@LETTER", "@TYPE", "@TITLE", "@FILE", "@MODEL", "@SCHEMA")


def text_of(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def replace(path, old, new):
    text = text_of(path)
    expect(f"{path} has {old}", old in text)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new))


def warns_of_nothing(name):
    """The program, with the headers, in C11 and as C++17; the model in C11."""
    flags = run(["pkg-config", "--cflags", "ovni", "ovniscope"]).split()
    for cc, language, std in (("gcc", "c", "c11"), ("clang", "c", "c11"), ("g++", "c++", "c++17"), ("clang++", "c++", "c++17")):
        if shutil.which(cc):
            files = [f"{name}/program.c"] + [f"{name}/{name}.c"] * (language == "c" and os.path.exists(f"{name}/{name}.c"))
            run([cc, "-x", language, f"-std={std}", *WARN, "-fsyntax-only", f"-I{name}/b", *flags, *files])


def made(name, *options):
    """Makes a project as the manual says; returns what was said."""
    said = run(["sh", "-c", f"ovniscope-model new {' '.join(options)} {name} 2>&1 && cd {name} && meson setup --werror b && meson test -C b"])
    expect(f"three tests pass: {said}", "Ok:                 3" in said)
    expect("no word is left", not [path for path in glob.glob(f"{name}/*") if os.path.isfile(path) for word in WORDS if word in text_of(path)])
    expect("README", len(text_of(f"{name}/README.md").splitlines()) <= 10)
    expect("the emitters are there", f"{name}_set_level(uint32_t level)" in text_of(f"{name}/b/{name}_events.h"))
    warns_of_nothing(name)
    return said


def project():
    said = made("demo")
    expect("what was chosen is said", "model demo, letter d, PRV types 500 and 501" in said)
    # The README says how a change is taken.
    replace("demo/demo.c", ".value = 2", ".value = 7")
    for name in ("trace", "program"):
        run(["meson", "test", "-C", "demo/b", name], status=1)
    env["UPDATE"] = "1"
    run(["meson", "test", "-C", "demo/b", "trace"])
    del env["UPDATE"]
    run(["meson", "test", "-C", "demo/b"])
    expect("it was taken", ":500:7" in text_of("demo/expected.prv"))
    # A program that emits something else.
    replace("demo/program.c", "set_level(2)", "set_level(3)")
    run(["meson", "test", "-C", "demo/b", "program"], status=1)


def json():
    made("plain", "--json")
    expect("the schema", '/share/ovniscope/model.schema.json"' in text_of("plain/plain.json") and "ovniemu --model plain.json" in text_of("plain/README.md"))


def reserved():
    """The name of the model is no target of meson: "test" would be one of its own."""
    run(["ovniscope-model", "new", "-q", "test"])
    run(["sh", "-c", "cd test && meson setup b && ninja -C b"])


def second():
    said = run(["ovniscope-model", "new", "--model", "demo/b/demo_model.so", "some/dd2"], both=True)
    expect(f"another letter and other types: {said}", "model dd2, letter a, PRV types 502 and 503" in said)
    run(["meson", "setup", "some/dd2/b", "some/dd2"])
    run(["meson", "test", "-C", "some/dd2/b"])
    os.mkdir("models")
    for path in ("demo/b/demo_model.so", "some/dd2/b/dd2_model.so"):
        shutil.copy(path, "models")
    env["OVNISCOPE_MODELS"] = "models"
    expect("both are known", "dd2" in run(["ovnievents", "--json"]))
    del env["OVNISCOPE_MODELS"]


def refused():
    for words, status, told in ((["Demo"], 2, "a small letter is expected"), ([""], 2, "a small letter is expected"), (["de-mo"], 2, "a small letter is expected"), (["x" * 33], 2, "a small letter is expected"),
                                (["program"], 2, "another one is expected"), ([], 2, "the name of the model is needed"), (["nosv"], 1, "there is a model nosv"), (["demo"], 1, "is not empty"), (["demo", "x"], 2, "one argument too many")):
        said = run(["ovniscope-model", "new", *words], status=status)
        expect(f"refused {words}: {said}", told in said)
    before = text_of("some/dd2/dd2.c")
    run(["ovniscope-model", "new", "-q", "--force", "--model", "demo/b/demo_model.so", "some/dd2"])
    expect("--force", text_of("some/dd2/dd2.c") == before)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        Installed(tmp, BUILD, "ovniscope")
        tools = [path for path in glob.glob(f"{tmp}/inst/**/ovniscope-model", recursive=True) if "completion" not in path]
        expect("the tool is installed once", len(tools) == 1)
        env["PATH"] = os.path.dirname(tools[0]) + ":" + env["PATH"]
        env.pop("OVNISCOPE_MODELS", None)
        os.chdir(tmp)
        project()
        json()
        reserved()
        second()
        refused()
    print("a new project builds and passes")


if shutil.which("meson"):
    main()
else:
    print("skipped: no meson in PATH")
