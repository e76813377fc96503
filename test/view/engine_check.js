// SPDX-License-Identifier: MIT
// engine_check.js: asks the worker of the page about a file, and compares with what is known of the file. engine.py
// puts it in front of what it runs in the page.

const READS = `{
	const slice = Blob.prototype.slice;
	Blob.prototype.slice = function (...range) {
		self.postMessage({ event: "read" });
		return slice.apply(this, range);
	};
}`;

// A worker of the page's code, as the page itself makes one.
class Asked {
	constructor() {
		const code = document.getElementById("worker-code").textContent;
		this.worker = new Worker(URL.createObjectURL(new Blob([READS, code], { type: "text/javascript" })));
		this.reads = 0; // of parts of files
		this.calls = new Map();
		this.last = 0;
		this.values = [];
		this.failed = null;
		this.worker.onmessage = e => this.take(e.data);
		this.worker.onerror = (e) => {
			this.failed = e.message;
		};
	}

	take(m) {
		if (m.event === "values")
			this.values[m.channel].splice(m.from, m.values.length, ...m.values);
		else if (m.event === "read")
			this.reads++;
		else if (m.id !== undefined && m.part === undefined)
			this.calls.get(m.id)(m);
	}

	// { result } or { error }; an error if nothing comes for ten seconds.
	ask(op, args) {
		return new Promise((done) => {
			this.calls.set(++this.last, done);
			setTimeout(() => done({ error: `no answer to ${op}` }), 10000);
			this.worker.postMessage({ id: this.last, op, args });
		});
	}

	async open(bytes) {
		const m = await this.ask("open", { file: new File([bytes], "x.uscp") });
		if (m.result)
			this.values = m.result.channels.map(c => c.values);
		return m;
	}
}

function bytesOf(base64) {
	return Uint8Array.from(atob(base64), c => c.charCodeAt(0));
}

// Numbers from 0 up to n that are the same in each run.
function dice(seed) {
	return (n) => {
		seed = Math.imul(seed, 1664525) + 1013904223 >>> 0;
		return Math.floor(seed / 4294967296 * n);
	};
}

// How long each value lasted in a stretch of time. list: [begin, end, value], in order.
function timesIn(list, from, to) {
	const times = new Map();
	for (const [begin, end, value] of list) {
		const time = Math.min(end, to) - Math.max(begin, from);
		if (time > 0)
			times.set(value, (times.get(value) || 0) + time);
	}
	return times;
}

// A file whose intervals are known: { "view row channel": [[begin, end, value]] }.
class Compared {
	constructor(asked, info, intervals, seed) {
		this.asked = asked;
		this.info = info;
		this.intervals = intervals;
		this.dice = dice(seed);
		this.checks = 0;
		this.faults = [];
	}

	expect(what, got, want) {
		this.checks++;
		if (JSON.stringify(got) !== JSON.stringify(want))
			this.faults.push(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`);
	}

	async all() {
		for (const view of this.info.views) {
			for (const channel of view.channels) {
				const c = this.info.channels[channel], rows = view.rows;
				const lists = rows.map((_, r) => this.intervals[`${view.name} ${r} ${c.name}`]);
				if (lists.some(list => !list))
					continue;
				for (let k = 0; k < 3; k++)
					await this.picture({ c, channel, rows, lists, k });
				await this.sums({ c, channel, rows, lists });
				for (let k = 0; k < 3; k++)
					await this.next({ c, channel, rows, lists });
			}
		}
		await this.busy();
		return { checks: this.checks, faults: this.faults.slice(0, 20), failed: this.asked.failed };
	}

	range(k) {
		const { end } = this.info, t0 = k === 0 ? 0 : this.dice(end);
		return [t0, k === 0 ? end : t0 + 1 + this.dice(end - t0)];
	}

	// Each pixel against the time that each value had in it.
	async picture({ c, channel, rows, lists, k }) {
		const [t0, t1] = this.range(k), width = 1 + this.dice(40);
		const { result: p, error } = await this.asked.ask("picture", { rows, channel, t0, t1, width, slot: "check" });
		this.expect(`${c.view} ${c.name}: picture`, error, undefined);
		for (let at = 0; p && at < rows.length * width; at++) {
			const x = at % width, from = t0 + (t1 - t0) * x / width, to = t0 + (t1 - t0) * (x + 1) / width;
			const what = `${c.view} ${c.name} row ${Math.floor(at / width)} [${from}, ${to})`, times = timesIn(lists[Math.floor(at / width)], from, to);
			const most = Math.max(...times.values()), best = [...times].filter(([, time]) => time >= most * (1 - 1e-9)).map(([value]) => value);
			this.expect(`${what} is exact`, p.known[at], 2);
			if (c.type === "count") {
				this.expect(`${what} min, max`, [p.min[at], p.max[at]], [Math.min(...[...times.keys()].map(Number)), Math.max(...[...times.keys()].map(Number))]);
				let sum = 0;
				times.forEach((time, value) => {
					sum += time * Number(value);
				});
				this.expect(`${what} mean`, Math.abs(p.mean[at] - sum / (to - from)) <= 1e-6 * Math.max(1, Math.abs(p.mean[at])), true);
				continue;
			}
			const shown = String(this.asked.values[channel][p.index[at]].value);
			this.expect(`${what} shows ${shown}, of ${best}`, best.includes(shown), true);
			this.expect(`${what} mixed`, p.mixed[at], times.size);
			this.expect(`${what} share`, Math.abs(p.share[at] - (times.size === 1 ? 255 : Math.min(254, 255 * most / (to - from)))) <= 1, true);
		}
	}

	// Time and number of each state, and the durations.
	async sums({ c, channel, rows, lists }) {
		const [t0, t1] = this.range(1), want = new Map();
		for (const list of lists) {
			for (const [begin, end, value] of list) {
				const time = Math.min(end, t1) - Math.max(begin, t0), s = want.get(value) || [0, 0, Infinity, 0];
				if (time > 0)
					want.set(value, [s[0] + time, s[1] + 1, Math.min(s[2], time), Math.max(s[3], time)]);
			}
		}
		const { result, error } = await this.asked.ask("select", { rows, channel, t0, t1, slot: "check" });
		this.expect(`${c.view} ${c.name}: sums`, error, undefined);
		if (!result || want.size > 400)
			return;
		this.expect(`${c.view} ${c.name}: number of states`, result.states.length, want.size);
		this.expect(`${c.view} ${c.name}: exact`, result.exact, true);
		for (const s of result.states) {
			this.expect(`${c.view} ${c.name} ${s.text} in [${t0}, ${t1})`, [s.time, s.count, s.min, s.max], want.get(String(s.value)));
			const counted = result.histogram.counts[s.index];
			this.expect(`${c.view} ${c.name} ${s.text}: histogram`, counted ? counted.reduce((n, v) => n + v, 0) : s.count, s.count);
		}
	}

	// The use of CPUs over all of the time, out of the summary.
	async busy() {
		const view = this.info.views.find(v => v.name === "cpu"), { end, rows } = this.info;
		const physical = view ? view.rows.flatMap((id, r) => rows[id].label.startsWith("vCPU") ? [] : [`cpu ${r} nrunning`]) : [];
		if (!physical.length || physical.some(key => !this.intervals[key]))
			return;
		let time = 0;
		for (const key of physical)
			timesIn(this.intervals[key], 0, end).forEach((t, value) => {
				time += value === "0" ? 0 : t;
			});
		const { result } = await this.asked.ask("overview", { width: 1, t0: 0, t1: end });
		this.expect(`busy ${result.busy && result.busy[0]}`, Math.abs(result.busy[0] - time / end / physical.length) < 1e-6, true);
		this.expect("density", result.density[0] > 0 && result.known[0], 2);
	}

	// The state at a time, the next change, and the last before.
	async next({ c, channel, rows, lists }) {
		const at = this.dice(this.info.end), { result: states } = await this.asked.ask("at", { rows, channel, t: at });
		lists.forEach((list, k) => {
			const [begin, end, value] = list.find(i => i[0] <= at && at < i[1]) || [], s = states[k];
			this.expect(`${c.view} ${c.name} row ${k} at ${at}`, [s.begin, s.end, String(s.value), s.beginExact, s.endExact], [begin, end, value, true, true]);
		});
		const r = this.dice(rows.length), t = this.dice(this.info.end), begins = lists[r].map(([begin]) => begin);
		for (const direction of [1, -1]) {
			const want = direction > 0 ? begins.find(b => b > t) : begins.filter(b => b < t && b > 0).pop();
			const { result } = await this.asked.ask("next", { rows: [rows[r]], channel, t, direction, index: null });
			// What changes at the end of the trace lasts no time, so no interval tells of it.
			if (want !== undefined || !result || result.t < this.info.end)
				this.expect(`${c.view} ${c.name} row ${r}: change ${direction} from ${t}`, result && result.t, want === undefined ? null : want);
		}
	}
}

// Damages bytes of a file n times. Whatever it is then, the worker answers soon, with a result or an error.
async function damage(base64, seed, n) {
	const whole = bytesOf(base64), roll = dice(seed), asked = new Asked(), faults = [];
	let opened = 0;
	for (let k = 0; k < n && !asked.failed; k++) {
		const bytes = whole.slice(0, roll(5) === 0 ? roll(whole.length) : whole.length);
		for (let flips = 1 + roll(roll(2) ? 3 : 40); flips > 0 && bytes.length; flips--)
			bytes[roll(2) ? roll(bytes.length) : roll(Math.min(bytes.length, 2048))] = roll(3) ? roll(256) : [0, 1, 127, 128, 255][roll(5)];
		const { result: info, error } = await asked.open(bytes);
		opened += info ? 1 : 0;
		if (!info && (!error || error.startsWith("no answer") || /undefined|not a |null|RangeError|Invalid/.test(error)))
			faults.push(`${seed}, ${k}: opening says ${error}`);
		const view = info && info.views.find(v => v.rows.length && v.channels.length);
		if (!view)
			continue;
		const args = { rows: view.rows.slice(0, 16), channel: view.channels[roll(view.channels.length)], t0: info.begin, t1: info.end * 1.01 + 1, width: 100, t: info.begin, slot: "damage", direction: 1, index: null };
		for (const op of ["picture", "at", "select", "next", "overview"]) {
			const m = await asked.ask(op, args);
			if (m.error !== undefined)
				faults.push(`${seed}, ${k}: ${op} says ${m.error}`);
		}
	}
	asked.worker.terminate();
	return { opened, faults: faults.slice(0, 20), failed: asked.failed };
}

async function compare(base64, intervals, seed) {
	const asked = new Asked(), { result: info, error } = await asked.open(bytesOf(base64));
	const found = info ? await new Compared(asked, info, intervals, seed).all() : { checks: 0, faults: [error] };
	asked.worker.terminate();
	return { ...found, notes: info ? info.notes : [] };
}

// How many reads it takes to open a file; and whether the later one of two that are opened at once is shown.
async function open(base64, base64Later) {
	const asked = new Asked(), { result, error } = await asked.open(bytesOf(base64)), { reads } = asked;
	const [first, later] = await Promise.all([base64, base64Later].map(text => asked.open(bytesOf(text))));
	const { result: now } = await asked.ask("overview", { width: 1, t0: 0, t1: 1 });
	asked.worker.terminate();
	return { error, segments: result && result.segments, reads, first: first.error, later: later.error, now: now !== undefined };
}
