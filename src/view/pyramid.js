// SPDX-License-Identifier: MIT
// pyramid.js: what a page knows of a file before it is decoded: for each row and channel of states, and each of some
// thousand stretches of time, the state that lasted longest.
import { Damage, Numbers } from "./bytes.js";

export class Pyramid {
	// Bytes: "oPYR"; version, begin, bucket (ps), buckets, tracks; of each track storage, slot, field, and runs.
	constructor(bytes) {
		const n = new Numbers(bytes, 4);
		if (bytes.length < 4 || bytes[0] !== 0x6f || bytes[1] !== 0x50 || bytes[2] !== 0x59 || bytes[3] !== 0x52 || n.next() !== 1)
			throw new Damage("the overview in the page is damaged");
		this.bytes = bytes;
		this.begin = n.next();
		this.bucket = n.next();
		this.buckets = n.next();
		this.tracks = new Map(); // where the runs of a place begin
		for (let tracks = n.next(); tracks > 0 && n.more; tracks--) {
			this.tracks.set(`${n.next()} ${n.next()} ${n.next()}`, n.at);
			for (let done = 0; done < this.buckets; n.at++) {
				const length = n.next();
				if (length === 0)
					throw new Damage("the overview in the page is damaged");
				done += length;
				n.next();
			}
		}
	}

	// Calls take(lo, hi, from, to, share) for each run of a field of states. One that is not there was 0 throughout.
	each(storage, slot, field, take) {
		const at = this.tracks.get(`${storage} ${slot} ${field}`);
		if (at === undefined) {
			take(0, 0, this.begin, this.begin + this.buckets * this.bucket, 255);
			return;
		}
		const n = new Numbers(this.bytes, at);
		for (let done = 0; done < this.buckets;) {
			const from = done;
			done += n.next();
			n.next();
			take(n.lo, n.hi, this.begin + from * this.bucket, this.begin + done * this.bucket, this.bytes[n.at++]);
		}
	}
}
