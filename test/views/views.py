#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The views in cfg/ are those that ovniemu writes for a trace with all models.

usage: views.py [--update] OVNIEMU

Without --update, fails when cfg/ differs from what the declarations of the models give, or when labels whose
colours clash, and many of them, do not get different ones.
"""
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "test", d) for d in ("gen", "cli")]
import asm  # noqa: E402
import paraver_files  # noqa: E402

TRACE = """
loom node.0 cpus 0:0
proc 1 app 1
thread 1 require nosv=2.7.0
attr nosv.can_breakdown true
mark 0 single "Mark"
1 0 OHx 0 -1 0
1 1 OHe
"""


# 4096 apart the first colour that is tried is one, and with 777 there are more values than colours.
CROWDED = f"""
loom node.0 cpus {" ".join(f"{i}:{i}" for i in range(30))}
proc 1 app 1
thread 1
mark 0 single "Few" {" ".join(f'{v}="v{v}"' for v in (*range(20, 60), 777, 4096 + 25, 2 * 4096 + 25, 9999))}
mark 1 single "Many" {" ".join(f'{v}="v{v}"' for v in range(1, 300))}
mark 2 single "Large" 3="three" 10000="ten thousand"
1 0 OHx 0 -1 0
1 1 OHe
"""


def crowded(emu, tmp):
    """What is wrong with the views of a trace with many labels."""
    asm.assemble(CROWDED, os.path.join(tmp, "crowded"))
    subprocess.run([emu, "-q", "-o", os.path.join(tmp, "out"), os.path.join(tmp, "crowded")], check=True)
    return paraver_files.check(os.path.join(tmp, "out"))


def tree(top):
    found = set()
    for path, _, files in os.walk(top):
        found |= {os.path.relpath(os.path.join(path, f), top) for f in files}
    return found


def main():
    args = sys.argv[1:]
    update = "--update" in args
    emu = [a for a in args if a != "--update"][0]
    want = os.path.join(ROOT, "cfg")
    with tempfile.TemporaryDirectory() as tmp:
        trace = os.path.join(tmp, "trace")
        asm.assemble(TRACE, trace)
        subprocess.run([emu, "-q", "-a", "-m", "laplace,prism,useful,blocked,parallelism", "-b", "-o", tmp, trace], check=True)
        have = os.path.join(tmp, "cfg")
        if update:
            shutil.rmtree(want, ignore_errors=True)
            shutil.copytree(have, want)
            print(f"{len(tree(want))} views written to cfg/")
            return 0
        bad = sorted(tree(want) ^ tree(have))
        bad += [f for f in sorted(tree(want) & tree(have))
                if not filecmp.cmp(os.path.join(want, f), os.path.join(have, f), shallow=False)]
        for f in bad:
            print(f"cfg/{f} is not what the models declare")
        if bad:
            print("run 'meson compile update-cfg' and review the difference")
        wrong = crowded(emu, tmp)
        for text in wrong:
            print(text)
        return 1 if bad or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
