#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Live buffers: a producer and a reader as two processes, producers that die or lie, readers that die.

usage: ipc.py OVNIEMU OVNISCOPE_PRISM IPC_FEED
"""
import filecmp
import os
import random
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time

from hooks_kit import END, FULL, INSN, TMP, WORKED, check, cxt, enter, finish, fresh, leave, mem, swap

EMU, TOOL, FEED = sys.argv[1:]
BUFFERS, SIZE, FINISHED = 8, 1 << 19, 0xffffffff
SHARE = int(os.environ.get("TEST_SHARE", "1"))


def new_dir():
    where = fresh()
    os.makedirs(f"{where}/ipc")
    return where


class Process:
    """A program in the background, which has to end."""

    def __init__(self, *words):
        self.out_file, self.err_file = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.out_file, stderr=self.err_file)

    def end(self, what="it"):
        try:
            self.status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.status = self.process.wait()
            check(what, False, "it does not end")
        for name, f in (("out", self.out_file), ("err", self.err_file)):
            f.seek(0)
            setattr(self, name, f.read().decode(errors="backslashreplace"))
            f.close()
        bad = "Sanitizer" in self.err or self.status in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGPIPE)
        check(what, not bad, f"{self.status}\n{self.err}")
        return self


def emulate(where, *options, dirs=("ipc",), out="out"):
    return Process(EMU, "-q", "-f", "prv", "-o", f"{where}/{out}", *[w for d in dirs for w in ("--prism", f"ipc:{where}/{d}")], *options)


def dump(where, *options):
    return Process(TOOL, "dump", *options, f"ipc:{where}/ipc")


def feed(where, data, number=0, d="ipc"):
    path = f"{where}/{d}-{number}.prism"
    with open(path, "wb") as f:
        f.write(data)
    return Process(FEED, f"{where}/{d}", str(number), path, "20000")


def wait_for(path, process):
    end = time.monotonic() + 60
    while not os.path.exists(path) and process.process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)


def connected(writer):
    try:
        with open(f"/proc/{writer.process.pid}/maps", encoding="utf-8") as f:
            return "prism-shmem" in f.read()
    except OSError:  # it has ended
        return False


def wait_connected(writer):
    while writer.process.poll() is None and not connected(writer):
        time.sleep(0.001)


class Producer:
    """A producer that does what it is told: the order is that of Prism's own, or the other one."""

    def __init__(self, where, reader, number=0, full_first=False):
        names = [f"{where}/ipc/prism-{part}-{number}" for part in ("shmem", "empty", "full")]
        wait_for(names[2], reader)
        self.shmem = os.open(names[0], os.O_RDWR)
        self.full = os.open(names[2], os.O_WRONLY) if full_first else -1
        self.empty = os.open(names[1], os.O_RDONLY)
        if not full_first:
            self.full = os.open(names[2], os.O_WRONLY)

    def fill(self, index, data):
        os.pwrite(self.shmem, data, index * SIZE)

    def tell(self, *numbers):
        self.tell_bytes(b"".join(struct.pack("=I", n) for n in numbers))

    def tell_bytes(self, data):
        try:
            os.write(self.full, data)
        except BrokenPipeError:
            pass

    def get(self):
        data = os.read(self.empty, 4)
        return struct.unpack("=I", data)[0] if data else None

    def stuff(self):
        """Fills the FIFO of empty buffers."""
        fd = os.open(f"/proc/self/fd/{self.empty}", os.O_WRONLY | os.O_NONBLOCK)
        try:
            while os.write(fd, bytes(4096)):
                pass
        except BlockingIOError:
            os.close(fd)

    def close(self):
        for fd in (self.shmem, self.empty, self.full):
            os.close(fd)


def lines(text):
    """A dump, without the Ends that are where buffers end."""
    return [line for line in text.splitlines() if line != "end"]


def dump_of(data):
    with open(f"{TMP.name}/plain.prism", "wb") as f:
        f.write(data)
    return lines(Process(TOOL, "dump", f"{TMP.name}/plain.prism").end().out)


def same_dirs(what, a, b):
    names = sorted(n for n in os.listdir(a) if n.endswith((".prv", ".pcf", ".row")))
    check(what, names and filecmp.cmpfiles(a, b, names, shallow=False) == (names, [], []), f"{a} and {b} differ")


def many(seed, n):
    r = random.Random(seed)
    out = [FULL, swap(seed), enter("main")]
    for _ in range(n):
        what = r.randrange(4)
        name = "f" * r.choice([1, 20, 256])
        out.append(mem("load", 3, r.getrandbits(56), 1) if what == 0 else cxt(INSN, r.getrandbits(56)) if what == 1 else
                   bytes.fromhex("2a01400102") if what == 2 else enter(name) + leave(name))
    return b"".join(out) + leave("main") + END


# ---- Two processes. ----
BIG = many(1, 90000)  # more than all buffers hold


def pair():
    where = new_dir()
    reader, writer = emulate(where), feed(where, BIG)
    writer.end("feed")
    reader.end("pair")
    check("pair", reader.status == 0 and writer.status == 0 and not reader.err, f"{reader.status} {reader.err} {writer.err}")
    check("pair", os.listdir(f"{where}/ipc") == [], "the files stay")
    with subprocess.Popen([EMU, "-q", "-f", "prv", "-o", f"{where}/pipe", "--prism", "-"], stdin=subprocess.PIPE) as p:
        p.communicate(BIG)
    same_dirs("pair", f"{where}/out", f"{where}/pipe")


def writer_first():
    where = new_dir()
    writer = feed(where, WORKED)
    time.sleep(0.05)
    reader = dump(where).end("writer first")
    check("writer first", writer.end().status == 0 and reader.status == 0 and lines(reader.out) == dump_of(WORKED), reader.out + reader.err)


def dumped():
    where = new_dir()
    reader, writer = dump(where), feed(where, BIG)
    check("dump", writer.end().status == 0 and reader.end("dump").status == 0 and lines(reader.out) == dump_of(BIG), reader.err)


def several():
    """Two producers in a directory, and one in another."""
    where = new_dir()
    os.mkdir(f"{where}/b")
    reader = emulate(where, "--prism-threads=8", dirs=("ipc", "b", "ipc"))
    writers = [feed(where, many(i + 2, 20000), n, d) for i, (d, n) in enumerate((("b", 0), ("ipc", 1), ("ipc", 0)))]
    for w in writers:
        check("several", w.end("several").status == 0, w.err)
    check("several", reader.end("several").status == 0, reader.err)
    with open(f"{where}/out/cpu.prv", encoding="utf-8") as f:
        words = [[int(x) for x in line.split(":")] for line in f.read().splitlines()[1:]]
    ran = {(w[4], tid) for w in words for kind, tid in zip(w[6::2], w[7::2]) if kind == 2 and tid}
    check("several", ran == {(1, 4), (2, 2), (3, 3)}, f"CPUs and their threads: {ran}")


# ---- Ends that are none. ----
def producer_dies():
    where = new_dir()
    reader = dump(where)
    p = Producer(where, reader)
    p.fill(0, WORKED)
    p.tell(0)
    check("dies", p.get() == 0, "the buffer does not come back")
    p.fill(1, FULL)
    p.close()
    reader.end("dies")
    check("dies", reader.status == 0 and lines(reader.out) == dump_of(WORKED) and "the producer has gone" in reader.err,
          f"{reader.status} {reader.out} {reader.err}")


def producer_killed():
    where = new_dir()
    reader, writer = emulate(where), feed(where, BIG)
    wait_connected(writer)
    writer.process.kill()
    writer.process.wait()
    reader.end("killed")
    check("killed", reader.status in (0, 1), f"{reader.status} {reader.err}")


def reader_dies():
    for how in (signal.SIGKILL, signal.SIGTERM):
        where = new_dir()
        reader, writer = emulate(where), feed(where, BIG)
        wait_connected(writer)
        reader.process.send_signal(how)
        reader.process.wait()
        writer.end("reader dies")
        check("reader dies", writer.status in (0, 1), f"{writer.status} {writer.err}")
        # what it leaves does not disturb the next one
        reader, writer = dump(where), feed(where, WORKED)
        check("after it", writer.end().status == 0 and lines(reader.end("after it").out) == dump_of(WORKED), reader.err + writer.err)


def nobody():
    where = new_dir()
    with open(f"{where}/x.prism", "wb") as f:
        f.write(WORKED)
    writer = Process(FEED, f"{where}/ipc", "0", f"{where}/x.prism", "50").end("nobody")
    check("nobody", writer.status == 2 and "timed out" in writer.err, f"{writer.status} {writer.err}")
    reader = emulate(where)
    wait_for(f"{where}/ipc/prism-full-0", reader)
    reader.process.terminate()
    reader.end("nobody")
    check("nobody", os.listdir(f"{where}/ipc") == [], "the files stay")


# ---- Other readers. ----
class Reader:
    """A reader as Prism's own, which gives buffers back when it is told."""

    def __init__(self, where, data, timeout="20000"):
        with open(f"{where}/ipc/prism-shmem-0", "wb") as f:
            f.truncate(BUFFERS * SIZE)
        with open(f"{where}/x.prism", "wb") as f:
            f.write(data)
        for part in ("empty", "full"):
            os.mkfifo(f"{where}/ipc/prism-{part}-0")
        # on a busy machine the FIFOs are opened long after each other
        self.writer = Process(FEED, f"{where}/ipc", "0", f"{where}/x.prism", timeout, "400")
        self.shmem = os.open(f"{where}/ipc/prism-shmem-0", os.O_RDONLY)
        self.empty = os.open(f"{where}/ipc/prism-empty-0", os.O_WRONLY)
        self.full = os.open(f"{where}/ipc/prism-full-0", os.O_RDONLY)

    def get(self):
        return struct.unpack("=I", os.read(self.full, 4))[0]

    def give(self, number):
        os.write(self.empty, struct.pack("=I", number))

    def end(self, status, text):
        os.close(self.empty)
        self.writer.end("writer")
        check("writer", self.writer.status == status and text in self.writer.err, f"{self.writer.status} {self.writer.err}")
        os.close(self.full)
        os.close(self.shmem)


def slow_reader():
    """No buffer is written to again before it has come back."""
    where = new_dir()
    r = Reader(where, BIG)
    check("slow", [r.get() for _ in range(BUFFERS)] == list(range(BUFFERS)), "another order")
    check("slow", not select.select([r.full], [], [], 0.1)[0], "more buffers than there are")
    data = b"".join(os.pread(r.shmem, SIZE, n * SIZE) for n in range(BUFFERS))
    for n in range(BUFFERS):
        r.give(n)
    while (n := r.get()) != FINISHED:
        data += os.pread(r.shmem, SIZE, n * SIZE)
        r.give(n)
    r.end(0, "")
    with open(f"{where}/y.prism", "wb") as f:
        f.write(data)
    check("slow", lines(Process(TOOL, "dump", "--buffer-size", str(SIZE), f"{where}/y.prism").end().out)[1:] == dump_of(BIG)[1:], "other events")


def bad_readers():
    for give, timeout, text in (((BUFFERS,), "20000", "Protocol"), ((3, 3), "20000", "Protocol"), ((), "50", "timed out"), ((), "20000", "Broken pipe")):
        r = Reader(new_dir(), BIG, timeout)
        for _ in range(BUFFERS):
            r.get()
        for n in give:
            r.give(n)
        if text != "Broken pipe":
            r.writer.process.wait(60)
        r.end(1, text)
    r = Reader(new_dir(), WORKED)
    check("early", [r.get(), r.get()] == [0, FINISHED], "other numbers")
    r.end(1, "Broken pipe")


# ---- Lies. ----
def lies():
    cases = [
        ("index", lambda p: p.tell(BUFFERS), 1, "does not exist"),
        ("high index", lambda p: p.tell(0x7fffffff, FINISHED), 1, "does not exist"),
        ("torn", lambda p: p.tell_bytes(b"\0\0"), 0, "the producer has gone"),
        ("nothing", lambda p: p.tell(FINISHED), 0, ""),
        ("zeros", lambda p: p.tell(3, FINISHED), 0, ""),
        ("shorter", lambda p: (os.ftruncate(p.shmem, SIZE), p.tell(0, 1, FINISHED)), 1, "shorter"),
        ("no end", lambda p: (p.fill(0, mem() * SIZE), p.tell(0, FINISHED)), 0, "PB14"),
        ("crosses", lambda p: (p.fill(0, mem() * (SIZE - 3) + enter("far")[:3]), p.tell(0, FINISHED)), 1, "PB16"),
        ("twice", lambda p: (p.fill(0, WORKED), p.tell(0, FINISHED)), 0, ""),
        ("none back", lambda p: (p.stuff(), p.fill(0, WORKED), p.tell(0, FINISHED)), 1, "takes none of its buffers back"),
    ]
    for full_first in (False, True):
        for lenient in ((), ("--lenient",)):
            for name, act, status, text in cases:
                where = new_dir()
                reader = Process(TOOL, "stat", *lenient, f"ipc:{where}/ipc") if name in ("zeros", "no end", "crosses") else dump(where, *lenient)
                p = Producer(where, reader, full_first=full_first)
                act(p)
                p.close()
                reader.end(name)
                check(name, reader.status == (0 if lenient else status) and text in reader.err, f"{lenient} {reader.status} {reader.err}")


def rand():
    for seed in range(max(12 // SHARE, 3)):
        r = random.Random(seed)
        where = new_dir()
        reader = emulate(where, "--lenient") if seed % 2 else dump(where)
        p = Producer(where, reader, full_first=seed % 3 == 0)
        for _ in range(r.randrange(1, 12)):
            p.fill(r.randrange(BUFFERS), r.randbytes(r.randrange(2000)))
            p.tell_bytes(struct.pack("=I", r.choice([r.randrange(BUFFERS)] * 9 + [r.getrandbits(32)])) if r.random() < .9 else r.randbytes(r.randrange(9)))
        p.close()
        reader.end(f"random {seed}")
        check(f"random {seed}", reader.status in (0, 1), f"{reader.status} {reader.err}")


def bad_dirs():
    where = new_dir()
    reader = emulate(where)
    wait_for(f"{where}/ipc/prism-full-0", reader)
    second = emulate(where, out="second").end("two readers")
    check("two readers", second.status == 1 and "has a reader already" in second.err, f"{second.status} {second.err}")
    p = Producer(where, reader)
    p.fill(0, WORKED)
    p.tell(0, FINISHED)
    check("two readers", reader.end("two readers").status == 0, reader.err)
    p.close()
    for d, text in (("none", "none"), ("file", "no directory")):
        with open(f"{where}/file", "wb"):
            pass
        r = emulate(where, dirs=(d,)).end(d)
        check(d, r.status == 1 and text in r.err, f"{r.status} {r.err}")
    os.symlink(f"{where}/file", f"{where}/ipc/prism-shmem-0")
    r = emulate(where).end("symlink")
    check("symlink", r.status == 1 and os.path.getsize(f"{where}/file") == 0, f"{r.status} {r.err}")


for case in (pair, writer_first, dumped, several, producer_dies, producer_killed, reader_dies, nobody, slow_reader, bad_readers, lies, rand, bad_dirs):
    case()
sys.exit(finish())
