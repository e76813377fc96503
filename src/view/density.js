// SPDX-License-Identifier: MIT
// density.js: how busy the CPUs were over time, and how much happened, as the summary of a file tells.
import { u16, u32, u64 } from "./bytes.js";
import { SUMMARIES } from "./uscp.js";

const TOTALS = 0x4d555354, COUNTERS = 0x4d555343; // "TSUM", "CSUM"
const LEVELS_MAX = 64;

// Where the levels begin. null: they do not fit.
function levelsAt(b, at, n, size) {
	const levels = [];
	for (let i = 0; i < n; i++) {
		if (i === LEVELS_MAX || at + 4 > b.length || at + 4 + u32(b, at) * size > b.length)
			return null;
		levels.push({ at: at + 4, n: u32(b, at) });
		at += 4 + u32(b, at) * size;
	}
	levels.end = at;
	return levels;
}

// { base, fan, density, counters: [{ name, levels }] }; null: there is no summary, or it is damaged.
function parseSummary(b) {
	const magic = b && b.length >= 16 ? u32(b, 0) : 0;
	if (magic !== TOTALS && magic !== COUNTERS)
		return null;
	const s = { bytes: b, base: u32(b, 4), fan: u32(b, 8), density: [], counters: [] };
	if (!s.base || s.fan < 2)
		return null;
	let at = 12;
	if (magic === TOTALS) {
		s.density = levelsAt(b, 24, u32(b, 20), 4);
		if (!s.density)
			return null;
		at = s.density.end;
	}
	const n = at + 4 <= b.length ? u32(b, at) : 0;
	at += 4;
	for (let i = 0; i < n && at + 4 <= b.length; i++) {
		const length = u32(b, at), head = at + 4 + length;
		const levels = head + 6 <= b.length ? levelsAt(b, head + 6, u32(b, head + 2), 24) : null;
		if (!levels)
			return null;
		s.counters.push({ name: new TextDecoder().decode(b.subarray(at + 4, head)), storage: u16(b, head), levels });
		at = levels.end;
	}
	return s;
}

// Adds a level to pixels: each bucket in proportion to the part of it that a pixel has. The last one ends with the file.
function spread(s, levels, view, value, out) {
	const { t0, t1, width, period, end } = view, pixel = (t1 - t0) / width;
	let k = 0, bucket = s.base * period;
	while (k + 1 < levels.length && bucket * s.fan <= pixel) {
		bucket *= s.fan;
		k++;
	}
	const level = levels[k], last = Math.min(level ? level.n : 0, Math.ceil(t1 / bucket));
	for (let i = Math.max(0, Math.floor(t0 / bucket)); i < last; i++) {
		const v = value(s.bytes, level.at, i);
		if (v === 0)
			continue;
		const stop = Math.max(Math.min((i + 1) * bucket, end), i * bucket + period), whole = (stop - i * bucket) / pixel;
		const from = Math.max(0, (i * bucket - t0) / pixel), to = Math.min(width, (stop - t0) / pixel);
		for (let x = Math.floor(from); x < to; x++)
			out[x] += v * (Math.min(x + 1, to) - Math.max(x, from)) / whole;
	}
}

// The CPUs whose use is told: physical ones, or all if there are none.
function cpuLabels(model) {
	const cpus = model.rows.filter(r => r.view === "cpu"), physical = cpus.filter(r => !r.virtual);
	return new Set((physical.length ? physical : cpus).map(r => r.label));
}

function busy(session, s, view) {
	const labels = cpuLabels(session.model), out = new Float64Array(view.width);
	if (!labels.size || session.model.kind !== "ovni")
		return null;
	for (const c of s.counters) {
		const name = /^cpu\/(.*)\/busy$/.exec(c.name);
		if (name && labels.has(name[1].trim()))
			spread(s, c.levels, view, (b, at, i) => u64(b, at + 24 * i + 16), out);
	}
	const most = (view.t1 - view.t0) / view.width / view.period * labels.size;
	return Float32Array.from(out, v => Math.min(1, v / most));
}

// Frames of the segments whose headers were read: a file that grows has no summary.
function framesOf(session, view, out, known) {
	const { file } = session, pixel = (view.t1 - view.t0) / view.width;
	for (const s of file.segments) {
		const from = Math.max(0, (s.begin - view.t0) / pixel), to = Math.min(view.width, (s.end - view.t0) / pixel);
		for (let x = Math.floor(from); x < to && s.frames !== undefined && s.end > s.begin; x++) {
			out[x] += s.frames * (Math.min(x + 1, to) - Math.max(x, from)) * pixel / (s.end - s.begin);
			known[x] = 1;
		}
	}
}

// Events or changes a pixel, and the use of CPUs.
export async function overview(session, { width, t0, t1 }) {
	const { file } = session, known = new Uint8Array(width), density = new Float64Array(width);
	const view = { t0, t1, width, period: file.clock, end: file.end };
	if (session.summary === undefined || !file.header.complete) {
		session.summary = null;
		for (const type of SUMMARIES)
			session.summary = session.summary || parseSummary(await file.section(type));
	}
	const s = session.summary;
	if (!s || !s.density.length) {
		framesOf(session, view, density, known);
		return { busy: s ? busy(session, s, view) : null, density: known.some(v => v) ? Float32Array.from(density) : null, known };
	}
	spread(s, s.density, view, (b, at, i) => u32(b, at + 4 * i), density);
	known.fill(2);
	return { busy: busy(session, s, view), density: Float32Array.from(density), known };
}
