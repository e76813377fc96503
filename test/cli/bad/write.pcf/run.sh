ln -s /dev/full out/thread.pcf
"$EMU" -o out trace
