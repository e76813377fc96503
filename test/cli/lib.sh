# SPDX-License-Identifier: MIT
# Sourced by the scripts of the command line tests.

fail() {
	echo "FAIL: $*"
	exit 1
}

# The reason goes to the runner, wherever the output of the command goes that is skipped.
exec 3>&1
skip() {
	echo "$*" >&3
	exit 77
}

# Text trace of the standard input to a directory.
assemble() {
	$PYTHON "$ASM" - "$1" || fail "asm.py"
}

# A small trace of two threads with marks.
small_trace() {
	assemble "${1:-trace}" <<-'END'
		loom node.0 cpus 0:0 1:1
		proc 100 app 1
		thread 101 require kernel=1.0.0
		mark 1 single "Phase" 1="Init" 2="Solve"
		thread 102

		101 1000  OHx 0 -1 0
		102 1001  OHx 1 -1 0
		101 1010  OM= 1 1
		101 1020  OM= 2 1
		102 1025  OHp
		101 1030  KCO
		101 1040  KCI
		102 1045  OHr
		102 1050  OHe
		101 1060  OHe
	END
}

# status N COMMAND...: runs it, keeping stdout and stderr in the files out.txt and err.txt
status() {
	want=$1
	shift
	"$@" >out.txt 2>err.txt
	got=$?
	test "$got" = "$want" || fail "status $got instead of $want: $* ($(tail -n 3 err.txt))"
}

# says PATTERN...: err.txt has a line with each of the fixed texts
says() {
	for text; do
		grep -qF -- "$text" err.txt || fail "stderr does not say '$text': $(cat err.txt)"
	done
}

silent() {
	for f in out.txt err.txt; do
		test ! -s $f || fail "not silent: $(head -n 5 $f)"
	done
}

# valid [--compat] [--killed | --short] DIR
valid() {
	$PYTHON "$FILES" "$@" >files.txt || fail "$(cat files.txt)"
}

# same DIR DIR: the outputs are equal to the byte
same() {
	for f in thread.prv thread.pcf thread.row cpu.prv cpu.pcf cpu.row; do
		cmp "$1/$f" "$2/$f" || fail "$f differs in $1 and $2"
	done
	diff -r "$1/cfg" "$2/cfg" || fail "the views differ in $1 and $2"
}

# As a user that may not do everything: COMMAND... ; skips when that is not possible.
unprivileged() {
	if test "$(id -u)" != 0; then
		"$@"
	else
		setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null || skip "setpriv cannot change the user"
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	fi
}
