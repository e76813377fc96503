# SPDX-License-Identifier: MIT
"""installkit: a library as a user has it: installed, and found by pkg-config."""
import glob
import os
import re
import shutil
import subprocess
import sys

COMPILERS = (("gcc", "c11"), ("gcc", "c17"), ("clang", "c11"), ("g++", "c++11"), ("clang++", "c++17"))
env = {k: v for k, v in os.environ.items() if not k.startswith(("PKG_CONFIG", "LD_"))}


def run(words, status=0, both=False):
    p = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=env)
    if p.returncode != status:
        sys.exit(f"{' '.join(words)}: status {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout + p.stderr if both else p.stdout if status == 0 else p.stderr


def expect(what, good):
    if not good:
        sys.exit(f"not so: {what}")


class Installed:
    """Installs all that was built below a folder of its own."""

    def __init__(self, tmp, build, package):
        self.package = package
        run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", f"{tmp}/inst"])
        found = glob.glob(f"{tmp}/inst/**/{package}.pc", recursive=True)
        expect(f"{package}.pc is installed once", len(found) == 1)
        where = os.path.dirname(found[0])
        for path in glob.glob(f"{where}/*.pc"):  # as if the folder were the prefix of the build
            with open(path, encoding="utf-8") as f:
                text = f.read()
            with open(path, "w", encoding="utf-8") as f:
                f.write(re.sub("^prefix=", f"prefix={tmp}/inst", text, flags=re.M))
        env.update(PKG_CONFIG_LIBDIR=where)
        self.flags = self.ask("--cflags", "--libs", package)
        self.libdir = "".join(self.ask("--variable=libdir", package))  # headers alone have none

    def ask(self, *words):
        return run(["pkg-config", *words]).split()

    def check_headers(self, *headers):
        """They compile alone, two times over, in C and C++."""
        for cc, std in COMPILERS:
            if not shutil.which(cc):
                continue
            for header in headers:
                p = subprocess.run([cc, "-x", "c++" if "++" in cc else "c", f"-std={std}", "-pedantic", "-Wall", "-Wextra",
                                    "-Wundef", "-Werror", "-fsyntax-only", *self.ask("--cflags", self.package), "-"],
                                   check=False, env=env, input=2 * f"#include <{header}>\n", capture_output=True, text=True)
                expect(f"{cc} -std={std} takes {header}: {p.stderr}", p.returncode == 0)

    def compile(self, source, program):
        run(["cc", "-Wall", "-Wextra", "-Werror", source, "-o", program, *self.flags, f"-Wl,-rpath,{self.libdir}"])

    def compile_page(self, page, program):
        """The program in a man page."""
        with open(page, encoding="utf-8") as f:
            source = re.search(r"^\.Sh EXAMPLES$.*?^\.Bd -literal\n(.*?)^\.Ed$", f.read(), re.S | re.M).group(1)
        with open(f"{program}.c", "w", encoding="utf-8") as f:
            f.write(source.replace("\\e", "\\"))
        self.compile(f"{program}.c", program)
