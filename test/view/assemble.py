#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page is not built of modules that break its rules, nor above its size.

usage: assemble.py SOURCE_ROOT
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

VIEW = os.path.join(sys.argv[1], "src/view")
FINE = {"worker.js": "onmessage = () => 0;\n", "app.js": 'import { a } from "./x.js";\n\na();\n', "x.js": "export function a() {\n\treturn `${1}`;\n}\n"}
BAD = [
    ({"app.js": 'import a from "./x.js";\n'}, "app.js:1: not of the form"),
    ({"app.js": 'import { a as b } from "./x.js";\n'}, "app.js:1: not of the form"),
    ({"app.js": 'import { b } from "./x.js";\n'}, "app.js:1: x.js does not export b"),
    ({"x.js": 'import { c } from "./app.js";\nexport function a() {}\n'}, "x.js:1: app.js imports this module"),
    ({"x.js": "export function a() {}\nexport { a as c };\n"}, "x.js:2: exports that are no declarations"),
    ({"x.js": "export default 1;\nexport function a() {}\n"}, "x.js:1: exports that are no declarations"),
    ({"app.js": 'import { a } from "./x.js";\nconst a = 1;\n'}, "x.js declares a, too"),
    ({"x.js": "export const a = `1\n2`;\n"}, "x.js:1: a template literal over several lines"),
    ({"x.js": 'export const a = "</script>";\n'}, "x.js:1: HTML in a script"),
    ({"x.js": 'export const a = "<!--";\n'}, "x.js:1: HTML in a script"),
    ({"style.css": "a::after { content: \"</style>\"; }\n"}, "style.css: HTML in a style"),
    ({"page.html": "<html></html>\n"}, "page.html: not exactly one"),
    ({"x.js": "export const a = \"" + "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=200000)) + "\";\n"},
     "the page is larger than 100000 bytes"),
]


def build(files):
    """(status, what it says, the page) of a folder with these files in place of those of the project."""
    with tempfile.TemporaryDirectory(prefix="assemble-") as folder:
        for name in os.listdir(VIEW):
            if name.endswith((".html", ".css", ".py")) or name == "loader.js":
                shutil.copy(os.path.join(VIEW, name), folder)
        for name, text in (FINE | files).items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        out = os.path.join(folder, "out.html")
        p = subprocess.run([sys.executable, os.path.join(folder, "assemble.py"), folder, "version", out, out + ".h", out + ".d"],
                           capture_output=True, text=True, check=False)
        page = ""
        if os.path.exists(out):
            with open(out, encoding="utf-8") as f:
                page = f.read()
        return p.returncode, p.stdout + p.stderr, page


status, said, first = build({})
assert status == 0 and first, said
assert build({})[2] == first, "another page of the same files"
assert build({"x.js": "// more\n" + FINE["x.js"] + "\n\t// words\n"})[2] == first, "comments are in the page"
for wrong, why in BAD:
    status, said, made = build(wrong)
    assert status != 0 and why in said and not made, f"{wrong}: {status} {said[:300]}, not {why}"
