sed -i 's/"ovni": "1.1.0"/"ovni": "1.1.0", "ovni": "1.0.0"/' trace/loom.node.0/proc.100/thread.101/stream.json
