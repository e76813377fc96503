. "$LIB"
chmod 0 trace; chmod 755 .; chmod 777 out; cp "$EMU" emu
unprivileged ./emu -o out trace
