# An empty directory.
mkdir trace
