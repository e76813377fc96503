#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ovniscope-model trace and text, with one allocation that fails (test/unit/failing.c), or all from one on.

usage: nomem.py FAILING_MODEL SRC

As in test/unit/tool_nomem.py: the tool says so, or does what it does otherwise.
"""
import os
import sys
import tempfile

TOOL, SRC = (os.path.abspath(p) for p in sys.argv[1:3])
sys.path[:0] = [f"{SRC}/test/{x}" for x in ("unit", "fuzz")]
import corpus  # noqa: E402
import tool_nomem  # noqa: E402

RUNS = 60


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.mkdir(f"{tmp}/empty")
        tool_nomem.tools.write(f"{tmp}/text", corpus.MODEL_TEXT.replace(" require none", " require ovni=1.1.0").encode())
        status, _, err = tool_nomem.run([TOOL, "trace", f"{tmp}/text"], f"{tmp}/trace", f"{tmp}/count")
        wrong = f"no trace: {err}" if status else None
        for words, source in (([TOOL, "trace", "-f", f"{tmp}/text"], "empty"), ([TOOL, "text"], "trace")):
            wrong = wrong or tool_nomem.walk(words, f"{tmp}/{source}", RUNS // int(os.environ.get("TEST_SHARE", "1")), tmp)
        if wrong:
            print("FAIL", wrong)
        return 1 if wrong else 0


sys.exit(main())
