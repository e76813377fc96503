. "$LIB"
chmod 755 . trace; cp "$EMU" emu
unprivileged ./emu trace
