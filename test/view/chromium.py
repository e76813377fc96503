# SPDX-License-Identifier: MIT
"""A headless Chromium that is driven over WebDriver, with the standard library alone.

All that Chromium would ask of a network goes to a trap: a socket that only counts who comes. Errors on the console and
what the policy of a page refuses are complaints.
"""
import base64
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of elements in WebDriver
SHIFT, CONTROL, ALT = "\ue008", "\ue009", "\ue00a"
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014",
        "Down": "\ue015", "Home": "\ue011", "End": "\ue010", "PageUp": "\ue00e", "PageDown": "\ue00f", "Space": " ",
        "Delete": "\ue017", "Backspace": "\ue003", "Shift": SHIFT, "Control": CONTROL, "Alt": ALT}


OWN = re.compile(r"^[A-Z]+ (?:http://)?[\w.-]+\.google(?:apis)?\.com[:/]")  # what Chromium asks for by itself


class Failed(Exception):
    """What Chromium says it cannot do, or what a script has thrown."""


def skip_without():
    """Ends the test where there is no browser."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            print(f"skipped: no {program} (scripts/deps test)")
            sys.exit(77)


class Trap:
    """Where requests to any host end; counts them."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.caught = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            with peer:
                peer.settimeout(5)
                try:
                    asked = peer.recv(200).decode("latin1").split("\r\n")[0]
                    self.caught += [asked] if asked else []  # Chromium connects in advance, and asks nothing then
                except OSError:
                    self.caught.append("a connection without a request")


def start_driver():
    """A running chromedriver, and its port.

    It asks the system for a free port of IPv6, and then for the same one of IPv4: beside other tests that one may be taken, and
    it gives up. So it is started again, a few times.
    """
    for _ in range(8):
        said = ""
        driver = subprocess.Popen(["chromedriver", "--port=0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        for line in driver.stdout:
            if found := re.search(r"successfully on port (\d+)", line):
                return driver, int(found.group(1))
            said += line
        driver.stdout.close()
        driver.wait()
    raise Failed(f"chromedriver does not start:\n{said}")


class Chromium:
    def __init__(self, size=(1280, 800), args=()):
        skip_without()
        self.driver, port = start_driver()
        self.trap = Trap()
        self.link = None
        self.session = ""
        try:
            self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            flags = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                     "--disable-component-update", "--disable-sync", "--disable-background-networking", "--disable-extensions",
                     "--enable-precise-memory-info", f"--window-size={size[0]},{size[1]}",
                     f"--proxy-server=127.0.0.1:{self.trap.port}", *args]
            wanted = {"browserName": "chrome", "timeouts": {"script": 60000, "pageLoad": 60000},
                      "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": flags},
                      "goog:loggingPrefs": {"browser": "ALL"}}
            got = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.session = "/session/" + got["sessionId"]
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            if self.session:
                self.call("DELETE", "")
        except (OSError, http.client.HTTPException, Failed):
            pass
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        self.trap.socket.close()

    def call(self, method, path, body=None):
        self.link.request(method, self.session + path, json.dumps(body) if body is not None else None,
                          {"Content-Type": "application/json"})
        got = json.load(self.link.getresponse())["value"]
        if isinstance(got, dict) and "error" in got and "message" in got:
            raise Failed(f"{got['error']}: {got['message'].splitlines()[0]}")
        return got

    # ---- Pages ----

    def open(self, where):
        """A URL, or the path of a file, with a # or without."""
        # Only the place differs: it is loaded again all the same.
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": where if re.match(r"[a-z]+:", where) else "file://" + where})

    def address(self):
        return self.call("GET", "/url")

    def new_tab(self):
        """Opens one and goes there; returns where we were."""
        before = self.call("GET", "/window")
        self.go_to(self.call("POST", "/window/new", {"type": "tab"})["handle"])
        return before

    def go_to(self, tab):
        self.call("POST", "/window", {"handle": tab})

    def close_tab(self, then):
        self.call("DELETE", "/window")
        self.go_to(then)

    def run(self, script, *args):
        """The value of a function body, or of the promise that it returns."""
        body = """const done = arguments[arguments.length - 1];
            (async (...args) => { %s })(...[...arguments].slice(0, -1)).then(
                value => done({value}), error => done({error: String(error && error.stack || error)}));""" % script
        got = self.call("POST", "/execute/async", {"script": body, "args": list(args)})
        if "error" in got:
            raise Failed(got["error"])
        return got.get("value")

    def cdp(self, command, **params):
        """A command of the DevTools protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def screenshot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("GET", "/screenshot")))

    # ---- Input ----

    def element(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def type(self, selector, text):
        """Into an input; paths into one of files."""
        self.call("POST", f"/element/{self.element(selector)}/value", {"text": text})

    def keys(self, *names):
        """Presses keys one after the other, whatever has the focus: "f", "Enter", "Shift+Left"."""
        actions = []
        for name in names:
            held = name.split("+") if len(name) > 1 else [name]
            codes = [KEYS.get(k, k) for k in held]
            actions += [{"type": "keyDown", "value": c} for c in codes] + [{"type": "keyUp", "value": c} for c in reversed(codes)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def drag(self, x0, y0, x1, y1, key=None):
        """With the left button, in a few steps; with a key held."""
        move = lambda x, y: {"type": "pointerMove", "duration": 20, "x": int(x), "y": int(y), "origin": "viewport"}
        mouse = [move(x0, y0), {"type": "pointerDown", "button": 0}, move((x0 + x1) / 2, (y0 + y1) / 2), move(x1, y1),
                 {"type": "pointerUp", "button": 0}]
        actions = [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": mouse}]
        if key:
            pause = [{"type": "pause"}] * 4
            actions.append({"type": "key", "id": "keyboard", "actions": [{"type": "keyDown", "value": KEYS[key]}, *pause,
                                                                         {"type": "keyUp", "value": KEYS[key]}]})
            mouse.insert(0, {"type": "pause"})
        self.call("POST", "/actions", {"actions": actions})

    def hover(self, x, y):
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y), "origin": "viewport"}]}]})

    def click(self, x, y):
        self.drag(x, y, x, y)

    # ---- What it costs ----

    def renderers(self):
        """Numbers of the processes that show pages, of this browser."""
        parents, types = {}, {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat", encoding="latin1") as f:
                    parents[int(pid)] = int(f.read().rpartition(")")[2].split()[1])
                with open(f"/proc/{pid}/cmdline", encoding="latin1") as f:
                    types[int(pid)] = f.read()
            except OSError:
                pass  # has ended

        def ours(pid):
            return pid == self.driver.pid or pid in parents and ours(parents[pid])
        return [pid for pid in parents if "--type=renderer" in types.get(pid, "") and ours(pid)]

    def memory(self):
        """MiB of the largest page: now, and at most so far."""
        def of(pid, key):
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
                return next(int(line.split()[1]) / 1024 for line in f if line.startswith(key))
        return max((of(pid, "VmRSS"), of(pid, "VmHWM")) for pid in self.renderers())

    # ---- What must not be ----

    def complaints(self):
        """Since the last call: errors and warnings on the console, refusals of the policy, requests."""
        log = [f"{e['level']}: {e['message']}" for e in self.call("POST", "/se/log", {"type": "browser"})
               if e["level"] in ("SEVERE", "WARNING")]
        asked, self.trap.caught = [f"a request left: {x}" for x in self.trap.caught if not OWN.search(x)], []
        return log + asked
