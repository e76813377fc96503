#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program of two threads as a Prism stream, in the text that ovniscope-prism encode reads.

usage: prism_program.py >program.txt

Two threads multiply the rows of a matrix with a vector, on one core that switches between
them. The first goes through its half of the matrix row by row, the second column by column, so
that it touches a new cache line with each element. Both add what they have to a sum behind a
mutex, and the first one holds that for long now and then.
"""
import sys

SIZE = 48  # rows and columns, of doubles
MATRIX, VECTOR, RESULT, SUM, MUTEX, BARRIER = 0x10000, 0x8000, 0x9000, 0x7000, 0x6010A0, 0x6010E0
HANDLE = 0x7F00AA001700
SLICE = 400  # events of a thread before the other has its turn


def load(address, size=8):
    return f"mem load size={size} addr={address:#x}"


def store(address, size=8):
    return f"mem store size={size} addr={address:#x}"


def op(what, kind="floating-point", size=8):
    return f"comp {kind} size={size} op={what}"


def call(name, body):
    """What a function does, between its enter and its exit."""
    yield f'cxt function-enter "{name}"'
    yield from body
    yield f'cxt function-exit "{name}"'


def instructions(address, lines):
    """Each event is an instruction of a loop."""
    for i, line in enumerate(lines):
        yield f"cxt instruction {address + 4 * (i % 8):#x}"
        yield line


def element(row, column):
    yield load(MATRIX + 8 * (row * SIZE + column))
    yield load(VECTOR + 8 * column)
    yield op("mult")
    yield op("add")


def add_to_sum(long):
    yield f"sync lock {MUTEX:#x}"
    yield load(SUM)
    yield from instructions(0x400700, [op("add")] * (300 if long else 2))
    yield store(SUM)
    yield f"sync unlock {MUTEX:#x}"


def rows():
    for row in range(SIZE // 2):
        for column in range(SIZE):
            yield from instructions(0x400500, element(row, column))
        yield store(RESULT + 8 * row)
        if row % 4 == 3:
            yield from call("add_to_sum", add_to_sum(row % 8 == 7))


def columns():
    for column in range(SIZE):
        for row in range(SIZE // 2, SIZE):
            yield from instructions(0x400600, element(row, column))
        if column % 4 == 3:
            yield from call("add_to_sum", add_to_sum(False))


def fill():
    for i in range(SIZE):
        yield op("add", "integer", 4)
        yield store(VECTOR + 8 * i)


def main_thread():
    yield from call("fill", instructions(0x400400, fill()))
    yield f"sync create {HANDLE:#x}"
    yield from call("multiply_rows", rows())
    yield f"sync barrier {BARRIER:#x}"
    yield f"sync join {HANDLE:#x}"
    yield from call("print_sum", [load(SUM), op("mov", "integer")])


def worker_thread():
    yield from call("multiply_columns", columns())
    yield f"sync barrier {BARRIER:#x}"


def words(line):
    return line.split()[:2]


def run(threads):
    """The threads in turn. One that finds the mutex taken, or waits for the other, gives way."""
    owner = None
    waiting = {}  # thread: the line that it stopped at
    live = {1}
    current = 1
    yield f"sync swap {current}"
    while live:
        for _ in range(SLICE):
            line = waiting.pop(current, None) or next(threads[current], None)
            if line is None:
                live.discard(current)
                break
            kind = words(line)
            if kind == ["sync", "lock"] and owner not in (None, current):
                waiting[current] = line
                break
            if kind == ["sync", "lock"]:
                owner = current
            elif kind == ["sync", "unlock"]:
                owner = None
            elif kind == ["sync", "create"]:
                live.add(2)
            yield line
            # These are written when the wait begins.
            if kind in (["sync", "join"], ["sync", "barrier"]):
                break
        other = 3 - current
        if other in live:
            current = other
            yield f"sync swap {current}"


def main():
    out = ["config mem 0xe0", "config comp 0xe0"]
    out += run({1: call("main", main_thread()), 2: call("worker", worker_thread())})
    out += ["end"]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
