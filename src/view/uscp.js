// SPDX-License-Identifier: MIT
// uscp.js: a µScope file but for its segments' content: header, preamble, sections, where the segments are. The bytes
// are in doc/format/uscope.md.
import { Damage, text, u16, u32, u64 } from "./bytes.js";
import { parseSchema } from "./schema.js";

const COMPLETE = 1, COMPRESSED = 2, COMPACT = 64, INTERLEAVED = 128, KNOWN_FLAGS = 0xff;
const SEGMENT = 0x47455375; // "uSEG"
const HEADER = 48;
export const SEGMENT_HEADER = 56;
const CHUNK_MAX = 16 << 20;
const SECTION_MAX = 256 << 20;
const SCAN_MAX = 64 << 20; // bytes that are searched for segments that no list names
const TABLE = 3; // of segments
const SMALL_SEGMENT = 128 << 10; // bytes that are read as soon as a request is answered
const BACK_MIN = 256 << 10, BACK_MAX = 4 << 20; // bytes that are read at once on the way back
export const STRINGS = 2;
export const SUMMARIES = [16, 1];

function parseHeader(b) {
	if (b.length < HEADER)
		throw new Damage("this is no \u00b5Scope file: it is too short");
	if (u32(b, 0) !== 0x50435375)
		throw new Damage("this is no \u00b5Scope file");
	const major = u16(b, 4), minor = u16(b, 6), flags = u32(b, 8), method = flags >> 3 & 7;
	if (major !== 0 || minor > 3)
		throw new Damage(`version ${major}.${minor} of the format is not known`);
	if (u32(b, 12) || flags & ~KNOWN_FLAGS || method > 1)
		throw new Damage("the file has flags that are not known");
	return {
		minor,
		complete: (flags & COMPLETE) !== 0,
		method: flags & COMPRESSED ? ["lz4", "zstd"][method] : "none",
		compact: (flags & COMPACT) !== 0,
		interleaved: (flags & INTERLEAVED) !== 0,
		total: u64(b, 16),
		preambleEnd: u32(b, 28),
		sections: u64(b, 32),
		last: u64(b, 40),
	};
}

function parseProperties(dut, schema) {
	const pool = schema.length < 12 ? 0 : u16(schema, 10), props = [];
	const at = (offset) => {
		const from = pool + offset, end = schema.indexOf(0, from);
		return end < 0 ? "" : text(schema, from, end - from);
	};
	for (let i = 0, n = dut.length < 4 ? 0 : u16(dut, 0); i < n && 8 + 4 * i <= dut.length; i++)
		props.push([at(u16(dut, 4 + 4 * i)), at(u16(dut, 6 + 4 * i))]);
	return props;
}

export class UscpFile {
	constructor(source) {
		this.source = source;
		this.notes = new Set();
		this.segments = []; // in order: at, begin, end, and prev and frames if the header was read
		this.sections = new Map(); // by type: at, size
	}

	note(what) {
		if (this.notes.size < 100)
			this.notes.add(what);
	}

	get clock() {
		return this.schema.clocks[0].period;
	}

	get begin() {
		return this.segments.length ? this.segments[0].begin : 0;
	}

	// The time of the last cycle, or the end that the writer gave.
	get end() {
		const last = this.segments.length ? this.segments[this.segments.length - 1].end - 1 : 0;
		return Math.max(this.begin, this.header.complete && this.header.total ? this.header.total : last);
	}

	// Whether a file that is being written has come so far that it tells what its rows are: to its first segment.
	async begun() {
		const first = await this.source.first(HEADER), header = first.length < HEADER ? null : parseHeader(first);
		return header !== null && (header.complete || header.last > 0 || this.source.size > header.preambleEnd + 8);
	}

	async open() {
		this.header = parseHeader(await this.source.first(HEADER));
		await this.readPreamble();
		if (this.header.complete)
			await this.readSections();
		if (this.sections.has(TABLE))
			await this.readTable();
		if (!this.segments.length)
			await this.walkBack(0);
	}

	// ---- The preamble. ----

	async readPreamble() {
		const chunks = new Map(), end = this.header.preambleEnd || this.source.size;
		for (let at = HEADER; ;) {
			if (at + 8 > end)
				throw new Damage("the preamble is damaged: it has no end");
			const head = await this.source.read(at, 8, Math.min(end - at, 1 << 16)), type = u16(head, 0), size = u32(head, 4);
			if (type === 0)
				break;
			if (size > CHUNK_MAX)
				throw new Damage("the preamble is damaged: a part of it is too large");
			if (type <= 3) {
				if (chunks.has(type))
					throw new Damage("the preamble is damaged: a part of it is there twice");
				chunks.set(type, (await this.source.read(at + 8, size)).slice());
			}
			at += 8 + (size + 7 & ~7);
		}
		if (!chunks.has(1) || !chunks.has(2))
			throw new Damage("the preamble is damaged: a part of it is missing");
		this.schema = parseSchema(chunks.get(2), this.header.minor);
		this.props = parseProperties(chunks.get(1), chunks.get(2));
	}

	property(key) {
		const pair = this.props.find(p => p[0] === key);
		return pair ? pair[1] : undefined;
	}

	// ---- Sections. ----

	async readSections() {
		const size = this.source.size;
		try {
			if (!this.header.sections)
				return;
			const most = Math.min(size - this.header.sections, 24 * 1024);
			const b = await this.source.read(this.header.sections, most);
			for (let p = 0; ; p += 24) {
				if (p + 24 > b.length)
					throw new Damage("the table of sections has no end");
				const type = u16(b, p), at = u64(b, p + 8), length = u64(b, p + 16);
				if (type === 0)
					break;
				if (at + length > size)
					throw new Damage("a section is not inside the file");
				if (!this.sections.has(type))
					this.sections.set(type, { at, size: length });
			}
		} catch (e) {
			this.sections.clear();
			this.note(`The sections cannot be read, so texts are missing: ${e.message}.`);
		}
	}

	// The bytes of a section; null: there is none, or it cannot be read.
	async section(type) {
		const s = this.sections.get(type);
		if (!s || s.size > SECTION_MAX)
			return null;
		try {
			return await this.source.read(s.at, s.size);
		} catch (e) {
			this.note(`Section ${type} cannot be read: ${e.message}.`);
			return null;
		}
	}

	// ---- Segments. ----

	async readTable() {
		const b = await this.section(TABLE);
		if (!b)
			return;
		const list = [];
		for (let p = 0; p + 24 <= b.length; p += 24) {
			const s = { at: u64(b, p), begin: u64(b, p + 8), end: u64(b, p + 16) }, before = list[list.length - 1];
			if (before && (s.at <= before.at || s.begin < before.begin)) {
				this.note("The table of segments is damaged: the file is searched instead.");
				return;
			}
			list.push(s);
		}
		this.segments = list;
	}

	// The header of a segment; throws if there is none.
	async segmentAt(at, ahead = 0, back = 0) {
		if (at < this.header.preambleEnd)
			throw new Damage("a segment is inside the preamble");
		const b = await this.source.read(at, SEGMENT_HEADER, ahead, back), s = {
			at, begin: u64(b, 8), end: u64(b, 16), prev: u64(b, 24), checkpoint: u32(b, 32), packed: u32(b, 36), raw: u32(b, 40), frames: u32(b, 48),
		};
		if (u32(b, 0) !== SEGMENT)
			throw new Damage("no segment begins where one should");
		if (at + SEGMENT_HEADER + s.checkpoint + s.packed > this.source.size)
			throw new Damage("a segment goes beyond the end of the file");
		if (s.end < s.begin || (s.prev && s.prev >= at))
			throw new Damage("the header of a segment is damaged");
		return s;
	}

	// Finds segments from the last one back to those that are known: the first `known` of the list.
	async walkBack(known) {
		const found = [], stop = known ? this.segments[known - 1].at : 0;
		let at = this.header.last, after = Infinity, size = known ? Infinity : 0;
		try {
			while (at > stop) {
				// Headers of small segments are read many at once: as many bytes as were gone back so far.
				const back = size > SMALL_SEGMENT ? 0 : Math.min(BACK_MIN + this.header.last - at, BACK_MAX, at - stop);
				const s = await this.segmentAt(at, 0, back);
				if (s.begin > after)
					throw new Damage("the segments are not in order");
				after = s.begin;
				found.push(s);
				size = at - s.prev;
				at = s.prev;
			}
			if (at !== stop)
				throw new Damage("segments that were there are no longer there");
		} catch (e) {
			if (known || !(e instanceof Damage))
				throw e;
			this.note(`The list of segments is broken: ${e.message}. What is before is searched for.`);
			await this.scan(found.length ? found[found.length - 1].at : this.source.size, found);
		}
		found.reverse();
		this.segments = this.segments.slice(0, known).concat(found);
	}

	// Searches for segments from the preamble on up to `end`, and puts them behind those `found`, which are from last to
	// first.
	async scan(end, found) {
		const list = [], first = this.header.preambleEnd, most = Math.min(end, first + SCAN_MAX);
		const limit = found.length ? found[found.length - 1].begin : Infinity;
		for (let at = first; at + SEGMENT_HEADER <= most;) {
			try {
				const s = await this.segmentAt(at, 1 << 20), before = list[list.length - 1];
				if (s.begin <= limit && !(before && s.begin < before.begin)) {
					list.push(s);
					at += SEGMENT_HEADER + s.checkpoint + s.packed;
					at += (8 - at % 8) % 8;
					continue;
				}
			} catch (e) {
				if (!(e instanceof Damage))
					throw e;
			}
			at = await this.nextMark(at + 1, most);
		}
		if (most < end)
			this.note("Only the first 64 MiB were searched for segments.");
		found.push(...list.reverse());
	}

	// The next multiple of 8 at which the magic of a segment stands.
	async nextMark(at, end) {
		for (at += (8 - at % 8) % 8; at + 4 <= end;) {
			const b = await this.source.read(at, Math.min(1 << 16, end - at));
			for (let p = 0; p + 4 <= b.length; p += 8)
				if (b[p] === 0x75 && b[p + 1] === 0x53 && b[p + 2] === 0x45 && b[p + 3] === 0x47)
					return at + p;
			at += b.length + 7 & ~7;
		}
		return end;
	}

	// Reads what has been added since. Returns whether there is more.
	async grow() {
		const header = parseHeader(await this.source.first(HEADER));
		if (header.preambleEnd !== this.header.preambleEnd)
			throw new Damage("the file is another one now");
		const more = header.last !== this.header.last || header.complete !== this.header.complete;
		const before = this.header;
		this.header = header;
		try {
			await this.walkBack(this.segments.length);
		} catch (e) {
			// It may be half there: next time.
			this.header = before;
			throw e;
		}
		if (header.complete)
			await this.readSections();
		return more;
	}
}
