mkdir -p out/cfg/thread/ovni; ln -s /dev/full out/cfg/thread/ovni/state.cfg
"$EMU" -o out trace
