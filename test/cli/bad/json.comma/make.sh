sed -i 's/"tid": 101,/"tid": 101,,/' trace/loom.node.0/proc.100/thread.101/stream.json
