#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-model trace and text: the same bytes as the assembler of the tests, and back.

usage: text.py TOOL SRC DEMO.so
"""
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile

TOOL, SRC, DEMO = (os.path.abspath(p) for p in sys.argv[1:4])
sys.path[:0] = [f"{SRC}/test/gen"]
import asm  # noqa: E402
import casefile  # noqa: E402

HEAD = "loom n.0 cpus 0:0\nproc 7\nthread 8\n"

# What the goldens do not have. Each line is an event of thread 8, or its metadata.
MORE = {
    "arguments": HEAD.replace("8", "8 unfinished") + """8 1 OHx 0 -1 0x10
8 2 VYc 1 "a b#c 'd'"
8 3 VYc 2 ""
8 4 VYc jumbo u32=3 str="str=x"
8 5 VWC 1 -2 3
8 6 VWC jumbo empty
8 7 OHe empty
8 8 OHe jumbo
8 9 VTx plain hex=0102
8 10 XYz u16=65535 i16=-32768 f64=0.5
8 -1 O#" u64=18446744073709551615
8 1_000 VYc jumbo hex=01000000ff00
8 12 VYc 4 "plain"
8 13 RXd str="jumbo"
8 14 6W# # a comment
8 raw 2f4f4865 0000000000000000 000102030405060708090a0b0c0d0e0f
8 14 OHe
8 truncate 3
""",
    "metadata": """loom n.0 cpus 0:4 1:5
loom n.1
proc 7 app none rank 0/2
set a.b [1, "x/y", null]
attr nosv.hwc.0.name "A \\"B\\""
thread 8 require none nodes
mark 1 single "A title # x" 1="one" -2="minus two"
mark 2 stack "it's"
unset ovni.lib
set ovni.mark.1.labels.3 "new\\nline"
set ovni.tid 0.5
set ovni.extra {}
thread 9 cpus 0:1
set x 1
8 1 OHe
9 1 OHe
""",
    "same numbers": """loom a
proc 1
thread 5
proc 2
thread 5
loom b
proc 1
thread 5
thread 6
2/5 1 OHe
a:1/5 2 OHe
b:1/5 3 OHe
6 4 OHe
""",
    "paths": """loom "a b"
proc 1
thread 1 relpath "x/y z"
thread 2 unfinished header 6f76
thread 3 norequire unfinished
thread 4 crashed
1 1 OHe
""",
    "files": HEAD + 'offset n 500.9\nfile "sub/a b" "\\x00\\xff\\\\ é\\n"\nfile clock-offsets.txt "x"\n',
    "keys with dots": HEAD + 'set ovni.mark {"a.b": {"c d": 1}, "7": {"title": "a\\tb"}}\n',
    "order": HEAD + "unset version\nset version 3\n",
}

# Text, and what the message has.
REFUSED = {
    "8 1 OHe": "there is no thread 8",
    HEAD + "8 1 OHe 1": "t:4\nOHe takes 0 arguments, not 1",
    HEAD + "\n# x\n8 1 OHx 0 -1": "t:6\nOHx takes 3 arguments, not 2",
    HEAD + "8 1 XYz u8=1": "an event has 0 or 2 to 16 bytes of arguments, not 1, unless it is jumbo",
    HEAD + "8 1 XYz u64=1 u64=1 u8=1": "not 17, unless it is jumbo",
    HEAD + "8 1 XYz u32=x": "'x' is no whole number",
    HEAD + "8 1 XYz u32=-1": "-1 is negative, and the argument has no sign",
    HEAD + "8 1 XYz u32=4294967296": "does not fit in 4 bytes",
    HEAD + "8 1 XYz i16=32768": "does not fit in 2 bytes with a sign",
    HEAD + "8 1 XYz u24=1": "there is no type 'u24'",
    HEAD + "8 1 XYz hex=0": "a byte is two hexadecimal digits",
    HEAD + "8 1 XYz hex=0g": "a byte is two hexadecimal digits",
    HEAD + "8 1 XY": "an event has three letters, not 'XY'",
    HEAD + "8 1": "an event has three letters, not ''",
    HEAD + "8 x OHe": "'x' is no clock",
    HEAD + '8 1 VYc 1 "x': "a quote is not closed",
    HEAD + "8 truncate 9": "the stream has 8 bytes so far",
    HEAD + "8 raw": "bytes in hexadecimal are missing",
    HEAD + "x/8 1 OHe": "'x/8' is no directive",
    HEAD + "7/x 1 OHe": "is no thread: TID",
    HEAD + "thread 8\n8 1 OHe": "2 threads are called 8",
    HEAD + "thraed 9": "'thraed' is no directive",
    HEAD + "thread 9 fast": "a thread has no option 'fast'",
    HEAD + "thread x": "is a whole number below 2^31, not 'x'",
    HEAD + "thread 9 relpath ../x": "a path is in the trace",
    HEAD + "file /x \"\"": "a path is in the trace",
    HEAD + 'file x "\\q"': "behind a backslash there is",
    HEAD + "mark 1 both x": "a mark is single or stack",
    HEAD + "mark 1 single": "the title is missing",
    HEAD + "mark 1 single x 1": "a label is VALUE",
    HEAD + "set x {": "the value is no JSON",
    HEAD + "set ovni.tid.x 1": "a part of it is there and is no object",
    HEAD + "trace v4": "a trace is v1, v2 or v3",
    HEAD + "loom x y": "'y' is one word too many",
    "proc 1": "a process needs a loom",
    "loom x\nthread 1": "a thread needs a process",
    "loom ../x": "is no name of a folder",
    "# nothing": "the text has no thread",
    "loom x\nproc 1 rank 2": "a rank is as 0/2",
}
# The assembler leaves this one out, as tests of other things count on.
asm.VERSIONS["kernel"], asm.LETTER["K"] = "1.0.0", "kernel"
counts = [0, 0]


def check(what, good, *facts):
    counts[not good] += 1
    if not good:
        print(f"FAILED: {what}", *facts, sep="\n")


def run(*words, text=None):
    env = {k: v for k, v in os.environ.items() if k != "OVNISCOPE_MODELS"}
    p = subprocess.run([TOOL, *words], env=env, input=text, capture_output=True, check=False, timeout=60)
    return p.returncode, p.stdout, p.stderr.decode(errors="replace")


def files(top):
    found = {}
    for where, _, names in os.walk(top):
        for name in names:
            with open(f"{where}/{name}", "rb") as f:
                found[os.path.relpath(f"{where}/{name}", top)] = f.read()
    return found


def same(what, got, want):
    for name in sorted({*got, *want}):
        check(f"{what}: {name}", got.get(name) == want.get(name), f"got  {got.get(name)}", f"want {want.get(name)}")


def round_trip(what, text, damaged=False):
    for folder in ("asm", "ours", "again"):
        shutil.rmtree(folder, ignore_errors=True)
    asm.assemble(text, "asm")
    data = casefile.encode(text)
    status, out, err = run("trace", "-", "ours", text=data)
    check(f"{what}: trace", (status, out) == (0, b""), err, text)
    same(f"{what}: trace", files("ours"), files("asm"))
    status, out, err = run("text", "ours")
    check(f"{what}: text", status == damaged, err)
    status, _, err = run("trace", "-", "again", text=out)
    check(f"{what}: back", status == 0, err, out.decode(errors="replace"))
    want = {k: v for k, v in files("ours").items() if k.endswith((".obs", ".json", "clock-offsets.txt")) or "/thread." in k}
    same(f"{what}: back", files("again"), want)
    return out.decode(errors="surrogateescape")


def main():
    paths = sorted(glob.glob(f"{SRC}/test/golden/*/*.case"))
    for path in random.sample(paths, len(paths) // int(os.environ.get("TEST_SHARE", "1"))):
        text = casefile.parse(casefile.decode(casefile.read_bytes(path)))["in.txt"]
        name = os.path.relpath(path, f"{SRC}/test/golden")
        round_trip(name, text, damaged=name in ("errors/stream-truncated.case",))
    for name, text in MORE.items():
        round_trip(name, text)
    for folder in ("ours", "again"):
        shutil.rmtree(folder, ignore_errors=True)
    text = f"trace v3\n{HEAD.replace('7', '7 app 1')}\n8 1 xRi\n8 2 xP@\n".encode()
    check("a model of a file", run("trace", "--model", DEMO, "-", "ours", text=text)[0] == 0)
    status, out, err = run("text", "ours")
    check("what it requires", status == 0 and out == text.replace(b"8\n\n", b"8 require ovni=1.1.0 demo=1.0.0\n\n").replace(b"xRi", b"xRi empty").replace(b"@", b"@ empty"), out, err)
    status, _, err = run("trace", "-", "ours", text=text)
    check("a folder with files", status == 1 and "is not empty" in err, err)
    status, _, err = run("trace", "-f", "-", "ours", text=text)
    check("an event of no model", status == 0 and "no model knows the event xRi: its arguments are taken as they are (and 1 more" in err and ", line 6" in err, err)
    for text, told in REFUSED.items():
        shutil.rmtree("ours", ignore_errors=True)
        with open("t", "w", encoding="utf-8") as f:
            f.write(text)
        line, _, what = told.rpartition("\n")
        status, out, err = run("trace", "t", "ours")
        check(f"refused: {text!r}", status == 1 and not out and what in err and err.count("error[") == 1 and line.replace("t:", "t, line ") in err, err, told)
    print(f"{counts[0]} passed, {counts[1]} failed")
    return 1 if counts[1] else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        sys.exit(main())
