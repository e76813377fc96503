#!/bin/sh
# Makes the trace of trace.txt, emulates it with the model, and compares the timeline with expected.prv.
# With UPDATE=1 in the environment that becomes what came out.
#
# usage: test.sh OVNISCOPE-MODEL OVNIEMU MODEL FOLDER
set -eu
tool=$1 ovniemu=$2 model=$3 here=$4
unset OVNISCOPE_MODELS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$tool" trace --model "$model" "$here/trace.txt" "$tmp/trace"
"$ovniemu" -q -l --model "$model" -o "$tmp/out" "$tmp/trace"
test -z "${UPDATE-}" || cp "$tmp/out/thread.prv" "$here/expected.prv"
diff -u "$here/expected.prv" "$tmp/out/thread.prv"
