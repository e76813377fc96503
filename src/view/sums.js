// SPDX-License-Identifier: MIT
// sums.js: what rows did in a stretch of time: how long and how often they were in each state.
import { breathe } from "./session.js";
import { eachValue } from "./history.js";
import { eachSegment } from "./stream.js";
import { VALUES_MAX } from "./values.js";

const REPORT_MS = 100;
const BINS = 32;
const STATES_MAX = 500; // that are listed; the others are added up
const HISTOGRAMS_MAX = 256;

// Durations from a tick to all of the time, on a logarithmic scale.
function edgesOf(tick, span) {
	const first = Math.max(1, Math.min(tick, span)), ratio = span > first ? span / first : 1;
	return Array.from({ length: BINS + 1 }, (_, i) => i === BINS ? Math.max(span, first) : first * ratio ** (i / BINS));
}

class Sums {
	constructor(session, args) {
		const { file, model } = session;
		this.channel = session.channel(args.channel);
		this.rows = session.rows(args.rows);
		this.places = this.rows.map(r => model.place(this.channel, r));
		this.t0 = Math.max(args.t0, file.begin);
		this.t1 = Math.min(args.t1, file.end);
		this.span = Math.max(0, this.t1 - this.t0);
		this.edges = edgesOf(file.clock, this.span);
		this.scale = this.span > this.edges[0] ? BINS / Math.log(this.span / this.edges[0]) : 0;
		this.states = new Map();
		this.histograms = 0;
		this.ticks = 0;
		this.exact = true;
		// The state that each row is in, and since when.
		this.keys = new Float64Array(this.rows.length);
		this.since = new Float64Array(this.rows.length).fill(-1);
		this.until = new Float64Array(this.rows.length).fill(-1);
	}

	take(columns, begin, end) {
		for (let r = 0; r < this.rows.length; r++) {
			eachValue(columns, this.places[r], this.channel.values, begin, end, this.t0, this.t1, (key, from, to) => {
				if (this.keys[r] !== key || this.until[r] !== from) {
					this.end(r);
					this.keys[r] = key;
					this.since[r] = from;
				}
				this.until[r] = to;
			});
			const at = columns.ticks.find(this.places[r].cell);
			for (let i = at < 0 ? 0 : columns.ticks.start[at], last = at < 0 ? 0 : columns.ticks.start[at + 1]; i < last; i++) {
				const t = begin + columns.ticks.times[i];
				this.ticks += t >= this.t0 && t <= this.t1 ? 1 : 0;
			}
		}
	}

	// The state of a row is over.
	end(r) {
		const time = this.until[r] - this.since[r];
		if (this.since[r] < 0 || !(time > 0))
			return;
		let s = this.states.get(this.keys[r]);
		if (!s) {
			s = { time: 0, count: 0, min: Infinity, max: 0, bins: this.histograms++ < HISTOGRAMS_MAX ? new Array(BINS).fill(0) : null };
			this.states.set(this.keys[r], s);
		}
		s.time += time;
		s.count++;
		if (time < s.min)
			s.min = time;
		if (time > s.max)
			s.max = time;
		if (s.bins)
			s.bins[Math.max(0, Math.min(BINS - 1, Math.floor(Math.log(time / this.edges[0]) * this.scale)))]++;
	}

	result(done) {
		const { values } = this.channel, whole = this.span * this.rows.length || 1;
		const sorted = [...this.states].sort((a, b) => b[1].time - a[1].time);
		const listed = [], rest = [];
		sorted.forEach(([key, s], i) => {
			const index = i < STATES_MAX ? values.index(key) : VALUES_MAX;
			if (index < VALUES_MAX)
				listed.push([index, s]);
			else
				rest.push(s);
		});
		const counts = {}, states = listed.map(([index, s]) => {
			if (s.bins)
				counts[index] = s.bins;
			return { index, ...values.list[index], time: s.time, count: s.count, mean: s.time / s.count, min: s.min, max: s.max, share: s.time / whole };
		});
		if (rest.length) {
			const time = rest.reduce((n, s) => n + s.time, 0), count = rest.reduce((n, s) => n + s.count, 0);
			const min = rest.reduce((n, s) => Math.min(n, s.min), Infinity), max = rest.reduce((n, s) => Math.max(n, s.max), 0);
			states.push({ index: -1, value: null, text: `(${rest.length} more)`, rgb: null, error: false, time, count, mean: time / count, min, max, share: time / whole });
		}
		const histogram = { edges: this.edges, counts, left: sorted.length - Object.keys(counts).length };
		return { span: this.span, rows: this.rows.length, done, exact: done && this.exact, states, histogram, ticks: this.ticks };
	}
}

// Durations are those inside of the time that is asked for. `stop` says that nobody wants them any more.
export async function sumUp(session, args, part, stop) {
	const sums = new Sums(session, args);
	let told = performance.now();
	if (!session.whole) {
		sums.exact = false;
		return sums.result(true);
	}
	await breathe();
	const done = await eachSegment(session, sums.t0, sums.t1, stop, (columns, begin, end) => {
		if (columns)
			sums.take(columns, begin, end);
		else
			sums.exact = false;
		if (performance.now() - told > REPORT_MS) {
			part(sums.result(false));
			told = performance.now();
		}
	});
	if (!done)
		return null;
	for (let r = 0; r < sums.rows.length; r++)
		sums.end(r);
	return sums.result(true);
}
