python3 -c 'print("{\"x\":" * 2000 + "1" + "}" * 2000)' > trace/loom.node.0/proc.100/thread.101/stream.json
