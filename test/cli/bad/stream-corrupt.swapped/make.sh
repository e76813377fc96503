python3 "$TOOLS" zst trace/loom.node.0/proc.100/thread.101/stream.obs; mv trace/loom.node.0/proc.100/thread.101/stream.obs.zst trace/loom.node.0/proc.100/thread.101/stream.obs.lz4
