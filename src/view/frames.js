// SPDX-License-Identifier: MIT
// frames.js: the content of a segment, its checkpoint and its frames, as columns: for each place of the state that
// changes, when it changed and to what. The bytes are in doc/format/uscope.md, "Checkpoint" and "Frames".
import { Damage, TWO_32, u16, u32 } from "./bytes.js";
import { BOOL } from "./schema.js";

const SET = 1, CLEAR = 2, ADD = 3, PROP_SET = 4;
const WIDE_ITEM = 1, COMPACT_ITEM = 2, EVENT_ITEM = 3;
const CELLS_MAX = 1 << 23;
const ENTRIES_MAX = 1 << 24; // changes of a segment
const SLOTS_WORK_MAX = 1 << 26; // fields that come and go with slots in a segment

// The high half of a value that is not there: slots of sparse storages come and go.
export const NOTHING = TWO_32;

// Numbers ("cells") for the places of the state that are wanted: fields of slots, and properties. Those of one field
// are neighbours, as a picture shows one field of many slots.
export class Layout {
	constructor(schema, storages) {
		const n = schema.storages.length;
		this.schema = schema;
		this.slots = Int32Array.from(schema.storages, s => s.slots);
		this.nfields = Int32Array.from(schema.storages, s => s.fields.length);
		this.nprops = Int32Array.from(schema.storages, s => s.props.length);
		this.sparse = Uint8Array.from(schema.storages, s => s.sparse ? 1 : 0);
		this.first = new Int32Array(n).fill(-1); // cell of field 0 of slot 0
		this.firstProp = new Int32Array(n).fill(-1);
		this.firstField = new Int32Array(n); // in kinds and masks
		this.firstSlot = new Int32Array(n).fill(-1); // in the flags of sparse slots
		this.ncells = this.nslots = 0;
		this.left = []; // storages for which there is no room
		this.storages = [];
		this.nothing = []; // the cells of sparse storages
		const kinds = [], masks = [];
		for (const s of schema.storages) {
			this.firstField[s.id] = kinds.length;
			for (const f of s.fields.concat(s.props)) {
				kinds.push(f.size === 8 ? 1 : f.type === BOOL ? 2 : 0);
				masks.push(f.size === 1 ? 0xff : f.size === 2 ? 0xffff : -1);
			}
		}
		this.kinds = Uint8Array.from(kinds); // 1: 64 bits, 2: BOOL
		this.masks = Int32Array.from(masks);
		for (const s of storages) {
			const cells = s.slots * s.fields.length + s.props.length;
			if (this.ncells + cells > CELLS_MAX) {
				this.left.push(s);
				continue;
			}
			this.storages.push(s);
			this.first[s.id] = this.ncells;
			this.firstProp[s.id] = this.ncells + s.slots * s.fields.length;
			this.ncells += cells;
			if (s.sparse) {
				this.nothing.push({ from: this.first[s.id], to: this.firstProp[s.id] });
				this.firstSlot[s.id] = this.nslots;
				this.nslots += s.slots;
			}
		}
		// Punctual events of ovni.uscp: by type, the class of rows that it is of, 0: another event; by number of the channel
		// the same, its first cell, and how many rows there are.
		this.punctual = new Int8Array(schema.events.length);
		this.channelClass = new Int8Array(0);
		this.channelCells = new Int32Array(0);
		this.channelRows = new Int32Array(0);
	}

	cell(storage, field, slot) {
		return this.first[storage] + field * this.slots[storage] + slot;
	}
}

// The changes of a segment, by cell. times are from the begin of the segment; hi is null if all values have 32 bits.
export class Columns {
	constructor(cells, start, times, lo, hi) {
		this.cells = cells; // that have entries, ascending
		this.start = start; // their first entry, and the number of all behind the last
		this.times = times;
		this.lo = lo;
		this.hi = hi;
		this.bytes = cells.length * 8 + times.length * (hi ? 20 : 12);
	}

	// Raises used[], by storage, to the number of slots up to the last that has entries.
	usedSlots(layout, used) {
		let i = 0;
		for (const s of layout.storages) {
			const from = layout.first[s.id], to = layout.firstProp[s.id];
			for (; i < this.cells.length && this.cells[i] < to; i++)
				used[s.id] = Math.max(used[s.id], (this.cells[i] - from) % s.slots + 1);
			while (i < this.cells.length && this.cells[i] < to + s.props.length)
				i++;
		}
	}

	// The position of a cell in cells; -1: it has no entries.
	find(cell) {
		const cells = this.cells;
		let low = 0, high = cells.length - 1;
		while (low <= high) {
			const mid = low + high >> 1, c = cells[mid];
			if (c === cell)
				return mid;
			if (c < cell)
				low = mid + 1;
			else
				high = mid - 1;
		}
		return -1;
	}
}

// Entries in the order of time, which become columns. Their arrays are used again for the next segment.
class Entries {
	constructor() {
		this.cap = 1 << 16;
		this.n = 0;
		this.wide = false;
		this.cells = new Int32Array(this.cap);
		this.times = new Float64Array(this.cap);
		this.lo = new Uint32Array(this.cap);
		this.hi = new Float64Array(this.cap);
	}

	room(n) {
		if (this.n + n <= this.cap)
			return;
		if (this.n + n > ENTRIES_MAX)
			throw new Damage("it has too many changes for this page");
		while (this.n + n > this.cap)
			this.cap *= 2;
		const grow = (from) => {
			const to = new from.constructor(this.cap);
			to.set(from.subarray(0, this.n));
			return to;
		};
		this.cells = grow(this.cells);
		this.times = grow(this.times);
		this.lo = grow(this.lo);
		this.hi = grow(this.hi);
	}

	add(cell, time, lo, hi) {
		const n = this.n++;
		this.cells[n] = cell;
		this.times[n] = time;
		this.lo[n] = lo;
		this.hi[n] = hi;
		if (hi !== 0)
			this.wide = true;
	}

	// Sorts by cell, times stay in order. `place`: an array by cell.
	columns(place) {
		const n = this.n, cells = this.cells;
		let ntouched = 0;
		place.fill(0);
		for (let i = 0; i < n; i++)
			if (place[cells[i]]++ === 0)
				ntouched++;
		const touched = new Int32Array(ntouched), start = new Uint32Array(ntouched + 1);
		let at = 0;
		for (let cell = 0, t = 0; t < ntouched; cell++) {
			const many = place[cell];
			if (many === 0)
				continue;
			touched[t] = cell;
			start[t++] = at;
			place[cell] = at;
			at += many;
		}
		start[ntouched] = n;
		const times = new Float64Array(n), lo = new Uint32Array(n), hi = this.wide ? new Float64Array(n) : null;
		const fromTimes = this.times, fromLo = this.lo, fromHi = this.hi;
		for (let i = 0; i < n; i++) {
			const to = place[cells[i]]++;
			times[to] = fromTimes[i];
			lo[to] = fromLo[i];
			if (hi !== null)
				hi[to] = fromHi[i];
		}
		return new Columns(touched, start, times, lo, hi);
	}
}

// Decodes segments one after the other, with arrays that live as long as it.
export class Decoder {
	constructor(file, layout) {
		this.file = file;
		this.layout = layout;
		this.lo = new Uint32Array(layout.ncells);
		this.hi = new Float64Array(layout.ncells);
		this.valid = new Uint8Array(layout.nslots);
		this.place = new Uint32Array(layout.ncells);
		this.changes = new Entries();
		this.ticks = new Entries();
	}

	// ---- The checkpoint. ----

	// The state becomes that of a checkpoint.
	checkpoint(b) {
		const L = this.layout, storages = L.schema.storages, seen = new Set();
		this.lo.fill(0);
		this.hi.fill(0);
		this.valid.fill(0);
		for (const { from, to } of L.nothing)
			this.hi.fill(NOTHING, from, to);
		for (let at = 0; at < b.length;) {
			if (at + 8 > b.length)
				throw new Damage("its checkpoint is cut off");
			const id = u16(b, at), size = u32(b, at + 4), begin = at + 8, end = begin + size;
			if (end > b.length)
				throw new Damage("its checkpoint is cut off");
			at = end;
			if (id >= storages.length)
				continue;
			if (seen.has(id))
				throw new Damage("its checkpoint has a storage twice");
			seen.add(id);
			const s = storages[id];
			const p = s.sparse ? this.sparseBlock(b, begin, end, s) : this.denseBlock(b, begin, end, s);
			if (L.first[id] >= 0)
				this.properties(b, p, end, s);
		}
	}

	denseBlock(b, at, end, s) {
		if (at + s.slots * s.slotSize > end)
			throw new Damage("its checkpoint has too few slots");
		const first = this.layout.first[s.id];
		for (let k = 0; k < s.fields.length && first >= 0; k++) {
			const f = s.fields[k];
			for (let slot = 0, p = at + f.offset, cell = first + k * s.slots; slot < s.slots; slot++, p += s.slotSize)
				this.load(b, p, f, cell + slot);
		}
		return at + s.slots * s.slotSize;
	}

	sparseBlock(b, at, end, s) {
		const mask = at, first = this.layout.first[s.id], firstSlot = this.layout.firstSlot[s.id];
		at += s.slots + 7 >> 3;
		if (at > end)
			throw new Damage("its checkpoint has too few slots");
		for (let slot = 0; slot < s.slots; slot++) {
			if (!(b[mask + (slot >> 3)] >> (slot & 7) & 1))
				continue;
			if (at + s.slotSize > end)
				throw new Damage("its checkpoint has too few slots");
			if (first >= 0) {
				this.valid[firstSlot + slot] = 1;
				s.fields.forEach((f, k) => this.load(b, at + f.offset, f, first + k * s.slots + slot));
			}
			at += s.slotSize;
		}
		return at;
	}

	// Those that are missing are 0.
	properties(b, at, end, s) {
		s.props.forEach((f, k) => {
			if (at + f.offset + f.size <= end)
				this.load(b, at + f.offset, f, this.layout.firstProp[s.id] + k);
		});
	}

	load(b, p, f, cell) {
		let v = b[p];
		if (f.size >= 2)
			v |= b[p + 1] << 8;
		if (f.size >= 4)
			v |= b[p + 2] << 16 | b[p + 3] << 24;
		this.lo[cell] = f.type === BOOL ? (v ? 1 : 0) : v;
		this.hi[cell] = f.size === 8 ? u32(b, p + 4) : 0;
	}

	// ---- The frames. ----

	// Decodes a segment. The state is the last one afterwards. Returns { changes, ticks }; null if `keep` is false.
	segment(checkpoint, deltas, keep) {
		const changes = this.changes;
		changes.n = this.ticks.n = 0;
		changes.wide = this.ticks.wide = false;
		this.keep = keep;
		this.work = 0;
		this.checkpoint(checkpoint);
		if (keep)
			this.begin();
		if (this.file.header.interleaved)
			this.interleaved(deltas);
		else
			this.separate(deltas);
		if (!keep)
			return null;
		const columns = changes.columns(this.place);
		const ticks = this.ticks.columns(this.ticks.n ? this.place : new Uint32Array(0));
		return { changes: columns, ticks, bytes: columns.bytes + ticks.bytes + 200 };
	}

	// What the checkpoint has is the first entry of each cell that is not as all are before the first cycle.
	begin() {
		const { lo, hi, changes } = this, n = lo.length, nothing = this.layout.nothing;
		let sparse = 0;
		for (let cell = 0; cell < n; cell++) {
			if (lo[cell] === 0 && hi[cell] === 0) {
				while (sparse < nothing.length && cell >= nothing[sparse].to)
					sparse++;
				if (sparse === nothing.length || cell < nothing[sparse].from)
					continue;
			} else if (hi[cell] === NOTHING) {
				continue;
			}
			changes.room(1);
			changes.add(cell, 0, lo[cell], hi[cell]);
		}
	}

	// The number at b[at], LEB128, as the time of a frame; the number of its bytes is left in `length`.
	time(b, at) {
		let v = 0, scale = 1, p = at;
		for (;;) {
			if (p >= b.length || p - at >= 10)
				throw new Damage("the time of a frame is cut off");
			const byte = b[p++];
			v += (byte & 127) * scale;
			if (byte < 128)
				break;
			scale *= 128;
		}
		this.length = p - at;
		return v;
	}

	// v0.2: operations and events in the order in which they came.
	interleaved(b) {
		const { layout, changes, lo, hi } = this, { slots, nfields, first, firstField, kinds, masks, sparse } = layout;
		const end = b.length, nstorages = slots.length, keep = this.keep;
		let p = 0, time = 0;
		while (p < end) {
			if (b[p] < 128) {
				time += b[p++];
			} else {
				time += this.time(b, p);
				p += this.length;
			}
			if (p + 2 > end)
				throw new Damage("a frame is cut off");
			let items = b[p] | b[p + 1] << 8;
			p += 2;
			changes.room(items);
			for (; items > 0; items--) {
				const tag = b[p];
				let action, storage, slot, field, value, high = 0;
				if (tag === COMPACT_ITEM) {
					if (p + 9 > end)
						throw new Damage("a frame is cut off");
					action = b[p + 1];
					storage = b[p + 2];
					slot = b[p + 3] | b[p + 4] << 8;
					field = b[p + 5] | b[p + 6] << 8;
					value = b[p + 7] | b[p + 8] << 8;
					p += 9;
				} else if (tag === WIDE_ITEM) {
					if (p + 16 > end)
						throw new Damage("a frame is cut off");
					action = b[p + 1];
					storage = b[p + 2] | b[p + 3] << 8;
					slot = b[p + 4] | b[p + 5] << 8;
					field = b[p + 6] | b[p + 7] << 8;
					value = b[p + 8] | b[p + 9] << 8 | b[p + 10] << 16 | b[p + 11] << 24;
					high = b[p + 12] | b[p + 13] << 8 | b[p + 14] << 16 | b[p + 15] << 24;
					p += 16;
				} else {
					if (tag !== EVENT_ITEM || p + 8 > end)
						throw new Damage("a frame has something unknown");
					p = this.event(b, p + 8, u16(b, p + 2), u32(b, p + 4), time);
					continue;
				}
				if (storage >= nstorages || first[storage] < 0)
					continue;
				const kind = firstField[storage] + field;
				if (action !== SET || sparse[storage] !== 0 || field >= nfields[storage] || kinds[kind] !== 0) {
					this.operation(time, action, storage, slot, field, value, high);
					continue;
				}
				// The usual: SET of a field of at most 32 bits.
				if (slot >= slots[storage])
					continue;
				const cell = first[storage] + field * slots[storage] + slot;
				value = (value & masks[kind]) >>> 0;
				if (lo[cell] === value)
					continue;
				lo[cell] = value;
				if (keep) {
					const n = changes.n++;
					changes.cells[n] = cell;
					changes.times[n] = time;
					changes.lo[n] = value;
					changes.hi[n] = 0;
				}
			}
		}
	}

	// v0.1: operations, then events.
	separate(b) {
		const end = b.length;
		let p = 0, time = 0;
		while (p < end) {
			time += this.time(b, p);
			p += this.length;
			if (p + 6 > end)
				throw new Damage("a frame is cut off");
			const compact = b[p], size = compact ? 8 : 16;
			const ops = u16(b, p + 2);
			let events = u16(b, p + 4);
			if (compact > 1 || (compact && !this.file.header.compact) || p + 6 + ops * size > end)
				throw new Damage("a frame has operations of an unknown size");
			p += 6;
			this.changes.room(ops);
			for (const last = p + ops * size; p < last; p += size) {
				if (compact)
					this.operation(time, b[p], b[p + 1], u16(b, p + 2), u16(b, p + 4), u16(b, p + 6), 0);
				else
					this.operation(time, b[p], u16(b, p + 2), u16(b, p + 4), u16(b, p + 6), u32(b, p + 8), u32(b, p + 12));
			}
			for (; events > 0; events--) {
				if (p + 8 > end)
					throw new Damage("a frame is cut off");
				p = this.event(b, p + 8, u16(b, p), u32(b, p + 4), time);
			}
		}
	}

	// Any operation. Those on what does not exist have no effect.
	operation(time, action, storage, slot, field, lo, hi) {
		const L = this.layout;
		if (storage >= L.slots.length || L.first[storage] < 0)
			return;
		if (action === PROP_SET) {
			if (field < L.nprops[storage])
				this.set(time, L.firstProp[storage] + field, L.firstField[storage] + L.nfields[storage] + field, lo, hi, false);
			return;
		}
		const sparse = L.sparse[storage] !== 0;
		if (slot >= L.slots[storage])
			return;
		if (action === CLEAR) {
			if (sparse && this.valid[L.firstSlot[storage] + slot])
				this.fill(time, storage, slot, 0);
			return;
		}
		if ((action !== SET && action !== ADD) || field >= L.nfields[storage])
			return;
		if (sparse && !this.valid[L.firstSlot[storage] + slot])
			this.fill(time, storage, slot, 1);
		this.set(time, L.first[storage] + field * L.slots[storage] + slot, L.firstField[storage] + field, lo, hi, action === ADD);
	}

	// A slot of a sparse storage comes, with zeros, or goes.
	fill(time, storage, slot, valid) {
		const L = this.layout, n = L.nfields[storage], hi = valid ? 0 : NOTHING;
		this.valid[L.firstSlot[storage] + slot] = valid;
		this.work += n;
		if (this.work > SLOTS_WORK_MAX)
			throw new Damage("it has too many changes for this page");
		if (this.keep)
			this.changes.room(n + 65536);
		for (let k = 0, cell = L.first[storage] + slot; k < n; k++, cell += L.slots[storage]) {
			this.lo[cell] = 0;
			this.hi[cell] = hi;
			if (this.keep)
				this.changes.add(cell, time, 0, hi);
		}
	}

	set(time, cell, kind, lo, hi, add) {
		const L = this.layout;
		lo = (lo & L.masks[kind]) >>> 0;
		hi = L.kinds[kind] === 1 ? hi >>> 0 : 0;
		if (add) {
			const sum = this.lo[cell] + lo;
			hi = L.kinds[kind] === 1 ? this.hi[cell] + hi + (sum >= TWO_32 ? 1 : 0) >>> 0 : 0;
			lo = (sum & L.masks[kind]) >>> 0;
		}
		if (L.kinds[kind] === 2)
			lo = lo ? 1 : 0;
		if (this.lo[cell] === lo && this.hi[cell] === hi)
			return;
		this.lo[cell] = lo;
		this.hi[cell] = hi;
		if (this.keep)
			this.changes.add(cell, time, lo, hi);
	}

	// The event whose payload is at b[p]. Returns where it ends.
	event(b, p, type, size, time) {
		if (size > b.length - p)
			throw new Damage("an event is cut off");
		const L = this.layout;
		if (this.keep && type < L.punctual.length && L.punctual[type] && size === 14) {
			const row = u32(b, p) - 1, channel = u16(b, p + 4), cell = channel < L.channelCells.length ? L.channelCells[channel] : -1;
			if (cell >= 0 && L.channelClass[channel] === L.punctual[type] && row >= 0 && row < L.channelRows[channel]) {
				this.ticks.room(1);
				this.ticks.add(cell + row, time, u32(b, p + 6), u32(b, p + 10));
			}
		}
		return p + size;
	}
}
