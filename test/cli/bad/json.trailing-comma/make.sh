sed -i 's/"finished": 1/"finished": 1,/' trace/loom.node.0/proc.100/thread.101/stream.json
