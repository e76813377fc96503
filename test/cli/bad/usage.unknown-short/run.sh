"$EMU" -Z trace
