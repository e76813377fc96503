printf "%b" "hello, this is no stream\n" > trace/loom.node.0/proc.100/thread.101/stream.obs
