// SPDX-License-Identifier: MIT
// select.js: what is in the selected area: times of states, durations, and both as CSV.
import { engine } from "./engine.js";
import { changed, channelOf, on, rowLabel, short, state, titleOf, trouble } from "./state.js";
import { $, chip, el } from "./dom.js";
import { cssOf, look } from "./colors.js";
import { exact, percent, rough } from "./units.js";

let asked = 0;
const results = new Map(); // channel -> result

export function selectArea(rows, a, b) {
	const round = (t) => Math.round(t / state.info.tick) * state.info.tick;
	const { begin, end } = state.info;
	const t0 = Math.min(Math.max(round(Math.min(a, b)), begin), end);
	const t1 = Math.min(Math.max(round(Math.max(a, b)), begin), end);
	state.selection = rows.length && t1 > t0 ? { rows, t0, t1 } : null;
	changed("selection");
}

async function askSelection() {
	const nth = ++asked;
	results.clear();
	drawSelection();
	const s = state.selection;
	if (!s)
		return;
	for (const channel of [...state.channels]) {
		const take = (r) => {
			if (nth !== asked || !r || r.stale || results.get(channel)?.exact)
				return;
			results.set(channel, r);
			drawSelection();
		};
		await engine.select({ ...s, channel, slot: "select" }, take).then(take, trouble);
		if (nth !== asked)
			return;
	}
}

function table(channel, r) {
	const head = ["State", "Time", "Share", "Count", "Mean", "Min", "Max"];
	const rows = r.states.filter((s) => s.time > 0 || s.count).sort((a, b) => b.time - a.time);
	return el("div", { className: "wide" }, el("table", { aria: { label: "States in the selection: " + titleOf(channel) } },
		el("thead", {}, el("tr", {}, ...head.map((h, i) => el("th", { className: i ? "n" : "", scope: "col" }, h)))),
		el("tbody", {}, ...rows.map((s) => el("tr", {},
			el("td", { title: short(s.text) }, ...(s.index ? [chip(cssOf(s), s.error), short(s.text, 60)] : [short(s.text, 60) || "nothing"])),
			...[rough(s.time), percent(s.share), String(s.count), ...["mean", "min", "max"].map((k) => s.count ? rough(s[k]) : "")]
				.map((text, i) => el("td", { className: "n", title: i === 0 ? exact(s.time) : i > 2 && s.count ?
					exact(s[["mean", "min", "max"][i - 3]]) : "" }, text)))))));
}

// Durations of states, one column an edge, coloured by state.
function histogram(channel, r) {
	const { edges, counts } = r.histogram;
	const bins = edges.length - 1;
	const of = Object.entries(counts).filter(([i]) => +i > 0).sort((a, b) => a[0] - b[0]);
	const sums = Array.from({ length: bins }, (_, b) => of.reduce((sum, [, n]) => sum + (n[b] || 0), 0));
	const max = Math.max(...sums);
	if (!max)
		return "";
	const first = sums.findIndex((n) => n);
	const last = bins - sums.slice().reverse().findIndex((n) => n);
	const [w, h] = [284, 80];
	const canvas = el("canvas", { width: w * 2, height: h * 2, className: "histogram", aria: { role: "img",
		label: "Histogram of durations, " + exact(edges[first]) + " to " + exact(edges[last]) + ", at most " + max } });
	const ctx = canvas.getContext("2d");
	ctx.scale(2, 2);
	const step = w / (last - first);
	for (let b = first; b < last; b++) {
		let y = h;
		for (const [i, n] of of) {
			const size = ((n[b] || 0) / max) * (h - 2);
			ctx.fillStyle = cssOf(channelOf(channel).values[i]);
			ctx.fillRect((b - first) * step, y - size, Math.max(1, step - 1), size);
			y -= size;
		}
	}
	ctx.fillStyle = look.line;
	ctx.fillRect(0, h - 1, w, 1);
	canvas.addEventListener("pointermove", (e) => {
		const b = first + Math.floor((e.offsetX / canvas.clientWidth) * (last - first));
		canvas.title = rough(edges[b]) + " to " + rough(edges[b + 1]) + ": " + sums[b];
	});
	return el("figure", {}, canvas, el("figcaption", {}, el("span", {}, rough(edges[first])), el("span", {}, "durations"),
		el("span", {}, rough(edges[last]))));
}

// What a result that is not exact lacks.
const lacks = (r) => (r && r.done ? "incomplete: parts are damaged or missing" : "counting…");
const without = (r) => "durations without those of " + r.histogram.left + (r.histogram.left > 1 ? " states" : " state");

function csv() {
	const quote = (text) => (/[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);
	const ns = (t) => String(+(t / 1000).toFixed(3));
	const s = state.selection;
	const lines = [];
	const note = (channel, text) => lines.push(quote("# " + channelOf(channel).title + ": " + text));
	for (const channel of state.channels) {
		const r = results.get(channel);
		if (!r || !r.exact)
			note(channel, lacks(r));
		if (r && r.histogram.left)
			note(channel, without(r));
	}
	lines.push(["channel", "state", "time_ns", "share", "count", "mean_ns", "min_ns", "max_ns"].join());
	for (const [channel, r] of results)
		for (const v of r.states)
			lines.push([quote(channelOf(channel).title), quote(v.text), ns(v.time), v.share.toFixed(6), v.count, ns(v.mean), ns(v.min),
				ns(v.max)].join());
	lines.push("", "channel,state,from_ns,to_ns,count");
	for (const [channel, r] of results)
		for (const [i, counts] of Object.entries(r.histogram.counts))
			counts.forEach((n, b) => n && lines.push([quote(channelOf(channel).title), quote(channelOf(channel).values[i].text),
				ns(r.histogram.edges[b]), ns(r.histogram.edges[b + 1]), n].join()));
	lines.push("", "from_ns,to_ns,rows", [ns(s.t0), ns(s.t1), s.rows.length].join(), "row", ...s.rows.map((r) => quote(rowLabel(r))));
	return lines.join("\n") + "\n";
}

export function save(text, name, type) {
	const url = URL.createObjectURL(new Blob([text], { type }));
	el("a", { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// navigator.clipboard is not there for every page of a file; a text field always is.
export async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = el("textarea", { value: text, className: "hidden" });
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
}

function drawSelection() {
	const s = state.selection;
	$("side-selection").hidden = !s;
	if (!s)
		return;
	const parts = [el("p", {}, exact(s.t0) + " to " + exact(s.t1), el("br"), el("b", {}, exact(s.t1 - s.t0)), " in " + s.rows.length +
		(s.rows.length === 1 ? " row" : " rows"))];
	for (const channel of state.channels) {
		const r = results.get(channel);
		parts.push(el("h3", {}, titleOf(channel), r && r.exact ? "" : " (" + lacks(r) + ")"));
		if (r && r.states)
			parts.push(table(channel, r), histogram(channel, r), r.histogram.left ? el("p", {}, without(r)) : "");
		if (r && r.ticks)
			parts.push(el("p", {}, r.ticks + " punctual events"));
	}
	parts.push(el("p", { className: "buttons" },
		el("button", { on: { click: () => save(csv(), "selection.csv", "text/csv") } }, "Save CSV"),
		el("button", { on: { click: () => copy(csv()) } }, "Copy CSV"),
		el("button", { on: { click: () => selectArea([], 0, 0) } }, "Clear")));
	$("selection").replaceChildren(...parts);
}

export function selectInit() {
	on("selection channels", askSelection);
	on("look", drawSelection);
	on("grown", askSelection);
}
