// SPDX-License-Identifier: MIT
// app.js: begins the page: parts, controls, and the file that is shown.
import { engine, startEngine } from "./engine.js";
import { changed, channelOf, on, short, state, titleOf } from "./state.js";
import { $, el, later } from "./dom.js";
import { applyTheme } from "./colors.js";
import { arrange, rowsInit } from "./rows.js";
import { picturesInit, settling, stats } from "./pictures.js";
import { drawInit } from "./draw.js";
import { overviewInit } from "./overview.js";
import { legendInit } from "./legend.js";
import { selectInit } from "./select.js";
import { cursorInit, setCursor } from "./cursor.js";
import { fit, gliding, moveInit } from "./move.js";
import { askTime, keysInit } from "./keys.js";
import { searchInit } from "./search.js";
import { linkInit, readLink } from "./link.js";
import { embedded } from "./embed.js";
import { exact } from "./units.js";

const NOTES_MOST = 3; // that are shown at once

let opening = 0; // how many files have been opened: an answer about one before the last is too late
let opened; // resolves ovniscope.ready
const ready = new Promise((resolve) => (opened = resolve));
const valuesLater = later(() => changed("values"), 20);
const notes = new Set();

// Stable for tests: ready (once a file is open), info, state, stats, query(), settled(). Rows are places in a view, times ns.
window.ovniscope = {
	ready,
	state,
	stats,
	get info() {
		return state.info;
	},
	// The state of a row in a channel at a time: { value, text, begin, end }, in ns.
	async query(view, row, name, t) {
		const v = state.info.views.find((x) => x.name === view);
		const channel = v.channels.find((c) => channelOf(c).name === name);
		const [s] = await engine.at({ rows: [v.rows[row]], channel, t: t * 1000 });
		return { value: s.value, text: s.text, begin: s.begin / 1000, end: s.end / 1000, index: s.index };
	},
	// Resolves when all that is shown is exact and nothing moves.
	async settled() {
		await ready;
		do
			await new Promise((go) => setTimeout(go, 30));
		while (settling() || gliding());
	},
};

function note(text) {
	if (notes.has(text))
		return;
	notes.add(text);
	const line = el("p", {}, short(text, 400), el("button", { title: "Dismiss", aria: { label: "Dismiss" },
		on: { click: () => notes.delete(text) && line.remove() } }, "✕"));
	$("notes").append(line);
	line.hidden = notes.size > NOTES_MOST;
	$("more-notes")?.remove();
	if (notes.size > NOTES_MOST)
		$("notes").append(el("p", { id: "more-notes" }, "and " + (notes.size - NOTES_MOST) + " more",
			el("button", { on: { click: showNotes } }, "Show")));
}

function showNotes() {
	$("more-notes").remove();
	for (const line of $("notes").children)
		line.hidden = false;
}

function progress(text, done, of) {
	$("work").textContent = text && of ? text + " " + Math.round((100 * done) / of) + " %" : text;
}

// The channel to begin with: what runtimes do, else marks of the user, else states of threads, and whose thread runs.
function chosen(view) {
	const is = (test) => view.channels.find((c) => test(channelOf(c), channelOf(c).type === "state"));
	const runtime = (c) => !["ovni", "kernel", ""].includes(c.model ?? "");
	const best = is((c, s) => s && runtime(c) && /subsystem|function/i.test(c.title)) ??
		is((c, s) => s && runtime(c) && !/idle|type/.test(c.name)) ??
		is((c, s) => s && c.name.startsWith("mark")) ?? is((c, s) => s && c.name === "state") ?? is((c) => c.name === "tid") ??
		is((c, s) => s && c.name !== "flush") ?? view.channels[0];
	return best === undefined ? [] : [best];
}

function setView(view) {
	if (state.view === view)
		return;
	// Channels of the same name stay.
	const names = state.channels.map((c) => channelOf(c).name);
	state.view = view;
	state.channels = view.channels.filter((c) => names.includes(channelOf(c).name));
	if (!state.channels.length)
		state.channels = chosen(view);
	state.selection = state.cursor = null;
	state.folded.clear();
	state.top = 0;
	controls();
	changed("channels");
	changed("cursor");
	changed("selection");
}

function setChannel(channel, yes) {
	const order = state.view.channels;
	const now = new Set(state.channels);
	now[yes ? "add" : "delete"](channel);
	if (now.size)
		state.channels = order.filter((c) => now.has(c));
	controls();
	changed("channels");
}

// Views and channels of the file, as they are chosen.
function controls() {
	const { info, view } = state;
	$("views").replaceChildren(...info.views.map((v) => el("label", {}, el("input", { type: "radio", name: "view",
		checked: v === view, value: v.name, on: { change: () => setView(v) } }), el("span", {}, short(v.title, 30)))));
	const models = new Map();
	for (const c of view.channels)
		models.set(channelOf(c).model || "", [...(models.get(channelOf(c).model || "") || []), c]);
	const focus = [...$("channel-list").querySelectorAll("input")].indexOf(document.activeElement);
	$("channel-list").replaceChildren(...[...models].map(([model, list]) => el("fieldset", {}, el("legend", {}, model),
		...list.map((c) => el("label", {}, el("input", { type: "checkbox", checked: state.channels.includes(c),
			on: { change: (e) => setChannel(c, e.target.checked) } }), titleOf(c),
		el("small", {}, { id: "id", count: "count" }[channelOf(c).type] || ""))))));
	if (focus >= 0)
		$("channel-list").querySelectorAll("input")[focus]?.focus();
	const titles = state.channels.map((c) => titleOf(c, 30));
	$("channel-title").textContent = titles.length > 1 ? titles[0] + " + " + (titles.length - 1) : titles[0] || "no channel";
	$("channels").firstElementChild.setAttribute("aria-label", "Channels: " + titles.join(", "));
	for (const id of ["sort", "theme", "unit"])
		$(id).value = state[id];
	for (const id of ["labels", "patterns", "lines"])
		$(id).checked = state[id];
	$("size").value = state.size;
	changed("side");
}

// what: { file } or { url } or pieces, as engine.open() takes it.
async function openFile(what) {
	const before = state.info;
	const nth = ++opening;
	progress("opening", 0, 0);
	$("failed").textContent = "";
	try {
		const info = await engine.open(what);
		if (nth !== opening)
			return;
		state.info = info;
	} catch (e) {
		if (nth !== opening)
			return;
		progress("", 0, 0);
		const text = "This file cannot be shown: " + (e.message || e) + ".";
		$("failed").textContent = text;
		if (state.info)
			note(text);
		return;
	}
	progress("", 0, 0);
	const { info } = state;
	// Another file begins anew; the rest of what is there in parts goes on where it is.
	if (before && before.size !== info.size)
		history.replaceState(null, "", "#");
	document.body.classList.remove("empty");
	document.title = info.name + " – ovniscope";
	const name = (info.props.find(([key]) => key === "dut_name") || [])[1];
	$("name").textContent = short(name || info.name, 60);
	$("name").title = info.name + ", " + info.size + " bytes, " + exact(info.end - info.begin);
	notes.clear();
	$("notes").replaceChildren();
	if (!info.whole)
		note("This page has the overview of " + info.name + ". For all of it, drop that file here, or open it (O).");
	info.notes.forEach(note);
	state.view = info.views.find((v) => v.name === "cpu") || info.views[0];
	stats.firstPicture = stats.allExact = null;
	apply();
	changed("open");
	arrange();
	for (const name of ["place", "channels", "cursor", "selection"])
		changed(name);
	opened(info);
}

function apply() {
	state.only.clear();
	state.hidden.clear();
	readLink(chosen);
	applyTheme();
	if (state.info)
		controls();
}

function events(e) {
	if (e.event === "waiting")
		progress("waiting for the program that writes this file", 0, 0);
	if (!state.info)
		return;
	if (e.event === "values") {
		const c = channelOf(e.channel);
		e.values.forEach((v, i) => (c.values[e.from + i] = v));
		valuesLater();
	} else if (e.event === "progress") {
		progress("reading", e.done, e.of);
		if (e.done >= e.of)
			progress("", 0, 0);
	} else if (e.event === "note") {
		note(e.text);
	} else if (e.event === "grown") {
		const follows = state.t1 >= state.info.end;
		const view = state.view.name;
		const whole = state.t0 <= state.info.begin;
		state.info = e.info;
		state.view = e.info.views.find((v) => v.name === view) || e.info.views[0];
		if (follows) {
			const span = state.t1 - state.t0;
			state.t1 = e.info.end;
			state.t0 = whole ? e.info.begin : e.info.end - span;
		}
		arrange();
		changed("grown");
		changed("place");
	}
}

function controlsInit() {
	const bind = (id, key, f) => $(id).addEventListener("change", () => {
		state[key] = key === "size" ? Number($(id).value) : $(id).type === "checkbox" ? $(id).checked : $(id).value;
		f();
	});
	const look = () => changed("look");
	bind("sort", "sort", arrange);
	bind("theme", "theme", applyTheme);
	bind("unit", "unit", look);
	bind("size", "size", () => { arrange(); look(); });
	for (const id of ["labels", "patterns", "lines"])
		bind(id, id, look);
	on("side", () => {
		$("side").hidden = !state.side;
		$("panel").setAttribute("aria-pressed", state.side);
	});
	$("fit").addEventListener("click", () => state.info && fit());
	$("panel").addEventListener("click", () => {
		state.side = !state.side;
		changed("side");
	});
	$("goto").addEventListener("click", () => state.info && askTime());
	$("ask").addEventListener("click", () => $("help").showModal());
	for (const id of ["open", "choose"])
		$(id).addEventListener("click", () => $("file").click());
	$("file").addEventListener("change", () => {
		if ($("file").files.length)
			openFile({ file: $("file").files[0] });
		$("file").value = "";
	});
	addEventListener("dragover", (e) => {
		e.preventDefault();
		document.body.classList.add("drop");
	});
	addEventListener("dragleave", (e) => e.relatedTarget || document.body.classList.remove("drop"));
	addEventListener("drop", (e) => {
		e.preventDefault();
		document.body.classList.remove("drop");
		if (e.dataTransfer.files.length)
			openFile({ file: e.dataTransfer.files[0] });
	});
	// A menu closes when something else is clicked.
	addEventListener("pointerdown", (e) => {
		for (const menu of document.querySelectorAll("details.menu[open]"))
			if (!menu.contains(e.target))
				menu.open = false;
	});
	new ResizeObserver(() => arrange()).observe($("plot"));
	on("pictures", () => settling() || progress("", 0, 0));
	on("trouble", () => note("Something went wrong: " + state.trouble + "."));
	on("place", () => {
		$("range").textContent = exact(state.t1 - state.t0);
		$("range").title = exact(state.t0) + " to " + exact(state.t1);
	});
}

async function start() {
	for (const init of [rowsInit.bind(null, (index) => setCursor(index, state.cursor ? state.cursor.t : (state.t0 + state.t1) / 2)),
		picturesInit, drawInit, overviewInit, legendInit, selectInit, cursorInit, moveInit, keysInit, searchInit, controlsInit])
		init();
	linkInit(apply);
	apply();
	startEngine(events);
	const data = await embedded((done, of) => progress("unpacking", done, of)).catch(() => {
		$("failed").textContent = "The data in this page is damaged. If you have its .uscp file, open that.";
		return null;
	});
	if (data)
		openFile(data);
}

if (document.readyState === "loading")
	document.addEventListener("DOMContentLoaded", start);
else
	start();
