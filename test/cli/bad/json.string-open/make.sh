printf '{"version": 3, "name": "abc' > trace/loom.node.0/proc.100/thread.101/stream.json
