printf 'wallclock            node                 \n1795230719.667731    0                    \n' >trace/clock-offsets.txt
