# SPDX-License-Identifier: MIT
# Sourced by the tests of ovnidump and ovnitop, behind lib.sh.
DUMP=$BUILD/src/emu/tool/ovnidump
TOP=$BUILD/src/emu/tool/ovnitop

# Two looms, three threads, some of each kind of event; b is 1000 ns behind.
look_trace() {
	assemble "${1:-trace}" <<-'END'
		loom a.0 cpus 0:0 1:1
		proc 10 app 1
		thread 11 require kernel=1.0.0 nosv=2.7.0
		thread 12
		loom b.0 cpus 0:0
		proc 20 app 1
		thread 21
		offset b 1000

		11 5000000000  OHx 0 -1 0
		12 5000000010  OHx 1 11 0x7f9239c6b6c0
		21 5000000020  OHx 0 -1 0
		11 5000000100  VYc 100 "type one"
		11 5000000200  VTC 200 100
		11 5000000300  VTx 200 1
		12 5000000300  KCO
		21 5000000300  OB.
		11 5001500000  VTe 200 1
		12 5002000000  KCI
		12 5200000000  OHe
		11 6500000000  OHe
		21 6500000001  OHe
	END
}

# prints EXPECTED-FILE COMMAND...: status 0 and exactly that on stdout; nothing on stderr
prints() {
	expected=$1
	shift
	status 0 "$@"
	cmp -s "$expected" out.txt || fail "$*: $(diff "$expected" out.txt)"
	test ! -s err.txt || fail "$*: stderr: $(cat err.txt)"
}
