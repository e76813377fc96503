// SPDX-License-Identifier: MIT
// session.js: an opened file: its segments, what they are of, and what is told of them.
import { Damage } from "./bytes.js";
import { openSource } from "./source.js";
import { UscpFile } from "./uscp.js";
import { Segments } from "./segments.js";
import { Strings } from "./strings.js";
import { Layout } from "./frames.js";
import { otherModel } from "./model.js";
import { readTables, timelineModel } from "./tables.js";
import { Pyramid } from "./pyramid.js";

const DECODED_SOON = 8 << 20; // bytes of a file
const SLOTS_SHOWN = 16; // of each storage, at least

const { port1, port2 } = new MessageChannel();
const waiting = [];
port1.onmessage = () => waiting.shift()();

// Lets in messages that have arrived meanwhile.
export function breathe() {
	return new Promise((resolve) => {
		waiting.push(resolve);
		port2.postMessage(0);
	});
}

export class Session {
	// progress(done, of): of what is read for a picture.
	constructor(progress = () => {}) {
		this.progress = progress;
	}

	// wait(): called while a file that is served has just been created.
	async open(args, wait) {
		this.source = await openSource(args);
		this.file = new UscpFile(this.source);
		this.whole = args.whole !== false;
		while (args.url && !await this.file.begun())
			await wait();
		await this.file.open();
		this.segments = new Segments(this.file);
		this.strings = new Strings();
		await this.strings.read(this.file);
		await this.learn();
		if (args.pyramid)
			this.readPyramid(new Uint8Array(args.pyramid));
	}

	readPyramid(bytes) {
		try {
			this.pyramid = new Pyramid(bytes);
		} catch (e) {
			this.file.note(`${e.message}.`);
		}
	}

	// What views there are.
	async learn() {
		const { file, segments, strings } = this;
		let model = null;
		if (file.property("ovni.protocol_version") === "1") {
			const tables = await readTables(file, segments);
			model = tables && timelineModel(file, strings, tables);
			if (!model)
				file.note("The tables of the timeline cannot be read: what is shown are the storages of the file.");
		}
		const layout = model ? model.layout : new Layout(file.schema, file.schema.storages);
		segments.use(layout);
		this.model = model || otherModel(file, strings, layout, await this.usedSlots(layout));
		if (!segments.length)
			file.note(file.header.complete ? "The file has no segments." : "Nothing has been written yet.");
	}

	// How many slots of each storage are shown. Tables of other tools have room for thousands: of a file that is decoded
	// soon, those behind the last one that ever held something are left out.
	async usedSlots(layout) {
		const { file, segments, source } = this, all = file.schema.storages;
		if (!file.header.complete || !this.whole || source.size > DECODED_SOON || !all.some(s => s.slots > SLOTS_SHOWN))
			return all.map(s => s.slots);
		const used = all.map(s => Math.min(s.slots, SLOTS_SHOWN));
		for (let i = 0; i < segments.length; i++) {
			const columns = await segments.get(i);
			if (columns)
				columns.changes.usedSlots(layout, used);
		}
		return used;
	}

	get live() {
		return !this.file.header.complete && this.source.inner.url !== undefined;
	}

	info() {
		const { file } = this;
		return {
			name: this.source.name, size: this.source.size, kind: this.model.kind, version: `0.${file.header.minor}`,
			complete: file.header.complete, live: this.live, whole: this.whole, begin: file.begin, end: file.end, tick: file.clock,
			segments: file.segments.length, props: file.props, notes: [...file.notes], ...this.model.info(),
		};
	}

	// Reads what was added to a growing file. Returns whether there is more.
	async grow() {
		const { file, segments } = this, before = file.segments.length, complete = file.header.complete;
		const more = await file.grow();
		if (!more)
			return false;
		// The last segment told of the time up to where the file ended.
		segments.forget(before - 1);
		if (file.header.complete && !complete)
			await this.strings.read(file);
		await this.renew();
		return true;
	}

	// Rows and labels that have come. Channels keep their numbers, as the schema stays.
	async renew() {
		const { file, strings, segments } = this, before = this.model;
		if (before.kind !== "ovni") {
			before.channels.forEach(ch => ch.values.renew(ch.values));
			return;
		}
		const tables = await readTables(file, segments), model = tables && timelineModel(file, strings, tables);
		if (!model || model.channels.length !== before.channels.length)
			return;
		model.channels.forEach((ch, i) => {
			before.channels[i].values.renew(ch.values);
			ch.values = before.channels[i].values;
		});
		this.model = model;
		segments.decoder.layout.channelRows = model.layout.channelRows;
	}

	// Arguments of requests come from the page, and are checked all the same.
	channel(id) {
		const ch = this.model.channels[id];
		if (!ch)
			throw new Damage("there is no such channel");
		return ch;
	}

	rows(ids) {
		return ids.map((id) => {
			const row = this.model.rows[id];
			if (!row)
				throw new Damage("there is no such row");
			return row;
		});
	}
}
