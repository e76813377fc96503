# The hardware counters of the metadata get a type and a view each, named after them.
. "$LIB"
assemble trace <<'END'
loom node.0 cpus 0:0
proc 100 app 1
thread 101 require nosv
attr nosv.hwc.0.name "PAPI_TOT_INS"
attr nosv.hwc.1.name "L1/misses"
101 1000 OHx 0 -1 0
101 1010 VWC 5 7
101 1020 VWC 6 8
101 1030 OHe
END

# view FILE TITLE TYPE LABEL
view() {
	for line in "window_name $2" "window_filter_module evt_type 1 $3" "window_filter_module evt_type_label 1 \"$4\""; do
		grep -qxF -- "$line" "$1" || fail "$1 has no line '$line'"
	done
	grep -qF '{thread, Next Evt Val}' "$1" || fail "$1 does not show the value that comes next"
	grep -q 'window_color_mode.*gradient' "$1" || fail "$1 is not a gradient"
}

for mode in "" --compat; do
	status 0 "$EMU" -q $mode -o out$mode trace
	silent
	valid $mode out$mode
	view out$mode/cfg/thread/nosv/hwc-PAPI_TOT_INS.cfg "Thread: nOS-V PAPI_TOT_INS of the ACTIVE thread" 200 PAPI_TOT_INS
	view out$mode/cfg/thread/nosv/hwc-L1_misses.cfg "Thread: nOS-V L1/misses of the ACTIVE thread" 201 L1/misses
	view out$mode/cfg/cpu/nosv/hwc-PAPI_TOT_INS.cfg "CPU: nOS-V PAPI_TOT_INS of the RUNNING thread" 200 PAPI_TOT_INS
	view out$mode/cfg/cpu/nosv/hwc-L1_misses.cfg "CPU: nOS-V L1/misses of the RUNNING thread" 201 L1/misses
done
