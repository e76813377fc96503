// SPDX-License-Identifier: MIT
// units.js: times as text, text as times, and the marks of a time axis.
import { state } from "./state.js";

const UNITS = { ps: 1, ns: 1e3, "µs": 1e6, ms: 1e9, s: 1e12 };
const THIN = "\u202f";

function unitFor(t) {
	if (state.unit !== "auto")
		return state.unit;
	const big = Math.abs(t);
	return big >= 1e12 ? "s" : big >= 1e9 ? "ms" : big >= 1e6 ? "µs" : big >= 1e3 || !big ? "ns" : "ps";
}

// All digits of t down to the tick of the trace, in groups of three: "12.345 678 ms".
export function exact(t, unit = unitFor(t), tick = state.info ? state.info.tick : 1) {
	const ps = BigInt(Math.round(t / tick)) * BigInt(tick);
	const scale = BigInt(UNITS[unit]);
	const big = ps < 0n ? -ps : ps;
	const whole = String(big / scale).replace(/\B(?=(\d{3})+$)/g, THIN);
	const part = String(big % scale).padStart(String(scale).length - 1, "0").replace(/0+$/, "");
	const digits = scale > 1n && part ? "." + part.replace(/(\d{3})(?=\d)/g, "$1" + THIN) : "";
	return (ps < 0n ? "−" : "") + whole + digits + THIN + unit;
}

// About t: three digits, for where there is little room.
export function rough(t) {
	const unit = unitFor(t);
	const v = t / UNITS[unit];
	return (Math.abs(v) >= 1e6 ? v.toPrecision(3) : String(+v.toPrecision(3))) + THIN + unit;
}

export function percent(x) {
	return x > 0 && x < 0.0005 ? "<0.1 %" : x > 0.9995 && x < 1 ? ">99.9 %" : (100 * x).toFixed(1) + " %";
}

// "12.5 ms", "3s", "250" (ns), "+10us" and "-10us" (from `from`); null: not a time.
export function parseTime(text, from) {
	const m = /^([+\-−]?)([\d.]+)(ps|ns|us|µs|μs|ms|s|)$/.exec(text.replace(/[\s\u202f,_]/g, ""));
	if (!m || isNaN(+m[2]))
		return null;
	const t = Math.round(+m[2] * UNITS[m[3].replace(/^[uμ]s$/, "µs") || "ns"]);
	return m[1] ? from + (m[1] === "+" ? t : -t) : t;
}

// { step, base, marks: [{ t, text }] }: about every 110 px; if the digits are many, base is what is to be added.
export function axis(t0, t1, width) {
	const raw = ((t1 - t0) / width) * 110;
	const ten = 10 ** Math.floor(Math.log10(raw));
	const step = Math.max([1, 2, 5, 10].find((n) => n * ten >= raw) * ten, 1);
	const offset = Math.max(Math.abs(t0), Math.abs(t1)) / step > 1e4;
	const base = offset ? Math.floor(t0 / (step * 1000)) * step * 1000 : 0;
	const unit = unitFor(offset ? step * 10 : Math.max(Math.abs(t0), Math.abs(t1)) / 2);
	const marks = [];
	for (let n = Math.ceil((t0 - base) / step); n * step + base <= t1; n++)
		marks.push({ t: base + n * step, text: (offset && n > 0 ? "+" : "") + exact(n * step, unit, 1) });
	return { step, base: offset ? exact(base, unitFor(base), 1) : "", marks };
}
