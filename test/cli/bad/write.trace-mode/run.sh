. "$LIB"
chmod 555 trace; chmod 755 .; cp "$EMU" emu
unprivileged ./emu trace
