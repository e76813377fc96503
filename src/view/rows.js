// SPDX-License-Identifier: MIT
// rows.js: the tree of rows: which are shown, in which order, and where.
import { changed, on, short, state, titleOf } from "./state.js";
import { $, el } from "./dom.js";

export const AXIS = 28; // px above the rows
const GROUP = 18; // px of the line of a group
const TINY = 11; // px that a label needs
const SEPARATOR = "\u0001";
const collator = new Intl.Collator(undefined, { numeric: true });

// Rows and groups as they are shown, from the top: items are { group, label, depth, top, height, folded, rows } or { row, depth, top, height }.
export const layout = { items: [], rows: [], height: 0, lane: 16, gap: 2 };

let order = []; // rows of the view that pass the filter
let busyOf = () => 0; // how busy a row is, for the sort

export function setBusy(f) {
	busyOf = f;
}

// Levels of groups that tell rows apart: one that all rows share is not worth a line, nor are groups of one row each.
function levels(rows) {
	const use = [];
	const depth = rows.reduce((most, r) => Math.max(most, state.info.rows[r].groups.length), 0);
	for (let i = 0; i < depth; i++) {
		const sizes = new Map();
		for (const row of rows) {
			const key = state.info.rows[row].groups.slice(0, i + 1).join(SEPARATOR);
			sizes.set(key, (sizes.get(key) || 0) + 1);
		}
		if (sizes.size > 1 && sizes.size < rows.length * 0.75)
			use.push(i);
	}
	return use;
}

function sorted(rows) {
	const by = {
		name: (a, b) => collator.compare(state.info.rows[a].label, state.info.rows[b].label) || a - b,
		busy: (a, b) => busyOf(b) - busyOf(a) || a - b,
	}[state.sort];
	return by ? [...rows].sort(by) : rows;
}

// Rows by group, groups in the order of their first row.
function tree(rows, use, depth, prefix) {
	if (depth === use.length)
		return sorted(rows).map((row) => ({ row, depth }));
	const groups = new Map();
	for (const row of rows) {
		const label = state.info.rows[row].groups[use[depth]] ?? "";
		if (!groups.has(label))
			groups.set(label, []);
		groups.get(label).push(row);
	}
	const items = [];
	for (const [label, inner] of groups) {
		const key = prefix + label;
		const below = tree(inner, use, depth + 1, key + SEPARATOR);
		if (!label) {
			below.forEach((i) => items.push(i));
			continue;
		}
		const folded = state.folded.has(key);
		items.push({ group: key, label, depth, folded, rows: inner });
		if (!folded)
			below.forEach((i) => items.push(i));
	}
	return items;
}

// Places of all items, for the room there is.
export function arrange() {
	if (!state.info)
		return;
	const want = state.filter.toLowerCase();
	order = state.view.rows.filter((r) => !want || [state.info.rows[r].label, ...state.info.rows[r].groups].join(" ")
		.toLowerCase().includes(want));
	layout.items = tree(order, levels(state.view.rows), 0, "");
	const shown = layout.items.filter((i) => !i.group);
	const lanes = Math.max(1, state.channels.length);
	const room = $("plot").clientHeight - AXIS - (layout.items.length - shown.length) * GROUP;
	layout.lane = state.size || Math.floor(Math.min(Math.max(room / Math.max(1, shown.length) / lanes - 2, 10), 32));
	layout.gap = layout.lane < 5 ? 0 : layout.lane < 10 ? 1 : 2 + (lanes > 1) * 3;
	let top = 0;
	for (const item of layout.items) {
		item.top = top;
		item.height = item.group ? GROUP : layout.lane * lanes + layout.gap;
		top += item.height;
	}
	layout.height = top;
	layout.rows = layout.items.flatMap((i) => i.group ? (i.folded ? i.rows : []) : [i.row]);
	$("space").style.height = top + "px";
	setTop(state.top);
	changed("rows");
}

export function room() {
	return $("plot").clientHeight - AXIS;
}

export function setTop(top) {
	state.top = Math.round(Math.max(0, Math.min(top, layout.height - room())));
	if ($("scroll").scrollTop !== state.top)
		$("scroll").scrollTop = state.top;
	changed("scroll");
}

// The first item of which something is below y px (in all of the rows), by bisection.
export function itemAt(y) {
	let lo = 0;
	let hi = layout.items.length;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (layout.items[mid].top + layout.items[mid].height <= y)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

export function visible() {
	const from = itemAt(state.top);
	let to = from;
	while (to < layout.items.length && layout.items[to].top < state.top + room())
		to++;
	return layout.items.slice(from, to);
}

export function cursorItem() {
	const c = state.cursor;
	return c ? layout.items.findIndex((i) => (i.group ? i.group === c.group : i.row === c.row)) : -1;
}

export function reveal(index) {
	const item = layout.items[index];
	if (item && item.top < state.top)
		setTop(item.top);
	else if (item && item.top + item.height > state.top + room())
		setTop(item.top + item.height - room());
}

export function fold(key, yes = !state.folded.has(key)) {
	state.folded[yes ? "add" : "delete"](key);
	arrange();
}

// Folds or unfolds all groups, innermost first.
export function foldAll(yes) {
	const groups = layout.items.filter((i) => i.group);
	const depths = groups.filter((g) => g.folded !== yes).map((g) => g.depth);
	const depth = depths.reduce((a, b) => (b > a === yes ? b : a), depths[0]);
	for (const g of groups)
		if (g.depth === depth)
			state.folded[yes ? "add" : "delete"](g.group);
	arrange();
}

// The labels left of the picture: a tree for screen readers too. pick(item) is called for a click.
export function rowsInit(pick) {
	const draw = () => {
		const current = cursorItem();
		const first = itemAt(state.top);
		$("tree").replaceChildren(...visible().map((item, nth) => {
			const index = first + nth;
			const text = short(item.group ? item.label : state.info.rows[item.row].label, 80);
			const e = el("div", { id: "item" + index, className: item.group ? "group" : "row", title: text,
				aria: { role: "treeitem", level: item.depth + 1, posinset: index + 1, setsize: layout.items.length,
					selected: index === current },
				on: { click: () => pick(index) } }, text);
			if (item.group) {
				e.setAttribute("aria-expanded", !item.folded);
				e.prepend(el("b", {}, item.folded ? "▸" : "▾"));
				e.append(el("small", {}, String(item.rows.length)));
			} else if (state.channels.length > 1 && layout.lane >= 10) {
				e.append(el("span", { className: "lanes" }, ...state.channels.map((c) => {
					const lane = el("small", {}, titleOf(c, 40));
					lane.style.height = lane.style.lineHeight = layout.lane + "px";
					return lane;
				})));
			}
			e.style.top = AXIS + item.top - state.top + "px";
			e.style.height = e.style.lineHeight = item.height - (item.group ? 0 : layout.gap) + "px";
			e.style.paddingLeft = 8 + 12 * item.depth + "px";
			// Of rows lower than their labels some have one.
			if (!item.group && item.height < TINY) {
				e.classList.add("tiny");
				if (index % Math.ceil(TINY / item.height) && index !== current)
					e.textContent = "";
				else
					e.style.height = e.style.lineHeight = TINY + "px";
			}
			return e;
		}));
		if (current < 0)
			$("tree").removeAttribute("aria-activedescendant");
		else
			$("tree").setAttribute("aria-activedescendant", "item" + current);
	};
	on("scroll rows cursor", draw);
	on("channels", arrange);
	$("scroll").addEventListener("scroll", () => {
		if ($("scroll").scrollTop !== state.top)
			setTop($("scroll").scrollTop);
	});
	$("tree").addEventListener("wheel", (e) => setTop(state.top + e.deltaY), { passive: true });
}
