# SPDX-License-Identifier: MIT
"""A trace of each format that ovniscope-prism imports, small and with all that it reads."""
import struct

LACKEY = b"""\
==1269== Lackey, an example Valgrind tool
==1269==
I  0401ab73,5
 L 1fff000708,8
 S 1fff000700,10
 M 0421ceac,4
SB 0401b770
 L 1ffefff000,512
==1269== Exit code:       0
"""

VIEW = b"""\
Output format:
<--record#-> <--instr#->: <---tid---> <record details>
------------------------------------------------------------
           1           0:     2765542 <marker: version 6>
           2           0:     2765542 <marker: timestamp 13334804716609000>
           3           0:     2765542 <marker: tid 2765542 on core 7>
           4           1:     2765542 ifetch       8 byte(s) @ 0x0000000000401012 48 8d 34 25 00 20 40 lea    0x00402000 -> %rsi
           4           1:     2765542                                             00
           5           2:     2765542 ifetch       4 byte(s) @ 0x0000000000404a7e 48 8b 5c 24 08       mov    0x08(%rsp), %rbx
           6           2:     2765542 read         8 byte(s) @ 0x00007fdf64e2adc8 by PC 0x0000000000404a7e
           7           2:     2765542 pref-r-L1    1 byte(s) @ 0x00007fdf64e2ad00 by PC 0x0000000000404a7e
------------------------------------------------------------
           8           2:     2765543 <marker: timestamp 13334804716609227>
           9           3:     2765543 ifetch       1 byte(s) @ 0x000000000040257d 55                   push   %rbp
          10           3:     2765543 write        8 byte(s) @ 0x00007ffd90c13950 by PC 0x000000000040257d
          11           3:     2765543 <thread 2765543 exited>
View tool results:
              3 : total instructions
"""

PERF = b"""\
# a comment
some prog  4711/4712  [003] 72816.875739:     500000 cpu-clock: 
\t            1154 leaf+0xb (/tmp/a b (deleted))
\t            117e mid(int, char const*)+0x15 (/tmp/tp)
\t           891f5 start_thread+0x305 (/usr/lib/libc.so.6)

some prog  4711/4712  [003] 72816.876739:     500000 cpu-clock: 
\t            1160 other+0xb (/tmp/tp)
\t            117e mid(int, char const*)+0x15 (/tmp/tp)
\t           891f5 start_thread+0x305 (/usr/lib/libc.so.6)

         swapper     0 [000] 72816.876800:     500000 cpu-clock:  ffffffff81064b9a native_safe_halt+0xa ([kernel.kallsyms])
     tp  4713 72816.877000123: cycles:u:      55c24c529154 leaf+0xb (/tmp/imp/tp)
     tp  4713 72816.877001: cpu/mem-loads,ldlat=30/P:     7ffe12345678 5080022 |OP LOAD|LVL L1 hit|SNP None|BLK  N/A     12      401136 add (/tmp/tp)
     tp  4713 72816.878000: sched:sched_switch: prev_comm=tp prev_pid=4713
     tp  4713 72816.879000: branches:     401000 f+0x0 (/tmp/tp) =>     402000 g+0x0 (/tmp/tp)
"""

UFTRACE = b"""\
uftrace file header: magic         = 4674726163652100
uftrace file header: version       = 4

reading 7672.dat
72815.808319000   7672: [exit ] before(55b6b78e6040) depth: 1
72815.808319151   7672: [entry] main(55b6b78e6273) depth: 0
72815.808327654   7672: [entry] std::map<int, char (*)(int)>::find(int)(55b6b78e6050) depth: 1
72815.808327700   7672: [args ] length = 8
  args[0] d32: 0x00000001
72815.808381039   7672: [exit ] std::map<int, char (*)(int)>::find(int)(55b6b78e6050) depth: 1
72815.808381361   7672: [entry] lost(55b6b78e6211) depth: 1
72815.808381443   7672: [entry] next(55b6b78e6211) depth: 1
72815.808381509   7672: [event] linux:schedule(55b6b78e6211) depth: 1
72815.808480936   7672: [exit ] main(55b6b78e61e3) depth: 0
reading 7681.dat
72815.808400000   7681: [entry] worker(55b6b78e61e3) depth: 0
reading kernel-cpu0.dat
72815.808319000   7672: [entry] sys_read(ffffffff81) depth: 2
"""

CHROME = b"""\
{"traceEvents":[
{"ts":0,"ph":"M","pid":7672,"name":"process_name","args":{"name":"[7672] tpg"}},
{"ts":72815870143.923,"ph":"B","pid":7672,"name":"main"},
{"ts":72815870144.1,"ph":"B","pid":7672,"tid":7681,"name":"a\\"b\\\\\\u00e9\\u20ac\\ud83d\\ude00\\ud83d","args":{"arguments":"(1, {\\"}\\")"}},
{"ts":72815870145,"ph":"B","pid":7672,"name":"inner"},
{"ts":72815870146,"ph":"E","pid":7672,"name":"nobody"},
{"ts":72815870146.5,"ph":"E","pid":7672,"name":"main"}
], "displayTimeUnit": "ns", "metadata": {
"version":"uftrace v0.13 ( x86_64 )",
"recorded_time":"Mon Nov 23 16:17:13 2026",
"command_line":"uftrace record -d uf ./tpg"
} }
"""


def record(ip, loads=(), stores=(), branch=0, taken=0):
    return struct.pack("<QBB2B4B2Q4Q", ip, branch, taken, 1, 2, 3, 4, 5, 6, *(list(stores) + [0, 0])[:2], *(list(loads) + [0] * 4)[:4])


CHAMPSIM = record(0x401000) + record(0x401004, [0x7FFE00, 0, 0x7FFE40], [0x1000], 1, 1) + record(0xFFFFFFFF81000010, [], [0x2000, 0x3000])
