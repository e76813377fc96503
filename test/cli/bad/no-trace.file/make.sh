# It is a file.
echo hello > trace
