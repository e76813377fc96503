#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What ovni.perfetto-trace has for small traces, whole: expect/NAME.txt. Of a long one, how many bytes an event has.

usage: story.py --emu OVNIEMU [--update]

After a change that is meant to be: --update, then look at the difference.
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gen")]

import asm
import pftrace

# A state over itself, the same state again over another one, a pause in the depth, and another thread in the CPU meanwhile;
# both are running for a while.
STACKS = """loom n.0 cpus 0:0
proc 1 app 1
thread 1 
thread 2 
mark 0 stack "Depth" 1="one" 2="two" 3="three"
1 1000 OHx 0 -1 0
1 1010 OM[ 1 0
1 1020 OM[ 2 0
1 1030 OM[ 1 0
1 1031 OM] 1 0
1 1032 OM] 2 0
1 1040 OM[ 1 0
1 1050 OM[ 3 0
1 1055 OM[ 9 0
1 1060 OHp
2 1070 OHx 0 -1 0
2 1071 OM[ 2 0
2 1080 OHp
1 1090 OHr
1 1095 OM] 9 0
2 1100 OHr
1 1110 OM] 3 0
2 1111 OM] 2 0
2 1112 OHe
1 1120 OM[ -5 0
1 1130 OM[ 3 0
1 1140 OM] 3 0
1 1150 OM] -5 0
1 1160 OM] 1 0
1 1170 OM] 1 0
1 1180 OHe
"""

# Tasks of two processes with the same ids: paused, resumed elsewhere, executed again, parallel, never executed.
TASKS = """loom n.0 cpus 0:0 1:1
proc 1 app 1
thread 1 require nosv=2.7.0
proc 2 app 2
thread 2 require nosv=2.7.0
1 1000 OHx 0 -1 0
2 1001 OHx 1 -1 0
1 1010 VYc 7 "work"
2 1011 VYc 7 "other \\x01 work"
1 1020 VTc 1 7
1 1021 VTc 2 7
1 1022 VTC 3 7
2 1023 VTc 1 7
1 1030 VTx 1 0
1 1040 VTp 1 0
1 1045 VTr 1 0
1 1050 VTe 1 0
1 1060 VTx 1 0
1 1065 VTe 1 0
2 1070 VTx 1 0
2 1075 VTe 1 0
1 1080 VTx 3 1
1 1081 VTe 3 1
1 1082 VTx 3 2
1 1083 VTe 3 2
1 1090 OHe
2 1091 OHe
"""

# Marks that are set: with labels names, without them numbers; punctual events; what is open at the end.
VALUES = """loom n.0 cpus 0:0
proc 1 app 1 rank 3/4
thread 1 require nosv=2.7.0
mark 0 single "Phase" 1="init" 2="solve"
mark 1 single "Residual"
mark 2 single "Large" 0="zero" 1="one" 127="small" 128="large" 4096="larger"
1 1000 OHx 0 -1 0
1 1010 OM= 1 0
1 1010 OM= 2 0
1 1011 OM= 17 0
1 1020 OM= -9223372036854775807 1
1 1030 OM= 9223372036854775807 1
1 1031 OM= 127 2
1 1032 OM= 128 2
1 1033 OM= 4096 2
1 1034 OM= 1 2
1 1035 OM= 129 2
1 1036 OM= 5 2
1 1037 OM= 4096 2
1 1038 OM= 127 2
1 1040 VS[
1 1041 VSs
1 1042 VSr
1 1043 VS]
1 1050 VPr
1 1060 OHe
"""


# Values that get a label after they were shown: then, and with others in their tracks.
LABELS = """loom n.0 cpus 0:0
proc 1 app 1
thread 1 require told=1.0.0
1 1000 OHx 0 -1 0
1 1010 yV= u32=3
1 1020 yV= u32=4
1 1030 yV= u32=300
1 1040 yL. u32=3 str="three"
1 1041 yL. u32=300 str="hundreds"
1 1042 yL. u32=5 str="five"
1 1050 yV= u32=3
1 1060 yV= u32=4
1 1070 yV= u32=300
1 1080 yV= u32=5
1 1090 OHe
"""
TOLD = """{"name": "told", "version": "1.0.0", "letter": "y", "channels": [{"name": "v", "title": "V", "type": 911, "thread": "any"}], "events": [
{"event": "yV=(u32 v)", "text": "is %{v}", "op": "set", "channel": "v", "arg": "v"},
{"event": "yL.(u32 v, str s)", "text": "%{v} is %{s}", "op": "label", "channel": "v", "arg": "v", "text_arg": "s"}]}
"""


BYTES = 15  # at most, in the mean, where tracks and names are few


def long_trace():
    lines = ["loom n.0 cpus " + " ".join(f"{i}:{i}" for i in range(4)), "proc 1 app 1"]
    for th in range(1, 5):
        lines += [f"thread {th} require nosv=2.7.0"]
    lines += [f"{th} {th} OHx {th - 1} -1 0" for th in range(1, 5)]
    for i in range(4000):
        for th, pair in enumerate(("VS[ VS]", "VU[ VU]", "VAs VAS", "VMa VMA"), 1):
            lines.append(f"{th} {1000 + i * 1777 + th} {pair.split()[i % 2]}")
    return "\n".join(lines + [f"{th} 9000000 OHe" for th in range(1, 5)]) + "\n"


def emulate(emu, text):
    with tempfile.TemporaryDirectory() as tmp:
        asm.assemble(text, f"{tmp}/trace")
        with open(f"{tmp}/told.json", "w", encoding="utf-8") as f:
            f.write(TOLD)
        words = [os.path.abspath(emu), "-q", "--model", f"{tmp}/told.json", "-f", "perfetto", "-o", f"{tmp}/out", f"{tmp}/trace"]
        subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
        return pftrace.read(f"{tmp}/out/ovni.perfetto-trace")


def tell(trace):
    """Lines of each track in its place."""
    tracks = sorted((t for t in trace.tracks.values()), key=lambda t: t.ranks)
    lines = []
    for t in tracks:
        lines.append("  " * (len(t.path) - 1) + t.path[-1] + (" (counter)" if t.counter else ""))
        found = [(b, 0, "  " * depth + f"{b} to {e}: {name!r}") for b, e, depth, name in t.slices]
        found += [(time, 1, f"{time}: {name!r}") for time, name in t.instants]
        found += [(time, 1, f"{time}: {value}") for time, value in t.values]
        found += [(time, 2, f"{time}: flow {flow:x} {'ends' if ends else 'begins'}") for time, flow, ends in t.flows]
        lines += ["  " * len(t.path) + text for _, _, text in sorted(found, key=lambda x: x[:2])]
    return "".join(f"{line}\n" for line in lines)


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--update", action="store_true")
    a = ap.parse_args()
    failed = 0
    for name, text in (("stacks", STACKS), ("tasks", TASKS), ("values", VALUES), ("labels", LABELS)):
        have = tell(emulate(a.emu, text))
        expected = f"{HERE}/expect/{name}.txt"
        if a.update:
            with open(expected, "w", encoding="utf-8") as f:
                f.write(have)
        with open(expected, encoding="utf-8") as f:
            want = f.read()
        if have != want:
            failed += 1
            print(f"{name}: it is now\n{have}")
    trace = emulate(a.emu, long_trace())
    if trace.size > BYTES * trace.events:
        failed += 1
        print(f"{trace.size / trace.events:.1f} bytes an event")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
