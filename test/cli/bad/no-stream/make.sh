# A directory that holds other things than streams.
mkdir -p trace/loom.node.0/proc.100
echo hello > trace/loom.node.0/proc.100/notes.txt
