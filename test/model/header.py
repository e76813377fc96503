#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-model header: what it prints compiles, and a program that uses it makes a trace that is emulated.

usage: header.py TOOLS SRC LIBOVNI

TOOLS is the folder of the tools, LIBOVNI that of the library and of its header.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS, SRC, LIB = (os.path.abspath(p) for p in sys.argv[1:4])
TOOL = f"{TOOLS}/model/ovniscope-model"
CC = os.environ.get("CC", "cc").split()
COMPILERS = (("gcc", "c", "c11"), ("clang", "c", "c11"), ("g++", "c++", "c++17"), ("clang++", "c++", "c++17"))
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
INCLUDE = [f"-I{LIB}", f"-I{SRC}/src/lib/ovni"]

# All kinds of arguments, and names that need care.
MODEL = r"""
#include "ovniscope/model.h"
enum { LEVEL, PHASE };
static const struct chan_decl chans[] = {
	[LEVEL] = { .name = "level", .title = "Level", .prv_type = 950, .dup = DUP_ALLOW },
	[PHASE] = { .name = "phase", .title = "Phase", .prv_type = 951, .kind = CHAN_STACK },
};
static const struct state_decl states[] = {
	{ PHASE, 1, "yRi", "yRI", "Read", "enters|leaves reading the input" },
};
static void set_level(struct emu *emu, const struct event *ev) { (void)emu_set(emu, LEVEL, event_u32(ev, 0)); }
static const struct event_decl events[] = {
	{ "yLs(u32 level)", "sets the recursion level to %{level}", .hook = set_level },
	{ "yAa(u8 class, i8 typeid, u16 c, i16 d, u32 e, i32 f)", "tries %{class}, %{typeid}, %{c}, %{d}, %{e}, %{f}", .op = OP_IGNORE },
	{ "yAb(u64 a, i64 b)", "passes %{a} and %{b}", .op = OP_IGNORE },
	{ "yAc(u8 one)", "has one byte %{one}", .op = OP_IGNORE },
	{ "yS\"(str bytes)", "says %{bytes}", .op = OP_IGNORE },
	{ "yS*+(str text)", "says %{text}", .op = OP_IGNORE },
	{ "yS/+(u32 id, i64 v, str text)", "100%% of /* %{id} */ %{v} %{text}", .op = OP_IGNORE },
	{ "yJj+", "has nothing", .op = OP_IGNORE },
	{ "yJk+(i16 k)", "has %{k}", .op = OP_IGNORE },
	{ "yXx(u64 a, u64 b, u8 c)", "is too long for %{a} %{b} %{c}", .op = OP_IGNORE },
};
const struct model ovniscope_model = {
	MODEL_ABI, .id = 'y', .name = "my-model", .version = "1.2.3", CHANS(chans), STATES(states), EVENTS(events),
};
"""
CALLS = r"""
	my_model_enter_reading_input();
	my_model_set_recursion_level(7);
	my_model_try(255, -128, 65535, -32768, 4294967295u, -2147483647);
	my_model_pass(UINT64_MAX, INT64_MIN);
	my_model_has_one_byte(9);
	my_model_say_S_22("fourteen bytes and more");
	my_model_say_S_22("");
	my_model_say_S_2a("a \"text\" of any length");
	my_model_say_S_2a(longtext);
	my_model_100(3, -4, "x");
	my_model_has_nothing();
	my_model_has(-5);
	my_model_leave_reading_input();
"""
SAID = ["enters reading the input", "sets the recursion level to 7", "tries 255, -128, 65535, -32768, 4294967295, -2147483647",
        "passes 18446744073709551615 and -9223372036854775808", "has one byte 9", "says fourteen bytes", "says ", 'says a "text" of any length',
        "says " + "t" * 1023, "100% of /* 3 */ -4 x", "has nothing", "has -5", "leaves reading the input"]
PROGRAM = """
#include <ovni.h>
#include <unistd.h>
%s
static char longtext[3000];
int
main(void)
{
	memset(longtext, 't', sizeof(longtext) - 1);
	ovni_version_check();
	ovni_proc_init(1, "node.1", getpid());
	ovni_thread_init(getpid());
	ovni_add_cpu(0, 0);
	%s
	ovni_begin_execution_on_cpu(0, -1, 0);
	%s
	ovni_end_execution();
	ovni_flush();
	ovni_thread_free();
	ovni_proc_fini();
	return 0;
}
"""
counts = [0, 0]


def check(what, good, *facts):
    counts[not good] += 1
    if not good:
        print(f"FAILED: {what}", *facts, sep="\n")


def run(*words, text=None):
    env = {k: v for k, v in os.environ.items() if k != "OVNISCOPE_MODELS"}
    p = subprocess.run(words, env=env, input=text, capture_output=True, text=True, check=False, timeout=60)
    return p.returncode, p.stdout, p.stderr


def header(arg, name, *words):
    status, out, err = run(TOOL, "header", "-q", *words, arg)
    check(f"header of {name}", status == 0 and not err, err)
    with open(f"{name}_events.h", "w", encoding="utf-8") as f:
        f.write(out)
    return out


def compiles(name):
    for cc, language, std in COMPILERS:
        if not shutil.which(cc):
            continue
        p = run(cc, "-x", language, f"-std={std}", *WARN, "-fsyntax-only", "-I.", *INCLUDE, "-", text=f'#include "{name}_events.h"\n' * 2 + "int main(void) { return 0; }\n")
        check(f"{name}: {cc} -std={std}", p[0] == 0, p[2][:2000])


def trace(name, models, calls):
    """Runs a program that makes the calls."""
    shutil.rmtree("ovni", ignore_errors=True)
    text = PROGRAM % ("".join(f'#include "{m}_events.h"\n' for m in (*models, "ovni")),
                      "".join(f"{m.replace('-', '_')}_require();\n" for m in models), calls)
    p = run(*CC, "-x", "c", "-std=gnu11", "-O2", *WARN, "-I.", *INCLUDE, "-", "-o", name, f"-L{LIB}", "-lovni", f"-Wl,-rpath,{LIB}", text=text)
    check(f"{name}: the program is built", p[0] == 0, p[2][:2000])
    p = run(f"./{name}")
    check(f"{name}: the program runs", p[0] == 0, p[2])


def emulated(name, *words):
    shutil.rmtree("out", ignore_errors=True)
    status, out, err = run(f"{TOOLS}/ovniemu", "-q", "-l", "-o", "out", *words, "ovni")
    check(f"{name}: emulated", (status, out, err) == (0, "", ""), err)
    with open("out/thread.prv", encoding="utf-8") as f:
        return f.read()


def built_in():
    names = json.loads(run(f"{TOOLS}/ovnievents", "--json")[1])
    for name in names:
        text = header(name, name)
        compiles(name)
        events = [e for e in names[name]["events"] if e["jumbo"] or name != "prism"]
        check(f"{name}: all of its events", text.count("static inline") >= len(events) - 1, text.count("static inline"), len(events))
        functions = re.findall(r"^(\w+)\(", text, re.M)
        check(f"{name}: each function once", len(functions) == len(set(functions)))
    # States are entered and left one behind the other.
    for name in ("tampi", "mpi", "nodes"):
        with open(f"{name}_events.h", encoding="utf-8") as f:
            calls = re.findall(r"^(\w+)\(void\)", f.read(), re.M)[1:]
        trace(name, [name], ";\n".join(f"{c}()" for c in calls) + ";\n")
        emulated(name)
    trace("nosv", ["nosv"], 'nosv_create_task_type(1, "t"); nosv_create_task(5, 1); nosv_execute_body(5, 0); nosv_end_body(5, 0);')
    check("nosv: a task", ":10:5" in emulated("nosv"))


def own():
    p = run(*CC, "-x", "c", "-shared", "-fPIC", f"-I{SRC}/src/emu/public", "-o", "my.so", "-", text=MODEL)
    check("the model is built", p[0] == 0, p[2])
    text = header("./my.so", "my-model")
    compiles("my-model")
    check("an event that is too long", "too long" not in text)
    check("and is told", " bytes of arguments, and an event holds 16: the header is without it" in run(TOOL, "header", "./my.so")[2])
    check("by its name", header("my-model", "again", "--model", "./my.so") == text)
    trace("mine", ["my-model"], CALLS)
    prv = emulated("mine", "--model", "./my.so")
    check("mine: level and phase", re.search(r":950:7", prv) and re.search(r":951:1", prv) and re.search(r":951:0", prv), prv)
    status, out, err = run(f"{TOOLS}/ovnidump", "-q", "--model", "./my.so", "-m", "my-model", "ovni")
    said = [line.split("  ", 5)[-1].strip() for line in out.splitlines()]
    for want in SAID:
        check(f"mine: {want[:60]}", any(line.endswith(want.strip()) for line in said), out)
    check("mine: ovnidump", status == 0 and not err and len(said) == len(SAID), err, out)
    for words, told in ((["none"], "there is no model 'none'"), ([], "the file of a model, or its name, is needed"), (["./none.so"], "cannot be loaded")):
        status, out, err = run(TOOL, "header", *words)
        check(f"refused: {words}", status in (1, 2) and not out and told in err, err)


def main():
    built_in()
    own()
    print(f"{counts[0]} passed, {counts[1]} failed")
    return 1 if counts[1] else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        sys.exit(main())
