# SPDX-License-Identifier: MIT
mkdir trace
printf '\300' >trace/a.prism
echo 'no object' >tool.so
