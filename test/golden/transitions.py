#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All 36 pairs of a thread state and an OH event, in both views.

usage: transitions.py --emu PATH [--only S] [-v]
"""
import sys

import kit

# state -> the events that lead to it from Unknown
REACH = {
    "Unknown": "",
    "Running": "x",
    "Paused": "xp",
    "Dead": "xe",
    "Cooling": "xc",
    "Warming": "xpw",
}

# the legal ones: lines of thread row 1, of CPU row 1, and the events that end the thread
LEGAL = {
    ("Unknown", "x"): ("6=1 4=1 2=101", "2=101 1=100 3=1", "e"),
    ("Dead", "x"): ("6=1 4=1 2=101", "2=101 1=100 3=1", "e"),
    ("Running", "e"): ("4=3 2=0 6=0", "2=0 1=0 3=0", ""),
    ("Cooling", "e"): ("4=3 2=0 6=0", "", ""),
    ("Running", "p"): ("4=2 2=0", "2=0 1=0 3=0", "re"),
    ("Cooling", "p"): ("4=2 2=0", "", "re"),
    ("Paused", "r"): ("4=1 2=101", "2=101 1=100 3=1", "e"),
    ("Warming", "r"): ("4=1", "2=101 1=100 3=1", "e"),
    ("Running", "c"): ("4=4", "2=0 1=0 3=0", "e"),
    ("Paused", "w"): ("4=5 2=101", "", "re"),
}

TIME = 100  # of the event under test; OB. at 0 is the origin

HEAD = """
loom node.0 cpus 0:0
proc 100 app 1
thread 101
101  0  OB.
"""


def events(letters, first):
    return "".join(f"101  {first + i}  OH{c}{' 0 -1 0' if c == 'x' else ''}\n" for i, c in enumerate(letters))


def test(emu, state, event, view):
    legal = LEGAL.get((state, event))
    ending = legal[2] if legal else ""
    run = kit.Run(emu, HEAD + events(REACH[state], 10) + events(event, TIME) + events(ending, 200), view)
    found = []
    if not legal:
        kit.expect(found, "exit status", 1, run.status)
        kit.expect(found, "has a message", True, "error" in run.stderr)
    else:
        kit.expect(found, f"exit status ({run.stderr.strip()[-200:]})", 0, run.status)
    for i, name in enumerate(("thread", "cpu")):
        want = [f"1:{pair}" for pair in legal[i].split()] if legal else []
        if name == "cpu" and view == "compat" and (state, event) == ("Unknown", "x"):
            want.append("1:7=0")  # the first selection of the mux prints its null
        kit.expect(found, f"{name} lines", " ".join(want), run.at(name, TIME))
        end = TIME if not ending else 200 + len(ending) - 1
        kit.expect(found, f"{name} duration", end, run.duration(name))
        if want and view == "default":
            kit.expect(found, f"{name} records", 1, run.records(name, TIME))
    return found


def cases():
    for state in REACH:
        for event in "xeprcw":
            for view in ("default", "compat"):
                yield f"{state} OH{event} {view}", lambda emu, a=(state, event, view): test(emu, *a)


if __name__ == "__main__":
    sys.exit(kit.main(__doc__, cases))
