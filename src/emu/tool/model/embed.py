#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files as strings of C: {"NAME", "TEXT"}, for an array.

usage: embed.py OUT FILE...
"""
import json
import os
import sys

with open(sys.argv[1], "w", encoding="utf-8") as out:
    for path in sys.argv[2:]:
        with open(path, encoding="ascii") as f:
            lines = "\n\t\t".join(json.dumps(line) for line in f)
        out.write(f'\t{{\n\t\t"{os.path.basename(path)}",\n\t\t{lines},\n\t}},\n')
