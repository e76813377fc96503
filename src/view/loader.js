// SPDX-License-Identifier: MIT
// loader.js: unpacks the two programs of the page, and starts the main one.

async function unpack(id) {
	const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

async function load() {
	document.getElementById("worker-code").textContent = await unpack("worker-code");
	const script = document.createElement("script");
	script.src = URL.createObjectURL(new Blob([await unpack("main-code")], { type: "text/javascript" }));
	document.head.append(script);
}

load().catch((e) => {
	document.getElementById("failed").textContent = "This browser is too old for this page: " + e;
});
