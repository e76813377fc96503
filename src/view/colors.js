// SPDX-License-Identifier: MIT
// colors.js: the theme, and the colours of values as pixels and as CSS.
import { changed, channelOf, on, state } from "./state.js";

const RED = 0xe5484d;
const dark = matchMedia("(prefers-color-scheme: dark)");

// Colours of the theme, as style.css has them.
export const look = {};

// Puts the theme on the page, and reads its colours for what is drawn.
export function applyTheme() {
	const theme = state.theme === "auto" ? (dark.matches ? "dark" : "light") : state.theme;
	document.documentElement.dataset.theme = theme;
	const css = getComputedStyle(document.documentElement);
	for (const name of ["bg", "panel", "line", "ink", "dim", "accent", "lane", "veil", "shade", "on"])
		look[name] = css.getPropertyValue("--" + name).trim();
	look.dark = theme === "dark";
	changed("look");
}

dark.addEventListener("change", applyTheme);

function hsl(h, s, l) {
	const f = (n) => {
		const k = (n + h * 12) % 12;
		return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	};
	return (f(0) << 16) | (f(8) << 8) | f(4);
}

// The golden ratio keeps the hues of values that follow each other far apart. Those near the red of errors are left out.
function hashed(value) {
	const n = typeof value === "bigint" ? Number(value % 1000003n) : value;
	const h = 0.08 + 0.82 * (Math.abs(n * 0.618033988749895) % 1);
	return hsl(h, 0.5 + 0.15 * ((n * 7) % 3 === 0), look.dark ? 0.6 : 0.52);
}

// The colour of the file; in the dark what is nearly black gets some light, to be seen at all.
export function rgbOf(v) {
	const rgb = v.error ? RED : v.rgb ?? hashed(v.value);
	return look.dark && brightness(rgb) < 45 ? (rgb & 0xfefefe) * 0.5 + 0x3c3c3c : rgb;
}

function brightness(rgb) {
	return 0.3 * (rgb >> 16) + 0.59 * ((rgb >> 8) & 255) + 0.11 * (rgb & 255);
}

export function cssOf(v) {
	return "#" + rgbOf(v).toString(16).padStart(6, "0");
}

// Black or white, whichever is better to read on the colour of a value.
export function inkOn(v) {
	return brightness(rgbOf(v)) > 140 ? "#101318" : "#fff";
}

// A pixel of ImageData: red in the lowest byte.
export function pixel(rgb, alpha) {
	return ((alpha << 24) | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}

// 256 pixels from little to much.
export function heat() {
	const lut = new Uint32Array(256);
	for (let i = 0; i < 256; i++) {
		const x = i / 255;
		lut[i] = pixel(hsl(0.62 - 0.55 * x, 0.75, look.dark ? 0.22 + 0.42 * x : 0.86 - 0.4 * x), 255);
	}
	return lut;
}

const palettes = new Map(); // by channel

on("look open grown", () => palettes.clear());

// Pixels of all values of a channel: whole, pale (what is mixed with others), dark (hatches); which pattern; whether it is
// neither hidden nor dimmed. Values that are new are added.
export function palette(channel) {
	const { values } = channelOf(channel);
	let p = palettes.get(channel);
	if (p && p.n === values.length)
		return p;
	if (!p || p.full.length < values.length) {
		const size = Math.max(64, 2 * values.length);
		const arrays = [Uint32Array, Uint32Array, Uint32Array, Uint8Array, Uint8Array].map((type) => new type(size));
		const [full, pale, hatch, pattern, plain] = arrays;
		p = { n: 1, full, pale, dark: hatch, pattern, plain };
		palettes.set(channel, p);
	}
	const only = state.only.get(channel);
	const hidden = state.hidden.get(channel);
	for (; p.n < values.length; p.n++) {
		const i = p.n;
		const v = values[i];
		const rgb = rgbOf(v);
		const strength = hidden && hidden.has(i) ? 0 : only !== undefined && only !== i ? 0.13 : 1;
		p.full[i] = pixel(rgb, 255 * strength);
		p.pale[i] = pixel(rgb, (look.dark ? 80 : 90) * strength);
		p.dark[i] = pixel(((rgb >> 1) & 0x7f7f7f) + (v.error ? 0 : 0x101010), 255 * strength);
		p.pattern[i] = v.error ? 1 : state.patterns ? i % 7 : 0;
		p.plain[i] = strength === 1;
	}
	return p;
}
