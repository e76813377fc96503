#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One wrong event: status 1, a message, and files that keep the lines before it.

usage: errors.py --emu PATH [--only S] [-v]
"""
import sys

import kit

# 102 is alive but paused, 103 never executed; 101 runs in CPU 0.
HEAD = """
loom node.0 cpus 0:0 1:1
proc 100 app 1
thread 101 require kernel=1.0.0
mark 1 single "One"
mark 2 stack "Two"
thread 102
thread 103
101   0  OHx 0 -1 0
102   5  OHx 1 -1 0
102   6  OHp
101  10  OM[ 7 2
"""

TIME = 20  # of the last event, which is the wrong one

# name -> the events at TIME, of which the last must be refused
BAD = {
    "event: unknown category": "101 20 OZx",
    "event: unknown value in H": "101 20 OHz",
    "event: unknown value in A": "101 20 OAx",
    "event: unknown value in C": "101 20 OCx",
    "event: unknown value in F": "101 20 OF=",
    "event: unknown value in M": "101 20 OMx i64=1 i32=1",
    "event: unknown in kernel": "101 20 KCX",
    "event: unknown kernel category": "101 20 KXO",
    "model: none has the letter": "101 20 XYz u32=5",
    "payload: OHx without": "103 20 OHx empty",
    "payload: OHx of 2 bytes": "103 20 OHx i16=0",
    "payload: OAs without": "101 20 OAs empty",
    "payload: OAs of 8 bytes": "101 20 OAs i32=1 i32=0",
    "payload: OAr of 4 bytes": "101 20 OAr i32=1",
    "payload: mark of 8 bytes": "101 20 OM= i64=1",
    "payload: mark of 16 bytes": "101 20 OM= i64=1 i32=1 i32=0",
    "cpu: OHx beyond the last": "103 20 OHx 2 -1 0",
    "cpu: OHx below -1": "103 20 OHx -2 -1 0",
    "cpu: OAs beyond the last": "101 20 OAs 2",
    "cpu: OAr below -1": "101 20 OAr -2 102",
    "affinity: OAs while paused": "102 20 OAs 0",
    "affinity: OAs before execute": "103 20 OAs 0",
    "affinity: OAr of a thread not executed": "101 20 OAr 0 103",
    "affinity: OAr of a dead thread": "101 15 OHe\n101 20 OAr 1 101",
    "affinity: OAr of nobody": "101 20 OAr 0 104",
    "flush: begin twice": "101 20 OF[\n101 20 OF[",
    "flush: end without begin": "101 20 OF]",
    "mark: value 0, set": "101 20 OM= 0 1",
    "mark: value 0, push": "101 20 OM[ 0 2",
    "mark: undefined type": "101 20 OM= 1 3",
    "mark: type out of range": "101 20 OM= 1 100",
    "mark: negative type": "101 20 OM= 1 -1",
    "mark: set of a stack": "101 20 OM= 1 2",
    "mark: push of a single": "101 20 OM[ 1 1",
    "mark: pop of a single": "101 20 OM] 1 1",
    "mark: pop mismatch": "101 20 OM] 8 2",
    "mark: pop of an empty stack": "102 20 OM] 7 2",
    "kernel: out twice": "101 20 KCO\n101 20 KCO",
    "kernel: in without out": "101 20 KCI",
    "kernel: ovni event while out": "101 20 KCO\n101 20 OB.",
    "kernel: state change while out": "101 20 KCO\n101 20 OHe",
}

# refused with --compat only
BAD_IN_COMPAT = {
    "model: not enabled": "101 20 TCi",
    "cpu: two running in a physical one": "103 20 OHx 0 -1 0",
    "affinity: OAr to the same CPU, running": "101 20 OAr 0 101",
    "affinity: OAr to the same CPU, paused": "101 20 OAr 1 102",
}

BEFORE = {
    ("thread", "default"): ["1:6=0 1:4=0 1:2=0 1:45=0 1:7=0 1:101=0 1:102=0 1:6=1 1:4=1 1:2=101 "
                            + " ".join(f"{r}:{t}=0" for r in (2, 3) for t in (6, 4, 2, 45, 7, 101, 102)),
                            "2:6=2 2:4=1 2:2=102", "2:4=2 2:2=0", "1:102=7"],
    ("thread", "compat"): ["1:6=1 1:4=1 1:2=101 1:101=0 1:102=0", "2:6=2 2:4=1 2:2=102 2:101=0 2:102=0",
                           "2:4=2 2:2=0", "1:102=7"],
    ("cpu", "default"): ["1:2=0 1:1=0 1:3=0 1:45=0 1:7=0 1:101=0 1:102=0 1:2=101 1:1=100 1:3=1 "
                         + " ".join(f"{r}:{t}=0" for r in (2, 3) for t in (2, 1, 3, 45, 7, 101, 102)),
                         "2:2=102 2:1=100 2:3=1", "2:2=0 2:1=0 2:3=0", "1:102=7"],
    ("cpu", "compat"): ["1:2=101 1:1=100 1:3=1 1:45=0 1:7=0 1:101=0 1:102=0",
                        "2:2=102 2:1=100 2:3=1 2:45=0 2:7=0 2:101=0 2:102=0", "2:2=0 2:1=0 2:3=0", "1:102=7"],
}

# lines at TIME of the events before the wrong one, in thread row 1 and CPU row 1
PART = {
    "flush: begin twice": "1:7=1",
    "kernel: out twice": "1:45=3",
    "kernel: ovni event while out": "1:45=3",
    "kernel: state change while out": "1:45=3",
}


def test(emu, name, bad, view, must_fail):
    run = kit.Run(emu, HEAD + bad + "\n", view)
    found = []
    if not must_fail:
        # 103 does not end, so the status is 1 anyway: the files tell that it went on
        kit.expect(found, "crashed", False, not 0 <= run.status <= 125)
        if "not-dead" not in run.stderr:
            found.append(f"stopped before the end: {run.stderr.strip()[-200:]}")
        return found
    kit.expect(found, "exit status", 1, run.status)
    kit.expect(found, "has a message", True, "error" in run.stderr)
    if "not-dead" in run.stderr:
        found.append("the event was accepted")
    for file in ("thread", "cpu"):
        for time, want in zip((0, 5, 6, 10), BEFORE[file, view]):
            kit.expect(found, f"{file} lines at {time}", want, run.at(file, time))
        kit.expect(found, f"{file} lines at {TIME}", PART.get(name, ""), run.at(file, TIME))
        kit.expect(found, f"{file} duration", TIME, run.duration(file))
    return found


def cases():
    for name, bad in {**BAD, **BAD_IN_COMPAT}.items():
        for view in ("default", "compat"):
            must_fail = view == "compat" or name in BAD
            yield f"{name}, {view}", lambda emu, a=(name, bad, view, must_fail): test(emu, *a)


if __name__ == "__main__":
    sys.exit(kit.main(__doc__, cases))
