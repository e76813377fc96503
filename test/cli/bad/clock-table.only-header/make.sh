printf '%b' 'rank hostname offset_median offset_mean offset_std\n' > trace/clock-offsets.txt
