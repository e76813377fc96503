// SPDX-License-Identifier: MIT
// link.js: what is shown as the part of the address behind #, so that a link leads there again.
import { changed, on, setPlace, state } from "./state.js";
import { $, later } from "./dom.js";
import { arrange, cursorItem, itemAt, layout, reveal, room, setTop } from "./rows.js";

// Times are ps, rows places in the view, channels their names, commas in them escaped. top is the first row of which
// half is seen, or the group (g) that begins with it. Tests and links of users rely on it.
//   #view=cpu&t=0,1000000&ch=subsystem,idle&top=g3&cursor=3,500&sel=100,200,0-4&fold=loom.a&sort=name&q=worker&theme=dark...
const plain = { sort: "file", theme: "auto", unit: "auto", size: 0, labels: true, patterns: false, lines: true, side: true };
let seen = location.hash; // what was written or read last

function text() {
	const { info, view, cursor, selection: s } = state;
	const p = new URLSearchParams();
	p.set("view", view.name);
	if (state.t0 !== info.begin || state.t1 !== info.end)
		p.set("t", [Math.round(state.t0), Math.round(state.t1)].join());
	p.set("ch", state.channels.map((c) => encodeURIComponent(info.channels[c].name)).join());
	const half = (layout.items[itemAt(state.top)]?.height ?? 0) / 2;
	const first = layout.items[itemAt(state.top + half)];
	if (first && layout.height > room())
		p.set("top", (first.group ? "g" : "") + view.rows.indexOf(first.group ? first.rows[0] : first.row));
	if (cursor)
		p.set("cursor", [cursor.row === null ? "" : view.rows.indexOf(cursor.row), cursor.t].join());
	if (s) {
		const places = s.rows.map((r) => view.rows.indexOf(r));
		const parts = [];
		for (const n of places.sort((a, b) => a - b)) {
			const last = parts[parts.length - 1];
			if (last && last[1] === n - 1)
				last[1] = n;
			else
				parts.push([n, n]);
		}
		p.set("sel", [s.t0, s.t1, ...parts.map(([a, b]) => (a === b ? a : a + "-" + b))].join());
	}
	if (state.folded.size)
		p.set("fold", [...state.folded].join("\n"));
	if (state.filter)
		p.set("q", state.filter);
	for (const [key, value] of Object.entries(plain))
		if (state[key] !== value)
			p.set(key, Number(state[key]) === state[key] ? state[key] : typeof value === "boolean" ? +state[key] : state[key]);
	return "#" + p;
}

function write() {
	// A link that was followed, and is not read yet, is not written over.
	if (!state.info || location.hash !== seen)
		return;
	try {
		history.replaceState(null, "", text());
	} catch {
		location.hash = text();
	}
	seen = location.hash;
}

// What a setting of the link means; what nobody could have chosen means what it is without a link.
function setting(key, text) {
	const value = plain[key];
	if (typeof value === "boolean")
		return text === "1";
	if (typeof value === "number")
		return Math.min(Math.max(Number(text) || 0, 0), 60);
	return [...$(key).options].some((o) => o.value === text) ? text : value;
}

// The item that a link has as the first one that is seen; undefined: it has none. Others may be folded now than were then.
function topItem(text) {
	const row = state.view.rows[parseInt((text || "").replace("g", ""), 10)];
	const { items } = layout;
	if (row === undefined)
		return undefined;
	return (text[0] === "g" && items.find((i) => i.group && i.rows[0] === row)) ||
		items.find((i) => (i.group ? i.folded && i.rows.includes(row) : i.row === row));
}

// Takes what is behind #; what does not fit the file is left out.
export function readLink(chosen) {
	seen = location.hash;
	const p = new URLSearchParams(seen.slice(1));
	const { info } = state;
	for (const key of Object.keys(plain))
		if (p.has(key))
			state[key] = setting(key, p.get(key));
	if (!info)
		return;
	const view = info.views.find((v) => v.name === p.get("view"));
	if (view)
		state.view = view;
	const names = (p.get("ch") || "").split(",");
	// Links of before have names as they are.
	const named = (n, as) => state.view.channels.find((c) => as(info.channels[c].name) === n);
	const channels = names.map((n) => named(n, encodeURIComponent) ?? named(n, String)).filter((c) => c !== undefined);
	state.channels = channels.length ? channels : chosen(state.view);
	state.folded = new Set((p.get("fold") || "").split("\n").filter(Boolean));
	state.filter = $("search").value = p.get("q") || "";
	arrange(); // before anybody asks for a picture
	const numbers = (key) => (p.get(key) || "").split(",").map(Number);
	const inside = (x) => Math.min(Math.max(Number(x), info.begin), info.end); // NaN stays
	const [t0, t1] = numbers("t");
	setPlace(...(t1 > t0 ? [t0, t1] : [info.begin, info.end]));
	const [row, t] = numbers("cursor");
	state.cursor = t >= 0 ? { row: p.get("cursor")[0] === "," ? null : state.view.rows[row] ?? null, group: null, t: inside(t) } : null;
	const [a0, a1, ...ranges] = (p.get("sel") || "").split(",");
	const [s0, s1] = [inside(a0), inside(a1)];
	const rows = ranges.flatMap((r) => {
		const [a, b = a] = r.split("-").map(Number);
		return state.view.rows.slice(a, b + 1);
	});
	state.selection = rows.length && s1 > s0 ? { rows, t0: s0, t1: s1 } : null;
	const first = topItem(p.get("top"));
	setTop(first ? first.top : 0);
	if (!first)
		reveal(cursorItem());
}

export function linkInit(apply) {
	on("place rows scroll channels cursor selection look side", later(write, 200));
	addEventListener("hashchange", () => {
		if (location.hash !== seen) {
			apply();
			changed("channels");
		}
	});
}
