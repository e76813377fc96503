// SPDX-License-Identifier: MIT
// query.js: the state of rows at a time, with its begin and end, and where it changes next.
import { after, keyOf } from "./history.js";
import { breathe } from "./session.js";

const LOOK_MS = 300; // for begins and ends in other segments, if the file is too large for memory
const NEXT_MS = 5000; // for the next change

// The changes of a row in one segment. Of those at the same time only the last counts.
class Track {
	constructor(columns, place, values) {
		const c = this.changes = columns.changes;
		this.values = values;
		this.zero = place.zero;
		this.initial = place.initial;
		this.at = c.find(place.cell);
		this.first = this.at < 0 ? 0 : c.start[this.at];
		this.last = this.at < 0 ? 0 : c.start[this.at + 1];
	}

	// The number of entries up to a time, included.
	upTo(time) {
		return this.at < 0 ? 0 : after(this.changes, this.at, time);
	}

	// The value behind the first i entries.
	key(i) {
		return i <= this.first ? this.initial : keyOf(this.values, this.zero, this.changes.lo, this.changes.hi, i - 1);
	}

	time(i) {
		return this.changes.times[i];
	}

	// When the value behind the first i entries began; null: before the segment.
	began(i) {
		const key = this.key(i);
		let from = null;
		while (i > this.first) {
			const time = this.time(i - 1);
			if (time === 0)
				return null;
			from = time;
			while (i > this.first && this.time(i - 1) === time)
				i--;
			if (this.key(i) !== key)
				return from;
		}
		// No entry at the begin: the value before the first cycle was there.
		return null;
	}

	// The first entry from i on behind which the value is not `key`, with those of its time: the number of entries then.
	// 0: there is none.
	differs(i, key) {
		i = Math.max(i, this.first);
		while (i < this.last) {
			const time = this.time(i);
			while (i < this.last && this.time(i) === time)
				i++;
			if (this.key(i) !== key)
				return i;
		}
		return 0;
	}
}

export class Query {
	constructor(session, args) {
		this.session = session;
		this.segments = session.segments;
		this.channel = session.channel(args.channel);
		this.rows = session.rows(args.rows);
	}

	track(columns, row) {
		const { model } = this.session, { channel } = this;
		return new Track(columns, model.place(channel, row), channel.values);
	}

	// The columns of a segment; undefined: the time is up, or what cannot be had in this page.
	async columns(i, until) {
		const there = this.segments.cached(i);
		if (there !== undefined)
			return there;
		if (performance.now() > until || !this.session.whole)
			return undefined;
		const columns = await this.segments.get(i);
		await breathe();
		return columns;
	}

	describe(key) {
		const index = this.channel.values.index(key);
		return { index, ...this.channel.values.list[index] };
	}

	// ---- The state at a time. ----

	async at(t) {
		const { segments } = this, i = segments.at(t), until = segments.fit ? Infinity : performance.now() + LOOK_MS;
		const columns = i < 0 || t > segments.end(segments.length - 1) ? null : await this.columns(i, Infinity);
		const list = [];
		for (const row of this.rows)
			list.push(columns ? await this.stateOf(row, columns, i, t, until) : this.unknown(i));
		return list;
	}

	unknown(i) {
		const { segments } = this, known = i >= 0 && i < segments.length;
		const begin = known ? segments.begin(i) : 0, end = known ? segments.end(i) : 0;
		return { index: 0, ...this.channel.values.list[0], unknown: true, begin, end, beginExact: false, endExact: false };
	}

	async stateOf(row, columns, i, t, until) {
		const { segments } = this, track = this.track(columns, row), n = track.upTo(t - segments.begin(i)), key = track.key(n);
		const state = { ...this.describe(key), beginExact: true, endExact: true };
		const from = track.began(n), to = track.differs(n, key);
		if (from !== null)
			state.begin = segments.begin(i) + from;
		else
			await this.lookBack(state, row, key, i, until);
		if (to)
			state.end = segments.begin(i) + track.time(to - 1);
		else
			await this.lookOn(state, row, key, i, until);
		return state;
	}

	// The begin of a state that was there when segment i began.
	async lookBack(state, row, key, i, until) {
		const { segments } = this;
		for (; i > 0; i--) {
			const columns = await this.columns(i - 1, until);
			if (!columns) {
				state.beginExact = false;
				break;
			}
			const track = this.track(columns, row), n = track.upTo(segments.begin(i) - segments.begin(i - 1));
			if (track.key(n) !== key)
				break;
			const from = track.began(n);
			if (from !== null) {
				state.begin = segments.begin(i - 1) + from;
				return;
			}
		}
		state.begin = segments.begin(i);
	}

	async lookOn(state, row, key, i, until) {
		const { segments } = this;
		for (i++; i < segments.length; i++) {
			const columns = await this.columns(i, until);
			if (!columns) {
				state.endExact = false;
				state.end = segments.begin(i);
				return;
			}
			const track = this.track(columns, row), to = track.differs(track.first, key);
			if (to || track.key(track.upTo(0)) !== key) {
				state.end = segments.begin(i) + (track.key(track.upTo(0)) !== key ? 0 : track.time(to - 1));
				return;
			}
		}
		state.end = segments.end(segments.length - 1);
		state.endExact = this.session.file.header.complete;
	}

	// ---- The next change. ----

	// The first change behind t, or the last before it, of any of the rows; to a value if there is one.
	async next(t, direction, index) {
		const good = (key) => index === null || index === undefined || this.channel.values.index(key) === index;
		const until = this.segments.fit ? Infinity : performance.now() + NEXT_MS;
		return direction < 0 ? this.before(t, good, until) : this.behind(t, good, until);
	}

	async behind(t, good, until) {
		const { segments } = this;
		const keys = [];
		for (let i = Math.max(0, segments.at(t)); i < segments.length; i++) {
			const columns = await this.columns(i, until), begin = segments.begin(i);
			if (columns === undefined)
				return null;
			let best = null;
			this.rows.forEach((row, r) => {
				if (!columns)
					return;
				const track = this.track(columns, row), stop = track.upTo(segments.end(i) - begin);
				let n = track.upTo(t - begin), key = keys[r];
				if (t >= begin || key === undefined) {
					key = track.key(Math.max(n, track.upTo(0)));
					n = Math.max(n, track.upTo(0));
				} else {
					n = track.first;
				}
				for (;;) {
					const to = track.differs(n, key);
					if (!to || to > stop)
						break;
					const time = begin + track.time(to - 1);
					key = track.key(to);
					n = to;
					if (best && best.t <= time)
						break;
					if (time > t && good(key)) {
						best = { row: r, t: time, index: this.channel.values.index(key) };
						break;
					}
				}
				keys[r] = track.key(stop);
			});
			if (best)
				return best;
		}
		return null;
	}

	async before(t, good, until) {
		const { segments } = this;
		let later = [];
		for (let i = segments.at(t); i >= 0; i--) {
			const columns = await this.columns(i, until), begin = segments.begin(i);
			if (columns === undefined)
				return null;
			let best = null;
			const keys = [];
			this.rows.forEach((row, r) => {
				if (!columns)
					return;
				const track = this.track(columns, row), end = i + 1 < segments.length ? segments.begin(i + 1) - begin : Infinity;
				let n = track.upTo(Math.min(t - begin, end));
				keys[r] = track.key(track.upTo(0));
				// What segment i + 1 began with is a change if this one ends otherwise.
				if (later[r] !== undefined && later[r] !== track.key(n) && begin + end < t && good(later[r]) && (!best || best.t < begin + end))
					best = { row: r, t: begin + end, index: this.channel.values.index(later[r]) };
				while (n > track.first) {
					const time = track.time(n - 1), key = track.key(n);
					if (time === 0 || (best && begin + time <= best.t))
						break;
					while (n > track.first && track.time(n - 1) === time)
						n--;
					if (begin + time < t && track.key(n) !== key && good(key)) {
						best = { row: r, t: begin + time, index: this.channel.values.index(key) };
						break;
					}
				}
			});
			if (best)
				return best;
			later = keys;
		}
		return null;
	}
}
