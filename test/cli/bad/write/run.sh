ln -s /dev/full out/thread.prv
"$EMU" -o out trace
