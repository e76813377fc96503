"$EMU" -j '0' -o out trace
