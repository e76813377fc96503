#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assemble a text trace into a trace directory.

usage: asm.py IN.txt OUTDIR          (IN.txt may be - for standard input)

The text is one header and then events. '#' starts a comment. Example:

    trace v3
    loom node.0 cpus 0:4 1:5
    proc 100 app 1 rank 0/2
    thread 101 require kernel=1.0.0
    mark 0 single "Phase" 1="Init" 2="Solve"
    offset node 500.9

    101   0    OHx 0 -1 0
    101   10   OM= 1 0
    101   20   OHe

Header
    trace v1|v2|v3 [bare]        metadata version, default v3. bare: the 1.0.0
                                 form of v1, streams without the .obs suffix
    loom NAME [cpus I:P ...]     logical index and OS number of each CPU
    proc PID [app N|none] [rank R/N] [nometa]  of the loom above; default app 1.
                                 nometa: no metadata.json (v1, v2), as after a crash
    thread TID [OPTION ...]                    of the process above
        require NAME[=VERSION] ... added to the default ovni=1.1.0 (ovni=1.0.0 in
                                 v2); 'require none' is an empty object. Without
                                 this option the thread also requires the models
                                 of VERSIONS whose events it has
        norequire                no such key at all
        unfinished               no ovni.finished
        crashed                  what the runtime wrote when the thread began, and
                                 nothing of what it adds later: no require, finished,
                                 mark, rank, nranks and loom_cpus
        cpus                     this thread carries the CPUs of the loom
                                 (default: the first thread of the loom)
        cpus I:P ...             this thread carries these; then no thread gets
                                 the CPUs of the loom line by default
        relpath X                stream directory (v1, v2: file without suffix)
        header HEX               instead of the 8 bytes of the stream header
        nofile, nometa           leave out the stream, or its metadata
    mark N single|stack "TITLE" [VALUE="LABEL" ...]      of the thread above
    set KEY JSON, unset KEY      edit the metadata of the thread (or process)
                                 above; KEY is a dotted path such as ovni.rank
    attr KEY JSON                the same as set, for attributes that the program
                                 gives: attr nosv.can_breakdown true
                                        attr nosv.hwc.0.name "PAPI_TOT_INS"
    offset HOST MEDIAN           a line of clock-offsets.txt
    file PATH "TEXT"             any other file of the trace

Events: WHO CLOCK MCV ARGS
    WHO     tid, pid/tid or loom:pid/tid: the shortest one that is unique
    CLOCK   decimal ns, '_' allowed; any order (the file keeps the order given)
    ARGS    as in the signature of the event (SIGNATURES below), or explicit:
            u8 i8 u16 i16 u32 i32 u64 i64 f64 =VALUE, str="TEXT" (with its NUL),
            hex=DIGITS, empty (no payload); a bare "TEXT" is str="TEXT".
            The word 'jumbo' before them makes the event a jumbo, 'plain' does not.
    WHO raw HEX                  bytes appended as they are
    WHO truncate N               cut N bytes from the end written so far
"""
import json
import os
import re
import shlex
import struct
import sys

# NAME(type arg, ...), '+' before the parenthesis: jumbo, '*' after a type: any number
# of them. '.' in the third character is a literal dot.
SIGNATURES = """
    OHC(i32 cpu, u64 tag)
    OHx(i32 cpu, i32 tid, u64 tag)
    OHe OHp OHr OHc OHw
    OAs(i32 cpu)
    OAr(i32 cpu, i32 tid)
    OB.
    OCn(i32 cpu)
    OF[ OF]
    OU[ OU]
    OM[(i64 value, i32 type)
    OM](i64 value, i32 type)
    OM=(i64 value, i32 type)
    KCO KCI
    LRr(u8 length, u32 space, u32 address)
    LRw(u8 length, u32 space, u32 address)
    LRi(u8 length, u32 space, u32 address)
    LRR(u8 length, u32 space, u32 address)
    LRW(u8 length, u32 space, u32 address)
    LRI(u8 length, u32 space, u32 address)
    LKS(u64 pid)
    LKF(u64 pid, u64 parent)
    LKX(u64 pid, u64 inode)
    LKT(u64 pid)
    LKA(u64 pid, u64 context)
    LKD(u64 context, u64 dup)
    LKM(u64 pid, u64 address)
    LKm(u64 pid, u64 address)
    LK@(u64 pid, u64 address)
    LKU(u64 pid, u64 address)
    LKu(u64 context)
    LKC(u64 pid, u64 address)
    LKs(u64 pid, u64 address)
    LK/(u64 pid, u64 shm)
    LK((u64 pid, u64 inode)
    LK)(u64 pid, u64 inode)
    LK<(u64 pid, u64 inode)
    LK>(u64 pid, u64 inode)
    LK-(u64 inode, u64 major)
    LKt(u64 inode, u64 major)
    LKa(u64 pid)
    LKe
    LK&(u64 pid, u64 address)
    LK?(u64 tag)
    LW.
    RM.(u32 has, u8 type, u8 id, u16 bytes, u64 address)
    RC.(u32 has, u8 format, u8 op, u16 bytes, u8 arity, u8 nids, u8 id0, u8 id1, u8 id2, u8 id3)
    RSa(u64 word)
    RSb(u64 thread)
    RSc(u64 thread)
    RSd(u64 barrier)
    RSe(u64 object)
    RSf(u64 thread)
    RSg(u64 mutex)
    RSh(u64 mutex)
    RSi(u64 condition, u64 mutex)
    RSj(u64 condition)
    RSk(u64 condition)
    RSl(u64 lock)
    RSm(u64 lock)
    RXa(u64 id)
    RXb(u64 address)
    RXc(u64 id)
    RXd+(str name)
    RXe+(str name)
    RXf(u64 thread)
    RXg+(str name)
    RXh+(str name)
    RXi+(str name)
    RXj+(str name)
    RF.(u8 type)
    RG.(u8 target, u8 before, u8 after)
    RE.
    RD.
    RW.
    VTc(u32 taskid, u32 typeid)
    VTC(u32 taskid, u32 typeid)
    VTx(u32 taskid, u32 bodyid)
    VTe(u32 taskid, u32 bodyid)
    VTp(u32 taskid, u32 bodyid)
    VTr(u32 taskid, u32 bodyid)
    VYc+(u32 typeid, str label)
    VWC+(i64* value)
    6Yc+(u32 typeid, str label)
    6Tc(u32 taskid, u32 typeid)
    6Tx(u32 taskid)
    6Te(u32 taskid)
    6Tp(u32 taskid)
    6Tr(u32 taskid)
    POc+(u32 typeid, str label)
    PPc(u32 taskid, u32 typeid)
    PPx(u32 taskid)
    PPe(u32 taskid)
    PQx(u32 typeid)
    PQe(u32 typeid)
"""

# The events without arguments: the first two characters, then each third one.
PLAIN = """
    VS hf[]Nnrs@   VU []   VM aAfF   VA rRdDsSpPyYwWcCaAeElLtTuUbBoOgGkKjJmMiInN
    VH aAwWdD   VP pra
    6W []tTwWmMsSrRgG*   6P pra   6C []   6U []   6F []   6t []   6O []   6M aAfF
    6D rRuU   6S []aApP@rs   6B bBuUwWfF   6H eEwWlLmM
    DR []   DU []   DW []   DI []   DT []   DC []   DS []   DP []
    PB bBjJfFtTsS   PI aArR[]   PW dDyYcCsSeEiI   PT aAcCdDrR[]iIsSgGtTwWyY
    PA []   PM iIuU   PH []   PC fFiI
    TC iI   TG cC   TL iIpP   TQ aAtT   TR cCtTaAsS   TT cCwW
    MU fFiItT   MW []aAsSyY   MT []aAyYsS   MS []bBrRsS   MR []sSoO   MA gGrRaA
    MC bBeEsS   MD bBgGsS   ME []sSbB   Ms []bBrRsS   Mr []sSoO   Ma gGrRaA
    Mc bBeEsS   Md bBgGsS   Me []sSbB
"""

# What a thread requires when it does not say: the version of each model it uses.
VERSIONS = {"nosv": "2.7.0", "nanos6": "1.1.0", "nodes": "1.0.0", "openmp": "1.2.1",
            "tampi": "1.0.0", "mpi": "1.0.0",
            "laplace": "1.0.0", "prism": "1.0.0"}
LETTER = {"V": "nosv", "6": "nanos6", "D": "nodes", "P": "openmp", "T": "tampi", "M": "mpi",
          "L": "laplace", "R": "prism"}

TYPES = {"u8": "<B", "i8": "<b", "u16": "<H", "i16": "<h", "u32": "<I", "i32": "<i",
         "u64": "<Q", "i64": "<q", "f64": "<d"}

V1_MODELS = "O1 V1 T1 M1 D1 K1 61"


class AsmError(Exception):
    pass


def parse_signatures(text):
    """MCV -> (jumbo, [type, ...])"""
    table = {}
    for mcv, jumbo, args in re.findall(r"(\S{3})(\+?)(?:\(([^)]*)\))?(?=\s|$)", text):
        table[mcv] = (jumbo == "+", [a.split()[0] for a in args.split(",")] if args else [])
    return table


def parse_plain(text):
    words = text.split()
    return {mc + v: (False, []) for mc, values in zip(words[::2], words[1::2]) for v in values}


SIGNATURE = {**parse_signatures(SIGNATURES), **parse_plain(PLAIN)}


class Stream:
    """One thread: its metadata and the bytes of its stream."""

    def __init__(self, loom, proc, tid):
        self.loom, self.proc, self.tid = loom, proc, tid
        self.require, self.finished, self.crashed = {}, True, False
        self.told = False  # by a require option
        self.carries, self.cpus = False, []
        self.relpath = None
        self.has_file = self.has_meta = True
        self.marks = {}
        self.edits = []
        self.data = bytearray(b"ovni" + struct.pack("<I", 1))


class Proc:
    def __init__(self, loom, pid):
        self.loom, self.pid = loom, pid
        self.app, self.rank, self.nranks, self.has_meta = 1, None, None, True
        self.edits = []
        self.threads = []


class Loom:
    def __init__(self, name, cpus):
        self.name, self.cpus, self.procs = name, cpus, []

    def threads(self):
        return [t for p in self.procs for t in p.threads]


class Trace:
    def __init__(self):
        self.version, self.bare = 3, False
        self.looms, self.offsets, self.files = [], [], []
        self.index = {}

    # -- header -------------------------------------------------------------

    def words(self, line):
        lex = shlex.shlex(line, posix=True)
        lex.whitespace_split = True
        lex.commenters = "#"
        lex.escape = ""
        return list(lex)

    def header(self, line):
        w = self.words(line)
        verb, args = w[0], w[1:]
        if verb == "trace":
            self.version = {"v1": 1, "v2": 2, "v3": 3}[args[0]]
            self.bare = "bare" in args[1:]
        elif verb == "loom":
            self.looms.append(Loom(args[0], cpu_list(args[2:]) if args[1:2] == ["cpus"] else []))
        elif verb == "proc":
            self.add_proc(args)
        elif verb == "thread":
            self.add_thread(args)
        elif verb == "mark":
            mark = {"title": args[2], "chan_type": args[1]}
            if args[3:]:
                mark["labels"] = dict(a.split("=", 1) for a in args[3:])
            self.last_thread().marks[args[0]] = mark
        elif verb in ("set", "attr"):
            # the JSON value is the rest of the line, quotes included
            key, value = line.split(None, 2)[1:]
            self.last_part().edits.append((key, json.loads(value)))
        elif verb == "unset":
            self.last_part().edits.append((args[0], None))
        elif verb == "offset":
            self.offsets.append((args[0], args[1]))
        elif verb == "file":
            self.files.append((args[0], args[1].encode().decode("unicode_escape").encode("latin-1")))
        else:
            return False
        return True

    def add_proc(self, args):
        proc = Proc(self.looms[-1], int(args[0]))
        if "nometa" in args:
            args.remove("nometa")
            proc.has_meta = False
        for key, value in zip(args[1::2], args[2::2]):
            if key == "app":
                proc.app = None if value == "none" else int(value)
            elif key == "rank":
                proc.rank, proc.nranks = (int(x) for x in value.split("/"))
            else:
                raise AsmError(f"unknown option of proc: {key}")
        self.looms[-1].procs.append(proc)

    def add_thread(self, args):
        proc = self.looms[-1].procs[-1]
        t = Stream(proc.loom, proc, int(args[0]))
        t.require = {"ovni": "1.0.0" if self.version == 2 else "1.1.0"}
        i = 1
        while i < len(args):
            key = args[i]
            i += 1
            if key == "require":
                t.told = True
                while i < len(args) and ("=" in args[i] or args[i] == "none" or args[i] in VERSIONS):
                    if args[i] == "none":
                        t.require = {}
                    else:
                        name, _, version = args[i].partition("=")
                        t.require[name] = version or VERSIONS[name]
                    i += 1
            elif key == "norequire":
                t.require = None
            elif key == "unfinished":
                t.finished = False
            elif key == "crashed":
                t.crashed, t.finished, t.require = True, False, None
            elif key == "cpus":
                t.carries = True
                while i < len(args) and re.match(r"-?\d+:-?\d+$", args[i]):
                    t.cpus += cpu_list([args[i]])
                    i += 1
            elif key == "relpath":
                t.relpath = args[i]
                i += 1
            elif key == "header":
                t.data = bytearray.fromhex(args[i])
                i += 1
            elif key == "nofile":
                t.has_file = False
            elif key == "nometa":
                t.has_meta = False
            else:
                raise AsmError(f"unknown option of thread: {key}")
        proc.threads.append(t)
        for who in (f"{t.tid}", f"{proc.pid}/{t.tid}", f"{t.loom.name}:{proc.pid}/{t.tid}"):
            self.index.setdefault(who, []).append(t)

    def last_thread(self):
        return self.looms[-1].procs[-1].threads[-1]

    def last_part(self):
        proc = self.looms[-1].procs[-1]
        return proc.threads[-1] if proc.threads else proc

    # -- events -------------------------------------------------------------

    def find(self, who):
        found = self.index.get(who, [])
        if len(found) != 1:
            raise AsmError(f"{len(found)} threads are called {who}")
        return found[0]

    def event(self, line):
        # MCVs may hold quotes or '#': take the three fixed words apart by hand
        m = re.match(r"(\S+)\s+raw\s+([0-9a-fA-F\s]+?)\s*(#.*)?$", line)
        if m:
            self.find(m.group(1)).data += bytes.fromhex(m.group(2))
            return
        m = re.match(r"(\S+)\s+truncate\s+(\d+)\s*(#.*)?$", line)
        if m:
            data = self.find(m.group(1)).data
            del data[len(data) - int(m.group(2)):]
            return
        m = re.match(r"(\S+)\s+(-?[\d_]+)\s+(\S{3})(?:\s+(.*))?$", line)
        if not m:
            raise AsmError("not a directive nor an event")
        who, clock, mcv, rest = m.groups()
        t = self.find(who)
        t.data += encode(int(clock), mcv, self.words(rest or ""))
        name = LETTER.get(mcv[0])
        if name and t.require is not None and not t.told:
            t.require.setdefault(name, VERSIONS[name])

    def parse(self, text, name="trace"):
        for number, line in enumerate(text.splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            try:
                if line[0].isalpha() and ":" not in line.split()[0]:
                    if not self.header(line):
                        raise AsmError(f"unknown directive {line.split()[0]}")
                else:
                    self.event(line)
            except (AsmError, ValueError, IndexError, KeyError, struct.error) as e:
                what = f"{type(e).__name__} {e}" if not isinstance(e, AsmError) else str(e)
                raise AsmError(f"{name}:{number}: {what}: {line}") from None
        return self

    # -- files --------------------------------------------------------------

    def write(self, outdir):
        os.makedirs(outdir, exist_ok=True)
        for loom in self.looms:
            self.give_cpus(loom)
            for proc in loom.procs:
                for t in proc.threads:
                    if self.version == 3:
                        self.write_v3(outdir, t)
                    else:
                        self.write_stream(outdir, t)
                if self.version != 3 and proc.has_meta:
                    self.write_proc(outdir, proc)
        if self.offsets:
            rows = [f"{i:<10} {host:<20} {median:<20} {median:<20} 0.0\n"
                    for i, (host, median) in enumerate(self.offsets)]
            put(outdir, "clock-offsets.txt",
                "rank       hostname             offset_median        offset_mean          offset_std\n"
                + "".join(rows))
        for path, text in self.files:
            put(outdir, path, text)

    def give_cpus(self, loom):
        threads = loom.threads()
        whole = [t for t in threads if not t.crashed]
        if not any(t.carries for t in threads) and whole:
            whole[0].carries = True
        for t in threads:
            if t.carries and not t.cpus:
                t.cpus = loom.cpus

    def write_v3(self, outdir, t):
        rel = t.relpath or f"loom.{t.loom.name}/proc.{t.proc.pid}/thread.{t.tid}"
        ovni = {"lib": {"version": "1.14.0", "commit": "unknown"}, "part": "thread",
                "tid": t.tid, "pid": t.proc.pid, "loom": t.loom.name}
        if t.proc.app is not None:
            ovni["app_id"] = t.proc.app
        if t.require is not None:
            ovni["require"] = t.require
        if t.marks and not t.crashed:
            ovni["mark"] = t.marks
        if t.proc.rank is not None and not t.crashed:
            ovni["rank"], ovni["nranks"] = t.proc.rank, t.proc.nranks
        if t.cpus and not t.crashed:
            ovni["loom_cpus"] = t.cpus
        if t.finished:
            ovni["finished"] = 1
        meta = edited({"version": 3, "ovni": ovni}, t.proc.edits + t.edits)
        if t.has_meta:
            put(outdir, f"{rel}/stream.json", layout(meta))
        if t.has_file:
            put(outdir, f"{rel}/stream.obs", bytes(t.data))

    def write_stream(self, outdir, t):
        rel = t.relpath or f"loom.{t.loom.name}/proc.{t.proc.pid}/thread.{t.tid}"
        if t.has_file:
            put(outdir, rel + ("" if self.bare else ".obs"), bytes(t.data))
        if self.version == 2 and t.has_meta:
            ovni = {"lib": {"version": "1.10.0", "commit": "unknown"}}
            if t.require is not None:
                ovni["require"] = t.require
            if t.marks and not t.crashed:
                ovni["mark"] = t.marks
            if t.finished:
                ovni["finished"] = 1
            meta = edited({"version": 2, "ovni": ovni}, t.edits)
            put(outdir, rel + ".json", layout(meta))

    def write_proc(self, outdir, proc):
        meta = {"version": self.version}
        if self.version == 1:
            meta["model_version"] = V1_MODELS
        if proc.app is not None:
            meta["app_id"] = proc.app
        if proc.rank is not None:
            meta["rank"], meta["nranks"] = proc.rank, proc.nranks
        cpus = [c for t in proc.threads for c in t.cpus]
        if cpus:
            meta["cpus"] = cpus
        put(outdir, f"loom.{proc.loom.name}/proc.{proc.pid}/metadata.json",
            layout(edited(meta, proc.edits)))


def cpu_list(words):
    pairs = [w.split(":") for w in words]
    return [{"index": int(i), "phyid": int(p)} for i, p in pairs]


def edited(meta, edits):
    for key, value in edits:
        *path, last = key.split(".")
        node = meta
        for name in path:
            node = node.setdefault(name, {})
        if value is None:
            node.pop(last, None)
        else:
            node[last] = value
    return meta


def layout(meta):
    """The text of metadata, as libovni lays it out."""
    return json.dumps(meta, indent=4, ensure_ascii=False).replace("/", "\\/")


def put(outdir, path, content):
    path = os.path.join(outdir, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())


def encode(clock, mcv, args):
    """The bytes of one event."""
    jumbo, types = SIGNATURE.get(mcv, (False, None))
    if args[:1] in (["jumbo"], ["plain"]):
        jumbo, args = args[0] == "jumbo", args[1:]
    if args == ["empty"]:
        payload = b""
    elif any(re.match(r"([uif]\d+|str|hex)=", a) for a in args) or types is None:
        payload = b"".join(explicit(a) for a in args)
    else:
        if types and types[-1][-1] == "*":
            types = types[:-1] + [types[-1][:-1]] * (len(args) - len(types) + 1)
        if len(args) != len(types):
            raise AsmError(f"{mcv} takes {len(types)} arguments, not {len(args)}")
        payload = b"".join(pack(t, a) for t, a in zip(types, args))
    head = mcv.encode("latin-1") + struct.pack("<Q", clock % 2**64)
    if jumbo:
        return b"\x13" + head + struct.pack("<I", len(payload)) + payload
    if len(payload) == 1 or len(payload) > 16:
        raise AsmError(f"a payload of {len(payload)} bytes needs jumbo")
    return bytes([len(payload) - 1 if payload else 0]) + head + payload


def explicit(word):
    m = re.match(r"([uif]\d+|str|hex)=(.*)$", word, re.S)
    return pack(*m.groups()) if m else pack("str", word)


def pack(kind, text):
    if kind == "str":
        return text.encode() + b"\0"
    if kind == "hex":
        return bytes.fromhex(text)
    if kind not in TYPES:
        raise AsmError(f"unknown type {kind}")
    return struct.pack(TYPES[kind], float(text) if kind == "f64" else int(text, 0))


def assemble(text, outdir, name="trace"):
    """Write the trace that the text describes."""
    Trace().parse(text, name).write(outdir)


def main(argv):
    if len(argv) != 3:
        sys.stderr.write(__doc__)
        return 2
    text = sys.stdin.read() if argv[1] == "-" else open(argv[1], encoding="utf-8").read()
    try:
        assemble(text, argv[2], argv[1])
    except AsmError as e:
        sys.stderr.write(f"asm.py: error: {e}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
