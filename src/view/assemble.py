#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page: one HTML file out of page.html, style.css and the modules that app.js and worker.js import.

usage: assemble.py FOLDER VERSION PAGE.html HEADER.h DEPFILE

Each program is its modules behind each other, imported ones first, in one strict function. That needs no parser, as
the modules keep some rules; a file that does not ends the build:
  import { a, b } from "./name.js";     on one line, names unchanged
  export function|class|const|let NAME  declarations only; no two modules of a program declare the same name at column 0
  no template literal over several lines, as tabs that begin a line are dropped
Lines that are only a comment are dropped, too. The programs are in the page as base64 of deflate, which loader.js unpacks
and starts. HEADER.h has the page as two arrays of bytes: before and behind the mark of the data.
"""
import base64
import hashlib
import os
import re
import sys
import zlib

DATA = "<!-- ovniscope:data -->"
SIZE_MAX = 100_000

IMPORT = re.compile(r'import \{ ((?:[\w$]+, )*[\w$]+) \} from "\./([\w./-]+\.js)";$')
EXPORT = re.compile(r"export (?=(?:async )?(?:function\*?|class|const|let) )")
DECLARED = re.compile(r"(?:async )?(?:function\*?|class|const|let|var) ([\w$]+|[{\[][^=]*[}\]] =)")
UNSAFE = re.compile(r"<!--|<script|</s(?:cript|tyle)", re.IGNORECASE)  # would end the element, or hide its end


def fail(path, number, what):
    sys.exit(f"{path}:{number}: {what}")


class Program:
    """The modules of a program, in an order in which each stands behind those that it imports."""

    def __init__(self, folder, files):
        self.folder = folder
        self.files = files  # all that were read, for the depfile
        self.lines = []
        self.exports = {}  # by module; None: it is being read
        self.names = {}  # declared at column 0, with their module

    def add(self, name):
        if name in self.exports:
            return
        path = os.path.join(self.folder, name)
        self.files.append(path)
        self.exports[name] = None
        exports, lines = set(), []
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                line = line.rstrip()
                if line.startswith("import"):
                    self.take_import(path, number, line)
                    continue
                self.check(path, number, line)
                exported = EXPORT.match(line)
                line = line[exported.end():] if exported else line
                m = DECLARED.match(line)
                for declared in re.findall(r"[\w$]+", m.group(1)) if m else []:
                    if declared in self.names:
                        fail(path, number, f"{self.names[declared]} declares {declared}, too")
                    self.names[declared] = name
                    exports |= {declared} if exported else set()
                line = line.lstrip("\t")
                if line and not line.startswith("//"):
                    lines.append(line)
        self.exports[name] = exports
        self.lines += lines

    def take_import(self, path, number, line):
        m = IMPORT.match(line)
        if not m:
            fail(path, number, 'not of the form: import { a } from "./name.js";')
        name = os.path.normpath(os.path.join(os.path.dirname(os.path.relpath(path, self.folder)), m.group(2)))
        self.add(name)
        if self.exports[name] is None:
            fail(path, number, f"{name} imports this module, directly or not")
        for want in m.group(1).split(","):
            if want.strip() not in self.exports[name]:
                fail(path, number, f"{name} does not export {want.strip()}")

    @staticmethod
    def check(path, number, line):
        if line.startswith("export") and not EXPORT.match(line):
            fail(path, number, "exports that are no declarations")
        if UNSAFE.search(line):
            fail(path, number, "HTML in a script: write it as two strings")
        if not line.lstrip().startswith("//") and line.replace("\\`", "").count("`") % 2:
            fail(path, number, "a template literal over several lines")

    def text(self):
        return "\n".join(['(() => {"use strict";', *self.lines, "})();", ""])


def style(path):
    with open(path, encoding="utf-8") as f:
        lines = [line.strip() for line in f]
    text = "\n".join(line for line in lines if line and not re.fullmatch(r"/\*[^*]*\*/", line)) + "\n"
    if UNSAFE.search(text):
        sys.exit(f"{path}: HTML in a style")
    return text


def packed(program, name):
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    data = base64.b64encode(deflate.compress(program.text().encode()) + deflate.flush()).decode()
    return f'<script type="text/plain" id="{name}-code">{data}</script>'


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy(main, css):
    """What the page may do: nothing with the network but to read the file that it was served with."""
    rules = ["default-src 'none'", f"script-src {digest(main)} blob:", "worker-src blob:", f"style-src {digest(css)}",
             "img-src data: blob:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"]
    return "; ".join(rules)


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def array(name, data):
    rows = [",".join(map(str, data[i:i + 32])) for i in range(0, len(data), 32)]
    return f"static const uint8_t {name}[] = {{\n" + ",\n".join(rows) + ",\n};\n"


def main():
    folder, version, out, header, depfile = sys.argv[1:]
    files = [os.path.join(folder, name) for name in ("page.html", "style.css")]
    programs = {}
    for name in ("worker.js", "app.js", "loader.js"):
        programs[name] = Program(folder, files)
        programs[name].add(name)
    loader = programs["loader.js"].text()
    css = style(files[1])
    with open(files[0], encoding="utf-8") as f:
        page = f.read()
    marks = {
        "@version": version,
        "<!-- @policy -->": f'<meta http-equiv="Content-Security-Policy" content="{policy(loader, css)}">',
        "<!-- @style -->": f"<style>{css}</style>",
        "<!-- @worker -->": packed(programs["worker.js"], "worker"),
        "<!-- @main -->": packed(programs["app.js"], "main") + f"<script>{loader}</script>",
        DATA: DATA,
    }
    for mark in marks:
        if page.count(mark) != 1:
            sys.exit(f"{files[0]}: not exactly one {mark}")
    page = re.sub("|".join(map(re.escape, marks)), lambda m: marks[m.group()], page)
    size = len(page.encode())
    print(f"{os.path.basename(out)}: {size} bytes")
    if size > SIZE_MAX:
        sys.exit(f"{out}: the page is larger than {SIZE_MAX} bytes")
    write(out, page)
    before, behind = page.split(DATA)
    write(header, array("page_before", before.encode()) + array("page_behind", behind.encode()) +
          f'#define PAGE_POLICY "{policy(loader, css)}"\n')
    write(depfile, f"{out} {header}: {' '.join(path.replace(' ', chr(92) + ' ') for path in files)}\n")


main()
