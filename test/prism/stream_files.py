#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prism streams in files: descriptions and the same keys on the command line, directories, clocks,
timestamps, ends of intervals, and every code of the bytes, strict and lenient.

usage: stream_files.py OVNIEMU OVNIDUMP OVNITOP
"""
import json
import os
import subprocess
import sys

from hooks_kit import BARRIER, BB, END, FULL, INSN, LOCK, THREAD, Run, cfg, check, comp, cxt, enter, finish, fresh, leave, mem, swap, sync

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import tools  # noqa: E402

EMU, DUMP, TOP = sys.argv[1:]
MEM, SYNC, TICK = 439, 411, 436  # other memory events, synchronization; instructions


def write(path, data):
    with open(path, "wb" if isinstance(data, bytes) else "w") as f:
        f.write(data)


def describe(**keys):
    return json.dumps({"version": 1, "format": "prism", "events": "a.prism", **keys})


def tree(files):
    where = fresh()
    os.makedirs(where)
    for name, data in files.items():
        write(f"{where}/{name}", data)
    return where


class Dir(Run):
    """A run on a directory of files, or on what the options name in it."""

    def __init__(self, files, *options, named=False):
        where = tree(files)
        self.dir = f"{where}/out"
        words = [o.replace("@", where) for o in options]
        p = subprocess.run([EMU, "-q", "-o", self.dir, *words, *([] if named else [where])], capture_output=True, text=True,
                           errors="backslashreplace", timeout=120, check=False, stdin=subprocess.DEVNULL)
        self.status, self.out, self.err = p.returncode, p.stdout, p.stderr


def times(run, row=1, kind=SYNC, rows="thread"):
    """When a punctual value of 3 (barrier) begins behind 0; at 0 it begins and ends."""
    return [int(x.split(":")[0]) for x in run.lines(rows, kind).get(row, "").split() if x.endswith(":3")]


def good(what, run, words=""):
    check(what, run.status == 0 and words in run.err, run.err)
    if not words:
        check(what, run.err == "", run.err)


# ---- Keys. ----

BAR = sync(BARRIER, 9)
KEYS = [
    # a key, a good value, that of the command line, a stream that only works with it
    ("compute_layout", "packed", "packed", cfg("comp", 0xe0) + comp(1, 2, b"\x04") + END),
    ("word_size", 4, "4", b"\x43\x01\x02\x03\x04" + END),
    ("buffer_size", 32, "32", (mem() * 3 + END).ljust(32, b"\xff") + mem() + END + b"\xff" * 7),
    ("initial_config", {"mem": "F0", "sync": "00"}, "mem=F0,sync=00", mem("load", 3, 77, 3) + b"\x40" + END),
    ("control_flow", True, "true", b"\x80\x9f" + END),
    ("half_sizes", True, "true", cfg("mem", 0xc0) + mem("load", 4) + mem("invalid") + END),
    ("process", 77, "77", mem() + END),
    ("first_thread", 2147483647, "2147483647", mem() + END),
    ("clock", {"mode": "instr", "start": 5, "tick_ns": 3}, "mode=instr,start=5,tick_ns=3", mem() + END),
]


def keys():
    for key, value, text, data in KEYS:
        option = "--prism-" + key.replace("_", "-")
        r = Dir({"a.prism": data, "a.json": describe(**{key: value})})
        good(f"{key} of a description", r)
        one = r.read("thread.prv"), r.read("thread.row")
        for words in ([f"{option}={text}"], [f"--prism-set={key}={text}"], [f"--prism-set={key.replace('_', '-')}={text}"]):
            r = Dir({"a.prism": data}, *words)
            good(f"{key} of {words}", r)
            check(f"{key} of {words}", (r.read("thread.prv"), r.read("thread.row")) == one, "another timeline")
            r = Dir({"a.prism": data, "a.json": describe(**{key: value})}, "--prism=@/a.json", named=True)
            good(f"{key}, named", r)
            check(f"{key}, named", (r.read("thread.prv"), r.read("thread.row")) == one, "another timeline")
    # The command line is asked last, and for all.
    r = Dir({"a.prism": mem() + END, "a.json": describe(process=3), "b.prism": swap(7) + END}, "--prism-process=5")
    good("process twice", r)
    check("process twice", "1:0" not in r.lines("cpu", 1)[1] and r.lines("cpu", 1)[1].startswith("0:5"), r.lines("cpu", 1))
    # Rows tell the process when there are several.
    r = Dir({"a.prism": swap(4) + END, "a.json": describe(process=3), "b.prism": swap(4) + END})
    good("two processes", r)
    check("two processes", r.read("thread.row").splitlines()[4:] == ["thread 3.4", "thread 1.4"], r.read("thread.row"))


WRONG = [
    ({"version": 2}, "version"),
    ({"version": "x"}, "version"),
    ({"version": None}, "version"),
    ({"format": "prisms"}, "format"),
    ({"format": 3}, "format"),
    ({"events": 3}, "events"),
    ({"events": ""}, "events"),
    ({"compute_layout": "tight"}, "compute_layout"),
    ({"compute_layout": 1}, "compute_layout"),
    ({"word_size": 5}, "word_size"),
    ({"word_size": "x"}, "word_size"),
    ({"buffer_size": -1}, "buffer_size"),
    ({"buffer_size": 1.5}, "buffer_size"),
    ({"buffer_size": 1e300}, "buffer_size"),
    ({"initial_config": "f0"}, "initial_config"),
    ({"initial_config": {"mem": "f"}}, "initial_config"),
    ({"initial_config": {"mem": 240}}, "initial_config"),
    ({"initial_config": {"mem": "0xf"}}, "initial_config"),
    ({"initial_config": {"cf": "00"}}, "initial_config"),
    ({"process": 0}, "process"),
    ({"process": 1 << 31}, "process"),
    ({"first_thread": 1 << 31}, "first_thread"),
    ({"first_thread": []}, "first_thread"),
    ({"control_flow": 1}, "control_flow"),
    ({"control_flow": "true"}, "control_flow"),
    ({"half_sizes": 1}, "half_sizes"),
    ({"names": 1}, "names"),
    ({"names": ""}, "names"),
    ({"name_size": 2}, "name_size"),
    ({"clock": "event"}, "clock"),
    ({"clock": {"mode": "wall"}}, "mode"),
    ({"clock": {"tick_ns": 0}}, "tick_ns"),
    ({"clock": {"start": "-1"}}, "start"),
    ({"clock": {"start": "9223372036854775808"}}, "start"),
    ({"clock": {"begin": 1}}, "clock"),
    ({"clock": {"mode": "timestamps"}}, "timestamps"),
    ({"timestamps": 3}, "timestamps"),
]
WRONG_OPTIONS = ["--prism-compute-layout=tight", "--prism-word-size=16", "--prism-buffer-size=x", "--prism-initial-config=f0",
                 "--prism-initial-config=mem=f0,comp", "--prism-initial-config=mem=f00", "--prism-process=0", "--prism-process=-1", "--prism-first-thread=",
                 "--prism-control-flow=yes", "--prism-clock=often", "--prism-clock=tick_ns=2,instr", "--prism-initial-config=f0,comp=f0", "--prism-clock=mode=wall", "--prism-clock=mode=timestamps",
                 "--prism-set=version=1", "--prism-set=events=x", "--prism-set=nothing=1", "--prism-timestamps=", "--prism-names=", "--prism-name-size=5"]


def wrong():
    for keys_, name in WRONG:
        for named in False, True:
            r = Dir({"a.prism": END, "a.json": describe(**keys_)}, *(["--prism=@/a.json"] if named else []), named=named)
            check(f"{keys_}", r.status == 1 and f"error[prism]: PJ01: the key \"{name}\"" in r.err and "a.json" in r.err, r.err)
            check(f"{keys_}", r.err.count("error") == 1 and not os.path.exists(r.dir), r.err)
    for option in WRONG_OPTIONS:
        r = Dir({"a.prism": END}, option)
        check(option, r.status == 2 and "error[usage]: PJ01: the key" in r.err and "ovniemu --help-prism lists" in r.err, r.err)
        check(option, "at the command line" in r.err and not os.path.exists(r.dir), r.err)
    # What a file lacks is its own fault.
    r = Dir({"a.prism": END, "a.json": describe(clock={"mode": "timestamps"})}, "--prism-process=2")
    check("timestamps of a description", r.status == 1 and "error[prism]: PJ01: the key \"timestamps\"" in r.err, r.err)
    for keys_, name in [({}, "events"), ({"format": None}, "format")]:
        d = json.loads(describe(**keys_))
        del d[name]
        r = Dir({"a.prism": END, "x.json": json.dumps(d)}, "--prism=@/x.json", named=True)
        check(f"without {name}", r.status == 1 and f"PJ01: the key \"{name}\" is missing" in r.err, r.err)
    for text, words in [("{", "error[json]"), ("[]", "error[json]"), ('{"version": 1, "version": 1}', "error[json]")]:
        r = Dir({"a.prism": END, "x.json": text}, "--prism=@/x.json", named=True)
        check(text, r.status == 1 and words in r.err, r.err)
    r = Dir({"a.prism": mem() + END, "a.json": describe(colour="red")})
    good("unknown key", r, "warning: the key \"colour\" is not known")
    for options in (["--prism-threads=0"], ["--prism-threads=65536"], ["--prism-interval=time:0"], ["--prism-interval=time"], ["--prism-interval=often"],
                    ["--prism-events=some"], ["--prism-needs=both"], ["--prism-set=x"], ["--prism="], ["--prism=@/a.prism", "--laplace=x"],
                    ["--prism=@/a.prism", "@"], ["--prism-set=process=1"] * 17, ["--prism=@/a.prism"] * 65):
        r = Dir({"a.prism": END}, *options, named=any(o.startswith("--prism=") for o in options))
        check(f"{options[0]}", r.status == 2 and "error[usage]" in r.err, f"{r.status} {r.err}")
        two = len(options) == 2
        check(f"{options[0]}, hint", two or "hint: ovniemu --help-prism lists the options" in r.err, r.err)
    for words, group in ((["--prism-wat"], "-prism"), (["--prism-insn=1"], "-prism"), (["--prism-set"], "-prism"), (["--prism"], "-prism"),
                         (["--laplace-wat"], "-laplace"), (["--laplace-window=x"], "-laplace"), (["--laplace-set=x"], "-laplace"),
                         (["--prismatic"], ""), (["--wat"], "")):
        p = subprocess.run([EMU, *words], capture_output=True, text=True, check=False, timeout=60)
        check(f"{words}, hint", p.returncode == 2 and f"hint: ovniemu --help{group} lists the options" in p.stderr, p.stderr)
    for path, words in [("@/none.prism", "No such file"), ("@", "is a directory"), ("@/none.json", "No such file")]:
        r = Dir({"a.prism": END}, f"--prism={path}", named=True)
        check(path, r.status == 1 and "error[read]" in r.err and words in r.err, r.err)
    r = Dir({"a.prism": END}, "--prism=-", "--prism=-", named=True)
    check("stdin twice", r.status == 2 and "the standard input is one stream" in r.err, r.err)
    r = Dir({"a.prism": END}, "--compat")
    check("--compat", r.status == 2 and "it knows no Prism" in r.err, r.err)


# ---- Directories. ----

def directories():
    # Streams are in the order of the names of their events, whatever describes them.
    r = Dir({"b.prism": swap(2) + END, "a.prism": swap(1) + END, "c.prism": swap(3) + END, "a-last.json": describe(events="c.prism", process=9)})
    good("order", r)
    check("order", [r.lines("cpu", 2).get(i, "") for i in (1, 2, 3)] == ["0:1 0:0", "0:2 0:0", "0:3 0:0"], r.lines("cpu", 2))
    # What is no description is left alone, unless it means to be one.
    good("others", Dir({"a.prism": mem() + END, "package.json": '{"name": "x", "format": "other"}', "notes.txt": "", ".b.prism": ""}))
    r = Dir({"a.prism": END, "a.json": '{"events": "a.prism"}'})
    check("meant", r.status == 1 and "PJ01" in r.err, r.err)
    r = Dir({"events.bin": mem() + END, "a.json": describe(events="events.bin")})
    good("other name", r)
    r = Dir({"a.prism": END, "x.json": describe(), "y.json": describe()})
    check("two descriptions", r.status == 1 and "PJ01: the key \"events\" names a file that" in r.err, r.err)
    r = Dir({"a.prism": END, "x.json": describe(), "y.json": describe(events="./a.prism")})
    check("two descriptions, two names", r.status == 1 and "PJ01: the key \"events\" names a file that x.json" in r.err, r.err)
    r = Dir({"a.prism": swap(3) + END, "x.json": describe(events="./a.prism", process=4)})
    good("another name", r)
    check("another name", r.lines("cpu", 1)[1] == "0:4 0:0" and 3 not in r.lines("cpu", 1), r.lines("cpu", 1))
    r = Dir({"x.json": describe(events="none.prism")})
    check("missing", r.status == 1 and "error[read]" in r.err and "none.prism" in r.err, r.err)
    # A description elsewhere names files beside itself.
    where = tree({"a.prism": swap(7) + END, "a.json": describe()})
    r = Dir({}, f"--prism={where}/a.json", named=True)
    good("elsewhere", r)
    check("elsewhere", r.read("thread.row").endswith("thread 7\n"), r.read("thread.row"))
    # Other tools see the same events.
    where = tree({"a.prism": FULL + swap(1) + enter("main") + cxt(INSN, 0x400526) + leave("main") + END})
    p = subprocess.run([DUMP, where], capture_output=True, text=True, check=False, timeout=60)
    shown = [line.split()[1] for line in p.stdout.splitlines()]
    check("ovnidump", p.returncode == 0 and shown == ["RG.", "RG.", "RSf", "RXd", "RXb", "RXe", "RE."], p.stdout + p.stderr)
    check("ovnidump", "enters function main" in p.stdout and "0x400526" in p.stdout, p.stdout)
    p = subprocess.run([TOP, where], capture_output=True, text=True, check=False, timeout=60)
    check("ovnitop", p.returncode == 0 and p.stdout.split()[:2] == ["RG.", "2"] and "warning" not in p.stderr, p.stdout + p.stderr)
    # A broken stream is no reason not to look at the others.
    where = tree({"a.prism": mem() + b"\xe0", "b.prism": mem() * 3 + END})
    p = subprocess.run([DUMP, where], capture_output=True, text=True, check=False, timeout=60)
    check("ovnidump, broken", len(p.stdout.splitlines()) == 5 and "PB02" in p.stderr, p.stdout + p.stderr)
    check("ovnidump, hint", "see the description, compute_layout, word_size" in p.stderr and "--" not in p.stderr, p.stderr)


def packed():
    where = tree({"a.prism": swap(3) + mem() * 100000 + END})
    tools.pack("zst", f"{where}/a.prism")
    r = Run.__new__(Run)
    r.dir = f"{where}/out"
    p = subprocess.run([EMU, "-q", "-o", r.dir, where], capture_output=True, text=True, check=False, timeout=60)
    check("zstd", p.returncode == 0 and p.stderr == "" and r.lines("thread", MEM)[1] == "100000:100000", p.stderr)
    with open(f"{where}/a.prism.zst", "r+b") as f:
        f.truncate(os.path.getsize(f.name) - 4)
    p = subprocess.run([EMU, "-q", "-o", r.dir, where], capture_output=True, text=True, check=False, timeout=60)
    check("zstd, torn", p.returncode == 1 and "inside a frame" in p.stderr, p.stderr)
    p = subprocess.run([EMU, "-q", "-o", r.dir, "--lenient", where], capture_output=True, text=True, check=False, timeout=60)
    check("zstd, torn, lenient", p.returncode == 0 and "inside a frame" in p.stderr, p.stderr)


# ---- Time. ----

def stamps(*ns):
    return b"".join(x.to_bytes(8, "little") for x in ns)


def clocks():
    data = BAR + cfg("mem", 0) + BAR + cxt(INSN, 5) + cxt(BB, 5) + BAR + END
    for clock, want in [("mode=event", [0, 0, 3]), ("mode=event,start=1000", [0, 0, 3]), ("tick_ns=10", [0, 9, 39]), ("mode=instr", [0, 0, 0]), ("instr", [0, 0, 0]), ("instr,tick_ns=7", [0, 0, 6]),
                        ("mode=instr,tick_ns=7", [0, 0, 6]), (f"start={(1 << 63) - 6}", [0, 0, 3])]:
        r = Dir({"a.prism": data}, f"--prism-clock={clock}")
        good(clock, r)
        check(clock, times(r) == want, f"{times(r)}, expected {want}")
    # A config event has the time of the next one; an End and the end that of the last.
    r = Dir({"a.prism": mem() + cfg("mem", 0xc0) + mem() + END}, "--prism-clock=tick_ns=100")
    check("config", r.lines("cpu", 450)[1] == "0:256 100:448", r.lines("cpu", 450))
    r = Dir({"a.prism": mem() + mem() + END}, "--prism-clock=tick_ns=100")
    check("end", r.read("thread.prv").startswith("#Paraver (19/01/38 at 03:14):00000000000000000100_ns"), r.read("thread.prv")[:60])
    r = Dir({"a.prism": mem() * 7 + END}, f"--prism-clock=start={(1 << 63) - 5}")
    check("too late", r.status == 1 and "does not fit in 63 bits" in r.err, r.err)
    r = Dir({"a.prism": mem() * 7 + END}, f"--prism-clock=tick_ns={(1 << 63) - 1}")
    check("too long", r.status == 1 and "does not fit in 63 bits" in r.err, r.err)
    # Streams far apart are merged all the same, and equal times are in the order of streams.
    r = Dir({"a.prism": swap(1) + END, "a.json": describe(clock={"start": 10 ** 15}), "b.prism": swap(1) + END})
    good("far apart", r)
    check("far apart", r.lines("cpu", 2)[1] == f"{10 ** 15}:1 {10 ** 15}:0" and r.lines("cpu", 2)[2] == "0:1 0:0", r.lines("cpu", 2))


def timestamps():
    data = BAR + cfg("mem", 0) + BAR + mem() + BAR + END
    files = {"a.prism": data, "a.ts": stamps(100, 120, 150, 150, 1000), "a.json": describe(clock={"mode": "timestamps"}, timestamps="a.ts")}
    r = Dir(files)
    good("timestamps", r)
    check("timestamps", times(r) == [0, 49, 899], times(r))
    check("timestamps", r.read("thread.prv").startswith("#Paraver (19/01/38 at 03:14):00000000000000000900_ns"), r.read("thread.prv")[:60])
    one = r.read("thread.prv")
    r = Dir({"a.prism": data, "a.ts": files["a.ts"]}, "--prism-clock=mode=timestamps", "--prism-timestamps=@/a.ts")
    good("timestamps, options", r)
    check("timestamps, options", r.read("thread.prv") == one, "another timeline")
    r = Dir({**files, "a.json": describe(timestamps="a.ts")})
    good("unused timestamps", r, "warning: the timestamps are not looked at")
    r = Dir({**files, "a.json": describe(clock={"mode": "timestamps"}, timestamps="b.ts")})
    check("missing timestamps", r.status == 1 and "error[read]" in r.err and "b.ts" in r.err, r.err)
    for name, ts, offset, lenient in [
            ("fewer", stamps(100, 120, 150), 20, [0, 49]), ("a part more", files["a.ts"] + b"\0", 31, [0, 49, 899]),
            ("a part", stamps(100, 120, 150, 160) + b"\0" * 7, 21, [0, 49]), ("more", files["a.ts"] + stamps(2000), 31, [0, 49, 899]),
            ("none", b"", 0, [])]:
        r = Dir({**files, "a.ts": ts})
        check(f"timestamps, {name}", r.status == 1 and "error[prism]: PT01: " in r.err and f"a.prism +0x{offset:x}" in r.err, r.err)
        check(f"timestamps, {name}, hint", "see --prism-timestamps" in r.err and "--lenient" in r.err, r.err)
        r = Dir({**files, "a.ts": ts}, "--lenient")
        check(f"timestamps, {name}, lenient", r.status == 0 and "warning: PT01: " in r.err, r.err)
        check(f"timestamps, {name}, lenient", not lenient or times(r) == lenient, times(r))
    # An End has the time of the event before, or, in front of all, of the one behind.
    ends = END.ljust(4, b"\xff") * 2
    late = describe(clock={"mode": "timestamps"}, timestamps="a.ts", buffer_size=4)
    r = Dir({"a.prism": ends + b"\x00" * 2 + END, "a.ts": stamps(10 ** 18, 10 ** 18 + 7), "a.json": late}, "--prism-interval=time:3")
    good("End first", r)
    check("End first", r.read("thread.prv").startswith("#Paraver (19/01/38 at 03:14):00000000000000000007_ns"), r.read("thread.prv")[:60])
    # Alone it has none, and is not in the way of the others.
    files2 = {"a.prism": ends, "a.ts": b"", "a.json": late, "b.prism": BAR + END, "b.ts": stamps(10 ** 18),
              "b.json": describe(events="b.prism", clock={"mode": "timestamps"}, timestamps="b.ts")}
    r = Dir(files2)
    good("only Ends", r, "the stream has no events")
    check("only Ends", r.read("thread.prv").startswith("#Paraver (19/01/38 at 03:14):00000000000000000000_ns"), r.read("thread.prv")[:60])
    r = Dir({**files2, "a.ts": stamps(1, 2)})
    check("only Ends, more", r.status == 1 and "error[prism]: PT01: " in r.err, r.err)
    r = Dir({"a.prism": END, "a.ts": stamps(1 << 63), "a.json": late})
    check("End, large", r.status == 1 and "does not fit in 63 bits" in r.err, r.err)
    back = stamps(100, 120, 119, 150, 1000)
    r = Dir({**files, "a.ts": back})
    check("back", r.status == 1 and "error[prism]: PT02: the timestamp goes back by 1 ns" in r.err and "a.prism +0xb" in r.err, r.err)
    r = Dir({**files, "a.ts": back}, "--lenient")
    check("back, lenient", r.status == 0 and "warning: PT02: " in r.err and times(r) == [0, 19, 899], f"{times(r)} {r.err}")
    r = Dir({**files, "a.ts": stamps(100, 120, 150, 160, 1 << 63)})
    check("large", r.status == 1 and "does not fit in 63 bits" in r.err, r.err)


def intervals():
    """The end of an interval that had events, and of the one behind; and the end of all."""
    inst = cxt(INSN, 5)
    data = inst * 3 + END
    ts = stamps(5, 17, 1000)
    files = {"a.prism": data, "a.ts": ts, "a.json": describe(clock={"mode": "timestamps"}, timestamps="a.ts")}
    for length, want in [(10, "10:1 30:0 995:1"), (12, "12:1 36:0 995:1"), (13, "13:2 26:0 995:1"), (1000, "995:3"),
                         (995, "995:2 995:1"), ((1 << 63) - 1, "995:3"), (1, "1:1 2:0 13:1 14:0 995:1")]:
        r = Dir(files, f"--prism-interval=time:{length}")
        good(f"interval {length}", r)
        check(f"interval {length}", r.lines("thread", TICK)[1] == want, f"{r.lines('thread', TICK)}, expected {want}")
    # Events at the time of an end belong to the next interval, whatever their stream.
    r = Dir({"a.prism": inst * 4 + END, "b.prism": inst * 4 + END}, "--prism-interval=time:2")
    check("two streams", r.lines("cpu", TICK) == {1: "2:2 3:2", 2: "2:2 3:2", 3: ""} or [r.lines("cpu", TICK)[i] for i in (1, 2)] == ["2:2", "2:2"],
          r.lines("cpu", TICK))
    # A stream that ended long ago is in no interval.
    r = Dir({"a.prism": inst + END, "b.prism": inst * 100 + END}, "--prism-interval=time:30")
    check("ended", r.lines("cpu", TICK)[1] == "30:1 60:0" and r.lines("cpu", TICK)[2] == "30:30 99:10", r.lines("cpu", TICK))
    # Close to the end of time.
    r = Dir({"a.prism": inst * 4 + END}, f"--prism-clock=start={(1 << 63) - 6}", "--prism-interval=time:2")
    good("end of time", r)
    check("end of time", r.lines("thread", TICK)[1] == "2:2", r.lines("thread", TICK))


# ---- Codes. ----

NAME = cxt(3, b"ab\xff")
CODES = [
    # code, bytes, offset, whether it is a warning, whether the stream ends there, options
    ("PB01", swap(1) + mem() + b"\x45\x01", 10, False, True, []),
    ("PB01", swap(1) + mem() + b"\x63\xffabc", 10, False, True, []),
    ("PB02", swap(1) + mem() + b"\xe0" + mem() + END, 10, False, True, []),
    ("PB03", swap(1) + mem() + b"\x81" + mem() + END, 10, False, True, []),
    ("PB04", swap(1) + b"\xb8\x00" + mem() + END, 9, False, False, []),
    ("PB05", swap(1) + b"\xa1\x00" + mem() + END, 9, True, False, []),
    ("PB06", swap(1) + b"\xa0\x01" + mem() + END, 9, True, False, []),
    ("PB07", swap(1) + cfg("mem", 0x80) + b"\x18" + mem() + END, 11, False, False, []),
    ("PB08", swap(1) + cfg("comp", 0x80) + b"\x38" + mem() + END, 11, False, False, []),
    ("PB09", swap(1) + cfg("comp", 0xa0) + b"\x28\x07" + mem() + END, 11, True, False, []),
    ("PB10", swap(1) + cfg("comp", 0x90) + b"\x28\x41" + mem() + END, 11, True, False, []),
    ("PB11", swap(1) + b"\x40" + bytes(8) + mem() + END, 9, False, False, []),
    ("PB12", swap(1) + mem() + b"\x60" + mem() + END, 10, False, True, []),
    ("PB13", swap(1) + NAME + mem() + END, 9, True, False, []),
    ("PB14", swap(1) + mem(), 10, True, False, []),
    ("PB15", swap(1) + mem() + END + b"\x00", 11, False, False, []),
    ("PB16", swap(1) + mem() + b"\x63\x05", 10, False, True, ["--prism-buffer-size=12"]),
    ("PB17", swap(1) + b"\x08" + mem() + END, 9, True, False, []),
]


# The option that may help.
HINTS = {"PB01": "compute-layout", "PB03": "control-flow", "PB15": "buffer-size", "PB16": "buffer-size",
         "PB07": "half-sizes",
         **{code: "word-size" for code in ("PB02", "PB04", "PB08", "PB11", "PB12")}}


def codes():
    for code, data, offset, warns, ends, options in CODES:
        size = len(data)
        for lenient in False, True:
            what = f"{code}, {'lenient' if lenient else 'strict'}"
            if code == "PB16" and size < 12:
                data = data.ljust(13, b"x")
            r = Dir({"s.prism": data}, *options, *(["--lenient"] if lenient else []))
            word = "warning: " if lenient or warns else "error[prism]: "
            check(what, r.status == (0 if lenient or warns else 1), f"{r.status} {r.err}")
            check(what, f"{word}{code}: " in r.err and f"s.prism +0x{offset:x}" in r.err, r.err)
            check(what, r.err.count("PB") >= 1 and (lenient or warns or "--lenient" in r.err), r.err)
            key = HINTS.get(code)
            check(f"{what}, hint", (f"see --prism-{key}" in r.err or f", --prism-{key}" in r.err) == (key is not None and not lenient), r.err)
            if lenient or warns:
                total = sum(int(x.split(":")[1]) for x in r.lines("thread", MEM).get(1, "").split())
                other = 1 if code == "PB07" else 0
                check(what, total >= 1 + other, f"the events around are not used: {total}")
            check(what, not ends or lenient or "timelines" not in r.out, r.out)
    # Of many, some are told, and all are counted.
    r = Dir({"s.prism": (swap(1) + b"\x08" * 20 + END)})
    check("many", r.err.count("PB17") >= 5 and "more of these are only counted" in r.err, r.err)
    # Nothing is told of a look ahead.
    r = Dir({"s.prism": swap(1) + cfg("mem", 0x80) + b"\x18" + END}, "--lenient")
    check("look ahead", r.err.count("+0xb") == 1, r.err)
    # An error in one stream does not hide its place.
    r = Dir({"a.prism": mem() * 9 + END, "b.prism": mem() + b"\xe3"})
    check("second", r.status == 1 and "b.prism +0x1" in r.err, r.err)


def many():
    """So many events that the timelines of most of them are left out."""
    where = tree({"a.prism": swap(1) + mem() * 10000000 + END})
    p = subprocess.run([EMU, "-f", "prv", "-o", f"{where}/out", where], capture_output=True, text=True, check=False, timeout=300)
    check("many", p.returncode == 0 and "more than 10000000 events" in p.stderr and "--prism-events=all" in p.stderr, p.stderr)
    r = Run.__new__(Run)
    r.dir = f"{where}/out"
    check("many", r.lines("thread", 420)[1] == "" and r.lines("thread", SYNC)[1] == "0:5 0:0" and "1000000:999999" in r.lines("thread", MEM)[1],
          r.lines("thread", MEM)[1][:200])


def threads():
    r = Dir({"a.prism": cfg("mem", 0) + swap(5) + cxt(THREAD, 6) + sync(LOCK, 3) + swap(5) + END, "b.prism": mem() + mem() + swap(9) + swap(6) + END,
             "c.prism": cfg("mem", 0) + END, "d.prism": END}, "-v")
    check("rows", r.status == 0 and r.read("thread.row").splitlines()[4:] == ["thread 5", "thread 6", "thread 1000001", "thread 9"], r.read("thread.row"))
    r = Dir({"a.prism": cfg("mem", 0) + END})
    check("no thread", r.status == 0 and r.read("thread.row").splitlines()[4:] == ["thread 1000000"], r.err)
    r = Dir({"a.prism": b""})
    check("empty", r.status == 0 and "PB14" in r.err and "the stream has no events" in r.err, r.err)
    # Those that cannot be have one of their own, that nobody has.
    r = Dir({"a.prism": swap(2000000) + swap(0) + swap(1 << 40) + swap(0) + END}, "--lenient")
    check("PM05", r.read("thread.row").splitlines()[4:] == ["thread 2000000", "thread 2000001", "thread 2000002"], r.read("thread.row"))
    # So many that no picture shows them are refused before memory is full.
    r = Dir({"a.prism": b"".join(swap(i) for i in range(1, 131074)) + END}, "-f", "prv")
    check("many", r.status == 1 and "there are more than 131072 threads" in r.err, r.err)


keys()
wrong()
directories()
packed()
clocks()
timestamps()
intervals()
codes()
threads()
many()
sys.exit(finish())
