# --rows and --types: what items fit, and what is refused.
. "$LIB"
assemble trace <<'END'
loom node1.0 cpus 0:0 1:1
proc 100 app 1
thread 101
thread 102
loom node2.0 cpus 0:0 1:1
proc 200 app 1
thread 201
101 1000 OHx 0 -1 0
102 1001 OHx 1 -1 0
201 1011 OHx 0 -1 0
102 1050 OHe
201 1055 OHe
101 1060 OHe
END
# shows ROWS THREADS CPUS: labels, with commas
shows() {
	rm -rf out
	status 0 "$EMU" -q -f prv -o out --rows="$1" trace
	valid out
	test "$(tail -n +5 out/thread.row | paste -sd,)" = "$2" || fail "$1: threads $(tail -n +5 out/thread.row | paste -sd,)"
	test "$(tail -n +5 out/cpu.row | tr -d ' ' | paste -sd,)" = "$3" || fail "$1: CPUs $(tail -n +5 out/cpu.row | paste -sd,)"
}
all="CPU0.0,CPU0.1,vCPU0.*,CPU1.0,CPU1.1,vCPU1.*"
shows thread:2-3 "TH 1.102,TH 1.201" "$all"
shows "thread:TH 1.1*" "TH 1.101,TH 1.102" "$all"
shows "cpu:*node2*,cpu:1" "TH 1.101,TH 1.102,TH 1.201" "CPU0.0,CPU1.0,CPU1.1,vCPU1.*"
shows loom:2 "TH 1.201" "CPU1.0,CPU1.1,vCPU1.*"
shows loom:node1.0,thread:3,cpu/4 "TH 1.101,TH 1.102,TH 1.201" "CPU0.0,CPU0.1,vCPU0.*,CPU1.0"
shows pid:200 "TH 1.201" "CPU1.0,CPU1.1,vCPU1.*"
refuses() {
	status 2 "$EMU" -q -o out "$1" trace
	says "$2"
}
refuses --rows=thread:9 "there is no thread '9': there are 1 (TH 1.101) to 3 (TH 1.201)"
refuses --rows=thread:1,loom:x "there is no loom 'x': there are node1.0, node2.0"
refuses --rows=pid:9 "there is no pid '9': there are 100, 200"
refuses --rows=node1 "--rows needs thread:, cpu:, proc:, pid: or loom:"
refuses --rows= "--rows needs"
refuses --types=99 "there is no '99': there are ovni.cpu (6), ovni.state (4)"
refuses --types=state,, "there is no ''"
# types in the PCF, the PRV and the views
rm -rf out
status 0 "$EMU" -q -f prv -o out --types=state,1-3 trace
valid out
test "$(grep -A1 EVENT_TYPE out/thread.pcf | awk '$2 ~ /^[0-9]+$/ { print $2 }' | paste -sd,)" = 2,4 || fail "types: $(cat out/thread.pcf)"
test "$(find out/cfg -name '*.cfg' | sort | xargs -n1 basename | paste -sd,)" = number-running-threads.cfg,pid.cfg,tid.cfg,state-histogram.cfg,state.cfg,tid.cfg ||
	fail "views: $(find out/cfg -name '*.cfg')"
