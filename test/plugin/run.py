#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Models in files (--model, OVNISCOPE_MODELS): what they do in each tool, and what is refused.

usage: run.py TOOLS SRC DEMO.so

TOOLS is the folder of the tools, SRC that of the sources. DEMO.so is demo.c.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import moved
from moved import SRC, TRACE, Run, asm, check, outputs, same

DEMO = os.path.abspath(sys.argv[3])

CC = os.environ.get("CC", "cc").split()
HEADERS = ("model.h", "event.h")
HEAD = """#include "ovniscope/model.h"
static const struct chan_decl chans[] = { { .name = "c", .title = "C", .prv_type = 910 } };
static const struct state_decl states[] = { { 0, 1, "yAa", "yAb", "L", "does|undoes" } };
"""


def some(things):
    """All, or a share of them: with sanitizers, and where the compiler is slow."""
    things = list(things)
    return random.sample(things, -(-len(things) // int(os.environ.get("TEST_SHARE", "1"))))


def compile_to(so, text, compiler=None, language="c"):
    os.makedirs(os.path.dirname(so) or ".", exist_ok=True)
    p = subprocess.run([*(compiler or CC), "-x", language, "-shared", "-fPIC", f"-I{tmp}/include", "-o", so, "-"], input=text, text=True, capture_output=True, check=False)
    if p.returncode:
        sys.exit(f"{so}: {p.stderr}")
    return so


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def model(name, letter="y", kind=910, more="", symbol="ovniscope_model"):
    """The text of a small model"""
    head = HEAD.replace("910", str(kind)).replace('"y', f'"{letter}')
    return f'{head}const struct model {symbol} = {{ MODEL_ABI, .id = \'{letter}\', .name = "{name}", .version = "1.0.0", CHANS(chans), STATES(states), {more} }};\n'


# ---- Good ones. ----

def test_tools():
    text = TRACE
    asm.assemble(text, "trace")
    r = Run("ovniemu", "-q", "-o", "out", "trace")
    check("without it", r.status == 0 and "there is no model demo, of which version 1.0.0 is required: its events are skipped" in r.err, r)
    r = Run("ovniemu", "--model", DEMO, "-o", "out", "trace")
    check("emulated", r.status == 0 and "demo 1.0.0" in r.err and "warning" not in r.err, r)
    thread = outputs("out")["thread.prv"]
    check("its states", all(f":{t}:900:{v}" in thread for t, v in ((10, 1), (20, 0), (30, 2), (70, 0))) and ":35:901:2" in thread, thread)
    check("its view", os.path.exists("out/cfg/thread/demo/phase.cfg"))
    first = outputs("out")
    for i in range(2):
        r = Run("ovniemu", "-q", "-o", "again", f"--model={DEMO}", *["--model", DEMO] * i, "trace", folders=os.path.dirname(DEMO) if i else None)
        same(f"the file in several ways ({i})", (r.status, r.err, outputs("again")), (0, "", first))
    r = Run("ovnidump", "-q", "--model", DEMO, "trace")
    check("ovnidump", r.status == 0 and "leaves reading the input" in r.out and "passes a checkpoint" in r.out and not r.err, r)
    for words in (["-m", "demo", "-m", DEMO], ["--model", DEMO, "--model=demo"]):
        r = Run("ovnidump", "-q", *words, "trace")
        same(f"ovnidump {words[0]}: those of the model only", (r.status, re.findall(r"  (\w\S\S)  ", r.out)), (0, ["xRi", "xRI", "xSs", "xLs", "xP@", "xSS"]))
    r = Run("ovnitop", "-q", "-b", "model", "--model", DEMO, "trace")
    check("ovnitop", r.status == 0 and re.search(r"^demo +6$", r.out, re.M), r)
    r = Run("ovnievents", "--model", DEMO)
    check("ovnievents", r.status == 0 and "## demo (`x`)" in r.out and "## ovni (`O`)" in r.out and "passes a checkpoint" in r.out, r)
    r = Run("ovnievents", "--model", "demo", "--json", folders=os.path.dirname(DEMO))
    check("ovnievents of one", r.status == 0 and '"demo": {' in r.out and '"ovni"' not in r.out, r)
    shutil.copy(DEMO, "here.so")
    r = Run("ovniemu", "-q", "-o", "again", "--model", "here.so", "trace")
    same("a name without a folder is a file here", (r.status, r.err), (0, ""))


def test_enabled():
    """An observer in a file needs neither to be required nor to ask for it; one that is foreign does."""
    for more, options, enabled in (("", (), True), (".foreign = true,", (), False), (".foreign = true,", ("-m", "looks"), True)):
        so = compile_to(f"{tmp}/looks.so", HEAD.replace("910", "950") + f"const struct model ovniscope_model = {{ MODEL_ABI, .id = 'q', .name = \"looks\", .version = \"1.0.0\", CHANS(chans), .observes = \"x\", {more} }};\n")
        r = Run("ovniemu", "--model", DEMO, "--model", so, *options, "-o", "looked", "trace")
        check(f"an observer {more} {options}", r.status == 0 and ("looks 1.0.0" in r.err) == enabled, r)


def test_repair():
    asm.assemble(TRACE.replace("require demo=1.0.0", "crashed").partition("101  70")[0], "killed", "killed")
    r = Run("ovnifix", "--model", DEMO, "killed")
    check("ovnifix", r.status == 0 and "does not require the models of its events: ovni 1.1.0, demo 1.0.0" in r.err and "strict tools take it" in r.err, r)


def test_built_in():
    """A built-in model under other names, as a file: the same bytes but for those names."""
    for name, letter, other, new, types in (("tampi", "T", "tampo", "W", {"20": "987"}), ("mpi", "M", "mpj", "N", {"25": "986"})):
        with open(f"{SRC}/src/models/{name}.c", encoding="utf-8") as f:
            source = f.read()
        source = source.replace(f"model_{name}", "ovniscope_model").replace(f'"{name}"', f'"{other}"').replace(f"'{letter}'", f"'{new}'")
        source = re.sub(rf'"{letter}(..)"', rf'"{new}\1"', source)
        for old, far in types.items():
            check(f"{name}: its type", f"= {old}," in source and "MODEL_ABI" in source)
            source = source.replace(f"= {old},", f"= {far},")
        so = compile_to(f"{tmp}/{other}.so", source)
        moved.compare(name, letter, other, new, types, so)


def test_languages():
    """The same file as C++, and the same model in C++17 without extensions, whose tables are filled when it is loaded."""
    files = {"c": DEMO}
    for cxx in filter(None, map(shutil.which, ("g++", "clang++"))):
        for name, more in (("demo.c", ["-std=gnu++17", "-Wno-missing-field-initializers"]), ("demo.cpp", ["-std=c++17", "-pedantic"])):
            if name == "demo.cpp" or cxx.endswith("/g++"):
                with open(f"{SRC}/test/plugin/{name}", encoding="utf-8") as f:
                    out = f"{os.path.basename(cxx)} {name}"
                    files[out] = compile_to(f"{tmp}/{out}.so", f.read(), [cxx, *more, "-Wall", "-Wextra", "-Werror"], "c++")
    for view in ((), ("--compat",)):
        for out, file in files.items():
            r = Run("ovniemu", "-q", *view, "-o", out, "--model", file, "trace")
            same(f"{out} {view}", (r.status, r.err), (0, ""))
            same(f"C and {out} {view}", outputs(out), outputs("c"))


def test_folders():
    os.makedirs("f1", exist_ok=True)
    os.makedirs("f2", exist_ok=True)
    compile_to("f1/b.so", model("bee", "b", 921))
    compile_to("f1/a.so", model("ay", "a", 922))
    compile_to("f2/c.so", model("sea", "c", 923))
    with open("f1/readme.txt", "w", encoding="utf-8") as f:
        f.write("no model\n")

    def names(folders, *words):
        r = Run("ovnievents", "--json", *words, folders=folders)
        same(f"folders {folders!r}", r.status, 0)
        return [n for n in re.findall(r'^ "(\w+)": {', r.out, re.M) if n in ("ay", "bee", "sea", "demo")], r.err

    same("two folders", names("f1:f2"), (["ay", "bee", "sea"], ""))
    same("empty names", names(":f2::"), (["sea"], ""))
    same("no name", names(""), ([], ""))
    same("and a file", names("f2/", "--model", DEMO), (["sea", "demo"], ""))
    same("a folder that is not there", names("none:f2"),
         (["sea"], "ovnievents: warning: a folder of OVNISCOPE_MODELS cannot be read: No such file or directory\n  at none\n"))
    check("a file in place of a folder", "cannot be read: Not a directory" in names(DEMO)[1])
    compile_to("f2/d.so", model("other", "b", 924))
    r = Run("ovniemu", "-q", "trace", folders="f1:f2")
    check("clash of folders", r.status == 1 and "the models bee of f1/b.so and other of f2/d.so have the same letter 'b'" in r.err, r)
    os.remove("f2/d.so")
    compile_to("f4/a.so", model("ay", "z", 925))
    compile_to("f4/B.so", model("bee", "z", 926))
    r = Run("ovniemu", "-q", "trace", folders="f4")
    check("the order is that of the bytes of names", "the models bee of f4/B.so and ay of f4/a.so have" in r.err, r)
    # What is no model stays where it is, and no code of it runs; what says it is one has to be right.
    os.makedirs("f3/dir.so", exist_ok=True)
    os.makedirs("f3/dir.json", exist_ok=True)
    compile_to("f3/lib.so", "void crash(void); __attribute__((constructor)) static void load(void) { __builtin_trap(); }")
    compile_to("f3/other.so", model("x", symbol="my_ovniscope_models"))
    os.mkfifo("f3/fifo.json")
    for name, text in (("compile_commands.json", '[{"directory": "/", "command": "cc", "file": "x.c"}]'), ("package.json", '{"name": "x", "version": "1.0.0"}'),
                       ("empty.json", ""), ("empty.so", ""), ("text.so", "no object"), ("broken.json", '{"name": ')):
        write(f"f3/{name}", text)
    compile_to("f3/good.so", model("good", "g", 927))
    same("a folder with other files", names("f3"), ([], ""))
    r = Run("ovnievents", "--model", "good", folders="f3")
    check("and the model in it", r.status == 0 and "## good (`g`)" in r.out, r)
    r = Run("ovniemu", "-v", "-o", "out", "trace", folders="f3")
    told = re.findall(r"f3/(\S+) is no model: it has no (.*)", r.err)
    same("-v tells", told, [(n, 'key "letter"' if n.endswith(".json") else "symbol ovniscope_model") for n in sorted(os.listdir("f3")) if n != "good.so"])
    for name, text, want in (("bad.so", "text with ovniscope_model\0 in it", "error[model]: the shared object cannot be loaded"), ("bad.json", '{"letter": "x"', "error[json]: "),
                             ("schema.json", '{"$schema": "/usr/share/ovniscope/model.schema.json"}', 'error[model]: the key "name" is missing'),
                             ("far.json", " " * (2**14 - 3) + '{"letter": 7}', 'error[model]: the key "name" is missing')):
        write(f"f3/{name}", text)
        r = Run("ovniemu", "-q", "trace", folders="f3")
        check(f"{name} says it is one", r.status == 1 and want in r.err and f"f3/{name}" in r.err, r)
        os.remove(f"f3/{name}")
    os.symlink("nowhere.so", "f3/link.so")
    r = Run("ovniemu", "-q", "trace", folders="f3")
    check("what cannot be loaded in a folder", r.status == 1 and "error[model]: the shared object cannot be loaded" in r.err and "at f3/link.so" in r.err, r)


# ---- Of other headers. ----

def newer(value):
    """A struct model with one member more"""
    old = '{ .abi = OVNISCOPE_ABI, .size = sizeof(struct newer), .id = \'y\', .name = "x", .version = "1.0.0", CHANS(chans), STATES(states) }'
    return (f"#define ovniscope_model other\n{HEAD}#undef ovniscope_model\nstruct newer {{ struct model old; long more; }};\n"
            f"const struct newer ovniscope_model = {{ {old}, {value} }};\n")


def wide(value):
    """A table of channels whose rows have one member more"""
    rows = f'{{ {{ .name = "c", .title = "C", .prv_type = 910 }}, 0 }}, {{ {{ .name = "d", .title = "D", .prv_type = 911 }}, {value} }}'
    text = f"static const struct {{ struct chan_decl old; long more; }} rows[] = {{ {rows} }};\n"
    return HEAD + text + model("x", more=".chans = &rows[0].old, .nchans = 2, .chan_size = sizeof(rows[0])").replace(HEAD, "")


def test_headers():
    """Models of older and newer headers, which use nothing that is not known."""
    narrow = 'static const struct { const char *name, *title; int type, kind; } rows[] = { { "c", "C", 910, 0 }, { "d", "D", 911, 1 } };\n'
    good = {
        "older": ("#include <stddef.h>\n" + model("x", more=".size = offsetof(struct model, connect)"), 1),
        "newer": (newer(0), 1),
        "narrow": (HEAD + narrow + model("x", more=".chans = (const void *)rows, .nchans = 2, .chan_size = sizeof(rows[0])").replace(HEAD, ""), 2),
        "wide": (wide(0), 2),
    }
    for name, (text, nchans) in good.items():
        r = Run("ovnievents", "--model", compile_to(f"{tmp}/{name}.so", text), "--model", "x")
        same(f"{name}: accepted", (r.status, r.err, r.out.count("* type ")), (0, "", nchans))


# ---- Bad ones. ----

def test_refused():
    tools = [("ovniemu", ["-o", "bad-out", "trace"]), ("ovnidump", ["trace"]), ("ovnitop", ["trace"]), ("ovnievents", [])]

    def refused(what, *told, files=(), code="model"):
        for tool, words in some(tools):
            shutil.rmtree("bad-out", ignore_errors=True)
            r = Run(tool, *[w for f in files for w in ("--model", f)], *words)
            check(f"{what} ({tool})", r.status == 1 and r.err.startswith(f"{tool}: error[{code}]: ") and all(t in r.err for t in told) and r.err.count("error[") == 1 and not r.out, r)
            check(f"{what} ({tool}): nothing is written", not os.path.exists("bad-out"))

    refused("no such file", "cannot be loaded", "No such file", "at ./none.so", files=["./none.so"])
    with open("text.so", "w", encoding="utf-8") as f:
        f.write("no object\n")
    refused("a text", "cannot be loaded", "at text.so", files=["text.so"])
    refused("a folder", "cannot be loaded", files=[f"{tmp}/"])
    big = "x" * 5000
    refused("a long name", "its name is too long", files=[f"./{big}.so"])

    def broken(name, text, *told, code="model"):
        so = compile_to(f"{tmp}/bad/{name}.so", text)
        refused(name, *told, f"at {so}", files=[so], code=code)

    broken("empty", "int f(void) { return 0; }", "exports no ovniscope_model", "const struct model ovniscope_model")
    broken("other", model("x", symbol="my_model"), "exports no ovniscope_model")
    broken("function", "int ovniscope_model(void) { return 0; }", "is no struct model", "and is no data")
    broken("tiny", "const char ovniscope_model[7] = { 1 };", "is no struct model: it has 7 bytes")
    broken("undefined", model("x") + "int emu_close(void *); int f(void) { return emu_close(0); }", "undefined symbol: emu_close")
    broken("abi", model("x", more=".abi = 7"), "its ovniscope_model has version 7 of struct model, which has version 1 here", "build it with the ovniscope/model.h")
    broken("small", model("x", more=".size = 7"), "but says it has 7")
    broken("large", model("x", more=".size = 4000"), "bytes, but says it has 4000")
    broken("head", model("x", more=".size = 8"), "the name of a model has 1 to")
    broken("newer", newer(1), "bytes, of which", "are known here, and the others are not zero")
    broken("rows", model("x", more=".chan_size = 0"), "its table of channels does not say how many bytes a row has")
    broken("wide", wide(1), "row 1 of its channels has", "bytes, of which", "are known here, and the others are not zero")
    broken("letter", model("x", "V"), "the models nosv of ovniscope and x of", "the same letter 'V'", code="model-clash")
    broken("name", model("nosv"), "the models nosv of ovniscope and nosv of", "the same name (letters 'V' and 'y')", code="model-clash")
    broken("type", model("x", "y", 20), "the models tampi of ovniscope and x of", "the same PRV type 20 (channel c)", code="model-clash")
    broken("mark", model("x", "y", 100), "reserved")
    for values, told in (("-3", "the value -3 is none from 0 to 4294967295"), ("1LL << 32", "the value 4294967296 is none from"), ("NO_VALUE", "the value -9223372036854775808 is none from")):
        broken("value", model("x").replace("{ 0, 1,", f"{{ 0, {values},").replace(HEAD, HEAD.replace("{ 0, 1,", f"{{ 0, {values},")), told, "for which the channel c has room unless it is one of VALUES_ANY: L")
    for more, told in (('.name = ""', "the name of a model has 1 to"), (".name = 0", "the name of a model has 1 to"), ('.name = "a/b"', 'not "a/b"'), (".id = 7", "its letter is not one that can be printed: 0x07"),
                       (".version = 0", "its version is not three numbers"), ('.version = "new"', '"new"'), (".chans = 0", "1 channels, but no table"), (".states = 0", "1 states, but no table"),
                       (".nevents = 3", "3 events, but no table"), (".need = 64", "it needs what is not in enum need")):
        broken("member", model("x", more=more), told)
    broken("breakdown", "#include \"ovniscope/model.h\"\nstatic const struct breakdown_decl b;\n" + model("x", more="BREAKDOWN(b)"), "the breakdown needs a title")
    broken("part", "#include \"ovniscope/model.h\"\nstatic const struct breakdown_decl b;\n" + model("x", more=".breakdown = &b"),
           "its table of breakdowns does not say how many bytes a row has")
    two = compile_to(f"{tmp}/bad/two.so", model("two", "x", 930))
    refused("two files", f"the models demo of {DEMO} and two of {two} have the same letter 'x'", files=[DEMO, two], code="model-clash")
    r = Run("ovniemu", "--model", "nosv", "trace")
    check("no file", r.status == 2 and "--model needs a file (.so or .json), not 'nosv'" in r.err, r)
    r = Run("ovniemu", *["--model", DEMO] * 65, "trace")
    check("too many", r.status == 2 and "--model may be given 64 times" in r.err, r)
    r = Run("ovnidump", "--model", DEMO, "-m", "dem", "trace")
    check("no such model", r.status == 2 and "there is no model 'dem'" in r.err, r)


# What a hook does that it may not: the phase, or the function of its life; what it does; what is told.
CALLED = """#include "ovniscope/model.h"
static const struct chan_decl chans[] = { { .name = "single", .title = "C", .prv_type = 910 }, { .name = "stack", .title = "S", .prv_type = 911, .kind = CHAN_STACK },
    { .name = "own", .title = "O", .prv_type = 912, .cpu_track = TRACK_OWN } };
static const struct chan_decl again = { .name = "again", .title = "A", .prv_type = 911 };
static bool probe(struct emu *emu) { return emu != 0; }
void on_watch(struct emu *emu, const struct chan_change *c) { emu_set(emu, 0, c->now); }
static void ignore(struct emu *emu, const struct event *ev) { (void)emu; (void)ev; }
static void act(struct emu *emu ARGS) { ACT; }
#define ANY(s) { .sig = s, .text = "t", .op = OP_IGNORE, .any_value = true }
static const struct event_decl events[] = { { .sig = "xRi", .text = "t", HOOKS }, { .sig = "xRI", .text = "t", .op = OP_IGNORE }, ANY("xS."), ANY("xL."), ANY("xP.") };
const struct model ovniscope_model = { MODEL_ABI, .id = 'x', .name = "demo", .version = "1.0.0", .probe = probe, CHANS(chans), EVENTS(events) LIFE };
"""
LATE = "a hook of the model demo changes a channel or a thread when what changed is being shown"
MISUSED = (
    ("pre", "emu_set(emu, 3, 1)", "a hook of the model demo changes its channel 3, but it has 3, from 0 on"),
    ("pre", "emu_clear(emu, -1)", "a hook of the model demo changes its channel -1, but it has 3, from 0 on"),
    ("pre", "emu_push(emu, 0, 1)", "a hook of the model demo changes the channel single as one of another kind: it is single: it is set and cleared"),
    ("pre", "emu_truncate(emu, 2, 0)", "a hook of the model demo changes the channel own as one of another kind"),
    ("pre", "emu_set(emu, 1, 1)", "a hook of the model demo changes the channel stack as one of another kind: it is a stack: it is pushed and popped"),
    ("pre", "emu_replace(emu, 77, 1)", "a hook of the model demo changes its channel 77, but it has 3"),
    ("pre", "emu_punctual(emu, 3, 1)", "a hook of the model demo changes its channel 3, but it has 3"),
    ("pre", "emu_set(emu, 0, NO_VALUE)", "a channel cannot hold the value -9223372036854775808"),
    ("pre", 'emu_add_label(emu, 3, 1, "x")', "the model demo labels a value of its channel 3, but it has 3"),
    ("pre", "emu_set_cpu(emu, 99, 2, 1)", "a hook of the model demo changes the CPU 99, but there are"),
    ("pre", "emu_punctual_cpu(emu, 0, 3, 1)", "a hook of the model demo changes its channel 3, but it has 3"),
    ("pre", "emu_set_cpu(emu, 0, 0, 1)", "a hook of the model demo changes the channel single in the row of a CPU, which shows that of its thread"),
    ("emit", "emu_set(emu, 0, 1)", LATE), ("emit", "emu_pop(emu, 1, 1)", LATE), ("emit", "emu_set_cpu(emu, 0, 2, 1)", LATE), ("post", "emu_set(emu, 0, 1)", LATE),
    ("post", "emu_punctual(emu, 0, 1)", LATE), ("post", "emu_punctual_cpu(emu, 0, 2, 1)", LATE), ("post", "run_pause(emu)", LATE),
    ("pre", 'emu_error(emu, "my-error", "it went wrong: %d", 7)', "error[my-error]: it went wrong: 7"),
    ("connect", 'emu_watch(emu, emu_find_chan(emu, "mpi.functoin"), on_watch, 0)', "the model demo watches a channel that there is not"),
    *(("create", f"{call}", "the model demo changes a channel or a thread in create(): only hooks of events may")
      for call in ("emu_set(emu, 0, 1)", "emu_clear(emu, 7)", "emu_push(emu, 1, 1)", "emu_pop(emu, 1, 1)", "emu_truncate(emu, 1, 0)", "emu_replace(emu, 1, 1)", "emu_punctual(emu, 0, 1)",
                   "emu_set_cpu(emu, 0, 2, 1)", "emu_punctual_cpu(emu, 0, 2, 1)", "run_pause(emu)", "run_kill(emu)", "run_migrate(emu, 0, 0)", "run_set_in_cpu(emu, true)")),
    *((life, "emu_set(emu, 0, 1)", f"the model demo changes a channel or a thread in {life}(): only hooks of events may") for life in ("connect", "finish")),
    ("create", "emu_value(emu, 0)", "the model demo asks for the value of its channel 0 in create(): there are none before connect()"),
    ("pre", "emu_value(emu, 3)", "the model demo asks for the value of its channel 3 in a hook of the phase pre: there is no such channel"),
    ("pre", "emu_value(emu, -1)", "the model demo asks for the value of its channel -1"),
    ("pre", "emu_look(emu, 999, 0)", "the model demo looks at the channel 999 of 0: there is no such channel"),
    ("connect", "emu_look(emu, -1, 0)", "the model demo looks at the channel -1 of 0: there is no such channel"),
    ("pre", "emu_look(emu, emu_find_chan(emu, \"demo.single\"), 99)", "of 99: there are not so many"),
    ("pre", "emu_thread_role(emu, 99)", "the model demo looks at the thread 99, but there are"),
    ("pre", "emu_add_chan(emu, &again)", "the model demo adds the channel again in a hook of the phase pre: only create() may"),
    ("connect", "emu_add_chan(emu, &again)", "the model demo adds the channel again in connect(): only create() may"),
    ("pre", "emu_watch(emu, 3, on_watch, 0)", "the model demo asks for changes in a hook of the phase pre: only connect() may"),
    ("create", "emu_watch_roles(emu, 0, 0)", "the model demo asks for changes in create(): only connect() may"),
    ("create", "emu_add_chan(emu, &again)", "the models demo and demo have the same PRV type 911 (channels stack and again)"),
)


def test_misused():
    """Each is an error with the event, or before the first one; and the same calls as they should be are none."""
    good = (("pre", "emu_set(emu, 0, 1), emu_push(emu, 1, 1), emu_set_cpu(emu, 0, 2, 5), emu_punctual(emu, 0, 7)", ""),
            ("emit", "emu_punctual(emu, 0, 1), emu_punctual_cpu(emu, 0, 2, 1)", ""))
    for phase, act, told in [*good, *some(MISUSED)]:
        life = phase in ("connect", "create", "finish")
        text = CALLED.replace("ACT", act).replace("ARGS", "" if life else ", const struct event *ev").replace("LIFE", f", .{phase} = act" if life else "")
        text = text.replace("HOOKS", ".op = OP_IGNORE" if life else f".hook = ignore, .{phase} = act".replace("ignore, .pre = ", ""))
        r = Run("ovniemu", "-q", "--model", compile_to(f"{tmp}/misused.so", text), "-o", "misused", "trace")
        place = "" if life else "\n  at loom.node.0/proc.100/thread.101 +0x"
        check(f"{phase}: {act}", r.status == bool(told) and told in r.err and bool(r.err) == bool(told) and (not told or place in r.err) and r.err.count("error[") == bool(told), r)
    observer = CALLED[:CALLED.index("static const")] + 'static void fail(struct emu *emu, const struct event *ev) { (void)ev; emu_error(emu, "my-error", "it went wrong"); }\n' \
        "const struct model ovniscope_model = { MODEL_ABI, .id = 'z', .name = \"watcher\", .version = \"1.0.0\", .pre = fail, .observes = \"O\" };\n"
    r = Run("ovniemu", "-q", "--model", compile_to(f"{tmp}/misused.so", observer), "-o", "misused", "trace")
    check("an observer is named", r.status == 1 and "error[my-error]: the model watcher: it went wrong\n  at loom" in r.err, r)
    for value in (1 << 40, -5):
        text = CALLED.replace("ACT", f"emu_set(emu, 0, {value})").replace("ARGS", ", const struct event *ev").replace("LIFE", "").replace("HOOKS", ".hook = act")
        r = Run("ovniemu", "-q", "--model", compile_to(f"{tmp}/misused.so", text), "-o", "misused", "trace")
        check(f"a value of {value}", r.status == 1 and f"the value {value} of the channel demo.single, row 1, at " in r.err and "VALUES_ANY" in r.err, r)


ACTS = {
    "SIGSEGV": ["*(volatile int *)8 = 1", "deep(0)"],
    "SIGFPE": ["zero = 7 / zero"],
    "SIGILL": ["__builtin_trap()"],
    "SIGBUS": ["raise(SIGBUS)"],
    "SIGABRT": ["abort()"],
}
CRASHING = """#include <signal.h>
#include <stdlib.h>
#include "ovniscope/model.h"
static volatile int zero;
int deep(int n) { volatile char big[4096]; big[n % 4096] = 1; return n < 0 ? zero : deep(n + 1) + big[0]; }
static void crash(void) { ACT; }
static void crash_now(struct emu *emu) { (void)emu; WHEN; }
static void on_event(struct emu *emu, const struct event *ev) { (void)emu; if (ev->mcv[1] == 'S') crash(); }
static const struct event_decl events[] = { { .sig = "xP.", .text = "t", .hook = on_event, .any_value = true }, { .sig = "xR.", .text = "t", .hook = on_event, .any_value = true },
    { .sig = "xS.", .text = "t", .hook = on_event, .any_value = true }, { .sig = "xL.", .text = "t", .hook = on_event, .any_value = true } };
const struct model ovniscope_model = { MODEL_ABI, .id = 'x', .name = "demo", .version = "1.0.0", EVENTS(events), MORE };
"""


def test_crashes():
    for sig, acts in some(ACTS.items()):
        for act in acts:
            number = -getattr(signal, sig)
            text = CRASHING.replace("ACT;", f"{act};")
            so = compile_to(f"{tmp}/crash.so", text.replace("WHEN", "").replace(", MORE", ""))
            r = Run("ovniemu", "-q", "--model", so, "-o", "crashed", "trace")
            same(f"{act} in an event", (r.status, r.err), (number, f"ovniemu: error[model]: {sig} in the model demo of {so}, in a hook of the phase pre\n"
                                                                   "  at loom.node.0/proc.100/thread.101, clock 30 ns, event xSs\n"))
            for phase in ("emit", "post"):
                seen = compile_to(f"{tmp}/crash.so", text.replace(".hook = on_event", f".op = OP_IGNORE, .{phase} = on_event").replace("WHEN", "").replace(", MORE", ""))
                r = Run("ovniemu", "-q", "--model", seen, "-o", "crashed", "trace")
                check(f"{act} in {phase}", r.status == number and f"in a hook of the phase {phase}\n  at loom" in r.err, r)
            r = Run("ovnidump", "-q", "--model", so, "trace")
            same("no hook runs in ovnidump", (r.status, r.err), (0, ""))
            for when in ("connect", "finish"):
                so = compile_to(f"{tmp}/crash.so", text.replace("WHEN", "crash()").replace("MORE", f".{when} = crash_now").replace("'S'", "0"))
                r = Run("ovniemu", "-q", "--model", so, "-o", "crashed", "trace")
                same(f"{act} in {when}", (r.status, r.err), (number, f"ovniemu: error[model]: {sig} in the model demo of {so}, in {when}()\n"))
            so = compile_to(f"{tmp}/crash.so", text.replace("WHEN", "").replace(", MORE", "") + "__attribute__((constructor)) static void load(void) { crash(); }\n")
            for tool in ("ovniemu", "ovnidump", "ovnitop"):
                r = Run(tool, "--model", so, "trace")
                same(f"{tool}: {act} while it is loaded", (r.status, r.err), (number, f"{tool}: error[model]: {sig} while a model is loaded\n  at {so}\n"))


with tempfile.TemporaryDirectory(prefix="plugin-") as tmp:
    os.chdir(tmp)
    os.makedirs("include/ovniscope")
    for path in HEADERS: # nothing else is installed
        shutil.copy(f"{SRC}/src/emu/public/ovniscope/{path}", "include/ovniscope")
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
sys.exit(moved.done())
