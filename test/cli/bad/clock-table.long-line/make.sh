python3 -c 'print("title"); print("0 node 1.0 1.0 1.0", " " * 5000, "x")' > trace/clock-offsets.txt
