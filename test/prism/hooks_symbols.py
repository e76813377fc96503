#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniemu exports to tools what prism_hooks.h declares and what names things, and nothing else;
so does the list of its symbols, and prism_hooks(3) describes what is declared.

usage: hooks_symbols.py SOURCE_ROOT OVNIEMU
"""
import re
import subprocess
import sys

root, emu = sys.argv[1:3]


def read(path):
    with open(f"{root}/{path}", encoding="utf-8") as f:
        return re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)


hooks = set(re.findall(r"^(?:int |const char \*)(prism_\w+)\(", read("src/lib/prism/prism_hooks.h"), re.M))
names = set(re.findall(r"^const char \*(prism_\w+)\(unsigned ", read("src/lib/prism/prism.h"), re.M))
listed = set(re.findall(r"^\t(\w+);$", read("src/emu/tool/hooks.symbols"), re.M))
nm = subprocess.run(["nm", "-D", "--defined-only", emu], check=True, capture_output=True, text=True).stdout
# what has a version belongs to libc: variables that the program and its libraries share; others are for models
exported = {line.split()[-1] for line in nm.splitlines() if "@" not in line}
exported = {s for s in exported if not s.startswith(("emu_", "run_", "task_"))}

bad = [f"declared, not listed: {s}" for s in sorted((hooks | names) - listed)]
bad += [f"listed, not declared: {s}" for s in sorted(listed - hooks - names)]
bad += [f"listed, not exported: {s}" for s in sorted(listed - exported)]
bad += [f"exported, not listed: {s}" for s in sorted(exported - listed)]
page = read("doc/man/prism_hooks.3")
bad += [f"not in prism_hooks(3): {s}" for s in sorted(hooks) if not re.search(rf"^\.Fn {s} ", page, re.M)]
if len(hooks) != 13 or len(names) != 6:
    bad.append(f"{len(hooks)} functions of hooks, {len(names)} of names")
print("\n".join(bad), end="\n" if bad else "")
sys.exit(1 if bad else 0)
