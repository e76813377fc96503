// SPDX-License-Identifier: MIT
// bytes.js: numbers and texts out of bytes, little-endian wherever the page runs.

// Told to the user: what is wrong with the file.
export class Damage extends Error {
}

// What is wanted is not in the page, which has an overview alone.
export class Absent extends Damage {
}

export const TWO_32 = 4294967296;
const TEXT_MAX = 4000; // bytes of a text that are shown: a hostile file may name one of megabytes many times

export function u16(b, at) {
	return b[at] | b[at + 1] << 8;
}

export function u32(b, at) {
	return (b[at] | b[at + 1] << 8 | b[at + 2] << 16 | b[at + 3] << 24) >>> 0;
}

// Beyond 2^53 the nearest Number.
export function u64(b, at) {
	return u32(b, at) + u32(b, at + 4) * TWO_32;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

// A text; what is no UTF-8 shows as such.
export function text(b, at, length) {
	const shown = Math.min(length, TEXT_MAX);
	const s = utf8.decode(b.subarray(at, at + shown));
	return shown < length ? s.replace(/\ufffd$/, "") + "\u2026" : s;
}

// LEB128 numbers one after the other, up to the end of the bytes.
export class Numbers {
	constructor(bytes, at) {
		this.bytes = bytes;
		this.at = at;
	}

	get more() {
		return this.at < this.bytes.length;
	}

	// The low and the high half of the last number are in lo and hi.
	next() {
		let lo = 0, hi = 0;
		for (let shift = 0; ; shift += 7) {
			if (this.at >= this.bytes.length || shift > 63)
				throw new Damage("a number is cut off");
			const byte = this.bytes[this.at++], low = byte & 127;
			if (shift < 28) {
				lo |= low << shift;
			} else if (shift === 28) {
				lo |= low << 28;
				hi = low >> 4;
			} else {
				hi |= low << shift - 32;
			}
			if (byte < 128)
				break;
		}
		this.lo = lo >>> 0;
		this.hi = hi >>> 0;
		return this.lo + this.hi * TWO_32;
	}
}
