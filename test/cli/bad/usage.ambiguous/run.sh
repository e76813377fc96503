"$EMU" --c trace
