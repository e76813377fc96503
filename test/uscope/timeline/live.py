#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A timeline while it is written, and after its writer was killed.

usage: live.py --emu OVNIEMU --uscope USCOPE [--seed S] [--kills N]

-f must list the same as the file that is complete. After SIGKILL at random moments the file
must open with all segments that were committed, and tell the same as that of a whole run.
"""
import argparse
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

import tlkit

import asm

EVENTS = 100_000
TEXT = """loom n.0 cpus 0:0
proc 1 app 1
thread 1
mark 0 single "Step" 1="One"
mark 1 stack "Depth"
1 1000 OHx 0 -1 0
1 2000 OM= 1 0
1 3000 OHe
"""


def make_trace(path):
    """A long one: the event in the middle again and again."""
    asm.assemble(TEXT, path)
    stream = f"{path}/loom.n.0/proc.1/thread.1/stream.obs"
    with open(stream, "rb") as f:
        data = f.read()
    at, size = data.index(b"OM=") - 1, 24
    before, event, after = data[:at], data[at:at + size], data[at + size:]
    events, clock = [before], 2000
    for i in range(EVENTS):
        clock = 2000 + i * 100
        events.append(event[:4] + struct.pack("<qqi", clock, i % 1000 + 1, 0))
    events.append(after[:4] + struct.pack("<q", clock + 1000) + after[12:])
    with open(stream, "wb") as f:
        f.write(b"".join(events))


def start(tools, out, trace):
    os.makedirs(out)
    return subprocess.Popen([tools.emu_path, "-q", "-f", "uscope", "-o", out, trace], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def plain(lines):
    """Without the labels, which come at the end."""
    keep = ("kind", "class", "row", "channel", "type", "begin_ps", "end_ps", "value")
    return [{k: x.get(k) for k in keep} for x in lines]


def values(lines):
    return [[(s["type"], s["value"]) for s in x["states"]] for x in lines]


def check_follow(tools, tmp, r):
    """-f beside a run that is stopped now and then."""
    p = start(tools, f"{tmp}/live", f"{tmp}/trace")
    file = f"{tmp}/live/ovni.uscp"
    while not os.path.exists(file) and p.poll() is None:
        time.sleep(0.001)
    f = subprocess.Popen([tools.uscope_path, "timeline", "-f", "--interval", "2ms", "--timeout", "60s", "--json", "-c", "*", file],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(5):
        p.send_signal(signal.SIGSTOP)
        time.sleep(r.uniform(0.001, 0.05))
        p.send_signal(signal.SIGCONT)
        time.sleep(r.uniform(0.001, 0.02))
    out, err = f.communicate(timeout=120)
    p.communicate(timeout=60)
    if f.returncode or p.returncode:
        return [f"-f: status {f.returncode}, ovniemu: status {p.returncode}: {err.decode(errors='replace')}"]
    got = plain(tlkit.json.loads(x) for x in out.splitlines())
    want = plain(tools.lines("timeline", "-c", "*", file))
    if got != want:
        i = next((i for i, (x, y) in enumerate(zip(want, got)) if x != y), min(len(want), len(got)))
        return [f"-f lists {len(got)} intervals, and the file has {len(want)}: number {i} is {got[i:i + 1]}, not {want[i:i + 1]}"]
    print(f"-f: {len(got)} intervals")
    return []


def check_kill(tools, out, trace, whole, delay, r):
    """Found, and the segments that there were."""
    p = start(tools, out, trace)
    time.sleep(delay)
    p.kill()
    p.communicate()
    file = f"{out}/ovni.uscp"
    if not os.path.exists(file) or os.path.getsize(file) == 0:
        return [], 0
    c = tools.uscope("timeline", "--json", file)
    if c.returncode:
        # before the first segment there are no tables
        err = c.stderr.decode(errors="replace")
        early = "nothing has been written yet" in err or "E_TRUNCATED" in err
        return ([] if early else [f"status {c.returncode}: {err}"]), 0
    check = tools.uscope("check", "--verify", file)
    if check.returncode:
        return ["check: " + (check.stdout + check.stderr).decode(errors="replace")], 0
    info = tlkit.json.loads(c.stdout.splitlines()[0])
    end = info["end_ps"] // 1000
    for t in [end] + [r.randrange(end + 1) for _ in range(5)]:
        a = values(tools.lines("timeline", "--at", f"{t}ns", file))
        b = values(tools.lines("timeline", "--at", f"{t}ns", whole))
        if a != b:
            return [f"at {t} ns of {end}: {a} instead of {b}"], 0
    return [], 0 if info["complete"] else 1


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--uscope", required=True)
    ap.add_argument("--seed", type=int, default=random.randrange(10**9))
    ap.add_argument("--kills", type=int, default=8)
    a = ap.parse_args()
    print(f"seed {a.seed}")
    r = random.Random(a.seed)
    tools = tlkit.Tools(a.emu, a.uscope)
    with tempfile.TemporaryDirectory() as tmp:
        make_trace(f"{tmp}/trace")
        begin = time.monotonic()
        p = start(tools, f"{tmp}/whole", f"{tmp}/trace")
        _, err = p.communicate()
        took = time.monotonic() - begin
        if p.returncode:
            print(err.decode(errors="replace"))
            return 1
        found = check_follow(tools, tmp, r)
        torn = 0
        for i in range(a.kills):
            bad, some = check_kill(tools, f"{tmp}/kill{i}", f"{tmp}/trace", f"{tmp}/whole/ovni.uscp", r.uniform(0.2, 1.1) * took, r)
            found += bad
            torn += some
        print(f"{a.kills} runs killed, {torn} left an unfinished timeline")
    for x in found:
        print(f"FAIL {x}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
