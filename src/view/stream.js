// SPDX-License-Identifier: MIT
// stream.js: pictures, drawn while segments are read: first what is known at once, then what is exact.
import { Damage } from "./bytes.js";
import { Picture } from "./picture.js";
import { eachValue } from "./history.js";
import { breathe } from "./session.js";

const PART_MS = 50; // between parts
const FEW = 4; // segments that are decoded at once
const SAMPLES = [16, 96]; // checkpoints that are read for a first picture, and for a better one
const PIXELS_MAX = 1 << 25;

// Calls each(columns, begin, end, i) for the segments of [t0, t1) in order; columns null: damaged. Returns false if
// `stop` said so in between.
export async function eachSegment(session, t0, t1, stop, each) {
	const { segments } = session;
	for (let i = Math.max(0, segments.at(t0)); i < segments.length && segments.begin(i) < t1; i++) {
		let columns = segments.cached(i);
		if (columns === undefined) {
			columns = await segments.get(i);
			await breathe();
		}
		if (stop())
			return false;
		each(columns, segments.begin(i), segments.end(i), i);
	}
	return true;
}

function emptyPicture(session, args) {
	const { file, model } = session, { rows, width, t0, t1 } = args;
	if (!(t1 > t0) || !(width >= 1) || !Number.isInteger(width) || rows.length * width > PIXELS_MAX)
		throw new Damage("there is no such picture");
	return new Picture(model, session.channel(args.channel), session.rows(rows), t0, t1, width, file.begin, file.end);
}

// The states at the begin of `many` segments, each of which goes on up to the next of them.
async function sample(session, args, many) {
	const { segments } = session, picture = emptyPicture(session, args);
	const first = Math.max(0, segments.at(args.t0)), last = segments.at(args.t1), step = Math.max(1, Math.ceil((last - first + 1) / many));
	const wanted = [];
	for (let i = first; i <= last; i += step)
		wanted.push(i);
	const got = await Promise.all(wanted.map(i => segments.checkpoint(i)));
	wanted.forEach((i, n) => {
		const columns = got[n], from = segments.begin(i), to = n + 1 < wanted.length ? segments.begin(wanted[n + 1]) : segments.end(last);
		for (let r = 0; r < args.rows.length && columns; r++)
			eachValue(columns, picture.places[r], picture.values, 0, 1, 0, 1, key => picture.guess(r, key, from, to, 128));
	});
	return picture;
}

function guessByPyramid(session, args) {
	const picture = emptyPicture(session, args), { channel, rows, values, places } = picture;
	if (channel.type !== "state")
		return picture;
	rows.forEach((row, r) => session.pyramid.each(channel.storage, row.slot, channel.field, (lo, hi, from, to, share) => {
		picture.guess(r, lo === 0 && hi === 0 ? places[r].zero : values.key(lo, hi), Math.max(from, picture.begin), Math.min(to, picture.end), share);
	}));
	return picture;
}

// Draws args.rows, and hands parts to `part`. `stop` says that nobody wants it any more.
export async function drawPicture(session, args, part, stop) {
	const picture = emptyPicture(session, args), { segments } = session;
	const first = Math.max(0, segments.at(args.t0)), last = segments.at(args.t1);
	let missing = 0;
	for (let i = first; i <= last; i++)
		missing += segments.has(i) ? 0 : 1;
	let told = performance.now();
	const tell = () => {
		part(picture.part(false));
		told = performance.now();
	};
	if (missing > 0 && session.pyramid) {
		picture.under(guessByPyramid(session, args));
		tell();
	}
	for (const many of missing > FEW && !session.pyramid ? SAMPLES : []) {
		picture.under(await sample(session, args, many));
		if (stop())
			return null;
		tell();
	}
	if (!session.whole)
		return picture.part(true);
	const done = await eachSegment(session, args.t0, args.t1, stop, (columns, begin, end, i) => {
		if (columns)
			picture.take(columns, begin, end);
		if (performance.now() - told < PART_MS)
			return;
		tell();
		session.progress(i - first, last - first + 1);
	});
	if (!done)
		return null;
	if (missing > FEW)
		session.progress(1, 1);
	picture.finish();
	return picture.part(true);
}
