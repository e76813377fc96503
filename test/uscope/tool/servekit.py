# SPDX-License-Identifier: MIT
"""servekit: `uscope view` as a server, and requests to it, good ones and others."""
import http.client
import os
import signal
import socket
import struct
import subprocess
import tempfile
import time

SLOW = 10  # seconds that a client may take for a request
LIMIT = 64  # connections at a time


def quiet_environment(**more):
    """No browser of the user, nor ssh; and a build with sanitizers keeps little of what is freed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("SSH_") and k not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")}
    return env | {"ASAN_OPTIONS": env.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"} | more


class Server:
    """A server of a file; `with` ends it, and asks for a good end unless `end` was called before."""

    def __init__(self, uscope, path, *words, env=None):
        self.err = tempfile.TemporaryFile()
        self.process = subprocess.Popen([uscope, "view", *words, path], stdout=subprocess.PIPE, stderr=self.err, stdin=subprocess.DEVNULL,
                                        env=env or quiet_environment())
        self.address = self.process.stdout.readline().decode().rstrip("\n")
        if self.address:
            self.host, _, self.path = self.address.removeprefix("http://").partition("/")
            self.path = "/" + self.path
            self.data = self.path + "data"
            self.port = int(self.host.split(":")[1])

    def __enter__(self):
        if not self.address:
            self.process.wait(30)
            raise AssertionError(f"no address, status {self.process.returncode}: {self.messages()}")
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
        elif self.process.poll() is None:
            rc = self.end()
            assert rc == 0, f"status {rc}: {self.messages()}"
        self.process.stdout.close()
        self.process.wait(30)
        text = self.messages()
        self.err.close()
        assert "Sanitizer" not in text and "runtime error" not in text, text

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.process.wait(30)

    def messages(self):
        self.err.seek(0)
        return self.err.read().decode()

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, path, method="GET", headers=None, on=None):
        """Status, headers, body."""
        c = on or self.connect()
        c.request(method, path, headers=headers or {})
        r = c.getresponse()
        got = r.status, r.headers, r.read()
        if not on:
            c.close()
        return got

    def range(self, first, last, on=None):
        return self.ask(self.data, headers={"Range": f"bytes={first}-{last}"}, on=on)

    def socket(self):
        s = socket.create_connection(("127.0.0.1", self.port), 60)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def request(self, path=None, *lines):
        """The bytes of a request."""
        return "\r\n".join([f"GET {path or self.data} HTTP/1.1", f"Host: {self.host}", *lines, "", ""]).encode()

    def raw(self, data, wait=30):
        """All that comes for these bytes until the server closes, or b"reset" behind it."""
        got = b""
        with self.socket() as s:
            s.settimeout(wait)
            try:
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
            except OSError:
                got = b""
            try:
                while block := s.recv(1 << 16):
                    got += block
            except ConnectionError:
                got += b"reset"
            return got

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self):
        """KiB that it holds."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as f:
            return int(next(line for line in f if line.startswith("VmRSS")).split()[1])


def reset(s):
    """Ends a connection at once, without a word."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def wait_until(good, seconds=20):
    end = time.monotonic() + seconds
    while not good():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
