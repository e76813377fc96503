# The default view and --compat show the same states of one trace, at all times.
. "$LIB"
cat >states.py <<'END'
import sys
def states(path):
    """(row, type) -> [(time, value)] without what is 0 from the start and repeats"""
    last, out = {}, {}
    for line in open(path).read().splitlines()[1:]:
        p = line.split(":")
        for t, v in zip(p[6::2], p[7::2]):
            out.setdefault((p[4], t), {})[int(p[5])] = v
    for key, steps in out.items():
        now, seq = "0", []
        for time, v in sorted(steps.items()):
            if v != now:
                seq.append((time, v))
                now = v
        out[key] = seq
    return {k: v for k, v in out.items() if v}
for f in ("thread", "cpu"):
    a, b = states(f"default/{f}.prv"), states(f"compat/{f}.prv")
    if a != b:
        sys.exit(f"{f}: {set(map(str, a.items())) ^ set(map(str, b.items()))}")
    if len(a) < 4:
        sys.exit("nothing was compared")
END
small_trace
"$EMU" -q -o default trace || fail "the default view"
"$EMU" -q --compat -o compat trace || fail "--compat"
valid default
valid --compat compat
$PYTHON states.py || fail "the states differ"
for f in thread.row cpu.row; do cmp default/$f compat/$f || fail "$f differs"; done
