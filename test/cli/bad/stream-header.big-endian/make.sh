printf "%b" "ovni\\000\\000\\000\\001" > trace/loom.node.0/proc.100/thread.101/stream.obs
