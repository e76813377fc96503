# SPDX-License-Identifier: MIT
mkdir trace
echo '{ "version": 1, "format": "prism", "events": "a.prism", "clock": { "mode": "wall" } }' >trace/a.json
printf '\240\360\300' >trace/a.prism
