// SPDX-License-Identifier: MIT
// move.js: mouse, touch and wheel on the picture, and moves that keys and buttons share.
import { engine } from "./engine.js";
import { changed, setPlace, state } from "./state.js";
import { $ } from "./dom.js";
import { AXIS, fold, itemAt, layout, setTop } from "./rows.js";
import { hover, tOf } from "./draw.js";
import { locate, setCursor, tip } from "./cursor.js";
import { selectArea } from "./select.js";

const NEAR = 4; // px that a press may move and still be a click

let goal = null; // of a move that is under way: { t0, t1, from, u0, u1 }
const still = matchMedia("(prefers-reduced-motion: reduce)");

// Moves there within a moment, so that the eye can follow.
export function glide(t0, t1) {
	if (still.matches)
		return setPlace(t0, t1);
	const fresh = !goal;
	goal = { t0, t1, from: performance.now(), u0: state.t0, u1: state.t1 };
	if (fresh)
		requestAnimationFrame(step);
}

function step(now) {
	const x = Math.min(Math.max(now - goal.from, 0) / 110, 1);
	const f = x * (2 - x);
	const { t0, t1, u0, u1 } = goal;
	if (x < 1)
		requestAnimationFrame(step);
	else
		goal = null;
	setPlace(u0 + (t0 - u0) * f, u1 + (t1 - u1) * f);
}

export function gliding() {
	return goal !== null;
}

export function zoom(factor, t, now = false) {
	const { t0, t1 } = !now && goal || state;
	(now ? setPlace : glide)(t - (t - t0) * factor, t + (t1 - t) * factor);
}

export function pan(part) {
	const { t0, t1 } = goal || state;
	const by = (t1 - t0) * part;
	const { begin, end } = state.info;
	const most = Math.max(begin - t0, Math.min(end - t1, by));
	const least = Math.min(end - t1, Math.max(begin - t0, by));
	glide(t0 + (by < 0 ? least : most), t1 + (by < 0 ? least : most));
}

export function fit() {
	glide(state.info.begin, state.info.end);
}

// Shows from a to b with a margin on both sides.
export function showSpan(a, b) {
	const margin = Math.max((b - a) * 0.1, state.info.tick);
	glide(a - margin, b + margin);
}

// Shows the interval of a row at t.
export async function showInterval(row, channel, t) {
	const [s] = await engine.at({ rows: [row], channel, t }).catch(() => []);
	if (s)
		showSpan(Math.max(s.begin, state.info.begin), Math.min(s.end, state.info.end));
}

// Rows between two of the layout, also those that are folded.
export function rowsBetween(a, b) {
	return layout.items.slice(Math.min(a, b), Math.max(a, b) + 1).flatMap((i) => (!i.group ? [i.row] : i.folded ? i.rows : []));
}

export function moveInit() {
	const plot = $("plot");
	let drag = null;
	const end = () => {
		drag = null;
		plot.style.cursor = "";
	};
	plot.addEventListener("pointerdown", (e) => {
		if (!state.info || e.button > 1)
			return;
		plot.setPointerCapture(e.pointerId);
		const place = locate(e.offsetX, e.offsetY);
		const mode = e.offsetY < AXIS ? "times" : e.shiftKey ? "area" : "pan";
		drag = { mode, place, x: e.offsetX, y: e.offsetY, t0: state.t0, t1: state.t1, top: state.top, far: false };
		tip(null);
	});
	plot.addEventListener("pointermove", (e) => {
		if (!state.info)
			return;
		hover.x = e.offsetX;
		hover.px = e.clientX;
		hover.py = e.clientY;
		hover.t = tOf(e.offsetX);
		const place = (hover.place = locate(e.offsetX, e.offsetY));
		if (!drag)
			tip(place);
		else if (drag.far || Math.hypot(e.offsetX - drag.x, e.offsetY - drag.y) > NEAR) {
			drag.far = true;
			if (drag.mode === "pan") {
				plot.style.cursor = "grabbing";
				const by = ((drag.x - e.offsetX) / plot.clientWidth) * (drag.t1 - drag.t0);
				setPlace(drag.t0 + by, drag.t1 + by);
				setTop(drag.top + drag.y - e.offsetY);
			} else {
				const to = Math.min(itemAt(Math.max(e.offsetY - AXIS, 0) + state.top), layout.items.length - 1);
				selectArea(drag.mode === "times" ? layout.rows : rowsBetween(drag.place.index, to), drag.place.t, tOf(e.offsetX));
			}
		}
		changed("hover");
	});
	plot.addEventListener("pointerup", (e) => {
		if (drag && !drag.far) {
			const { item, index, t, channel } = locate(e.offsetX, e.offsetY);
			setCursor(item ? index : -1, t, channel);
			if (item && item.group)
				fold(item.group);
		}
		end();
	});
	plot.addEventListener("pointercancel", end);
	plot.addEventListener("pointerleave", () => {
		hover.x = -1;
		hover.place = null;
		tip(null);
		changed("hover");
	});
	plot.addEventListener("dblclick", (e) => {
		const { row, channel, t } = locate(e.offsetX, e.offsetY);
		if (row !== null)
			showInterval(row, channel, t);
	});
	// The wheel zooms; with Shift, or sideways as trackpads do, it pans.
	plot.addEventListener("wheel", (e) => {
		if (!state.info)
			return;
		e.preventDefault();
		const scale = e.deltaMode === 1 ? 30 : e.deltaMode === 2 ? 300 : 1;
		const side = e.shiftKey ? e.deltaY || e.deltaX : Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : 0;
		goal = null;
		if (side) {
			const by = ((side * scale) / plot.clientWidth) * (state.t1 - state.t0);
			setPlace(state.t0 + by, state.t1 + by);
		} else {
			const most = e.ctrlKey ? 60 : 150;
			zoom(1.0022 ** (Math.max(-most, Math.min(most, e.deltaY * scale)) * (e.ctrlKey ? 4 : 1)), tOf(e.offsetX), true);
		}
		hover.t = tOf(e.offsetX);
	}, { passive: false });
}
