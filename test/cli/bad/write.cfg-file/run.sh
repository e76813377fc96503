echo x > out/cfg
"$EMU" -o out trace
