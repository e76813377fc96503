// SPDX-License-Identifier: MIT
// embed.js: the data in the page: pieces of a file as base64, which leave the page as they are decoded.

const CHUNK = 1 << 20; // characters that atob takes at a time

const pause = () => new Promise((go) => setTimeout(go));

async function decoded(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text).buffer;
	const clean = text.replace(/\s+/g, "");
	const bytes = new Uint8Array(Math.floor((clean.length * 3) / 4) - (clean.endsWith("==") ? 2 : clean.endsWith("=") ? 1 : 0));
	for (let from = 0; from < clean.length; from += CHUNK) {
		const part = atob(clean.slice(from, from + CHUNK));
		const at = (from / 4) * 3;
		for (let i = 0; i < part.length; i++)
			bytes[at + i] = part.charCodeAt(i);
		await pause();
	}
	return bytes.buffer;
}

// The argument of engine.open(): { pieces, size, name, whole, pyramid } or { url, name }; null if the page has no data.
export async function embedded(progress) {
	const head = document.getElementById("ovni-data");
	if (!head)
		return null;
	const data = JSON.parse(head.textContent);
	// A worker has no place of its own that the URL could be relative to.
	if (data.url)
		return { ...data, url: new URL(data.url, location.href).href };
	const take = async (e) => {
		const bytes = await decoded(e.textContent);
		e.remove();
		return bytes;
	};
	const first = document.querySelector("script.ovni-pyramid");
	const pyramid = first ? await take(first) : null;
	const pieces = [];
	const all = document.querySelectorAll("script.ovni-piece");
	for (const [n, e] of [...all].entries()) {
		progress(n, all.length);
		pieces.push({ at: Number(e.dataset.at), bytes: await take(e) });
		await pause();
	}
	return { ...data, pieces, pyramid };
}
