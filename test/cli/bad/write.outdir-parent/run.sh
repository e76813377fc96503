"$EMU" -o no/such/place trace
