"$EMU" -j '1000000' -o out trace
