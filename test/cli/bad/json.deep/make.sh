python3 -c 'print("{\"version\": 3, \"x\": " + "[" * 100000 + "]" * 100000 + "}")' > trace/loom.node.0/proc.100/thread.101/stream.json
