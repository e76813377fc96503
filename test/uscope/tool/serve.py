#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`uscope view` without -o: a page and a file for browsers of this machine, and nothing for anybody else.

usage: serve.py USCOPE MAKETRACES
"""
import http.client
import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

from servekit import LIMIT, SLOW, Server, quiet_environment, reset, wait_until

USCOPE, MAKETRACES = map(os.path.abspath, sys.argv[1:])
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
           "Referrer-Policy": "no-referrer"}
found = []
SEED = random.randrange(1 << 32)
rnd = random.Random(SEED)


def want(good, *what):
    if not good:
        found.append(f"{sys._getframe(1).f_code.co_name}: " + " ".join(str(x)[:400] for x in what))


def read(path):
    with open(path, "rb") as f:
        return f.read()


def run(*words, env=None):
    p = subprocess.run([USCOPE, "view", *words], capture_output=True, stdin=subprocess.DEVNULL, env=env or quiet_environment(), timeout=60, check=False)
    return p.returncode, p.stdout.decode(), p.stderr.decode(errors="replace")


def make(path, size):
    """A file that passes for a trace: the server does not look into it."""
    with open(path, "wb") as f:
        f.write(b"uSCP" + rnd.randbytes(size - 4))
    return read(path)


# ---- What is served. ----

def test_page(_):
    """Page and file, by their names, whatever letters there are in that of the file."""
    for name in ("cpu.uscp", "a b<script><!--\"'\\&é\n.uscp", os.fsdecode(b"\xff\xfe%2e.uscp")):
        content = make(name, 5000)
        with Server(USCOPE, name) as s:
            want(re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", s.address), s.address)
            status, headers, page = s.ask(s.path)
            want(status == 200 and headers["Content-Type"] == "text/html; charset=utf-8", status, headers)
            want(headers["Content-Length"] == str(len(page)), headers)
            policy = re.search(rb'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)[1].decode()
            want("default-src 'none'" in policy and headers["Content-Security-Policy"] == policy + "; frame-ancestors 'none'", headers)
            elements = re.findall(rb'<script type="application/json" id="ovni-data">(.*?)</script>', page)
            want(len(elements) == 1 and b"<" not in elements[0], name, elements)
            data = json.loads(elements[0].decode())
            want(data == {"name": os.fsencode(name).decode(errors="replace"), "url": "data"}, name, data)
            status, headers, got = s.ask(s.data)
            want(status == 200 and got == content and headers["Content-Type"] == "application/octet-stream", status, headers)
            for path, n in ((s.path, len(page)), (s.data, len(content))):
                for more in ({}, {"Range": "bytes=0-3"}):
                    status, headers, got = s.ask(path, "HEAD", more)
                    want((status, headers["Content-Length"], got) == (200, str(n), b""), path, status, headers, got)
            want(all(headers[k] == v for k, v in HEADERS.items()), headers)
        os.unlink(name)


def test_ranges(_):
    content = make("r.uscp", 70000)
    size = len(content)
    cases = {
        "bytes=0-0": (0, 1), "bytes=0-": (0, size), "bytes=10-19": (10, 10), "bytes=-1": (size - 1, 1), "bytes=-70000": (0, size),
        "bytes=-99999999": (0, size), "bytes=69999-": (size - 1, 1), "bytes=69990-99999999999999999999999999": (69990, 10),
        "BYTES=5-6": (5, 2), "bytes=007-8": (7, 2), "bytes=-18446744073709551617": (0, size),
        "bytes=70000-": None, "bytes=70000-80000": None, "bytes=-0": None, "bytes=18446744073709551616-": None,
        "bytes=9223372036854775807-9223372036854775808": None,
    }
    for text in ("", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=1", "bytes=1-2,5-6", "bytes=1-2x", "bytes= 1-2", "bytes=+1-2",
                 "bytes=--5", "lines=1-2", "bytes:1-2", "bytes=0x1-2", "\u00e9"):
        cases[text] = "all"
    for _ in range(100):
        a, b = sorted(rnd.randrange(size) for _ in range(2))
        cases[f"bytes={a}-{b}"] = (a, b - a + 1)
    with Server(USCOPE, "r.uscp") as s:
        c = s.connect()
        for text, part in cases.items():
            status, headers, got = s.ask(s.data, headers={"Range": text}, on=c)
            if part == "all":
                want((status, headers["Content-Range"], got == content) == (200, None, True), text, status, headers, len(got))
            elif part is None:
                want((status, headers["Content-Range"], got) == (416, f"bytes */{size}", b""), text, status, headers)
            else:
                first, n = part
                want((status, headers["Content-Range"]) == (206, f"bytes {first}-{first + n - 1}/{size}"), text, status, headers)
                want(got == content[first:first + n], text, len(got))
            want(all(headers[k] == v for k, v in HEADERS.items()) and headers["Accept-Ranges"] == "bytes", text, headers)
        want(s.ask(s.data, headers={"Range": "bytes=0-3", "If-Range": '"x"'})[0] == 200, "If-Range")
        want(s.ask(s.path, headers={"Range": "bytes=0-14"})[2] == b"<!doctype html>", "part of the page")


def test_large(_):
    """Beyond 4 GiB, and at once: nothing is read ahead."""
    size = 5 << 30
    with open("large.uscp", "wb") as f:
        f.write(b"uSCP")
        f.seek(size - 5)
        f.write(b"hello")
    begin = time.monotonic()
    with Server(USCOPE, "large.uscp") as s:
        status, headers, got = s.range(size - 5, "")
        took = time.monotonic() - begin
        want((status, headers["Content-Range"], got) == (206, f"bytes {size - 5}-{size - 1}/{size}", b"hello"), status, headers, got)
        want(s.ask(s.data, "HEAD")[1]["Content-Length"] == str(size), "HEAD")
        want(took < 10, took, "s until the first answer")
    os.unlink("large.uscp")


# ---- Who gets nothing. ----

def test_refused(_):
    make("r.uscp", 1000)
    with Server(USCOPE, "r.uscp") as s, Server(USCOPE, "r.uscp") as other:
        want(s.path != other.path, "two servers have one path")
        secret = s.path[1:-1]
        for path in ("/", "/data", f"/{secret}", f"/{secret}/x", f"/{secret}/data/", f"/{secret}/data%00", f"/{secret}//data", f"/{secret}/../{secret}/data",
                     f"/{secret}/%64ata", f"//{secret}/data", f"/{secret[:-1]}/data", f"/{secret}0/data", f"/{secret}0data", f"/{secret.upper()}X/data", other.path, other.data,
                     "/favicon.ico", "/../../etc/passwd", f"/{secret}/../../r.uscp", f"/{secret}/r.uscp", "/" + "0" * 32 + "/data", f"/%{secret}/", "*",
                     f"http://{s.host}{s.data}", "x" * 5000):
            for method in ("GET", "HEAD"):
                status, headers, got = s.ask(path, method)
                want(status == 404 and got == b"" and all(headers[k] == v for k, v in HEADERS.items()), method, path, status, headers, got)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "get", "X" * 1000):
            for path in (s.data, s.path, "/"):
                status, headers, got = s.ask(path, method)
                want((status, headers["Allow"], got) == (405, "GET, HEAD", b""), method, path, status, headers, got)
        for host in (s.host, f"localhost:{s.port}", f"[::1]:{s.port}", "LocalHost", "127.0.0.1:7"):
            want(s.ask(s.path, headers={"Host": host})[0] == 200, host)
        for host in ("evil.example", f"evil.example:{s.port}", f"localhost.evil.example:{s.port}", f"127.0.0.1.evil.example:{s.port}", "localhost:x", "",
                     "localhost:1:2", "127.0.0.2", "::1", "localhostx", f"evil@localhost:{s.port}", f"localhost:{s.port}@evil.example", "0.0.0.0"):
            status, _, got = s.ask(s.path, headers={"Host": host})
            want(status in (400, 421) and got == b"", host, status)
        with open("/proc/net/tcp", encoding="utf-8") as f:
            at = [line.split()[1] for line in f if line.split()[3] == "0A" and line.split()[1].endswith(f":{s.port:04X}")]
        want(at == [f"0100007F:{s.port:04X}"], "listens at", at)


def hostile(s):
    """Bytes of bad requests; none is answered with 2xx."""
    line = f"GET {s.data} HTTP/1.1\r\n".encode()
    host = f"Host: {s.host}\r\n".encode()
    yield from (b"", b"\r\n" * 1000, b"\0" * 100000, rnd.randbytes(50000), b"GET", line, line + b"\r\n", line + host, line + host + b"X: y",
                f"GET {s.data}\r\n\r\n".encode(), f"GET {s.data} HTTP/0.9\r\n\r\n".encode(), f"GET {s.data} HTTP/1.0\r\n\r\n".encode(),
                f"GET {s.data} HTTP/7.7\r\n".encode() + host + b"\r\n", b"GET  HTTP/1.1\r\n" + host + b"\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                b"GET /" + b"a" * (4 << 20) + b" HTTP/1.1\r\n" + host + b"\r\n", b"A" * (4 << 20), line + host + b"X: " + b"y" * (4 << 20) + b"\r\n\r\n",
                line + host + b"".join(b"X%d: y\r\n" % i for i in range(100000)) + b"\r\n",
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rnd.randbytes(500), line.replace(b"GET", b"POST") + host + b"Content-Length: 99999999999\r\n\r\n" + b"z" * (4 << 20),
                line.replace(b"GET", b"POST") + host + b"Transfer-Encoding: chunked\r\n\r\n" + b"fffff\r\n" + b"z" * (2 << 20),
                line.replace(b"GET", b"POST") + host + b"Content-Length: -1\r\n\r\n", line + b"Host: evil.example\r\n" + host + b"\r\n",
                line + b"Host : " + s.host.encode() + b"\r\n\r\n", line + b" " + host + b"\r\n")


def test_hostile(_):
    make("r.uscp", 1000)
    with Server(USCOPE, "r.uscp") as s:
        for data in hostile(s):
            got = s.raw(data)
            want(not re.match(rb"HTTP/1\.[01] 2", got), data[:80], len(data), got[:80])
            want(s.range(0, 3)[2] == b"uSCP", "no answer behind", data[:80])
        for _ in range(300):  # a good request with damage
            data = bytearray(s.request(None, "Range: bytes=0-3"))
            for _ in range(rnd.randrange(1, 4)):
                data[rnd.randrange(len(data))] = rnd.randrange(256)
            s.raw(bytes(data))
        # A request with a body is answered without it, and ends the connection.
        got = s.raw(s.request(None, "Content-Length: 10") + b"0123456789" + s.request())
        want(got.count(b"HTTP/1.1") == 1, got[:2000])
        # Requests that come at once are answered in their order.
        got = s.raw(s.request(None, "Range: bytes=0-0") + s.request(None, "Range: bytes=1-1") + s.request("/x") + s.request(None, "Range: bytes=2-3"))
        want(re.findall(rb"HTTP/1.1 (\d+)", got) == [b"206", b"206", b"404", b"206"] and got.endswith(b"CP"), got)


# ---- Many clients, slow ones, those that vanish. ----

def test_many(_):
    """Eight readers check what they get while others are slow, vanish, or say nothing."""
    content = make("m.uscp", 32 << 20)
    with Server(USCOPE, "m.uscp") as s:
        idle = [s.socket() for _ in range(10)]
        stuck = [s.socket() for _ in range(10)]
        for c in stuck:
            c.sendall(s.request())  # and does not read
        slowest = []

        def reader(seed):
            mine = random.Random(seed)
            c = s.connect()
            for _ in range(40):
                first = mine.randrange(len(content))
                n = mine.randrange(1, 1 << 20)
                begin = time.monotonic()
                status, _, got = s.range(first, first + n - 1, c)
                slowest.append(time.monotonic() - begin)
                want(status == 206 and got == content[first:first + n], seed, first, n, status, len(got))
        threads = [threading.Thread(target=reader, args=(rnd.random(),)) for _ in range(8)]
        for t in threads:
            t.start()
        for _ in range(100):
            c = s.socket()
            c.sendall(s.request())
            c.recv(1000)
            reset(c)
        for t in threads:
            t.join()
        want(len(slowest) == 320 and max(slowest) < 20, "slowest answer", max(slowest))
        for c in idle + stuck:
            c.close()
        want(s.ask(s.data)[2] == content, "the whole file")


def test_leaks(_):
    make("m.uscp", 8 << 20)
    with Server(USCOPE, "m.uscp") as s:
        def vanish(times):
            for i in range(times):
                c = s.socket()
                c.sendall(s.request() if i % 3 else b"GET /")
                if i % 3 == 1:
                    c.recv(10)
                if i % 2:
                    reset(c)
                else:
                    c.close()
            want(wait_until(lambda: s.descriptors() <= before), s.descriptors(), "descriptors, not", before)
        want(s.range(0, 3)[0] == 206, "range")
        before = s.descriptors()
        vanish(100)
        memory = s.memory()
        vanish(600)
        want(s.memory() < memory + 4096, "holds", s.memory(), "KiB, and before", memory)


def test_slow(_):
    """Clients that fill all connections and ask for nothing, at all or letter by letter, are left after a while; then others are served."""
    make("r.uscp", 1000)
    with Server(USCOPE, "r.uscp") as s:
        silent = [s.socket() for _ in range(LIMIT - 2)]
        kept = s.connect()
        want(s.range(0, 3, kept)[0] == 206, "the connection that asks and then stays")
        slow = s.socket()
        begin = time.monotonic()
        ended = []

        def spell():
            try:
                for letter in s.request(None, "X: " + "x" * 2000):
                    slow.sendall(bytes([letter]))
                    time.sleep(0.05)
            except OSError:
                ended.append(time.monotonic() - begin)
        t = threading.Thread(target=spell)
        t.start()
        c = s.connect()
        status, _, got = s.range(0, 3, c)
        took = time.monotonic() - begin
        want(status == 206 and got == b"uSCP" and took < SLOW + 15, "one more client after", took, status)
        t.join()
        want(ended and SLOW - 1 < ended[0] < SLOW + 15, "letter by letter", ended)
        kept.sock.settimeout(SLOW)
        want(kept.sock.recv(1) == b"", "the connection that stayed is still there")
        for x in (*silent, kept, slow, c):
            x.close()
        want(s.range(0, 3)[0] == 206, "afterwards")


# ---- Files that change. ----

def test_grows(_):
    """Sizes are those at the time of the request."""
    for begin in (b"", b"u", b"uSCP", b"uSCP" + bytes(100)):
        with open("g.uscp", "wb") as f:
            f.write(begin)
        with Server(USCOPE, "g.uscp") as s, open("g.uscp", "ab") as f:
            have = begin
            c = s.connect()
            for _ in range(20):
                status, headers, got = s.range(len(have), "", c)
                want((status, headers["Content-Range"]) == (416, f"bytes */{len(have)}"), len(have), status, headers)
                f.write(b"more!" * 100)
                f.flush()
                have += b"more!" * 100
                status, headers, got = s.range(max(len(have) - 500, 0), "", c)
                want(status == 206 and got == have[-500:] and headers["Content-Range"].endswith(f"/{len(have)}"), status, headers)
                want(s.ask(s.data, "HEAD", on=c)[1]["Content-Length"] == str(len(have)), "HEAD")
            want(s.ask(s.data, on=c)[2] == have, "all of it")


def test_live(_):
    """A reader that polls as the page does has the file when its writer has, before and behind its end."""
    writer = subprocess.Popen([MAKETRACES, "live", "live.uscp", "40", "25"])
    want(wait_until(lambda: os.path.exists("live.uscp")), "no file")
    with Server(USCOPE, "live.uscp") as s:
        c = s.connect()
        have = 0
        sizes = set()
        while writer.poll() is None:
            size = int(s.ask(s.data, "HEAD", on=c)[1]["Content-Length"])
            sizes.add(size)
            if size > have:
                status, _, got = s.range(have, size - 1, c)
                want(status == 206 and len(got) == size - have, status, len(got))
                have = size
            time.sleep(0.02)
        want(len(sizes) > 5, "sizes", sorted(sizes))
        want(s.ask(s.data, on=c)[2] == read("live.uscp"), "in the end")
    want(writer.wait() == 0, "the writer")


def test_shrinks(_):
    """What was promised and is gone ends the connection, soon; then sizes are the new ones."""
    make("s.uscp", 64 << 20)
    with Server(USCOPE, "s.uscp") as s:
        with s.socket() as c:
            c.sendall(s.request())
            head = c.recv(1000)
            want(b"Content-Length: 67108864" in head, head)
            os.truncate("s.uscp", 1 << 20)
            c.settimeout(20)
            n = 0
            try:
                while block := c.recv(1 << 20):
                    n += len(block)
            except ConnectionError:
                pass
            want(n < 64 << 20, "came all the same", n)
        status, headers, _ = s.range(2 << 20, "")
        want((status, headers["Content-Range"]) == (416, f"bytes */{1 << 20}"), status, headers)
        want(len(s.range(1000, (64 << 20) - 1)[2]) == (1 << 20) - 1000, "the rest")
        os.truncate("s.uscp", 0)
        want(s.ask(s.data)[::2] == (200, b"") and s.range(0, "")[0] == 416 and s.range("", 5)[0] == 416, "nothing is left")


def test_renamed(_):
    """What was opened is served, whatever has its name now."""
    content = make("n.uscp", 3000)
    with Server(USCOPE, "n.uscp") as s:
        os.rename("n.uscp", "other.uscp")
        make("n.uscp", 500)
        want(s.ask(s.data)[2] == content, "renamed and replaced")
        os.unlink("other.uscp")
        want(s.ask(s.data)[2] == content, "removed")


# ---- The command. ----

def test_files(_):
    """What is no trace is refused, with a word why."""
    os.mkdir("folder")
    os.mkfifo("fifo")
    for name, data in (("text", b"hello, world"), ("short", b"uX"), ("shut.uscp", b"uSCP")):
        with open(name, "wb") as f:
            f.write(data)
    cases = {"folder": "error[E_IO]: not a regular file", "fifo": "error[E_IO]: not a regular file", "/dev/zero": "error[E_IO]: not a regular file",
             "text": "error[E_MAGIC]: not a µScope file", "short": "error[E_MAGIC]: not a µScope file",
             "none.uscp": "error[E_IO]: cannot open: No such file or directory", "text/x": "error[E_IO]: cannot open: Not a directory"}
    if os.getuid() != 0:
        os.chmod("shut.uscp", 0)
        cases["shut.uscp"] = "error[E_IO]: cannot open: Permission denied"
    for path, message in cases.items():
        rc, out, err = run(path)
        want((rc, out) == (1, "") and err.startswith(f"uscope view: {message}\n  in {path}\n"), path, rc, out, err)
    for words in ([], ["a", "b"], ["--port", "0", "a"], ["--port=65536", "a"], ["--port", "x", "a"], ["--port=-1", "a"]):
        rc, out, err = run(*words)
        want((rc, out) == (2, "") and "error[usage]" in err, words, rc, out, err)


def test_port(_):
    make("r.uscp", 1000)
    with Server(USCOPE, "r.uscp") as s:
        rc, out, err = run("--port", str(s.port), "r.uscp")
        want((rc, out) == (1, "") and f"127.0.0.1:{s.port}" in err and "in use" in err, rc, out, err)
        port = s.port
        want(s.ask(s.path)[0] == 200, "page")
    with Server(USCOPE, "r.uscp", f"--port={port}") as s:  # at once again
        want(s.port == port and s.ask(s.path)[0] == 200, s.address)


def test_signals(_):
    make("r.uscp", 16 << 20)
    for number, status in ((signal.SIGINT, 0), (signal.SIGTERM, 128 + 15), (signal.SIGHUP, 128 + 1)):
        for busy in (False, True):
            with Server(USCOPE, "r.uscp") as s, s.socket() as c:
                if busy:
                    c.sendall(s.request())
                    c.recv(10)
                begin = time.monotonic()
                rc = s.end(number)
                want(rc == status and time.monotonic() - begin < 20, number, busy, rc, time.monotonic() - begin)
                want(("stopped by the user" in s.messages()) == (status != 0), number, s.messages())
    for _ in range(20):  # at any time
        with Server(USCOPE, "r.uscp") as s:
            time.sleep(rnd.random() / 100)
            want(s.end() == 0, "status", s.process.returncode)


def test_told(_):
    """The address alone is on the standard output; the rest is not said with -q."""
    make("r.uscp", 1000)
    for words in (["--no-browser"], ["-q"], []):
        with Server(USCOPE, "r.uscp", *words) as s:
            want(s.end() == 0 and s.process.stdout.read() == b"", "more than the address")
            err = s.messages()
            want((f"ssh -N -L {s.port}:127.0.0.1:{s.port} " in err and "Ctrl-C" in err) == ("-q" not in words), words, err)
            want("-q" not in words or err == "", err)


def test_browser(_):
    """The browser of the user gets the address as one word, and nothing else of the tool."""
    make("r.uscp", 1000)
    script = """#!/bin/sh
{
	for word; do echo "$word"; done
	cat # the standard input
	ls -l /proc/self/fd | grep -c 'uscp\\|memfd\\|socket'
	echo $((0x$(grep SigIgn /proc/$$/status | cut -f 2) & 0x1001000)) # SIGPIPE, SIGXFSZ
	test "$(cut -d ' ' -f 6 /proc/$$/stat)" != $$ || echo session
} >out.part
echo noise
echo noise >&2
mv out.part out.txt
"""
    os.makedirs("bin", exist_ok=True)
    for name in ("bin/show", "bin/xdg-open"):
        with open(name, "w", encoding="utf-8") as f:
            f.write(script)
        os.chmod(name, stat.S_IRWXU)
    show = os.path.abspath("bin/show")
    path = os.path.abspath("bin") + ":" + os.environ["PATH"]
    ssh = {"SSH_CONNECTION": "10.0.0.1 22 10.0.0.2 22"}
    for words, env, expect in (
            ([], {"BROWSER": show}, ["ADDRESS"]),
            ([], {"BROWSER": f"{show} --new %s --last"}, ["--new", "ADDRESS", "--last"]),
            ([], {"BROWSER": f"/none/such:none-such %s:{show} url=%s;$(x)"}, ["url=ADDRESS;$(x)"]),
            ([], {"BROWSER": "/none/such:" + "x" * 5000, "DISPLAY": ":7"}, ["ADDRESS"]),
            ([], {"DISPLAY": ":7"}, ["ADDRESS"]), ([], {"WAYLAND_DISPLAY": "w"}, ["ADDRESS"]), ([], {"BROWSER": "", "DISPLAY": ":7"}, ["ADDRESS"]),
            ([], {}, None), (["--no-browser"], {"BROWSER": show}, None), ([], ssh | {"BROWSER": show, "DISPLAY": ":7"}, None)):
        if os.path.exists("out.txt"):
            os.unlink("out.txt")
        with Server(USCOPE, "r.uscp", *words, env=quiet_environment(PATH=path, **env)) as s:
            if expect is None:
                want(s.ask(s.path)[0] == 200, "page")
                time.sleep(0.1)
                want(not os.path.exists("out.txt"), words, env)
                continue
            want(wait_until(lambda: os.path.exists("out.txt")), env)
            want(s.ask(s.path)[0] == 200, "page")
            with open("out.txt", encoding="utf-8") as f:
                got = f.read().splitlines()
            want(got == [w.replace("ADDRESS", s.address) for w in expect] + ["0", "0", "session"], env, got)
            want("ssh" not in s.messages() and "noise" not in s.messages(), s.messages())


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        make("r.uscp", 1000)
        if os.path.exists("none") or "error[no-server]" in run("none.uscp")[2]:
            print("skipped: uscope was built without libmicrohttpd")
            return 77
        for name, test in list(globals().items()):
            if name.startswith("test_") and (not os.environ.get("ONLY") or name in os.environ["ONLY"].split()):
                begin = time.monotonic()
                try:
                    test(tmp)
                except (AssertionError, OSError, ValueError, http.client.HTTPException) as e:
                    found.append(f"{name}: {type(e).__name__}: {e}")
                print(f"{name} {time.monotonic() - begin:.1f} s", flush=True)
    for x in found:
        print(x)
    if found:
        print("seed", SEED)
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main())
