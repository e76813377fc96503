python3 "$TOOLS" json trace/loom.node.0/proc.100/thread.101/stream.json ovni.loom_cpus '[{"index":0,"phyid":-2}]'
