printf '%b' '' > trace/clock-offsets.txt
