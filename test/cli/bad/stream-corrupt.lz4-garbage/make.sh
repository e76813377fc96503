python3 "$TOOLS" lz4 trace/loom.node.0/proc.100/thread.101/stream.obs; python3 "$TOOLS" append trace/loom.node.0/proc.100/thread.101/stream.obs.lz4 00112233445566778899aabbccddeeff00112233
