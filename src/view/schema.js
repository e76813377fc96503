// SPDX-License-Identifier: MIT
// schema.js: what the schema of a file defines. The bytes are in doc/format/uscope.md, "Schema".
import { Damage, text, u16, u32 } from "./bytes.js";

// Types of fields.
export const I64 = 8;
export const BOOL = 9;
export const STRING_REF = 10;
export const ENUM = 11;
const SIZES = [0, 1, 2, 4, 8, 1, 2, 4, 8, 1, 4, 1]; // of the types
const NONE = 0xffff;

function refuse(what) {
	throw new Damage(`the schema is damaged: ${what}`);
}

// Reads the definitions in order; their names are looked up in the pool.
class Definitions {
	constructor(bytes, pool) {
		this.bytes = bytes;
		this.pool = pool;
		this.at = 12;
	}

	// The place of a definition of `size` bytes.
	take(size) {
		const at = this.at;
		this.at += size;
		if (this.at > this.pool)
			refuse("it ends in a definition");
		return at;
	}

	name(at) {
		const from = this.pool + u16(this.bytes, at), end = this.bytes.indexOf(0, from);
		if (end < 0)
			refuse("a name is not inside");
		return text(this.bytes, from, end - from);
	}

	many(n, one) {
		const list = [];
		for (let i = 0; i < n; i++)
			list.push(one(i));
		return list;
	}

	fields(n, nenums) {
		let offset = 0;
		return this.many(n, () => {
			const at = this.take(8), type = this.bytes[at + 2], f = { name: this.name(at), type, size: SIZES[type], enum: this.bytes[at + 3], offset };
			if (!f.size || (type === ENUM && f.enum >= nenums))
				refuse("a field has an unknown type");
			f.signed = type >= 5 && type <= I64;
			offset += f.size;
			return f;
		});
	}
}

// Where the pool begins, and how long the definition of a storage is: versions and writers differ.
function layout(b, counts, poolAt, minor) {
	const L = minor >= 3 ? 16 : 12;
	const end = (size) => {
		let at = 12 + 8 * counts.clocks + 12 * counts.scopes;
		const fits = () => at <= b.length;
		for (let i = 0; i < counts.enums && fits(); i++)
			at += 4 + 4 * b[at + 2];
		for (let i = 0; i < counts.storages && fits(); i++)
			at += size + 8 * (u16(b, at + 6) + (size === 16 ? u16(b, at + 12) : 0));
		for (let i = 0; i < counts.events && fits(); i++)
			at += 8 + 8 * u16(b, at + 4);
		return at + 8 * counts.summaries;
	};
	if (end(L) === poolAt)
		return [L, poolAt];
	if (end(28 - L) === poolAt)
		return [28 - L, poolAt];
	if (minor < 3 && end(L) === poolAt - 2)
		return [L, poolAt - 2];
	if (end(L) < poolAt)
		return [L, poolAt];
	return refuse("its definitions do not end where its texts begin");
}

function checkScopes(scopes, clocks) {
	scopes.forEach((s, i) => {
		if ((s.parent === NONE) !== (i === 0) || (i && s.parent >= scopes.length) || (s.clock !== 255 && s.clock >= clocks.length))
			refuse("a scope has no place");
	});
	scopes.forEach((s) => {
		let path = "", n = 0;
		for (let up = s; up.parent !== NONE; up = scopes[up.parent]) {
			path = "/" + up.name + path;
			if (++n > scopes.length)
				refuse("a scope is inside itself");
		}
		s.path = path || "/";
	});
}

// { clocks, scopes, enums, storages, events }. Names of scopes are joined to paths.
export function parseSchema(b, minor) {
	if (b.length < 12)
		refuse("it is too short");
	const counts = { enums: b[0], clocks: b[1], scopes: u16(b, 2), storages: u16(b, 4), events: u16(b, 6), summaries: u16(b, 8) };
	const [size, pool] = layout(b, counts, u16(b, 10), minor);
	if (!counts.clocks || !counts.scopes || pool > b.length)
		refuse("there is no clock or no scope");
	const d = new Definitions(b, pool);
	const scopeOf = (at) => {
		const scope = u16(b, at) === NONE ? 0 : u16(b, at);
		return scope < counts.scopes ? scope : refuse("a scope does not exist");
	};
	const clocks = d.many(counts.clocks, () => {
		const at = d.take(8);
		return { name: d.name(at), period: u32(b, at + 4) || 1 };
	});
	const scopes = d.many(counts.scopes, () => {
		const at = d.take(12);
		return { name: d.name(at), parent: u16(b, at + 4), protocol: u16(b, at + 6) === NONE ? null : d.name(at + 6), clock: b[at + 8] };
	});
	checkScopes(scopes, clocks);
	const enums = d.many(counts.enums, () => {
		const at = d.take(4), labels = new Map();
		d.many(b[at + 2], () => {
			const v = d.take(4);
			if (!labels.has(b[v]))
				labels.set(b[v], d.name(v + 2));
		});
		return { name: d.name(at), labels };
	});
	const storages = d.many(counts.storages, (id) => {
		const at = d.take(size);
		const s = { id, name: d.name(at), slots: u16(b, at + 4), sparse: (u16(b, at + 8) & 1) !== 0, scope: scopeOf(at + 10) };
		s.fields = d.fields(u16(b, at + 6), counts.enums);
		s.props = d.fields(size === 16 ? u16(b, at + 12) : 0, counts.enums);
		const bytes = (fields) => fields.reduce((n, f) => n + f.size, 0);
		s.slotSize = bytes(s.fields);
		s.propSize = bytes(s.props);
		return s;
	});
	const events = d.many(counts.events, (id) => {
		const at = d.take(8), e = { id, name: d.name(at), scope: scopeOf(at + 6) };
		e.fields = d.fields(u16(b, at + 4), counts.enums);
		e.size = e.fields.reduce((n, f) => n + f.size, 0);
		return e;
	});
	return { clocks, scopes, enums, storages, events };
}
