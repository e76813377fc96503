#!/bin/sh
# Emulates a trace with the model, and compares the timeline with expected.prv. The trace is that of trace.txt, or
# of a program that emits the same events at other times. With UPDATE=1 in the environment the timeline of
# trace.txt becomes the expected one.
#
# usage: test.sh OVNISCOPE-MODEL OVNIEMU MODEL FOLDER [PROGRAM]
set -eu
tool=$1 ovniemu=$2 model=$3 here=$4
unset OVNISCOPE_MODELS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if [ $# = 5 ]; then
	OVNI_TRACEDIR="$tmp/trace" "$5"
else
	"$tool" trace --model "$model" "$here/trace.txt" "$tmp/trace"
fi
"$ovniemu" -q -l --model "$model" -o "$tmp/out" "$tmp/trace"
if [ $# = 5 ]; then
	for prv in "$here/expected.prv" "$tmp/out/thread.prv"; do
		sed '1d; s/^\(2:0:1:1:[0-9]*\):[0-9]*/\1/' "$prv" >"$tmp/$(basename "$prv")"
	done
	diff -u "$tmp/expected.prv" "$tmp/thread.prv"
else
	[ -z "${UPDATE-}" ] || cp "$tmp/out/thread.prv" "$here/expected.prv"
	diff -u "$here/expected.prv" "$tmp/out/thread.prv"
fi
