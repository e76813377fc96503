# A link to nothing.
ln -s nowhere trace
