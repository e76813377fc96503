python3 "$TOOLS" json trace/loom.node.0/proc.100/thread.101/stream.json ovni.lib.version '-'
