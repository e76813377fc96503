. "$LIB"
chmod 0 trace/loom.node.0/proc.100/thread.101/stream.json; chmod 755 .; chmod 777 out; cp "$EMU" emu
unprivileged ./emu -o out trace
