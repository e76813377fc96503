mv trace/loom.node.0/proc.100/thread.101/stream.obs trace/loom.node.0/proc.100/thread.101/stream.obs.lz4
