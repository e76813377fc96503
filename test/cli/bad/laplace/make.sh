# SPDX-License-Identifier: MIT
mkdir trace
echo '{ "version": 1, "format": "laplace", "cpus": [ { "references": "refs.lrt" } ] }' >trace/laplace.json
printf 'r 10 4 a1 8048000\nw 20 0 a1 8048004\n' >trace/refs.lrt
