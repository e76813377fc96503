#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files as strings of C: {"FOLDER/NAME", "TEXT"}, for an array.

usage: embed.py OUT FILE...
"""
import json
import os
import sys

with open(sys.argv[1], "w", encoding="utf-8") as out:
    for path in sys.argv[2:]:
        with open(path, encoding="ascii") as f:
            lines = "\n\t\t".join(json.dumps(line) for line in f)
        out.write(f'\t{{\n\t\t"{"/".join(path.split(os.sep)[-2:])}",\n\t\t{lines},\n\t}},\n')
