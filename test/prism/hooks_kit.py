# SPDX-License-Identifier: MIT
"""What the tests of Prism share: what they have found, their folders, bytes of events, and runs of ovniemu."""
import os
import subprocess
import tempfile

CREATE, JOIN, BARRIER, SWAP, LOCK, UNLOCK, COND_WAIT, SPIN_LOCK, SPIN_UNLOCK = 1, 2, 3, 5, 6, 7, 8, 11, 12
INSN, BB, ENTER, EXIT, THREAD, NET_ENTER, NET_EXIT, OP_ENTER, OP_EXIT = range(1, 10)
END = b"\xc0"

found = []
TMP = tempfile.TemporaryDirectory()
made = 0


def check(what, good, detail=""):
    if not good:
        found.append(f"{what}: {detail}")


def fresh():
    """A path where nothing is."""
    global made
    made += 1
    return f"{TMP.name}/{made}"


def finish():
    print("\n".join(str(line)[:2000] for line in found[:40]) or "all as expected")
    return 1 if found else 0


def cfg(kind, bits):
    return bytes([0xa0 | ["mem", "comp", "sync", "cxt", "cf"].index(kind) << 2, bits])


def mem(kind="undefined", size=0, addr=None, ident=None):
    """size is the exponent; addr and ident as the level of detail in force wants them."""
    out = bytes([{"undefined": 0, "load": 1, "store": 2, "invalid": 3}[kind] << 3 | size])
    out += b"" if addr is None else (addr & (1 << 56) - 1).to_bytes(7, "little")
    return out + (b"" if ident is None else bytes([ident]))


def comp(form=0, size=0, rest=b""):
    return bytes([0x20 | form << 3 | size]) + rest


def sync(kind, *words):
    return bytes([0x40 | kind]) + b"".join(w.to_bytes(8, "little") for w in words)


def swap(thread):
    return sync(SWAP, thread)


def cxt(kind, what):
    if isinstance(what, int):
        return bytes([0x60 | kind]) + what.to_bytes(7, "little")
    name = what if isinstance(what, bytes) else what.encode()
    return bytes([0x60 | kind, len(name) - 1]) + name


def enter(name):
    return cxt(ENTER, name)


def leave(name):
    return cxt(EXIT, name)


FULL = cfg("mem", 0xf0) + cfg("comp", 0xf8)

# Of the format's worked example: 126 bytes, the events from 0 to 15 ns.
WORKED = (FULL + swap(1) + enter("main") + cxt(INSN, 0x400526) + bytes.fromhex("2a01400102") + mem("load", 2, 0x7ffd12345678, 3) +
          cfg("mem", 0xc0) + mem("store", 3) + sync(CREATE, 0x7f00aa001700) + swap(2) + enter("worker") + sync(LOCK, 0x6010a0) +
          bytes.fromhex("3303400405") + sync(UNLOCK, 0x6010a0) + leave("worker") + swap(1) + sync(JOIN, 0x7f00aa001700) +
          leave("main") + END)


class Run:
    """What came of a run: status, out, err, and the folder of the output."""

    def __init__(self, emu, where, streams, *options, env=None, stdout=None):
        os.makedirs(where)
        for i, data in enumerate(streams):
            with open(f"{where}/{i}.prism", "wb") as f:
                f.write(data)
        self.dir = f"{where}/out"
        words = [emu, "-q", "-o", self.dir, *[w for i in range(len(streams)) for w in ("--prism", f"{where}/{i}.prism")], *options]
        with open(stdout or os.devnull, "wb") as to:
            p = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=to if stdout else subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                               timeout=120, env={**os.environ, **(env or {})})
        self.status = p.returncode
        self.out = (p.stdout or b"").decode(errors="backslashreplace")
        self.err = p.stderr.decode(errors="backslashreplace")

    def lines(self, rows, kind):
        """row -> "time:value ..." of a type, without the lines of time 0 that come first"""
        out = {}
        first = set()
        with open(f"{self.dir}/{rows}.prv", encoding="utf-8") as f:
            for line in f.readlines()[1:]:
                words = line.strip().split(":")
                row, time = int(words[4]), int(words[5])
                for t, v in zip(words[6::2], words[7::2]):
                    if int(t) != kind:
                        continue
                    if row not in first:
                        first.add(row)
                        out[row] = []
                        if time == 0 and v == "0":
                            continue
                    out[row].append(f"{time}:{v}")
        return {row: " ".join(values) for row, values in out.items()}

    def read(self, name):
        with open(f"{self.dir}/{name}", encoding="utf-8") as f:
            return f.read()
