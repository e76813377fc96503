# SPDX-License-Identifier: MIT
"""What the tests share of tools that write a µScope file with their subcommand uscope."""
import json
import os
import subprocess


class Converter:
    """A tool, and the command uscope that looks at what it wrote. check(ok, *what) takes what is found."""

    def __init__(self, tool, uscope, check):
        self.tool = os.path.abspath(tool)
        self.program = os.path.abspath(uscope)
        self.check = check

    def call(self, *args, status=0, **more):
        p = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=200, **more)
        err = p.stderr.decode(errors="replace")
        self.check(p.returncode == status, args, "status", p.returncode, "not", status, err[-400:])
        return p.stdout.decode(errors="replace"), err

    def run(self, *args, **more):
        """The tool: stdout, stderr."""
        return self.call(self.tool, *args, **more)

    def look(self, *args):
        """What the command uscope prints."""
        return self.call(self.program, *args)[0]

    def convert(self, *args, out="o.uscp", **more):
        """Writes a file that keeps all rules; what the tool said."""
        err = self.run("uscope", "-o", out, *args, **more)[1]
        if more.get("status", 0) == 0:
            self.look("check", "--verify", "-q", out)
        return err

    def records(self, path):
        """All of a file but its segments, in the order of their times."""
        return [x for x in map(json.loads, self.look("dump", path).splitlines()) if x["kind"] != "segment"]
