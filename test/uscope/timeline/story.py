#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `uscope timeline` prints, whole; and what it says of files that are damaged.

usage: story.py --emu OVNIEMU --uscope USCOPE --make MAKETIMELINE [--update]

expect/NAME.txt holds what the commands of a case print. --update writes these files; the
difference is then the review.
"""
import argparse
import os
import sys
import tempfile

import tlkit

import asm

HERE = os.path.dirname(os.path.abspath(__file__))
VARIANTS = ("good compat stopped no-property version-2 no-threads no-rows no-label no-channels no-value channel-slots channel-kind "
            "channel-no-type channel-storage channel-table channel-field channel-twice channel-same-type label-class label-text "
            "row-text breakdown-name").split()
SMALL = "small/ovni.uscp"
CASES = {
    "info": [f"timeline {SMALL}", f"timeline --json {SMALL}"],
    "at": [f"timeline --at 55us {SMALL}", f"timeline --at=50% --row cpu/1 --row 'TH *2' {SMALL}", f"timeline --at end-1us -c state {SMALL}",
           f"timeline --at end --all -c 2 {SMALL}", f"timeline --at 0 {SMALL}", f"timeline --at 1s -c 'Phase' {SMALL}",
           f"timeline --json --at 55us {SMALL}"],
    "list": [f"timeline --channel state {SMALL}", f"timeline -r 'TH 1.101' --from 20us --to 60us {SMALL}", f"timeline --channel nosv.* -r cpu/* {SMALL}",
             f"timeline -c 13 -r thread/1 --all {SMALL}", f"timeline --json --row 1 --from 30us --to 50us {SMALL}",
             f"timeline -f -c breakdown {SMALL}"],
    "profile": [f"timeline --profile {SMALL}", f"timeline --profile -c state --from 50us --to 70us --all {SMALL}",
                f"timeline --json --profile -c cpu/nosv.subsystem {SMALL}"],
    "prv": ["timeline --prv back small/ovni.uscp", "timeline --prv good.out good.uscp", "cat good.out/thread.prv", "cat good.out/thread.pcf",
            "cat good.out/thread.row", "cat good.out/nosv-breakdown.prv", "timeline --prv compat.out compat.uscp", "cat compat.out/thread.prv",
            "timeline --prv none/out good.uscp", "timeline --prv good.uscp good.uscp"],
    "made": ["timeline good.uscp", "timeline -c * good.uscp", "timeline --json -c type good.uscp", "timeline --at 30ns good.uscp",
             "timeline --profile good.uscp"],
    "stopped": ["timeline stopped.uscp", "timeline --at end stopped.uscp", "timeline -c * stopped.uscp", "timeline --json -c 11 stopped.uscp",
                "timeline --profile -r 2 stopped.uscp", "timeline --prv stopped.out stopped.uscp", "cat stopped.out/thread.prv",
                "cat stopped.out/thread.row", "timeline -f -c 4 --timeout 10ms --interval=5ms stopped.uscp"],
    "vcd": [f"export --format=vcd {SMALL}", f"export --format=vcd --from=50% --to=70us --scope thread {SMALL}", "export --format=vcd --raw good.uscp",
            "export --format=vcd stopped.uscp", "export --format=vcd no-channels.uscp", "export --format=vcd label-text.uscp"],
    "usage": [f"timeline --at 5us --profile {SMALL}", f"timeline --at 5us --from 1us {SMALL}", f"timeline -f --profile {SMALL}",
              f"timeline --prv x --json {SMALL}", f"timeline --keep-time {SMALL}", f"timeline --prv x --from 5us --to 4us {SMALL}", f"timeline --at soon {SMALL}", f"timeline --at 101% {SMALL}", f"timeline --at end-x {SMALL}",
              f"timeline -r nobody {SMALL}", f"timeline -c nothing {SMALL}", f"timeline -c cpu/state {SMALL}", "timeline"],
    "bad": [f"timeline {v}.uscp" for v in VARIANTS if v not in ("good", "compat", "stopped", "breakdown-name", "label-text", "row-text")] +
           ["timeline --prv evil.out breakdown-name.uscp", "timeline -c mark label-text.uscp", "timeline --at 50ns row-text.uscp",
            "timeline other.uscp", "timeline none.uscp", "timeline small/thread.prv"],
}


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--uscope", required=True)
    ap.add_argument("--make", required=True)
    ap.add_argument("--update", action="store_true")
    a = ap.parse_args()
    tools = tlkit.Tools(a.emu, a.uscope)
    make = os.path.abspath(a.make)
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        with open(f"{HERE}/small.txt", encoding="utf-8") as f:
            asm.assemble(f.read(), "trace")
        p = tools.emu("-q", "-b", "-o", "small", "trace")
        assert p.returncode == 0, p.stderr
        for v in VARIANTS:
            if os.spawnv(os.P_WAIT, make, [make, f"{v}.uscp", v]) != 0:
                print(f"maketimeline {v} failed")
                failed += 1
        with open("other.uscp", "wb") as f:
            f.write(b"uSCP" + bytes(20))
        for name, commands in CASES.items():
            text = "".join(run(tools, c) for c in commands)
            path = f"{HERE}/expect/{name}.txt"
            if a.update:
                os.makedirs(f"{HERE}/expect", exist_ok=True)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                continue
            with open(path, encoding="utf-8") as f:
                want = f.read()
            if want == text:
                continue
            failed += 1
            print(f"FAIL {name}")
            x, y = want.splitlines(), text.splitlines()
            i = next((i for i, (u, v) in enumerate(zip(x, y)) if u != v), min(len(x), len(y)))
            print(f"  line {i + 1}: expected {x[i:i + 2]}\n  got {y[i:i + 2]}")
        found, inexact = tlkit.compare_files("small", "back")
        for x in found + (["files differ"] if inexact else []):
            failed += 1
            print(f"FAIL {x}")
    print(f"{len(CASES)} cases, {failed} failures")
    return 1 if failed else 0


def run(tools, command):
    words = [w.strip("'") for w in command.replace("'TH ", "'TH\0").split()]
    words = [w.replace("\0", " ") for w in words]
    if words[0] == "cat":
        with open(words[1], encoding="utf-8") as f:
            return f"$ {command}\n{f.read()}"
    p = tools.uscope(*words)
    out = p.stdout.decode() + "".join(f"! {x}\n" for x in p.stderr.decode(errors="replace").splitlines())
    return f"$ uscope {command}\n{out}" + (f"= {p.returncode}\n" if p.returncode else "")


if __name__ == "__main__":
    sys.exit(main())
