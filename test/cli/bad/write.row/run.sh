ln -s /dev/full out/cpu.row
"$EMU" -o out trace
