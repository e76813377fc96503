echo x > file
"$EMU" -o file trace
