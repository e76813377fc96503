#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is installed is whole: programs with their pages and completions, documents whose links lead somewhere, pages that name
what is there, and examples that build and run.

usage: installed.py SOURCE_ROOT BUILD_ROOT
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "uscope"))
from installkit import Installed, env, expect, run  # noqa: E402

root, build = (os.path.abspath(a) for a in sys.argv[1:3])


def the(pattern):
    found = glob.glob(pattern, recursive=True)
    expect(f"{pattern} is installed once: {found}", len(found) == 1)
    return found[0]


def names(pattern):
    return {os.path.basename(p) for p in glob.glob(pattern, recursive=True)}


def programs(prefix):
    have = names(f"{prefix}/bin/*")
    pages = {os.path.splitext(p)[0] for p in names(f"{prefix}/share/man/man1/*.1")}
    expect(f"each program has a page: {have - pages}", have <= pages)
    expect(f"each program has a completion: {have}", have == names(f"{prefix}/share/bash-completion/completions/*"))
    expect("the programs are there", {"ovniemu", "ovnidump", "uscope", "ovniscope-prism", "ovniscope-laplace", "ovniscope-model"} <= have)
    for name in have - {"ovniemu-mpi", "ovnisync"}:  # these begin MPI
        run([f"{prefix}/bin/{name}", "--version"])
    expect("the tracer is there", the(f"{prefix}/**/libovniscope-prism-trace.so"))
    for header in "ovni.h", "ovni_emit.h", "prism.h", "prism_hooks.h", "prism_ipc.h", "prism_machine.h", "uscope.h", "uscope_dpi.h", "ovniscope/model.h":
        expect(f"{header} is there", os.path.exists(f"{prefix}/include/{header}"))
    expect("what pkg-config knows", names(f"{prefix}/**/pkgconfig/*.pc") >= {"ovni.pc", "prism.pc", "uscope.pc", "ovniscope.pc"})


def pages(tree, prefix):
    """Each path in a page is there, and none is one of the sources."""
    for page in glob.glob(f"{prefix}/share/man/man*/*"):
        with open(page, encoding="utf-8") as f:
            text = f.read()
        at = os.path.basename(page)
        expect(f"{at} has no place that is not filled in", not re.search(r"@\w+@", text))
        expect(f"{at} is among the documents", os.path.exists(f"{prefix}/share/doc/ovniscope/man/{at}"))
        for path in re.findall(r"^\.(?:It )?Pa (\S+)", text, re.M):
            expect(f"{at}: {path} is no place in the sources", "/" not in path or not os.path.exists(f"{root}/{path}"))
            expect(f"{at}: {path} is installed", not path.startswith(tree) or os.path.exists(f"{prefix}{path[len(tree):]}"))


def documents(docs):
    for name in ["*.md", "format/*.md", "models/*.md", "pictures/*", "examples/*.[cp]*"]:
        missing = names(f"{root}/doc/{name}") - names(f"{docs}/{name}")
        expect(f"all of doc/{name} is installed: {missing}", not missing)
    for path in glob.glob(f"{docs}/**/*.md", recursive=True):
        with open(path, encoding="utf-8") as f:
            links = re.findall(r"\]\(([^)#:]+)[#)]", f.read())
        for link in links:
            to = os.path.normpath(f"{os.path.dirname(path)}/{link}")
            # What is above the documents is of the sources.
            expect(f"{path}: {link} is there", os.path.exists(to) or not to.startswith(docs))


def examples(inst, prefix, docs, tmp):
    emu = f"{prefix}/bin/ovniemu"
    with open(f"{tmp}/program.txt", "w", encoding="ascii") as f:
        f.write(run(["python3", f"{docs}/examples/prism_program.py"]))
    run([f"{prefix}/bin/ovniscope-prism", "encode", f"{tmp}/program.txt", f"{tmp}/program.prism"])
    with open(f"{docs}/prism.md", encoding="utf-8") as f, open(f"{tmp}/cache.c", "w", encoding="utf-8") as to:
        to.write(re.search(r"<!-- test: cache.c -->\n```c\n(.*?)^```$", f.read(), re.S | re.M).group(1))
    run(["cc", "-Wall", "-Werror", "-shared", "-fPIC", *inst.ask("--cflags", "prism"), "-o", f"{tmp}/cache.so", f"{tmp}/cache.c"])
    for name, says in (f"{tmp}/cache.so", "misses"), ("profile", "caller -> callee"), ("locks", "who waited for whom"), ("reuse", "accesses"):
        out = run([emu, "-q", "-f", "none", "--prism", f"{tmp}/program.prism", "--prism-hooks", name])
        expect(f"{name} says {says}: {out}", says in out)
    with open(f"{docs}/man/ovniscope-analyses.7", encoding="utf-8") as f:
        text = f.read()
    for analysis in names(f"{prefix}/**/ovniscope/prism/*.so"):
        expect(f"{analysis} has a part in the page", re.search(rf"\b{analysis[:-3]}\b", text))
    inst.flags = inst.ask("--cflags", "--libs", "uscope")
    for name in "uscope_write", "uscope_read":
        inst.compile(f"{docs}/examples/{name}.c", f"{tmp}/{name}")
    inst.flags = inst.ask("--cflags", "--libs", "ovni") + ["-pthread"]
    for name in "heat", "twoproc":
        inst.compile(f"{docs}/examples/{name}.c", f"{tmp}/{name}")
    with open(f"{tmp}/main.c", "w", encoding="ascii") as f:
        f.write("static int __attribute__((noinline)) f(int x) { return x + 1; }\nint main(void) { return f(-1); }\n")
    run(["cc", "-O0", "-finstrument-functions", f"{tmp}/main.c", "-o", f"{tmp}/main"])
    subprocess.run([f"{tmp}/main"], check=True, env={**env, "PRISM_TRACE_DIR": f"{tmp}/trace", "LD_PRELOAD": the(f"{prefix}/**/libovniscope-prism-trace.so")})
    run([emu, "-q", "-o", f"{tmp}/traced", f"{tmp}/trace"])
    with open(f"{tmp}/traced/thread.pcf", encoding="utf-8") as f:
        expect("the tracer traces", " main\n" in f.read())


def main():
    with tempfile.TemporaryDirectory() as tmp:
        inst = Installed(tmp, build, "prism")
        prefix = os.path.dirname(os.path.dirname(the(f"{tmp}/inst/**/bin/ovniemu")))
        docs = f"{prefix}/share/doc/ovniscope"
        env["LD_LIBRARY_PATH"] = inst.libdir  # as a system has it in its configuration
        programs(prefix)
        pages(prefix[len(f"{tmp}/inst"):], prefix)
        documents(docs)
        examples(inst, prefix, docs, tmp)
    print("what is installed is whole")


if __name__ == "__main__":
    main()
