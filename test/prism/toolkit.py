# SPDX-License-Identifier: MIT
"""Random Prism streams with the text that ovniscope-prism has for them, made by themselves."""

MEM_TYPES = ["undefined", "load", "store"]
FORMATS = ["undefined", "integer", "floating-point"]
OPS = ["undefined", "add", "sub", "mult", "div", "shift", "mov"]
SYNCS = ["undefined", "create", "join", "barrier", "sync", "swap", "lock", "unlock", "condition-wait", "condition-signal",
         "condition-broadcast", "spin-lock", "spin-unlock"]
CXTS = ["undefined", "instruction", "basic-block", "function-enter", "function-exit", "thread", "net-enter", "net-exit",
        "operator-enter", "operator-exit"]
KINDS = ["mem", "comp", "sync", "cxt"]
BITS = [0xF0, 0xF8, 0xC0, 0xC0]


def quote(name):
    """A name as text: what is no text, or would drive a terminal, is \\xNN."""
    out = ""
    for ch in name.decode("utf-8", "surrogateescape"):
        code = ord(ch)
        if ch in '"\\':
            out += "\\" + ch
        elif 0xDC80 <= code <= 0xDCFF:
            out += f"\\x{code - 0xDC00:02x}"
        elif code < 0x20 or 0x7F <= code < 0xA0 or 0x2028 <= code <= 0x202E or 0x2066 <= code <= 0x2069 or code in (0x200E, 0x200F, 0x61C):
            out += "".join(f"\\x{b:02x}" for b in ch.encode())
        else:
            out += ch
    return f'"{out}"'


class Stream:
    """Bytes and lines of a stream that grows event by event."""

    def __init__(self, packed=False, word=8, detail=(0, 0, 0xC0, 0xC0), control_flow=False):
        self.packed = packed
        self.word = word
        self.detail = list(detail)
        self.control_flow = control_flow
        self.events = []  # (bytes, line)

    def add(self, data, line):
        self.events.append((data, line))

    def config(self, kind, bits):
        self.detail[kind] = bits
        self.add(bytes([0xA0 | kind << 2, bits]), f"config {KINDS[kind]} {bits:#x}")

    def mem(self, kind, size, addr, ident):
        d = self.detail[0]
        data = bytearray([0])
        line = "mem"
        if d & 0x80:
            data[0] |= kind << 3
            line += " " + MEM_TYPES[kind]
        if d & 0x40:
            data[0] |= size
            line += f" size={1 << size}"
        if d & 0x20:
            data += addr.to_bytes(7, "little")
            full = addr | 0xFF << 56 if addr >> 55 else addr
            line += f" addr={full:#x}"
        if d & 0x10:
            data.append(ident)
            line += f" id={ident}"
        self.add(bytes(data), line)

    def comp(self, form, size, op, ids):
        d = self.detail[1]
        data = bytearray([0x20])
        line = "comp"
        if d & 0x80:
            data[0] |= form << 3
            line += " " + FORMATS[form]
        if d & 0x40:
            data[0] |= size
            line += f" size={1 << size}"
        if d & 0x20:
            line += f" op={OPS[op] if op < 7 else op}"
        if d & 0x10:
            line += f" arity={len(ids)}"
        if self.packed:
            if d & 0x30:
                data.append((op << 2 if d & 0x20 else 0) | (len(ids) - 1 if d & 0x10 else 0))
        else:
            data += bytes([op] if d & 0x20 else []) + bytes([(len(ids) - 1) << 6] if d & 0x10 else [])
        if d & 0x18 == 0x18:
            data += bytes(ids)
            line += " ids=" + ",".join(map(str, ids))
        self.add(bytes(data), line)

    def sync(self, kind, *words):
        d = self.detail[2]
        data = bytearray([0x40])
        line = "sync"
        if d & 0x80:
            data[0] |= kind
            line += " " + SYNCS[kind]
            if d & 0x40:
                for w in words:
                    data += w.to_bytes(self.word, "little")
                    line += f" {w}" if kind == 5 else f" {w:#x}"
        self.add(bytes(data), line)

    def cxt(self, kind, what):
        d = self.detail[3]
        data = bytearray([0x60])
        line = "cxt"
        if d & 0x80:
            data[0] |= kind
            line += " " + CXTS[kind]
            if d & 0x40:
                if isinstance(what, int):
                    data += what.to_bytes(7, "little")
                    line += f" {what}" if kind in (2, 5) else f" {what:#x}"
                else:
                    data += bytes([len(what) - 1]) + what
                    line += " " + quote(what)
        self.add(bytes(data), line)

    def control(self, kind):
        self.add(bytes([0x80 | kind]), f"cf {kind}")

    def end(self):
        self.add(b"\xc0", "end")

    def data(self):
        return b"".join(x for x, _ in self.events)

    def head(self):
        line = f"stream compute_layout={'packed' if self.packed else 'wide'}"
        return line + (" word_size=4" if self.word == 4 else "") + (" control_flow=true" if self.control_flow else "")

    def text(self):
        return "".join(x + "\n" for x in [self.head()] + [x for _, x in self.events])

    def random(self, r, n, names):
        """n events of all kinds."""
        for _ in range(n):
            kind = r.choice("mmmmccccssxxxxg" + ("f" if self.control_flow else ""))
            if kind == "m":
                self.mem(r.randrange(3), r.randrange(8), r.getrandbits(56), r.randrange(256))
            elif kind == "c":
                self.comp(r.randrange(3), r.randrange(8), r.choice([0, 1, 2, 3, 4, 5, 6, 63]), [r.randrange(256) for _ in range(r.randrange(1, 5))])
            elif kind == "s":
                t = r.randrange(1, 13)
                self.sync(t, *[r.getrandbits(self.word * 8) for _ in range(2 if t == 8 else 1)])
            elif kind == "x":
                t = r.randrange(1, 10)
                self.cxt(t, r.getrandbits(56) if t in (1, 2, 5) else r.choice(names))
            elif kind == "f":
                self.control(r.randrange(32))
            else:
                k = r.randrange(4)
                bits = BITS[k] & r.getrandbits(8)
                self.config(k, bits)
