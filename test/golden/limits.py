#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Limits of the models: 512 values in a stack, 511 bytes in a label, 100 counters.

usage: limits.py --emu PATH [--only S] [-v]
"""
import sys

import kit

HEAD = "loom node.0 cpus 0:0\nproc 100 app 1\nthread 101\n{}101 0 OHx 0 -1 0\n"


def times(n, *events):
    return "".join(f"101 {10 + i} {events[i % len(events)]}\n" for i in range(n))


def counters(n, width):
    names = "".join(f'attr nosv.hwc.{i}.name "C{i}"\n' for i in range(n))
    return HEAD.format(names) + f"101 10 VWC {' '.join('7' for _ in range(width))}\n"


def stack(n, *events, before=""):
    return HEAD.format("") + before + times(n, *events)


# what is accepted, and what is refused
PAIRS = {
    "nosv subsystem": (stack(512, "VSh"), stack(513, "VSh")),
    "nanos6 subsystem": (stack(512, "6Wt", "6W["), stack(513, "6Wt", "6W[")),
    "nanos6 thread type": (stack(512, "6He", "6Hw"), stack(513, "6He", "6Hw")),
    "nodes subsystem": (stack(512, "DR[", "DC["), stack(513, "DR[", "DC[")),
    "tampi subsystem": (stack(512, "TCi", "TRc"), stack(513, "TCi", "TRc")),
    "mpi function": (stack(512, "MW[", "MWa"), stack(513, "MW[", "MWa")),
    "openmp subsystem": (stack(512, "PH["), stack(513, "PH[")),
    "openmp label": tuple(stack(n, "PQx 1", before='101 1 POc 1 "x"\n') for n in (512, 513)),
    "nosv label": tuple(HEAD.format("") + f'101 10 VYc 1 "{"x" * n}"\n' for n in (511, 512)),
    "nanos6 label": tuple(HEAD.format("") + f'101 10 6Yc 1 "{"x" * n}"\n' for n in (511, 512)),
    "openmp label text": tuple(HEAD.format("") + f'101 10 POc 1 "{"x" * n}"\n' for n in (511, 512)),
    "counters": (counters(100, 100), counters(101, 101)),
    "counters of an event": (counters(2, 2), counters(2, 3)),
}


def test(emu, text, view, status):
    run = kit.Run(emu, text + "101 9999 OHe\n", view)
    return [] if run.status == status else [f"status {run.status}: {run.stderr.strip()[-300:]}"]


def cases():
    for name, texts in PAIRS.items():
        for view in ("default", "compat"):
            for status, text in enumerate(texts):
                what = "refused" if status else "accepted"
                yield f"{name} {what}, {view}", lambda emu, a=(text, view, status): test(emu, *a)


if __name__ == "__main__":
    sys.exit(kit.main(__doc__, cases))
