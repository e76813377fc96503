python3 "$TOOLS" cut trace/loom.node.0/proc.100/thread.101/stream.json 20
