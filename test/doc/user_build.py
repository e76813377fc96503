#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The build of users, as the README has it, makes what is installed and nothing else.

usage: user_build.py SOURCE_ROOT
"""
import json
import os
import re
import subprocess
import sys
import tempfile

# by name only: what scripts/demo runs
EXAMPLES = {"heat", "twoproc"}


def main():
    root = os.path.abspath(sys.argv[1])
    with open(f"{root}/README.md", encoding="utf-8") as f:
        words = re.search(r"^    meson setup build (.*-Dtests=disabled.*)$", f.read(), re.M).group(1).split()
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run(["meson", "setup", *words, f"{tmp}/build", root], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL)
        text = subprocess.run(["meson", "introspect", "--targets", "--tests", f"{tmp}/build"], check=True,
                              capture_output=True, text=True).stdout
    found = json.loads(text)
    made = [t for t in found["targets"] if t["build_by_default"]]
    # Static libraries are parts of what is installed.
    more = [t["filename"][0] for t in made if not t["installed"] and t["type"] != "static library"]
    test_dir = os.path.join(root, "test") + os.sep
    parts = [t["name"] for t in found["targets"] if t["defined_in"].startswith(test_dir)]
    lost = EXAMPLES - {t["name"] for t in found["targets"]}
    for what, names in (("made, but not installed", more), ("of the tests", parts), ("cannot be made", sorted(lost)),
                        ("a test", [t["name"] for t in found["tests"]])):
        for name in names:
            print(f"{what}: {name}")
    installed = sum(t["installed"] for t in made)
    print(f"{installed} of {len(made)} targets are installed, the others are parts of them")
    return 1 if more or parts or lost or found["tests"] or not installed else 0


if __name__ == "__main__":
    sys.exit(main())
