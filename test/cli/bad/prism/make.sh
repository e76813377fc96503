# SPDX-License-Identifier: MIT
mkdir trace
printf '\240\360\105\1\0\0\0\0\0\0\0\33\0\0\0\0\0\0\0\0\300' >trace/a.prism
