#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libovniscope-prism-trace: functions, threads and synchronization of programs that know nothing of it.

usage: tracer.py LIBRARY TRACED TRACED_LINKED OVNISCOPE_PRISM OVNIEMU

TRACED (traced.c) does what legal programs do; TRACED_LINKED is the same, linked with the library.
"""
import collections
import glob
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

LIBRARY, TRACED, LINKED, TOOL, OVNIEMU = (os.path.abspath(a) for a in sys.argv[1:6])
BASE = ["deep", "run"]
CXX = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++") or shutil.which("clang++")
WITHIN = 0.01  # of what the program measures itself
found = []

THROWING = """
#include <stdexcept>
#include <thread>
namespace space {
template <class T> struct Box {
	static int inner(T n) { if (n == 0) throw std::runtime_error("x"); return inner(n - 1) + 1; }
	int outer(T n) { try { return inner(n); } catch (const std::exception &) { return -1; } }
};
}
__attribute__((noinline)) static int work(int n) { return space::Box<int>().outer(n); }
int main() { std::thread t(work, 3); t.join(); return work(5) + 1; }
"""
OBJECT = "static void NAME(void) { __asm__ volatile(\"\"); } void call(void); void call(void) { NAME(); }\n" \
    "__attribute__((destructor)) static void late(void) { NAME(); }\n"


FILTERED = """
#include <pthread.h>
#include <time.h>
#define PLAIN __attribute__((no_instrument_function))
PLAIN static void rest(long ms) { struct timespec t = { 0, ms * 1000000 }; nanosleep(&t, 0); }
void leaf(void) { __asm__ volatile(""); }
void slow(void) { leaf(); rest(30); leaf(); }
void nest(int n) { if (n) nest(n - 1); else leaf(); __asm__ volatile(""); }
int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	for (int i = 0; i < 3; i++) {
		leaf();
		slow();
		nest(5);
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	return 0;
}
"""


SLOW = "#include <string.h>\n#include <sys/vfs.h>\n" \
    "int statfs64(const char *path, void *to) { (void)path; memset(to, 0, sizeof(struct statfs)); ((struct statfs *)to)->f_type = 0x6969; return 0; }\n" \
    "int statfs(const char *path, struct statfs *to) { return statfs64(path, to); }\n"


def check(what, good, detail=""):
    if not good:
        found.append(f"{what}: {detail}")


def trace(words, to, preload=True, status=0, limit=None, **env):
    """Runs a program with the tracer. Returns what it prints."""
    more = {"PRISM_TRACE_DIR": to, **({"LD_PRELOAD": LIBRARY} if preload else {}), **env}

    def set_limit():
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60,
                       env={**os.environ, **more}, preexec_fn=set_limit)
    check(f"{words} ends with {status}", p.returncode == status, f"{p.returncode} {p.stderr}")
    return p.stdout, p.stderr


def emulate(folder, status=0, mute=True):
    """Strictly. Returns rows of threads by their names: type -> [(time, value)], labels, and messages."""
    out = folder + ".out"
    p = subprocess.run([OVNIEMU, "-q", "-f", "prv", "-o", out, folder], capture_output=True, text=True, check=False, timeout=60)
    check(f"{folder} emulates", p.returncode == status and not (mute and p.stderr), f"{p.returncode} {p.stderr}")
    with open(out + "/thread.row", encoding="utf-8") as f:
        names = [line.strip() for line in f.read().split("LEVEL THREAD SIZE")[1].splitlines()[1:]]
    rows = {name: collections.defaultdict(list) for name in names}
    with open(out + "/thread.prv", encoding="utf-8") as f:
        for line in f.readlines()[1:]:
            words = line.strip().split(":")
            for kind, value in zip(words[6::2], words[7::2]):
                rows[names[int(words[4]) - 1]][int(kind)].append((int(words[5]), int(value)))
    with open(out + "/thread.pcf", encoding="utf-8") as f:
        part = re.search(r"^0 +400 +.*?(?=^EVENT_TYPE|\Z)", f.read(), re.M | re.S).group(0)
    labels = {text: int(n) for n, text in re.findall(r"^(\d+) +(.*)$", part, re.M)[1:]}
    return rows, labels, p.stderr


def lasted(states, value):
    return sum(after[0] - at for (at, v), after in zip(states, states[1:]) if v == value)


def dump(path):
    """The events of a stream, which nest."""
    p = subprocess.run([TOOL, "dump", path], capture_output=True, text=True, check=False, timeout=60)
    check(f"{path} is a stream", p.returncode == 0 and not p.stderr, p.stderr)
    events = [line for line in p.stdout.splitlines() if not line.startswith(("stream", "end"))]
    check(f"{path} begins with its detail", events[:2] == ["config mem 0x0", "config comp 0x0"], events[:2])
    stack = []
    for line in events[2:]:
        m = re.fullmatch(r'cxt function-(enter|exit) "(.*)"', line)
        if m and m.group(1) == "enter":
            stack.append(m.group(2))
        elif m:
            check(f"{path}: {line} leaves what is on top", stack and stack.pop() == m.group(2), stack[-3:])
        else:
            check(f"{path}: {line} is one of synchronization", line.startswith("sync "))
    return events[2:], stack


def dumps(folder):
    return [dump(path) for path in sorted(glob.glob(folder + "/*.json"))]


def calls(events):
    return collections.Counter(re.findall(r'function-enter "(.*?)"', "\n".join(events)))


def test_threads():
    """All threads run at once, as long as they say; who waits for whom."""
    for attempt in range(3):
        folder = f"threads{attempt}"
        out, _ = trace([LINKED, "threads"], folder, preload=False)
        rows, labels, _ = emulate(folder)
        walls = {f"thread {t}": int(ns) for t, ns in re.findall(r"wall (\d+) (\d+)", out)}
        check("a row for each thread", sorted(walls) == sorted(rows) and len(rows) == 3, f"{walls} {list(rows)}")
        bad = []
        for name, ns in walls.items():
            state, function = rows[name][4], rows[name][400]
            top = "work" if any(v == labels["work"] for _, v in function) else "run"
            shown = [(t, 1 if v else 0) for t, v in function]
            runs, inside = lasted(state, 1), lasted(shown + [(state[-1][0], 0)], 1)
            bad += [f"{name} {top}: {runs} {inside} {ns}"] if max(abs(runs - ns), abs(inside - ns)) > WITHIN * ns else []
        if not bad:
            break
    check("threads run as long as they measure", not bad, bad)
    streams = dumps(folder)
    main = [line for line in streams[0][0] if line.startswith("sync")]
    kinds = [line.split()[1] for line in main]
    check("main creates, wakes and joins", kinds == ["create"] * 2 + ["lock", "condition-broadcast", "unlock", "barrier", "sync"] +
          ["join", "sync"] * 2, kinds)
    check("those that it creates it joins", sorted(main[:2]) == sorted(x.replace("join", "create") for x in main[7::2]), main)
    for events, stack in streams[1:]:
        kinds = [line.split()[1] for line in events if line.startswith("sync")]
        check("a worker waits", kinds == ["lock", "unlock", "lock", "condition-wait", "unlock", "barrier", "sync"], kinds)
        check("and ends", not stack and calls(events) == {"work": 1}, events)
    for name, row in rows.items():
        waits = lasted(row[410], 2) + lasted(row[410], 3)
        check(f"{name} waits and stops waiting", row[410][-1][1] == 0 and waits > 1000, row[410])


def syncs(events):
    return [line.split()[1] for line in events if line.startswith("sync")]


def test_others():
    """Read-write locks are locks, semaphores are conditions, and <threads.h> is as POSIX."""
    trace([TRACED, "others"], "others")
    (main, _), (reader, _) = dumps("others")
    check("main takes what is free", syncs(main) == ["create", "condition-wait", "lock", "unlock", "condition-signal", "join", "sync", "lock", "unlock"], main)
    check("a reader", syncs(reader) == ["lock", "condition-signal", "condition-wait", "unlock"], reader)
    check("a semaphore has no mutex", any(re.fullmatch(r"sync condition-wait 0x[0-9a-f]+ 0x0", x) for x in main), main)
    emulate("others")
    trace([TRACED, "c11"], "c11")
    (main, _), (partner, stack) = dumps("c11")
    kinds = syncs(main)
    check("C11: main", kinds[:2] == ["lock", "create"] and kinds[-3:] == ["unlock", "join", "sync"], kinds)
    check("C11: main waits, or need not", kinds[2:-3] in (["unlock", "lock", "condition-wait"], []), kinds)
    check("C11: the partner", syncs(partner) == ["lock", "condition-signal", "unlock"] and not stack, partner)
    emulate("c11")


def test_many():
    trace([TRACED, "many"], "many")
    paths = sorted(glob.glob("many/*.json"))[1:]
    check("each of 1000 threads has its stream", len(paths) == 1000, len(paths))
    check("with its functions", all(calls(dump(path)[0]) == {"small": 1, "leaf": 1} for path in paths[::100]))
    rows, _, _ = emulate("many")
    check("and its row", len(rows) == 1001, len(rows))


def test_deep():
    trace([TRACED, "deep"], "deep")
    events, stack = dump(glob.glob("deep/*.json")[0])
    check("a recursion of 100,000", calls(events) == {"run": 1, "deep": 100001, "at_end": 1, "leaf": 1} and not stack, calls(events))
    rows, labels, err = emulate("deep", mute=False)
    (row,) = rows.values()
    check("is shown to where it is cut", [v for _, v in row[400]].count(labels["(deeper than 512)"]) == 1 and row[400][-1][1] == 0, row[400][-4:])
    check("and its depth", max(v for _, v in row[401]) == 100002 and "PM06: 99490 times: more than 512 nested contexts" in err, err[-300:])


def test_times():
    """Times are those of CLOCK_MONOTONIC, whichever way they are found."""
    for clock in ("", "monotonic"):
        folder = f"times{clock}"
        before = time.monotonic_ns()
        trace([TRACED, "deep"], folder, PRISM_TRACE_CLOCK=clock)
        trace([TRACED, "threads"], folder, PRISM_TRACE_CLOCK=clock)
        after = time.monotonic_ns()
        for path in glob.glob(folder + "/*.times"):
            with open(path, "rb") as f:
                data = f.read()
            stamps = [ns for ns, in struct.iter_unpack("<Q", data[:len(data) // 8 * 8]) if ns]
            check(f"{folder}: times of now", before - 20000 < stamps[0] and stamps[-1] < after + 20000, f"{before} {stamps[0]} {stamps[-1]} {after}")
            check(f"{folder}: times in order", all(a <= b for a, b in zip(stamps, stamps[1:])), path)


def test_table():
    """A name is written once for a process, whose children go on with the same table."""
    trace([TRACED, "children"], "table")
    tables = glob.glob("table/*.names")
    with open(tables[0], "rb") as f:
        data = f.read()
    names = []
    while data:
        names.append(data[1:data[0] + 2].decode())
        data = data[data[0] + 2:]
    check("one table", len(tables) == 1 and names.count("run") == names.count("children") == 1 and "leaf" in names, names)
    sizes = [sum(line.startswith("cxt") for line in events) for events, _ in dumps("table")]
    used = []
    for path in sorted(glob.glob("table/*.json")):
        p = subprocess.run([TOOL, "stat", "--json", path], capture_output=True, text=True, check=True)
        s = json.loads(p.stdout)
        used.append((s["bytes"] - s["end_of_buffer"] - 9 * s["sync"]["events"] - 4) / 5)
    check("an event has five bytes", used == sizes, f"{used} {sizes}")


def test_filters():
    """What is left out is not written, and all else nests as before."""
    with open("filtered.c", "w", encoding="utf-8") as f:
        f.write(FILTERED)
    subprocess.run([*os.environ.get("CC", "cc").split(), "-O1", "-finstrument-functions", "-o", "filtered.exe", "filtered.c", "-pthread"], check=True)
    everything = {"main": 1, "leaf": 12, "slow": 3, "nest": 18}
    for n, (env, want) in enumerate((
            ({}, everything),
            ({"DEPTH": "1"}, {"main": 1}),
            ({"DEPTH": "3"}, {"main": 1, "leaf": 9, "slow": 3, "nest": 6}),
            ({"DEPTH": "100"}, everything),
            ({"MIN_TIME": "20ms"}, {"main": 1, "slow": 3}),
            ({"MIN_TIME": "0.08s"}, {"main": 1}),
            ({"ONLY": "leaf"}, {"leaf": 12}),
            ({"ONLY": "ma*,s???"}, {"main": 1, "slow": 3}),
            ({"EXCEPT": "leaf,main"}, {"slow": 3, "nest": 18}),
            ({"ONLY": "[ls]*", "EXCEPT": "leaf"}, {"slow": 3}),
            ({"EXCEPT": "nest", "DEPTH": "2"}, {"main": 1, "leaf": 3, "slow": 3}),
            ({"FROM": "1min"}, None),
            ({"TO": "0"}, None))):
        folder = f"filtered{n}"
        trace(["./filtered.exe"], folder, **{"PRISM_TRACE_" + key: value for key, value in env.items()})
        streams = dumps(folder)
        check(f"{env}: there is a stream", len(streams) == (want is not None), streams)
        for events, stack in streams:
            check(f"{env}", calls(events) == want and not stack, calls(events))
            check(f"{env}: synchronization stays", sum(line.startswith("sync") for line in events) == 6, events)
        if want:
            emulate(folder)
    # A window of time: what is open when it begins is entered there, and left where it ends.
    trace(["./filtered.exe"], "window", PRISM_TRACE_FROM="20ms", PRISM_TRACE_TO="50ms")
    (events, stack), = dumps("window")
    got = calls(events)
    check("a window of time", not stack and got["main"] == 1 and 1 <= got["slow"] <= 2 and got["leaf"] < 9, got)
    with open(glob.glob("window/*.times")[0], "rb") as f:
        stamps = [ns for ns, in struct.iter_unpack("<Q", f.read()) if ns]
    check("is as long as it is said", 0 < stamps[-1] - stamps[0] <= 30e6, stamps[-1] - stamps[0])
    for name, value in (("DEPTH", "0"), ("DEPTH", "x"), ("MIN_TIME", "5 parsecs"), ("FROM", "ms"), ("TO", "9000000000min")):
        _, err = trace(["./filtered.exe"], f"wrong{name}{value[0]}", **{"PRISM_TRACE_" + name: value})
        check(f"{name}={value} is told", f"PRISM_TRACE_{name}={value} is ignored" in err and err.count("\n") == 1, err)


def test_jumps():
    trace([TRACED, "jumps"], "jumps")
    events, stack = dump(glob.glob("jumps/*.json")[0])
    check("what longjmp() leaves is left", calls(events)["jump"] == 18 and not stack, stack)
    depth = deepest = 0
    for line in events:
        depth += ("enter" in line) - ("exit" in line)
        deepest = max(deepest, depth)
    check("at the place where it goes on", deepest == 8, deepest)
    trace([TRACED, "leaves"], "leaves")
    events, _ = dump(sorted(glob.glob("leaves/*.json"))[1])
    check("pthread_exit() ends a thread", calls(events) == {"leave_thread": 2, "leaf": 2}, events)
    emulate("jumps")
    emulate("leaves")


def test_handlers():
    told = 0
    for more in ([], ["on another stack"]):
        folder = f"handlers{len(more)}"
        _, err = trace([TRACED, "handlers", *more], folder)
        path = glob.glob(folder + "/*.json")[0]
        events, stack = dump(path)
        check(f"{folder} ends in order", not stack and calls(events)["handle"], calls(events))
        with open(path, encoding="utf-8") as f:
            lost = json.load(f).get("lost", 0)
        said = re.findall(r"(\d+) events are missing, of signal handlers that interrupted the tracer", err)
        check(f"{folder} says what it has lost", said == ([str(lost)] if lost else []), f"{lost}: {err}")
        _, _, err = emulate(folder, mute=False)
        check(f"{folder} is known to have lost events", (f"lacks {lost} events" in err) == bool(lost), err)
        told += lost
    check("handlers interrupt the tracer", told)


def test_ends():
    trace([TRACED, "ends"], "ends")
    streams = dumps("ends")
    check("what runs at the end is there", calls(streams[0][0])["at_exit"] == 1 and calls(streams[0][0])["at_end"] == 1, calls(streams[0][0]))
    check("destructors of keys, too", calls(streams[1][0]) == {"with_key": 1, "destroy": 3, "leaf": 3}, calls(streams[1][0]))
    check("and threads that still run", len(streams) == 4, len(streams))
    emulate("ends")


def test_children():
    trace([TRACED, "children"], "children")
    streams = dumps("children")
    want = [{"run": 1, "children": 1, "leaf": 1, "at_end": 1}] * 2
    check("a child goes on where it was", sorted(map(len, (s for s, _ in streams)))[0] > 4, streams)
    got = [calls(events) for events, _ in streams]
    check("in files of its own", len(got) == 3 and sum(c["leaf"] == 2 and c["children"] == 1 and c["run"] == 1 for c in got) == 2 and
          sum(c["leaf"] == 3 for c in got) == 1, f"{got} {want}")
    processes = set()
    for path in glob.glob("children/*.json"):
        with open(path, encoding="utf-8") as f:
            processes.add(json.load(f)["process"])
    check("and is a process", len(processes) == 3, processes)
    emulate("children")


def test_another():
    trace([TRACED, "another"], "another")
    first, second = sorted(glob.glob("another/*.json"), key=len)
    check("a program that executes another", calls(dump(first)[0]) == {"run": 1, "another": 1, "leaf": 1}, first)
    check("goes on in other files", re.search(r"-1\.00000\.json$", second) and calls(dump(second)[0])["jump"] == 18, second)
    emulate("another")


def test_objects():
    """Names are those of the object that is there now, and of C++."""
    compiler = os.environ.get("CC", "cc").split()
    for i, name in enumerate(("first", "second")):
        with open(f"{name}.c", "w", encoding="utf-8") as f:
            f.write(OBJECT.replace("NAME", name))
        subprocess.run([*compiler, "-shared", "-fPIC", "-O1", "-finstrument-functions", "-o", f"{name}.so", f"{name}.c"], check=True)
    trace([TRACED, "objects", "./first.so", "./second.so", "./first.so"], "objects")
    events, stack = dump(glob.glob("objects/*.json")[0])
    got = calls(events)
    check("objects come and go", (got["first"], got["second"], got["call"], got["late"]) == (4, 2, 3, 3) and not stack, got)
    subprocess.run(["strip", "-o", "bare.so", "first.so"], check=True)
    trace([TRACED, "objects", "./bare.so"], "bare")
    events, _ = dump(glob.glob("bare/*.json")[0])
    check("a function without a name has a place", any(re.fullmatch(r"bare\.so\+0x[0-9a-f]+", name) for name in calls(events)), calls(events))


def test_cxx():
    if not CXX:
        print("no compiler of C++: exceptions are left out")
        return
    with open("throwing.cc", "w", encoding="utf-8") as f:
        f.write(THROWING)
    subprocess.run([CXX, "-O2", "-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr", "-o", "throwing.exe", "throwing.cc", "-pthread"],
                   check=True)
    trace(["./throwing.exe"], "throwing")
    streams = dumps("throwing")
    for (events, stack), n in zip(streams, (6, 4)):
        got = calls(events)
        check("exceptions leave functions", not stack and got["space::Box<int>::inner(int)"] == n and got["work(int)"] == 1, got)
    check("of each thread", len(streams) == 2, len(streams))
    emulate("throwing")


def test_killed():
    """What was called before the process was killed is there, and emulates."""
    random.seed(time.time())
    for buffer, rounds in (("shared", 3), ("private", 1)):
        for n in range(rounds):
            folder = f"killed-{buffer}{n}"
            with open("counts", "wb") as f:
                f.write(bytes(4096))
            with subprocess.Popen([TRACED, "killed", "counts"], env={**os.environ, "LD_PRELOAD": LIBRARY, "PRISM_TRACE_DIR": folder,
                                                                     "PRISM_TRACE_BUFFER": buffer}) as p:
                time.sleep(0.01 + random.random() * 0.015)
                p.send_signal(signal.SIGKILL)
            with open("counts", "rb") as f:
                want = sum(struct.unpack_from("<25Q", f.read())[::8])
            got = sum(calls(events)["leaf"] for events, _ in dumps(folder))
            check(f"{folder}: nothing is lost", got >= want if buffer == "shared" else True, f"{got} of {want}")
            check(f"{folder}: nothing is made up", got <= want + 4, f"{got} of {want}")


def test_trouble():
    for folder, limit, why in (("/dev/null/x", None, "Not a directory"), ("short", 100000, "File too large")):
        _, err = trace([TRACED, "deep"], folder, limit=limit)
        check(f"{folder} is told once", err.count("\n") == 1 and why in err, err)
    events, _ = dump(glob.glob("short/*.json")[0])
    check("and what fits is there", calls(events)["deep"] > 1000, len(events))
    with open("slow.c", "w", encoding="utf-8") as f:
        f.write(SLOW)
    subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-o", "slow.so", "slow.c"], check=True)
    for buffer, n in (("", 1), ("shared", 0), ("private", 0)):
        _, err = trace([TRACED, "threads"], f"slow{buffer}", LD_PRELOAD=f"{os.getcwd()}/slow.so {LIBRARY}", PRISM_TRACE_BUFFER=buffer)
        check("a slow file system is told", err.count("is not mapped: NFS") == n == err.count("\n"), err)
        check("and written to", len(dumps(f"slow{buffer}")) == 3, "")
    os.mkdir("untouched")
    p = subprocess.run([TRACED, "jumps"], cwd="untouched", env={**os.environ, "LD_PRELOAD": LIBRARY}, check=False, capture_output=True)
    check("nothing is written unless it is asked for", p.returncode == 0 and not os.listdir("untouched") and not p.stderr, p)
    trace([TRACED, "threads"], "private", PRISM_TRACE_BUFFER="private")
    check("private memory is written at the end", len(dumps("private")) == 3 and calls(dumps("private")[0][0])["threads"] == 1)
    emulate("private")


def test_symbols():
    """Nothing of ours can be taken for something of the program."""
    nm = subprocess.run(["nm", "-D", LIBRARY], capture_output=True, text=True, check=True).stdout
    ours = set(re.findall(r"^[0-9a-f]+ [TDBRVWi] (\w+)", nm, re.M))
    strange = [s for s in ours if not re.match(r"pthread_|sem_|thrd_|mtx_|cnd_|dlclose$|__cyg_profile_func_(enter|exit)$", s)]
    check("it exports what it stands in for", not strange and len(ours) > 15, strange)
    needed = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", needed)
    check("it needs the C library", all(re.match(r"lib(c|pthread|dl)\.so", name) for name in libraries), libraries)


with tempfile.TemporaryDirectory() as tmp:
    os.chdir(tmp)
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            began = time.monotonic()
            test()
            print(f"{time.monotonic() - began:5.1f} s {name}")
    os.chdir("/")
if found:
    sys.exit("\n".join(str(line)[:2000] for line in found))
print("programs are traced")
