"$EMU" trace --output
