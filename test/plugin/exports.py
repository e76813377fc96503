#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tools export to models what their header declares, and nothing else but what --prism-hooks needs.

usage: exports.py SYMBOLS TOOL...
"""
import re
import subprocess
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    declared = set(re.findall(r"^\t(\w+);$", f.read(), re.M))
bad = [] if declared else ["nothing is declared"]
for tool in sys.argv[2:]:
    nm = subprocess.run(["nm", "-D", "--defined-only", tool], check=True, capture_output=True, text=True).stdout
    # what has a version belongs to libc
    exported = {line.split()[-1] for line in nm.splitlines() if "@" not in line and " prism_" not in line}
    bad += [f"{tool}: declared, not exported: {s}" for s in sorted(declared - exported)]
    bad += [f"{tool}: exported, not declared: {s}" for s in sorted(exported - declared)]
print("\n".join(bad), end="\n" if bad else "")
sys.exit(1 if bad else 0)
