#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pages with a µScope file in them, of `uscope view -o` and of `ovniemu -f html`.

usage: view.py USCOPE MAKETRACES OVNIEMU ASM

Their bytes are those of the file, names and labels are data and no HTML, the pyramid says what the operations of the
file do, and what cannot be read or written is told. See also test/cli/writing/html.sh.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "cli")]
import page  # noqa: E402
import uscope_tool  # noqa: E402

STATES = ("ENUM", "STRING_REF", "BOOL")
EVIL = ["</script><script>alert(1)</script>", "<!-- <script>", "]]>&lt;\"'`${x}", "\u202eabc\u00e9", "x" * 5000]


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(w) for w in what))


# ---- The pyramid against the operations.

def is_state(storage, field, ours):
    """Whether a field is of the pyramid; marks are, if they have labels: may be."""
    if ours:
        return "rows" != storage["name"] and field["type"] != "BOOL"
    return not storage["sparse"] and field["type"] in STATES


def changes(run, file):
    """By (storage, slot, field): [(time, value)] of what may be a state, as stored."""
    info = json.loads(run.out(f"info --json {file}"))
    schema = info["schema"]
    paths = [name["name"] for name in schema["scopes"]]
    for i, scope in enumerate(schema["scopes"]):
        if i:
            paths[i] = paths[scope["parent"]].rstrip("/") + "/" + scope["name"]
    storages = {}
    for i, s in enumerate(schema["storages"]):
        storages.setdefault((paths[s["scope"]], s["name"]), i)
    shown = {}
    for line in run.lines(f"dump --raw --json {file}"):
        if line["kind"] not in ("set", "add"):
            continue
        storage = storages[line["scope"], line["storage"]]
        fields = schema["storages"][storage]["fields"]
        field = [f["name"] for f in fields].index(line["field"])
        key = storage, line["slot"], field
        values = shown.setdefault(key, [])
        value = int(line["value"])
        if line["kind"] == "add":
            value += values[-1][1] if values else 0
        values.append((line["time_ps"], value % (1 << 64)))
    return info, shown


def time_of(values, value, begin, end):
    """How long it was there in [begin, end)."""
    total, now, since = 0, 0, 0
    for time, then in [*values, (end, None)]:
        if now == value:
            total += max(0, min(time, end) - max(since, begin))
        now, since = then, time
    return total


def check_pyramid(run, found, file, buckets=60):
    """Some buckets of each track. Returns how many had one value alone."""
    info, shown = changes(run, file)
    ours = any(key == "ovni.protocol_version" for key, _ in properties(info))
    pyramid = page.Pyramid(found.pyramid)
    expect(pyramid.begin == info["time_start_ps"], pyramid.begin, info["time_start_ps"])
    end = info["total_time_ps"]
    expect(pyramid.begin + pyramid.bucket * pyramid.buckets >= end, "it ends too early")
    alone = 0
    for (storage, slot, field), track in pyramid.tracks.items():
        s = info["schema"]["storages"][storage]
        expect(is_state(s, s["fields"][field], ours), s, field, "is no state")
        values = shown.get((storage, slot, field), [])
        step = max(1, pyramid.buckets // buckets)
        for i in range(0, pyramid.buckets, step):
            value, share = track[i]
            begin = pyramid.begin + i * pyramid.bucket
            stop = min(begin + pyramid.bucket, end)
            if stop <= begin:
                continue
            time = time_of(values, value, begin, stop)
            expect(share * (stop - begin) <= 255 * time, storage, slot, field, i, value, share, time)
            if time == stop - begin:
                expect(share == 255, storage, slot, field, i, value, share)
                alone += 1
    # one that is left out shows nothing
    for key, values in shown.items():
        s = info["schema"]["storages"][key[0]]
        f = s["fields"][key[2]]
        if f["type"] in ("ENUM", "STRING_REF") and is_state(s, f, ours) and not s["sparse"] and s["name"] not in ("channels", "titles"):
            zero = time_of(values, 0, pyramid.begin, end)
            expect(key in pyramid.tracks or zero == end - pyramid.begin, key, "is missing")
    return alone


def properties(info):
    p = info["properties"]
    return p.items() if isinstance(p, dict) else [tuple(x.values()) if isinstance(x, dict) else tuple(x) for x in p]


# ---- Traces.

def trace(asm, where, name, labels, n=300):
    """Two threads with a mark type of these labels, and states."""
    lines = ["loom node.0 cpus 0:0 1:1", "proc 100 app 1", "thread 101",
             "mark 1 single \"Phase\" " + " ".join(f'{i + 1}="L{i + 1}"' for i in range(len(labels))), "thread 102", "",
             "101 1000 OHx 0 -1 0", "102 1001 OHx 1 -1 0"]
    for i in range(n):
        lines.append(f"{101 + i % 2} {2000 + i * 977} OM= {i % len(labels) + 1} 1")
        if i % 10 == 4:
            lines += [f"101 {2010 + i * 977} OHp", f"101 {2700 + i * 977} OHr"]
    lines += [f"101 {3000 + n * 977} OHe", f"102 {3000 + n * 977} OHe"]
    path = os.path.join(where, name + ".txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    subprocess.run([sys.executable, asm, path, os.path.join(where, name)], check=True)
    stream = os.path.join(where, name, "loom.node.0/proc.100/thread.101/stream.json")
    with open(stream, encoding="utf-8") as f:
        meta = json.load(f)
    meta["ovni"]["mark"]["1"]["labels"] = {str(i + 1): text for i, text in enumerate(labels)}
    with open(stream, "w", encoding="utf-8") as f:
        json.dump(meta, f)


def check_timelines(run, emu, asm):
    where = run.where
    trace(asm, where, "trace", ["Init", "Solve", "Wait"])
    subprocess.run([emu, "-q", "-f", "html,uscope", "-o", "out", "trace"], cwd=where, check=True)
    found = page.check(f"{where}/out/ovni.html", f"{where}/out/ovni.uscp")
    expect(found.data["name"] == "ovni.uscp", found.data)
    expect(check_pyramid(run, found, "out/ovni.uscp") > 20, "few buckets with one value")
    expect(run("view out/ovni.uscp -o view.html") == (0, b"", ""), run("view out/ovni.uscp -o view.html"))
    viewed = page.check(f"{where}/view.html", f"{where}/out/ovni.uscp")
    expect(check_pyramid(run, viewed, "out/ovni.uscp") > 100, "few buckets with one value")
    expect(set(page.Pyramid(viewed.pyramid).tracks) == set(page.Pyramid(found.pyramid).tracks), "other tracks")
    # labels stay in the file: the page has the elements that it has without them
    trace(asm, where, "evil", EVIL)
    subprocess.run([emu, "-q", "-f", "html", "-o", "evil-out", "evil"], cwd=where, check=True)
    evil = page.check(f"{where}/evil-out/ovni.html")
    expect(sorted(evil.tags) == sorted(found.tags), "other elements")
    # and so do names of files
    for name in ("<script>alert(1)<.uscp", "a<!--b.uscp", "\"'&\\.uscp", "\u00e9\udcff.uscp"):
        os.link(f"{where}/out/ovni.uscp", f"{where}/{name}")
        rc, _, err = run(["view", name, "-o", "name.html"])
        expect(rc == 0, rc, err)
        named = page.check(f"{where}/name.html", f"{where}/{name}")
        expect(named.data["name"] == name.replace("\udcff", "\ufffd"), named.data, name)
        expect(sorted(named.tags) == sorted(found.tags), "other elements", name)


def check_models(run, emu, asm, golden):
    """Channels of all kinds: breakdowns, texts, error states, punctual ones."""
    for case in ("nanos6/punctual-breakdown", "openmp/breakdown", "nosv/punctual-breakdown", "ties/rows-of-one-instant", "tampi/states"):
        where = os.path.join(run.where, case.replace("/", "-"))
        path = os.path.join(golden, case + ".case")
        subprocess.run([sys.executable, os.path.join(os.path.dirname(asm), "casefile.py"), path, "--unpack", where], check=True)
        subprocess.run([sys.executable, asm, f"{where}/in.txt", f"{where}/trace"], check=True)
        subprocess.run([emu, "-q", "-b", "-f", "html,uscope", "-o", f"{where}/out", f"{where}/trace"], check=True)
        file = f"{where}/out/ovni.uscp"
        expect(run(["view", file, "-o", f"{where}/view.html"])[0] == 0, case)
        tracks = []
        for name in ("out/ovni.html", "view.html"):
            found = page.check(f"{where}/{name}", file)
            check_pyramid(run, found, file, 1000)
            tracks.append(set(page.Pyramid(found.pyramid).tracks))
        expect(tracks[0] == tracks[1] and tracks[0], case, tracks)


# ---- Other files, and errors.

def check_files(run):
    where = run.where
    for name in ("cpu", "names", "one", "empty", "stopped", "count", "prefix", "wide"):
        rc, out, err = run(f"view {name}.uscp -o page.html")
        expect(rc == 0 and not out and "error" not in err, name, rc, err)
        found = page.check(f"{where}/page.html", f"{where}/{name}.uscp")
        if found.pyramid and name != "names":
            check_pyramid(run, found, f"{name}.uscp")
    # damage: it is told, and the page shows what is whole
    rc, _, err = run("view damaged.uscp -o page.html")
    expect(rc == 1 and "error[E_" in err, rc, err)
    expect(page.check(f"{where}/page.html", f"{where}/damaged.uscp").pyramid is None, "a pyramid of a damaged file")
    # several pieces, of a file that is more than one
    with open(f"{where}/large.uscp", "wb") as to, open(f"{where}/cpu.uscp", "rb") as f:
        to.write(f.read())
        to.truncate(30 << 20)
    expect(run("view -q large.uscp -o page.html")[0] == 0)
    found = page.check(f"{where}/page.html", f"{where}/large.uscp")
    expect([at for at, _ in found.pieces] == [0, 12 << 20, 24 << 20], [at for at, _ in found.pieces])
    rc, out, err = run("view cpu.uscp -o -")
    with open(f"{where}/stdout.html", "wb") as f:
        f.write(out)
    expect(rc == 0 and page.check(f"{where}/stdout.html", f"{where}/cpu.uscp"), rc, err)


def check_limit(run):
    where = run.where
    size = os.path.getsize(f"{where}/cpu.uscp")
    for limit, whole in ((size, True), (size - 1, False), (0, False), ("1M", True), ("1k", size <= 1024)):
        rc, _, err = run(f"view cpu.uscp -o page.html --html-limit={limit}")
        expect(rc == 0 and ("holds an overview only" in err) != whole, limit, rc, err)
        found = page.check(f"{where}/page.html", f"{where}/cpu.uscp")
        expect(found.data["whole"] == whole, limit, found.data)
        expect(not run(f"view -q cpu.uscp -o page.html --html-limit={limit}")[2], "-q")
    for bad in ("", "x", "-1", "1.5M", "64MB", "99999999999999999999"):
        rc, _, err = run(["view", "cpu.uscp", "-o", "page.html", "--html-limit", bad])
        expect(rc == 2 and f"not '{bad}'" in err, bad, rc, err)


def check_errors(run):
    where = run.where
    for words, status, text in (
            ("view none.uscp -o page.html", 1, "none.uscp"),
            ("view text.txt -o new.html", 1, "error[E_MAGIC]"),
            ("view . -o new.html", 1, "error["),
            ("view cpu.uscp -o none/page.html", 1, "cannot open none/page.html"),
            ("view cpu.uscp -o cpu.uscp", 2, "is an input, and would be replaced"),
            ("view cpu.uscp -o /dev/full", 1, "cannot write /dev/full: No space left on device"),
            ("view cpu.uscp names.uscp -o new.html", 2, "one argument too many")):
        rc, _, err = run(words)
        expect(rc == status and text in err, words, rc, err)
    expect(not os.path.exists(f"{where}/new.html"), "a page of what is none")
    # a page that cannot be written leaves the one that was there
    with open(f"{where}/page.html", "w", encoding="ascii") as f:
        f.write("before")
    rc, _, err = run("view cpu.uscp -o page.html", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    expect(rc == 1 and "cannot write page.html: File too large" in err, rc, err)
    with open(f"{where}/page.html", encoding="ascii") as f:
        expect(f.read() == "before", "it was replaced")
    expect(not [name for name in os.listdir(where) if name.endswith(".part")], "leftovers")


def main():
    uscope, make, emu, asm = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="view-") as where:
        run = uscope_tool.Run(uscope, where)
        uscope_tool.make_files(run, make)
        check_files(run)
        check_limit(run)
        check_errors(run)
        check_timelines(run, emu, asm)
        check_models(run, emu, asm, os.path.join(os.path.dirname(asm), "..", "golden"))


main()
