// SPDX-License-Identifier: MIT
// tables.js: the views, rows and channels of ovni.uscp, as its tables tell (doc/format/timeline.md).
import { ENUM, I64, STRING_REF } from "./schema.js";
import { Decoder, Layout } from "./frames.js";
import { Model } from "./model.js";
import { Values, whole } from "./values.js";

const VIEWS = ["thread", "cpu", "breakdown", "proc"]; // by the number of their class
const TITLES = ["Threads", "CPUs", "Breakdown", "Processes"];
const ORDER = [0, 1, 3, 2];
const BOTH = 3; // the class of labels of threads and CPUs; of processes it is one more than their number
const BAD = 666, TOO_MANY = 777;
const ENUM_BAD = 254, ENUM_TOO_MANY = 255, TEXT_BAD = 1, TEXT_TOO_MANY = 2;
const FIXED_TEXTS = ["", "Error: the thread does not show it", "Error: too many threads"];
const PUNCTUAL = 2; // mode of a channel
const PROCESS = 1, LOOM = 2; // levels of rows of processes
const U32 = 3;

// Bob Jenkins' hash of 1996: the value of a label that is in no table (doc/format/prv.md, "Task types").
export function labelHash(label) {
	const p = new TextEncoder().encode(label), n = p.length;
	const word = (at, most) => {
		let w = 0;
		for (let i = 0; i < 4 && i < most && at + i < n; i++)
			w |= p[at + i] << 8 * i;
		return w;
	};
	let a = 0x9e3779b9 | 0, b = a, c = 0xfeedbeef | 0, at = 0;
	const mix = () => {
		for (const [x, y, z] of [[13, 8, 13], [12, 16, 5], [3, 10, 15]]) {
			a = (a - b - c | 0) ^ c >>> x;
			b = (b - c - a | 0) ^ a << y;
			c = (c - a - b | 0) ^ b >>> z;
		}
	};
	for (; n - at >= 12; at += 12) {
		a = a + word(at, 4) | 0;
		b = b + word(at + 4, 4) | 0;
		c = c + word(at + 8, 4) | 0;
		mix();
	}
	c = c + n | 0;
	a = a + word(at, 4) | 0;
	b = b + word(at + 4, 4) | 0;
	c = c + (word(at + 8, 4) << 8) | 0;
	mix();
	const v = c + 666 & 0x7fffffff;
	return v < 1000 ? v + 1000 : v;
}

// The classes that a row of labels or colours is of.
function classesOf(c) {
	return c === BOTH ? [0, 1] : c > BOTH ? [c - 1] : [c];
}

// A table of the file in a state.
class Table {
	constructor(decoder, storage) {
		this.decoder = decoder;
		this.storage = storage;
		this.slots = storage.slots;
	}

	has(name) {
		return this.storage.fields.some(f => f.name === name);
	}

	valid(slot) {
		return !this.storage.sparse || this.decoder.valid[this.decoder.layout.firstSlot[this.storage.id] + slot] !== 0;
	}

	// A field as [lo, hi]; zeros if there is no such field.
	halves(name, slot) {
		const d = this.decoder, k = this.storage.fields.findIndex(f => f.name === name);
		const cell = k < 0 ? -1 : d.layout.cell(this.storage.id, k, slot);
		return cell < 0 ? [0, 0] : [d.lo[cell], d.hi[cell]];
	}

	get(name, slot) {
		return this.halves(name, slot)[0];
	}

	signed(name, slot) {
		return this.get(name, slot) | 0;
	}
}

function isTable(file, s) {
	return s.scope === 0 || s.name === "rows";
}

// Decodes the tables, as they are in the end. Returns the decoder; null: none of the segments can be read.
export async function readTables(file, segments) {
	const layout = new Layout(file.schema, file.schema.storages.filter(s => isTable(file, s)));
	const decoder = new Decoder(file, layout);
	for (let i = segments.length - 1, tries = 0; i >= 0 && tries < 20; i--, tries++) {
		try {
			await segments.last(i, decoder);
			return decoder;
		} catch (e) {
			segments.tell(i, e);
		}
	}
	return null;
}

class Reader {
	constructor(file, strings, decoder) {
		this.file = file;
		this.schema = file.schema;
		this.strings = strings;
		this.decoder = decoder;
		this.model = new Model("ovni");
		this.classes = VIEWS.map(name => this.schema.scopes.findIndex(s => s.protocol === `ovni.${name}`));
		this.views = [];
		this.channels = []; // by number in the file; undefined: it is damaged
	}

	// undefined: there is none.
	table(scope, name) {
		const s = this.schema.storages.find(x => x.scope === scope && x.name === name);
		return s && this.decoder.layout.first[s.id] >= 0 ? new Table(this.decoder, s) : undefined;
	}

	// A text, as those who show it have it; undefined: it is not known.
	text(i) {
		const t = this.file.header.complete ? this.strings.get(i) : FIXED_TEXTS[i];
		return t === undefined ? undefined : t.replace(/^ +/, "");
	}

	// ---- Rows. ----

	groups(k, table, slot) {
		if (k === 2)
			return [];
		const level = k === 3 ? table.get("level", slot) : PROCESS, loom = table.get("loom", slot);
		if (level > LOOM)
			return [];
		const list = [this.looms[loom] || `loom ${loom}`];
		if (k !== 1 && level === PROCESS) {
			const rank = table.signed("rank", slot);
			list.push(`process ${table.signed("pid", slot)} (app ${table.signed("app", slot)}${rank < 0 ? "" : `, rank ${rank}`})`);
		}
		return list;
	}

	readRows(k) {
		const scope = this.classes[k];
		if (scope < 0)
			return;
		const table = k === 2 ? undefined : this.table(scope, "rows");
		if (k !== 2 && !table) {
			this.file.note(`The table of the rows of ${VIEWS[k]} is missing.`);
			return;
		}
		const slots = table ? table.slots : this.schema.storages.reduce((n, s) => s.scope === scope ? s.slots : n, 0);
		const view = this.views[k] = this.model.addView(VIEWS[k], TITLES[k]);
		let n = slots;
		while (table && n && !table.get("label", n - 1))
			n--;
		this.slots[k] = slots;
		for (let i = 0; i < n; i++) {
			const label = table ? this.text(table.get("label", i)) : `~CPU ${String(slots - i).padStart(4)}`;
			this.model.addRow(view, i, (label || `row ${i + 1}`).trim(), table ? this.groups(k, table, i) : [], k === 3 ? table.get("level", i) & 7 : 0);
			if (k === 1 && table.get("is_virtual", i))
				this.model.rows[this.model.rows.length - 1].virtual = true;
		}
	}

	// ---- Channels. ----

	readChannels() {
		const table = this.table(0, "channels");
		if (!table)
			return;
		for (let i = 0; i < table.slots; i++) {
			const ch = this.channel(table, i);
			if (ch)
				this.channels[i] = ch;
			else
				this.file.note(`Channel ${i} is damaged, and left out.`);
		}
	}

	// undefined: it is damaged.
	channel(table, i) {
		const s = this.schema.storages[table.get("storage", i)], field = table.get("field", i), f = s && s.fields[field];
		const k = s ? this.classes.indexOf(s.scope) : -1;
		if (!f || k < 0 || !this.views[k] || s.sparse || s.slots !== this.slots[k] || ![ENUM, U32, I64, STRING_REF].includes(f.type))
			return undefined;
		const own = s.name === "ovni", name = k === 2 ? "breakdown" : f.name, label = this.text(table.get("name", i));
		const ch = {
			name: own ? name : `${s.name}.${name}`, title: this.text(table.get("title", i)) || label || name, model: s.name, class: k,
			storage: s.id, field, f, prop: false, prv: table.get("prv_type", i), levels: table.get("levels", i),
			punctual: table.get("mode", i) === PUNCTUAL, byValue: new Map(), byText: new Map(), colors: new Map(),
		};
		return ch;
	}

	// What labels and colours are of: the channels of a class and a PRV type.
	of(c, type) {
		return classesOf(c).flatMap(k => this.channels.filter(ch => ch && ch.class === k && ch.prv === type));
	}

	readLabels() {
		const labels = this.table(0, "labels"), colors = this.table(0, "colors");
		for (let i = 0; labels && i < labels.slots; i++) {
			if (!labels.valid(i))
				continue;
			const value = labels.halves("value", i), text = labels.get("text", i), id = String(whole(...value, true));
			for (const ch of this.of(labels.get("class", i), labels.get("prv_type", i))) {
				if (!ch.byValue.has(id))
					ch.byValue.set(id, text);
				if (!ch.byText.has(text))
					ch.byText.set(text, value);
			}
		}
		for (let i = 0; colors && i < colors.slots; i++)
			if (colors.valid(i))
				for (const ch of this.of(colors.get("class", i), colors.get("prv_type", i)))
					ch.colors.set(String(whole(...colors.halves("value", i), true)), colors.get("rgb", i));
	}

	// ---- Values. ----

	describe(ch, lo, hi) {
		let value = whole(lo, hi, ch.f.type === I64), text;
		if (ch.f.type === ENUM) {
			text = this.schema.enums[ch.f.enum].labels.get(lo);
			value = lo === ENUM_BAD ? BAD : lo === ENUM_TOO_MANY ? TOO_MANY : lo;
		} else if (ch.f.type === STRING_REF && lo) {
			text = this.text(lo);
			if (lo === TEXT_BAD || lo === TEXT_TOO_MANY)
				value = lo === TEXT_BAD ? BAD : TOO_MANY;
			else if (ch.byText.has(lo))
				value = whole(...ch.byText.get(lo), true);
			else if (text !== undefined)
				value = labelHash(this.strings.get(lo));
			if (!text)
				text = `#${lo}`;
		} else {
			text = this.label(ch, value);
		}
		return this.value(ch, value, text);
	}

	label(ch, value) {
		const i = ch.byValue.get(String(value));
		return i === undefined ? undefined : this.text(i);
	}

	value(ch, value, text) {
		const rgb = ch.colors.get(String(value));
		const error = value === BAD || value === TOO_MANY ? (text || "").startsWith("Error") : false;
		return { value, text: text || String(value), rgb: rgb === undefined ? null : rgb, error };
	}

	// What a punctual event has is the value of the PRV: the field that is the same, or [null] and a value of its own.
	fieldOf(ch, lo, hi) {
		if (ch.f.type === ENUM && hi === 0)
			return [lo === BAD ? ENUM_BAD : lo === TOO_MANY ? ENUM_TOO_MANY : lo, 0];
		if (ch.f.type === STRING_REF && hi === 0) {
			if (lo === BAD || lo === TOO_MANY)
				return [lo === BAD ? TEXT_BAD : TEXT_TOO_MANY, 0];
			const text = ch.byValue.get(String(lo));
			return text === undefined ? [lo, 1] : [text, 0];
		}
		return [lo, hi];
	}

	finishChannel(ch) {
		const labelled = [...ch.byValue.keys()].some(v => v !== String(BAD) && v !== String(TOO_MANY));
		// What is there for an instant is a tick, and no line.
		const counts = !ch.punctual && (ch.f.type === I64 || /^nrunning$|count|depth|level/.test(ch.name.replace(/.*\./, "")) || ch.levels);
		ch.type = ch.f.type === ENUM || ch.f.type === STRING_REF || ch.class === 2 || labelled ? "state" : counts ? "count" : "id";
		// A punctual text without a label has a 1 above it, see fieldOf().
		const describe = (lo, hi) => ch.f.type === STRING_REF && hi ? this.value(ch, lo, undefined) : this.describe(ch, lo, hi);
		const nothing = this.describe(ch, 0, 0);
		if (nothing.text === "0")
			nothing.text = "";
		ch.values = new Values(describe, nothing, -1);
		if (ch.f.type === ENUM)
			for (const value of this.schema.enums[ch.f.enum].labels.keys())
				ch.values.index(ch.values.key(value, 0));
		ch.tick = (lo, hi) => ch.values.index(ch.values.key(...this.fieldOf(ch, lo, hi)));
		this.model.addChannel(this.views[ch.class], ch);
	}

	// ---- All. ----

	read() {
		const { file, schema } = this;
		this.slots = [];
		this.looms = schema.scopes.filter(s => s.parent === 0 && s.name.startsWith("loom.")).map(s => s.name);
		ORDER.forEach(k => this.readRows(k));
		this.readChannels();
		this.readLabels();
		this.channels.forEach(ch => this.finishChannel(ch));
		const used = new Set(this.channels.filter(ch => ch).map(ch => ch.storage));
		const layout = this.model.layout = new Layout(schema, schema.storages.filter(s => used.has(s.id)));
		layout.left.forEach(s => file.note(`Model ${s.name} has too many rows and channels for this page, and is left out.`));
		this.model.drop(ch => layout.first[ch.storage] >= 0);
		this.readPunctual(layout);
		return this.model;
	}

	readPunctual(layout) {
		layout.channelCells = new Int32Array(this.channels.length).fill(-1);
		layout.channelRows = new Int32Array(this.channels.length);
		layout.channelClass = new Int8Array(this.channels.length);
		this.channels.forEach((ch, i) => {
			layout.channelClass[i] = ch.class + 1;
			layout.channelRows[i] = this.views[ch.class].rows.length;
			if (layout.first[ch.storage] >= 0)
				layout.channelCells[i] = layout.cell(ch.storage, ch.field, 0);
		});
		for (const e of this.schema.events)
			if (e.name === "punctual" && e.size === 14)
				layout.punctual[e.id] = this.classes.indexOf(e.scope) + 1;
	}
}

// The model of a file that ovniemu has written. null: it lacks what makes it one.
export function timelineModel(file, strings, decoder) {
	const reader = new Reader(file, strings, decoder);
	if (reader.classes[0] < 0 && reader.classes[1] < 0)
		return null;
	const model = reader.read();
	return model.channels.length ? model : null;
}
