# SPDX-License-Identifier: MIT
"""What the tests of Laplace traces share: a worked example, its forms, and timelines as lists.

The example: two tasks, a fork, copy on write, a file, and the kernel; 4096 is its first cycle.
What it must give stands in the tests: timelines in emulate.py, merges in tool.py, tables in
uscope.py.
"""
import struct

KERNEL = """\
A 1000 77 9f8e7
m 1010 77 8048000 3000
S 1020 77
F 1100 100 77
A 1110 100 9f8e8
D 1120 9f8e7 9f8e8 8048000 804b000
S 1200 100
C 1210 100 8048000
M 1220 100 1a2b3000 9000 8efa5567 35 5 0 foobar.so
T 1300 100
u 1308 9f8e8
S 1310 77
"""
REFS = """\
i 1030 4 9f8e7 8048000
r 1031 4 9f8e7 8049ffe
w 1032 4 9f8e7 804a010
r 1130 4 9f8e7 c0100000
i 1201 2 9f8e8 8048004
w 1215 4 9f8e8 8048800
r 1230 8 9f8e8 1a2b3c48
r 1305 4 9f8e8 c0100000
i 1320 3 9f8e7 8048010
"""

failures = []


def check(ok, *what):
    if not ok:
        failures.append(" ".join(str(w) for w in what))


def finish():
    """The exit status."""
    print("\n".join(failures) if failures else "all as expected")
    return 1 if failures else 0


def write(path, data):
    with open(path, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


# ---- Forms of a trace. ----

def binary(text, order="<"):
    """References in text as the bytes of records."""
    records = (line.split() for line in text.splitlines())
    return b"".join(struct.pack(order + "BQBII", ord(kind), *(int(x, 16) for x in numbers)) for kind, *numbers in records)


def interleave(*texts):
    """Lines by timestamp, those of the first text first where they are equal."""
    lines = [(int(x.split()[1], 16), k, i, x) for k, text in enumerate(texts or (KERNEL, REFS)) for i, x in enumerate(text.splitlines())]
    return "".join(x + "\n" for *_, x in sorted(lines))


# ---- Timelines. ----

def read_prv(path):
    """(row, type) -> [(time, value)]"""
    rows = {}
    with open(path, encoding="utf-8") as f:
        for line in f.read().splitlines()[1:]:
            p = [int(x) for x in line.split(":")]
            for kind, value in zip(p[6::2], p[7::2]):
                rows.setdefault((p[4], kind), []).append((p[5], value))
    return rows


def sequences(path):
    """The same without the 0 that each begins with."""
    return {key: s[1:] if s[0] == (0, 0) else s for key, s in read_prv(path).items()}


def text_of(s):
    return " ".join(f"{t}:{v}" for t, v in s)


def value_at(s, time):
    return next((v for t, v in reversed(s) if t <= time), 0)
