// SPDX-License-Identifier: MIT
// cursor.js: what is at a time: the tooltip, the line at the bottom, and the list of all rows.
import { engine } from "./engine.js";
import { changed, channelOf, cursorChannel, on, rowLabel, short, state, titleOf } from "./state.js";
import { $, chip, el, later } from "./dom.js";
import { cssOf } from "./colors.js";
import { AXIS, cursorItem, itemAt, layout, reveal } from "./rows.js";
import { exact, percent } from "./units.js";
import { pixelAt } from "./pictures.js";
import { hover, tOf } from "./draw.js";

const LIST_MOST = 400; // rows that the list has

// Row, channel and time of a place in the picture.
export function locate(x, y) {
	const index = itemAt(y - AXIS + state.top);
	const item = y < AXIS ? null : layout.items[index];
	const lane = item ? Math.floor((y - AXIS + state.top - item.top) / layout.lane) : 0;
	return { index, item, row: item && !item.group ? item.row : null, t: tOf(x),
		channel: state.channels[Math.min(lane, state.channels.length - 1)] };
}

const span = (s) => (s.beginExact === false ? "≤ " : "") + exact(s.begin) + " … " + (s.endExact === false ? "≥ " : "") + exact(s.end);

// "Running, 1 ms … 2 ms, 1 ms": as text, for the bottom and for screen readers.
function sentence(row, channel, s) {
	const what = s.unknown ? "not known" : s.text === "" || !s.index ? "nothing" : short(s.text, 100);
	return short(rowLabel(row), 60) + " · " + titleOf(channel, 40) + " · " + what + " · " + span(s) + " · " +
		exact(s.end - s.begin);
}

let tipped = ""; // which place the tooltip tells about
let waiting = false; // for the engine

async function tell(place, key) {
	if (waiting)
		return;
	waiting = true;
	const [s] = await engine.at({ rows: [place.row], channel: place.channel, t: place.t }).catch(() => []);
	waiting = false;
	if (s && tipped === key)
		fillTip(place, s);
	else if (tipped && hover.place)
		tip(hover.place);
}

function fillTip(place, s) {
	const c = channelOf(place.channel);
	const p = pixelAt(place.channel, place.row, place.t);
	const v = s || (p && c.values[p.index]);
	const lines = [el("b", {}, short(rowLabel(place.row), 80)), el("div", { className: "dim" }, titleOf(place.channel, 80))];
	if (v)
		lines.push(el("div", { className: "what" }, v.index || p?.index ? chip(cssOf(v), v.error) : "",
			v.unknown ? "not known" : c.type === "count" || v.text ? short(v.text || String(v.value)) : "nothing"));
	if (s) {
		const cell = (name, text) => el("tr", {}, el("th", {}, name), el("td", {}, text));
		lines.push(el("table", {}, cell("from", (s.beginExact === false ? "≤ " : "") + exact(s.begin)),
			cell("to", (s.endExact === false ? "≥ " : "") + exact(s.end)), cell("for", exact(s.end - s.begin))));
	}
	if (p && p.known && p.mixed > 1)
		lines.push(el("div", { className: "dim" }, p.mixed + " states in this pixel; drawn is " +
			(p.index ? short(c.values[p.index].text, 60) : "nothing") + ", " + percent(p.share)));
	if (p && p.ticks)
		lines.push(el("div", {}, p.ticks + (p.ticks === 1 ? " event: " : " events, first: ") +
			short(c.values[p.tick]?.text ?? "", 80)));
	if (p && p.known < 2)
		lines.push(el("div", { className: "dim" }, p.known ? "provisional" : "not known"));
	$("tip").replaceChildren(...lines);
	$("tip").hidden = false;
	const { offsetWidth: w, offsetHeight: h } = $("tip");
	$("tip").style.left = Math.min(hover.px + 14, innerWidth - w - 8) + "px";
	$("tip").style.top = (hover.py + 18 + h > innerHeight ? hover.py - h - 10 : hover.py + 18) + "px";
}

export function tip(place) {
	if (!place || place.row === null) {
		tipped = "";
		$("tip").hidden = true;
		return;
	}
	tipped = [place.row, place.channel, place.t].join();
	fillTip(place, null);
	tell(place, tipped);
}

export function setCursor(index, t, channel = cursorChannel()) {
	const item = layout.items[index];
	const { begin, end, tick } = state.info;
	state.cursor = { row: item && !item.group ? item.row : null, group: item && item.group ? item.group : null,
		t: Math.min(Math.max(Math.round(t / tick) * tick, begin), end), channel };
	reveal(index);
	changed("cursor");
}

export function moveCursor(by) {
	const at = cursorItem();
	const t = state.cursor ? state.cursor.t : (state.t0 + state.t1) / 2;
	setCursor(Math.min(Math.max(at < 0 ? itemAt(state.top) : at + by, 0), layout.items.length - 1), t);
}

let listed = 0;

// The rows around that of the cursor, or from the first one that is seen on: { rows, from: how many are before, of }.
function listedRows() {
	const at = cursorItem();
	const all = layout.items.filter((i) => !i.group).map((i) => i.row);
	const before = layout.items.slice(0, at < 0 ? itemAt(state.top) : at).filter((i) => !i.group).length;
	const from = Math.max(0, Math.min(before - (at < 0 ? 0 : LIST_MOST / 2), all.length - LIST_MOST));
	return { rows: all.slice(from, from + LIST_MOST), from, of: all.length };
}

// All rows at the time of the cursor, and the row of the cursor at the bottom of the page.
async function list() {
	const c = state.cursor;
	$("side-cursor").hidden = !c;
	if (!c) {
		$("what").textContent = "";
		return;
	}
	const nth = ++listed;
	const channel = cursorChannel();
	const { rows, from, of } = listedRows();
	const all = await Promise.all([engine.at({ rows: $("side-cursor").open ? rows : [], channel, t: c.t }),
		...(c.row === null ? [] : state.channels.map((ch) => engine.at({ rows: [c.row], channel: ch, t: c.t })))]).catch(() => null);
	if (!all || nth !== listed)
		return;
	const [at, ...own] = all;
	$("what").textContent = "at " + exact(c.t) + ": " + (c.row === null ? "" :
		own.map((s, i) => sentence(c.row, state.channels[i], s[0])).join(" | "));
	const table = el("table", { aria: { label: "All rows at the cursor" } }, el("thead", {}, el("tr", {}, ...["Row", "State", "For"].map((h, i) =>
		el("th", { scope: "col", className: i > 1 ? "n" : "" }, h)))),
	el("tbody", {}, ...at.map((s, i) => el("tr", { className: rows[i] === c.row ? "here" : "", title: span(s) },
		el("td", {}, short(rowLabel(rows[i]), 40)),
		el("td", {}, ...(s.index || (channelOf(channel).type === "count" && !s.unknown) ? [chip(cssOf(s), s.error), short(s.text, 40)] : [s.unknown ? "not known" : "–"])),
		el("td", { className: "n" }, exact(s.end - s.begin))))));
	const box = el("div", { className: "list", tabIndex: 0, aria: { role: "region", label: "List of rows" } }, table);
	$("cursor").replaceChildren(el("p", {}, "at ", el("b", {}, exact(c.t)), " · " + titleOf(channel)), box,
		of > rows.length ? el("p", {}, "rows " + (from + 1) + " to " + (from + rows.length) + " of " + of + ": those around the cursor") : "",
		layout.rows.length > of ? el("p", {}, "without " + (layout.rows.length - of) + " rows in folded groups") : "");
	const here = table.querySelector(".here");
	if (here)
		box.scrollTop = here.offsetTop - box.clientHeight / 2;
}

export function cursorInit() {
	on("cursor channels rows", later(list, 40));
	on("scroll", later(() => state.cursor && cursorItem() < 0 && list(), 200));
	$("side-cursor").addEventListener("toggle", list);
}
