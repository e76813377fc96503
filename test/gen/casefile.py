# SPDX-License-Identifier: MIT
"""A test case in one file: what goes in and what must come out, in sections.

    == in.txt
    loom node.0 cpus 0:0
    ...
    == default/thread.prv compat/thread.prv
    #Paraver ...

A line '== NAME...' begins the content of the files of these names, which goes on to the next such
line. Content is kept to the byte. A line of it that looks like a mark, with or without backslashes
in front, is written with one backslash more; content whose last line has no newline has a mark that
ends with NO_NEWLINE. The bytes need not be UTF-8. A case without sections is an error.

usage: casefile.py FILE              the names of the sections
       casefile.py FILE NAME         the content of one
       casefile.py FILE --unpack DIR writes each to a file of its name
       casefile.py FILE --pack DIR   makes FILE of all files in DIR
"""
import os
import re
import sys

MARK = "== "
NO_NEWLINE = " (no newline at the end)"
LOOKS_LIKE_MARK = re.compile(rf"\\*{MARK}")


class CaseError(Exception):
    pass


def decode(data):
    return data.decode("utf-8", errors="surrogateescape")


def encode(text):
    return text.encode("utf-8", errors="surrogateescape")


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def parse(text, path="case file"):
    """{name: content} in the order of the file"""
    sections, names, lines, ending = {}, [], [], "\n"

    def end():
        content = "\n".join(lines) + ending if lines else ""
        sections.update((name, content) for name in names)

    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        if not line.startswith(MARK):
            if not names:
                raise CaseError(f"{path}:{number}: no mark '{MARK}NAME' before the first content")
            lines.append(line[1:] if line.startswith("\\") and LOOKS_LIKE_MARK.match(line) else line)
            continue
        end()
        ending = "" if line.endswith(NO_NEWLINE) else "\n"
        names, lines = line.removesuffix(NO_NEWLINE).removeprefix(MARK).split(), []
        twice = [name for name in names if name in sections or names.count(name) > 1]
        if twice or not names:
            raise CaseError(f"{path}:{number}: {f'{twice[0]} is there twice' if twice else 'a mark without a name'}")
    end()
    return sections


def escape(line):
    return f"\\{line}" if LOOKS_LIKE_MARK.match(line) else line


def view(name):
    """What the two views of one output have in common: their content is written once when it is the same."""
    return re.sub("^(default|compat)/", "", name)


def text_of(sections):
    """The file with these sections; inverse of parse()."""
    groups = []
    for name, content in sections.items():
        group = next((g for g in groups if g[1] == content and view(g[0][0]) == view(name)), None)
        if group:
            group[0].append(name)
        else:
            groups.append(([name], content))
    out = []
    for names, content in groups:
        whole = content.endswith("\n") or not content
        out.append(MARK + " ".join(names) + ("" if whole else NO_NEWLINE))
        if content:
            out += [escape(line) for line in content.removesuffix("\n").split("\n")]
    return "".join(f"{line}\n" for line in out)


class Case:
    """The sections of a file, as text; other bytes than UTF-8 are surrogates."""

    def __init__(self, path):
        self.path = path
        self.sections = parse(decode(read_bytes(path)), path)
        if not self.sections:
            raise CaseError(f"{path}: no section")

    def __contains__(self, name):
        return name in self.sections

    def get(self, name, default=None):
        return self.sections.get(name, default)

    def has(self, folder):
        """Whether a section is of this folder."""
        return any(name.startswith(f"{folder}/") for name in self.sections)

    def set(self, name, content):
        """Replaces a section, in the file too."""
        self.sections[name] = content
        with open(self.path, "wb") as f:
            f.write(encode(text_of(self.sections)))

    def unpack(self, top, wanted=lambda name: True):
        """The sections as files in that directory."""
        for name, content in self.sections.items():
            if wanted(name):
                os.makedirs(os.path.dirname(f"{top}/{name}"), exist_ok=True)
                with open(f"{top}/{name}", "wb") as f:
                    f.write(encode(content))


def find(top, suffix=".case"):
    """(name, path) of all cases below a directory"""
    for where, folders, files in os.walk(top):
        folders.sort()
        for file in sorted(files):
            if file.endswith(suffix):
                path = os.path.join(where, file)
                yield os.path.relpath(path, top).removesuffix(suffix), path


ORDER = ("types", "args", "in.txt", "make.sh", "run.sh")


def pack(top):
    """{name: content} of the files in a directory: inputs first"""
    names = [os.path.relpath(os.path.join(where, f), top) for where, _, files in os.walk(top) for f in files]
    inputs = [name for name in ORDER if name in names]
    return {name: decode(read_bytes(f"{top}/{name}"))
            for name in inputs + sorted(set(names) - set(inputs), key=lambda n: ("/" in n, view(n), n[0] != "d"))}


def main(argv):
    if len(argv) == 4 and argv[2] == "--pack":
        with open(argv[1], "wb") as f:
            f.write(encode(text_of(pack(argv[3]))))
    elif len(argv) == 4 and argv[2] == "--unpack":
        Case(argv[1]).unpack(argv[3])
    elif len(argv) == 3 and argv[2] in Case(argv[1]):
        sys.stdout.buffer.write(encode(Case(argv[1]).get(argv[2])))
    elif len(argv) == 2:
        print("\n".join(Case(argv[1]).sections))
    else:
        sys.stderr.write(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
