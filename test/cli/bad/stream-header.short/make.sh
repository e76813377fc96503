printf "%b" "ovni\\001\\000\\000" > trace/loom.node.0/proc.100/thread.101/stream.obs
