// SPDX-License-Identifier: MIT
// overview.js: the strip of the whole trace: CPU use, density of events, and which part of it is shown.
import { engine } from "./engine.js";
import { on, setPlace, state } from "./state.js";
import { $ } from "./dom.js";
import { look } from "./colors.js";
import { lanesOf } from "./pictures.js";
import { exact } from "./units.js";

const EDGE = 6; // px around an edge of the window in which one takes it

let data = null;
let back = null; // canvas; null: to be drawn again
let stripPending = false;

const toX = (t) => ((t - state.info.begin) / (state.info.end - state.info.begin || 1)) * $("overview").clientWidth;
const toT = (x) => state.info.begin + (x / $("overview").clientWidth) * (state.info.end - state.info.begin);

async function refresh() {
	const width = $("overview").clientWidth;
	if (!state.info || !width)
		return;
	const { begin, end } = state.info;
	data = await engine.overview({ width, t0: begin, t1: end }).catch(() => null);
	back = null;
	redrawOverview();
}

function redrawOverview() {
	if (stripPending || !state.info)
		return;
	stripPending = true;
	requestAnimationFrame(() => {
		stripPending = false;
		drawOverview();
	});
}

// values from 0 to max as an area, or as a line.
function curve(ctx, values, max, height, fill) {
	const bottom = height - 1;
	const y = (v) => bottom - (v / max) * (height - 4);
	ctx.beginPath();
	ctx.moveTo(0, bottom);
	values.forEach((v, x) => ctx.lineTo(x + 0.5, y(v || 0)));
	if (fill) {
		ctx.lineTo(values.length, bottom);
		ctx.fill();
	} else {
		ctx.stroke();
	}
}

// The part that stays as it is while one moves: CPU use and density, or the rows if there is neither.
function drawBack(width, height, dpr) {
	back = document.createElement("canvas");
	back.width = width * dpr;
	back.height = height * dpr;
	const ctx = back.getContext("2d");
	ctx.scale(dpr, dpr);
	ctx.fillStyle = look.lane;
	ctx.fillRect(0, 0, width, height);
	const { busy, density } = data || {};
	const base = state.channels.length && lanesOf(state.channels[0]).base;
	if (busy) {
		ctx.fillStyle = look.accent;
		ctx.globalAlpha = 0.35;
		curve(ctx, busy, 1, height, true);
	} else if (base && base.canvas && !base.dirty) {
		ctx.globalAlpha = 0.6;
		ctx.drawImage(base.canvas, toX(base.t0), 0, toX(base.t1) - toX(base.t0), height);
	}
	ctx.globalAlpha = 1;
	if (density) {
		ctx.strokeStyle = look.dim;
		curve(ctx, density, Math.max(...density) || 1, height, false);
	}
	const text = [busy ? "CPU use" : density ? "" : "rows", density ? "events" : ""].filter(Boolean).join(", ");
	ctx.font = "10px system-ui, sans-serif";
	ctx.fillStyle = look.lane;
	ctx.globalAlpha = 0.8;
	ctx.fillRect(1, 1, ctx.measureText(text).width + 8, 15);
	ctx.globalAlpha = 1;
	ctx.fillStyle = look.dim;
	ctx.fillText(text, 5, 12);
}

function drawOverview() {
	const canvas = $("overview");
	const dpr = devicePixelRatio;
	const width = canvas.clientWidth;
	const height = canvas.clientHeight;
	if (!back || back.width !== Math.floor(width * dpr) || back.height !== Math.floor(height * dpr))
		drawBack(width, height, dpr);
	if (canvas.width !== back.width || canvas.height !== back.height) {
		canvas.width = back.width;
		canvas.height = back.height;
	}
	const ctx = canvas.getContext("2d");
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.drawImage(back, 0, 0, width, height);
	const x0 = toX(state.t0);
	const x1 = Math.max(toX(state.t1), x0 + 2);
	ctx.fillStyle = look.shade;
	ctx.fillRect(0, 0, x0, height);
	ctx.fillRect(x1, 0, width, height);
	if (state.selection) {
		ctx.fillStyle = look.veil;
		ctx.fillRect(toX(state.selection.t0), 0, Math.max(1, toX(state.selection.t1) - toX(state.selection.t0)), height);
	}
	ctx.strokeStyle = look.accent;
	ctx.lineWidth = 1;
	ctx.strokeRect(Math.max(0.5, Math.round(x0) + 0.5), 0.5, Math.min(width, Math.round(x1)) - Math.max(0, Math.round(x0)) - 1,
		height - 1);
	ctx.fillStyle = look.accent;
	for (const x of [x0, x1])
		ctx.fillRect(Math.min(Math.max(x - 1.5, 0), width - 3), height / 2 - 8, 3, 16);
	if (state.cursor)
		ctx.fillRect(Math.round(toX(state.cursor.t)), 0, 1, height);
	canvas.setAttribute("aria-label", "Overview: shown is " + exact(state.t0) + " to " + exact(state.t1));
}

export function overviewInit() {
	const canvas = $("overview");
	let drag = null; // { mode, x, t0, t1 }
	const modeAt = (x) => {
		const [x0, x1] = [toX(state.t0), toX(state.t1)];
		return Math.abs(x - x0) < EDGE ? "left" : Math.abs(x - x1) < EDGE ? "right" : x > x0 && x < x1 ? "move" : "new";
	};
	canvas.addEventListener("pointerdown", (e) => {
		canvas.setPointerCapture(e.pointerId);
		const whole = state.t1 - state.t0 >= (state.info.end - state.info.begin) * 0.98;
		const mode = modeAt(e.offsetX);
		drag = { mode: whole && mode === "move" ? "new" : mode, x: e.offsetX, t0: state.t0, t1: state.t1 };
	});
	canvas.addEventListener("pointermove", (e) => {
		if (!state.info)
			return;
		if (!drag) {
			canvas.style.cursor = { left: "ew-resize", right: "ew-resize", move: "grab", new: "crosshair" }[modeAt(e.offsetX)];
			return;
		}
		const by = toT(e.offsetX) - toT(drag.x);
		const [a, b] = [toT(drag.x), toT(e.offsetX)];
		if (drag.mode === "move")
			setPlace(drag.t0 + by, drag.t1 + by);
		else if (drag.mode === "left")
			setPlace(Math.min(drag.t0 + by, drag.t1), drag.t1);
		else if (drag.mode === "right")
			setPlace(drag.t0, Math.max(drag.t1 + by, drag.t0));
		else if (Math.abs(e.offsetX - drag.x) > 2)
			setPlace(Math.min(a, b), Math.max(a, b));
	});
	canvas.addEventListener("pointerup", (e) => {
		if (drag && drag.mode === "new" && Math.abs(e.offsetX - drag.x) <= 2) {
			const half = (state.t1 - state.t0) / 2;
			setPlace(toT(e.offsetX) - half, toT(e.offsetX) + half);
		}
		drag = null;
	});
	on("look channels", () => (back = null));
	on("pictures", () => {
		if (!data || !data.busy)
			back = null;
	});
	on("place cursor selection look pictures channels", redrawOverview);
	on("open grown", refresh);
	new ResizeObserver(refresh).observe(canvas);
}
