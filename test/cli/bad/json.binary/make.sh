printf '\177ELF\002\001\001\000\000\000\000\000' > trace/loom.node.0/proc.100/thread.101/stream.json
