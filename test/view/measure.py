#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the page costs: time to its first picture, until all is exact, of a frame while it is zoomed and moved; memory.

usage: measure.py BUILD [EVENTS | FILE]

Of a page from disk with a trace of nOS-V of 32 threads and EVENTS events, 3 million without the word, which make eleven
million intervals; with FILE, of a µScope file that `uscope view` serves. Times in the page are those of its own performance API. Status 1
if a limit is passed by far: the machine is shared, and the best of some attempts counts, of two or, while it is passed by far, more.
"""
import contextlib
import os
import sys
import tempfile

import chromium
import kit

TOLERANCE = 2.5
ATTEMPTS = 4

# What has to be met: from the page being parsed to a picture, to all of it being exact; of frames the slowest but 5 %.
PAGE = {"first picture, s": 0.3, "all exact, s": 2.5, "frame while zooming, ms": 12, "memory, MiB": 600}
SERVED = {"first picture, s": 1, "picture of a zoom, s": 0.5, "frame while zooming, ms": 12, "memory, MiB": 600}

FIRST = """
while (!window.ovniscope || !ovniscope.stats.firstPicture)
	await new Promise(done => setTimeout(done, 5));
return ovniscope.stats.firstPicture - performance.getEntriesByType('navigation')[0].domInteractive;
"""

ALL = """
await ovniscope.settled();
return ovniscope.stats.allExact - performance.getEntriesByType('navigation')[0].domInteractive;
"""

# Turns of the wheel as fast as frames come, in and out at some places, and to the sides.
ZOOM = """
const plot = document.getElementById('plot');
const box = plot.getBoundingClientRect();
const frame = () => new Promise(requestAnimationFrame);
const turn = (part, deltaY, shiftKey) => plot.dispatchEvent(new WheelEvent('wheel', {bubbles: true, cancelable: true, deltaY, shiftKey,
	clientX: box.left + part * box.width, clientY: box.top + 0.5 * box.height}));
ovniscope.stats.frames.length = 0;
const waits = [];
let before = performance.now();
for (let round = 0; round < 4; round++)
	for (const [delta, shift] of [[-60, false], [60, true], [-60, false], [60, false], [60, false]])
		for (let i = 0; i < 15; i++) {
			turn(0.2 + 0.2 * round, delta, shift);
			await frame();
			waits.push(performance.now() - before);
			before = performance.now();
		}
return [ovniscope.stats.frames, waits];
"""

# To places that were never seen: until there is a picture, and until it is exact, if that is a small part of the trace.
GO = """
const {begin, end} = ovniscope.info, {stats} = ovniscope;
const all = [];
for (const [from, part] of [[0.7, 0.01], [0.1, 0.2], [0.3, 1e-5], [0.5, 0.5], [0.9, 1e-3]]) {
	await new Promise(done => setTimeout(done, 400)); // the page has written its own link
	const p = new URLSearchParams(location.hash.slice(1)), t = begin + from * (end - begin);
	p.set('t', [Math.round(t), Math.round(t + part * (end - begin))].join());
	const before = performance.now();
	stats.firstPicture = null;
	location.hash = '#' + p;
	while (!stats.firstPicture)
		await new Promise(done => setTimeout(done, 2));
	all.push(performance.now() - before);
	if (part < 0.005 || end - begin < 1e12) {
		await ovniscope.settled();
		all.push(performance.now() - before);
	}
}
return all;
"""


def part(values, p):
    return sorted(values)[int(p * (len(values) - 1))] if values else 0


def measure(browser, page, whole):
    browser.open(page)
    got = {"first picture, s": browser.run(FIRST) / 1000}
    if whole:
        got["all exact, s"] = browser.run(ALL) / 1000
    frames, waits = browser.run(ZOOM)
    gone = [x / 1000 for x in browser.run(GO)]
    now, most = browser.memory()
    got |= {"frame while zooming, ms": part(frames, .95), "picture of a zoom, s": max(gone), "memory, MiB": most}
    print(f"first picture {got['first picture, s']:.2f} s, all exact {got.get('all exact, s', 0):.2f} s; {len(frames)} frames drawn while zooming: "
          f"median {part(frames, .5):.1f} ms, 95 % below {part(frames, .95):.1f} ms; between frames 95 % below {part(waits, .95):.0f} ms; "
          f"other places {', '.join(f'{x:.2f}' for x in gone)} s; memory {now:.0f} MiB, at most {most:.0f} MiB", flush=True)
    return got


def main():
    build = os.path.abspath(sys.argv[1])
    what = sys.argv[2] if len(sys.argv) > 2 else "3000000"
    chromium.skip_without()
    kit.memory.use()
    with tempfile.TemporaryDirectory() as tmp:
        tools = kit.Tools(build, tmp)
        server = contextlib.nullcontext()
        if what.isdigit():
            limits = PAGE
            tools.do(f"{build}/test/bench/bench_work", "trace", f"{tmp}/trace", "nosv", "1", "32", "32", what)
            page = tools.emulate("out", f"{tmp}/trace") + "/ovni.html"
        else:
            limits = SERVED
            server = tools.serve(what)
            page = server.address
        best = {}
        with server:
            for attempt in range(ATTEMPTS):
                # In a new browser, where nothing is warm.
                with chromium.Chromium() as browser:
                    for key, value in measure(browser, page, limits is PAGE).items():
                        best[key] = min(value, best.get(key, value))
                if all(best[key] <= limits[key] * (1 if attempt == 0 else TOLERANCE) for key in limits):
                    break
    for key, limit in limits.items():
        print(f"{key}: {best[key]:.2f}, limit {limit}")
    return any(best[key] > limits[key] * TOLERANCE for key in limits)


sys.exit(main())
