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
	return type === "count" ? (state.lines ? Math.min(height, 24) : 1) : height < 4 ? 1 : height < 9 ? 3 : 6;
}

// Paints pic.part into pic.canvas, and notes in pic.runs where labels may stand: [x0, x1, index]... for each row.
export function paint(pic, lines) {
	const { part, rows, width } = pic;
	const canvas = pic.canvas;
	canvas.width = width;
	canvas.height = rows.length * lines;
	const ctx = canvas.getContext("2d");
	const image = ctx.createImageData(width, rows.length * lines);
	const out = new Uint32Array(image.data.buffer);
	if (channelOf(pic.channel).type === "count")
		paintCounts(pic, part, lines, out);
	else
		paintStates(pic, part, lines, out);
	ctx.putImageData(image, 0, 0);
	pic.lines = lines;
	pic.dirty = false;
}

function paintStates(pic, part, lines, out) {
	const { width } = pic;
	const p = (pic.palette = palette(pic.channel));
	const { values } = channelOf(pic.channel);
	const dim = parseInt(look.dim.slice(1), 16);
	const some = pixel(dim, 255);
	const faint = pixel(dim, 70);
	const ink = pixel(parseInt(look.ink.slice(1), 16), 255);
	const ticks = values.map((v, i) => p.full[i] || ink);
	for (let r = 0; r < pic.rows.length; r++) {
		const runs = (pic.runs[r] = []);
		let from = 0; // of the run
		let same = -1;
		for (let x = 0; x <= width; x++) {
			const i = r * width + x;
			const now = x < width && part.known[i] && part.share[i] > 250 ? part.index[i] : -1;
			if (now !== same) {
				if (same > 0 && x - from >= WIDE)
					runs.push(from, x, same);
				same = now;
				from = x;
			}
		}
		for (let x = 0, i = r * width; x < width; x++, i++) {
			const o = r * lines * width + x;
			const known = part.known[i];
			if (!known) {
				// Nothing known: a hatch, once it is certain that nothing more comes.
				for (let k = 0; part.done && k < lines; k++)
					if ((x + k) % 6 < 1)
						out[o + k * width] = faint;
				continue;
			}
			const v = part.index[i];
			const share = part.share[i];
			const mixed = share < 250;
			let fill = mixed ? Math.max(1, Math.min(lines - 1, Math.round((share * lines) / 255))) : lines;
			let full = p.full[v];
			let pale = p.pale[v];
			if (!v) {
				// Mostly nothing: what else there is stands at the bottom, in grey.
				if (!mixed)
					full = pale = 0;
				else if (lines === 1)
					full = faint;
				else {
					fill = lines - fill;
					full = some;
					pale = 0;
				}
			} else if (lines === 1 && mixed) {
				full = (full & 0xffffff) | ((((full >>> 24) * (80 + share * 0.68)) / 255) << 24);
			} else if (full >>> 24 === 0) {
				// Hidden by the user: a line at the bottom.
				fill = 1;
				full = faint;
			}
			const pattern = patterns[p.pattern[v]];
			const other = p.dark[v];
			for (let k = 0; k < lines; k++) {
				let c = k >= lines - fill ? (p.pattern[v] && pattern(x, k) ? other : full) : pale;
				if (known === 1 && (x + k) % 4 < 2)
					c = pale || c;
				out[o + k * width] = c;
			}
			if (part.ticks && part.ticks[i]) {
				const c = ticks[part.tick[i]] || ink;
				const end = v && lines > 1 ? Math.ceil(lines * 0.6) : lines;
				for (let k = 0; k < end; k++)
					out[o + k * width] = k ? c : ink;
			}
		}
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
