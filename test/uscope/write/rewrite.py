#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the contents of the conformance vectors through the API and compares bytes.

usage: rewrite.py SCRIPT VECTORS

SCRIPT is the program of script.c. The calls follow from vectors.json, which tells the
schema, the frames and the options of each file. Exit status 77 (skipped) when the folder
VECTORS is not there: it is kept beside the project.
"""
import json
import os
import subprocess
import sys
import tempfile

# Files that no writer makes: unfinished, torn, or from other writers.
FOREIGN = {"v06-live.uscp", "v07-torn-tail.uscp", "v08-csum-unknown.uscp", "v09-other-writer.uscp",
           "v11-preamble-end-unset.uscp"}
TYPES = {"u8": (1, 1), "u16": (2, 2), "u32": (3, 4), "u64": (4, 8), "i8": (5, 1), "i16": (6, 2), "i32": (7, 4),
         "i64": (8, 8), "bool": (9, 1), "str": (10, 4), "string_ref": (10, 4), "enum": (11, 1)}
COMPRESSED, HAS_STRINGS, METHOD_ZSTD, COMPACT, INTERLEAVED = 2, 4, 8, 0x40, 0x80


def line(*fields):
    return "\t".join(str(f) for f in fields)


def text(s):
    return "-" if s is None else "=" + s.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def scope(s):
    return -1 if s is None else s


def field_args(f):
    return text(f["name"]), TYPES[f["type"]][0], f.get("enum", -1)


def schema_lines(schema):
    for c in schema["clocks"]:
        yield line("clock", text(c["name"]), c["period_ps"])
    for s in schema["scopes"]:
        clock = s["clock"]
        yield line("scope", text(s["name"]), scope(s["parent"]), text(s["protocol"]), -1 if clock is None else clock)
    for i, e in enumerate(schema["enums"]):
        yield line("enum", text(e["name"]))
        for value, name in e["values"]:
            yield line("value", i, value, text(name))
    for i, s in enumerate(schema["storages"]):
        yield line("storage", text(s["name"]), scope(s["scope"]), s["slots"], s["sparse"] | s["buffer"] << 1)
        for f in s["fields"]:
            yield line("field", i, *field_args(f))
        for f in s["properties"]:
            yield line("property", i, *field_args(f))
    for i, e in enumerate(schema["events"]):
        yield line("eventtype", text(e["name"]), scope(e["scope"]))
        for f in e["fields"]:
            yield line("eventfield", i, *field_args(f))
    for f in schema["summary_fields"]:
        yield line("sumfield", text(f["name"]), TYPES[f["type"]][0], scope(f.get("scope")))


def payload(fields, values):
    return b"".join((int(v) % (1 << 8 * TYPES[f["type"]][1])).to_bytes(TYPES[f["type"]][1], "little")
                    for f, v in zip(fields, values)).hex()


def frame_lines(schema, frame):
    yield line("begin", frame["time_ps"])
    for item in frame["items"]:
        if "event" in item:
            yield line("event", item["event"], payload(schema["events"][item["event"]]["fields"], item["fields"]))
        elif item["op"] == "clear":
            yield line("clear", item["storage"], item["slot"])
        elif item["op"] == "prop":
            yield line("prop", item["storage"], item["field"], item["value"])
        else:
            yield line(item["op"], item["storage"], item["slot"], item["field"], item["value"])
    yield line("end")


def first_checkpoint(data, vector):
    """What a callback has to say so that the first segment has this checkpoint."""
    schema = vector["schema"]
    if not vector["segments"]:
        return
    segment = vector["segments"][0]
    at = segment["offset"] + 56
    end = at + segment["checkpoint_size"]
    while at < end:
        storage, size = int.from_bytes(data[at:at + 2], "little"), int.from_bytes(data[at + 4:at + 8], "little")
        block = data[at + 8:at + 8 + size]
        at += 8 + size
        s = schema["storages"][storage]
        props = sum(TYPES[f["type"]][1] for f in s["properties"])
        mask = block[:(s["slots"] + 7) // 8] if s["sparse"] else b""
        n = sum(bin(b).count("1") for b in mask) if s["sparse"] else s["slots"]
        values = block[len(mask):len(block) - props]
        if any(block):
            yield line("ckpt", 0, storage, mask.hex(), values.hex(), n, block[len(block) - props:].hex())


def script_of(data, vector):
    flags = vector["header"]["flags"]
    schema = vector["schema"]
    yield from schema_lines(schema)
    for key, value in vector["dut"]:
        yield line("dut", text(key), text(value))
    yield line("option", "interval_ps", vector["config"]["checkpoint_interval_ps"])
    yield line("option", "frames", 0 if flags & INTERLEAVED else (2 if flags & COMPACT else 1))
    zstd = flags & METHOD_ZSTD
    yield line("option", "compression", (1 if zstd else 0) if flags & COMPRESSED else 2)
    yield line("option", "level", 0 if zstd else 1)  # LZ4 as liblz4 does it
    yield line("option", "no_checksums", 1)
    summary = vector["summary"]
    if summary:
        yield line("option", "summary_base", summary["base_interval_cycles"])
        yield line("option", "summary_fan_out", summary["fan_out"])
    else:
        yield line("option", "no_summary", 1)
    yield line("open")
    yield from first_checkpoint(data, vector)
    for s in vector["strings"] or []:
        yield line("string", text(s))
    for segment in vector["segments"]:
        for frame in segment["frames"]:
            yield from frame_lines(schema, frame)
    yield line("setend", vector["header"]["total_time_ps"])
    yield line("finish")


def difference(have, want):
    at = next((i for i, (a, b) in enumerate(zip(have, want)) if a != b), min(len(have), len(want)))
    return f"{len(have)} bytes, wanted {len(want)}; the first difference is at {at:#x}: " \
           f"{have[at:at + 16].hex()} wanted {want[at:at + 16].hex()}"


def main():
    script, folder = sys.argv[1:3]
    if not os.path.isfile(os.path.join(folder, "vectors.json")):
        print("skipped: there are no vectors at", folder)
        return 77
    with open(os.path.join(folder, "vectors.json"), encoding="utf-8") as f:
        vectors = json.load(f)["vectors"]
    failed = passed = 0
    with tempfile.TemporaryDirectory() as tmp:
        for vector in vectors:
            name = vector["file"]
            if not name.startswith("v") or name in FOREIGN:
                continue
            with open(os.path.join(folder, name), "rb") as f:
                want = f.read()
            out = os.path.join(tmp, name)
            for background in (0, 1):
                lines = list(script_of(want, vector))
                lines.insert(lines.index("open"), line("option", "background", background))
                run = subprocess.run([script, out], input="\n".join(lines) + "\n", text=True, capture_output=True)
                if run.returncode != 0 or "finish OK" not in run.stdout:
                    print(f"{name}: {run.stdout}{run.stderr}")
                    failed += 1
                    continue
                with open(out, "rb") as f:
                    have = f.read()
                if have != want:
                    print(f"{name}: {difference(have, want)}")
                    failed += 1
                else:
                    passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
