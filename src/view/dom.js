// SPDX-License-Identifier: MIT
// dom.js: elements, found and made. Text is always text, never HTML.

export function $(id) {
	return document.getElementById(id);
}

// el("td", { className: "n" }, "text", child...); on: { click: f } adds listeners, aria: { label: "x" } attributes.
export function el(tag, props = {}, ...children) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(props)) {
		if (key === "on")
			for (const [type, f] of Object.entries(value))
				e.addEventListener(type, f);
		else if (key === "aria")
			for (const [name, text] of Object.entries(value))
				e.setAttribute(name === "role" ? name : "aria-" + name, text);
		else
			e[key] = value;
	}
	e.append(...children);
	return e;
}

// A little square of a colour; pattern: one of those of paint.js.
export function chip(css, error, pattern = 0) {
	const e = el("i", { className: "chip" + (error ? " error" : pattern ? " p" + pattern : "") });
	e.style.backgroundColor = css;
	return e;
}

// Calls f at most once for many calls, ms after the last one.
export function later(f, ms) {
	let timer = 0;
	return () => {
		clearTimeout(timer);
		timer = setTimeout(f, ms);
	};
}
