// SPDX-License-Identifier: MIT
// picture.js: rows x pixels of one channel: the value that a pixel shows, and how much of it is that value.
import { TWO_32 } from "./bytes.js";
import { NOTHING } from "./frames.js";
import { eachValue } from "./history.js";

const UNKNOWN = 0, PROVISIONAL = 1, EXACT = 2;
const LINEAR = 24; // values of a pixel that are searched one by one

// A value as a Number, to draw heights.
function numberOf(f, lo, hi) {
	if (f.size < 8)
		return f.signed ? lo << 32 - 8 * f.size >> 32 - 8 * f.size : lo;
	return (f.signed ? hi | 0 : hi) * TWO_32 + lo;
}

// Counts are their own keys, so that none is listed: nothing is -1, and numbers below 0 are one less.
class CountKeys {
	constructor(f) {
		this.f = f;
	}

	key(lo, hi) {
		if (hi === NOTHING)
			return -1;
		const v = numberOf(this.f, lo, hi);
		return v < 0 ? v - 1 : v;
	}
}

// The time that the current pixel of a row had each value. Rows go through the picture from left to right, side by side.
class Pixel {
	constructor() {
		this.keys = [];
		this.times = [];
		this.positions = new Map();
		this.reset(-1);
	}

	reset(x) {
		this.x = x;
		this.n = 0;
		this.sum = 0;
		this.min = Infinity;
		this.max = -Infinity;
	}

	add(key, time) {
		const { keys, n } = this;
		if (n > 0 && keys[n - 1] === key) {
			this.times[n - 1] += time;
			return;
		}
		let i = 0;
		if (n <= LINEAR) {
			while (i < n && keys[i] !== key)
				i++;
		} else {
			if (n === LINEAR + 1)
				this.index();
			const at = this.positions.get(key);
			i = at === undefined ? n : at;
			this.positions.set(key, i);
		}
		if (i === n) {
			keys[n] = key;
			this.times[n] = 0;
			this.n++;
		}
		this.times[i] += time;
	}

	index() {
		this.positions.clear();
		for (let i = 0; i < this.n; i++)
			this.positions.set(this.keys[i], i);
	}
}

export class Picture {
	// rows: those of the model. The times of pixel x are [edges[x], edges[x + 1]).
	constructor(model, channel, rows, t0, t1, width, begin, end) {
		const n = rows.length * width;
		this.begin = begin; // of the file
		this.end = end;
		this.channel = channel;
		this.rows = rows;
		this.places = rows.map(r => model.place(channel, r));
		this.t0 = t0;
		this.t1 = t1;
		this.width = width;
		this.scale = width / (t1 - t0);
		this.edges = new Float64Array(width + 1);
		for (let x = 0; x <= width; x++)
			this.edges[x] = t0 + (t1 - t0) * x / width;
		this.counts = channel.type === "count";
		this.values = this.counts ? new CountKeys(channel.f) : channel.values;
		this.pixels = rows.map(() => new Pixel());
		this.least = []; // of guesses: row, first and last pixel, share
		this.index = new Int32Array(n);
		this.share = new Uint8Array(n);
		this.mixed = new Uint8Array(n);
		this.known = new Uint8Array(n);
		// Of pixels with more than one value: what beside nothing has most time, its share, and the share of all beside nothing.
		this.state = new Int32Array(n);
		this.stateShare = new Uint8Array(n);
		this.used = new Uint8Array(n);
		this.ticks = new Uint16Array(n);
		this.tick = new Int32Array(n);
		if (this.counts) {
			this.min = new Float64Array(n);
			this.max = new Float64Array(n);
			this.mean = new Float64Array(n);
		}
	}

	x(t) {
		let x = Math.floor((t - this.t0) * this.scale);
		x = x < 0 ? 0 : x >= this.width ? this.width - 1 : x;
		// What division has rounded.
		if (x > 0 && t < this.edges[x])
			return x - 1;
		return x + 1 < this.width && t >= this.edges[x + 1] ? x + 1 : x;
	}

	// Takes the columns of a segment: segments come in the order of time.
	take(columns, begin, end) {
		for (let r = 0; r < this.rows.length; r++)
			eachValue(columns, this.places[r], this.values, begin, end, this.t0, this.t1, (key, from, to) => this.add(r, key, from, to));
		if (columns.ticks.times.length)
			this.takeTicks(columns.ticks, begin);
	}

	// A value of a row for a time that is not empty.
	add(r, key, from, to) {
		const pixel = this.pixels[r], edges = this.edges;
		let x = this.x(from);
		if (pixel.x !== x) {
			this.flush(r);
			pixel.reset(x);
		}
		if (to <= edges[x + 1]) {
			pixel.add(key, to - from);
			if (this.counts)
				this.count(pixel, key, to - from);
			return;
		}
		pixel.add(key, edges[x + 1] - from);
		if (this.counts)
			this.count(pixel, key, edges[x + 1] - from);
		this.flush(r);
		// Pixels that have this value alone.
		const first = ++x, at = r * this.width, last = to >= this.t1 ? this.width : this.x(to);
		if (first < last) {
			this.index.fill(this.indexOf(key), at + first, at + last);
			this.share.fill(255, at + first, at + last);
			this.mixed.fill(1, at + first, at + last);
			this.known.fill(EXACT, at + first, at + last);
			if (this.counts)
				this.fill(key, at + first, at + last);
		}
		pixel.reset(last);
		if (last < this.width && to > edges[last]) {
			pixel.add(key, to - edges[last]);
			if (this.counts)
				this.count(pixel, key, to - edges[last]);
		}
	}

	// The numbers of counts are not listed as values: there is one that stands for all.
	indexOf(key) {
		return this.counts ? (key < 0 ? 0 : 1) : this.channel.values.index(key);
	}

	// The number of a count; small fields have their bits as keys.
	number(key) {
		if (key < 0)
			return key === -1 ? 0 : key + 1;
		return this.channel.f.size < 8 ? numberOf(this.channel.f, key, 0) : key;
	}

	count(pixel, key, time) {
		const v = this.number(key);
		pixel.sum += v * time;
		if (v < pixel.min)
			pixel.min = v;
		if (v > pixel.max)
			pixel.max = v;
	}

	fill(key, from, to) {
		const v = this.number(key);
		this.min.fill(v, from, to);
		this.max.fill(v, from, to);
		this.mean.fill(v, from, to);
	}

	// The pixel of a row is over: its value is the one with most time, of equal ones the first.
	flush(r) {
		const pixel = this.pixels[r], x = pixel.x;
		if (x < 0 || x >= this.width || pixel.n === 0)
			return;
		const at = r * this.width + x, whole = Math.min(this.edges[x + 1], this.end) - Math.max(this.edges[x], this.begin);
		let best = 0, sum = 0, none = 0, state = -1;
		for (let i = 0; i < pixel.n; i++) {
			sum += pixel.times[i];
			if (pixel.keys[i] < 0)
				none += pixel.times[i];
			else if (state < 0 || pixel.times[i] > pixel.times[state])
				state = i;
			if (pixel.times[i] > pixel.times[best])
				best = i;
		}
		const share = pixel.n === 1 && sum >= whole * 0.999999 ? 255 : Math.min(254, Math.floor(255 * pixel.times[best] / whole));
		// Less than what is unknown: a part of a damaged file.
		if (pixel.times[best] < whole - sum) {
			this.known[at] = UNKNOWN;
			return;
		}
		this.index[at] = this.indexOf(pixel.keys[best]);
		this.share[at] = share;
		this.mixed[at] = Math.min(255, pixel.n);
		this.known[at] = EXACT;
		if (!this.counts && pixel.n > 1) {
			this.state[at] = this.indexOf(pixel.keys[state]);
			this.stateShare[at] = Math.min(254, 255 * pixel.times[state] / whole);
			this.used[at] = Math.min(255, 255 * (sum - none) / whole);
		}
		if (this.counts) {
			this.min[at] = pixel.min;
			this.max[at] = pixel.max;
			this.mean[at] = pixel.sum / sum;
		}
		pixel.n = 0;
	}

	takeTicks(ticks, begin) {
		for (let r = 0; r < this.rows.length; r++) {
			const c = ticks.find(this.places[r].cell);
			for (let i = c < 0 ? 0 : ticks.start[c], last = c < 0 ? 0 : ticks.start[c + 1]; i < last; i++) {
				const t = begin + ticks.times[i];
				if (t < this.t0 || t >= this.t1)
					continue;
				const at = r * this.width + this.x(t);
				if (this.ticks[at] === 0)
					this.tick[at] = this.channel.tick(ticks.lo[i], ticks.hi === null ? 0 : ticks.hi[i]);
				if (this.ticks[at] < 65535)
					this.ticks[at]++;
			}
		}
	}

	// Takes a value that a row had for at least a part of a time: share, of 255.
	guess(r, key, from, to, share) {
		from = Math.max(from, this.t0);
		to = Math.min(to, this.t1);
		if (!(from < to))
			return;
		this.add(r, key, from, to);
		if (share < 255)
			this.least.push(r, this.x(from), to >= this.t1 ? this.width - 1 : this.x(to), share);
	}

	// Shows the pixels of another picture, that was guessed, where nothing better is known.
	under(guessed) {
		guessed.finish();
		for (let i = 0, l = guessed.least; i < l.length; i += 4)
			for (let at = l[i] * this.width + l[i + 1], last = l[i] * this.width + l[i + 2]; at <= last; at++)
				guessed.share[at] = Math.min(guessed.share[at], l[i + 3]);
		for (let at = 0; at < this.known.length; at++) {
			if (this.known[at] === EXACT || guessed.known[at] === UNKNOWN)
				continue;
			this.index[at] = guessed.index[at];
			this.share[at] = guessed.share[at];
			this.mixed[at] = guessed.mixed[at];
			this.state[at] = guessed.state[at];
			this.stateShare[at] = guessed.stateShare[at];
			this.used[at] = guessed.used[at];
			this.known[at] = PROVISIONAL;
			if (this.counts) {
				this.min[at] = guessed.min[at];
				this.max[at] = guessed.max[at];
				this.mean[at] = guessed.mean[at];
			}
		}
	}

	// All that was taken is complete.
	finish() {
		for (let r = 0; r < this.rows.length; r++)
			this.flush(r);
	}

	// The picture so far, as a message that is its own copy.
	part(done) {
		const p = { t0: this.t0, t1: this.t1, width: this.width, done };
		const names = ["index", "share", "mixed", "known", "state", "stateShare", "used", "ticks", "tick"].concat(this.counts ? ["min", "max", "mean"] : []);
		for (const name of names)
			p[name] = done ? this[name] : this[name].slice();
		return p;
	}
}
