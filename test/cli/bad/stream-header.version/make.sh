printf "%b" "ovni\\002\\000\\000\\000" > trace/loom.node.0/proc.100/thread.101/stream.obs
