#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the command line tests need to make and damage traces.

usage: tools.py big DIR EVENTS [THREADS]   a long valid trace: a mark every 10 ns
       tools.py many DIR STREAMS           many threads of few events
       tools.py zst|lz4|gz FILE            FILE.zst (or .lz4, .gz) in its place
       tools.py cut FILE N                 without its last N bytes
       tools.py poke FILE OFFSET HEX       bytes in the middle
       tools.py append FILE HEX
       tools.py json FILE KEY JSON|-       sets a dotted key, '-' removes it
"""
import ctypes
import ctypes.util
import gzip
import json
import os
import struct
import sys


def write(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def metadata(tid, ncpus):
    ovni = {"lib": {"version": "1.14.0", "commit": "test"}, "part": "thread", "tid": tid, "pid": 100,
            "loom": "node.0", "app_id": 1, "require": {"ovni": "1.1.0"}, "finished": 1}
    if ncpus:
        ovni["loom_cpus"] = [{"index": i, "phyid": i} for i in range(ncpus)]
        ovni["mark"] = {"0": {"title": "Step", "chan_type": "single"}}
    return json.dumps({"version": 3, "ovni": ovni}).encode()


def stream(cpu, first, step, nevents):
    """A thread that sets a mark nevents times."""
    head = b"ovni\1\0\0\0" + b"\x0fOHx" + struct.pack("<QiiQ", first, cpu, -1, 0)
    one = struct.Struct("<4sQqi")
    body = b"".join([one.pack(b"\x0bOM=", first + step * (i + 1), i % 9 + 1, 0) for i in range(nevents)])
    return head + body + b"\x00OHe" + struct.pack("<Q", first + step * (nevents + 1))


def big(top, nevents, nthreads=1):
    for i in range(nthreads):
        where = f"{top}/loom.node.0/proc.100/thread.{101 + i}"
        write(f"{where}/stream.json", metadata(101 + i, nthreads if i == 0 else 0))
        write(f"{where}/stream.obs", stream(i, 1000 + i, 10 * nthreads, nevents // nthreads))


def library(name, soname):
    return ctypes.CDLL(ctypes.util.find_library(name) or soname)


def compress(kind, data):
    """One frame, by the library that the emulator uses too."""
    if kind == "gz":
        return gzip.compress(data, mtime=0)
    cap = len(data) * 2 + 65536
    out = ctypes.create_string_buffer(cap)
    if kind == "zst":
        f = library("zstd", "libzstd.so.1").ZSTD_compress
        args = (out, ctypes.c_size_t(cap), data, ctypes.c_size_t(len(data)), 3)
    else:
        f = library("lz4", "liblz4.so.1").LZ4F_compressFrame
        args = (out, ctypes.c_size_t(cap), data, ctypes.c_size_t(len(data)), None)
    f.restype = ctypes.c_size_t
    n = f(*args)
    if n > cap:
        raise SystemExit(f"tools.py: {kind} fails")
    return out.raw[:n]


def pack(kind, path):
    data = read(path)
    # two frames when there is enough: all formats allow to append
    half = len(data) // 2
    write(f"{path}.{kind}", compress(kind, data[:half]) + compress(kind, data[half:]))
    os.unlink(path)


def edit(path, key, value):
    root = json.loads(read(path))
    *way, last = key.split(".")
    node = root
    for name in way:
        node = node.setdefault(name, {})
    if value == "-":
        del node[last]
    else:
        node[last] = json.loads(value)
    write(path, json.dumps(root, indent=4).encode())


def main(argv):
    verb, path, args = argv[1], argv[2], argv[3:]
    if verb == "big":
        big(path, *map(int, args))
    elif verb == "many":
        big(path, 3 * int(args[0]), int(args[0]))
    elif verb in ("zst", "lz4", "gz"):
        pack(verb, path)
    elif verb == "cut":
        write(path, read(path)[:-int(args[0])])
    elif verb == "poke":
        data = bytearray(read(path))
        new = bytes.fromhex(args[1])
        data[int(args[0], 0):int(args[0], 0) + len(new)] = new
        write(path, data)
    elif verb == "append":
        write(path, read(path) + bytes.fromhex(args[0]))
    elif verb == "json":
        edit(path, *args)
    else:
        raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
