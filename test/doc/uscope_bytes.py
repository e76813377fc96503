#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The bytes in doc/format/uscope.md are those that the writer writes.

usage: uscope_bytes.py SOURCE_ROOT USCOPE_SAMPLE

A comment before a block names the file: <!-- uscope: NAME -->. Lines are an offset in
hexadecimal, bytes, and a remark behind '|'. The blocks of small.uscp are all of it.
"""
import os
import re
import subprocess
import sys
import tempfile

root, sample = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
with open(f"{root}/doc/format/uscope.md", encoding="utf-8") as f:
    blocks = re.findall(r"^<!-- uscope: (\S+) -->\n```\w*\n(.*?)^```$", f.read(), re.S | re.M)
bad = n = 0
end = 0  # of what was shown of small.uscp
with tempfile.TemporaryDirectory() as tmp:
    subprocess.run([sample, tmp], check=True)
    files = {}
    for name in os.listdir(tmp):
        with open(f"{tmp}/{name}", "rb") as f:
            files[name] = f.read()
for name, text in blocks:
    for line in text.splitlines():
        n += 1
        at, want = int(line[:6], 16), bytes.fromhex(line[6:].split("|")[0])
        got = files[name][at:at + len(want)]
        if got != want or not want:
            bad += 1
            print(f"{name}: {line}\n{name}: {got.hex(' ')} is there")
        if name == "small.uscp":
            if at != end:
                bad += 1
                print(f"{name}: nothing shown from {end:06x} to {at:06x}")
            end = at + len(want)
missing = set(files) - {name for name, _ in blocks}
if missing or end != len(files["small.uscp"]):
    bad += 1
    print(f"not shown: {' '.join(missing)}, small.uscp from {end:06x}")
print(f"{n} lines, {bad} wrong")
sys.exit(1 if bad or not n else 0)
