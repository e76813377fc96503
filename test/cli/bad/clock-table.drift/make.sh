printf 'wallclock clock_ns node\n1.5 1000 0\n\n2.5 2000 1000\n' >trace/clock-offsets.txt
