// SPDX-License-Identifier: MIT
// search.js: finds rows and states by what they are called.
import { engine } from "./engine.js";
import { channelOf, rowLabel, setPlace, short, state } from "./state.js";
import { $, chip, el } from "./dom.js";
import { cssOf } from "./colors.js";
import { arrange, cursorItem, layout } from "./rows.js";
import { setCursor } from "./cursor.js";
import { highlight } from "./legend.js";

const HITS_MOST = 8; // rows, and states

let hits = []; // [{ text, chip, go }]
let current = 0;

export function closeSearch() {
	$("hits").hidden = true;
	$("search").setAttribute("aria-expanded", "false");
}

// Highlights a state, and puts the cursor where it is next.
async function goState(channel, index) {
	if (state.only.get(channel) !== index)
		highlight(channel, index);
	const t = state.cursor ? state.cursor.t : state.info.begin - 1;
	const find = (from) => engine.next({ rows: layout.rows, channel, t: from, direction: 1, index }).catch(() => null);
	const r = (await find(t)) || (await find(state.info.begin - 1));
	if (!r)
		return;
	setCursor(layout.items.findIndex((i) => i.row === r.row), r.t);
	const half = (state.t1 - state.t0) / 2;
	if (r.t < state.t0 || r.t > state.t1)
		setPlace(r.t - half, r.t + half);
}

function goRow(row) {
	if (!layout.items.some((i) => i.row === row)) {
		state.folded.clear();
		arrange();
	}
	setCursor(layout.items.findIndex((i) => i.row === row), state.cursor ? state.cursor.t : (state.t0 + state.t1) / 2);
}

function filter(text) {
	state.filter = text;
	arrange();
}

function find() {
	const want = $("search").value.trim().toLowerCase();
	hits = [];
	if (want && state.info) {
		const rows = state.view.rows.filter((r) => (rowLabel(r) + " " + state.info.rows[r].groups.join(" ")).toLowerCase().includes(want));
		if (rows.length)
			hits.push({ text: "show only " + rows.length + (rows.length === 1 ? " row" : " rows"), go: () => filter(want) });
		for (const row of rows.filter((r) => rowLabel(r).toLowerCase().includes(want)).slice(0, HITS_MOST))
			hits.push({ text: short(rowLabel(row), 80), note: "row", go: () => goRow(row) });
		const states = [];
		for (const c of state.channels)
			channelOf(c).values.some((v, i) => i && v.text.toLowerCase().includes(want) &&
				states.push({ text: short(v.text, 80), note: "state", v, go: () => goState(c, i) }) >= HITS_MOST);
		hits.push(...states);
		if (!hits.length)
			hits.push({ text: "nothing is called so", go() {} });
	} else if (state.filter) {
		filter("");
	}
	current = 0;
	draw();
}

function draw() {
	$("hits").hidden = !hits.length;
	$("search").setAttribute("aria-expanded", String(hits.length > 0));
	$("search").setAttribute("aria-activedescendant", hits.length ? "hit" + current : "");
	$("hits").replaceChildren(...hits.map((h, i) => el("li", { id: "hit" + i, aria: { role: "option", selected: i === current },
		on: { pointerdown: (e) => { e.preventDefault(); choose(i); } } }, h.v ? chip(cssOf(h.v), h.v.error) : "", h.text,
	h.note ? el("small", {}, h.note) : "")));
}

// The list stays open for a state, as Enter again goes to where it is next.
function choose(i) {
	hits[i].go();
	if (hits[i].note !== "state")
		closeSearch();
}

export function searchInit() {
	const input = $("search");
	input.addEventListener("input", find);
	input.addEventListener("focus", find);
	input.addEventListener("blur", closeSearch);
	input.addEventListener("keydown", (e) => {
		const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
		if (by && hits.length) {
			e.preventDefault();
			current = (current + by + hits.length) % hits.length;
			draw();
		} else if (e.key === "Enter" && hits[current]) {
			choose(current);
			if ($("hits").hidden && cursorItem() >= 0)
				$("plot").focus();
		}
	});
}
