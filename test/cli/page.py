#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is in an HTML page with a µScope file: as doc/format/page.md says.

usage: page.py PAGE.html [FILE.uscp]

Prints the name of the file, its size, and whether the page has all of it; fails if something is wrong with
the page, or its bytes are not those of the file.
"""
import base64
import hashlib
import html.parser
import json
import struct
import sys

PIECE_MAX = 12 << 20
BUCKETS_MAX = 4096


class Page(html.parser.HTMLParser):
    """The elements of the page that matter, as a browser finds them."""

    def __init__(self, text):
        super().__init__()
        self.policy = None
        self.data = None
        self.pyramid = None
        self.pieces = []  # (offset, bytes)
        self.scripts = []  # texts that run
        self.styles = []
        self.tags = []
        self.open = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        if tag in ("script", "style"):
            self.open = (tag, attrs, [])

    def handle_data(self, data):
        if self.open:
            self.open[2].append(data)

    def handle_endtag(self, tag):
        if not self.open or tag != self.open[0]:
            return
        _, attrs, parts = self.open
        text = "".join(parts)
        self.open = None
        kind = attrs.get("class") or attrs.get("id")
        if tag == "style":
            self.styles.append(text)
        elif kind == "ovni-data":
            assert self.data is None and attrs["type"] == "application/json"
            self.data = json.loads(text)
        elif kind == "ovni-pyramid":
            assert self.pyramid is None, "two pyramids"
            self.pyramid = base64.b64decode(text, validate=True)
        elif kind == "ovni-piece":
            self.pieces.append((int(attrs["data-at"]), base64.b64decode(text, validate=True)))
        elif "type" not in attrs:
            self.scripts.append(text)


class Pyramid:
    """begin and bucket in ps; tracks: by (storage, slot, field) a list with (value, share) of each bucket."""

    def __init__(self, data):
        assert data[:4] == b"oPYR"
        self.data, self.at = data, 4
        assert self.number() == 1, "version"
        self.begin, self.bucket, self.buckets = self.number(), self.number(), self.number()
        assert 0 < self.buckets <= BUCKETS_MAX and self.bucket > 0
        self.tracks = {}
        for _ in range(self.number()):
            key = (self.number(), self.number(), self.number())
            assert not self.tracks or key > max(self.tracks), f"{key} is not in order"
            self.tracks[key] = self.track()
        assert self.at == len(data), "bytes behind the last track"

    def track(self):
        values = []
        while len(values) < self.buckets:
            run, value = self.number(), self.number()
            assert run > 0
            values += [(value, self.data[self.at])] * run
            self.at += 1
        assert len(values) == self.buckets, "a run goes beyond the last bucket"
        return values

    def number(self):
        value, shift = 0, 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value


def check_policy(page):
    """The programs and the style are those that the policy allows, and nothing but the server is asked."""
    def digest(text):
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    rules = dict(rule.strip().split(" ", 1) for rule in page.policy.split(";"))
    assert rules["default-src"] == "'none'" and rules["connect-src"] == "'self'", page.policy
    assert [digest(text) for text in page.scripts] == rules["script-src"].split()[:1], "another script"
    assert [digest(text) for text in page.styles] == rules["style-src"].split(), "another style"


def check(path, file=None):
    """The page; asserts what has to be."""
    with open(path, encoding="utf-8") as f:
        page = Page(f.read())
    check_policy(page)
    assert page.tags.count("body") == 1 and page.tags.count("html") == 1
    end = 0
    for at, data in page.pieces:
        assert at >= end and 0 < len(data) <= PIECE_MAX, (at, len(data))
        end = at + len(data)
    assert end == page.data["size"], f"the pieces end at {end} and the file at {page.data['size']}"
    if page.data["whole"]:
        assert sum(len(data) for _, data in page.pieces) == end, "a hole"
    else:
        header = page.pieces[0][1]
        preamble, tail = struct.unpack_from("<I", header, 28)[0], struct.unpack_from("<Q", header, 40)[0]
        assert page.pieces[0][0] == 0 and len(header) == preamble
        assert page.pieces[1][0] == tail
    if file:
        with open(file, "rb") as f:
            whole = f.read()
        assert len(whole) == end
        for at, data in page.pieces:
            assert whole[at:at + len(data)] == data, f"other bytes at {at}"
    return page


if __name__ == "__main__":
    found = check(*sys.argv[1:])
    print(found.data["name"], found.data["size"], "whole" if found.data["whole"] else "overview")
