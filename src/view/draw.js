// SPDX-License-Identifier: MIT
// draw.js: a frame: rows, labels in them, time axis, cursor and selection. It blits pictures, new or old, and no more.
import { channelOf, cursorChannel, on, short, state } from "./state.js";
import { $, later } from "./dom.js";
import { cssOf, inkOn, look } from "./colors.js";
import { AXIS, layout, visible } from "./rows.js";
import { axis, exact } from "./units.js";
import { painted, picturesOf, settling, stats } from "./pictures.js";

const FONT = "11px system-ui, sans-serif";

export const hover = { x: -1, t: 0 };

let ctx = null;
let width = 0;
let height = 0;
let pending = false;
let moved = 0; // when the place changed last
const widths = new Map(); // of texts

export function xOf(t) {
	return ((t - state.t0) / (state.t1 - state.t0)) * width;
}

export function tOf(x) {
	return state.t0 + (x / width) * (state.t1 - state.t0);
}

const labelsLater = later(redraw, 80);

// Draws with the next frame, once.
export function redraw() {
	if (pending || !state.info)
		return;
	pending = true;
	requestAnimationFrame(() => {
		pending = false;
		const begin = performance.now();
		frame(begin);
		stats.frames.push(performance.now() - begin);
		if (stats.frames.length > 5000)
			stats.frames.splice(0, 2500);
	});
}

function textWidth(text) {
	let w = widths.get(text);
	if (w === undefined) {
		if (widths.size > 5000)
			widths.clear();
		w = ctx.measureText(text).width;
		widths.set(text, w);
	}
	return w;
}

// As much of a text as there is room for. "Group: name" goes without the group before it is cut.
function fitted(text, room) {
	const w = textWidth(text);
	if (w <= room)
		return text;
	const group = text.indexOf(": ");
	if (group > 0)
		return fitted(text.slice(group + 2), room);
	const n = Math.floor((text.length * room) / w) - 2;
	return n > 1 ? text.slice(0, n) + "…" : "";
}

// y, h: where the lines of `count` rows from `first` on go.
function blit(pic, first, count, y, h) {
	const dt = (pic.t1 - pic.t0) / pic.width;
	const from = Math.max(0, Math.floor((state.t0 - pic.t0) / dt));
	const to = Math.min(pic.width, Math.ceil((state.t1 - pic.t0) / dt));
	if (to <= from)
		return;
	const x = xOf(pic.t0 + from * dt);
	ctx.drawImage(pic.canvas, from, first * pic.lines, to - from, count * pic.lines, x, y, xOf(pic.t0 + to * dt) - x, h);
}

function labels(pic, first, y, h) {
	const { palette } = pic;
	const runs = pic.runs[first];
	const values = channelOf(pic.channel).values;
	const dt = (pic.t1 - pic.t0) / pic.width;
	for (let i = 0; i < runs.length; i += 3) {
		const v = runs[i + 2];
		const x0 = Math.max(0, xOf(pic.t0 + runs[i] * dt));
		const x1 = Math.min(width, xOf(pic.t0 + runs[i + 1] * dt));
		if (x1 - x0 < 26 || !values[v] || !palette.plain[v])
			continue;
		const text = fitted(short(values[v].text, 100), x1 - x0 - 9);
		if (!text)
			continue;
		if (values[v].error || state.patterns) {
			ctx.fillStyle = cssOf(values[v]);
			ctx.fillRect(x0 + 2, y + 1, textWidth(text) + 6, h - 2);
		}
		ctx.fillStyle = inkOn(values[v]);
		ctx.fillText(text, x0 + 4, y + h / 2 + 0.5);
	}
}

// All rows of a folded group, as one.
function drawFolded(pics, item, y) {
	for (const pic of pics.slice(Math.max(0, pics.findLastIndex((p) => p.whole)))) {
		const ys = item.rows.map((r) => pic.at.get(r)).filter((n) => n !== undefined);
		if (ys.length)
			blit(painted(pic, layout.lane), Math.min(...ys), ys.length, y + 3, item.height - 6);
	}
}

function drawRows(begin) {
	const items = visible();
	const { lane } = layout;
	ctx.save();
	ctx.beginPath();
	ctx.rect(0, AXIS, width, height - AXIS);
	ctx.clip();
	const top = (item) => AXIS + item.top - state.top;
	for (const item of items) {
		ctx.fillStyle = item.group ? look.panel : look.lane;
		ctx.fillRect(0, top(item), width, item.height - (item.group ? 0 : layout.gap));
	}
	const used = state.channels.map(picturesOf);
	for (const item of items) {
		if (item.group && !item.folded)
			continue;
		ctx.imageSmoothingEnabled = !!item.group;
		if (item.group)
			drawFolded(used[0], item, top(item));
		else
			used.forEach((pics, n) => {
				const has = pics.filter((pic) => pic.at.has(item.row));
				const from = Math.max(0, has.findLastIndex((pic) => pic.whole));
				const line = lane > 8 && used.length > 1 ? 1 : 0; // between channels
				for (const pic of has.slice(from))
					blit(painted(pic, lane), pic.at.get(item.row), 1, top(item) + n * lane, lane - line);
			});
	}
	if (state.labels && lane >= 11) {
		ctx.textBaseline = "middle";
		used.forEach((pics, n) => {
			const pic = pics[pics.length - 1];
			for (const item of pic && pic.palette ? items : []) {
				// While the picture moves, labels may wait.
				if (begin - moved < 60 && performance.now() - begin > 6) {
					labelsLater();
					break;
				}
				if (!item.group && pic.at.has(item.row))
					labels(pic, pic.at.get(item.row), top(item) + n * lane, lane);
			}
		});
	}
	const outside = (t0, t1) => {
		ctx.fillStyle = look.panel;
		ctx.fillRect(xOf(t0), AXIS, xOf(t1) - xOf(t0), height);
	};
	if (state.t0 < state.info.begin)
		outside(state.t0, state.info.begin);
	if (state.t1 > state.info.end)
		outside(state.info.end, state.t1);
	drawMarks(items, top);
	ctx.restore();
}

// Selection and row of the cursor.
function drawMarks(items, top) {
	const { selection: s, cursor } = state;
	if (s) {
		const rows = new Set(s.rows);
		const x = xOf(s.t0);
		const w = Math.max(1, xOf(s.t1) - x);
		ctx.fillStyle = look.veil;
		for (const item of items)
			if (rows.has(item.row))
				ctx.fillRect(x, top(item), w, item.height);
		ctx.fillStyle = look.accent;
		ctx.fillRect(x - 1, AXIS, 1, height);
		ctx.fillRect(x + w, AXIS, 1, height);
	}
	const at = cursor && items.find((i) => (i.group ? i.group === cursor.group : i.row === cursor.row));
	if (at) {
		ctx.strokeStyle = look.accent;
		const lane = at.group ? 0 : state.channels.indexOf(cursorChannel());
		ctx.strokeRect(-2, top(at) + lane * layout.lane - 0.5, width + 4, at.group ? at.height : layout.lane + 1);
	}
}

function drawAxis() {
	const { step, base, marks } = axis(state.t0, state.t1, width);
	ctx.fillStyle = look.bg;
	ctx.fillRect(0, 0, width, AXIS);
	ctx.textBaseline = "middle";
	const from = base ? textWidth(base) + 14 : 0;
	for (const mark of marks) {
		const x = Math.round(xOf(mark.t)) + 0.5;
		ctx.strokeStyle = look.line;
		ctx.beginPath();
		ctx.moveTo(x, AXIS - 7);
		ctx.lineTo(x, height);
		for (let n = 1; n < 5; n++) {
			const minor = Math.round(xOf(mark.t + (n * step) / 5)) + 0.5;
			ctx.moveTo(minor, AXIS - 4);
			ctx.lineTo(minor, AXIS);
		}
		ctx.stroke();
		ctx.fillStyle = look.dim;
		if (x + 4 > from && x + 4 + textWidth(mark.text) <= width)
			ctx.fillText(mark.text, x + 4, 13);
	}
	if (base) {
		ctx.fillStyle = look.ink;
		ctx.fillText(base, 4, 13);
	}
	ctx.fillStyle = look.line;
	ctx.fillRect(0, AXIS - 1, width, 1);
}

// A line over all rows with its time at the axis.
function flag(t, color, ink) {
	const x = xOf(t);
	if (x < -1 || x > width + 1)
		return;
	const text = exact(t);
	const w = textWidth(text) + 10;
	const left = Math.max(0, Math.min(x - w / 2, width - w));
	ctx.fillStyle = color;
	ctx.fillRect(Math.round(x), AXIS - 6, 1, height);
	ctx.beginPath();
	ctx.roundRect(left, 3, w, 19, 3);
	ctx.fill();
	ctx.fillStyle = ink;
	ctx.fillText(text, left + 5, 13);
}

function frame(begin) {
	const canvas = $("plot");
	const dpr = devicePixelRatio;
	width = canvas.clientWidth;
	height = canvas.clientHeight;
	if (canvas.width !== Math.round(width * dpr) || canvas.height !== Math.round(height * dpr)) {
		canvas.width = Math.round(width * dpr);
		canvas.height = Math.round(height * dpr);
	}
	ctx ??= canvas.getContext("2d", { alpha: false });
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.font = FONT;
	ctx.lineWidth = 1;
	ctx.fillStyle = look.bg;
	ctx.fillRect(0, 0, width, height);
	drawAxis();
	drawRows(begin);
	if (hover.x >= 0)
		flag(hover.t, look.dim, look.bg);
	if (state.cursor)
		flag(state.cursor.t, look.accent, look.on);
	$("busy").hidden = !settling();
}

export function drawInit() {
	on("open place rows scroll channels cursor selection look values pictures hover", redraw);
	on("place", () => {
		moved = performance.now();
	});
	new ResizeObserver(redraw).observe($("plot"));
}
