#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The functions that a header declares, as a list for the linker: executables export them.

usage: symbols.py HEADER OUTPUT
"""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
names = re.findall(r"^(?!static|typedef|#|\s)[\w ]+[ *]((?:emu|run|task)_\w+)\(", text, re.M)
with open(sys.argv[2], "w", encoding="utf-8") as f:
    f.write("{\n" + "".join(f"\t{name};\n" for name in names) + "};\n")
