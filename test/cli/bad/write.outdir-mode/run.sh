. "$LIB"
chmod 755 . out; cp "$EMU" emu
unprivileged ./emu -o out trace
