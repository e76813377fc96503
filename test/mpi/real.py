#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniemu-mpi under mpirun: files and messages are those of ovniemu, and what goes wrong ends all.

usage: real.py --emu OVNIEMU --mpi OVNIEMU_MPI --mpirun MPIRUN --apart LIBRARY
"""
import argparse
import contextlib
import filecmp
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "prop"), os.path.join(HERE, "..", "gen")]
import ranks  # noqa: E402
import threads  # noqa: E402

LIMIT = 100  # s


def environment(**more):
    # MPI keeps memory to its end, and a sanitizer wants to be the first library
    return {**os.environ, "LC_ALL": "C", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0", "OVNISCOPE_PARTS": "4:50", **more}


def kill_newest(mpirun):
    """Kills the last process that mpirun has started."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # they may have ended meanwhile
        with open(f"/proc/{mpirun}/task/{mpirun}/children", encoding="ascii") as f:
            children = f.read().split()
        if children:
            os.kill(int(children[-1]), signal.SIGKILL)


class Runs:
    def __init__(self, args, tmp):
        self.args, self.tmp, self.trace = args, tmp, f"{tmp}/trace"
        self.found = []
        ranks.many_events(self.trace)

    def check(self, good, *what):
        if not good:
            self.found.append(" ".join(map(str, what)))

    def mpi(self, *groups):
        """One process for each list of arguments, or a number of them with the same. -1: one whose memory the others cannot read."""
        words = [self.args.mpirun, *self.args.options]
        for i, (n, args) in enumerate(groups):
            apart = ["env", f"LD_PRELOAD={self.args.apart}"] if n < 0 else []
            words += [*([":"] if i else []), "-n", str(abs(n)), *apart, self.args.mpi, "-j", "1", *args]
        return words

    def run(self, *groups):
        p = subprocess.run(self.mpi(*groups), capture_output=True, text=True, check=False, timeout=LIMIT, env=environment(), stdin=subprocess.DEVNULL)
        own = [line for line in p.stderr.splitlines() if re.match("ovniemu-mpi: |  (at|hint:) ", line)]
        return p.returncode, [re.sub(r" in [0-9.]+ s \(.*", "", x.replace("ovniemu-mpi:", "ovniemu:")) for x in own]

    def same(self):
        (status, said), _ = ranks.emulate(self.args.emu, self.trace, f"{self.tmp}/one", [])
        for numbers in ([1], [2], [3], [2, -1], [-2]):
            out = f"{self.tmp}/out{numbers}"
            got = self.run(*((n, ["-o", out, self.trace]) for n in numbers))
            self.check(got == (status, [x.replace("OUT", out) for x in said]), numbers, "ranks say", got)
            names = threads.files(f"{self.tmp}/one")
            self.check(threads.files(out) == names, numbers, "ranks write other files")
            _, wrong, missing = filecmp.cmpfiles(f"{self.tmp}/one", out, names, shallow=False)
            self.check(not wrong + missing, numbers, "ranks write another", *wrong, *missing)
            shutil.rmtree(out, ignore_errors=True)

    def others(self):
        """Processes that do not see the same, or have wrong options."""
        ranks.asm.assemble("loom a.1 cpus 0:0\nproc 1 app 1\nthread 2\n2 0 OHx 0 -1 0\n2 9 OHe\n", f"{self.tmp}/other")
        status, said = self.run((1, ["-o", f"{self.tmp}/o", self.trace]), (1, ["-o", f"{self.tmp}/o", f"{self.tmp}/other"]))
        error = "".join(said[-2:-1])
        self.check(status == 1 and "error[read]: the process of rank 1" in error and "does not see the same trace" in error, "another trace:", status, said)
        os.makedirs(f"{self.tmp}/p/cfg")
        status, said = self.run((1, ["-o", f"{self.tmp}/o", self.trace]), (1, ["-o", f"{self.tmp}/p", self.trace]))
        self.check(status == 1 and "error[write]: the process of rank 1" in "".join(said[-2:-1]), "other outputs:", status, said)
        status, said = self.run((2, ["-o", f"{self.tmp}/o", f"{self.tmp}/nothing"]))
        self.check(status == 1 and len(said) == 1 and "error[no-trace]" in said[0], "no trace:", status, said)
        status, said = self.run((2, ["--no-such-option", self.trace]))
        self.check(status == 2 and len(said) == 2 and "error[usage]" in said[0], "wrong option:", status, said)

    def ends(self, what, sig):
        """A process that is killed ends all, and a signal to mpirun does."""
        out = f"{self.tmp}/{sig}"
        words = self.mpi((2, ["-o", out, self.trace]))
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment(OVNISCOPE_PARTS="4:1"), stdin=subprocess.DEVNULL) as p:
            begin = time.monotonic()
            prv = f"{out}/thread.prv"
            while p.poll() is None and time.monotonic() - begin < LIMIT and not (os.path.exists(prv) and os.path.getsize(prv) > 8000):
                time.sleep(0.001)
            if sig == signal.SIGKILL:
                kill_newest(p.pid)
            else:
                p.send_signal(sig)
            try:
                said = p.communicate(timeout=LIMIT)[1]
                done = os.path.exists(prv) and filecmp.cmp(prv, f"{self.tmp}/one/thread.prv", shallow=False)
                done = done or "stopped by the user" in said  # the mpirun of MPICH 4.0 now and then has status 0, though all processes have 143
                self.check(p.returncode != 0 or done, what, "status", p.returncode, "but not all is written")
            except subprocess.TimeoutExpired:
                p.kill()
                self.check(False, what, "hangs")


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--mpi", required=True)
    ap.add_argument("--mpirun", required=True)
    ap.add_argument("--apart", required=True)
    a = ap.parse_args()
    version = subprocess.run([a.mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    a.options = ["--oversubscribe", "--allow-run-as-root"] if "Open MPI" in version else []
    with tempfile.TemporaryDirectory() as tmp:
        runs = Runs(a, tmp)
        runs.same()
        runs.others()
        runs.ends("a process that is killed", signal.SIGKILL)
        runs.ends("a signal to mpirun", signal.SIGTERM)
    for text in runs.found:
        print(text)
    print(len(runs.found), "problems")
    return bool(runs.found)


if __name__ == "__main__":
    sys.exit(main())
