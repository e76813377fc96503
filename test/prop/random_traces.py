#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random valid traces: the emulator against its naive twin, in both views.

usage: random_traces.py --emu PATH [--count N] [--seed S] [--time SECONDS]
                        [--arg OPTION]... [--keep DIR] [-v]

Trace number i is made from the seed S + i, so that '--seed X --count 1' repeats
the one that failed. Without --emu only the generator and the twin are checked.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gen")]
import asm  # noqa: E402
import twin  # noqa: E402
from twin import ACTIVE, COOLING, DEAD, PAUSED, RUNNING, UNKNOWN, WARMING  # noqa: E402


class Thread:
    def __init__(self, loom, pid, tid):
        self.loom, self.pid, self.tid = loom, pid, tid
        self.who = f"{loom.name}:{pid}/{tid}"
        self.path = f"loom.{loom.name}/proc.{pid}/thread.{tid}"
        self.state, self.cpu, self.out, self.flush, self.unsorted = UNKNOWN, None, False, False, False
        self.crashed = self.bare = False
        self.marks = {}


class Loom:
    def __init__(self, name, ncpus):
        self.name, self.ncpus, self.offset, self.threads = name, ncpus, 0, []


class Generator:
    """Writes a text trace while it follows just enough state to stay valid."""

    # -2**63 is left out: the emulator refuses it (it is its null), the peer does not
    VALUES = (1, 1, 2, 2, 3, 5, 777, 666, -1, -7, 2**31, 2**40, 1 - 2**63, 2**63 - 1)

    def __init__(self, seed):
        self.r = random.Random(seed)
        r = self.r
        self.version = r.choice("1223333333")
        self.physical_oversubscription = r.random() < 0.2
        self.crash = self.version != "1" and r.random() < 0.1
        self.kernel = self.version == "1" or r.random() < 0.6
        self.marks = {}
        if self.version != "1":
            self.marks = {n: r.choice(("single", "stack"))
                          for n in r.sample(range(100), r.choice((0, 1, 2, 3)))}
        self.head, self.body = [f"trace v{self.version}"], []
        self.clock, self.rank = r.randrange(10**9, 10**15), -1
        self.p_tie = r.choice((0, 0.2, 0.5, 0.8))
        self.machine()
        self.run(r.choice((5, 40, 150)))
        self.finish()

    def text(self):
        return "\n".join(self.head + self.body) + "\n"

    # -- the machine --------------------------------------------------------

    def machine(self):
        r = self.r
        names = r.sample(["a.1", "a.10", "a.2", "b", "b.0", "node1.7", "Z.x"], r.choice((1, 1, 2, 3)))
        ranked = r.choice(("all", "some", "none"))
        nranks, ranks = 20, r.sample(range(20), 9)
        self.looms, self.threads = [], []
        for i, name in enumerate(names):
            loom = Loom(name, r.choice((1, 1, 2, 3)))
            self.looms.append(loom)
            phyids = r.sample(range(16), loom.ncpus)
            cpus = [f"{index}:{p}" for index, p in enumerate(phyids)]
            r.shuffle(cpus)
            self.head.append(f"loom {name}" + (f" cpus {' '.join(cpus)}"))
            has_rank = ranked == "all" or ranked == "some" and i % 2 == 0
            pids = r.sample((3, 20, 100, 101), r.choice((1, 1, 2)))
            tids = r.sample((9, 10, 11, 100, 101, 5000, 70000, 7), len(pids) * 4)
            for pid in pids:
                rank = f" rank {ranks.pop()}/{nranks}" if has_rank else ""
                self.head.append(f"proc {pid} app {r.choice((1, 2, 7))}{rank}")
                mine = [tids.pop() for _ in range(r.choice((1, 2, 3, 4)))]
                # in v3 any subset of the threads may carry the CPUs
                carried = self.split(cpus, len(mine)) if self.version == "3" and pid == pids[0] else None
                for n, tid in enumerate(mine):
                    # the first of a process tells its rank, that of the trace the marks
                    may_be_bare = n > 0 and not (carried and carried[n])
                    self.thread(loom, pid, tid, carried[n] if carried else None, may_be_bare)
        for host in {x.name.split(".")[0] for x in self.looms}:
            if r.random() < 0.5:
                value = r.choice((0, 1000, -1000, 500.9, -500.9, 10**8 + 0.5, -10**8 - 0.5))
                self.head.append(f"offset {host} {value}")
                for loom in self.looms:
                    if loom.name.split(".")[0] == host:
                        loom.offset = int(value)
        # the same order as the reader: files in path order, as bytes
        suffix = "" if self.version == "3" else ".obs"
        self.threads.sort(key=lambda t: (t.path + suffix).encode())
        for rank, t in enumerate(self.threads):
            t.rank = rank

    def split(self, cpus, n):
        groups = [[] for _ in range(n)]
        for c in cpus:
            groups[self.r.randrange(n)].append(c)
            if self.r.random() < 0.3:  # given twice
                groups[self.r.randrange(n)].append(c)
        return groups

    def thread(self, loom, pid, tid, cpus, may_be_bare):
        r = self.r
        t = Thread(loom, pid, tid)
        line = f"thread {tid}"
        if self.kernel and self.version != "1" and (not self.threads or r.random() < 0.5):
            line += " require kernel=1.0.0"
        if cpus:
            line += " cpus " + " ".join(dict.fromkeys(cpus))
        if self.crash and (r.random() < 0.4 or not self.threads):
            t.crashed = True
            # bare: the metadata is what the runtime wrote at the start
            t.bare = may_be_bare and r.random() < 0.5
            line += " crashed" if t.bare else " unfinished"
        self.head.append(line)
        for n, kind in self.marks.items():
            t.marks[n] = []
            if not self.threads or not t.bare and r.random() < 0.3:
                labels = "".join(f' {v}="Value {v}"' for v in (1, 2, 3, 777) if r.random() < 0.4)
                self.head.append(f'mark {n} {kind} "Mark {n}"{labels}')
        loom.threads.append(t)
        self.threads.append(t)

    # -- events -------------------------------------------------------------

    def emit(self, t, text):
        """Events with one clock are taken in stream order: never step back in it."""
        if t.rank < self.rank or self.r.random() >= self.p_tie:
            self.clock += self.r.choice((1, 1, 2, 3, 50, 999, 12_000_000))
        self.rank = t.rank
        self.body.append(f"{t.who} {self.clock - t.loom.offset} {text}")

    def free(self, loom, index, t):
        """May t run in that CPU?"""
        others = [x for x in loom.threads if x is not t and x.cpu == index and x.state == RUNNING]
        return index == -1 or self.physical_oversubscription or not others

    def run(self, nevents):
        for _ in range(nevents):
            self.act(self.r.choice(self.threads))

    def act(self, t):
        r = self.r
        if t.out:
            if r.random() < 0.5:
                t.out = False
                self.emit(t, "KCI")
            return
        acts = [self.state_change] * 5 + [self.small] * 2
        acts += [self.mark] * 4 if t.marks else []
        acts += [self.kernel_out] if self.kernel else []
        acts += [self.migrate, self.migrate_other]
        r.choice(acts)(t)

    def state_change(self, t):
        r, cpu = self.r, t.cpu
        moves = {UNKNOWN: "x", DEAD: "x", RUNNING: "epc", COOLING: "ep", PAUSED: "rw", WARMING: "r"}
        what = r.choice(moves[t.state])
        if what == "e" and r.random() < 0.6:
            return  # let threads live
        if what == "x":
            cpu = r.choice((-1, *range(t.loom.ncpus)))
        if what in "xr" and not self.free(t.loom, cpu, t):
            return
        t.state = {"x": RUNNING, "e": DEAD, "p": PAUSED, "r": RUNNING, "c": COOLING, "w": WARMING}[what]
        t.cpu = None if what == "e" else cpu
        self.emit(t, f"OHx {cpu} -1 0" if what == "x" else f"OH{what}")

    def small(self, t):
        what = self.r.choice(("flush", "flush", "flush", "burst", "create", "unsorted", "old"))
        if what == "flush":
            t.flush = not t.flush
            self.emit(t, "OF[" if t.flush else "OF]")
        elif what == "burst":
            self.emit(t, "OB.")
        elif what == "create":
            self.emit(t, "OHC 0 0")
        elif what == "old":
            self.emit(t, "OCn 2")
        else:
            t.unsorted = not t.unsorted
            self.emit(t, "OU[" if t.unsorted else "OU]")

    def mark(self, t):
        r = self.r
        n = r.choice(list(t.marks))
        stack, value = t.marks[n], r.choice(self.VALUES)
        if self.marks[n] == "single":
            self.emit(t, f"OM= {value} {n}")
        elif stack and (r.random() < 0.5 or len(stack) > 5):
            self.emit(t, f"OM] {stack.pop()} {n}")
        else:
            stack.append(value)
            self.emit(t, f"OM[ {value} {n}")

    def kernel_out(self, t):
        t.out = True
        self.emit(t, "KCO")

    def migrate(self, t):
        """OAs, also to the CPU where it is."""
        index = self.r.choice((-1, *range(t.loom.ncpus)))
        if t.state in ACTIVE and (t.state != RUNNING or self.free(t.loom, index, t)):
            t.cpu = index
            self.emit(t, f"OAs {index}")

    def migrate_other(self, t):
        """OAr of any living thread of the loom, itself included."""
        other = self.r.choice(t.loom.threads)
        index = self.r.choice((-1, *range(t.loom.ncpus)))
        if other.cpu in (None, index) or other.state == RUNNING and not self.free(t.loom, index, other):
            return
        other.cpu = index
        self.emit(t, f"OAr {index} {other.tid}")

    def finish(self):
        """All threads must end dead, except those that crashed."""
        for t in self.r.sample(self.threads, len(self.threads)):
            if t.crashed:
                if self.r.random() < 0.5:  # in the middle of an event
                    self.emit(t, "KCO")
                    self.body.append(f"{t.who} truncate {self.r.randrange(1, 12)}")
                continue
            if t.out:
                self.emit(t, "KCI")
            if t.state == UNKNOWN:
                t.state = RUNNING
                self.emit(t, "OHx -1 -1 0")
            if t.state == PAUSED:
                self.emit(t, "OHw")
                t.state = WARMING
            if t.state == WARMING:
                if t.cpu != -1:
                    self.emit(t, "OAs -1")
                self.emit(t, "OHr")
                t.state = RUNNING
            if t.state in (RUNNING, COOLING):
                self.emit(t, "OHe")
                t.state, t.cpu = DEAD, None


def check_one(seed, tmp, emu, args):
    """Texts that tell what is wrong with the trace of that seed."""
    g = Generator(seed)
    trace = f"{tmp}/trace"
    with open(f"{tmp}/in.txt", "w", encoding="utf-8") as f:
        f.write(g.text())
    asm.assemble(g.text(), trace)
    # where all models are enabled look only at the types that the twin knows
    types = twin.OWN_TYPES if g.version == "1" or any(t.bare for t in g.threads) else None
    found = []
    for view in ("default", "compat"):
        r = twin.emulate(trace, view == "compat")
        if r.error and not (view == "compat" and (g.physical_oversubscription or g.crash)):
            found.append(f"{view}: the twin refuses the trace: {r.error}")
        if emu:
            found += [f"{view}: {x}" for x in run_one(r, view, trace, f"{tmp}/{view}", emu, args, types)]
    return found


def run_one(r, view, trace, outdir, emu, args, types):
    os.makedirs(outdir)
    command = [emu, *args, *(["--compat"] if view == "compat" else []), "-o", outdir, trace]
    try:
        p = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return ["no end after 60 s"]
    found = []
    if r.error and not 1 <= p.returncode <= 125:
        found.append(f"exit status {p.returncode}, but it must fail: {r.error}")
    if not r.error and p.returncode != 0:
        tail = p.stderr.decode(errors="replace").strip().splitlines()[-3:]
        found.append(f"exit status {p.returncode}: {' / '.join(tail)}")
    if not r.thread_names:
        return found  # refused before there are rows
    return found + twin.differences(r, outdir, types)


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu")
    ap.add_argument("--count", type=int, default=100)
    ap.add_argument("--seed", type=int, default=None)
    ap.add_argument("--time", type=float, default=60)
    ap.add_argument("--arg", action="append", default=[], help="option passed to the emulator")
    ap.add_argument("--keep", default=None, help="where failing traces are left (default: /tmp)")
    ap.add_argument("-v", action="store_true")
    a = ap.parse_args()
    emu = os.path.abspath(a.emu) if a.emu else None
    seed = a.seed if a.seed is not None else random.randrange(10**9)
    print(f"seed {seed}")
    passed = failed = 0
    end = time.monotonic() + a.time
    for s in range(seed, seed + a.count):
        if time.monotonic() > end or failed >= 10:
            break
        tmp = tempfile.mkdtemp(prefix=f"random-trace-{s}-", dir=a.keep)
        found = check_one(s, tmp, emu, a.arg)
        if found:
            failed += 1
            print(f"FAIL seed {s}, left in {tmp}")
            for x in found[:10 if a.v else 1]:
                print(f"     {x}")
        else:
            passed += 1
            shutil.rmtree(tmp)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
