// SPDX-License-Identifier: MIT
// history.js: the values of one row and channel inside a segment, one after the other.

// Calls take(key, from, to) for each value that lasts some time inside [t0, t1), in order. `begin` and `end` are those
// of the segment; place: { cell, zero, initial }, see Model.place(). A value may come in several parts.
export function eachValue(columns, place, values, begin, end, t0, t1, take) {
	const changes = columns.changes, { zero, initial } = place, at = changes.find(place.cell);
	const stop = t1 < end ? t1 : end;
	let from = t0 > begin ? t0 : begin;
	if (!(from < stop))
		return;
	if (at < 0) {
		take(initial, from, stop);
		return;
	}
	const { times, lo, hi } = changes, last = changes.start[at + 1];
	let i = after(changes, at, from - begin);
	let key = i === changes.start[at] ? initial : keyOf(values, zero, lo, hi, i - 1);
	for (; i < last; i++) {
		const time = begin + times[i];
		if (time >= stop)
			break;
		const next = keyOf(values, zero, lo, hi, i);
		if (next === key)
			continue;
		if (time > from)
			take(key, from, time);
		key = next;
		from = time;
	}
	take(key, from, stop);
}

// The first entry of a cell that is later than `time` after the begin of the segment.
export function after(changes, at, time) {
	const times = changes.times;
	let low = changes.start[at], high = changes.start[at + 1];
	while (low < high) {
		const mid = low + high >> 1;
		if (times[mid] <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

export function keyOf(values, zero, lo, hi, i) {
	if (hi !== null && hi[i] !== 0)
		return values.key(lo[i], hi[i]);
	return lo[i] === 0 ? zero : lo[i];
}
