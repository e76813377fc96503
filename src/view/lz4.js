// SPDX-License-Identifier: MIT
// lz4.js: decompresses a block of LZ4.
import { Damage } from "./bytes.js";

function damaged() {
	throw new Damage("the compressed data are damaged");
}

// The end of the bytes of a length that begin at `at`: all but the last are 255.
function endOfLength(src, at) {
	while (src[at] === 255)
		at++;
	if (at >= src.length)
		damaged();
	return at + 1;
}

// Decodes a block into `out`, which it must fill to the last byte. Sequences are a literal run and a match: lengths of
// 15 go on in the bytes behind, each of them at most 255 more than the one before. So work is in proportion to input and
// output, whatever the input.
export function lz4Decode(src, out) {
	const srcEnd = src.length, outEnd = out.length;
	let s = 0, o = 0;
	for (;;) {
		if (s >= srcEnd)
			damaged();
		const token = src[s++];
		let n = token >> 4;
		if (n === 15) {
			const from = s;
			s = endOfLength(src, s);
			n += 255 * (s - from - 1) + src[s - 1];
		}
		if (n > srcEnd - s || n > outEnd - o)
			damaged();
		if (n > 24) {
			out.set(src.subarray(s, s + n), o);
			s += n;
			o += n;
		} else {
			for (const end = s + n; s < end;)
				out[o++] = src[s++];
		}
		// The last sequence has no match.
		if (s === srcEnd)
			break;
		if (srcEnd - s < 2)
			damaged();
		const offset = src[s] | src[s + 1] << 8;
		s += 2;
		n = (token & 15) + 4;
		if (n === 19) {
			const from = s;
			s = endOfLength(src, s);
			n += 255 * (s - from - 1) + src[s - 1];
		}
		if (offset === 0 || offset > o || n > outEnd - o)
			damaged();
		if (n > 48 && offset >= n) {
			out.copyWithin(o, o - offset, o - offset + n);
			o += n;
		} else {
			for (const end = o + n; o < end; o++)
				out[o] = out[o - offset];
		}
	}
	if (o !== outEnd)
		damaged();
}
