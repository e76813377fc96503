printf '%s' '{"version": 3, "x": "\ud800"}' > trace/loom.node.0/proc.100/thread.101/stream.json
