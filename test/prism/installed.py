#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An installed libprism can be linked, and the program of its man page does what it promises.

usage: installed.py SOURCE_ROOT BUILD_ROOT
"""
import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "uscope"))
from installkit import Installed, expect, run  # noqa: E402

root, build = (os.path.abspath(a) for a in sys.argv[1:3])

with tempfile.TemporaryDirectory() as tmp:
    inst = Installed(tmp, build, "prism")
    inst.check_headers("prism.h", "prism_hooks.h", "prism_ipc.h", "prism_machine.h")
    inst.compile_page(f"{root}/doc/man/libprism.3", f"{tmp}/page")
    out = run([f"{tmp}/page"])
    want = """0: config
2: config
4: sync
13: context, function enter main
19: memory, store of 8 bytes
27: end
"""
    expect(f"the program of the man page prints {want}, not {out}", out == want)
    needed = run(["readelf", "-d", f"{tmp}/page"])
    expect("it needs libprism.so.0", re.search(r"NEEDED.*\[libprism\.so\.0\]", needed))
    with open(f"{tmp}/run.prism", "wb") as f:
        f.write(b"\xa0\xe0" + b"\x0b" + b"\0" * 7 + b"\xc0")
    emu = glob.glob(f"{tmp}/inst/**/bin/ovniemu", recursive=True)
    expect("ovniemu is installed once", len(emu) == 1)
    out = run([emu[0], "-q", "-f", "prv", "-o", f"{tmp}/out", "--prism", f"{tmp}/run.prism", "--prism-hooks", "reuse"])
    expect(f"the analysis reuse counts an access: {out}", "1 accesses, 1 lines" in out)
print("what is installed can be used")
