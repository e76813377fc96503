#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A design simulated by Verilator traces itself, and the trace is what the design does.

usage: verilator.py SOURCE_ROOT DIR_OF_LIBUSCOPE DPI_CHECK

Exit status 77 (skipped) without Verilator 5 and a C++ compiler.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

CYCLES = 2500

root, lib, check = (os.path.abspath(a) for a in sys.argv[1:4])


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def run(words, **more):
    p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)
    if p.returncode:
        sys.exit(f"{' '.join(words)}: status {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout, p.stderr


for name in ("verilator", "make", "g++"):
    if not shutil.which(name):
        skip(f"there is no {name}: scripts/deps test installs it")
version = run(["verilator", "--version"])[0]
if int(re.search(r"Verilator (\d+)\.", version).group(1)) < 5:
    skip(f"{version.strip()} is older than 5")

with tempfile.TemporaryDirectory() as tmp:
    # The package makes no warnings in the designs of others.
    with open(f"{tmp}/other.sv", "w", encoding="utf-8") as f:
        f.write("module other; import uscope_dpi::*;\nchandle w; initial w = uscope_open(\"a\");\n"
                "final uscope_close(w); endmodule\n")
    out, err = run(["verilator", "--lint-only", "-Wall", "-Wno-fatal",
                    f"{root}/src/lib/uscope/uscope_dpi.sv", f"{tmp}/other.sv"], cwd=tmp)
    if out or err:
        sys.exit(out + err)
    # Compiling takes longer than simulating: no optimisation.
    run(["verilator", "--binary", "--timing", "-j", "2", "--top-module", "issue_queue", "-Mdir", "obj",
         f"{root}/src/lib/uscope/uscope_dpi.sv", f"{root}/test/uscope/dpi/issue_queue.sv",
         "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
         "-LDFLAGS", f"-L{lib} -luscope_dpi -luscope -Wl,-rpath,{lib}"], cwd=tmp)
    for misuse, status, message in (
            ([], "status 0\n", r"^$"),
            (["+misuse"], "status -3\n", r"^uscope: the trace has an error: E_ARG, .+\n$")):
        trace = f"{tmp}/queue.uscp"
        out, err = run([f"{tmp}/obj/Vissue_queue", f"+trace={trace}", f"+cycles={CYCLES}", *misuse], cwd=tmp)
        if status not in out or not re.search(message, err):
            sys.exit(f"the simulation said:\n{out}{err}")
        run([check, trace, str(CYCLES)])
        os.remove(trace)
print(f"{CYCLES} cycles, two times: the trace is what the design does")
