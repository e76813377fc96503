python3 -c '
import struct
with open("trace/loom.node.0/proc.100/thread.101/stream.obs", "ab") as f:
    for i in range(513):
        f.write(b"\x0bOM[" + struct.pack("<Qqi", 2000 + i, i + 1, 2))
'
