#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names by number: streams with a table of names are as those that have their names in the events.

usage: names.py OVNIEMU OVNISCOPE_PRISM PRISM_PROFILE
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

EMU, TOOL, PROFILE = (os.path.abspath(a) for a in sys.argv[1:4])
END = b"\xc0"
NAMES = [b"main", b"x", "é".encode(), b"n" * 256, b"operator()", b"\"quoted\\", b"std::vector<int>::push_back(int&&)"]
BEGIN = b"\xa0\x00\xa4\x00\x45" + struct.pack("<Q", 7)
found = []


def check(what, good, detail=""):
    if not good:
        found.append(f"{what}: {detail}")


def run(program, *args, status=0, stdin=None):
    p = subprocess.run([program, *args], input=stdin, capture_output=True, check=False, timeout=60)
    check(f"{os.path.basename(program)} {' '.join(args)} ends with {status}", p.returncode == status, f"{p.returncode} {p.stderr.decode()[:500]}")
    return p.stdout, p.stderr.decode()


def tool(*args, **more):
    return run(TOOL, *args, **more)


def write(path, data):
    with open(path, "wb" if isinstance(data, bytes) else "w") as f:
        f.write(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def describe(name, **keys):
    write(f"{name}.json", json.dumps({"version": 1, "format": "prism", "events": f"{name}.prism", **keys}))


def heap(names):
    """The bytes of a table, and the number of each name."""
    data = b""
    numbers = {}
    for name in names:
        numbers[name] = len(data)
        data += bytes([len(name) - 1]) + name
    return data, numbers


def any_events(seed):
    """Functions, nets and operators that nest, as (type, name)."""
    rng = random.Random(seed)
    stack = []
    events = []
    for _ in range(300):
        kind = rng.choice((3, 6, 8))
        if stack and (len(stack) > 20 or rng.random() < 0.5):
            kind, name = stack.pop()
            events.append((kind + 1, name))
        else:
            stack.append((kind, rng.choice(NAMES)))
            events.append(stack[-1])
    return events + [(kind + 1, name) for kind, name in reversed(stack)]


def inline(events):
    return BEGIN + b"".join(bytes([0x60 | kind, len(name) - 1]) + name for kind, name in events) + END


def numbered(events, numbers, size):
    return BEGIN + b"".join(bytes([0x60 | kind]) + numbers[name].to_bytes(size, "little") for kind, name in events) + END


def all_of(folder):
    """The files of a run."""
    return {name: read(f"{folder}/{name}") for name in os.listdir(folder) if os.path.isfile(f"{folder}/{name}")}


def emulate(folder, *args):
    out, err = run(EMU, "-q", "-f", "prv,uscope", "-o", folder, "--prism-hooks", PROFILE, *args)
    return all_of(folder), out, err


def test_same():
    """Tools, timelines and hooks see the same names in both forms."""
    events = any_events(1)
    write("plain.prism", inline(events))
    random.Random(2).shuffle(NAMES)
    table, numbers = heap([b"nobody asks for it", *NAMES])
    write("table.names", table + b"\x05cut")
    want = [tool(command, "plain.prism")[0].replace(b"plain.prism", b"") for command in ("dump", "stat")]
    picture = emulate("plain.out", "--prism", "plain.prism")
    check("the profile has names", b"push_back" in picture[1], picture[1])
    for size in 4, 8:
        name = f"numbers{size}"
        write(f"{name}.prism", numbered(events, numbers, size))
        describe(name, names="table.names", **({"name_size": 4} if size == 4 else {}))
        check("numbers are short", os.path.getsize(f"{name}.prism") == 14 + len(events) * (1 + size), name)
        have = [tool(command, f"{name}.json")[0].replace(f"{name}.prism".encode(), b"") for command in ("dump", "stat")]
        check(f"{name} is dumped", have[0] == want[0], have[0][:500])
        check(f"{name} is counted", have[1].split(b"first ns")[1] == want[1].split(b"first ns")[1], have[1])
        check(f"{name} emulates", emulate(f"{name}.out", "--prism", f"{name}.json") == picture)
        check(f"{name} emulates by options", emulate(f"{name}.out2", "--prism", f"{name}.prism", "--prism-names=table.names", f"--prism-name-size={size}") == picture)
        check(f"{name} is dumped by options", tool("dump", "--names", "table.names", f"--name-size={size}", f"{name}.prism")[0] == want[0])
        check(f"{name} comes through a pipe", tool("dump", "--names=table.names", "--set", f"name_size={size}", stdin=read(f"{name}.prism"))[0] == want[0])


def test_written():
    """encode and recode write tables, and go back to names; what they write is as before."""
    events = any_events(4)
    write("in.prism", inline(events))
    text = tool("dump", "in.prism")[0]
    for size in 4, 8:
        more = ["--to-names=w.names", f"--to-name-size={size}", "--describe=w.json", "-o", "w.prism"]
        tool("recode", *more, "in.prism")
        table, numbers = heap(list(dict.fromkeys(name for _, name in events)))
        recoded = read("w.prism"), read("w.names"), read("w.json")
        check(f"each name once, {size}", recoded[:2] == (numbered(events, numbers, size), table), recoded[1])
        check(f"a table is read again, {size}", tool("dump", "w.json")[0] == text)
        tool("encode", *more, stdin=text)
        check(f"encode writes it, {size}", (read("w.prism"), read("w.names"), read("w.json")) == recoded)
        tool("recode", "w.json", "-o", "same.prism", "--describe=same.json")
        check(f"the same table goes on, {size}", read("same.prism") == recoded[0] and json.loads(read("same.json"))["names"] == "w.names", read("same.json"))
        tool("recode", "w.json", "-o", "back.prism", "--to-names=none", "--describe=back.json")
        check(f"names come back, {size}", read("back.prism") == inline(events) and "names" not in json.loads(read("back.json")), read("back.json"))
        tool("recode", "w.json", "-o", "other.prism", "--to-names=other.names", "--describe=other.json")
        check(f"another table, {size}", tool("dump", "other.json")[0] == text and read("other.prism") == recoded[0])
    # Numbers that nobody knows stay what they are, and too large ones do not fit.
    write("w.prism", BEGIN + b"\x63" + struct.pack("<Q", 1 << 40) + END)
    tool("recode", "--lenient", "w.json", "-o", "same.prism")
    check("a number goes on", read("same.prism") == read("w.prism"))
    check("a number that is too large", "too large for 4 bytes" in tool("recode", "--lenient", "w.json", "-o", "x", "--to-name-size=4", status=1)[1])
    for args in (["encode", "--names=w.names"], ["recode", "w.json", "--to-names=w.names", "-o", "x"], ["recode", "in.prism", "--to-names=x", "-o", "x"],
                 ["recode", "in.prism", "--to-names=-", "-o", "x"], ["recode", "in.prism", "--to-names=", "-o", "x"], ["recode", "in.prism", "--to-names=y",
                 "--describe=y", "-o", "x"]):
        tool(*args, stdin=b"end\n", status=2)


def test_wrong():
    """Tables that are cut, short, none, and numbers beyond them."""
    table, numbers = heap([b"first", b"second", b"\xffbinary"])
    for what, data, events, at in (
            ("a table that is cut", table[:numbers[b"second"] + 4], [(3, b"first"), (3, b"second")], 18),
            ("a length without a name", table[:numbers[b"second"] + 1], [(3, b"second")], 13),
            ("an empty table", b"", [(6, b"first")], 13)):
        write("t.names", data)
        write("t.prism", numbered(events, numbers, 4))
        describe("t", names="t.names", name_size=4)
        err = tool("dump", "t.json", status=1)[1]
        check(what, f"PN01: the table of names has no name of this number\n  at t.prism, byte {at} " in err and "--names" in err, err)
        err = run(EMU, "-q", "-o", "t.out", "--prism", "t.json", status=1)[1]
        check(what, f"PN01: the table of names has no name of this number\n  at t.prism +{at:#x}" in err, err)
        out, err = tool("dump", "--lenient", "t.json")
        check(f"{what}, lenient", f'-enter "#{numbers[events[-1][1]]}"\n'.encode() in out and err.count("warning: PN01") == 1, out)
        err = run(EMU, "-q", "--lenient", "-o", "t.out", "--prism", "t.json")[1]
        check(f"{what}, lenient", "PN01: 1 time: " in err and b"499:27" in read("t.out/thread.prv"), err)
    for number in (len(table), 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
        write("t.names", table)
        write("t.prism", BEGIN + b"\x63" + number.to_bytes(8, "little") + END)
        describe("t", names="t.names")
        check(f"number {number}", "PN01" in tool("dump", "t.json", status=1)[1])
        check(f"number {number}", f'"#{number}"'.encode() in tool("dump", "--lenient", "t.json")[0])
    # A file without end, most of which is not there, costs nothing.
    with open("t.names", "r+b") as f:
        f.truncate(1 << 40)
    write("t.prism", BEGIN + b"\x63" + ((1 << 40) - 2).to_bytes(8, "little") + END)
    out, err = tool("dump", "t.json")
    check("a huge table", b'"\\x00"' in out and "PB13" in err, out)
    write("t.prism", numbered([(3, b"\xffbinary")] * 2, numbers, 8))
    out, err = tool("dump", "t.json")
    check("a name that is no text", out.count(b'"\\xffbinary"') == 2 and "PB13: 2 times" in err, err)
    os.mkfifo("fifo")
    os.mkdir("folder")
    for name, why in (("fifo", "is no plain file"), ("folder", "is no plain file"), ("missing", "No such file")):
        describe("t", names=name)
        for program, args in ((TOOL, ["dump"]), (EMU, ["-q", "-o", "t.out2", "--prism"])):
            err = run(program, *args, "t.json", status=1)[1]
            check(f"a table that is a {name}", f"{name}'" in err and why in err and err.count("error") == 1, err)
    # Nothing is asked for.
    write("t.prism", BEGIN + END)
    check("a table that nobody needs", tool("dump", "t.json")[1] == "")


def test_live():
    """A table that grows while the stream is read."""
    events = any_events(3)
    table, numbers = heap(NAMES)
    write("live.names", b"")
    with subprocess.Popen([TOOL, "dump", "--names=live.names", "--name-size=4", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as p:
        data = numbered(events, numbers, 4)
        have = p.stdout.readline()
        done = 0
        p.stdin.write(data[:13])
        p.stdin.flush()
        for kind, name in events[:40]:
            done = max(done, numbers[name] + 1 + len(name))
            write("live.names", table[:done])
            p.stdin.write(bytes([0x60 | kind]) + numbers[name].to_bytes(4, "little"))
            p.stdin.flush()
            while not have.endswith(b'"\n'):
                have = p.stdout.readline()
            have = b""
        p.stdin.close()
        p.stdout.read()
    check("a table grows", p.returncode == 0, p.returncode)


with tempfile.TemporaryDirectory() as tmp:
    os.chdir(tmp)
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
    os.chdir("/")
if found:
    sys.exit("\n".join(str(line)[:2000] for line in found))
print("names and numbers are the same")
