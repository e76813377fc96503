. "$LIB"
chmod 555 out; chmod 755 .; cp "$EMU" emu
unprivileged ./emu -o out trace
