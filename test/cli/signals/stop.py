#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sends a signal to ovniemu in the middle of a long run.

usage: stop.py SIGNAL OUTDIR COMMAND...       prints the status and stderr
"""
import os
import signal
import subprocess
import sys
import time


def main(number, outdir, command):
    with open("err.txt", "wb") as err:
        p = subprocess.Popen(command, stderr=err)
    end = time.monotonic() + 30
    path = os.path.join(outdir, "thread.prv")
    while p.poll() is None and time.monotonic() < end:
        if os.path.exists(path) and os.path.getsize(path) > 2**20:
            break
        time.sleep(0.002)
    if p.poll() is not None:
        sys.exit(f"ended too soon, with {p.returncode}")
    p.send_signal(number)
    sent = time.monotonic()
    p.wait(30)
    print(p.returncode)
    if time.monotonic() - sent > 5:
        sys.exit("took long to stop")


main(getattr(signal, sys.argv[1]), sys.argv[2], sys.argv[3:])
