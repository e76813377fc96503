# SPDX-License-Identifier: MIT
"""The shared library exports the interface and nothing else.

usage: symbols.py ovni.h libovni.so [libovni.3]

Every function that the header declares is exported, and the other way round; with a
third argument, the man page names them all.
"""
import re
import subprocess
import sys

text = re.sub(r'/\*.*?\*/', '', open(sys.argv[1]).read(), flags=re.S)
text = re.sub(r'^#.*$', '', text, flags=re.M)
declared = set(re.findall(r'\b(ovni_\w+)\([^;{]*\);', text))
nm = subprocess.run(['nm', '-D', '--defined-only', sys.argv[2]], check=True,
                    capture_output=True, text=True).stdout
exported = {line.split()[2] for line in nm.splitlines()}

bad = [f'declared, not exported: {s}' for s in sorted(declared - exported)]
bad += [f'exported, not declared: {s}' for s in sorted(exported - declared - {'ovni_room'})]  # data of ovni_emit.h
undefined = subprocess.run(['nm', '-D', '--undefined-only', sys.argv[2]], check=True,
                           capture_output=True, text=True).stdout.split()
bad += [f'wanted of another library: {s}' for s in undefined if 'cJSON' in s]
if len(declared) != 36:
    bad.append(f'{len(declared)} functions, the interface has 36')
if len(sys.argv) > 3:
    page = open(sys.argv[3]).read()
    bad += [f'not in the man page: {s}' for s in sorted(declared)
            if not re.search(rf'\b{s}\b', page)]
print('\n'.join(bad), end='\n' if bad else '')
sys.exit(1 if bad else 0)
