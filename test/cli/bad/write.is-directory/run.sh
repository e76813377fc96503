mkdir out/cpu.prv
"$EMU" -o out trace
