#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The analyses take streams that break rules, of any level of detail: their reports are complete, and so is JSON.

usage: analyses_hostile.py OVNIEMU FOLDER_OF_ANALYSES [SEED]
"""
import json
import os
import random
import subprocess
import sys
import tempfile

from random_prism import make_stream

EMU, FOLDER = (os.path.abspath(p) for p in sys.argv[1:3])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
ROUNDS = 8 // int(os.environ.get("TEST_SHARE", "1")) or 1
NAMES = {"profile": "", "locks": "", "reuse": "keep=16 line=1", "working_set": "window=5 keep=16", "communication": "memory=1M", "synchrotrace": "memory=1M accesses=7"}
bad = 0

with tempfile.TemporaryDirectory() as tmp:
    for k in range(ROUNDS):
        rng = random.Random(SEED + k)
        streams = [make_stream(rng, i, rng.randrange(1500), True) for i in range(rng.choice((1, 2, 3)))]
        where = f"{tmp}/{k}"
        os.mkdir(where)
        for s in streams:
            with open(f"{where}/{s.number}.prism", "wb") as f:
                f.write(s.data)
            with open(f"{where}/{s.number}.json", "w", encoding="utf-8") as f:
                f.write(s.options())
            if s.clock == "timestamps":
                with open(f"{where}/{s.number}.stamps", "wb") as f:
                    f.write(b"".join(t.to_bytes(8, "little") for t in s.stamps))
        inputs = [w for s in streams for w in ("--prism", f"{where}/{s.number}.json")]
        hooks = []
        for name, more in NAMES.items():
            more += f" dir={where}/st" if name == "synchrotrace" else ""
            hooks += ["--prism-hooks", f"{name} {more} format=json out={where}/{name}.out"]
        p = subprocess.run([EMU, "-q", "--lenient", "--prism-needs=skip", "-f", "none", "-o", f"{where}/out", *inputs, *hooks], stdin=subprocess.DEVNULL,
                           capture_output=True, check=False, timeout=120, env={**os.environ, "OVNISCOPE_TOOLS": FOLDER})
        for name in NAMES:
            try:
                with open(f"{where}/{name}.out", encoding="utf-8") as f:
                    good = json.load(f)["analysis"] == name
            except (OSError, ValueError) as e:
                good = str(e)
            if p.returncode or good is not True:
                bad += 1
                print(f"FAILED: seed {SEED} round {k}: {name}: status {p.returncode}, {good}\n{p.stderr.decode(errors='replace')[-2000:]}")
    # An argument that is not known is found when the tool has begun: it says nothing.
    for name in NAMES:
        words = f"{name} x=1" + (f" dir={tmp}/x" if name == "synchrotrace" else "")
        p = subprocess.run([EMU, "-q", "-f", "none", "--prism", "-", "--prism-hooks", words], input=b"\xc0", capture_output=True, check=False, timeout=120,
                           env={**os.environ, "OVNISCOPE_TOOLS": FOLDER})
        if p.returncode != 1 or p.stdout or b"it knows no argument 'x'" not in p.stderr:
            bad += 1
            print(f"FAILED: {words}: status {p.returncode}, {p.stdout}, {p.stderr}")
print(f"{ROUNDS} rounds of seed {SEED}, {bad} failed")
sys.exit(1 if bad else 0)
