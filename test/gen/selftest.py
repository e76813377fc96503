#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The assembler against bytes and layouts of the format text; files of cases to the byte.

usage: selftest.py
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import asm  # noqa: E402
import casefile  # noqa: E402

HEADER = "6f766e6901000000"

# one event each: text, bytes
EVENTS = {
    "OHx 0 -1 0": "0f4f4878 0a00000000000000 00000000 ffffffff 0000000000000000",
    "OM[ 3 7": "0b4f4d5b 0a00000000000000 0300000000000000 07000000",
    'VYc jumbo u32=1 "testtype1"':
        "13565963 0a00000000000000 0e000000 01000000 74657374747970653100",
    "OHe": "004f4865 0a00000000000000",
    "OHe # a comment": "004f4865 0a00000000000000",
    "OHx empty": "004f4878 0a00000000000000",
    "OAs i16=-2": "014f4173 0a00000000000000 feff",
    "XYz u8=1 hex=0203 str=\"a b#c\"": "0858597a 0a00000000000000 01 0203 612062236300",
    "XYz jumbo empty": "1358597a 0a00000000000000 00000000",
    'VYc 1 "testtype1"': "13565963 0a00000000000000 0e000000 01000000 74657374747970653100",
    'POc 2 ""': "13504f63 0a00000000000000 05000000 02000000 00",
    "VWC 1 -2 3": "13565743 0a00000000000000 18000000 0100000000000000 feffffffffffffff 0300000000000000",
    "VWC jumbo empty": "13565743 0a00000000000000 00000000",
    "VTx 7 0": "07565478 0a00000000000000 07000000 00000000",
    "6W*": "0036572a 0a00000000000000",
    "6S@": "00365340 0a00000000000000",
    "MeB": "004d6542 0a00000000000000",
    "OB.": "004f422e 0a00000000000000",
    "OF]": "004f465d 0a00000000000000",
}

REFUSED = ["OHx 0 -1", "OHe 1", "6Wt 1", "VTx 1", "VYc 1", "XYz u8=1", "XYz u64=1 u64=1 u8=1", "XYz u32=x", "XYz u32=-1", "XY 1"]

HEAD = """
loom n.0 cpus 0:4 1:5
proc 7 app 2 rank 1/3
thread 8
mark 3 stack "A title" 1="one" -2="minus two"
thread 9 unfinished require nosv=2.7.0
"""

LAYOUT = {
    "trace v3": ["loom.n.0/proc.7/thread.8/stream.json", "loom.n.0/proc.7/thread.8/stream.obs",
                 "loom.n.0/proc.7/thread.9/stream.json", "loom.n.0/proc.7/thread.9/stream.obs"],
    "trace v2": ["loom.n.0/proc.7/metadata.json", "loom.n.0/proc.7/thread.8.json",
                 "loom.n.0/proc.7/thread.8.obs", "loom.n.0/proc.7/thread.9.json",
                 "loom.n.0/proc.7/thread.9.obs"],
    "trace v1": ["loom.n.0/proc.7/metadata.json", "loom.n.0/proc.7/thread.8.obs",
                 "loom.n.0/proc.7/thread.9.obs"],
    "trace v1 bare": ["loom.n.0/proc.7/metadata.json", "loom.n.0/proc.7/thread.8",
                      "loom.n.0/proc.7/thread.9"],
}

CPUS = [{"index": 0, "phyid": 4}, {"index": 1, "phyid": 5}]
META = {  # file below the process directory -> content
    "trace v3": ("thread.8/stream.json", {"version": 3, "ovni": {
        "lib": {"version": "1.14.0", "commit": "unknown"}, "part": "thread", "tid": 8, "pid": 7,
        "loom": "n.0", "app_id": 2, "require": {"ovni": "1.1.0"},
        "mark": {"3": {"title": "A title", "chan_type": "stack",
                       "labels": {"1": "one", "-2": "minus two"}}},
        "rank": 1, "nranks": 3, "loom_cpus": CPUS, "finished": 1}}),
    "trace v2": ("metadata.json", {"version": 2, "app_id": 2, "rank": 1, "nranks": 3, "cpus": CPUS}),
    "trace v1": ("metadata.json", {"version": 1, "model_version": "O1 V1 T1 M1 D1 K1 61", "app_id": 2,
                                   "rank": 1, "nranks": 3, "cpus": CPUS}),
}


def files(top):
    return sorted(os.path.relpath(os.path.join(where, f), top) for where, _, fs in os.walk(top) for f in fs)


def stream(text):
    """The bytes of thread 8 in hexadecimal."""
    with tempfile.TemporaryDirectory() as tmp:
        asm.assemble(HEAD + text, tmp)
        with open(f"{tmp}/loom.n.0/proc.7/thread.8/stream.obs", "rb") as f:
            return f.read().hex()


def checks():
    for text, want in EVENTS.items():
        yield text, stream(f"8 10 {text}\n"), HEADER + want.replace(" ", "")
    yield "raw and truncate", stream("7/8 1 OHe\nn.0:7/8 raw 0f4f 48\n8 truncate 1\n"), HEADER + "004f48650100000000000000" + "0f4f"
    yield "clocks going back", stream("8 5_0 OHe\n8 -1 OHe\n"), HEADER + "004f48653200000000000000" + "004f4865" + "f" * 16
    for text in REFUSED:
        try:
            stream(f"8 10 {text}\n")
            yield f"{text} is refused", False, True
        except asm.AsmError:
            yield f"{text} is refused", True, True
    for form, want in LAYOUT.items():
        with tempfile.TemporaryDirectory() as tmp:
            asm.assemble(form + HEAD + "offset n 1.5\n", tmp)
            yield form, files(tmp), sorted(want + ["clock-offsets.txt"])
            if form in META:
                name, meta = META[form]
                with open(f"{tmp}/loom.n.0/proc.7/{name}", encoding="utf-8") as f:
                    yield f"{form} metadata", json.load(f), meta


def crashed():
    """What the runtime has written when a thread begins."""
    with tempfile.TemporaryDirectory() as tmp:
        asm.assemble("loom n.0 cpus 0:4\nproc 7 app 2 rank 1/3\nthread 8 crashed\nmark 1 single \"x\"\nthread 9\n", tmp)
        first, second = (json.load(open(f"{tmp}/loom.n.0/proc.7/thread.{t}/stream.json", encoding="utf-8")) for t in (8, 9))
    yield "crashed thread", first, {"version": 3, "ovni": {
        "lib": {"version": "1.14.0", "commit": "unknown"}, "part": "thread", "tid": 8, "pid": 7, "loom": "n.0", "app_id": 2}}
    yield "CPUs beside a crashed thread", second["ovni"]["loom_cpus"], CPUS[:1]


def required(options, events):
    with tempfile.TemporaryDirectory() as tmp:
        asm.assemble(f"{options}\n{events}\n", tmp)
        where = "loom.n.0/proc.7/thread.8" + ("/stream.json" if "v2" not in options else ".json")
        with open(f"{tmp}/{where}", encoding="utf-8") as f:
            return json.load(f)


def models():
    """What a thread requires, told or not, and its attributes."""
    top, use = "loom n.0 cpus 0:4\nproc 7\nthread 8", "8 1 VHw\n8 2 6Pr\n8 3 KCO"
    cases = {top: {"ovni": "1.1.0", "nosv": "2.7.0", "nanos6": "1.1.0"},
             top + " require mpi": {"ovni": "1.1.0", "mpi": "1.0.0"},
             top + " require none": {},
             top + " require none nodes tampi=1.5.0": {"nodes": "1.0.0", "tampi": "1.5.0"},
             "trace v2\n" + top: {"ovni": "1.0.0", "nosv": "2.7.0", "nanos6": "1.1.0"}}
    for options, want in cases.items():
        yield f"require of {options!r}", required(options, use)["ovni"]["require"], want
    yield "no require", "require" in required(top + " norequire", use)["ovni"], False
    for version in ("trace v2\n", ""):
        text = version + top + '\nattr nosv.can_breakdown true\nattr nosv.hwc.0.name "A B"'
        yield "attributes", required(text, "")["nosv"], {"can_breakdown": True, "hwc": {"0": {"name": "A B"}}}


# contents of sections, and the lines that stand for them behind the mark
CONTENTS = {
    b"": (b"== a", b""),
    b"\n": (b"== a", b"\n"),
    b"x\n\n": (b"== a", b"x\n\n"),
    b"x": (b"== a (no newline at the end)", b"x\n"),
    b"\n\nx": (b"== a (no newline at the end)", b"\n\nx\n"),
    b"== b\n": (b"== a", b"\\== b\n"),
    b"\\== b": (b"== a (no newline at the end)", b"\\\\== b\n"),
    b" == b\n==b\n\\x\n": (b"== a", b" == b\n==b\n\\x\n"),
    b"\xff\xc3\xa4\0\r\n\x0b\x85": (b"== a (no newline at the end)", b"\xff\xc3\xa4\0\r\n\x0b\x85\n"),
}

WRONG = ("", "x\n", "== a\n== a\n", "== a b a\n", "==\n", "== \n")


def cases():
    """Sections of a file keep their bytes, whatever they are."""
    for content, (mark, lines) in CONTENTS.items():
        for before, after in ((b"", b""), (b"== first\nx\n", b"== last\n\n")):
            want = before + mark + b"\n" + lines + after
            sections = casefile.parse(casefile.decode(want))
            yield f"content {content!r} read", casefile.encode(sections["a"]), content
            yield f"content {content!r} written", casefile.encode(casefile.text_of(sections)), want
    both = {"default/x": "1\n", "default/y": "1\n", "compat/x": "1\n", "compat/y": "2\n"}
    text = "== default/x compat/x\n1\n== default/y\n1\n== compat/y\n2\n"
    yield "views", casefile.text_of(both), text
    yield "views read", casefile.parse(text), both
    for text in WRONG:
        try:
            casefile.parse(text)
            yield f"{text!r} is refused", False, True
        except casefile.CaseError:
            yield f"{text!r} is refused", True, True


def main():
    passed = failed = 0
    for name, got, want in (*checks(), *crashed(), *models(), *cases()):
        passed, failed = passed + (got == want), failed + (got != want)
        if got != want:
            print(f"FAIL {name}\n     expected {want}\n     got      {got}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
