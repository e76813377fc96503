#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which room of src may include headers of which.

usage: rooms.py SRC

Layers look one way: {lib, public} <- base <- {view, trace} <- source <- {input, core} <- {out, models} <- tool <- mpi. Analyses are
tools of users, which see base beside the libraries. A library
knows no other library. What is in input/NAME is for that folder, the model of that name, and
inputs.h, which lists the tables; what is in source/NAME is for input/NAME and tool/NAME. A model sees
what is installed for models, and no more of the emulator; one of a folder also sees the libraries,
input/NAME/stream.h and base/arguments.h, which have nothing of the emulator either. Files are named plainly: the name of
their folder is no part.
"""
import os
import re
import sys

# Each layer, and those that it may include headers of beside its own.
BELOW = {
    "lib": [],
    "public": [],
    "base": ["lib"],
    "trace": ["lib", "public", "base"],
    "view": ["lib", "base"],
    "source": ["lib", "public", "base", "trace"],
    "input": ["lib", "public", "base", "trace", "source"],
    "core": ["lib", "public", "base", "trace"],
    "out": ["lib", "public", "base", "trace", "view", "core"],
    "analyses": ["lib", "base"],
    "models": ["lib", "public", "base", "trace", "core", "input"],
    "tool": ["lib", "public", "base", "trace", "view", "source", "core", "input", "out", "models"],
    "mpi": ["lib", "public", "base", "trace", "core", "tool"],
}
# Folders whose headers are included by their plain names from elsewhere.
PLAIN = ["emu/base", "emu/trace", "emu/core", "emu/out", "models", "view", "lib", "lib/ovni", "lib/uscope", "lib/prism"]
# Folders in which headers are looked for by a name with a folder.
ROOTS = ["emu", "emu/tool", "lib", "models", "emu/out", "emu/core", "emu/trace", "emu/public"]
# Files of models/ that are not models.
NO_MODELS = ["models/registry.c", "models/registry.h", "models/check.c"]
# Folder whose headers models see, and what observers share, which sees no more than they do.
FACE = ["emu/public/ovniscope/"]


def layer_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "emu" else parts[0]


def room_of(path, layer):
    """input/NAME, lib/NAME: the folder below the layer; None: the file is in the layer itself."""
    parts = path.split("/")
    at = parts.index(layer) + 1
    return parts[at] if len(parts) > at + 1 else None


def find(src, path, name):
    """The header that an include means: one of the same folder, or of where it may be found."""
    if os.path.exists(os.path.join(src, os.path.dirname(path), name)):
        return os.path.normpath(os.path.join(os.path.dirname(path), name))
    for folder in ROOTS if "/" in name else PLAIN:
        if os.path.exists(os.path.join(src, folder, name)):
            return os.path.join(folder, name)
    return None  # made by the build, or of the system


def check_include(path, header):
    """Why the file may not include the header; None: it may."""
    layer, other = layer_of(path), layer_of(header)
    if other != layer and other not in BELOW[layer]:
        return f"the layer {layer} is not above {other}"
    mine, room = room_of(path, layer), room_of(header, other)
    if other == "lib" == layer and room and room != mine:
        return f"the library {mine} knows no {room}"
    if other == "source" and mine != room:
        return f"what is in source/{room} is for the input and the tool of that name"
    if other == "input" and room and not (layer in ("input", "models") and mine == room):
        return f"what is in input/{room} is for that folder and for models/{room}"
    return None


def includes(src, path):
    """Line, text and header of each include of a file of the tree."""
    with open(os.path.join(src, path), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            m = re.match(r'\s*#\s*include "([^"]+)"', line)
            header = find(src, path, m.group(1)) if m else None
            if header:
                yield number, m.group(1), header


def reach(src, path, seen):
    """The headers that a file includes, and all that they include."""
    for _, _, header in includes(src, path):
        if header not in seen:
            seen.add(header)
            reach(src, header, seen)
    return seen


def check_model(src, path, header):
    """Why a model may not include the header; None: it may."""
    room = room_of(path, "models")
    seen = FACE + (["lib/", f"models/{room}/", f"emu/source/{room}/", "emu/base/arguments.h"] if room else [])
    for h in sorted({header} | reach(src, header, set())):
        if not h.startswith(tuple(seen)) and h != f"emu/input/{room}/stream.h":
            return f"models see ovniscope/model.h, as models outside this tree do, and not {h}"
    return None


def check_name(path):
    room, stem = room_of(path, layer_of(path)), os.path.basename(path).split(".")[0]
    if not room:
        return None
    # Installed headers have the name of their library, as ovniscope_NAME.c has that of its tool.
    if stem.startswith(room) and stem != room and not stem.startswith(room + "_"):
        return f"the name of its folder is a part of its name: {stem[len(room):]} would do"
    return None


def main():
    src = sys.argv[1]
    bad = []
    files = 0
    for folder, dirs, names in os.walk(src):
        dirs.sort()
        for name in sorted(n for n in names if n.endswith((".c", ".h"))):
            path = os.path.relpath(os.path.join(folder, name), src)
            files += 1
            if check_name(path):
                bad.append(f"{path}: {check_name(path)}")
            for number, text, header in includes(src, path):
                why = check_include(path, header)
                if layer_of(path) == "models" and path not in NO_MODELS:
                    why = why or check_model(src, path, header)
                if why:
                    bad.append(f'{path}:{number}: "{text}": {why}')
    if bad or not files:
        sys.exit("\n".join(bad) or f"no sources in {src}")


main()
