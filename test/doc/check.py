#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The documents and the programs agree.

usage: check.py SOURCE_ROOT TOOL...

* every option that a tool lists with --help is in its man page, and the other way round;
  so is every subcommand, as .Ss NAME, with its options
* --help fits a terminal of 80 columns and 40 lines
* every error name of diag.h is in ovniemu(1)
* man pages have no mandoc warning, if mandoc is there
* relative links in *.md lead to a file, and to a heading of it
* so do comments of the sources that quote a section: doc/format/x.md, "Section"
* pictures say in words what they are, are in some document, and have less than 100 KB

The functions of libovni(3) are checked by test/ovni/symbols.py.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(sys.argv[1])
found = []


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def page_of(tool):
    path = f"{ROOT}/doc/man/{tool}.1"
    return read(path) if os.path.exists(path) else None


def options_of_page(page):
    """The items of option lists: .It Fl o Ar dir , Fl -output Ns = Ns Ar dir"""
    items = re.findall(r"^\.It (Fl .*)$", page, re.M)
    return {"-" + name for item in items for name in re.findall(r"Fl (\S+)", item)}


def options_of_help(text):
    head = [m.group(1) for m in re.finditer(r"^ {2,6}(-.*?)(?: {2}|$)", text, re.M)]
    return {name for item in head for name in re.findall(r"(?:^|, )(--?[\w-]+)", item)}


def help_of(words, name, option="--help"):
    """What --help prints, which has to fit a terminal."""
    text = subprocess.run([*words, option], capture_output=True, text=True, check=True).stdout
    lines = text.splitlines()
    found.extend(f"{name} {option}: {len(line)} columns: {line}" for line in lines if len(line) > 80)
    if len(lines) > 40:
        found.append(f"{name} {option}: {len(lines)} lines")
    # What is too much for a terminal is in parts.
    return text + "".join(help_of(words, name, part) for part in re.findall(r"^ +(--help-[a-z]+) ", text, re.M))


def check_commands(path, tool, text, page):
    """The options of all subcommands."""
    section = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.M)
    commands = re.findall(r"^  (\w+)", section.group(1), re.M) if section else []
    described = set(re.findall(r"^\.Ss ([a-z]+)$", page, re.M)) if commands else set()
    found.extend(f"{tool}.1: the command {c} is missing" for c in commands if c not in described)
    found.extend(f"{tool}.1: there is no command {c}" for c in sorted(described) if c not in commands)
    return {o for c in commands for o in options_of_help(help_of([path, c], f"{tool} {c}"))}


def check_tool(path):
    tool = os.path.basename(path)
    text = help_of([path], tool)
    page = page_of(tool)
    if page is None:
        found.append(f"{tool}: no man page")
        return
    listed, described = options_of_help(text), options_of_page(page)
    if not listed:
        found.append(f"{tool} --help: no options found")
    listed |= check_commands(path, tool, text, page)
    found.extend(f"{tool}.1: {o} is missing" for o in sorted(listed - described))
    found.extend(f"{tool}.1: {o} is not in --help" for o in sorted(described - listed))


def check_errors():
    names = re.findall(r'\bX\([A-Z_]+, "([a-z-]+)"', read(f"{ROOT}/src/emu/base/diag.h"))
    items = re.findall(r"^\.It Li (\S+)$", page_of("ovniemu"), re.M)
    found.extend(f"ovniemu.1: the error {n} is missing" for n in names if n not in items)
    found.extend(f"ovniemu.1: there is no error {n}" for n in items if n not in names)


def check_mandoc():
    if not shutil.which("mandoc"):
        print("skipped: no mandoc that reads the man pages")
        return
    for path in sorted(glob.glob(f"{ROOT}/doc/man/*.[1-9]")):
        p = subprocess.run(["mandoc", "-Tlint", "-W", "warning", path], capture_output=True, text=True, check=False)
        # mandoc knows the libraries of BSD and no other
        found.extend(line for line in (p.stdout + p.stderr).splitlines() if "unknown library name" not in line)


def anchors(text):
    """The headings as GitHub and others name them."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


def documents():
    yield from glob.glob(f"{ROOT}/*.md")
    for top in ("doc", "test"):
        yield from glob.glob(f"{ROOT}/{top}/**/*.md", recursive=True)


def check_links():
    for path in documents():
        text = read(path)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            where = f"{os.path.relpath(path, ROOT)}: {target}"
            if not os.path.exists(to):
                found.append(f"{where}: no such file")
            elif anchor and anchor not in anchors(read(to)):
                found.append(f"{where}: no such heading")


def check_pictures():
    shown = set()
    for path in documents():
        for words, name in re.findall(r"!\[([^\]]*)\]\(([^)\s]+\.png)\)", read(path)):
            shown.add(os.path.normpath(os.path.join(os.path.dirname(path), name)))
            if len(words) < 10:
                found.append(f"{os.path.relpath(path, ROOT)}: {name} says not what it is")
    for path in sorted(glob.glob(f"{ROOT}/doc/pictures/*")):
        if path not in shown:
            found.append(f"{os.path.relpath(path, ROOT)}: in no document")
        if os.path.getsize(path) >= 100_000:
            found.append(f"{os.path.relpath(path, ROOT)}: {os.path.getsize(path)} bytes")


def check_quotes():
    for path in glob.glob(f"{ROOT}/src/**/*.[ch]", recursive=True):
        text = re.sub(r"\s*\n\s*(?:\*|//)\s*", " ", read(path))
        for name, heads in re.findall(r'(doc/[\w/]+\.md), ((?:(?:, | and )?"[^"]+")+)', text):
            where = f"{os.path.relpath(path, ROOT)}: {name}"
            if not os.path.exists(f"{ROOT}/{name}"):
                found.append(f"{where}: no such file")
                continue
            there = re.findall(r"^#+ (.*)$", read(f"{ROOT}/{name}"), re.M)
            found.extend(f"{where}: no section {h}" for h in re.findall(r'"([^"]+)"', heads) if h not in there)


for tool_path in sys.argv[2:]:
    check_tool(tool_path)
check_errors()
check_mandoc()
check_links()
check_pictures()
check_quotes()
print("\n".join(found) if found else "documents and programs agree")
sys.exit(1 if found else 0)
