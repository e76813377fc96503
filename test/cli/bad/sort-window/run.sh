exec "$BUILD/src/emu/tool/ovnisort" -n 5 trace
