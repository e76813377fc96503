// SPDX-License-Identifier: MIT
// source.js: the bytes of a file, wherever they are: on disk, behind a URL, or in pieces in the page.
import { Absent, Damage } from "./bytes.js";

const WINDOW = 4 << 20; // bytes that one request takes at most because the next reader will want them

// The bytes cannot be had now; later perhaps.
export class Unreachable extends Error {
}

// A source has `size`, and read(at, length), which gives exactly these bytes or throws.
function check(source, at, length) {
	if (!(at >= 0 && length >= 0 && at + length <= source.size))
		throw new Damage("the file ends before what it says it has");
}

class FileSource {
	constructor(file) {
		this.file = file;
		this.name = file.name;
		this.size = file.size;
	}

	async fetch(at, length) {
		return new Uint8Array(await this.file.slice(at, at + length).arrayBuffer());
	}
}

class UrlSource {
	constructor(url) {
		this.url = url;
		this.name = decodeURIComponent(url.replace(/[?#].*/, "").replace(/.*\//, ""));
	}

	async fetch(at, length) {
		const gone = (e) => {
			throw new Unreachable(`the server does not answer (${e.message})`);
		};
		const r = await fetch(this.url, { headers: { Range: `bytes=${at}-${at + length - 1}` }, cache: "no-store" }).catch(gone);
		if (r.status !== 206 && r.status !== 200 && r.status !== 416) // the last: the file has no such bytes
			throw new Unreachable(`the server answers ${r.status} ${r.statusText}`);
		const body = await r.arrayBuffer().catch(gone), bytes = new Uint8Array(r.status === 416 ? 0 : body);
		const total = /\/(\d+)$/.exec(r.headers.get("Content-Range") || "");
		this.size = r.status === 200 ? bytes.length : total ? Number(total[1]) : Math.max(this.size || 0, at + bytes.length);
		return r.status === 200 ? bytes.subarray(at, at + length) : bytes;
	}
}

// Parts of a file; what is between them is not there.
class PieceSource {
	constructor(args) {
		this.name = args.name;
		this.size = args.size;
		this.pieces = args.pieces.map(p => ({ at: p.at, bytes: new Uint8Array(p.bytes) })).sort((a, b) => a.at - b.at);
	}

	async fetch(at, length) {
		const all = new Uint8Array(length);
		let done = at;
		for (const p of this.pieces) {
			const end = Math.min(p.at + p.bytes.length, at + length);
			if (p.at > done || end <= done)
				continue;
			if (done === at && end === at + length)
				return p.bytes.subarray(at - p.at, end - p.at);
			all.set(p.bytes.subarray(done - p.at, end - p.at), done - at);
			done = end;
		}
		if (done === at)
			throw new Absent("this part of the file is not in the page");
		return all.subarray(0, done - at);
	}
}

// Reads through a window: what is near is asked for at once.
class Source {
	constructor(inner) {
		this.inner = inner;
		this.name = inner.name;
		this.at = 0;
		this.window = new Uint8Array(0);
	}

	get size() {
		return this.inner.size;
	}

	// The window is of what was there before the file changed.
	forget() {
		this.window = new Uint8Array(0);
	}

	// `ahead`, `back`: bytes behind and before, that will be wanted next.
	async read(at, length, ahead = 0, back = 0) {
		check(this, at, length);
		if (at >= this.at && at + length <= this.at + this.window.length)
			return this.window.subarray(at - this.at, at - this.at + length);
		const from = this.inner.pieces ? at : Math.max(0, at - back);
		const want = Math.min(Math.max(length, Math.min(length + ahead, WINDOW)), this.size - at) + at - from;
		const bytes = await this.inner.fetch(from, want);
		if (bytes.length < at - from + length)
			throw this.inner.pieces ? new Absent("this part of the file is not in the page") : new Damage("the file has become shorter");
		if (want > length) {
			this.at = from;
			this.window = bytes;
		}
		return bytes.subarray(at - from, at - from + length);
	}

	// The first bytes, as they are now; less if there are no more.
	async first(length) {
		this.forget();
		if (this.inner.url === undefined)
			return this.inner.fetch(0, Math.min(length, this.size));
		return this.inner.fetch(0, length);
	}
}

// args: { file }, { url } or { pieces, size, name }.
export async function openSource(args) {
	const inner = args.file ? new FileSource(args.file) : args.url ? new UrlSource(args.url) : new PieceSource(args);
	if (args.name)
		inner.name = args.name;
	if (inner.size === undefined)
		await inner.fetch(0, 64);
	return new Source(inner);
}
