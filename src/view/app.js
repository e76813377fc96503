// SPDX-License-Identifier: MIT
// app.js: begins the page.

document.addEventListener("DOMContentLoaded", () => {
	const data = document.getElementById("ovni-data");
	document.getElementById("app").textContent = data ? JSON.parse(data.textContent).name : "Drop a .uscp file here.";
});
