// SPDX-License-Identifier: MIT
// engine.js: asks the worker, which reads the file, and hands its answers back as promises.

let worker = null;
let last = 0;
let told = null;
const calls = new Map(); // id -> { op, done, failed, part }

function send(op, args, part, move = []) {
	return new Promise((done, failed) => {
		calls.set(++last, { op, done, failed, part });
		worker.postMessage({ id: last, op, args }, move);
	});
}

function receive({ data }) {
	const call = calls.get(data.id);
	if (data.event)
		told(data);
	else if (!call)
		return;
	else if (data.part)
		call.part?.(data.part);
	else {
		calls.delete(data.id);
		if (data.error)
			call.failed(new Error(data.error));
		else
			call.done(data.result);
	}
}

// Starts the worker, out of the text that the page has of it. event() is called with what it says unasked.
export function startEngine(event) {
	told = event;
	const text = document.getElementById("worker-code").textContent;
	worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
	worker.onmessage = receive;
	worker.onerror = (e) => {
		for (const call of calls.values())
			call.failed(new Error(e.message));
		calls.clear();
	};
}

// What was asked about the file before gets no answer any more.
function forget() {
	for (const [id, { op, done, failed }] of calls) {
		if (op === "open")
			continue;
		calls.delete(id);
		if (op === "picture" || op === "select")
			done({ stale: true });
		else
			failed(new Error("another file is opened"));
	}
}

// Arguments and answers: see worker.js.
export const engine = {
	async open(what) {
		const bytes = [...(what.pieces || []).map((p) => p.bytes), what.pyramid].filter(Boolean);
		const info = await send("open", what, null, bytes);
		forget();
		return info;
	},
	picture: (args, part) => send("picture", args, part),
	at: (args) => send("at", args),
	select: (args, part) => send("select", args, part),
	next: (args) => send("next", args),
	overview: (args) => send("overview", args),
	close: () => send("close", {}),
};
