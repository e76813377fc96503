#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Big-endian machines are refused by name: by the build, and by headers without it.

usage: byteorder.py SOURCE_ROOT COMPILER...
"""
import os
import subprocess
import sys
import tempfile

ROOT, *CC = sys.argv[1:]
CROSS = """[binaries]
c = [{}]
pkg-config = 'pkg-config'
[host_machine]
system = 'linux'
cpu_family = 's390x'
cpu = 's390x'
endian = 'big'
"""
HEADERS = ["lib/little.h", "lib/ovni/ovni_emit.h", "lib/ovni/wire.h", "lib/ovni/tail.h", "lib/uscope/layout.h",
           "lib/laplace/ref.h", "lib/prism/bits.h", "emu/base/fmt.h"]
found = []


def call(*words):
    p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return p.returncode, p.stdout + p.stderr


with tempfile.TemporaryDirectory() as tmp:
    with open(f"{tmp}/cross", "w", encoding="utf-8") as f:
        f.write(CROSS.format(", ".join(f"'{x}'" for x in CC)))
    status, said = call("meson", "setup", "--cross-file", f"{tmp}/cross", f"{tmp}/build", ROOT)
    if status == 0 or "the host machine (s390x) is big-endian: all formats are little-endian" not in said:
        found.append(f"meson: status {status}: {said}")
for_all = ["-std=gnu11", "-fsyntax-only", "-I", f"{ROOT}/src/lib", "-I", f"{ROOT}/src/lib/laplace", "-x", "c"]
for header in HEADERS:
    status, said = call(*CC, "-U__BYTE_ORDER__", "-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__", *for_all, os.path.join(ROOT, "src", header))
    if status == 0 or "little-endian" not in said:
        found.append(f"{header}: status {status}: {said}")
print(*found, sep="\n")
sys.exit(bool(found))
