"$EMU"
