// SPDX-License-Identifier: MIT
// worker.js: answers what the page asks about a file: { id, op, args } gets { id, part }s and one { id, result } or
// { id, error }.
import { breathe, Session } from "./session.js";
import { drawPicture } from "./stream.js";
import { Query } from "./query.js";
import { sumUp } from "./sums.js";
import { overview } from "./density.js";

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
			if (session === of && await of.grow())
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
		await opened.open(args, async () => {
			post({ event: "waiting" });
			await new Promise(resolve => setTimeout(resolve, POLL_MS));
			if (turn !== opens)
				throw new Error("another file is opened");
		});
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
