"$EMU" --no-such-thing trace
