# SPDX-License-Identifier: MIT
"""The examples run, and leave traces with what they promise.

usage: examples.py heat twoproc
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile


def run(program, *args):
    """The metadata and the events (MCV, payload) of each stream."""
    with tempfile.TemporaryDirectory() as tmp:
        env = {k: v for k, v in os.environ.items() if k != 'OVNI_TMPDIR'}
        env['OVNI_TRACEDIR'] = tmp
        p = subprocess.run([program, *args], env=env, timeout=60, capture_output=True, text=True)
        assert p.returncode == 0 and p.stderr == '', (program, p)
        streams = []
        for meta in sorted(pathlib.Path(tmp).rglob('stream.json')):
            streams.append((json.loads(meta.read_text()), list(events(meta.with_suffix('.obs').read_bytes()))))
        return streams


def events(data):
    assert data[:8] == b'ovni' + struct.pack('=I', 1)
    at, last = 8, 0
    while at < len(data):
        flags, mcv, clock = data[at], data[at + 1:at + 4].decode(), struct.unpack_from('=Q', data, at + 4)[0]
        assert clock >= last, (mcv, clock, last)
        size = (flags & 15) + 1 if flags & 15 else 0
        yield mcv, data[at + 12:at + 12 + size]
        at, last = at + 12 + size, clock


def check(streams, nthreads):
    assert len(streams) == nthreads, len(streams)
    cpus = {c['index']: c['phyid'] for meta, _ in streams for c in meta['ovni'].get('loom_cpus', [])}
    assert sorted(cpus) == list(range(nthreads)), cpus
    for meta, evs in streams:
        ovni = meta['ovni']
        assert meta['version'] == 3 and ovni['finished'] == 1 and ovni['require'] == {'ovni': '1.1.0'}
        names = [mcv for mcv, _ in evs if mcv[:2] != 'OF']
        assert names[0] == 'OHx' and names[-1] == 'OHe' and names.count('OHx') == 1
        assert names.count('OHp') == names.count('OHr')
        stacks = {}
        for mcv, arg in evs:
            if mcv[:2] != 'OM':
                continue
            value, kind = struct.unpack('=qi', arg)
            want = ovni['mark'][str(kind)]['chan_type']
            assert want == ('single' if mcv == 'OM=' else 'stack')
            if mcv == 'OM[':
                stacks.setdefault(kind, []).append(value)
            elif mcv == 'OM]':
                assert stacks[kind].pop() == value
        assert not any(stacks.values())
    # On each CPU one thread, and everybody says the same about marks and looms.
    begins = sorted(struct.unpack_from('=i', evs[0][1])[0] for _, evs in streams)
    assert begins == list(range(nthreads)), begins
    assert len({json.dumps(meta['ovni']['mark'], sort_keys=True) for meta, _ in streams}) == 1
    assert len({meta['ovni']['loom'] for meta, _ in streams}) == 1


heat, twoproc = sys.argv[1:]
check(run(heat), 4)
check(run(heat, '1', '3'), 1)
streams = run(heat, '3', '10')
check(streams, 3)
assert sum(mcv == 'OHp' for _, evs in streams for mcv, _ in evs) == 2 * 10 * 2

streams = run(twoproc)
check(streams, 6)
procs = {meta['ovni']['pid']: meta['ovni'] for meta, _ in streams}
assert len(procs) == 2 and {p['loom'] for p in procs.values()} == {'node.loom'}
assert sorted((m['ovni']['app_id'], m['ovni']['rank'], m['ovni']['nranks'])
              for m, _ in streams if 'rank' in m['ovni']) == [(1, 0, 2), (2, 1, 2)]
