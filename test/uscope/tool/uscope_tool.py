#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The uscope command as people and programs see it.

usage: uscope_tool.py USCOPE MAKETRACES [--vectors DIR] [--update]

expect/NAME.txt holds what the commands of a case print. --update writes these files; the
difference is then the review. All other checks do not look at them.
"""
import argparse
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COMMANDS = "info check dump state events summary strings history tail recover diff konata export".split()
CASES = {
    "info": ["info cpu.uscp", "info --segments one.uscp", "info empty.uscp", "info names.uscp", "info stopped.uscp",
             "info count.uscp"],
    "info-json": ["info --json --segments cpu.uscp", "info --json names.uscp"],
    "check": ["check cpu.uscp", "check --verify cpu.uscp", "check --json cpu.uscp", "check prefix.uscp",
              "check --json prefix.uscp", "check damaged.uscp", "check --json damaged.uscp", "check checkpoint.uscp",
              "check --verify checkpoint.uscp", "check flushed.uscp", "check flushedwide.uscp", "check flushedids.uscp", "check --json flushedwide.uscp",
              "check stopped.uscp", "check text.txt", "check --json text.txt",
              "check short.uscp", "check --mode=strict prefix.uscp", "check --recover torn.uscp", "check --json --mode recover torn.uscp"],
    "dump": ["dump cpu.uscp", "dump --frames --checkpoints --from 12ns --to=12ns cpu.uscp", "dump damaged.uscp",
             "dump --checkpoints badck.uscp",
             "dump --to=2ns --storage entities slots.uscp", "dump --from 10ns --to 10ns --checkpoints --scope core0 cpu.uscp",
             "dump --json --event tick --from=10ns cpu.uscp"],
    "dump-select": ["dump --event=flush cpu.uscp", "dump --storage rob cpu.uscp",
                    "dump --storage=/soc/core0/rob --event '*ate' cpu.uscp", "dump --scope /soc/core1 cpu.uscp",
                    "dump --scope core0 --hex --raw --from 20ns cpu.uscp", "dump badutf8.uscp --event annotate",
                    "dump names.uscp"],
    "state": ["state cpu.uscp", "state -t 12ns cpu.uscp", "state --time=0 cpu.uscp", "state -a --storage regs -t 1ns cpu.uscp",
              "state --hex --raw --scope=/soc cpu.uscp", "state --json -t 1.9999ns cpu.uscp", "state empty.uscp",
              "state names.uscp", "state -t 15ns damaged.uscp", "state -t 5ns damaged.uscp --scope core0"],
    "events": ["events cpu.uscp", "events --from=2ns --to 12ns --event=annotate --event flush cpu.uscp",
               "events --json --event tick cpu.uscp", "events --hex --raw --event=flush cpu.uscp", "events stopped.uscp",
               "events badutf8.uscp --event annotate", "events damaged.uscp"],
    "summary": ["summary cpu.uscp", "summary --level=0 cpu.uscp", "summary --json --level 1 cpu.uscp", "summary --json cpu.uscp",
                "summary names.uscp", "summary --json stopped.uscp", "summary --counter 'ret*' cpu.uscp"],
    "strings": ["strings cpu.uscp", "strings --json cpu.uscp", "strings badutf8.uscp", "strings --json badutf8.uscp",
                "strings stopped.uscp", "strings -q stopped.uscp"],
    "history": ["history rob[0].done cpu.uscp", "history /soc/core0/entities[0].pc --hex cpu.uscp", "history rob.balance cpu.uscp",
                "history retired.count --json cpu.uscp", "history regs[1].stage --json cpu.uscp", "history regs[1].stage --raw --format=csv cpu.uscp",
                "history /soc/core0/entities[1].pc --json cpu.uscp", "history regs[1].text --format=csv cpu.uscp",
                "history regs[1].i16 --from=50% cpu.uscp", "history regs[1].i16 --to=24cy@core0 --format=json cpu.uscp",
                "history retired.count --first cpu.uscp", "history retired.count --count cpu.uscp", "history retired.count --count --format=csv cpu.uscp",
                "history retired.count --count --json --becomes=3 cpu.uscp", "history regs[1].stage --becomes X cpu.uscp",
                "history rob[1].done --becomes true --first --format=csv cpu.uscp", "history regs[1].i8 --becomes -128 cpu.uscp",
                "history regs[1].i8 --becomes 0x80 --count cpu.uscp", "history regs[1].text --becomes 'naive' cpu.uscp",
                "history /soc/regs[1].stage damaged.uscp", "history counter.n --first --becomes 3 --recover stopped.uscp", "history counter.n empty.uscp"],
    "history-usage": ["history", "history cpu.uscp", "history rob[0].done cpu.uscp cpu.uscp", "history entities[0].pc cpu.uscp", "history x cpu.uscp",
                      "history rob.done cpu.uscp", "history rob[3].done cpu.uscp", "history rob[].done cpu.uscp", "history rob[0]done cpu.uscp",
                      "history rob[4294967296].done cpu.uscp", "history /soc/rob[0].done cpu.uscp", "history regs[1].stage --becomes Z cpu.uscp",
                      "history regs[1].i8 --becomes 256 cpu.uscp", "history regs[1].i8 --becomes -129 cpu.uscp", "history regs[1].u8 --becomes -1 cpu.uscp",
                      "history regs[1].u8 --becomes 1x cpu.uscp", "history regs[1].u64 --becomes 18446744073709551616 cpu.uscp",
                      "history --format=xml rob.head cpu.uscp"],
    "tail": ["tail cpu.uscp", "tail -n 2 --json --storage entities cpu.uscp", "tail -f -n 0 cpu.uscp", "tail --event '*' -n9 stopped.uscp"],
    "recover": ["recover stopped.uscp out.uscp", "check --verify out.uscp", "recover --json damaged.uscp out.uscp",
                "check --verify out.uscp", "events out.uscp", "recover text.txt out.uscp", "recover cpu.uscp none/out.uscp"],
    "diff": ["diff cpu.uscp changed.uscp", "diff -a cpu.uscp changed.uscp", "diff --json --all cpu.uscp changed.uscp",
             "diff --all cpu.uscp more.uscp", "diff --json --all more.uscp cpu.uscp", "diff cpu.uscp more.uscp --storage rob",
             "diff --all cpu.uscp checkpoint.uscp", "diff cpu.uscp changed.uscp --storage=regs --event annotate",
             "diff --all cpu.uscp empty.uscp --scope core0", "diff -a cpu.uscp damaged.uscp", "diff --json -a cpu.uscp empty.uscp"],
    "konata": ["konata cpu.uscp", "konata --core /soc/core1 cpu.uscp", "konata --core=core0 wide.uscp", "konata names.uscp",
               "konata --core=soc cpu.uscp", "konata damaged.uscp", "konata slots.uscp", "konata flushed.uscp",
               "konata flushedwide.uscp", "konata flushedids.uscp"],
    "csv": ["export --format=csv cpu.uscp", "export --format csv --from=12ns --raw cpu.uscp", "export --format=csv names.uscp",
            "export --format=csv damaged.uscp --storage rob"],
    "vcd": ["export --format=vcd --storage rob --storage retired --event flush --event tick cpu.uscp",
            "export --format=vcd --labels --storage regs cpu.uscp", "export --format=vcd names.uscp",
            "export --format=vcd --from=12ns --to 13ns --storage rob cpu.uscp", "export --format=vcd damaged.uscp --storage rob",
            "export --format=vcd empty.uscp"],
    "usage": ["", "frobnicate cpu.uscp", "info", "info cpu.uscp one.uscp", "info --nonsense cpu.uscp", "diff cpu.uscp",
              "state -t soon cpu.uscp", "state -t 1.0001ns cpu.uscp", "state -t 99999999s cpu.uscp", "state -t", "events --from 3ns --to=2ns cpu.uscp",
              "info --mode=loose cpu.uscp", "export cpu.uscp", "export --format=xml cpu.uscp", "dump -o cpu.uscp cpu.uscp",
              "dump --storage nothing cpu.uscp", "events --scope=/none cpu.uscp", "summary --level=x cpu.uscp",
              "summary --counter=zzz cpu.uscp", "recover cpu.uscp cpu.uscp", "tail -n -1 cpu.uscp"],
    "errors": ["info none.uscp", "info .", "events text.txt", "events short.uscp", "info torn.uscp", "tail torn.uscp", "events --recover torn.uscp",
               "info --mode=strict prefix.uscp", "state -t 4ns --mode strict cpu.uscp --storage retired", "events prefix.uscp --event flush",
               "events -q prefix.uscp --event flush", "dump -o none/x cpu.uscp", "--json --mode tolerant strings cpu.uscp"],
}


SHARE = int(os.environ.get("TEST_SHARE", "1"))  # of places and bits one of so many


class Failed(Exception):
    pass


def want(condition, *what):
    if not condition:
        raise Failed(" ".join(str(w) for w in what))


class Run:
    def __init__(self, tool, where):
        self.tool, self.where = tool, where

    def __call__(self, words, **more):
        if isinstance(words, str):
            words = [w.strip("'") for w in words.split()]
        p = subprocess.run([self.tool, *words], cwd=self.where, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                           check=False, **more)
        return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")

    def out(self, words, status=0):
        rc, out, err = self(words)
        want(rc == status, f"uscope {words}: status {rc}\n{err}")
        return out.decode()

    def lines(self, words, status=0):
        return [parse(line) for line in self.out(words, status).splitlines()]


def parse(text):
    """JSON, where no key may occur twice."""
    def pairs(items):
        want(len(dict(items)) == len(items), "a key occurs twice:", text)
        return dict(items)
    return json.loads(text, object_pairs_hook=pairs)


# ---- The files.

def make_files(run, make):
    where = run.where
    subprocess.run([make, "all", where], check=True)
    subprocess.run([make, "stop", f"{where}/stopped.uscp", "3"], check=True)

    def read(name):
        with open(f"{where}/{name}", "rb") as f:
            return bytearray(f.read())

    def write(name, data):
        with open(f"{where}/{name}", "wb") as f:
            f.write(data)

    segments = parse(run.out("info --json --segments cpu.uscp"))["segment_list"]
    second = segments[1]
    data = read("cpu.uscp")
    data[second["offset"] + 56 + second["checkpoint_size"] + 4] = 0x55  # the tag of the first item
    write("damaged.uscp", data)
    # the size of the first block of the second checkpoint
    data = read("cpu.uscp")
    data[second["offset"] + 56 + 4] = 0xff
    write("badck.uscp", data)
    # pc of slot 0 in the second checkpoint: behind the block header, the mask and thread_id
    data = read("cpu.uscp")
    data[second["offset"] + 56 + 8 + 1 + 2] ^= 0x40
    write("checkpoint.uscp", data)
    data = read("cpu.uscp")
    at = data.index("na\u00efve".encode())
    data[at + 2:at + 4] = b"\xff\xfe"
    write("badutf8.uscp", data)
    write("count.uscp", read("cpu.uscp")[:24] + b"\x09\0\0\0" + read("cpu.uscp")[28:])
    # `entities` of the first core with one slot: the operations on others are bad
    data = read("cpu.uscp")
    at = data.index(b"\0\0\4\0\3\0\1\0")
    data[at + 2] = 1
    write("slots.uscp", data)
    write("torn.uscp", read("cpu.uscp")[:-60])
    write("short.uscp", read("cpu.uscp")[:100])
    write("text.txt", b"This is no trace, but it is long enough to be one.\n" * 3)


# ---- Whole outputs.

def transcript(run, commands):
    text = []
    for words in commands:
        rc, out, err = run(words)
        text.append(f"$ uscope {words}\n{out.decode('utf-8', 'surrogateescape')}")
        if err:
            text.append(f"--- stderr\n{err}")
        text.append(f"--- status {rc}\n\n")
    return "".join(text)


def check_case(run, name, update):
    path = f"{HERE}/expect/{name}.txt"
    got = transcript(run, CASES[name])
    if update:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write(got)
        return
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
        expected = f.read()
    if got != expected:
        p = subprocess.run(["diff", "-u", path, "-"], input=got.encode("utf-8", "surrogateescape"), capture_output=True, check=False)
        raise Failed(p.stdout.decode("utf-8", "replace"))


# ---- What the outputs mean.

def replay(lines, until):
    """State from the lines of `dump --raw --checkpoints`: the first checkpoint, then all operations."""
    state, segment = {}, -1
    for line in lines:
        kind = line["kind"]
        segment += kind == "segment"
        if kind == "segment" or line["time_ps"] > until:
            continue
        slot = (line["scope"], line.get("storage"), line.get("slot"))
        if kind == "checkpoint" and segment == 0:
            state.setdefault(slot, {}).update(line.get("fields") or line.get("properties"))
        elif kind == "clear":
            state.pop(slot, None)
        elif kind in ("set", "add", "prop"):
            fields = state.setdefault(slot, {})
            key = line.get("field", line.get("property"))
            fields[key] = line["value"] + (fields.get(key, 0) if kind == "add" else 0)
    return state


def test_replay(run):
    """Every way to write the same content gives the states that its operations give."""
    for name in ("cpu", "wide", "compact", "lz4", "zstd", "one"):
        lines = run.lines(f"dump --raw --checkpoints {name}.uscp")
        for t in (0, 1500, 1999, 2000, 11999, 12000, 19999, 20000, 10**15):
            got = {(s["scope"], s["storage"], s.get("slot")): s.get("fields") or s.get("properties")
                   for s in run.lines(f"state --json --raw --all -t {t} {name}.uscp")}
            made = replay(lines, t)
            want(set(made) <= set(got), name, t, "slots", set(made) - set(got))
            for slot, fields in got.items():
                expected = made.get(slot, {})
                want(all(v == expected.get(k, 0) for k, v in fields.items()), name, t, slot, fields, expected)


def test_same(run):
    for name in ("wide", "compact", "lz4", "zstd", "one", "cpu"):
        want(run.out(f"diff --all cpu.uscp {name}.uscp") == "", name, "differs")
        want(run.out(f"export --format=vcd {name}.uscp") == run.out("export --format=vcd cpu.uscp") or name in ("wide", "compact"),
             name, "is another VCD")
        want(run.out(f"konata {name}.uscp").count("\n") == run.out("konata cpu.uscp").count("\n"), name, "is another log")


def changes(run, name):
    """{place: [(time, kind, value)]} of the lines of `dump --raw --checkpoints`, where the value is another one."""
    values, found, segment = {}, {}, -1
    schema = {f"{st['scope']}/{st['storage']}": st["fields"] for st in run.lines(f"state --json --raw --all {name}.uscp") if "fields" in st}
    for line in run.lines(f"dump --raw --checkpoints {name}.uscp"):
        kind = line["kind"]
        segment += kind == "segment"
        if kind == "segment" or (kind == "checkpoint" and segment):
            continue
        where = f"{line['scope']}/{line.get('storage')}" + (f"[{line['slot']}]" if "slot" in line else "")
        if kind == "checkpoint":
            values.update({f"{where}.{k}": v for k, v in (line.get("fields") or line["properties"]).items()})
            continue
        if kind == "event":
            continue
        fields = schema[f"{line['scope']}/{line['storage']}"]
        sparse = line["storage"] in ("entities", "rob")
        after = dict.fromkeys(fields) if kind == "clear" else {}
        if kind in ("set", "add", "prop"):
            if sparse and kind != "prop":
                after = {f: values.get(f"{where}.{f}") or 0 for f in fields}
            key = line.get("field", line.get("property"))
            after[key] = line["value"] + ((values.get(f"{where}.{key}") or 0) if kind == "add" else 0)
        for f, v in after.items():
            place = f"{where}.{f}"
            if values.get(place, None if sparse and kind != "prop" else 0) != v:
                found.setdefault(place, []).append((line["time_ps"], kind, v))
            values[place] = v
    return found


def test_history(run):
    """The values of a place over time are those of the operations."""
    for name in ("cpu", "wide", "compact", "lz4", "zstd", "one"):
        found = changes(run, name)
        want(len(found) > 20, name, "changes", len(found))
        for place, expected in random.sample(sorted(found.items()), max(1, len(found) // SHARE)):
            lines = run.lines(["history", "--raw", "--json", place, f"{name}.uscp"])
            got = [(g["time_ps"], g["kind"], g["value"]) for g in lines if g["kind"] != "init"]
            want(got == expected and lines[0]["kind"] == "init", name, place, got, expected)
            want(run.out(["history", "--count", place, f"{name}.uscp"]) == f"{len(got)}\n", name, place, "--count")
            late = run.lines(["history", "--raw", "--json", "--from=12ns", place, f"{name}.uscp"])
            before = [v for t, _, v in expected if t < 12000]
            want([g["time_ps"] for g in late] == [12000] + [t for t, _, _ in expected if t >= 12000], name, place, late)
            want(not before or late[0]["value"] == before[-1], name, place, late, before)
            for t, _, v in expected:
                if v is not None:
                    first = run.lines(["history", "--raw", "--json", "--first", f"--becomes={v}", place, f"{name}.uscp"])
                    want(len(first) == 1 and first[0]["time_ps"] <= t and first[0]["value"] == v, name, place, v, first)


def test_flipped_bits(run):
    """Files with checksums: no bit of a file can change unseen, nor the last one that makes it complete."""
    for name in ("sums", "sums-lz4", "sums-zstd"):
        run.out(f"check --verify {name}.uscp")
        with open(f"{run.where}/{name}.uscp", "rb") as f:
            data = f.read()
        for bit in [8 * 8] + random.sample(range(len(data) * 8), 50 // SHARE):
            flipped = bytearray(data)
            flipped[bit // 8] ^= 1 << bit % 8
            with open(f"{run.where}/flipped.uscp", "wb") as f:
                f.write(flipped)
            rc, _, _ = run("check --verify flipped.uscp")
            want(rc == 1, name, "bit", bit % 8, "of byte", bit // 8, "is another one, and check says", rc)
    # Frames of ZSTD have one of their own, for other readers: bit 2 of the byte behind their magic.
    with open(f"{run.where}/sums-zstd.uscp", "rb") as f:
        data = f.read()
    for s in parse(run.out("info --json --segments sums-zstd.uscp"))["segment_list"]:
        want(data[s["offset"] + 56 + s["checkpoint_size"] + 4] & 4, "a ZSTD frame without a checksum")
    # A recovered file has checksums, too.
    run.out("recover cpu.uscp out.uscp")
    want([s["type"] for s in parse(run.out("info --json out.uscp"))["sections"]][-1] == 0x8001, "recover writes no checksums")
    run.out("check --verify out.uscp")


def test_csv(run):
    for name in ("cpu", "names", "wide"):
        rows = list(csv.reader(io.StringIO(run.out(f"export --format=csv {name}.uscp"))))
        want(rows[0] == "time_ps,item,kind,scope,storage,slot,field,value,label".split(","), rows[0])
        want(all(len(r) == 9 for r in rows), "not 9 columns")
        dumped = [line for line in run.lines(f"dump --raw {name}.uscp") if line["kind"] not in ("segment",)]
        items = {r[1] for r in rows[1:] if r[2] != "init"}
        want(len(items) == len(dumped), name, len(items), "items in the CSV and", len(dumped), "in the dump")
        ops = [(int(r[0]), r[2], r[3], r[4], int(r[5]), r[6]) for r in rows[1:] if r[2] in ("set", "add")]
        want(ops == [(d["time_ps"], d["kind"], d["scope"], d["storage"], d["slot"], re.sub(r"#\d+$", "", d["field"]))
                     for d in dumped if d["kind"] in ("set", "add")], name, "operations differ")


def read_vcd(text):
    """{path: (type, width, [(time, value)])}, with the rules of IEEE 1364."""
    tokens = iter(text.split())
    variables, scopes, ids = {}, [], {}
    for token in tokens:
        if token == "$enddefinitions":
            want(next(tokens) == "$end", "no $end")
            break
        body = []
        for word in tokens:
            if word == "$end":
                break
            body.append(word)
        if token == "$scope":
            want(len(body) == 2 and body[0] == "module", "scope", body)
            scopes.append(body[1])
        elif token == "$upscope":
            scopes.pop()
        elif token == "$var":
            want(len(body) == 4, "var", body)
            path = "/".join(scopes + [body[3]])
            want(path not in variables and body[2] not in ids, "twice:", path, body[2])
            ids[body[2]] = variables[path] = (body[0], int(body[1]), [])
        else:
            want(token in ("$version", "$timescale", "$comment"), "unknown", token)
    want(not scopes, "scopes are open")
    now = None
    for token in tokens:
        if token[0] == "#":
            want(now is None or int(token[1:]) > now, "time", token, "after", now)
            now = int(token[1:])
        elif token in ("$dumpvars", "$end"):
            pass
        elif token[0] in "01x":
            want(ids[token[1:]][1] == 1, "a bit for", token)
            ids[token[1:]][2].append((now, token[0]))
        else:
            want(token[0] in "bs", "value", token)
            v = ids[next(tokens)]
            want(token[0] == "s" or len(token) - 1 <= v[1], "too wide:", token)
            v[2].append((now, token[1:]))
    return variables, now


def test_vcd(run):
    variables, end = read_vcd(run.out("export --format=vcd cpu.uscp"))
    want(end == 25000, "ends at", end)
    for t in (1500, 2000, 12000, 20000):
        for s in run.lines(f"state --json --raw -t {t} cpu.uscp"):
            base = "top" + s["scope"] + "/" + s["storage"]
            if "slot" in s and s["storage"] != "retired":
                base += f"/slot{s['slot']}"
            for name, value in (s.get("fields") or s.get("properties")).items():
                kind, width, changes = variables[f"{base}/{name}"]
                last = [v for when, v in changes if when <= t][-1]
                want(kind == "wire" and int(last, 2) == value % (1 << width), base, name, t, last, value)
    kind, _, changes = variables["top/soc/core0/flush/event"]
    want(kind == "event" and changes == [(12000, "1")], "flush", changes)
    want(variables["top/soc/core0/rob/slot0/valid"][2] == [(0, "0"), (1500, "1"), (12000, "0"), (20000, "1")], "valid")
    want(variables["top/soc/core0/rob/slot0/entity"][2][2] == (12000, "x"), "invalid slots are x")
    labels, _ = read_vcd(run.out("export --format=vcd --labels cpu.uscp"))
    want(labels["top/soc/regs/slot1/stage"][2] == [(0, "F"), (12000, "X")], labels["top/soc/regs/slot1/stage"])


def test_json(run):
    """All that says it is JSON is, and without a key twice."""
    for words in ("info --json", "info --json --segments", "check --json --verify", "dump", "dump --frames --checkpoints",
                  "state --json", "state --json --hex --raw", "events --json", "summary --json --level=0", "strings --json", "tail --json -n 99"):
        for name in ("cpu", "names", "badutf8", "empty", "stopped"):
            if words.startswith("state") and name == "empty":
                continue
            run.lines(f"{words} {name}.uscp")
    text = [line["text"] for line in run.lines("strings --json cpu.uscp")]
    want(text == ["load miss", "tab\tline\n\"quote\", back\\slash, \u202ena\u00efve \u2192 \x1b[31m", ""], text)
    bad = run.lines("strings --json badutf8.uscp")[1]["text"]
    want("na\ufffd\ufffdve" in bad, bad)


def test_terminal_safe(run):
    """No control character of a file reaches a terminal."""
    for words in ("info", "dump", "state", "events", "strings", "summary", "tail -n 99", "diff -a empty.uscp", "history x"):
        for name in ("cpu", "names", "badutf8"):
            _, out, _ = run(f"{words} {name}.uscp")
            text = out.decode()
            want(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), words, name, repr(text))


def test_konata(run):
    log = run.out("konata cpu.uscp").splitlines()
    want(log[0] == "Kanata\t0004", log[0])
    kinds = {"C=": 2, "C": 2, "I": 4, "L": 4, "S": 4, "E": 4, "R": 4, "W": 4}
    for line in log[1:]:
        words = line.split("\t")
        want(len(words) == kinds.get(words[0]), line)
    born = [line.split("\t") for line in log if line[0] == "I"]
    want([w[1] for w in born] == ["0", "1", "2", "3"], born)
    want([w[3] for w in born] == ["7", "3", "-2", "5"], "threads", born)
    want("R\t2\t2\t1" in log and "W\t2\t1\t0" in log, "flush or dependency")


def check_states(run, vector, path):
    if not vector.get("states"):
        return
    names = [(s["scope"], s["name"]) for s in parse(run.out(["info", "--json", path]))["schema"]["storages"]]
    scopes = parse(run.out(["info", "--json", path]))["schema"]["scopes"]
    for s in vector["states"]:
        got = run.lines(["state", "--json", "--raw", "-t", s["time_ps"], path])
        for storage in s["storages"]:
            scope, name = names[storage["storage"]]
            mine = [g for g in got if g["storage"] == name and g["scope"] == scopes[scope]["path"]]
            rows = {str(g["slot"]): [as_text(x) for x in g["fields"].values()] for g in mine if "slot" in g}
            properties = [as_text(x) for g in mine if "slot" not in g for x in g["properties"].values()]
            want((rows, properties) == (storage["rows"], storage["properties"]), vector["file"], s["time_ps"], storage, mine)


def test_vectors(run, folder):
    if not folder or not os.path.exists(f"{folder}/vectors.json"):
        print("no conformance vectors: they are not looked at")
        return
    with open(f"{folder}/v10-konata.log", encoding="utf-8") as f:
        want(run.out(["konata", f"{folder}/v10-konata.uscp"]) == f.read(), "v10-konata.log differs")
    with open(f"{folder}/vectors.json", encoding="utf-8") as f:
        vectors = json.load(f)["vectors"]
    for v in vectors:
        path = f"{folder}/{v['file']}"
        rc, out, _ = run(["check", "--json", path])
        result = parse(out)
        want((rc == 0) == (v["strict"]["open"] == "ok") == result["good"], v["file"], "strict is", v["strict"], "and check", result)
        if v["default"]["open"] != "ok":
            want(result["errors"][0]["status"] == v["default"]["open"], v["file"], result)
        else:
            found = {**result["violations"], **result["notes"]}
            want(found == v["default"]["diagnostics"], v["file"], found)
        recovers = v.get("recover", v["default"])["open"] == "ok"
        rc, out, err = run(["recover", "--json", path, f"{run.where}/again.uscp"])
        want((rc == 0) == recovers, v["file"], "recover", rc, err)
        if rc == 0 and "recover" in v:
            want(parse(out)["segments"] == v["recover"]["segments"], v["file"], out)
            want(parse(out)["discarded_bytes"] == v["recover"]["discarded_bytes"], v["file"], out)
        check_states(run, v, path)
        for q in v.get("event_queries", []):
            got = run.lines(["events", "--json", "--raw", "--from", q["from_ps"], "--to", q["to_ps"], path])
            want([int(e["time_ps"]) for e in q["events"]] == [g["time_ps"] for g in got], v["file"], q, got)
            want([e["fields"] for e in q["events"]] == [[as_text(x) for x in g["fields"].values()] for g in got], v["file"], q, got)
    print(f"{len(vectors)} conformance vectors agree")


def as_text(x):
    return str(int(x))


# ---- Behaviour.

def test_help(run):
    rc, out, err = run("--help")
    want(rc == 0 and not err, "--help", rc, err)
    listed = re.findall(r"^  (\w+)  +\w", out.decode(), re.M)
    want(set(COMMANDS) <= set(listed), "commands in --help", listed)
    for words in [[]] + [[c] for c in listed]:
        text = run.out(words + ["--help"])
        want(all(len(line) <= 80 for line in text.splitlines()), words, "too wide")
        want(len(text.splitlines()) <= 40, words, "too long")
        want(re.match(r"uscope.* \(ovniscope\) \d", run.out(words + ["--version"])), words, "--version")


def test_every_option(run):
    """Options stand anywhere on the line."""
    want(run.out("strings --json cpu.uscp") == run.out("--json strings cpu.uscp") == run.out("strings cpu.uscp --json"), "order")
    want(run.out("state -t 12ns cpu.uscp") == run.out("state cpu.uscp --time=0.012us") == run.out("state cpu.uscp -t 12000"), "times")
    want(run.out("state -t 0.000012ms cpu.uscp") == run.out(["state", "-t", "0.012\u00b5s", "cpu.uscp"]), "times")
    for words, ps in (("24cy@core_clk", 12000), ("6cy@bus_clk", 12000), ("6cy", 12000), ("24cy@core0", 12000), ("24cy@/soc/core1", 12000),
                      ("0cy", 0), ("100%", 25000), ("50%", 12000), ("0%", 0), ("end", 25000), ("end-13ns", 12000), ("end-26cy@core_clk", 12000),
                      ("end-52%", 12000), ("end-1s", 0)):
        want(run.out(f"state --json -t {words} cpu.uscp") == run.out(f"state --json -t {ps}ps cpu.uscp"), words)
        want(run.out(f"events --from={words} cpu.uscp") == run.out(f"events --from {ps} cpu.uscp"), "--from", words)
        want(run.out(f"export --format=csv --to={words} cpu.uscp") == run.out(f"export --format=csv --to {ps} cpu.uscp"), "--to", words)
    for words in ("1cy@none", "1cy@", "1.5cy", "cy", "-1cy", "101%", "-1%", "nan%", "%", "ending", "end-", "end-soon", "end-end", "1cyc",
                  "18446744073709551615cy", "99999999999999999999cy"):
        rc, out, err = run(f"state --time={words} cpu.uscp")
        want(rc == 2 and not out and f"error[usage]: --time '{words}': " in err, words, rc, err)
    want(run("events --from=50% --to=10ns cpu.uscp")[0] == 2, "--from later than --to")
    want(run.out("events --to end one.uscp") == run.out("events one.uscp"), "--to end")
    want(run.out("dump cpu.uscp -o x.json") == "", "-o")
    with open(f"{run.where}/x.json", encoding="utf-8") as f:
        want(f.read() == run.out("dump cpu.uscp"), "-o")


def test_full_disk(run):
    commands = [f"{c} cpu.uscp" for c in COMMANDS if c not in ("recover", "diff", "export", "history")]
    commands += ["history rob.head cpu.uscp", "diff cpu.uscp changed.uscp", "export --format=csv cpu.uscp", "export --format=vcd cpu.uscp",
                 "recover cpu.uscp x.uscp", "dump many.uscp", "--help", "info --help"]
    for words in commands:
        with open("/dev/full", "wb") as full:
            p = subprocess.run([run.tool, *words.split()], cwd=run.where, stdin=subprocess.DEVNULL, stdout=full,
                               stderr=subprocess.PIPE, timeout=60, check=False)
        want(p.returncode == 1 and b"cannot write the standard output" in p.stderr, words, p)
    rc, _, err = run("dump many.uscp -o /dev/full")
    want(rc == 1 and "cannot write /dev/full: No space left on device" in err, rc, err)


def test_formats(run):
    for words in ("info", "events", "state", "summary", "strings", "check", "dump"):
        rc, out, _ = run(f"{words} --json cpu.uscp")
        want((rc, out) == run(f"{words} --format=json cpu.uscp")[:2] and rc == 0, words, "--format=json")
        rc, text, err = run(f"{words} --json --format text cpu.uscp")
        want("--format=text is not for" in err if words == "dump" else rc == 0 and text != out, words, "--format=text")
        want(run(f"{words} --format=csv cpu.uscp")[0] == 2, words, "--format=csv")
    want(run("--format text info cpu.uscp")[1] == run("info cpu.uscp")[1], "the option in front of the command")


def test_closed_pipe(run):
    for words in ("dump many.uscp", "events many.uscp", "export --format=vcd many.uscp"):
        with subprocess.Popen([run.tool, *words.split()], cwd=run.where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as p:
            p.stdout.read(100)
            p.stdout.close()
            err = p.stderr.read().decode()
            want(p.wait(timeout=60) == -signal.SIGPIPE and err == "", words, p.returncode, err)
    p = subprocess.run(["sh", "-c", '"$0" dump cpu.uscp >&-', run.tool], cwd=run.where, capture_output=True, check=False)
    want(p.returncode == 1 and b"standard output" in p.stderr, p)


def test_progress(run):
    rc, _, err = run("check many.uscp")
    want(rc == 0 and err == "", "progress without a terminal:", err)
    for words in ("check", "dump", "events", "konata"):
        name = "cpu" if words == "konata" else "many"
        rc, _, err = run(f"{words} --progress {name}.uscp")
        want(rc == 0 and re.search(r"^uscope \w+: 100\.0 % done", err, re.M), words, err)
    rc, _, err = run("check --progress -q many.uscp")
    want(err == "", "-q", err)


def test_tail_follows(run, make):
    path = f"{run.where}/live.uscp"
    cycles = 40
    with subprocess.Popen([run.tool, "tail", "-f", "-n", "1000", "--json", "--interval=5ms", "--timeout=20s", path],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as early:
        early.wait(timeout=20)
        want(early.returncode == 1 and b"E_IO" in early.stderr.read(), "a file that does not exist")
    open(path, "wb").close()
    with subprocess.Popen([run.tool, "tail", "-f", "-n", "1000", "--json", "--interval=5ms", "--timeout=20s", path],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tail:
        time.sleep(0.1)
        with subprocess.Popen([make, "live", path, str(cycles), "10"], stdin=subprocess.DEVNULL) as writer:
            first = tail.stdout.readline()
            want(writer.poll() is None, "the first line came after the end")
            lines = [parse(line) for line in [first] + tail.stdout.readlines()]
            err = tail.stderr.read().decode()
            want(tail.wait(timeout=20) == 0 and err == "", "tail", tail.returncode, err)
        want(writer.returncode == 0, "the writer failed")
    want([d["time_ps"] for d in lines if d["kind"] == "event"] == [i * 10000 for i in range(cycles)], "events", lines)
    want([d["kind"] for d in lines] == ["add", "event"] * cycles, "order", lines)


def test_output_appears_complete(run):
    """A run that fails leaves the file of -o as it was; one that tells of damage, or of differences, writes it."""
    out = f"{run.where}/keep.txt"
    for words, rc, kept in (("dump -o keep.txt none.uscp", 1, True), ("dump --scope=/none -o keep.txt cpu.uscp", 2, True),
                            ("recover cpu.txt keep.txt", 1, True), ("diff -o keep.txt cpu.uscp names.uscp", 1, False)):
        with open(out, "w") as f:
            f.write("precious")
        with open(f"{run.where}/cpu.txt", "w") as f:
            f.write("no trace")
        got, _, err = run(words)
        with open(out) as f:
            want(got == rc and (f.read() == "precious") == kept, words, got, err)
        want(not os.path.exists(out + ".part"), words)
    with subprocess.Popen([run.tool, "tail", "-f", "--timeout=20s", "-o", out, "stopped.uscp"], cwd=run.where, stdin=subprocess.DEVNULL) as tail:
        for _ in range(200):
            if os.path.exists(out) and os.path.getsize(out) and os.path.getsize(out) != len("precious"):
                break
            time.sleep(0.05)
        want(not os.path.exists(out + ".part") and tail.poll() is None, "an output that follows has another name")
        tail.terminate()


def test_tail_gives_up(run):
    begin = time.monotonic()
    rc, out, err = run("tail -f --interval 10ms --timeout=200ms stopped.uscp")
    want(rc == 1 and "error[timeout]: nothing came for 200ms" in err and out, rc, err)
    want(0.15 < time.monotonic() - begin < 10, "time", time.monotonic() - begin)
    rc, out, _ = run("tail stopped.uscp")
    want(rc == 0 and out, rc)


def test_damage(run):
    """Each byte of a small file, changed: no command crashes or hangs."""
    with open(f"{run.where}/names.uscp", "rb") as f:
        data = f.read()
    commands = ("info --json --segments", "check --json --verify", "dump --checkpoints", "state", "export --format=vcd", "diff -a cpu.uscp", "konata",
                "history /a\xa0\"b\"/s,t\n[1].naïve", "history --from=10% --to=end-1cy@/ /a\xa0\"b\"/s,t\n[1].twice#2")
    for at in range(0, len(data), 5):
        broken = bytearray(data)
        broken[at] ^= 0x81
        with open(f"{run.where}/broken.uscp", "wb") as f:
            f.write(broken)
        words = commands[at // 5 % len(commands)]
        rc, _, err = run([w.replace("\xa0", " ") for w in re.split(r"[ ]", f"{words} broken.uscp")])
        want(rc in (0, 1, 2 if words.startswith("history") else 0) and "Sanitizer" not in err, at, words, rc, err)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("make")
    parser.add_argument("--vectors")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    tool, make = os.path.abspath(args.tool), os.path.abspath(args.make)
    where = tempfile.mkdtemp()
    bad = n = 0
    try:
        run = Run(tool, where)
        make_files(run, make)
        tests = [(f"expect/{name}.txt", lambda name=name: check_case(run, name, args.update)) for name in CASES]
        for name, fn in sorted(globals().items()):
            if name.startswith("test_"):
                extra = {"test_vectors": [args.vectors and os.path.abspath(args.vectors)], "test_tail_follows": [make]}.get(name, [])
                tests.append((name, lambda fn=fn, extra=extra: fn(run, *extra)))
        for name, fn in tests:
            n += 1
            try:
                fn()
            except (Failed, AssertionError, KeyError, IndexError, ValueError, OSError, subprocess.SubprocessError) as e:
                bad += 1
                print(f"FAILED {name}: {type(e).__name__} {e}")
    finally:
        shutil.rmtree(where)
    print(f"{n - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
