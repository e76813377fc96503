# SPDX-License-Identifier: MIT
"""Shared libraries export what their headers declare and nothing else; the man page has it.

usage: symbols.py PREFIX PAGE HEADER LIBRARY [HEADER LIBRARY...]

A header stands for those of its folder, too, that it includes and that are not given. A library may have several.
"""
import os
import re
import subprocess
import sys


def functions(path):
    """Declared in the header, and defined there."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    beside = [os.path.join(os.path.dirname(path), name) for name in re.findall(r'^#include "(\w+\.h)"', text, flags=re.M)]
    given = [os.path.realpath(p) for p in sys.argv[3::2]]
    more = [functions(p) for p in beside if os.path.exists(p) and os.path.realpath(p) not in given]
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    text = re.sub(r'^\s*#(.*\\\n)*.*$', '', text, flags=re.M)
    declared = set(re.findall(rf'\b({prefix}\w+)\([^;{{]*\);', text))
    inline = set(re.findall(rf'^({prefix}\w+)\([^;]*\)\n{{', text, flags=re.M))
    return declared.union(*(d for d, _ in more)), inline.union(*(i for _, i in more))


prefix = sys.argv[1]
with open(sys.argv[2], encoding='utf-8') as f:
    page = f.read()
bad = []
n = 0
for library in dict.fromkeys(sys.argv[4::2]):
    of_headers = [functions(h) for h, its in zip(sys.argv[3::2], sys.argv[4::2]) if its == library]
    declared, inline = (set().union(*sets) for sets in zip(*of_headers))
    nm = subprocess.run(['nm', '-D', '--defined-only', library], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[2] for line in nm.splitlines()}
    bad += [f'declared, not exported: {s}' for s in sorted(declared - exported)]
    bad += [f'exported, not declared: {s}' for s in sorted(exported - declared)]
    bad += [f'not in the man page: {s}' for s in sorted(declared | inline) if not re.search(rf'\b{s}\b', page)]
    n += len(declared | inline)
print('\n'.join(bad) if bad else f'{n} functions')
sys.exit(1 if bad or not n else 0)
