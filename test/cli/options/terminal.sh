# A tool that reads a terminal says so; one that reads a file or a pipe does not.
. "$LIB"
$PYTHON - "$BUILD/src/emu/tool" <<'END'
import os, pty, subprocess, sys
tools = sys.argv[1]
for words in ([tools + "/prism/ovniscope-prism", "dump", "-"], [tools + "/ovniemu", "-o", "out", "--prism", "-"]):
    ours, theirs = pty.openpty()
    with subprocess.Popen(words, stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as p:
        line = p.stderr.readline()
        os.close(theirs)
        os.write(ours, b"\4")
        os.close(ours)
        p.stderr.read()
        if b"reading the standard input, a terminal: Ctrl-D ends it" not in line:
            sys.exit(f"{words[0]} says {line}")
    p = subprocess.run(words, input=b"", capture_output=True)
    if b"a terminal" in p.stderr:
        sys.exit(f"{words[0]} says {p.stderr}")
END
