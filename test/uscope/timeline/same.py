#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovni.uscp tells the same as the Paraver files of its run.

usage: same.py --emu OVNIEMU --uscope USCOPE [--golden] [--random] [--conformance DIR]
               [--seed S] [--count N] [--time SECONDS] [--states N] [--each N]
               [--keep DIR] [-v]

Each trace is emulated in both views, as they say with -b. Then `uscope check --verify` must
be content, `uscope timeline --prv` must give the same values at the same times for each row
and type (the same bytes, in fact), the same labels and rows, and --at at random times the last values of the PRV. Titles
and colours of its tables are those of the views. The VCD has the intervals that `uscope timeline` lists.
Without -b the file is the same whether cycles are written at once or one by one.
Of goldens and cases every --each is tried, and half as many with a TEST_SHARE: sanitizers and clang see most of them elsewhere, too.
The environment variable TIMELINE_SECONDS stands for --time and more --states.
"""
import argparse
import glob
import json
import os
import random
import shutil
import sys
import tempfile
import time

import tlkit

import asm
import casefile
import memory
import random_traces

HERE = os.path.dirname(os.path.abspath(__file__))


class Test:
    def __init__(self, tools, states, seed):
        self.tools, self.states, self.random = tools, states, random.Random(seed)
        self.files = self.inexact = self.times = 0

    def run(self, trace, out, args):
        """Texts that tell what differs."""
        os.makedirs(out)
        p = self.tools.emu("-q", *args, "-o", out, trace)
        file = f"{out}/ovni.uscp"
        if p.returncode not in (0, 1):
            return [f"ovniemu: status {p.returncode}"]
        if not os.path.exists(f"{out}/thread.prv"):
            return [] if p.returncode else ["there are no files"]
        if not os.path.exists(file):
            return ["there is no ovni.uscp"]
        check = self.tools.uscope("check", "--verify", file)
        if check.returncode:
            return ["check: " + check.stdout.decode(errors="replace") + check.stderr.decode(errors="replace")]
        back = self.tools.uscope("timeline", "--prv", f"{out}/back", file)
        if back.returncode:
            return [f"--prv: status {back.returncode}: {back.stderr.decode(errors='replace')}"]
        found, inexact = tlkit.compare_files(out, f"{out}/back")
        self.files += 1
        self.inexact += inexact
        found += tlkit.compare_views(self.tools, file, f"{out}/cfg")
        return found + tlkit.compare_profile(self.tools, file, f"{out}/plain.uscp") + self.at_times(out, file)

    def at_once(self, trace, out, args):
        """Runs of cycles are written at once, unless there are breakdowns or events of the trace
        between: but for these, all is the same, the overview too; also up to an event that is refused."""
        files = []
        for name, more in (("at_once", []), ("one_by_one", ["--uscope-raw-events"])):
            words = [w for w in args if w != "-b"]
            self.tools.emu("-q", *words, *more, "-f", "uscope", "-o", f"{out}/{name}", trace)
            files.append(f"{out}/{name}/ovni.uscp")
            if not os.path.exists(files[-1]):
                return []
        return tlkit.compare_cycles(self.tools, files)

    def at_times(self, out, file):
        want = {os.path.basename(x)[:-4]: tlkit.read_prv(x)[1] for x in glob.glob(f"{out}/*.prv")}
        times = sorted({t for s in want.values() for q in s.values() for t, _ in q})
        if not times:
            return []
        found = []
        spans = self.tools.lines("timeline", "--channel", "*", file)
        instants = tlkit.read_instants(spans)
        found += tlkit.compare_vcd(self.tools, file, spans)
        for _ in range(self.states):
            # where something happens, before it, or anywhere
            t = self.random.choice((self.random.choice(times), self.random.choice(times) - 1, self.random.randrange(times[-1] + 1)))
            t = max(0, t)
            found += tlkit.compare_states(want, self.tools.lines("timeline", "--at", f"{t}ns", file), t, instants)
            self.times += 1
        return found


def golden_cases(a):
    top = os.path.join(HERE, "..", "..", "golden")
    for name, path in casefile.find(top):
        one = casefile.Case(path)
        words = one.get("args", "").split()

        def make(trace, one=one):
            asm.assemble(one.get("in.txt"), trace)
            one.unpack(f"{trace}-case", lambda name: "/" not in name)
        yield name, make, words, [w.replace("{case}", "{trace}-case") for w in words]


# Labels of tasks that the file cannot hold as they are: those of the error states, bytes
# that are no UTF-8, and what these look like when they are escaped.
ODD_LABELS = ("Error: too many threads", "Error: the thread does not show it", "Error: too many threads ", "bad \\xff",
              b"bad \xff", b"\xe0\x80\x80", b"a\nb", " ", b"\xf4\x8f\xbf\xbf \xf4\x90\x80\x80", "x" * 511)


def task_trace(labels):
    def make(trace):
        lines = ["loom n.0 cpus 0:0", "proc 1 app 1", "thread 1 require nosv=2.7.0", "attr nosv.can_breakdown true", "1 100 OHx 0 -1 0"]
        for i, label in enumerate(labels, 1):
            data = (label if isinstance(label, bytes) else label.encode()) + b"\0"
            lines += [f"1 {200 * i} VYc jumbo u32={i} hex={data.hex()}", f"1 {200 * i + 1} VTc {i} {i}", f"1 {200 * i + 2} VTx {i} 0",
                      f"1 {200 * i + 100} VTe {i} 0"]
        asm.assemble("\n".join(lines + ["1 9000 OHe", ""]), trace)
    return make


def when_labelled(tools, file):
    """Types have their labels when they are first shown: how far the emulator is by then is chance."""
    lines = [json.loads(x) for x in tools.uscope("dump", file).stdout.splitlines()]
    times = {x["time_ps"] // 1000 for x in lines if x.get("storage") == "labels" and x["field"] == "text"} - {0}
    want = {200 * i - 98 for i in range(1, len(ODD_LABELS) + 1)}
    return [] if times == want else [f"labels come at {sorted(times)}, not at {sorted(want)}"]


def odd_cases():
    yield "odd labels", task_trace(ODD_LABELS), [], ["-b"]
    # the table has no room for them: values are found by the text, and the PCF lacks labels
    yield "few labels", task_trace(("alpha", "beta", "twelve bytes", "ñandú # 1")), [], ["--uscope-labels", "1"]


def many_rows():
    """The first instant is too long for what is handed over at once."""
    n = 700
    lines = ["loom n.0 cpus " + " ".join(f"{i}:{i}" for i in range(n)), "proc 1 app 1"]
    for i in range(1, n + 1):
        lines += [f"thread {i} require nosv=2.7.0 openmp=1.2.1", "attr nosv.can_breakdown true"]
    for clock, step, event in ((1000, 0, "OHx {} -1 0"), (2000, 1, "VS["), (4000, 1, "VSs"), (9000, 0, "OHe")):
        lines += [f"{i + 1} {clock + step * i} {event.format(i)}" for i in range(n)]
    yield "many rows", lambda trace: asm.assemble("\n".join(lines) + "\n", trace), [], ["-b"]


def random_cases(a, tools):
    have = random_traces.models_of(tools.emu_path)
    models = [m for m in asm.VERSIONS if m in have]
    for seed in range(a.seed, a.seed + a.count):
        g = random_traces.Generator(seed, models)

        def make(trace, g=g):
            asm.assemble(g.text(), trace)
        yield f"seed {seed}", make, g.args, g.args


def conformance_cases(a):
    for case in sorted(glob.glob(f"{a.conformance}/*/case.json")):
        with open(case, encoding="utf-8") as f:
            runs = json.load(f)["runs"]
        for r in runs:
            def make(trace, case=case):
                shutil.copytree(os.path.dirname(case) + "/trace", trace)
            name = " ".join([os.path.basename(os.path.dirname(case)), *r["options"]])
            yield name, make, r["options"], ["-l", *r["options"]]


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--uscope", required=True)
    ap.add_argument("--golden", action="store_true")
    ap.add_argument("--random", action="store_true")
    ap.add_argument("--conformance")
    ap.add_argument("--seed", type=int, default=random.randrange(10**9))
    ap.add_argument("--count", type=int, default=10**6)
    ap.add_argument("--time", type=float, default=15)
    ap.add_argument("--states", type=int, default=2)
    ap.add_argument("--each", type=int, default=1)
    ap.add_argument("--keep")
    ap.add_argument("-v", action="store_true")
    a = ap.parse_args()
    memory.use()
    if "TIMELINE_SECONDS" in os.environ:
        a.time, a.states = float(os.environ["TIMELINE_SECONDS"]), 50
    if a.conformance and not os.path.isdir(a.conformance):
        print(f"skipped: there is no {a.conformance}")
        return 77
    share = int(os.environ.get("TEST_SHARE", "1"))
    a.time /= share
    each = a.each * (2 * share if share > 1 else 1)
    tools = tlkit.Tools(a.emu, a.uscope)
    test = Test(tools, a.states, a.seed)
    print(f"seed {a.seed}")
    cases = []
    cases += [golden_cases(a), odd_cases(), many_rows()] if a.golden else []
    cases += [conformance_cases(a)] if a.conformance else []
    cases += [random_cases(a, tools)] if a.random else []
    failed, end = 0, time.monotonic() + a.time
    for group in cases:
        for i, (name, make, _, args) in enumerate(group):
            # those that are there are all tried, or a share of them; random ones as time allows
            if group.__name__ in ("golden_cases", "conformance_cases") and (i + a.seed) % each:
                continue
            if (group.__name__ == "random_cases" and time.monotonic() > end) or failed >= 10:
                break
            tmp = tempfile.mkdtemp(prefix="timeline-", dir=a.keep)
            make(f"{tmp}/trace")
            found = []
            for view in ("default", "compat"):
                words = [w.replace("{trace}", f"{tmp}/trace") for w in args] + (["--compat"] if view == "compat" else [])
                found += [f"{view}: {x}" for x in test.run(f"{tmp}/trace", f"{tmp}/{view}", words)]
            found += test.at_once(f"{tmp}/trace", tmp, [w.replace("{trace}", f"{tmp}/trace") for w in args])
            if name == "odd labels":
                found += when_labelled(tools, f"{tmp}/default/ovni.uscp")
            if name == "few labels":
                found = [x for x in found if ".pcf:" not in x and ".cfg:" not in x]
            if name == "many rows":
                found = [x for x in found if "another order" not in x]
            if found:
                failed += 1
                print(f"FAIL {name}, left in {tmp}")
                for x in found[:10 if a.v else 2]:
                    print(f"     {x}")
            else:
                shutil.rmtree(tmp)
    print(f"{test.files} files compared, {test.inexact} PCF with labels in another order; {test.times} states; "
          f"{tools.profiles} profiles are counted; {failed} traces failed")
    return 1 if failed or not test.files or not tools.profiles else 0


if __name__ == "__main__":
    sys.exit(main())
