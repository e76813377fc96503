#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovnisync under mpirun, and its tables in the hands of ovniemu.

usage: sync.py --sync OVNISYNC --emu OVNIEMU --shift SHIFT.so --mpirun MPIRUN

Two ranks on this machine are two nodes, by a library that gives each a name and a clock
(shift.c). What ovnisync measures must be what the library adds, and ovniemu must put the
events of both where they truly were.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))
import asm  # noqa: E402

MS = 1000000
SECOND = 1000 * MS
TOLERANCE = 3 * MS  # of a busy machine; what is to be corrected is far more


class Failure(Exception):
    pass


def check(good, *what):
    if not good:
        raise Failure(" ".join(map(str, what)))


def call(words, status=0):
    env = dict(os.environ, LC_ALL="C", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    # MPI keeps memory to its end, and a sanitizer wants to be the first library
    env["ASAN_OPTIONS"] = "detect_leaks=0:verify_asan_link_order=0"
    p = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False, env=env)
    check(p.returncode == status, words, "status", p.returncode, p.stdout, p.stderr)
    return p.stdout, p.stderr


class Cluster:
    """Node a has the true clock, that of b is `ns` ahead at `epoch` and runs faster."""

    def __init__(self, a, ns, ppm=0):
        self.a, self.ns, self.ppm = a, ns, ppm
        self.epoch = time.clock_gettime_ns(time.CLOCK_MONOTONIC)

    def clock_of_b(self, t):
        return t + self.ns + (t - self.epoch) // 1000000 * self.ppm

    def sync(self, *args, hosts=("a.example.org", "b.example.org"), status=0):
        words = [self.a.mpirun, "--oversubscribe", "--allow-run-as-root"]
        for i, host in enumerate(hosts):
            env = [f"LD_PRELOAD={self.a.shift}", f"SHIFT_HOST={host}"]
            if i:
                env += [f"SHIFT_NS={self.ns}", f"SHIFT_PPM={self.ppm}", f"SHIFT_EPOCH={self.epoch}"]
            words += ([":"] if i else []) + ["-n", "1", "env", *env, self.a.sync, *args]
        return call(words, status)


def trace_of(cluster, path, times):
    """Both nodes set a mark at each of these true times."""
    text = ["trace v3"]
    for host in "ab":
        tid = 101 if host == "a" else 201
        text += [f"loom {host}.1 cpus 0:0", f"proc {tid - 1}", f"thread {tid}", 'mark 0 single "Time"']
    for tid, clock in ((101, lambda t: t), (201, cluster.clock_of_b)):
        text.append(f"{tid} {clock(times[0])} OHx 0 -1 0")
        text += [f"{tid} {clock(t)} OM= {i + 1} 0" for i, t in enumerate(times)]
        text.append(f"{tid} {clock(times[-1])} OHe")
    asm.assemble("\n".join(text) + "\n", path)


def marks(out):
    """mark value -> time of both rows"""
    found = {}
    with open(f"{out}/thread.prv", encoding="utf-8") as f:
        for line in f:
            m = re.match(r"2:0:1:1:(\d+):(\d+):(.*)", line)
            pairs = m.group(3).split(":") if m else []
            for kind, value in zip(pairs[::2], pairs[1::2]):
                if kind == "100" and value != "0":
                    found.setdefault(int(value), {})[m.group(1)] = int(m.group(2))
    return found


def misplaced(out, times):
    """How far the marks of the nodes are from each other, and from the truth."""
    found = marks(out)
    check(len(found) == len(times), "marks:", found)
    first = min(min(rows.values()) for rows in found.values())
    return max(abs(at - first - (times[value - 1] - times[0])) for value, rows in found.items() for at in rows.values())


def rows_of(path):
    with open(path, encoding="utf-8") as f:
        return [line.split() for line in f]


def constant(a, tmp):
    cluster = Cluster(a, 7200 * SECOND + 123456789)
    table = f"{tmp}/new/dirs/table.txt"
    out, err = cluster.sync("-o", table, "-v", "-n", "200")
    rows = rows_of(table)
    check(rows[0] == ["rank", "hostname", "offset_median", "offset_mean", "offset_std"], rows)
    check(rows[1] == ["0", "a", "0", "0.000000", "0.000000"], rows)
    check(len(rows) == 3 and rows[2][:2] == ["1", "b"], rows)
    offset = int(rows[2][2])
    check(abs(offset + cluster.ns) < TOLERANCE, offset, "is not", -cluster.ns)
    check(abs(float(rows[2][3]) - offset) < TOLERANCE and float(rows[2][4]) >= 0, rows)
    bound = int(re.search(r"b: offset \S+ ns, off by (\d+) ns", err).group(1))
    check(abs(offset + cluster.ns) <= bound + 1, offset, "is further off than", bound)
    samples = re.findall(r"^rank=1  sample=(\d+)  delta=(-?\d+)\.0{6}  ref=(\d+)\.0{6}  cur=(\d+)\.0{6}  trip=\d+$", out, re.M)
    check([int(s[0]) for s in samples] == list(range(200)), out)
    check(all(int(s[2]) == int(s[3]) + int(s[1]) for s in samples), out)

    # Two hours between the nodes: refused without the table, in place with it.
    times = [cluster.epoch + i * SECOND for i in range(5)]
    trace_of(cluster, f"{tmp}/trace", times)
    _, err = call([a.emu, "-o", f"{tmp}/out", f"{tmp}/trace"], 1)
    check("clock-gate" in err, err)
    call([a.emu, "-q", "-o", f"{tmp}/out", "-c", table, f"{tmp}/trace"])
    check(misplaced(f"{tmp}/out", times) < TOLERANCE, marks(f"{tmp}/out"))


def drift(a, tmp):
    cluster = Cluster(a, 5 * SECOND, 50000)  # 5 % faster, so that seconds show it
    table = f"{tmp}/drift.txt"
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    cluster.sync("-o", table, "-d", "4", "-w", "0.4")
    rows = rows_of(table)
    check(rows[0] == ["wallclock", "clock_ns", "a", "b"] and len(rows) == 5, rows)
    clocks = [int(r[1]) for r in rows[1:]]
    check(begin < clocks[0] and all(y - x > 300 * MS for x, y in zip(clocks, clocks[1:])), rows)
    check(abs(float(rows[4][0]) - time.time()) < 60, rows)
    for r in rows[1:]:
        want = int(r[1]) - cluster.clock_of_b(int(r[1]))
        check(r[2] == "0" and abs(int(r[3]) - want) < TOLERANCE, r, "want", want)

    # Between the measurements and at them; one offset for all would be wrong by 30 ms or more.
    times = sorted(clocks + [(x + y) // 2 for x, y in zip(clocks, clocks[1:])] + [clocks[0] + 100 * MS])
    trace_of(cluster, f"{tmp}/drifts", times)
    call([a.emu, "-q", "-o", f"{tmp}/flat", f"{tmp}/drifts"])
    check(misplaced(f"{tmp}/flat", times) > 4 * SECOND, "the drift is not to be seen")
    first = f"{tmp}/first.txt"
    with open(first, "w", encoding="utf-8") as f:
        f.write(f"title\n0 a 0 0 0\n1 b {rows[1][3]} 0 0\n")
    call([a.emu, "-q", "-o", f"{tmp}/first", "-c", first, f"{tmp}/drifts"])
    check(misplaced(f"{tmp}/first", times) > 8 * TOLERANCE, "one offset is enough: this tests nothing")
    _, err = call([a.emu, "-o", f"{tmp}/right", "-c", table, f"{tmp}/drifts"])
    check("with their drift" in err, err)
    check(misplaced(f"{tmp}/right", times) < TOLERANCE, misplaced(f"{tmp}/right", times))


def others(a, tmp):
    """One host, wrong options, files that cannot be written."""
    words = [a.mpirun, "-n", "2", "--oversubscribe", "--allow-run-as-root", a.sync]
    table = f"{tmp}/one.txt"
    with open(table, "w", encoding="utf-8") as f:
        f.write("an old table, that is longer than the new one\n" * 100)
    _, err = call([*words, "-o", table])
    check("2 ranks on 1 hosts" in err, err)
    rows = rows_of(table)
    check(len(rows) == 2 and rows[1][0] == "0" and rows[1][2:] == ["0", "0.000000", "0.000000"], rows)
    # -n 1: nothing can be said about the deviation, and the table is read all the same
    cluster = Cluster(a, 3 * SECOND)
    cluster.sync("-q", "-n", "1", "-o", table)
    check(rows_of(table)[2][4] in ("nan", "-nan"), rows_of(table))
    times = [cluster.epoch, cluster.epoch + SECOND]
    trace_of(cluster, f"{tmp}/one", times)
    call([a.emu, "-q", "-o", f"{tmp}/oneout", "-c", table, f"{tmp}/one"])

    os.environ["OVNI_TRACEDIR"] = f"{tmp}/there"
    call([*words, "-q"])
    check(rows_of(f"{tmp}/there/clock-offsets.txt")[0][0] == "rank", "the default place")
    del os.environ["OVNI_TRACEDIR"]
    for bad in (["-n", "0"], ["-n", "x"], ["-d", "-1"], ["-w", "x"], ["-w", "-1"], ["-w", "nan"], ["more"], ["-x"]):
        _, err = call([a.sync, *bad], 2)
        check("error[usage]" in err, err)
    _, err = call([*words, "-o", f"{tmp}/one.txt/below"], 1)
    check("error[write]" in err and err.count("error[") == 1, err)
    _, err = call([*words, "-o", "/dev/full"], 1)
    check("error[write]" in err and "No space left" in err, err)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("sync", "emu", "shift", "mpirun"):
        p.add_argument(f"--{name}", required=True)
    a = p.parse_args()
    a.sync, a.emu, a.shift = map(os.path.abspath, (a.sync, a.emu, a.shift))
    for part in (constant, drift, others):
        try:
            with tempfile.TemporaryDirectory() as tmp:
                part(a, tmp)
            print("ok", part.__name__)
        except Failure as e:
            print("FAIL", part.__name__, e)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
