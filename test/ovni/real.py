#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that end in every way: all their events are in the timeline, and messages are true.

usage: real.py REAL OVNIEMU OVNIDUMP OVNITOP OVNISORT OVNIFIX
"""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

REAL, EMU, DUMP, TOP, SORT, FIX = sys.argv[1:7]
found = []
TMP = tempfile.TemporaryDirectory()
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def check(what, good, detail=""):
    if not good:
        found.append(f"{what}: {detail}")


def call(*args):
    return subprocess.run(args, capture_output=True, text=True, check=False, timeout=120)


def states(lines, kind, value=None):
    """How often lines of a .prv change a row's value of that type: to that value, or to any."""
    n = 0
    for line in lines:
        fields = line.split(":")
        if fields[0] == "2":
            n += sum(t == kind and value in (None, v) for t, v in zip(fields[6::2], fields[7::2]))
    return n


def told(p):
    """What a tool said, but for how fast the machine was: a busy one is told of with warnings."""
    slow = "large median burst time", "large flush of"
    return "".join(line for line in p.stderr.splitlines(True) if not any(text in line for text in slow))


class Run:
    """A program, its trace, and what ovniemu makes of it."""

    def __init__(self, program, *options, name=None, **env):
        self.what = name or program
        self.dir = pathlib.Path(TMP.name) / self.what.replace(" ", "_")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("OVNI_")}
        p = subprocess.run([REAL, program], env={**clean, "OVNI_TRACEDIR": str(self.dir), **env}, capture_output=True, text=True, check=False, timeout=60)
        self.status, self.said = p.returncode, p.stderr
        self.emitted = int(p.stdout.split()[0])
        self.emulate(*options)

    def emulate(self, *options):
        p = call(EMU, *options, str(self.dir))
        self.emu, self.err = p.returncode, told(p)

    def events(self):
        """How many events there are, without those of flushes."""
        p = call(DUMP, "-q", str(self.dir))
        check(self.what, p.returncode == 0, p.stderr)
        return sum(1 for line in p.stdout.splitlines() if " OF" not in line)

    def prv(self, name="thread"):
        return (self.dir / f"{name}.prv").read_text().splitlines()

    def good(self, status=0):
        check(self.what, self.status == status, f"status {self.status} {self.said}")
        check(self.what, self.emu == 0, self.err)
        check(self.what, self.events() == self.emitted, f"{self.events()} events, {self.emitted} were emitted")
        top = call(TOP, "-q", str(self.dir))
        total = sum(int(line.split()[1]) for line in top.stdout.splitlines() if line.split()[0][:2] not in ("OF",) and len(line.split()) > 1)
        check(self.what, top.returncode == 0 and total == self.emitted, f"ovnitop: {total}")
        return self

    def says(self, *texts):
        for text in texts:
            check(self.what, text in self.err, f"no '{text}' in {self.err}")
        return self

    def silent(self, *texts):
        for text in texts:
            check(self.what, text not in self.err, f"'{text}' in {self.err}")
        return self


def tails():
    """What is in a tail counts for every tool, and is left out by name when it is damaged."""
    r = Run("crashes").good(-11)
    stream = r.dir / "loom.node.1/proc.100/thread.101"
    check("tail", (stream / "stream.obs").stat().st_size == 8 and (stream / "stream.tail").exists())
    good = (stream / "stream.tail").read_bytes()
    for what, bad in {
        "it is shorter than its header": good[:63],
        "it does not begin with": b"x" + good[1:],
        "its version is not known": good[:8] + b"\x02" + good[9:],
        "it has less than it says": good[:2000],
        "it begins behind the end of the stream": good[:48] + b"\x09" + good[49:],
    }.items():
        (stream / "stream.tail").write_bytes(bad)
        r.emulate()
        r.says("the events of its stream.tail are left out: " + what, "no events")
        check("tail", r.emu == 0 or "error" in r.err, r.err)
    # A kill between the write of a flush and what follows it: all is there once.
    events = int.from_bytes(good[56:64], sys.byteorder)
    for cut in 0, 7, 100, events:
        (stream / "stream.tail").write_bytes(good)
        (stream / "stream.obs").write_bytes(b"ovni\1\0\0\0" + good[64:64 + cut])
        check("tail", r.events() == r.emitted, f"{r.events()} after {cut} bytes")
    (stream / "stream.tail").write_bytes(good[:56] + bytes(8) + good[64:])
    check("tail", r.events() == r.emitted, "emptied, not moved")
    # Without metadata: it is told whether there were events.
    (stream / "stream.obs").write_bytes(b"ovni\1\0\0\0")
    meta = (stream / "stream.json").read_bytes()
    (stream / "stream.json").unlink()
    r.emulate()
    r.says("there is no stream.json, and nothing is lost")
    (stream / "stream.tail").write_bytes(good)
    r.emulate()
    r.says("there is no stream.json").silent("nothing is lost")
    (stream / "stream.json").write_bytes(meta)
    # Sorted, the stream has all of it.
    (stream / "stream.tail").write_bytes(good)
    (stream / "stream.obs").write_bytes(b"ovni\1\0\0\0")
    p = call(SORT, "--all", str(r.dir))
    check("sort", p.returncode == 0 and r.events() == r.emitted, p.stderr)


def ends():
    Run("killed").good(-9).says("thread 101 never finished").silent("does not end")
    Run("terminated").good(-15)
    Run("exits").good().says("1 thread ended without ovni_thread_free(): nothing of it is lost").silent("warning")
    Run("aborts").good(-6)
    Run("exits", name="exits private", OVNI_BUFFER="private").good()
    r = Run("exits", name="exits typo", OVNI_BUFFER="privat").good()
    check(r.what, "OVNI_BUFFER=privat is not known" in r.said, r.said)
    Run("aborts", name="aborts private", OVNI_BUFFER="private").good(-6)


def models():
    """What runtimes really write: models that nobody requires, bodies of plain tasks."""
    r = Run("sonar").good().says("the model mpi is enabled", "ended without ovni_thread_free()").silent("warning", "error", "virtual", "at the same time")
    check("sonar", states(r.prv(), "25") > 1000, "no states of MPI")
    check("sonar", states(r.prv("cpu"), "25") > 1000, "no states of MPI in the CPU")
    check("sonar", "vCPU 0.100.101" in (r.dir / "cpu.row").read_text(), "no CPU of its own")
    r.emulate("-l")
    r.says("error[unfinished]")
    r = Run("yields").good().silent("warning")
    r.emulate("--compat")
    r.says("error[task]: task 1 is not parallel: its body must be 0, not 1")


def regions():
    """Late events of the kernel are sorted while they are read, as ovnisort sorts them."""
    r = Run("unsorted").good().says("regions with late events (OU[ to OU]) were sorted").silent("error")
    got = r.prv(), r.prv("cpu")
    check(r.what, states(got[0], "45", "3") == 500, f"{states(got[0], '45', '3')} of 500 states of the kernel")
    r.emulate("--compat")
    r.says("error[clock-backwards]", "run ovnisort")
    stream = r.dir / "loom.node.1/proc.100/thread.101/stream.obs"
    before = stream.read_bytes()
    check(r.what, call(SORT, "-q", str(r.dir)).returncode == 0 and stream.read_bytes() != before, "ovnisort")
    r.emulate()
    r.silent("late events")
    check(r.what, (r.prv(), r.prv("cpu")) == got, "sorted by ovnisort it looks different")
    # Some by thousands of events, in many threads.
    many = Run("later").good().says("144 regions with late events").silent("error")
    got = many.prv(), many.prv("cpu")
    check(many.what, states(got[0], "45", "3") == 144, f"{states(got[0], '45', '3')} of 144 states of the kernel")
    check(many.what, call(SORT, "-q", str(many.dir)).returncode == 0, "ovnisort")
    many.emulate()
    check(many.what, (many.prv(), many.prv("cpu")) == got, "sorted by ovnisort it looks different")
    Run("begun").good(-9).says("1 regions with late events").silent("error")
    # Events that are lost in a handler are told, with their time.
    meta = stream.with_name("stream.json")
    data = json.loads(meta.read_text())
    data["ovni"].update(lost=5, lost_since=1234)
    meta.write_text(json.dumps(data))
    r.emulate()
    r.says("thread 101 lost 5 events", "clock 1234 ns")


def elsewhere():
    """In OVNI_TMPDIR: the trace leads there."""
    tmp = pathlib.Path(TMP.name) / "tmpdir"
    r = Run("killed", name="killed elsewhere", OVNI_TMPDIR=str(tmp)).good(-9)
    check(r.what, (r.dir / "loom.node.1/proc.100/thread.101/stream.obs").is_symlink())


def repaired():
    """By ovnifix: tools that are strict take it, and it looks as before up to the last event."""
    for program, env in (("killed", {}), ("terminated", {}), ("exits", {}), ("aborts", {}), ("crashes", {}), ("sonar", {}), ("killed", {"OVNI_RING": "65536"})):
        r = Run(program, name=f"repaired {program} {len(env)}", **env)
        events, before = r.events(), [r.prv(), r.prv("cpu")]
        end = int(before[0][0].partition("):")[2].split("_")[0])
        r.emulate("--compat", "-l")
        r.says("error[unfinished]")
        p = call(FIX, str(r.dir))
        check(r.what, p.returncode == 0 and "strict tools take it" in p.stderr, p.stderr)
        check(r.what, not list(r.dir.glob("**/stream.tail")) and not list(r.dir.glob("**/stream.ring")), "it has its buffer")
        r.emulate("--compat", "-l")
        check(r.what, r.emu == 0, r.err)
        r.emulate()
        r.silent("warning")
        after = [r.prv(), r.prv("cpu")]
        for a, b in zip(before, after):
            check(r.what, a[1:] == [x for x in b[1:] if int(x.split(":")[5]) <= end], "it looks different")
        check(r.what, 0 <= r.events() - events < 9, f"{r.events()} events, {events} before")
        p = call(FIX, str(r.dir))
        check(r.what, "there is nothing to repair" in p.stderr, p.stderr)


def rings():
    """What was kept of a thread is a trace, in the state that it had."""
    r = Run("dumps", name="ring", OVNI_RING="64k")
    r.says("1 thread kept only the last events (OVNI_RING)").silent("warning", "error")
    check(r.what, r.status == 0 and r.emu == 0 and 65536 // 24 < r.events() < r.emitted // 4, f"{r.events()} of {r.emitted} events {r.said}")
    plain = r.prv()
    r.emulate("--compat", "-l")
    check(r.what, r.emu == 0, f"strict tools refuse what needs nothing else: {r.err}")
    check(r.what, states(r.prv(), "105") == states(plain, "105"), "it looks different")
    for n, shown in (1, ":10:1:"), (2, ":10:0"):
        d = r.dir.with_name(f"ring.dump-{n}")
        p = call(EMU, str(d))
        check("dump", p.returncode == 0 and "warning" not in told(p), p.stderr)
        lines = (d / "thread.prv").read_text().splitlines()
        check("dump", "work" in (d / "thread.pcf").read_text(), "the type is not known")
        last = [line for line in lines if ":10:" in line][-1]
        check("dump", shown in last + ":" or n == 2 and ":10:1:" not in last, f"dump {n}: {last}")
    r = Run("deep", OVNI_RING="64k").says("more was open than a ring keeps (and ").silent("error")
    missed = json.loads((r.dir / "loom.node.1/proc.100/thread.101/stream.json").read_text())["ovni"]["ring"]["missed"]
    check(r.what, r.emu == 0 and f"(and {missed - 1} more events)" in r.err and 200 < missed < 350, f"{missed} {r.err}")
    r = Run("killed", name="killed ring", OVNI_RING="64k").says("thread 101 never finished", "1 thread kept only").silent("error")
    n = r.events()
    top = call(TOP, "-q", str(r.dir))
    check(r.what, r.status == -9 and sum(int(line.split()[1]) for line in top.stdout.splitlines() if line.split()[1:]) == n, top.stdout)
    stream, prv = r.dir / "loom.node.1/proc.100/thread.101", r.prv()
    good, chunk = (stream / "stream.ring").read_bytes(), (stream / "stream.ring").stat().st_size // 8
    for what, bad in {
        "it is shorter than its header": good[:63],
        "it does not begin with": b"x" + good[1:],
        "its version is not known": good[:8] + b"\x02" + good[9:],
        "it has less than it says": good[:chunk],
        "all of its parts are damaged": b"".join(good[i * chunk:i * chunk + 48] + b"\xff" * 8 + good[i * chunk + 56:(i + 1) * chunk] for i in range(8)),
    }.items():
        (stream / "stream.ring").write_bytes(bad)
        r.emulate()
        r.says("the events of its stream.ring are left out: " + what, "no events")
    # Each chunk may be overwritten when the program is killed; the ones behind it are a window, too.
    for i in range(8):
        (stream / "stream.ring").write_bytes(good[:i * chunk + 48] + b"\xff" * 8 + good[i * chunk + 56:])
        r.emulate()
        check(r.what, r.emu == 0 and 0 < r.events() < n, f"without chunk {i}: {r.events()} of {n}")
    (stream / "stream.ring").write_bytes(good)
    p = call(SORT, "--all", str(r.dir))
    r.emulate()
    check("sort", p.returncode == 0 and r.events() == n and r.prv() == prv, p.stderr + r.err)
    r = Run("killed", name="ring elsewhere", OVNI_RING="64k", OVNI_TMPDIR=str(pathlib.Path(TMP.name) / "tmpring"))
    check(r.what, r.emu == 0 and r.events() > 65536 // 24, r.err)


for test in tails, ends, models, regions, elsewhere, repaired, rings:
    test()
TMP.cleanup()
print(*found[:40], sep="\n")
print(f"{len(found)} problems")
sys.exit(bool(found))
