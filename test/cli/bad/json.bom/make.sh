printf '\357\273\277' | cat - trace/loom.node.0/proc.100/thread.101/stream.json > x; mv x trace/loom.node.0/proc.100/thread.101/stream.json
