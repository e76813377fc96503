// SPDX-License-Identifier: MIT
// worker.js: answers what the page asks about a file: { id, op, args } gets { id, part }s and one { id, result } or
// { id, error }. Times are Numbers in picoseconds; rows, channels and values go by their positions in the lists of info.
//
// open({ file } | { url } | { pieces: [{ at, bytes }], size, name, whole, pyramid })
//   -> info: { name, size, kind, version, complete, live, whole, begin, end, tick, segments, props, notes, views:
//      [{ name, title, rows, channels }], rows: [{ view, label, groups }], channels: [{ view, name, title, model, type:
//      "state" | "id" | "count", punctual, values: [{ value, text, rgb, error }] }] }. Value 0 of a channel is nothing.
//      Only the newest open counts: those before end with an error.
// picture({ rows, channel, t0, t1, width, slot }) -> parts and a last one, each of rows x width pixels: index, share (of
//      255), mixed, known (0 no, 1 guessed, 2 exact), ticks, tick, and for counts min, max, mean
// at({ rows, channel, t }) -> [{ index, value, text, rgb, error, begin, end, beginExact, endExact }]
// next({ rows, channel, t, direction, index }) -> { row, t, index }, the change there, or null
// select({ rows, channel, t0, t1, slot }) -> parts and a last one: { span, rows, done, exact, states, histogram: { edges,
//      counts: by index, left: states without }, ticks }; done but not exact: parts are damaged or missing
// overview({ width, t0, t1 }) -> { busy, density, known }
// close()
//
// Only the newest picture, and selection, of a slot counts: others end with { stale: true }. Unasked come the events
// values (more of a channel, from a position on), note, progress (done, of), waiting, grown (with the new info).
import { breathe, Session } from "./session.js";
import { drawPicture } from "./stream.js";
import { Query } from "./query.js";
import { sumUp } from "./sums.js";
import { overview } from "./density.js";
import { OTHERS, VALUES_MAX } from "./values.js";

const POLL_MS = 1000;
const PATIENCE = 5; // polls that fail until it is told

let session = null;
let told = 0; // notes of the file
let opens = 0;
const newest = new Map(); // request by slot

function post(message, transfer) {
	self.postMessage(message, transfer || []);
}

// Values that the next message uses.
function tellValues() {
	session.model.channels.forEach((ch, channel) => {
		const { list, told: from } = ch.values;
		if (list.length > from)
			post({ event: "values", channel, from, values: list.slice(from) });
		if (list.length > VALUES_MAX)
			session.file.note(`${ch.title} has more than ${VALUES_MAX} values: some are shown as "${OTHERS}".`);
		ch.values.told = list.length;
	});
	const notes = [...session.file.notes];
	for (; told < notes.length; told++)
		post({ event: "note", text: notes[told] });
}

function send(message, picture) {
	tellValues();
	post(message, picture ? Object.values(picture).filter(v => ArrayBuffer.isView(v)).map(v => v.buffer) : []);
}

async function poll(of) {
	let failures = 0;
	while (session === of && of.live) {
		await new Promise(resolve => setTimeout(resolve, POLL_MS));
		try {
			if (await of.grow() && session === of)
				post({ event: "grown", info: of.info() });
			failures = 0;
		} catch (e) {
			// It may be half a segment: later.
			if (++failures === PATIENCE && session === of)
				post({ event: "note", text: `The file cannot be followed: ${e.message}.` });
		}
	}
}

// Answers only the newest request of a slot: one before ends as stale.
async function newestOf(op, args, answer) {
	const of = session, slot = `${op} ${args.slot}`, mine = {};
	newest.set(slot, mine);
	await breathe();
	const stop = () => newest.get(slot) !== mine || session !== of;
	return stop() ? { stale: true } : await answer(stop) || { stale: true };
}

const ops = {
	async open(args) {
		const opened = new Session((done, of) => post({ event: "progress", done, of })), turn = ++opens;
		const newestStill = () => {
			if (turn !== opens)
				throw new Error("another file is opened");
		};
		await opened.open(args, async () => {
			post({ event: "waiting" });
			await new Promise(resolve => setTimeout(resolve, POLL_MS));
			newestStill();
		});
		newestStill();
		const info = opened.info();
		if (!info.views.length)
			throw new Error("nothing in it can be shown as rows");
		session = opened;
		told = info.notes.length;
		poll(session);
		return info;
	},

	picture(args, part) {
		return newestOf("picture", args, stop => drawPicture(session, args, part, stop));
	},

	select(args, part) {
		return newestOf("select", args, stop => sumUp(session, args, part, stop));
	},

	overview(args) {
		return overview(session, args);
	},

	at(args) {
		return new Query(session, args).at(args.t);
	},

	async next(args) {
		const found = await new Query(session, args).next(args.t, args.direction, args.index);
		return found && { ...found, row: args.rows[found.row] };
	},

	close() {
		session = null;
		return null;
	},
};

self.onmessage = async (e) => {
	const { id, op, args } = e.data;
	try {
		if (!ops[op] || (!session && op !== "open"))
			throw new Error("no file is open");
		const result = await ops[op](args, picture => send({ id, part: picture }, picture));
		if (session)
			send({ id, result }, op === "picture" ? result : null);
		else
			post({ id, result });
	} catch (error) {
		post({ id, error: String(error && error.message || error) });
	}
};
