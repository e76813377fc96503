// SPDX-License-Identifier: MIT
// model.js: the views, rows and channels of a file, and what values are called: of any file here, of ovni.uscp in
// tables.js.
import { BOOL, ENUM, STRING_REF } from "./schema.js";
import { Values, whole } from "./values.js";

const ROWS_MAX = 1 << 18; // that are listed

// Channels of other tools have no kind; their names tell what is a number of something, and what counts.
const ID = /(^|_)(id|[tp]id|cpu|thread|process|task|space|parent|owner|object|slot|context|class|kind|major|minor|inode|addr(ess)?|start|end|offset|pc|inst_bits|entity|src|dst|row|rank)(_?(id|cycle))?$|_id$/i;

export function fieldKind(f) {
	return f.type === ENUM || f.type === STRING_REF || f.type === BOOL ? "state" : ID.test(f.name) ? "id" : "count";
}

export class Model {
	constructor(kind) {
		this.kind = kind;
		this.views = [];
		this.rows = [];
		this.channels = [];
	}

	addView(name, title) {
		const view = { name, title, rows: [], channels: [] };
		this.views.push(view);
		return view;
	}

	addRow(view, slot, label, groups, level) {
		view.rows.push(this.rows.length);
		this.rows.push({ view: view.name, label, groups, slot, level });
	}

	addChannel(view, channel) {
		view.channels.push(this.channels.length);
		this.channels.push({ punctual: false, levels: 0, ...channel, view: view.name });
	}

	// Leaves out the channels that do not fit. Only while the model is made.
	drop(fits) {
		const kept = this.channels.filter(fits);
		if (kept.length === this.channels.length)
			return;
		this.channels = kept;
		for (const view of this.views)
			view.channels = kept.flatMap((c, i) => c.view === view.name ? [i] : []);
	}

	// The part of `info` that tells of views.
	info() {
		return {
			views: this.views,
			rows: this.rows.map(({ view, label, groups }) => ({ view, label, groups })),
			channels: this.channels.map((c) => {
				c.values.told = c.values.list.length;
				return { view: c.view, name: c.name, title: c.title, model: c.model, type: c.type, punctual: c.punctual, values: c.values.list.slice() };
			}),
		};
	}

	cell(channel, row) {
		const L = this.layout;
		return channel.prop ? L.firstProp[channel.storage] + channel.field : L.cell(channel.storage, channel.field, row.slot);
	}

	// Where a channel is in a row; as keys: what value 0 is there, and what it is before the first cycle: 0, or -1 for
	// nothing.
	place(channel, row) {
		const zero = channel.levels >> row.level & 1 ? 0 : channel.values.zero;
		return { cell: this.cell(channel, row), zero, initial: channel.sparse ? -1 : zero };
	}
}

// Any file: each storage is a view, its slots are rows, as many as `used` says. Its properties are a view of one row.
export function otherModel(file, strings, layout, used) {
	const model = new Model("other"), { schema } = file;
	model.layout = layout;
	for (const s of model.layout.left)
		file.note(`Storage ${s.name} is too large for this page, and left out.`);
	const describe = (f) => (lo, hi) => {
		let value = f.size < 8 && f.signed ? lo << 32 - 8 * f.size >> 32 - 8 * f.size : whole(lo, hi, f.signed), text;
		if (f.type === ENUM)
			text = schema.enums[f.enum].labels.get(lo);
		else if (f.type === STRING_REF)
			text = strings.get(lo) === undefined ? `#${lo}` : strings.get(lo);
		else if (f.type === BOOL)
			text = lo ? "true" : "false";
		return { value, text: text === undefined ? String(value) : text, rgb: null, error: false };
	};
	const add = (s, path, fields, prop, labels) => {
		if (!fields.length || !labels.length)
			return;
		if (model.rows.length + labels.length > ROWS_MAX) {
			file.note(`Storage ${path} has too many rows for this page, and is left out.`);
			return;
		}
		const view = model.addView(path, path);
		labels.forEach((label, slot) => model.addRow(view, slot, label, [], 0));
		fields.forEach((f, field) => {
			const values = new Values(describe(f), { value: null, text: "", rgb: null, error: false }, 0);
			model.addChannel(view, { name: f.name, title: `${s.name}.${f.name}`, model: s.name, type: fieldKind(f), storage: s.id, field, prop, f, values, sparse: s.sparse && !prop });
		});
	};
	for (const s of model.layout.storages) {
		const above = schema.scopes[s.scope].path, path = above === "/" ? s.name : `${above}/${s.name}`;
		add(s, path, s.fields, false, Array.from({ length: used[s.id] }, (_, slot) => s.slots === 1 ? s.name : `${s.name}[${slot}]`));
		add(s, `${path} (properties)`, s.props, true, [s.name]);
	}
	return model;
}
