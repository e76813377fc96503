#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prism streams that are emulated while they are written: pipes and FIFOs, writers that wait,
die or never come, threads whose rows are not known ahead.

usage: stream_live.py OVNIEMU USCOPE
"""
import gzip
import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time

from hooks_kit import END, FULL, INSN, LOCK, TMP, UNLOCK, WORKED, Run, cfg, check, cxt, enter, finish, fresh, leave, mem, swap, sync

EMU, USCOPE = sys.argv[1:]
MEM = 439


class Live(Run):
    """A run on pipes: '-' is the standard input, other names are FIFOs."""

    def __init__(self, *args):
        self.where = fresh()
        self.dir = f"{self.where}/out"
        os.makedirs(self.where)
        names = [a for a in args if not a.startswith("--")]
        words = [a for a in args if a.startswith("--")]
        for name in names:
            if name != "-" and not name.startswith("/"):
                os.mkfifo(f"{self.where}/{name}")
        paths = [n if n == "-" or n.startswith("/") else f"{self.where}/{n}" for n in names]
        with open(f"{self.where}/err", "wb") as err:
            self.process = subprocess.Popen([EMU, "-q", "-o", self.dir, *[w for p in paths for w in ("--prism", p)], *words],
                                            stdin=subprocess.PIPE if "-" in names else subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        self.stdin = self.process.stdin

    def open(self, name):
        return open(f"{self.where}/{name}", "wb", buffering=0)

    def end(self):
        if self.stdin:
            self.stdin.close()
        try:
            self.status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.status = self.process.wait()
            check("end", False, "it does not end")
        with open(f"{self.where}/err", encoding="utf-8", errors="backslashreplace") as f:
            self.err = f.read()
        return self


def put(f, data):
    while data:
        data = data[f.write(data):]
    f.flush()


def feed(data, *options, pieces=None):
    """A run on the standard input, given at once or in pieces."""
    r = Live("-", *options)
    try:
        for piece in pieces or [data]:
            put(r.stdin, piece)
            if pieces:
                time.sleep(0.002)
    except BrokenPipeError:
        pass
    try:
        return r.end()
    except BrokenPipeError:
        r.stdin = None
        return r.end()


def plain(data, *options):
    return Run(EMU, fresh(), [data], *options)


def lines_of(prv):
    """(row, type) -> [(time, value)], without the first, and how many rows the header names."""
    head, *lines = prv.splitlines()
    rows = int(head.split(":1(")[1].split(":")[0])
    out = {}
    for line in lines:
        w = [int(x) for x in line.split(":")]
        for t, v in zip(w[6::2], w[7::2]):
            out.setdefault((w[4], t), []).append((w[5], v))
    return rows, {k: v[1:] for k, v in out.items()}, {k: v[0] for k, v in out.items()}


def procs(r):
    return [f for f in ("proc.prv", "proc.pcf", "proc.row") if os.path.exists(f"{r.dir}/{f}")]


def same(what, live, file):
    """All but the first line of each row, and the leading zeros of the header."""
    check(what, live.status == 0 and file.status == 0, live.err + file.err)
    if live.status or file.status:
        return
    for name in ["thread.row", "thread.pcf", "cpu.row", "cpu.pcf", "cpu.prv", *procs(file)]:
        check(what, live.read(name) == file.read(name), f"another {name}")
    a, b = lines_of(live.read("thread.prv")), lines_of(file.read("thread.prv"))
    check(what, a[:2] == b[:2], "another thread.prv")
    check(what, set(a[2]) == set(b[2]) and all(v == b[2][k][1] for k, (_, v) in a[2].items()), "other first values")
    # A row begins when its thread does, as a whole.
    for row in {k[0] for k in a[2]}:
        check(what, len({t for k, (t, _) in a[2].items() if k[0] == row}) == 1, f"row {row} begins at several times")


def again(what, r):
    """ovni.uscp tells the same as the PRV."""
    p = subprocess.run([USCOPE, "timeline", "--prv", f"{r.where}/again", f"{r.dir}/ovni.uscp"], capture_output=True, text=True, check=False, timeout=60)
    check(what, p.returncode == 0, p.stderr)
    for name in ["thread.prv", "thread.row", "cpu.prv", "cpu.row", *procs(r)]:
        with open(f"{r.where}/again/{name}", encoding="utf-8") as f:
            check(what, f.read() == r.read(name), f"another {name} out of ovni.uscp")


def random_stream(r, threads=0):
    out = [FULL[:2] if r.random() < 0.5 else cfg("mem", 0)]
    full = out[0] == FULL[:2]
    held, names = {}, {}
    thread = 1000000
    for _ in range(r.randrange(1, 300)):
        k = r.random()
        if k < 0.15:
            thread = threads + r.randrange(1, 12)
            out.append(swap(thread))
        elif k < 0.25:
            names.setdefault(thread, []).append(name := r.choice("fgh"))
            out.append(enter(name))
        elif k < 0.35 and names.get(thread):
            out.append(leave(names[thread].pop()))
        elif k < 0.45:
            held.setdefault(thread, []).append(lock := r.randrange(3) + 10 * thread)
            out.append(sync(LOCK, lock))
        elif k < 0.55 and held.get(thread):
            out.append(sync(UNLOCK, held[thread].pop()))
        elif k < 0.6:
            out.append(cxt(INSN, r.randrange(9)))
        else:
            out.append(mem("load", 2, 64 * r.randrange(9), 1) if full else mem())
    return b"".join(out) + END


def as_files():
    """What comes through a pipe is shown as what is in a file."""
    r = random.Random(8)
    same("worked", feed(WORKED, "--prism-interval=time:8"), plain(WORKED, "--prism-interval=time:8"))
    same("byte by byte", feed(WORKED, pieces=[WORKED[i:i + 1] for i in range(len(WORKED))]), plain(WORKED))
    for i in range(25 // int(os.environ.get("TEST_SHARE", "1"))):
        data = random_stream(r)
        options = [f"--prism-interval=time:{r.choice((7, 50, 1000000))}", f"--prism-clock=tick_ns={r.choice((1, 3))}"]
        cut = sorted(r.randrange(len(data)) for _ in range(r.randrange(4)))
        pieces = [data[a:b] for a, b in zip([0, *cut], [*cut, len(data)])]
        same(f"random {i}", feed(data, *options, pieces=pieces), plain(data, *options))
    # The reader waits nearly everywhere: also where the next event brings a row, which begins before it.
    for i in range(6):
        data = random_stream(random.Random(i))
        live = feed(data, "--prism-interval=time:7", pieces=[data[i:i + 3] for i in range(0, len(data), 3)])
        same(f"crumbs {i}", live, plain(data, "--prism-interval=time:7"))
        again(f"crumbs {i}", live)
    # Rows of processes are all known ahead.
    for i in range(3):
        data = random_stream(random.Random(i))
        words = "--prism-interval=time:7", "--models=useful,parallelism"
        live = feed(data, *words, pieces=[data[i:i + 5] for i in range(0, len(data), 5)])
        same(f"processes {i}", live, plain(data, *words))
        again(f"processes {i}", live)
        check(f"processes {i}", live.read("proc.prv").count(":63:1") > 1 and "PROC" in live.read("proc.row"), live.read("proc.prv"))
    # One that is read while the file has room for all: names are there when they are shown.
    big = swap(1) + (enter("one") + enter("two") + leave("two") + leave("one")) * 30000 + END
    same("big", feed(big), plain(big))


def outputs():
    """Rows that nobody needed are in no output; ovni.uscp tells the same as the PRV."""
    r = feed(WORKED, "--prism-interval=time:8")
    check("outputs", r.read("thread.prv").startswith("#Paraver (19/01/38 at 03:14):00000000000000000015_ns:0:1:1(002:1)\n"), r.read("thread.prv")[:70])
    check("outputs", r.read("thread.row").splitlines()[3:] == ["LEVEL THREAD SIZE 2", "thread 1", "thread 2"], r.read("thread.row"))
    again("timeline", r)
    p = subprocess.run([USCOPE, "timeline", "--at", "9ns", f"{r.dir}/ovni.uscp"], capture_output=True, text=True, check=False, timeout=60)
    check("timeline", p.stdout.count("thread ") == 3 and "row 3" not in p.stdout, p.stdout)
    # As many as there are rows, and one more.
    many = b"".join(swap(i) for i in range(1, 5)) + END
    r = feed(many, "--prism-threads=4")
    check("all rows", r.status == 0 and "1(4:1)" in r.read("thread.prv"), r.err)
    r = feed(many, "--prism-threads=3")
    check("no row", r.status == 1 and "there is no row left for thread 4" in r.err and "--prism-threads" in r.err, r.err)
    check("no row", r.read("thread.row").splitlines()[4:] == ["thread 1", "thread 2", "thread 3"], r.read("thread.row"))
    same("many rows", feed(b"".join(swap(i) for i in range(1, 301)) + END, "--prism-threads=300"), plain(b"".join(swap(i) for i in range(1, 301)) + END))
    r = feed(swap(0) + swap(1 << 40) + swap(0) + END, "--lenient")
    check("PM05", r.status == 0 and len(r.read("thread.row").splitlines()[4:]) == 2, r.err)
    for data in b"", cfg("mem", 0), END:
        r = feed(data)
        check("nobody", r.status == 0 and r.read("thread.row").splitlines()[4:] == ["thread 1000000"], r.err)
        check("nobody", "1(001:1)" in r.read("thread.prv"), r.read("thread.prv")[:70])


def writers():
    """Whoever writes may die at any time; what it wrote is shown."""
    r = feed(swap(3) + mem() * 4)
    check("no end", r.status == 0 and "warning: PB14" in r.err and r.lines("thread", MEM)[1] == "4:4", r.err)
    for part in b"\x45\x01", b"\x63", b"\x63\x09main":
        r = feed(swap(3) + mem() * 4 + part)
        check("inside an event", r.status == 0 and "warning: PB01" in r.err and "standard input +0xd" in r.err, r.err)
        check("inside an event", r.lines("thread", MEM)[1] == "4:4", r.lines("thread", MEM))
    r = feed(swap(3) + mem() * 4 + b"\xe0" + mem())
    check("wrong", r.status == 1 and "error[prism]: PB02" in r.err and "+0xd" in r.err, r.err)
    r = feed(swap(3) + END + b"\x00")
    check("behind the end", r.status == 1 and "error[prism]: PB15" in r.err, r.err)
    r = feed(swap(3) + END + b"\x00" * 200000, "--lenient")
    check("behind the end, lenient", r.status == 0 and "warning: PB15" in r.err, r.err)
    p = subprocess.run(["sh", "-c", f"{EMU} -q -o {TMP.name}/closed --prism - <&-"], capture_output=True, text=True, check=False, timeout=60)
    check("closed", p.returncode == 1 and "error[read]" in p.stderr and "standard input" in p.stderr, p.stderr)
    # A killed process, in the middle of its work.
    r = Live("a")
    w = subprocess.Popen([sys.executable, "-c", "import sys; f = open(sys.argv[1], 'wb', buffering=0)\n"
                          f"f.write({swap(3) + mem() * 9!r})\nprint(flush=True)\nwhile True: f.write({mem()!r} * 1000)", f"{r.where}/a"], stdout=subprocess.PIPE)
    w.stdout.readline()
    time.sleep(0.1)
    w.kill()
    w.wait()
    w.stdout.close()
    r.end()
    check("killed", r.status == 0 and "PB14" in r.err and int(r.lines("thread", MEM)[1].split()[-1].split(":")[1]) >= 9, r.err)
    # A writer that comes late, and one that writes seldom.
    r = Live("a")
    time.sleep(0.2)
    with r.open("a") as f:
        put(f, swap(3))
        time.sleep(0.1)
        put(f, mem() * 2)
        time.sleep(0.1)
        put(f, END)
    check("late", r.end().status == 0 and r.err == "" and r.lines("thread", MEM)[1] == "2:2", r.err)
    # The next writer of a FIFO goes on where one stopped, if somebody kept it open.
    r = Live("a")
    keep = r.open("a")
    for part in swap(3) + mem()[:1], b"\x00" * 3, END:
        with r.open("a") as f:
            put(f, part)
    keep.close()
    check("several writers", r.end().status == 0 and r.err == "" and r.lines("thread", MEM)[1] == "4:4", r.err)


def signals():
    """What came is emulated at once, and shown when the user has seen enough."""
    r = Live("a", "--prism-events=all")
    with r.open("a") as f:
        put(f, swap(3) + enter("f") + mem() * 3 + leave("f"))
        time.sleep(0.5)
        r.process.send_signal(signal.SIGINT)
        r.end()
        check("signal", r.status == 0 and r.lines("thread", 400)[1] == "1:1 5:0", f"{r.status} {r.err}")
        check("signal", r.read("thread.prv").startswith("#Paraver (19/01/38 at 03:14):00000000000000000005_ns"), r.read("thread.prv")[:60])
    r = Live("a")
    time.sleep(0.3)
    r.process.send_signal(signal.SIGTERM)
    check("signal, nobody", r.end().status == 0, r.err)


def several():
    """Streams that one program writes in turns: it may wait on one while another is waited for."""
    r = Live("a", "b")
    a, b = r.open("a"), r.open("b")
    # The name waits for its turn, while what is behind it moves it.
    put(a, enter("a function that waits") + mem() * 3000000)
    put(b, swap(2) + mem() * 3000000 + END)
    b.close()
    put(a, END)
    a.close()
    check("turns", r.end().status == 0 and r.err == "", r.err)
    check("turns", "\n1    a function that waits\n" in r.read("thread.pcf"), "another name")
    # Both at once.
    r = Live("a", "b", "--prism-interval=time:10")
    data = {n: random_stream(random.Random(n), 20 * i) for i, n in enumerate("ab")}

    def write(name):
        with r.open(name) as f:
            for i in range(0, len(data[name]), 7):
                put(f, data[name][i:i + 7])
                time.sleep(0.0005)
    both = [threading.Thread(target=write, args=(n,)) for n in "ab"]
    for t in both:
        t.start()
    for t in both:
        t.join()
    file = Run(EMU, f"{TMP.name}/both", [data["a"], data["b"]], "--prism-interval=time:10")
    check("both", r.end().status == 0 and file.status == 0, r.err + file.err)
    check("both", r.read("cpu.prv") == file.read("cpu.prv"), "another cpu.prv")
    check("both", sorted(r.read("thread.row").splitlines()) == sorted(file.read("thread.row").splitlines()), r.read("thread.row"))
    # A file and a pipe together: the threads of the file are known.
    path = f"{TMP.name}/half.prism"
    with open(path, "wb") as f:
        f.write(swap(8) + swap(9) + mem() * 5 + END)
    r = Live(path, "-")
    put(r.stdin, swap(7) + mem() * 20 + END)
    r.end()
    check("mixed", r.status == 0 and r.read("thread.row").splitlines()[4:] == ["thread 8", "thread 9", "thread 7"], r.err)
    # FIFOs of a directory, one with a description.
    where = f"{TMP.name}/fifos"
    os.makedirs(where)
    for name in "0.prism", "1.prism":
        os.mkfifo(f"{where}/{name}")
    with open(f"{where}/1.json", "w", encoding="utf-8") as f:
        json.dump({"version": 1, "format": "prism", "events": "1.prism", "process": 6, "first_thread": 12}, f)
    p = subprocess.Popen([EMU, "-q", "-o", f"{where}/out", where], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    with open(f"{where}/0.prism", "wb") as a, open(f"{where}/1.prism", "wb") as b:
        put(b, mem() * 3 + END)
        put(a, swap(11) + mem() + END)
    err = p.communicate(timeout=60)[1]
    with open(f"{where}/out/thread.row", encoding="utf-8") as f:
        rows = sorted(f.read().splitlines()[4:])
    check("directory", p.returncode == 0 and err == "" and rows == ["thread 1.11", "thread 6.12"], f"{rows} {err}")
    # Processes of descriptions.
    r = Live("a", "--prism-process=44")
    with r.open("a") as f:
        put(f, swap(3) + END)
    check("process", r.end().status == 0 and r.lines("cpu", 1)[1].startswith("0:44"), r.err)


def seen():
    """While a writer thinks, what came from it is in the files."""
    options = "--prism-events=all", "--prism-interval=time:10"
    # The first ends while a punctual value is shown.
    parts = [swap(1) + mem() + enter("f"), (leave("f") + mem() + enter("f")) * 20 + leave("f"), swap(2) + (enter("g") + mem() + leave("g")) * 20, swap(3) + mem() * 10 + END]
    r = Live("-", *options)
    for i, (part, first, row) in enumerate(zip(parts, (0, 55, 110, None), ("thread 1", "thread 1", "thread 2", None))):
        put(r.stdin, part)
        for _ in range(100):
            time.sleep(0.1)
            shown = open(f"{r.dir}/thread.prv", encoding="utf-8").read() if os.path.exists(f"{r.dir}/thread.prv") else ""
            # The last nanosecond is still to come.
            if first is None or f":{first}:" in shown and shown.endswith("\n"):
                break
        else:
            check(f"seen {i}", False, shown[-200:])
        if row:
            # It is written after the Paraver files.
            for _ in range(100):
                p = subprocess.run([USCOPE, "timeline", "-q", "--at", f"{first}ns", f"{r.dir}/ovni.uscp"], capture_output=True, text=True, check=False, timeout=60)
                if p.returncode == 0 and "Running" in p.stdout:
                    break
                time.sleep(0.1)
            check(f"seen {i}", p.returncode == 0 and "Running" in p.stdout, p.stdout + p.stderr)
    same("seen", r.end(), plain(b"".join(parts), *options))
    r2 = subprocess.run([USCOPE, "timeline", "-q", "--prv", f"{r.where}/again", f"{r.dir}/ovni.uscp"], capture_output=True, text=True, check=False, timeout=60)
    check("seen", r2.returncode == 0, r2.stderr)
    for name in "thread.prv", "cpu.prv":
        with open(f"{r.where}/again/{name}", encoding="utf-8") as f:
            check("seen", f.read() == r.read(name), f"another {name} out of ovni.uscp")


def packed():
    """Compressed files show it, too, in whole members, and unpack to the same in the end."""
    options = "--prism-events=all", "--prism-interval=time:10"
    parts = [swap(1) + mem() + enter("f"), (leave("f") + mem() + enter("f")) * 20 + leave("f"), swap(2) + (enter("g") + mem() + leave("g")) * 20 + END]
    r = Live("-", "--gzip", *options)

    def shown(name):
        try:
            with gzip.open(f"{r.dir}/{name}.gz", "rt", encoding="utf-8") as f:
                return f.read()
        except (FileNotFoundError, EOFError):  # not yet, or a member is being written
            return ""

    for part, first in zip(parts, (0, 55, None)):
        put(r.stdin, part)
        for _ in range(600):
            if first is None or f":{first}:" in shown("thread.prv"):
                break
            time.sleep(0.1)
        else:
            check(f"packed {first}", False, shown("thread.prv")[-200:])
    r.end()
    for name in "thread.prv", "cpu.prv":
        text = shown(name)
        with open(f"{r.dir}/{name}", "w", encoding="utf-8") as f:
            f.write(text)
    same("packed", r, plain(b"".join(parts), *options))
    check("packed", "_ns:0:1:1(002:1)" in r.read("thread.prv"), r.read("thread.prv")[:70])


def full():
    """The disk is full while we wait: there is nothing more to wait for."""
    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

    for outputs_ in "prv", "prv,uscope", "uscope":
        p = subprocess.Popen([EMU, "-q", "-o", f"{TMP.name}/full-{outputs_}", "-f", outputs_, "--uscope-compression=none", "--prism", "-"],
                             stdin=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=small_files)
        try:
            # Fewer events than after which it looks by itself.
            put(p.stdin, swap(1))
            for i in range(1500):
                put(p.stdin, enter(f"function {i}") + leave(f"function {i}"))
            check(f"full, {outputs_}", p.wait(30) == 1, p.returncode)
        except BrokenPipeError:
            p.wait(30)
        except subprocess.TimeoutExpired:
            p.kill()
            check(f"full, {outputs_}", False, "it still waits")
        err = p.stderr.read().decode(errors="backslashreplace")
        check(f"full, {outputs_}", "error[write]" in err, err)
        p.stderr.close()
        try:
            p.stdin.close()
        except BrokenPipeError:
            pass


def follow():
    """Who follows ovni.uscp sees the threads that come later."""
    calls = 20000 // int(os.environ.get("TEST_SHARE", "1"))
    r = Live("a", "--prism-clock=tick_ns=1000")
    uscp = f"{r.dir}/ovni.uscp"
    with r.open("a") as f:
        put(f, swap(1) + (mem() * 99 + enter("f") + leave("f")) * calls)
        for _ in range(600):
            time.sleep(0.05)
            listed = subprocess.run([USCOPE, "timeline", "-q", "-r", "thread/*", "-c", "func_depth", uscp], capture_output=True, text=True, check=False)
            if listed.returncode == 0 and "thread 1" in listed.stdout + "thread 1" * ("row 1" in listed.stdout):
                break
        words = [USCOPE, "timeline", "-q", "-f", "--interval=20ms", "--timeout=30s", "--json", "-c", "func_depth"]
        all_rows = subprocess.Popen([*words, uscp], stdout=subprocess.PIPE, text=True)
        by_name = subprocess.Popen([*words, "-r", "thread/*", uscp], stdout=subprocess.PIPE, text=True)
        time.sleep(0.3)
        put(f, swap(2) + (mem() * 9 + enter("g") + leave("g")) * 2000 + END)
    check("follow", r.end().status == 0, r.err)
    whole = subprocess.run([USCOPE, "timeline", "-q", "--json", "-r", "thread/*", "-c", "func_depth", uscp], capture_output=True, text=True, check=False).stdout

    def threads(text):
        """What the rows of threads show; their names are in the file when it is complete."""
        spans = [json.loads(x) for x in text.splitlines()]
        return sorted((x["row"], x["begin_ps"], x["end_ps"], x["value"]) for x in spans if x["class"] == "thread")

    want = threads(whole)
    check("follow", len(want) == calls + 2000 and {x[0] for x in want} == {1, 2}, len(want))
    for p, what in (all_rows, "all"), (by_name, "by name"):
        got = threads(p.communicate(timeout=60)[0])
        check(f"follow, {what}", p.returncode == 0 and got == want, f"{len(got)} intervals, not {len(want)}")


def threads():
    """There are as many threads as were asked for: those of -j 1, and one for each more."""
    used = []
    for n in 1, 2, 4, 9:
        r = Live("-", "--prism-events=all", f"--threads={n}")
        put(r.stdin, swap(1) + mem() * 3)
        tasks = f"/proc/{r.process.pid}/task"
        before = 0
        for _ in range(100):
            time.sleep(0.2)
            now = len(os.listdir(tasks)) if os.path.exists(f"{r.dir}/cpu.prv") else 0
            if now and now == before:
                break
            before = now
        used.append(before)
        put(r.stdin, END)
        check("threads", r.end().status == 0, r.err)
    check("threads", [u - used[0] for u in used] == [0, 1, 3, 8], used)


as_files()
seen()
packed()
follow()
outputs()
full()
writers()
signals()
several()
threads()
sys.exit(finish())
