# SPDX-License-Identifier: MIT
# Sourced by test and demo. Says every TELL_EVERY seconds what is being done, on the standard output.
TELL_EVERY=${TELL_EVERY:-30}
teller=

# tell WHAT LOG: begins to say it, for how long, and the last line of the log
tell() {
	quiet
	tell_news "$1" "$2" &
	teller=$!
}

# quiet: nothing is being done that must be told
quiet() {
	[ -n "$teller" ] || return 0
	kill "$teller" 2>/dev/null
	wait "$teller" 2>/dev/null
	teller=
}

tell_news() {
	nap=
	trap 'kill $nap 2>/dev/null; exit 0' TERM
	since=$(date +%s)
	while :; do
		# Whoever reads the output does not wait for a nap that is left.
		sleep "$TELL_EVERY" >/dev/null 2>&1 &
		nap=$!
		wait "$nap"
		echo "... $1: $(($(date +%s) - since)) s: $(tail -n 1 "$2" 2>/dev/null | cut -c 1-70)"
	done
}

# telling WHAT LOG COMMAND...: runs it with its output in the log, and says so
telling() {
	told_log=$2
	: >"$told_log"
	tell "$1" "$told_log"
	shift 2
	"$@" >"$told_log" 2>&1 </dev/null
	told_status=$?
	quiet
	return "$told_status"
}
