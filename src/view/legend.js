// SPDX-License-Identifier: MIT
// legend.js: the states that are shown, with their share of what is visible; highlights and hides them.
import { engine } from "./engine.js";
import { changed, channelOf, on, short, state, titleOf } from "./state.js";
import { $, chip, el, later } from "./dom.js";
import { cssOf } from "./colors.js";
import { layout } from "./rows.js";
import { lanesOf, settling } from "./pictures.js";
import { percent } from "./units.js";

const LEGEND_MOST = 60; // states that are listed
const IDS_MOST = 16;

const exactShares = new Map(); // channel -> { key, of: Map(index -> share) }
const keyOf = () => [state.view.name, layout.rows.length, state.filter, state.t0, state.t1].join();

// About how much of the picture each state has: of its pixels, what the largest state of each has.
function roughShares(channel) {
	const pic = lanesOf(channel).now;
	const of = new Map();
	if (!pic)
		return of;
	const { index, share, mixed, state: most, stateShare, used } = pic.part;
	const add = (v, n) => of.set(v, (of.get(v) || 0) + n);
	for (let i = 0; i < index.length; i++) {
		add(mixed[i] > 1 ? most[i] : index[i], mixed[i] > 1 ? stateShare[i] : share[i]);
		if (mixed[i] > 1)
			add(0, 255 - used[i]);
	}
	for (const [i, sum] of of)
		of.set(i, sum / 255 / index.length);
	return of;
}

// Values of punctual events that are seen; they have no time, so no share.
function ticksIn(channel) {
	const { part } = lanesOf(channel).now || {};
	const of = new Set();
	if (part && part.ticks)
		part.ticks.forEach((n, i) => n && of.add(part.tick[i]));
	return [...of].filter((i) => i > 0 && channelOf(channel).values[i]).sort((a, b) => a - b);
}

async function askShares() {
	for (const channel of state.channels) {
		const key = keyOf();
		const known = exactShares.get(channel);
		if (channelOf(channel).type === "count" || (known && known.key === key) || settling())
			continue;
		const r = await engine.select({ rows: layout.rows, channel, t0: state.t0, t1: state.t1, slot: "legend" }).catch(() => null);
		if (r && !r.stale && r.states && key === keyOf())
			exactShares.set(channel, { key, exact: r.exact, of: new Map(r.states.map((s) => [s.index, s.share])) });
	}
	drawLegend();
}

export function highlight(channel, index) {
	if (state.only.get(channel) === index)
		state.only.delete(channel);
	else
		state.only.set(channel, index);
	changed("look");
}

export function hide(channel, index) {
	const hidden = state.hidden.get(channel) || new Set();
	hidden[hidden.has(index) ? "delete" : "add"](index);
	state.hidden[hidden.size ? "set" : "delete"](channel, hidden);
	changed("look");
}

function line(channel, index, share, about) {
	const v = channelOf(channel).values[index];
	const out = state.hidden.get(channel)?.has(index);
	const only = state.only.get(channel) === index;
	const text = short(v.text, 60);
	return el("tr", { className: (out ? "out " : "") + (only ? "only" : "") },
		el("td", {}, el("button", { className: "swatch", title: out ? "Show" : "Hide", on: { click: () => hide(channel, index) },
			aria: { pressed: !out, label: "Show " + text } }, chip(cssOf(v), v.error, state.patterns ? index % 7 : 0))),
		el("td", {}, el("button", { className: "name", title: "Highlight", on: { click: () => highlight(channel, index) },
			aria: { pressed: only } }, text)),
		el("td", { className: "n" }, share === undefined ? "" : (about ? "≈ " : "") + percent(share)));
}

function countLine(channel) {
	const pic = lanesOf(channel).now;
	return pic && pic.range ? el("p", {}, "from " + pic.range[0] + " to " + pic.range[1] + " in what is shown") : "";
}

function drawLegend() {
	if (!state.info || !$("side-legend").open)
		return;
	const focus = document.activeElement;
	const place = $("legend").contains(focus) ? [...$("legend").querySelectorAll("button")].indexOf(focus) : -1;
	$("legend").replaceChildren(...state.channels.flatMap((channel) => {
		const c = channelOf(channel);
		if (c.type === "count")
			return [el("h3", {}, titleOf(channel)), countLine(channel)];
		const known = exactShares.get(channel);
		const fresh = known && known.key === keyOf() && (known.exact || known.of.size > 1);
		const of = fresh ? known.of : roughShares(channel);
		// Labelled states keep their order, ids come by share; what is not there now stays out.
		let list = [...of.keys()].filter((i) => i > 0 && c.values[i] && of.get(i) > 0);
		list.sort(c.type === "id" || list.length > 30 ? (a, b) => of.get(b) - of.get(a) : (a, b) => a - b);
		for (const i of ticksIn(channel))
			if (!list.includes(i))
				list.push(i);
		const most = c.type === "id" ? IDS_MOST : LEGEND_MOST;
		const more = list.length - most;
		list = list.slice(0, most);
		const table = el("table", { aria: { label: "States of " + titleOf(channel) } },
			el("thead", { className: "hidden" }, el("tr", {}, el("th", {}, "Show"), el("th", {}, "State"), el("th", {}, "Share"))),
			el("tbody", {}, ...list.map((i) => line(channel, i, of.get(i), !fresh || !known.exact)),
				el("tr", { className: "nothing" }, el("td"), el("td", {}, "nothing"), el("td", { className: "n" },
					of.has(0) ? (fresh && known.exact ? "" : "≈ ") + percent(of.get(0)) : ""))));
		return [el("h3", {}, titleOf(channel)), table, more > 0 ? el("p", {}, "and " + more + " more") : ""];
	}));
	if (place >= 0)
		$("legend").querySelectorAll("button")[place]?.focus();
}

export function legendInit() {
	on("pictures place rows channels", later(askShares, 250));
	on("pictures look values channels open", later(drawLegend, 60));
	on("open", () => exactShares.clear());
	$("side-legend").addEventListener("toggle", drawLegend);
}
