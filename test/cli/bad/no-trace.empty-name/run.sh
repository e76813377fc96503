"$EMU" -o out ""
