// SPDX-License-Identifier: MIT
// values.js: the values that a channel has shown, as a list that grows. What is drawn are positions in it.
import { TWO_32 } from "./bytes.js";
import { NOTHING } from "./frames.js";

const SMALL = 1024; // keys that have an array instead of a map
export const VALUES_MAX = 1 << 20; // of a list, and the position of what stands for all others
export const OTHERS = "other values";

// A whole number of 64 bits, with sign or without: a Number up to 2^53, beyond it a BigInt.
export function whole(lo, hi, signed) {
	const v = (signed ? hi | 0 : hi) * TWO_32 + lo;
	return Number.isSafeInteger(v) ? v : BigInt(signed ? hi | 0 : hi) * 4294967296n + BigInt(lo);
}

// Numbers ("keys") stand for values while time is added up: the bits of the field if they are 32, a number above for
// larger ones, and -1 for nothing.
export class Values {
	// describe(lo, hi): { value, text, rgb, error }. Value 0 is nothing if `zero` is -1.
	constructor(describe, nothing, zero) {
		this.describe = describe;
		this.zero = zero;
		this.list = [nothing];
		this.told = 0; // of the list, to the page
		this.small = new Int32Array(SMALL).fill(-1);
		this.large = new Map();
		this.wide = new Map(); // by the high half, then by the low one
		this.halves = []; // of the wide ones, by number
	}

	key(lo, hi) {
		if (hi === 0)
			return lo === 0 ? this.zero : lo;
		return hi === NOTHING ? -1 : this.wideKey(lo, hi);
	}

	wideKey(lo, hi) {
		let low = this.wide.get(hi);
		if (!low)
			this.wide.set(hi, low = new Map());
		let key = low.get(lo);
		if (key === undefined) {
			key = TWO_32 + this.halves.length;
			low.set(lo, key);
			this.halves.push([lo, hi]);
		}
		return key;
	}

	// The two halves of a key.
	bits(key) {
		return key < TWO_32 ? [key, 0] : this.halves[key - TWO_32];
	}

	// The position of a key in the list.
	index(key) {
		if (key < 0)
			return 0;
		const at = key < SMALL ? this.small[key] : this.large.get(key);
		return at === undefined || at < 0 ? this.add(key) : at;
	}

	add(key) {
		if (this.list.length >= VALUES_MAX) {
			this.list[VALUES_MAX] = { value: null, text: OTHERS, rgb: 0x808690, error: false };
			return VALUES_MAX;
		}
		const at = this.list.push(this.describe(...this.bits(key))) - 1;
		if (key < SMALL)
			this.small[key] = at;
		else
			this.large.set(key, at);
		return at;
	}

	// Texts have changed, as the file has grown; positions stay. `newer`: the values of the same channel, made anew.
	renew(newer) {
		this.describe = newer.describe;
		this.list[0] = newer.list[0];
		const again = (at, key) => {
			if (at > 0)
				this.list[at] = this.describe(...this.bits(key));
		};
		this.small.forEach(again);
		this.large.forEach(again);
	}
}
