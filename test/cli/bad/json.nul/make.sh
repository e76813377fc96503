python3 "$TOOLS" poke trace/loom.node.0/proc.100/thread.101/stream.json 30 00
