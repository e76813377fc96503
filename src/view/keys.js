// SPDX-License-Identifier: MIT
// keys.js: what each key does, and the help that lists it.
import { engine } from "./engine.js";
import { changed, cursorChannel, setPlace, state } from "./state.js";
import { $, el } from "./dom.js";
import { arrange, cursorItem, fold, foldAll, itemAt, layout, room, setTop } from "./rows.js";
import { moveCursor, setCursor, tip } from "./cursor.js";
import { fit, pan, rowsBetween, showInterval, showSpan, zoom } from "./move.js";
import { selectArea } from "./select.js";
import { parseTime } from "./units.js";
import { closeSearch } from "./search.js";

let anchor = null; // where a selection by keys begins: { index, t }

const middle = () => (state.cursor && state.cursor.t >= state.t0 && state.cursor.t <= state.t1 ? state.cursor.t :
	(state.t0 + state.t1) / 2);

// Keeps the cursor in the picture.
function follow() {
	const { t } = state.cursor;
	const span = state.t1 - state.t0;
	if (t < state.t0 || t > state.t1)
		setPlace(t - span / 2, t + span / 2);
}

// The cursor by a part of what is shown, or by rows; with Shift a selection grows.
function arrow(e, part, rows) {
	if (!state.cursor)
		moveCursor(0);
	const before = { index: Math.max(cursorItem(), 0), t: state.cursor.t };
	if (rows)
		moveCursor(rows);
	else
		setCursor(cursorItem(), state.cursor.t + part * (e.ctrlKey ? 0.001 : 0.02) * (state.t1 - state.t0));
	follow();
	anchor = e.shiftKey ? anchor || before : null;
	if (anchor)
		selectArea(rowsBetween(anchor.index, Math.max(cursorItem(), 0)), anchor.t, state.cursor.t);
}

async function jump(direction) {
	if (!state.cursor || state.cursor.row === null)
		moveCursor(0);
	const { row, t } = state.cursor;
	const channel = cursorChannel();
	const only = state.only.get(channel);
	const r = row === null ? null : await engine.next({ rows: [row], channel, t, direction, index: only ?? null }).catch(() => null);
	if (r)
		setCursor(cursorItem(), r.t);
	else
		$("what").textContent = "no further change in this row";
	follow();
}

function resize(by) {
	state.size = Math.max(2, Math.min(60, (state.size || layout.lane) + by));
	arrange();
	changed("look");
}

function enter() {
	const item = layout.items[cursorItem()];
	if (item && item.group)
		fold(item.group);
	else if (item)
		showInterval(item.row, cursorChannel(), state.cursor.t);
}

function sideways(e, direction) {
	const item = layout.items[cursorItem()];
	if (document.activeElement === $("tree") && item && item.group)
		fold(item.group, direction < 0);
	else
		arrow(e, direction, 0);
}

function otherChannel() {
	if (!state.cursor)
		moveCursor(0);
	setCursor(cursorItem(), state.cursor.t, state.channels[(state.channels.indexOf(cursorChannel()) + 1) % state.channels.length]);
}

export function escape() {
	if (state.selection)
		selectArea([], 0, 0);
	else if (state.only.size || state.hidden.size) {
		state.only.clear();
		state.hidden.clear();
		changed("look");
	} else if (state.filter) {
		state.filter = $("search").value = "";
		arrange();
	} else {
		state.cursor = null;
		changed("cursor");
	}
	tip(null);
}

export function askTime() {
	$("time").value = "";
	$("go").showModal();
}

// [keys, name in the help, what it does, action]
const actions = [
	[["w", "+", "="], "W  +", "zoom in at the cursor", () => zoom(0.6, middle())],
	[["s", "-"], "S  −", "zoom out", () => zoom(1 / 0.6, middle())],
	[["a"], "A", "to the left", () => pan(-0.3)],
	[["d"], "D", "to the right", () => pan(0.3)],
	[["f"], "F", "fit: the whole trace", fit],
	[["z"], "Z", "zoom to the selection", () => state.selection && showSpan(state.selection.t0, state.selection.t1)],
	[["arrowleft"], "← →", "move the cursor in time (Ctrl: finely; in the list of rows: fold)", (e) => sideways(e, -1)],
	[["arrowright"], "", "", (e) => sideways(e, 1)],
	[["arrowup"], "↑ ↓", "the cursor to another row", (e) => arrow(e, 0, -1)],
	[["arrowdown"], "", "", (e) => arrow(e, 0, 1)],
	[[], "Shift + arrows", "select an area", null],
	[["m"], "M", "select all that is shown", () => selectArea(layout.rows, state.t0, state.t1)],
	[["home"], "Home End", "the cursor to the begin or the end of the trace", () => { setCursor(cursorItem(), state.info.begin); follow(); }],
	[["end"], "", "", () => { setCursor(cursorItem(), state.info.end); follow(); }],
	[["pageup"], "Page ↑ ↓", "scroll the rows", () => setTop(state.top - room())],
	[["pagedown"], "", "", () => setTop(state.top + room())],
	[["n"], "N  P", "next, previous change of the row, or of the highlighted state", () => jump(1)],
	[["p"], "", "", () => jump(-1)],
	[["x"], "X", "the next channel of the row", otherChannel],
	[["enter"], "Enter", "zoom to the state at the cursor; fold a group", enter],
	[["t"], "T", "go to a time", askTime],
	[["/"], "/", "search rows and states", () => $("search").focus()],
	[["c"], "C", "choose channels", () => { $("channels").open = true; $("channels").querySelector("input").focus(); }],
	[["["], "[  ]", "smaller, larger rows", () => resize(-2)],
	[["]"], "", "", () => resize(2)],
	[["{"], "{  }", "fold, unfold all", () => foldAll(true)],
	[["}"], "", "", () => foldAll(false)],
	[["l"], "L", "side panel", () => { state.side = !state.side; changed("side"); }],
	[["o"], "O", "open a file", () => $("file").click()],
	[["?"], "?", "this help", () => $("help").showModal()],
	[["escape"], "Esc", "clear: selection, highlight, filter, cursor", escape],
];

const mouse = [["Wheel", "zoom at the pointer; with Shift, or sideways: pan"], ["Drag", "pan; on the time axis: select times"],
	["Shift + drag", "select an area"], ["Click", "set the cursor"], ["Double click", "zoom to the state"],
	["Overview", "drag the window, its edges, or a new one"]];

export function keysInit() {
	const by = new Map(actions.flatMap(([keys, , , f]) => keys.map((k) => [k, f])));
	document.addEventListener("keydown", (e) => {
		const { tagName, type } = e.target;
		const typing = tagName === "SELECT" || tagName === "TEXTAREA" || (tagName === "INPUT" && !["radio", "checkbox"].includes(type));
		if (document.querySelector("dialog[open]") || e.altKey || e.metaKey)
			return;
		const key = e.key.toLowerCase();
		const menu = e.target.closest("details.menu[open]");
		if (key === "escape" && (typing || menu)) {
			closeSearch();
			if (menu)
				menu.open = false;
			$("plot").focus();
			return;
		}
		const own = e.target.closest("button,summary,input") && (key === "enter" || key.startsWith("arrow"));
		const f = by.get(key);
		if (typing || own || menu || !f || (e.ctrlKey && !key.startsWith("arrow")) || (!state.info && !["o", "?"].includes(key)))
			return;
		e.preventDefault();
		f(e);
	});
	const line = (key, text) => el("tr", {}, el("th", { scope: "row" }, ...key.split(/ {2,}/).flatMap((k) => [el("kbd", {}, k), " "])),
		el("td", {}, text));
	$("keys").append(...actions.filter(([, name]) => name).map(([, name, text]) => line(name, text)));
	$("mouse").append(...mouse.map(([name, text]) => line(name, text)));
	$("go").addEventListener("close", () => {
		const t = parseTime($("time").value, state.cursor ? state.cursor.t : state.t0);
		if ($("go").returnValue !== "go" || t === null)
			return;
		setCursor(Math.max(cursorItem(), itemAt(state.top)), t);
		const half = (state.t1 - state.t0) / 2;
		setPlace(state.cursor.t - half, state.cursor.t + half);
		$("plot").focus();
	});
}
