"$EMU" --lint=yes trace
