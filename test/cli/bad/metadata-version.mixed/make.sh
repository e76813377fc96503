python3 "$TOOLS" json trace/loom.node.0/proc.200/metadata.json version 1
python3 "$TOOLS" json trace/loom.node.0/proc.200/metadata.json model_version '"O1 V1 T1 M1 D1 K1 61"'
