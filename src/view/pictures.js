// SPDX-License-Identifier: MIT
// pictures.js: asks the engine for pictures of what is shown, and keeps older ones to draw until they are there.
import { engine } from "./engine.js";
import { changed, channelOf, on, state, trouble } from "./state.js";
import { $ } from "./dom.js";
import { arrange, itemAt, layout, room, setBusy } from "./rows.js";
import { giveBack, linesOf, paint } from "./paint.js";

const PIXELS = 120000; // of a picture that is asked for, unless what is seen has more
const BASE_SIZE = 1 << 28; // bytes of a file that is read as a whole for a picture that nobody asked for

export const stats = { frames: [], firstPicture: null, allExact: null };

// By channel: { base, last, now, all }: pictures from the farthest to the newest, which is drawn on top, and all of them.
const lanes = new Map();
let generation = 0; // of the file, if it grows

export function lanesOf(channel) {
	if (!lanes.has(channel))
		lanes.set(channel, { base: null, last: null, now: null, all: [], asked: "", waiting: false, again: false });
	return lanes.get(channel);
}

// Rows that are seen, with those around them as far as they are cheap.
function rowsWanted(width) {
	const most = Math.max(32, Math.floor(PIXELS / width));
	if (layout.rows.length <= most)
		return layout.rows;
	const seen = layout.items.slice(itemAt(state.top - room() / 4), itemAt(state.top + 1.25 * room()) + 1);
	return seen.flatMap((i) => (i.group ? (i.folded ? i.rows.slice(0, most) : []) : [i.row]));
}

function newPicture(channel, rows, width, t0, t1) {
	return { channel, rows, width, t0, t1, at: new Map(rows.map((row, y) => [row, y])), part: null, runs: [], canvas: null, dirty: true,
		lines: 0, range: null, palette: null };
}

function ask(channel) {
	const lane = lanesOf(channel);
	const { clientWidth } = $("plot");
	const rows = rowsWanted(clientWidth);
	// As fine as the screen is, unless that is more than can be painted in a frame.
	const width = Math.round(Math.max(clientWidth, Math.min(clientWidth * devicePixelRatio, PIXELS / rows.length)));
	const { t0, t1 } = state;
	const key = [t0, t1, width, rows.length, rows[0], rows[rows.length - 1], layout.rows.length, state.sort, state.filter,
		generation].join();
	if (key === lane.asked || !rows.length || width < 1)
		return;
	if (lane.waiting) {
		lane.again = true;
		return;
	}
	lane.asked = key;
	lane.waiting = true;
	const pic = newPicture(channel, rows, width, t0, t1);
	const take = (part) => {
		// A late one is of use if there is nothing better.
		const late = lane.asked !== key && lane.now !== pic && lane.now && lane.now.part.done;
		if (!part || part.stale || late)
			return;
		lane.waiting = lane.asked === key ? false : lane.waiting;
		show(lane, pic, part);
		if (lane.again) {
			lane.again = false;
			ask(channel);
		}
	};
	engine.picture({ rows, channel, t0, t1, width, slot: "lane" + channel }, take).then(take, (e) => {
		lane.waiting = false;
		lane.failed = key;
		trouble(e);
	});
}

function show(lane, pic, part) {
	if (pic.part && pic.part.done)
		return;
	const whole = pic.t0 <= state.info.begin && pic.t1 >= state.info.end;
	if (lane.now !== pic) {
		const old = lane.now;
		if (old && (old.part.done || !lane.last))
			lane.last = old;
		lane.now = pic;
		lane.all.push(pic);
	}
	pic.part = part;
	pic.dirty = true;
	if (part.done && whole)
		lane.base = pic;
	if (part.done && state.sort === "busy" && !lane.sorted) {
		lane.sorted = true;
		arrange();
	}
	lane.all = lane.all.filter((p) => {
		const used = p === lane.base || p === lane.last || p === lane.now;
		if (!used)
			giveBack(p.canvas);
		return used;
	});
	stats.firstPicture ??= performance.now();
	if (part.done && !settling()) {
		stats.allExact ??= performance.now();
		state.channels.forEach(askBase);
	}
	changed("pictures");
}

// The whole trace, small, to have something at hand when one zooms out.
async function askBase(channel) {
	const lane = lanesOf(channel);
	const { begin, end, size } = state.info;
	if (lane.base || lane.baseAsked || size > BASE_SIZE)
		return;
	lane.baseAsked = true;
	const width = 1024;
	const pic = newPicture(channel, rowsWanted(width), width, begin, end);
	pic.part = await engine.picture({ rows: pic.rows, channel, t0: begin, t1: end, width, slot: "base" + channel }).catch(() => null);
	if (!pic.part || !pic.part.done || lane.base)
		return;
	lane.base = pic;
	lane.all.unshift(pic);
	changed("pictures");
}

// Whether pictures of what is shown are still to come.
export function settling() {
	return state.channels.some((c) => {
		const lane = lanesOf(c);
		return layout.rows.length && (lane.again || lane.waiting || ((!lane.now || !lane.now.part.done) && lane.failed !== lane.asked));
	});
}

// Pictures to draw, the newest last. whole: it alone is enough for the rows that it has.
export function picturesOf(channel) {
	const pics = lanesOf(channel).all.filter((p) => p.t0 < state.t1 && p.t1 > state.t0);
	for (const p of pics)
		p.whole = p.part.done && p.t0 <= state.t0 && p.t1 >= state.t1;
	return pics;
}

// A picture with its image, as lanes of that height have it.
export function painted(pic, height) {
	const lines = linesOf(channelOf(pic.channel).type, height);
	if (pic.dirty || pic.lines !== lines)
		paint(pic, lines);
	return pic;
}

// The pixel of a row at t in the newest picture: { index, share, mixed, known, ticks, tick, mean } or null.
export function pixelAt(channel, row, t) {
	const pic = lanesOf(channel).now;
	const y = pic ? pic.at.get(row) : undefined;
	if (y === undefined || t < pic.t0 || t >= pic.t1)
		return null;
	const i = y * pic.width + Math.floor(((t - pic.t0) / (pic.t1 - pic.t0)) * pic.width);
	const p = pic.part;
	const mix = p.mixed[i] > 1 && p.state;
	return { index: mix ? p.state[i] : p.index[i], share: (mix ? p.stateShare[i] : p.share[i]) / 255, mixed: p.mixed[i], known: p.known[i],
		ticks: p.ticks[i], tick: p.tick[i], mean: p.mean ? p.mean[i] : 0 };
}

export function askAll() {
	if (state.info)
		state.channels.forEach(ask);
}

export function picturesInit() {
	on("place rows scroll channels", askAll);
	on("look grown", () => {
		for (const lane of lanes.values())
			for (const pic of lane.all)
				pic.dirty = true;
	});
	on("open", () => lanes.clear());
	on("grown", () => {
		generation++;
		askAll();
	});
	// How much of the whole, or of what is shown, a row is busy.
	setBusy((row) => {
		const lane = lanesOf(state.channels[0]);
		const pic = lane.base || lane.now;
		const y = pic && pic.at.get(row);
		if (y === undefined || !pic)
			return 0;
		let sum = 0;
		for (let i = y * pic.width; i < (y + 1) * pic.width; i++)
			sum += pic.part.mixed[i] > 1 ? pic.part.used[i] : pic.part.index[i] && pic.part.share[i];
		return sum;
	});
}
