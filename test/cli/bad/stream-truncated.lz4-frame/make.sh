python3 "$TOOLS" lz4 trace/loom.node.0/proc.100/thread.101/stream.obs; python3 "$TOOLS" cut trace/loom.node.0/proc.100/thread.101/stream.obs.lz4 5
