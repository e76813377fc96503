#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the browser itself says of the page: it opens without a complaint, what is put into it does not run, and
nothing leaves. Pages that are made to fail show that the browser would tell.

usage: policy.py PAGE.html
"""
import os
import sys
import tempfile

import chromium

BAD = {
    "throws": "<script>throw new Error('thrown')</script>",
    "error of a worker": "<script>new Worker(URL.createObjectURL(new Blob(['throw new Error(1)']))).onerror = e => console.error(e.message)</script>",
    "console": "<script>console.error('told')</script>",
    "inline script": "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\"><script>1</script>",
    "request": "<img src='http://example.com/a.png'>",
    "request to this machine": "<script>fetch('http://example.org:81/x').catch(() => 0)</script>",
}

# Tried inside the real page, by a script that the driver may run whatever the policy: what it puts into the page may not.
TRIES = """
const put = (name, attributes) => {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (key === 'text') e.textContent = value; else e.setAttribute(key, value);
	}
	document.body.append(e);
	return e;
};
window.ran = [];
put('script', {text: "window.ran.push('script')"});
put('script', {src: "data:text/javascript,window.ran.push('data')"});
put('img', {src: 'x', onerror: "window.ran.push('handler')"});
put('img', {src: 'http://example.com/image'});
put('iframe', {src: 'http://example.com/frame'});
put('iframe', {srcdoc: "<script>parent.ran.push('frame')</" + "script>"});
put('object', {data: 'http://example.com/object'});
put('link', {rel: 'stylesheet', href: 'http://example.com/style'});
put('a', {href: "javascript:window.ran.push('link')"}).click();
setTimeout(() => eval("window.ran.push('eval')")); // at once the driver may do it
for (const ask of [() => fetch('http://example.com/fetch'), () => fetch('https://example.com/fetch')]) {
	await ask().catch(() => 0);
}
try { new WebSocket('ws://example.com/'); } catch (e) { /* as it should */ }
navigator.sendBeacon('http://example.com/beacon', 'x');
await new Promise(done => setTimeout(done, 300));
return window.ran;
"""


def main():
    page = os.path.abspath(sys.argv[1])
    found = []
    with chromium.Chromium() as browser, tempfile.TemporaryDirectory() as tmp:
        for name, text in BAD.items():
            with open(f"{tmp}/bad.html", "w", encoding="utf-8") as f:
                f.write(f"<!doctype html><title>{name}</title><body>{text}")
            browser.open(f"{tmp}/bad.html")
            browser.run("await new Promise(done => setTimeout(done, 150));")
            if not browser.complaints():
                found.append(f"{name}: no complaint, so that of a page would not be told, either")
        browser.open(page)
        browser.run("await new Promise(done => setTimeout(done, 150));")
        found += [f"{os.path.basename(page)}: {x}" for x in browser.complaints()]
        ran = browser.run(TRIES)
        refused = browser.complaints()
        found += [f"ran in the page: {x}" for x in ran]
        found += [x for x in refused if x.startswith("a request left")]
        if sum("Content Security Policy" in x for x in refused) < 8:
            found += ["the policy has not refused everything:", *refused]
    print("\n".join(found) if found else "ok")
    return 1 if found else 0


sys.exit(main())
