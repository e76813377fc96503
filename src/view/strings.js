// SPDX-License-Identifier: MIT
// strings.js: the texts of a file. They are written when it is completed, and missing before.
import { text, u32 } from "./bytes.js";
import { STRINGS } from "./uscp.js";

export class Strings {
	constructor() {
		this.n = 0;
		this.known = new Map();
	}

	async read(file) {
		const b = await file.section(STRINGS);
		this.n = 0;
		this.known.clear();
		if (!b || b.length < 8)
			return;
		const n = u32(b, 0), data = 8 + 8 * n;
		let good = data <= b.length;
		for (let i = 0, at = 8; i < n && good; i++, at += 8)
			good = u32(b, at) + u32(b, at + 4) <= b.length - data;
		if (!good) {
			file.note("The texts of the file are damaged, and left out.");
			return;
		}
		// A copy: what was read may be part of something larger.
		this.bytes = b.slice();
		this.n = n;
		this.data = data;
	}

	// undefined: there is no such text.
	get(i) {
		if (i >= this.n)
			return undefined;
		let s = this.known.get(i);
		if (s === undefined) {
			s = text(this.bytes, this.data + u32(this.bytes, 8 + 8 * i), u32(this.bytes, 12 + 8 * i));
			this.known.set(i, s);
		}
		return s;
	}
}
