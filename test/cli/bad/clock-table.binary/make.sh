cp "$EMU" trace/clock-offsets.txt
