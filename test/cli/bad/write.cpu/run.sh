ln -s /dev/full out/cpu.prv
"$EMU" -o out trace
