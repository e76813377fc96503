// SPDX-License-Identifier: MIT
// state.js: what is shown, and who wants to know when that changes.

// Times are Numbers in ps. Names of changes: open, place (t0, t1), rows (layout), scroll, channels, cursor, selection,
// look (colours, labels, what is hidden), values (labels came), pictures.
export const state = {
	info: null, // as the engine tells it
	view: null, // one of info.views
	channels: [], // ids of those shown, from the top of a row
	t0: 0,
	t1: 1,
	top: 0, // px scrolled
	cursor: null, // { row: id or null, group: key or null, t, channel: its lane, if one was chosen }
	selection: null, // { rows: [ids], t0, t1 }
	folded: new Set(), // keys of groups
	sort: "file",
	filter: "",
	only: new Map(), // channel -> index of the value that is highlighted
	hidden: new Map(), // channel -> Set of indices
	theme: "auto",
	unit: "auto",
	size: 0, // px of a lane; 0: as many as there is room for
	labels: true,
	patterns: false,
	lines: true, // counts as lines, else as heat
	side: innerWidth > 900,
};

const listeners = new Map();

export function on(names, f) {
	for (const name of names.split(" "))
		listeners.set(name, [...(listeners.get(name) || []), f]);
}

export function changed(name) {
	for (const f of listeners.get(name) || [])
		f();
}

// Sets what is shown of the time; never less than 10 ticks, nor far outside of the trace.
export function setPlace(t0, t1) {
	const { begin, end, tick } = state.info;
	const all = Math.max(end - begin, 10 * tick);
	const span = Math.min(Math.max(t1 - t0, 10 * tick), all * 1.1);
	const mid = Math.min(Math.max((t0 + t1) / 2, begin + Math.min(0, span / 2)), end);
	state.t0 = Math.min(Math.max(mid - span / 2, begin - all * 0.05), end + all * 0.05 - span);
	state.t1 = state.t0 + span;
	changed("place");
}

// Something failed that the user should know of.
export function trouble(e) {
	state.trouble = e.message || String(e);
	changed("trouble");
}

export function channelOf(id) {
	return state.info.channels[id];
}

// A title without what the view says already: "CPU: subsystem of the RUNNING thread" is "subsystem".
export function titleOf(id, most = 60) {
	const text = short(channelOf(id).title, 200);
	const core = text.replace(/^(Thread|CPU|Process|Loom|System): /, "").replace(/ of the (RUNNING|ACTIVE|CURRENT) thread$/, "");
	return short(core === text ? core : core.replace(/^[a-z](?=[a-z])/, (c) => c.toUpperCase()), most);
}

// The channel of the row of the cursor that N, P, Enter and the list of all rows are about.
export function cursorChannel() {
	const c = state.cursor && state.cursor.channel;
	return state.channels.includes(c) ? c : state.channels[0];
}

export function rowLabel(row) {
	return state.info.rows[row].label;
}

// A label as it is shown: one line of at most 200 characters.
export function short(text, most = 200) {
	const line = text.slice(0, most + 1).replace(/[\u0000-\u001f\u007f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
	return line.length > most ? line.slice(0, most - 1) + "…" : line;
}
