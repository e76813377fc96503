"$EMU" -j 'x' -o out trace
