"$EMU" trace other
