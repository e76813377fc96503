#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/bench with small traces: its tables are whole, it leaves nothing behind, and says what fails.

usage: script.py SRC BUILD OVNIEMU
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gen")]
import memory  # noqa: E402

SRC, BUILD, EMU = sys.argv[1:4]


def bench(tmp, *words, status=0, stop=False):
    """Its output, and its messages; stopped when it has begun."""
    with subprocess.Popen([f"{SRC}/scripts/bench", "--quick", "--repeat", "1", "--events", "3000", "--build", BUILD, "--memory", tmp, *words],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
        if stop:
            while not os.listdir(tmp) and p.poll() is None:
                time.sleep(0.1)
            time.sleep(0.5)
            p.terminate()
        out, told = p.communicate(timeout=100)
    assert p.returncode == status, f"{words}: status {p.returncode}\n{out}{told}"
    assert not os.listdir(tmp), os.listdir(tmp)
    return out, told


def rows(text):
    """Of all tables, by part: lists of cells."""
    parts = {}
    for title, part in re.findall(r"^## ([^\n]*)\n\n(.*?)\n\n", text, re.S | re.M):
        table = [[x.strip() for x in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")]
        assert all(len(row) == len(table[0]) for row in table), table
        parts[title] = table[2:]
    return parts


def main():
    memory.use()
    with tempfile.TemporaryDirectory() as tmp, tempfile.TemporaryDirectory() as other:
        bench(tmp, "--disk", other, "-o", f"{other}/table.md")
        with open(f"{other}/table.md", encoding="utf-8") as f:
            text = f.read()
        assert os.listdir(other) == ["table.md"], os.listdir(other)
        parts = rows(text)
        assert list(parts) == ["Threads of the emulator (`-j`)", "Looms", "Threads in the trace", "Ranks", "Memory and disk"], text
        assert all(len(table) >= 2 for title, table in parts.items() if title != "Ranks"), text
        for table in parts.values():
            for row in table:
                assert all(float(x) > 0 for x in row[-3:]), row

        # An emulator is not faster than itself.
        out, _ = bench(tmp, "--before", EMU, "limits", status=1)
        held = [row[-1] for row in rows(out)["Against another build"]]
        assert len(held) == 11 and "**no**" in held, out

        out, told = bench(tmp, "--before", "/bin/false", "limits", status=1)
        assert not out and "/bin/false" in told, out + told
        out, told = bench(tmp, "--events", "1000000000000", "looms", status=1)
        assert not out and "no room" in told, out + told
        bench(tmp, "nonsense", status=2)
        bench(tmp, "--events", "300000", "--repeat", "1000", "looms", status=128 + signal.SIGTERM, stop=True)


main()
