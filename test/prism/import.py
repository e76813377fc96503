#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-prism import: traces of other tools as streams, against lines that are written here and against naive twins.

usage: import.py OVNISCOPE_PRISM OVNIEMU
"""
import gzip
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from import_samples import CHAMPSIM, CHROME, LACKEY, PERF, UFTRACE, VIEW, record

TOOL, EMU = (os.path.abspath(p) for p in sys.argv[1:3])
SHARE = int(os.environ.get("TEST_SHARE", "1"))
SEED = int(os.environ.get("SEED", "0")) or random.randrange(1 << 32)
MASK = (1 << 56) - 1
failures = []


def check(ok, *what):
    if not ok:
        failures.append(" ".join(str(w) for w in what))


def signed(addr):
    """An address as a stream has it."""
    addr &= MASK
    return addr | 0xFF << 56 if addr >> 55 else addr


def do(data, *args, status=0, out="d", piped=None, look=True):
    """(streams, stderr). data: the file, or its path; piped: sizes of the pieces in which a pipe brings it"""
    shutil.rmtree("d", ignore_errors=True)
    path = data if isinstance(data, str) else "in.txt"
    if not isinstance(data, str):
        with open(path, "wb") as f:
            f.write(data)
    if piped:
        p = subprocess.Popen([TOOL, "import", "-o", out, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        at = 0
        try:
            while at < len(data):
                p.stdin.write(data[at:at + piped])
                p.stdin.flush()
                at += piped
        except BrokenPipeError:
            pass
        err = p.communicate(timeout=120)[1]
    else:
        p = subprocess.run([TOOL, "import", *args, path, "-o", out], capture_output=True, check=False, timeout=120)
        err = p.stderr
    err = err.decode(errors="replace")
    check(p.returncode == status, args, "status", p.returncode, "not", status, err[-600:])
    return streams() if look and out == "d" else None, err


def streams():
    """Of each stream: (process, thread, clock, [(ns, line)])"""
    found = []
    for name in sorted(os.listdir("d") if os.path.isdir("d") else []):
        if not name.endswith(".json"):
            continue
        p = subprocess.run([TOOL, "dump", "--bytes", f"d/{name}"], capture_output=True, check=False, timeout=120)
        check((p.returncode, p.stderr) == (0, b""), "dump of", name, p.stderr.decode(errors="replace")[:400])
        text = p.stdout.decode(errors="replace").splitlines()
        events = [re.match(r"(.*?) *# \d+, (\d+) ns:[ 0-9a-f]*$", x) for x in text[1:]]
        with open(f"d/{name}", encoding="ascii") as f:
            about = dict(re.findall(r'"(process|first_thread|mode)": "?(\w+)', f.read()))
        check(all(events), "events of", name, text[:4])
        found.append((int(about["process"]), int(about["first_thread"]), about["mode"], [(int(m[2]), m[1]) for m in events if m]))
    return found


def emulated(what, damaged=False):
    """Strict ovniemu takes what was imported last; damaged: names may be no text, and times months apart, which is told."""
    shutil.rmtree("out", ignore_errors=True)
    p = subprocess.run([EMU, "-q", "-o", "out", "d"], capture_output=True, check=False, timeout=120)
    told = [x for x in p.stderr.splitlines() if not (damaged and (b"PB13" in x or b"213 days" in x or x.startswith(b"  at ")))]
    check((p.returncode, told) == (0, []), "ovniemu of", what, p.returncode, p.stderr.decode(errors="replace")[:600])


def body(stream):
    return [line for _, line in stream[3][2:-1]]


def same(what, got, want):
    if got == want:
        return
    at = next((i for i, (g, w) in enumerate(zip(got, want)) if g != w), min(len(got), len(want)))
    failures.append(f"{what}: {len(got)} and {len(want)} long, item {at}: {got[at:at + 3]} is not {want[at:at + 3]}")


# ---- What each format says, by hand. ----

PARTS = [f"mem load size=128 addr={0x1FFEFFF000 + 128 * i:#x}" for i in range(4)]
GOLDEN = {
    "lackey": (LACKEY, [(1, 1, "instr", [
        "cxt instruction 0x401ab73", "mem load size=8 addr=0x1fff000708", "mem store size=8 addr=0x1fff000700", "mem store size=2 addr=0x1fff000708",
        "mem load size=4 addr=0x421ceac", "mem store size=4 addr=0x421ceac", f"cxt basic-block {0x401b770}", *PARTS])], ""),
    "drmemtrace": (VIEW, [
        (1, 2765542, "timestamps", [(1, "cxt instruction 0x401012"), (2, "cxt instruction 0x404a7e"), (2, "mem load size=8 addr=0x7fdf64e2adc8")]),
        (1, 2765543, "timestamps", [(227001, "cxt instruction 0x40257d"), (227001, "mem store size=8 addr=0x7ffd90c13950")])], "1 line is left out"),
    "champsim": (CHAMPSIM, [(1, 1, "instr", [
        "cxt instruction 0x401000", "cxt instruction 0x401004", "mem load addr=0x7ffe00", "mem load addr=0x7ffe40", "mem store addr=0x1000",
        "cxt instruction 0xffffff81000010", "mem store addr=0x2000", "mem store addr=0x3000"])], ""),
    "perf": (PERF, [
        (4711, 4712, "timestamps", [
            (72816875739000, 'cxt function-enter "start_thread"'), (72816875739000, 'cxt function-enter "mid(int, char const*)"'),
            (72816875739000, 'cxt function-enter "leaf"'), (72816875739000, "cxt instruction 0x1154"),
            (72816876739000, 'cxt function-exit "leaf"'), (72816876739000, 'cxt function-enter "other"'),
            (72816876739000, "cxt instruction 0x1160")]),
        (1, 4713, "timestamps", [
            (72816877000123, 'cxt function-enter "leaf"'), (72816877000123, "cxt instruction 0x55c24c529154"),
            (72816877001000, 'cxt function-exit "leaf"'), (72816877001000, 'cxt function-enter "add"'), (72816877001000, "cxt instruction 0x401136"),
            (72816877001000, "mem load addr=0x7ffe12345678"),
            (72816879000000, 'cxt function-exit "add"'), (72816879000000, 'cxt function-enter "f"'), (72816879000000, "cxt instruction 0x401000")])],
        "2 lines are left out"),
    "uftrace": (UFTRACE, [
        (1, 7672, "timestamps", [
            (72815808319151, 'cxt function-enter "main"'), (72815808327654, 'cxt function-enter "std::map<int, char (*)(int)>::find(int)"'),
            (72815808381039, 'cxt function-exit "std::map<int, char (*)(int)>::find(int)"'), (72815808381361, 'cxt function-enter "lost"'),
            (72815808381443, 'cxt function-exit "lost"'), (72815808381443, 'cxt function-enter "next"'),
            (72815808480936, 'cxt function-exit "next"'), (72815808480936, 'cxt function-exit "main"')]),
        (1, 7681, "timestamps", [(72815808400000, 'cxt function-enter "worker"')])], "4 lines are left out"),
    "uftrace-chrome": (CHROME, [
        (7672, 7672, "timestamps", [
            (72815870143923, 'cxt function-enter "main"'), (72815870145000, 'cxt function-enter "inner"'),
            (72815870146500, 'cxt function-exit "inner"'), (72815870146500, 'cxt function-exit "main"')]),
        (7672, 7681, "timestamps", [(72815870144100, 'cxt function-enter "a\\"b\\\\é€😀?"')])], "1 line is left out"),
}
DETAIL = {"lackey": 0xE0, "drmemtrace": 0xE0, "champsim": 0xA0, "perf": 0xA0, "uftrace": 0, "uftrace-chrome": 0}


def golden(name, data, want, warned, *args, **more):
    got, err = do(data, *args, **more)
    same(f"streams of {name}", [x[:3] for x in got], [x[:3] for x in want])
    for g, w in zip(got, want):
        check([x for _, x in g[3][:2]] == [f"config mem {DETAIL[name]:#x}", "config comp 0x0"] and g[3][-1][1] == "end", name, "begins or ends as", g[3])
        timed = w[2] == "timestamps"
        same(f"{name}, thread {w[1]}", g[3][2:-1] if timed else body(g), w[3])
        check(not timed or g[3][0][0] == g[3][2][0] // 1000 * 1000 or name != "drmemtrace" and g[3][0][0] == g[3][2][0], name, "begins at", g[3][0])
    check(err.count("\n") == (1 if warned else 0) and warned in err, name, "says", err)


def breaks():
    data = record(0x400A0A) + record(0x400A00)
    return data, [(1, 1, "instr", ["cxt instruction 0x400a0a", "cxt instruction 0x400a00"])]


def goldens():
    for name, (data, want, warned) in GOLDEN.items():
        golden(name, data, want, warned)
        emulated(name)
        golden(name, data, want, warned, f"--from={name}", piped=29)
        if name != "champsim":
            golden(name, data.replace(b"\n", b"\r\n"), want, warned)
        if name not in ("champsim", "perf"):
            continue
        with gzip.open("x.gz", "wb") as f:
            f.write(data)
        golden(name, "x.gz", want, warned)
        for packer in ("zstd", "lz4"):
            if shutil.which(packer):
                with open(f"x.{packer}", "wb") as f:
                    f.write(subprocess.run([packer, "-c"], input=data, capture_output=True, check=True).stdout)
                golden(name, f"x.{packer}", want, warned)
                with open(f"x.{packer}", "rb") as f:
                    golden(name, f.read(), want, warned, piped=29)  # by content: it has no name
    # records that come in pieces, the first of which has a line break
    golden("champsim", *breaks(), "", piped=1)
    golden("champsim", *breaks(), "")
    # earlier forms of the view
    old = re.sub(rb"(?m)^ +\d+ +(\d+):  +(\d{7})", rb"\1: T\2", VIEW)
    golden("drmemtrace", old, GOLDEN["drmemtrace"][1], "1 line is left")
    new = VIEW.replace(b"    2765542 ", b"W2.T2765542 ")
    want = [(3,) + x[1:] if x[1] == 2765542 else x for x in GOLDEN["drmemtrace"][1]]
    golden("drmemtrace", new, want, "1 line is left")
    # instructions are ahead of the clock
    stamp, insn = b"1 1: 5 <marker: timestamp 77>\n", b"1 1: 5 ifetch 1 byte(s) @ 0x1000 non-branch\n"
    got = do(stamp + insn * 2 + stamp + insn + stamp.replace(b"77", b"78") + insn)[0]
    same("times of instructions", [t for t, _ in got[0][3][2:-1]], [1, 2, 3, 1001])
    # to a pipe
    p = subprocess.run([TOOL, "import", "-o", "-"], input=LACKEY, capture_output=True, check=False, timeout=60)
    dumped = subprocess.run([TOOL, "dump"], input=p.stdout, capture_output=True, check=False, timeout=60).stdout.decode().splitlines()
    same("standard output", dumped[3:-1], GOLDEN["lackey"][1][0][3])
    do(PERF, status=2, out="-")


# ---- Random traces, and what naive readers make of them. ----

def access(kind, addr, size):
    out = []
    while size:
        part = 1 << min(size.bit_length() - 1, 7)
        out.append(f"mem {kind} size={part} addr={signed(addr):#x}")
        addr = (addr + part) % (1 << 64)
        size -= part
    return out


def any_address(r):
    return r.getrandbits(r.choice([12, 32, 47, 55, 56, 57, 64]))


def is_wide(addr):
    return signed(addr) != addr


def random_lackey(r, n):
    text, want = [], []
    for _ in range(n):
        kind, addr, size = r.choice("ILSMB"), any_address(r), r.choice([1, 2, 4, 8, 10, 16, 28, 32, 512, r.randrange(1, 65537)])
        if kind == "B":
            text.append(f"SB {addr:08x}")
            want.append(f"cxt basic-block {addr & MASK}")
            continue
        text.append(f"{'I ' if kind == 'I' else ' ' + kind} {addr:08x},{size}")
        if kind == "I":
            want.append(f"cxt instruction {addr & MASK:#x}")
        for word in {"I": [], "L": ["load"], "S": ["store"], "M": ["load", "store"]}[kind]:
            want += access(word, addr, size)
    return "\n".join(text).encode() + b"\n", [(1, 1, "instr", want)]


def random_champsim(r, n):
    data, want = b"", []
    for _ in range(n):
        ip = r.getrandbits(47) + 1
        loads = [any_address(r) if r.randrange(2) else 0 for _ in range(4)]
        stores = [any_address(r) if r.randrange(2) else 0 for _ in range(2)]
        data += record(ip, loads, stores, r.randrange(2), r.randrange(2))
        want.append(f"cxt instruction {ip:#x}")
        want += [f"mem load addr={signed(a):#x}" for a in loads if a] + [f"mem store addr={signed(a):#x}" for a in stores if a]
    return data, [(1, 1, "instr", want)]


def random_view(r, n):
    text, want, last = [], {}, {}
    us = r.randrange(1 << 54)
    start = None
    for i in range(n):
        tid = r.choice([7, 8, 2147483647])
        key = tid if tid in last else None
        if key is None or r.randrange(5) == 0:
            us += r.randrange(3)
            start = us if start is None else start
            text.append(f"{i:12}{i:12}: {tid:11} <marker: timestamp {us}>")
            last[tid] = max(last.get(tid, 0), (us - start) * 1000)
            want.setdefault(tid, [])
        kind, addr, size = r.choice(["ifetch", "read", "write", "dflush"]), any_address(r), r.choice([0, 1, 8, 15, 64, 300])
        text.append(f"{i:12}{i:12}: {tid:11} {kind:12}{size:2} byte(s) @ 0x{addr:016x} by PC 0x0000000000404a7e")
        if kind == "ifetch":
            last[tid] += 1
            want[tid].append((last[tid], f"cxt instruction {addr & MASK:#x}"))
        elif kind != "dflush":
            want[tid] += [(last[tid], x) for x in access({"read": "load", "write": "store"}[kind], addr, size)]
    return "\n".join(text).encode() + b"\n", [(1, tid, "timestamps", x) for tid, x in want.items()]


NAMES = ["main", "f", "operator()(int) const", "a b (c) d", "x" * 300, "µ" * 200, "add", "[unknown]", "vector<int, alloc<int> >::push_back(int&&)"]


def cut(name):
    return name.encode()[:256].decode(errors="ignore")


def random_perf(r, n):
    text, want, stacks = [], {}, {}
    ns = r.randrange(1 << 40)
    for _ in range(n):
        ns += r.randrange(10 ** 6)
        tid = r.randrange(1, 5)
        chain = [r.choice(NAMES) for _ in range(r.randrange(1, 6))]
        before = stacks.get(tid, [])
        if r.randrange(2):
            chain = before[:r.randrange(len(before) + 1)] + chain
        addrs = [r.getrandbits(47) for _ in chain]
        head = f"{r.choice(['prog', 'a b 1', '12 34'])} {r.choice([str(tid), f'9/{tid}'])} {r.choice(['', '[001] '])}{ns // 10 ** 9}.{ns % 10 ** 9:09}:"
        event = r.choice(["10 cycles:", "cpu-clock:u:", "branch-misses:"])
        lines = [f"{a:16x} {name}+0x{r.randrange(999):x} ({r.choice(['/bin/x', '[kernel.kallsyms]', 'inlined'])})" for name, a in zip(chain, addrs)][::-1]
        if len(chain) == 1 and r.randrange(2):
            text.append(f"{head} {event} {lines[0]}")
        else:
            text += [f"{head} {event} ", *["\t" + x for x in lines], ""]
        out = want.setdefault(tid, [])
        k = 0
        while k < len(before) and k < len(chain) and cut(before[k]) == cut(chain[k]):
            k += 1
        out += [(ns, f'cxt function-exit "{cut(x)}"') for x in before[k:][::-1]]
        out += [(ns, f'cxt function-enter "{cut(x)}"') for x in chain[k:]]
        out.append((ns, f"cxt instruction {addrs[-1]:#x}"))
        stacks[tid] = chain
    return "\n".join(text).encode() + b"\n", want


def random_uftrace(r, n, chrome):
    text, want = ['{"traceEvents":['] if chrome else [], {}
    for tid in range(1, 4):
        ns = r.randrange(1 << 40)
        stack, out = [], want.setdefault(tid, [])
        for _ in range(n // 3):
            ns += r.randrange(10 ** 6)
            if stack and r.randrange(2):
                name, kind, depth = stack.pop(), "exit", len(stack)
            else:
                name, kind, depth = r.choice(NAMES), "enter", len(stack)
                stack.append(name)
            out.append((ns, f'cxt function-{kind} "{cut(name)}"'))
            if chrome:
                text.append(f'{{"ts":{ns // 1000}.{ns % 1000:03},"ph":"{"B" if kind == "enter" else "E"}","pid":1,"tid":{tid},"name":"{name}"}},')
            else:
                text.append(f"{ns // 10 ** 9}.{ns % 10 ** 9:09}  {tid:5}: [{'entry' if kind == 'enter' else 'exit '}] {name}({r.getrandbits(47):x}) depth: {depth}")
    return "\n".join(text).encode() + b"\n", [(1, tid, "timestamps", x) for tid, x in want.items() if x]


def twins():
    r = random.Random(SEED)
    for i in range(max(1, 4 // SHARE)):
        n = r.choice([3, 30, 300, 1000])
        for name in GOLDEN:
            if name == "perf":
                data, by_thread = random_perf(r, n)
                want = None
            else:
                data, want = {"lackey": random_lackey, "champsim": random_champsim, "drmemtrace": random_view,
                              "uftrace": lambda r, n: random_uftrace(r, n, False), "uftrace-chrome": lambda r, n: random_uftrace(r, n, True)}[name](r, n)
            got, err = do(data, f"--from={name}", piped=r.choice([None, None, 1000, 64]))
            if want is None:
                want = [(g[0], tid, "timestamps", x) for g, (tid, x) in zip(got, by_thread.items())]
            same(f"seed {SEED}: threads of {name}", [x[:3] for x in got], [x[:3] for x in want])
            for g, w in zip(got, want):
                same(f"seed {SEED}: {name} of thread {w[1]}", g[3][2:-1] if w[2] == "timestamps" else body(g), w[3])
            check("error" not in err, name, "says", err)
            if i == 0:
                emulated(f"{name}, seed {SEED}")


# ---- What is wrong. ----

def wrong():
    got, err = do(b"I  04016b80,3\n L 1000,4\nnonsense\n S 2000,8\n", status=1)
    check("error[import]: this is no line of lackey\n  at in.txt, line 3, byte 24 (+0x18)\n  hint: " in err, "a line that is none:", err)
    check("what came before is kept: 2 events of 1 stream in d" in err and body(got[0])[1:] == ["mem load size=4 addr=0x1000"], "kept:", got, err)
    emulated("what was kept")
    got, err = do(b"I  04016b80,3\n L 1000,4\nnonsense\n S 2000,8\n", "--lenient")
    check("import: 1 time: " in err and len(body(got[0])) == 3, "lenient:", got, err)
    got, err = do(CHAMPSIM + b"\x07" * 64 + CHAMPSIM, status=1)
    check("(record 4)\n  at in.txt, byte 192 (+0xc0)" in err and len(body(got[0])) == 8, "a record that is none:", err)
    do(CHAMPSIM + b"\x07" * 64 + CHAMPSIM, "--lenient")
    # cut
    for data in (LACKEY[:-3], LACKEY[:50], CHAMPSIM[:-1], VIEW[:-40], PERF[:260], UFTRACE[:-4], CHROME[:-133]):
        err = do(data, status=1)[1]
        check("the file ends inside a " in err, "cut:", err)
    check("ends inside a sample" in do(b"x 1 1.5: cycles: \n\t  12 f+0x1 (y)\n", status=1)[1], "a sample without its end")
    err = do(gzip.compress(LACKEY)[:-9], status=1)[1]
    check("(standard input)" in err or "ends inside a frame" in err, "compressed bytes are cut:", err)
    do(gzip.compress(LACKEY)[:-9], "--lenient")
    check("cannot decode in.txt" in do(b"\x1f\x8b\x08" + bytes(60), status=1)[1], "no gzip")
    for magic, tool in ((b"\xfd7zXZ\0", "xz -dc"), (b"BZh9", "bzip2 -dc")):
        check(tool in do(magic + bytes(99), status=1)[1], "compressed with", tool)
    # long lines
    for size in (262143, 262144, 262145, 3000000):
        data = b"I  04016b80,3\n" + b"x" * size + b"\n S 2000,8\n"
        err = do(data, status=1)[1]
        check(("longer than" in err) == (size > 262143) and "line 2, byte 14 " in err, "a line of", size, err)
        got, err = do(data, "--lenient", piped=65536)
        check(body(got[0]) == ["cxt instruction 0x4016b80", "mem store size=8 addr=0x2000"], "behind a line of", size, got, err)
    got = do(b"I  04016b80,3\n" + b"x" * 500000, "--lenient")[0]
    check(len(body(got[0])) == 1, "a long line without an end")
    # addresses
    got, err = do(b"I  04016b80,3\n L ffff800000000000,4\n L 123456789abcdef0,4\n L 80000000000000,4\n")
    check("2 addresses have more than 56 bits, the first in line 3:" in err, "wide addresses:", err)
    same("wide addresses", body(got[0])[1:], ["mem load size=4 addr=0xffff800000000000", "mem load size=4 addr=0x3456789abcdef0",
                                             "mem load size=4 addr=0xff80000000000000"])
    for line in (b" L 12345678123456781,4", b" L ,4", b" L 1000,", b" L 1000,0", b" L 1000,65537", b" L 1000,99999999999999999999", b" L 1000 ,4", b" L 1000,4 ",
                 b" X 1000,4", b"I 1000,4", b"SB 1000,4", b"SB"):
        check("line 2," in do(b"I  04016b80,3\n" + line + b"\n", status=1)[1], "taken:", line)
    # threads and times
    check("the time of the thread goes back" in do(b"x 1 2.5: cycles: 12 f+0x1 (y)\nx 1 2.4: cycles: 12 f+0x1 (y)\n", status=1)[1], "perf goes back")
    check("above 2147483647" in do(b"x 2147483648 2.5: cycles: 12 f+0x1 (y)\n", "--from=perf", status=1)[1], "a thread id")
    do(b"x 2147483647 2.5: cycles: 12 f+0x1 (y)\n")
    emulated("the highest thread id")
    got, err = do(b"x 0/5 2.5: cycles: 12 f+0x1 (y)\nx 5/5 2.5: cycles: 12 f+0x1 (y)\n")
    check([x[:2] for x in got] == [(5, 5)] and "1 line is left out" in err, "a process 0:", got, err)
    for ids in (b'"pid":0,"tid":5', b'"pid":0', b'"pid":5,"tid":0'):
        check("is 0, or above" in do(b'{"ts":1.5,"ph":"B",%s,"name":"f"},\n' % ids, status=1)[1], "taken:", ids)
    do(b"x 1 9999999999.5: cycles: 12 f+0x1 (y)\n", "--from=perf", status=1)
    many = b"".join(b"x %d 2.5: cycles: 12 f+0x1 (y)\n" % i for i in range(1, 4200))
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if files == resource.RLIM_INFINITY or files > 2 * 4096 + 100:
        err = do(many, status=1, look=False)[1]
        check("more than 4096 threads" in err and "4096 events" not in err, "many threads:", err)
    deep = b"".join(b"1.%09d  5: [entry] f(12) depth: %d\n" % (i, i) for i in range(700))
    do(deep)
    err = do(deep.replace(b"depth: 699", b"depth: 65536"), status=1)[1]
    check("line 700" in err and "699 events" in err, "a depth:", err)
    # formats and places
    check("the format of in.txt is not known\n  hint: --from" in do(b"hello\nworld\n", status=1)[1], "no format")
    check("in.txt is empty" in do(b"", status=1)[1], "an empty file")
    check("has no event" in do(b"", "--from=lackey")[1], "an empty trace")
    check("not known" in do(random.Random(1).randbytes(5000), status=1)[1], "random bytes")
    do(LACKEY, "--from=nothing", status=2)
    do(LACKEY, status=0)
    p = subprocess.run([TOOL, "import", "in.txt", "-o", "d"], capture_output=True, check=False)
    check(p.returncode == 2 and b"is not empty" in p.stderr, "a directory with files:", p.stderr)
    p = subprocess.run([TOOL, "import", "in.txt"], capture_output=True, check=False)
    check(p.returncode == 2 and b"-o DIR" in p.stderr, "no directory:", p.stderr)
    p = subprocess.run([TOOL, "import", "in.txt", "-o", "in.txt"], capture_output=True, check=False)
    check(p.returncode == 1 and p.stderr.count(b"error[") == 1, "a file as directory:", p.stderr)
    # what other programs print in front of the trace
    got, err = do(b"hello\n" * 1000 + LACKEY, "--lenient")
    check(len(body(got[0])) == 11 and "import: 1000 times" in err, "text in front:", err)


def waits():
    """A standard input that does not block is waited for without work."""
    shutil.rmtree("d", ignore_errors=True)
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen([TOOL, "import", "-o", "d"], stdin=ours, stderr=subprocess.PIPE) as p:
        os.close(ours)
        for part in LACKEY[:50], LACKEY[50:]:
            time.sleep(0.4)
            os.write(theirs, part)
        os.close(theirs)
        err = p.communicate(timeout=60)[1]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    check(p.returncode == 0 and len(body(streams()[0])) == 11, "a descriptor that does not block:", err)
    check(used < 0.3, "waiting takes", used, "s of CPU")


def hostile():
    """Changed bytes, cuts and repeats: never a crash, and what was written is a good stream."""
    r = random.Random(SEED)
    for _ in range(max(1, 5 // SHARE)):
        for name, (data, _, _) in GOLDEN.items():
            data = bytearray(data)
            for _ in range(r.randrange(1, 8)):
                at = r.randrange(len(data) or 1)
                how = r.randrange(5)
                if not data:
                    break
                if how == 0:
                    data[at] = r.randrange(256)
                elif how == 1:
                    del data[at:at + r.randrange(1, 30)]
                elif how == 2:
                    data[at:at] = data[:r.randrange(len(data))]
                elif how == 3:
                    data[at:at] = r.choice([b"\0", b"\n", b"9" * 25, b"f" * 20, b"{[" * 100, b'"', b"\\", b"-1", b"\xff", b"\t", b"|OP ", b"=>", b"("])
                else:
                    data = data[:at + 1]
            shutil.rmtree("d", ignore_errors=True)
            with open("in.txt", "wb") as f:
                f.write(data)
            p = subprocess.run([TOOL, "import", f"--from={name}", *r.choice([[], ["--lenient"]]), "in.txt", "-o", "d"], capture_output=True, check=False, timeout=60)
            what = f"seed {SEED}: {name} {bytes(data)[:3000]}"
            check(p.returncode in (0, 1) and (p.returncode == 0 or b"error[" in p.stderr), what, p.returncode, p.stderr)
            if any(x.endswith(".json") for x in os.listdir("d")):
                emulated(what, damaged=True)


def real_lackey():
    """Valgrind itself, if it is here: its counts are those of the stream."""
    if not shutil.which("valgrind"):
        print("no valgrind")
        return
    p = subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", "--basic-counts=no", "--log-file=l.txt", "/bin/true"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False, timeout=120)
    if p.returncode != 0:
        print("valgrind does not run here")
        return
    with open("l.txt", encoding="ascii") as f:
        lines = f.read().splitlines()
    got, err = do("l.txt")
    check(err == "", "lackey:", err)
    count = {k: sum(x.startswith(k) for x in lines) for k in ("I ", " L", " S", " M")}
    events = body(got[0])
    check(count["I "] > 10000 and sum(x.startswith("cxt instruction") for x in events) == count["I "], "instructions", count)
    for word, key in (("load", " L"), ("store", " S")):
        bytes_ = sum(int(x.split("size=")[1].split()[0]) for x in events if x.startswith(f"mem {word}"))
        want = sum(int(x.split(",")[1]) for x in lines if x[:2] in (key, " M"))
        check(bytes_ == want, word, bytes_, want)
    emulated("lackey")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        goldens()
        wrong()
        waits()
        twins()
        hostile()
        real_lackey()
        os.chdir("/")
    for failure in failures[:20]:
        print("FAIL:", failure[:3000])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
