"$EMU" -qZ trace
