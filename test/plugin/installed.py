#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""With what is installed, and nothing else, a model can be built in C and C++, and the installed tools take it.

usage: installed.py SOURCE_ROOT BUILD_ROOT
"""
import glob
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "uscope"))
from installkit import COMPILERS, Installed, expect, run  # noqa: E402

root, build = (os.path.abspath(a) for a in sys.argv[1:3])

with tempfile.TemporaryDirectory() as tmp:
    inst = Installed(tmp, build, "ovniscope")
    inst.check_headers("ovniscope/model.h", "ovniscope/event.h")
    tool = glob.glob(f"{tmp}/inst/**/ovnievents", recursive=True)
    tool = [t for t in tool if "completion" not in t]
    for cc, std in COMPILERS:
        if not shutil.which(cc):
            continue
        cplusplus = "++" in cc
        std = "gnu++17" if cplusplus else std  # C++ of earlier years has no designated initializers, even as an extension
        so = f"{tmp}/{cc}-{std}.so"
        run([cc, "-x", "c++" if cplusplus else "c", f"-std={std}", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-shared", "-fPIC",
             *inst.flags, "-o", so, f"{root}/test/plugin/demo.c"] + (["-Wno-c99-designator", "-Wno-c++20-designator"] if cc == "clang++" else []))
        expect(f"{cc}: the model is known", "## demo (`x`)" in run([*tool, "--model", so]))
print("models can be built with what is installed")
