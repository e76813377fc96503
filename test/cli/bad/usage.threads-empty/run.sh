"$EMU" -j '' -o out trace
