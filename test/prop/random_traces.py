#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random valid traces: the emulator against its naive twin, in both views.

usage: random_traces.py --emu PATH [--model NAME] [--invalid] [--count N] [--seed S]
                        [--time SECONDS] [--arg OPTION]... [--keep DIR] [-v]

Trace number i is made from the seed S + i, so that '--seed X --count 1' repeats
the one that failed. Without --emu only the generator and the twin are checked.

--model: events of that model too, 'all' for several of those that the emulator has.
--invalid: a quarter of the traces has one event that must be refused.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gen")]
import asm  # noqa: E402
import memory  # noqa: E402
import twin  # noqa: E402
from twin import ACTIVE, COOLING, DEAD, PAUSED, RUNNING, UNKNOWN, WARMING  # noqa: E402


# letter -> [(mcv, type, value)] that push; (type, value) -> the events that pop it
PUSH, POP, SET, OTHER = {}, {}, {}, {}
for mcv, (op, kind, value) in twin.OPERATIONS.items():
    if op == "push":
        PUSH.setdefault(mcv[0], []).append((mcv, kind, value))
    elif op == "pop":
        POP.setdefault((kind, value), []).append(mcv)
    else:
        (SET if op == "set" else OTHER).setdefault(mcv[0], []).append((mcv, kind, value))

LABELS = ("alpha", "beta", "alpha", "a", "", "twelve bytes", "ñandú # 1", "a much longer label of a task", "x" * 511)
IDS = (1, 2, 3, 4, 5, 7, 31, 4_000_000_000, 2**32 - 1)
COUNTERS = ("PAPI_TOT_INS", "PAPI_TOT_CYC", "cache misses")


class Thread:
    def __init__(self, loom, pid, tid):
        self.loom, self.pid, self.tid = loom, pid, tid
        self.who = f"{loom.name}:{pid}/{tid}"
        self.path = f"loom.{loom.name}/proc.{pid}/thread.{tid}"
        self.state, self.cpu, self.out, self.flush, self.unsorted = UNKNOWN, None, False, False, False
        self.crashed = self.bare = False
        self.marks = {}
        self.stacks = {}  # type -> values
        self.bodies = {"V": [], "6": [], "P": []}  # [task id, body id, 'running' or 'paused']
        self.idle = {"V": 100, "6": 100}

    def stack(self, kind):
        return self.stacks.setdefault(kind, [])

    def top(self, kind):
        return self.stack(kind)[-1] if self.stack(kind) else None


class Loom:
    def __init__(self, name, ncpus):
        self.name, self.ncpus, self.offset, self.threads = name, ncpus, 0, []


class Generator:
    """Writes a text trace while it follows just enough state to stay valid."""

    # -2**63 is left out: the emulator refuses it (it is its null), the peer does not
    VALUES = (1, 1, 2, 2, 3, 5, 777, 666, -1, -7, 2**31, 2**40, 1 - 2**63, 2**63 - 1)

    def __init__(self, seed, models=(), bad=None):
        self.r = random.Random(seed)
        r = self.r
        self.use = sorted(r.sample(sorted(models), r.randint(1, len(models))) if models else [])
        self.letters = [twin.MODELS[name][0] for name in self.use]
        self.types, self.tasks = {}, {}  # (process, letter) -> {id: label}, {id: [label, parallel, state]}
        self.counters, self.args, self.bad_clock = [], [], None
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
        if self.version != "1" and "nosv" in self.use:
            self.counters = COUNTERS[:r.choice((0, 0, 1, 3))]
        breakdown = r.random() < 0.6 and self.version != "1" and not self.crash
        self.can_break = r.random() < 0.9 if breakdown else None
        self.drain = r.random() < 0.5
        self.args = (["-b"] if breakdown and self.use else []) + (["-l"] if self.use and r.random() < 0.3 else [])
        self.machine()
        self.run(r.choice((5, 40, 150)) * (2 if self.use else 1))
        if bad is not None:
            self.bad_event(random.Random(f"{seed} {bad}"))
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
        wanted = [f"{name}=" + asm.VERSIONS.get(name, "1.0.0") for name in ["kernel"] * self.kernel + self.use
                  if not self.threads or r.random() < 0.5]
        if self.version != "1":
            line += " require " + " ".join(wanted) if wanted else ""
        if cpus:
            line += " cpus " + " ".join(dict.fromkeys(cpus))
        if self.crash and (r.random() < 0.4 or not self.threads):
            t.crashed = True
            # bare: the metadata is what the runtime wrote at the start
            t.bare = may_be_bare and r.random() < 0.5
            line += " crashed" if t.bare else " unfinished"
        self.head.append(line)
        t.proc = (loom.name, pid)
        for letter in "V6P":
            self.types.setdefault((t.proc, letter), {})
            self.tasks.setdefault((t.proc, letter), {})
        if self.can_break is not None:
            self.head.append(f"attr nosv.can_breakdown {'true' if self.can_break or r.random() < 0.5 else 'false'}")
        if self.counters and not t.bare and (not self.threads or r.random() < 0.5):
            self.head += [f'attr nosv.hwc.{i}.name "{name}"' for i, name in enumerate(self.counters)]
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
        if self.letters and r.random() < 0.75:
            letter = r.choice(self.letters)
            if t.state in twin.NEEDS[letter] and not (letter == "V" and t.out):
                self.runtime(t, letter)
                return
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

    # -- events of the runtimes ----------------------------------------------

    def runtime(self, t, letter):
        r = self.r
        acts = [self.nest] * 4
        if letter in self.idle_letters:
            acts += [self.set_idle]
        if letter in OTHER:
            acts += [self.other]
        if letter in "V6P":
            acts += [self.new_type] + [self.new_task] * 2 + [self.use_body] * 8
        if letter == "P":
            acts += [self.worksharing] * 4
        if letter == "V" and self.counters:
            acts += [self.count] * 3
        r.choice(acts)(t, letter)

    idle_letters = ("V", "6")

    def nest(self, t, letter):
        """Push or pop of a state."""
        r = self.r
        mcv, kind, value = r.choice(PUSH[letter])
        top = t.top(kind)
        if top is not None and (r.random() < 0.5 or len(t.stack(kind)) > 5):
            self.leave(t, kind)
        elif twin.DECL[kind].dup == "dup" or top != value:
            t.stack(kind).append(value)
            self.emit(t, mcv)

    def leave(self, t, kind):
        """Pop the top, if an event without arguments can."""
        if (kind, t.top(kind)) in POP:
            self.emit(t, self.r.choice(POP[kind, t.stack(kind).pop()]))

    def set_idle(self, t, letter):
        mcv, _, value = self.r.choice(SET[letter])
        if value != t.idle[letter]:
            t.idle[letter] = value
            self.emit(t, mcv)

    def other(self, t, letter):
        """Punctual events, often several at one instant."""
        for _ in range(self.r.choice((1, 1, 2, 3))):
            self.emit(t, self.r.choice(OTHER[letter])[0] + ("" if letter != "6" else " empty"))

    def count(self, t, _):
        self.emit(t, "VWC " + " ".join(str(self.r.choice((0, 0, 1, 5, -3, 10**12))) for _ in self.counters))

    def new_type(self, t, letter):
        types, ident, label = self.types[t.proc, letter], self.r.choice(IDS), self.r.choice(LABELS)
        if ident not in types:
            types[ident] = label or f"(unlabeled task type {ident})"
            self.emit(t, f'{letter}{"O" if letter == "P" else "Y"}c {ident} "{label}"')

    def new_task(self, t, letter):
        types, tasks = self.types[t.proc, letter], self.tasks[t.proc, letter]
        ident = self.r.choice(IDS + (0,) if letter != "P" else IDS)
        if types and ident not in tasks:
            kind, parallel = self.r.choice(list(types)), letter == "V" and self.r.random() < 0.3
            tasks[ident] = [types[kind], parallel, "created", set()]
            self.emit(t, f"{letter}{'P' if letter == 'P' else 'T'}{'C' if parallel else 'c'} {ident} {kind}")

    def use_body(self, t, letter):
        r, stack, tasks = self.r, t.bodies[letter], self.tasks[t.proc, letter]
        top = stack[-1] if stack else None
        acts = [] if letter == "V" and top and top[2] == "running" else ["x"]
        if top and letter != "P":
            acts += "r" if top[2] == "paused" else "" if tasks[top[0]][1] else "p"
        if top and top[2] == "running":
            acts += "ee"
        what = r.choice(acts or [""])
        if what == "x":
            ready = [i for i, (_, parallel, state, _) in tasks.items() if i and (
                parallel or state == "created" or state == "dead" and letter != "6")]
            if ready and not (letter == "6" and t.top(37) == 1):
                self.execute(t, letter, r.choice(ready))
        elif what in ("p", "r"):
            top[2] = "paused" if what == "p" else "running"
            self.task_event(t, letter, what, top)
        elif what == "e":
            self.end_body(t, letter)

    def task_event(self, t, letter, what, body):
        number = f" {body[1]}" if letter == "V" else ""
        self.emit(t, f"{letter}{'P' if letter == 'P' else 'T'}{what} {body[0]}{number}")

    def execute(self, t, letter, ident):
        task = self.tasks[t.proc, letter][ident]
        number = 0
        if task[1]:
            number = self.r.choice(IDS)
            if number in task[3]:
                return
            task[3].add(number)
        task[2] = "busy"
        t.bodies[letter].append([ident, number, "running"])
        if letter == "P":
            t.stack(51).append(task[0])
        else:
            t.stack(13 if letter == "V" else 37).append(11 if letter == "V" else 1)
        self.task_event(t, letter, "x", t.bodies[letter][-1])

    def end_body(self, t, letter):
        """End the innermost one if what it needs is on top."""
        body = t.bodies[letter][-1]
        task = self.tasks[t.proc, letter][body[0]]
        kind, value = {"V": (13, 11), "6": (37, 1), "P": (51, task[0])}[letter]
        if t.top(kind) == value:
            t.stack(kind).pop()
            t.bodies[letter].pop()
            task[2] = "dead"
            self.task_event(t, letter, "e", body)

    def worksharing(self, t, _):
        types = self.types[t.proc, "P"]
        if not types:
            return
        if t.top(51) is not None and self.r.random() < 0.5:
            ident = self.r.choice([i for i in types if types[i] == t.top(51)])
            t.stack(51).pop()
            self.emit(t, f"PQe {ident}")
        elif len(t.stack(51)) < 8:
            ident = self.r.choice(list(types))
            t.stack(51).append(types[ident])
            self.emit(t, f"PQx {ident}")

    def leave_all(self, t):
        """Empty the stacks of a running thread."""
        for kind in (13, 37, 30, 20, 25, 50):
            for _ in range(40):
                letter = twin.DECL[kind].model
                if (kind, t.top(kind)) in POP:
                    self.leave(t, kind)
                elif t.stack(kind) and t.bodies.get(letter):
                    if t.bodies[letter][-1][2] == "paused":
                        t.bodies[letter][-1][2] = "running"
                        self.task_event(t, letter, "r", t.bodies[letter][-1])
                    self.end_body(t, letter)

    def bad_event(self, r):
        """Some event of some thread, likely wrong: the twin tells."""
        letter = r.choice(self.letters)
        living = [t for t in self.threads if t.state in ACTIVE and not t.crashed]
        t = r.choice(living if living and r.random() < 0.85 else self.threads)
        ident = [str(x) for x in (*IDS[:5], 0, 999)]
        mcvs = [m for m in asm.SIGNATURE if m[0] == letter]
        with_args = [m for m in mcvs if asm.SIGNATURE[m][1]]
        mcv = r.choice(mcvs if not with_args or r.random() < 0.4 else with_args)
        _, types = asm.SIGNATURE[mcv]
        if r.random() < 0.1:
            text = letter + r.choice("ZSTHP") + r.choice("z~*x") + r.choice((" empty", " u32=1"))
        elif not types:
            text = mcv
        elif mcv == "VWC":
            text = r.choice(("VWC 1 2 3 4", "VWC jumbo u32=1", "VWC jumbo empty", "VWC plain i64=1"))
        elif "str" in types:
            text = mcv + r.choice((" 0 \"zero\"", " 1 \"one\"", " plain u32=77 \"no jumbo\"", " jumbo u32=78 hex=616263",
                                   " jumbo u32=79", " jumbo hex=01", " jumbo empty", f" 80 \"{'y' * 512}\""))
        elif r.random() < 0.15:
            text = mcv + r.choice((" empty", " u16=1", " u32=1" if len(types) == 2 else " u16=0"))
        else:
            text = f"{mcv} {' '.join(r.choice(ident) for _ in types)}"
        self.emit(t, text)
        self.bad_clock = self.clock
        # nobody may come before it
        self.clock += 1

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
            if t.state == COOLING and self.drain:
                self.emit(t, "OHp")
                t.state = PAUSED
            if t.state == PAUSED:
                self.emit(t, "OHw")
                t.state = WARMING
            if t.state == WARMING:
                if t.cpu != -1:
                    self.emit(t, "OAs -1")
                self.emit(t, "OHr")
                t.state = RUNNING
            if t.state == RUNNING and self.drain:
                self.leave_all(t)
            if t.state in (RUNNING, COOLING):
                self.emit(t, "OHe")
                t.state, t.cpu = DEAD, None


def make(seed, trace, models, invalid, have):
    """A trace, and whether it has an event that must be refused."""
    if invalid and models and random.Random(-seed).random() < 0.25:
        for bad in range(20):
            g = Generator(seed, models, bad)
            asm.assemble(g.text(), trace)
            r = twin.emulate(trace, False, strict="-l" in g.args, have=have)
            first = min(int(x.split()[1]) + next(t.loom.offset for t in g.threads if t.who == x.split()[0])
                        for x in g.body if x.split()[1] != "truncate")
            if r.error and r.duration == g.bad_clock - first and "not empty" not in r.error:
                return g, True
            shutil.rmtree(trace)
    g = Generator(seed, models)
    asm.assemble(g.text(), trace)
    return g, False


def check_one(seed, tmp, emu, args, models, invalid, have):
    """Texts that tell what is wrong with the trace of that seed, and if it was a bad one."""
    trace = f"{tmp}/trace"
    g, bad = make(seed, trace, models, invalid, have)
    with open(f"{tmp}/in.txt", "w", encoding="utf-8") as f:
        f.write(f"# options: {' '.join(g.args)}\n" + g.text())
    found = []
    for view in ("default", "compat"):
        r = twin.emulate(trace, view == "compat", strict="-l" in g.args, breakdown="-b" in g.args, have=have)
        # generated for ties in stream order, but --compat takes them in another one
        may_fail = view == "compat" and (g.physical_oversubscription or g.crash or g.p_tie)
        if r.error and not (may_fail or bad or "-l" in g.args):
            found.append(f"{view}: the twin refuses the trace: {r.error}")
        if bad and not r.error:
            found.append(f"{view}: the twin accepts the trace")
        if emu:
            found += [f"{view}: {x}" for x in run_one(r, view, trace, f"{tmp}/{view}", emu, args + g.args)]
    return found, bad


def run_one(r, view, trace, outdir, emu, args):
    os.makedirs(outdir)
    command = [emu, *args, *(["--compat"] if view == "compat" else []), "-o", outdir, trace]
    try:
        p = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return ["no end after 60 s"]
    found = []
    if r.error and not 1 <= p.returncode <= 125:
        found.append(f"exit status {p.returncode}, but it must fail: {r.error}")
    if r.error and not p.stderr:
        found.append("failed without a message")
    if not r.error and p.returncode != 0:
        tail = p.stderr.decode(errors="replace").strip().splitlines()[-3:]
        found.append(f"exit status {p.returncode}: {' / '.join(tail)}")
    if not r.names:
        return found  # refused before there are rows
    return found + twin.differences(r, outdir)


def models_of(emu):
    """The names that the help of the emulator lists."""
    if not emu:
        return list(twin.MODELS)
    text = subprocess.run([emu, "--help"], capture_output=True, text=True, check=False).stdout
    # They have twins of their own: test/laplace/twin_laplace.py, test/prism/twin_prism.py.
    return [m for m in re.findall(r"(\w+) \d+\.\d+\.\d+ \(.\)", text) if m not in ("laplace", "prism")]


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu")
    ap.add_argument("--model", choices=[*sorted(asm.VERSIONS), "all"])
    ap.add_argument("--invalid", action="store_true")
    ap.add_argument("--count", type=int, default=100)
    ap.add_argument("--seed", type=int, default=None)
    ap.add_argument("--time", type=float, default=60)
    ap.add_argument("--arg", action="append", default=[], help="option passed to the emulator")
    ap.add_argument("--keep", default=None, help="where failing traces are left (default: where temporary files go)")
    ap.add_argument("-v", action="store_true")
    a = ap.parse_args()
    memory.use()
    emu = os.path.abspath(a.emu) if a.emu else None
    have = models_of(emu)
    models = [m for m in asm.VERSIONS if m in have and a.model in (m, "all")]
    if a.model and not models:
        print(f"skipped: the emulator has no model {a.model}")
        return 77
    seed = a.seed if a.seed is not None else random.randrange(10**9)
    print(f"seed {seed}, models {' '.join(models) or 'ovni kernel'}")
    passed = failed = refused = 0
    end = time.monotonic() + a.time
    for s in range(seed, seed + a.count // int(os.environ.get("TEST_SHARE", "1"))):
        if time.monotonic() > end or failed >= 10:
            break
        tmp = tempfile.mkdtemp(prefix=f"random-trace-{s}-", dir=a.keep)
        found, bad = check_one(s, tmp, emu, a.arg, models, a.invalid, have)
        refused += bad
        if found:
            failed += 1
            print(f"FAIL seed {s}, left in {tmp}")
            for x in found[:10 if a.v else 1]:
                print(f"     {x}")
        else:
            passed += 1
            shutil.rmtree(tmp)
    print(f"{passed} passed, {failed} failed" + (f", {refused} with an invalid event" if a.invalid else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
