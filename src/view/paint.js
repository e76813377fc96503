// SPDX-License-Identifier: MIT
// paint.js: what the engine knows of a channel, as an image of one pixel a column and a few pixels a row.
import { heat, look, palette, pixel } from "./colors.js";
import { channelOf, state } from "./state.js";

const WIDE = 26; // px from which on a state may have a label

// 7 patterns, by column and line; the first is none, the second (diagonals) is that of errors.
const patterns = [
	() => false,
	(x, k) => (x + k) % 5 < 2,
	(x, k) => (x - k + 60000) % 5 < 1,
	(x) => x % 4 < 1,
	(x, k) => k % 3 === 1,
	(x, k) => (x + 2 * (k & 1)) % 4 < 1 && k % 2 === 0,
	(x, k) => (x + k) % 4 < 1 || (x - k + 60000) % 4 < 1,
];

// Lines of a row in the image. A state fills as many of them as it has of the time; with one the share is its strength.
export function linesOf(type, height) {
	return type === "count" ? (state.lines ? Math.min(height, 24) : 1) : height < 4 ? 1 : height < 9 ? 3 : height < 14 ? 4 : 6;
}

const spares = []; // canvases that no picture has

export function giveBack(canvas) {
	if (canvas)
		spares.push(canvas);
}

// Paints pic.part into pic.canvas, and notes in pic.runs where labels may stand: [x0, x1, index]... for each row.
export function paint(pic, lines) {
	const { part, rows, width } = pic;
	const height = rows.length * lines;
	const canvas = (pic.canvas ??= spares.pop() || document.createElement("canvas"));
	if (canvas.width !== width || canvas.height !== height || !canvas.image) {
		canvas.width = width;
		canvas.height = height;
		canvas.brush ??= canvas.getContext("2d");
		canvas.image = new ImageData(width, height);
		canvas.pixels = new Uint32Array(canvas.image.data.buffer);
	}
	canvas.pixels.fill(0);
	(channelOf(pic.channel).type === "count" ? paintCounts : paintStates)(pic, part, lines, canvas.pixels);
	canvas.brush.putImageData(canvas.image, 0, 0);
	pic.lines = lines;
	pic.dirty = false;
}

// Notes the runs of a row that are wide enough for a label.
function runsOf(part, from, width) {
	const runs = [];
	let begin = 0;
	let same = -1;
	for (let x = 0; x <= width; x++) {
		const now = x < width && part.known[from + x] && part.share[from + x] > 250 ? part.index[from + x] : -1;
		if (now !== same) {
			if (same > 0 && x - begin >= WIDE)
				runs.push(begin, x, same);
			same = now;
			begin = x;
		}
	}
	return runs;
}

// Whether one state ends and another begins in the pixel, and no more: its larger part may stand for it.
function edge(part, i, x, width) {
	const { index, share, mixed } = part;
	return mixed[i] <= 2 && x > 0 && x < width - 1 && share[i - 1] > 250 && share[i + 1] > 250 && index[i - 1] !== index[i + 1] &&
		(index[i] === index[i - 1] || index[i] === index[i + 1]);
}

function paintStates(pic, part, lines, out) {
	const { width } = pic;
	const p = (pic.palette = palette(pic.channel));
	const dim = parseInt(look.dim.slice(1), 16);
	const faint = pixel(dim, 70);
	const ink = pixel(parseInt(look.ink.slice(1), 16), 255);
	// Of each column: the colour of its state from the bottom up, that of other states above it, and how high both are.
	const lower = new Uint32Array(width);
	const upper = new Uint32Array(width);
	const low = new Uint8Array(width);
	const high = new Uint8Array(width);
	const heights = Uint8Array.from({ length: 256 }, (_, s) => Math.round((s * lines) / 255));
	const special = [];
	const { known, share, index, ticks, mixed, state: most, stateShare, used } = part;
	for (let r = 0, i = 0; r < pic.rows.length; r++) {
		pic.runs[r] = runsOf(part, i, width);
		special.length = 0;
		for (let x = 0; x < width; x++, i++) {
			const mix = mixed[i] > 1 && share[i] < 250 && (mixed[i] > 2 || !edge(part, i, x, width));
			const v = mix ? most[i] : index[i];
			let n = lines;
			let m = lines;
			let full = known[i] ? p.full[v] : 0;
			if (v && full >>> 24 === 0) {
				// Hidden by the user: a line at the bottom.
				n = m = 1;
				full = faint;
			} else if (mix && lines > 1) {
				n = heights[stateShare[i]] || 1;
				if (n === lines)
					n--;
				m = heights[used[i]];
			} else if (mix) {
				full = ((full & 0xffffff) | (((full >>> 24) * (80 + stateShare[i] * 0.68)) / 255 << 24)) >>> 0;
			}
			lower[x] = full;
			upper[x] = p.pale[v];
			low[x] = n;
			high[x] = m;
			if (known[i] < 2 || p.pattern[v] || ticks[i])
				special.push(x);
		}
		const o = r * lines * width;
		for (let k = 0, at = o; k < lines; k++) {
			const above = lines - k - 1;
			for (let x = 0; x < width; x++, at++)
				if (low[x] > above)
					out[at] = lower[x];
				else if (high[x] > above)
					out[at] = upper[x];
		}
		for (const x of special)
			finish(part, p, i - width + x, x, lines, out, o + x, width, faint, ink);
	}
}

// Hatches and ticks of one column. What is not known, and may be nothing, is hatched in grey once it is certain that
// no more comes.
function finish(part, p, i, x, lines, out, o, width, faint, ink) {
	const known = part.known[i];
	const v = part.mixed[i] > 1 && part.share[i] < 250 ? part.state[i] : part.index[i];
	for (let k = 0; k < lines; k++) {
		const at = o + k * width;
		if (!known || (known === 1 && !v)) {
			if (part.done && (x + k) % (known ? 12 : 6) < 1)
				out[at] = faint;
		} else if (known === 1) {
			if ((x + k) % 4 < 2)
				out[at] = p.pale[v] || out[at];
		} else if (p.pattern[v] && out[at] === p.full[v] && patterns[p.pattern[v]](x, k)) {
			out[at] = p.dark[v];
		}
	}
	if (part.ticks[i]) {
		const end = v && lines > 1 ? Math.ceil(lines * 0.6) : lines;
		for (let k = 0; k < end; k++)
			out[o + k * width] = p.full[part.tick[i]] || ink;
	}
}

// Heat: the mean as a colour. Lines: filled up to the mean, pale up to the maximum.
function paintCounts(pic, part, lines, out) {
	const { width } = pic;
	let lo = 0;
	let hi = 0;
	for (let i = 0; i < part.known.length; i++)
		if (part.known[i]) {
			lo = Math.min(lo, part.min[i]);
			hi = Math.max(hi, part.max[i]);
		}
	pic.range = [lo, hi];
	const lut = heat();
	const accent = parseInt(look.accent.slice(1), 16);
	const full = pixel(accent, 255);
	const pale = pixel(accent, 90);
	const scale = hi > lo ? 1 / (hi - lo) : 0;
	for (let r = 0; r < pic.rows.length; r++) {
		pic.runs[r] = [];
		for (let x = 0, i = r * width; x < width; x++, i++) {
			if (!part.known[i] || !scale || (!part.max[i] && !part.min[i]))
				continue;
			const o = r * lines * width + x;
			const mean = (part.mean[i] - lo) * scale;
			const mark = part.known[i] === 1 && x % 4 < 2;
			if (!state.lines) {
				out[o] = mark ? (lut[(mean * 255) | 0] & 0xffffff) | 0x60000000 : lut[(mean * 255) | 0];
				continue;
			}
			const to = lines - Math.max(1, Math.round(mean * lines));
			const top = lines - Math.max(1, Math.round((part.max[i] - lo) * scale * lines));
			for (let k = top; k < lines; k++)
				out[o + k * width] = k < to || mark ? pale : full;
		}
	}
}
