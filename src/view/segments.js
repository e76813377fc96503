// SPDX-License-Identifier: MIT
// segments.js: the segments of a file, decoded when they are asked for. Those used last stay in memory.
import { Absent, Damage } from "./bytes.js";
import { lz4Decode } from "./lz4.js";
import { zstdDecode } from "./third-party/fzstd.js";
import { Decoder } from "./frames.js";
import { Unreachable } from "./source.js";
import { SEGMENT_HEADER } from "./uscp.js";

const CACHE_MAX = 256 << 20; // bytes: 2 * 10^7 changes
const BEGINS_MAX = 48 << 20; // bytes, of checkpoints alone
const RAW_MAX = 256 << 20; // deltas of a segment, decompressed
const CHECKPOINT_MAX = 256 << 20;
const AHEAD = 4 << 20;

export class Segments {
	constructor(file) {
		this.file = file;
		this.cache = new Map(); // number to columns, the oldest first; null: it is damaged
		this.bytes = 0;
		this.loading = new Map(); // number to promise
		this.scratch = new Uint8Array(0);
		this.begins = new Map(); // checkpoints alone: number to columns of them
		this.beginBytes = 0;
	}

	// What is wanted of the state. Segments are decoded again.
	use(layout) {
		this.decoder = new Decoder(this.file, layout);
		this.cache.clear();
		this.begins.clear();
		this.bytes = this.beginBytes = 0;
	}

	get length() {
		return this.file.segments.length;
	}

	// Times of a segment: it tells of all up to where the next one begins.
	begin(i) {
		return this.file.segments[i].begin;
	}

	end(i) {
		return i + 1 < this.length ? this.begin(i + 1) : Math.max(this.file.end, this.begin(i));
	}

	// The segment of a time: the last that does not begin after it. -1: there is none.
	at(t) {
		const list = this.file.segments;
		let low = 0, high = list.length;
		while (low < high) {
			const mid = low + high >> 1;
			if (list[mid].begin <= t)
				low = mid + 1;
			else
				high = mid;
		}
		return low - 1;
	}

	// Columns that are in memory; null: damaged; undefined: not there.
	cached(i) {
		const c = this.cache.get(i);
		if (c) {
			this.cache.delete(i);
			this.cache.set(i, c);
		}
		return c;
	}

	// Whether it can be had without reading.
	has(i) {
		return this.cache.has(i);
	}

	// Decodes it again: the file has changed.
	forget(i) {
		const c = this.cache.get(i);
		if (c !== undefined)
			this.bytes -= c ? c.bytes : 100;
		this.cache.delete(i);
	}

	// Columns; null: it is damaged, which is noted.
	async get(i) {
		const there = this.cached(i);
		if (there !== undefined)
			return there;
		let p = this.loading.get(i);
		if (!p) {
			p = this.load(i).finally(() => this.loading.delete(i));
			this.loading.set(i, p);
		}
		return p;
	}

	async load(i) {
		const decoder = this.decoder;
		let columns = null;
		try {
			columns = await this.decode(i, decoder, true);
		} catch (e) {
			this.tell(i, e);
			if (e instanceof Unreachable)
				return null;
		}
		if (decoder === this.decoder)
			this.put(i, columns);
		return columns;
	}

	tell(i, e) {
		if (e instanceof Unreachable) {
			this.file.note(`Parts of the file cannot be read now: ${e.message}.`);
			return;
		}
		if (!(e instanceof Absent))
			this.file.note(`Segment ${i} cannot be read: ${e.message}. What happened in it is left out.`);
	}

	put(i, columns) {
		this.cache.set(i, columns);
		this.bytes += columns ? columns.bytes : 100;
		for (const [old, c] of this.cache) {
			if (this.bytes <= CACHE_MAX || old === i)
				break;
			this.cache.delete(old);
			this.bytes -= c ? c.bytes : 100;
		}
	}

	// Whether all segments may stay in memory, as far as their sizes tell.
	get fit() {
		const seen = this.cache.size;
		return seen === 0 ? this.file.source.size < 64 << 20 : this.bytes / seen * this.length < CACHE_MAX;
	}

	// Reads a segment and gives it to a decoder.
	async decode(i, decoder, keep) {
		const { file } = this, listed = file.segments[i], source = file.source;
		const next = i + 1 < this.length ? file.segments[i + 1].at : Math.min(source.size, listed.at + AHEAD);
		const s = await file.segmentAt(listed.at, Math.max(0, Math.min(next - listed.at, AHEAD)) + AHEAD / 2);
		if (s.begin !== listed.begin || s.end !== listed.end)
			throw new Damage("the list of segments has other times for it");
		if (s.checkpoint > CHECKPOINT_MAX || s.raw > RAW_MAX)
			throw new Damage("it is larger than this page can take");
		const b = await source.read(listed.at + SEGMENT_HEADER, s.checkpoint + s.packed, AHEAD);
		const checkpoint = b.subarray(0, s.checkpoint);
		return decoder.segment(checkpoint, this.unpack(b.subarray(s.checkpoint), s.raw), keep);
	}

	unpack(packed, size) {
		const method = this.file.header.method;
		if (method === "none" || size === 0) {
			if (packed.length !== size)
				throw new Damage("its sizes do not agree");
			return packed;
		}
		if (method === "lz4" && size > packed.length * 255 + 64)
			throw new Damage("its sizes do not agree");
		if (this.scratch.length < size)
			this.scratch = new Uint8Array(Math.max(size, 1 << 20));
		const out = this.scratch.subarray(0, size);
		if (method === "zstd") {
			zstdDecode(packed, out);
			return out;
		}
		// Other writers put the size in front.
		if (packed.length > 4 && (packed[0] | packed[1] << 8 | packed[2] << 16 | packed[3] << 24) >>> 0 === size) {
			try {
				lz4Decode(packed.subarray(4), out);
				return out;
			} catch (e) {
				// It was no size.
			}
		}
		lz4Decode(packed, out);
		return out;
	}

	// The checkpoint of a segment alone, as columns that have one entry a cell; null: damaged.
	async checkpoint(i) {
		if (this.begins.has(i))
			return this.begins.get(i);
		const cached = this.cache.get(i);
		if (cached)
			return cached;
		let columns = null;
		try {
			const listed = this.file.segments[i], s = await this.file.segmentAt(listed.at, 1 << 16);
			if (s.checkpoint > CHECKPOINT_MAX)
				throw new Damage("it is larger than this page can take");
			const b = await this.file.source.read(listed.at + SEGMENT_HEADER, s.checkpoint);
			columns = this.decoder.segment(b, new Uint8Array(0), true);
		} catch (e) {
			this.tell(i, e);
			if (e instanceof Unreachable)
				return null;
		}
		this.beginBytes += columns ? columns.bytes : 0;
		if (this.beginBytes > BEGINS_MAX) {
			this.beginBytes = 0;
			this.begins.clear();
		}
		this.begins.set(i, columns);
		return columns;
	}

	// The state at the end of a segment, as far as the layout of that decoder has it. Throws.
	async last(i, decoder) {
		await this.decode(i, decoder, false);
	}
}
