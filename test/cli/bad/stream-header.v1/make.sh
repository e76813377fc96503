python3 "$TOOLS" poke trace/loom.node.0/proc.100/thread.101.obs 0 00
