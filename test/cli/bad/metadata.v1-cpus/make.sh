python3 "$TOOLS" json trace/loom.node.0/proc.100/metadata.json cpus '[]'
