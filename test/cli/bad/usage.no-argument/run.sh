"$EMU" trace -o
