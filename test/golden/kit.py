# SPDX-License-Identifier: MIT
"""What the table-driven golden tests share: small traces, exact lines."""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gen"))
import asm  # noqa: E402
import memory  # noqa: E402


class Run:
    """One run of the emulator: status, stderr, and the PRV lines of each file."""

    def __init__(self, emu, text, view, args=()):
        with tempfile.TemporaryDirectory() as tmp:
            asm.assemble(text, f"{tmp}/trace")
            os.mkdir(f"{tmp}/out")
            command = [emu, *args, *(["--compat"] if view == "compat" else []), "-o", f"{tmp}/out", f"{tmp}/trace"]
            p = subprocess.run(command, capture_output=True, timeout=60, check=False)
            self.status, self.stderr = p.returncode, p.stderr.decode(errors="replace")
            self.lines = {name: self.read(f"{tmp}/out/{name}.prv") for name in ("thread", "cpu")}

    @staticmethod
    def read(path):
        try:
            with open(path, encoding="ascii") as f:
                return f.read().splitlines()
        except OSError:
            return None

    def duration(self, name):
        return int(self.lines[name][0].split("):")[1].split("_ns")[0])

    def at(self, name, time):
        """'row:type=value ...' of one instant, in file order"""
        out = []
        for line in self.lines[name][1:]:
            p = line.split(":")
            if int(p[5]) == time:
                out += [f"{p[4]}:{t}={v}" for t, v in zip(p[6::2], p[7::2])]
        return " ".join(out)

    def records(self, name, time):
        """How many records one instant has."""
        return sum(int(line.split(":")[5]) == time for line in self.lines[name][1:])


def expect(found, what, want, got):
    if want != got:
        found.append(f"{what}: expected {want!r}, got {got!r}")


def main(doc, cases):
    """cases(): yields (name, function(emu) -> texts that tell what is wrong)"""
    ap = argparse.ArgumentParser(usage=doc)
    ap.add_argument("--emu", required=True)
    ap.add_argument("--only", default="")
    ap.add_argument("-v", action="store_true")
    a = ap.parse_args()
    memory.use()
    emu = os.path.abspath(a.emu)
    passed = failed = 0

    def attempt(test):
        try:
            return test(emu)
        except (subprocess.TimeoutExpired, asm.AsmError, TypeError, ValueError, IndexError) as e:
            return [f"{type(e).__name__}: {e}"]

    wanted = [(name, test) for name, test in cases() if a.only in name]
    # Each case waits for processes: threads do.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(attempt, [test for _, test in wanted]))
    for (name, _), found in zip(wanted, results):
        passed, failed = passed + (not found), failed + bool(found)
        if found or a.v:
            print("FAIL" if found else "ok  ", name)
        for text in found:
            print(f"     {text}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
