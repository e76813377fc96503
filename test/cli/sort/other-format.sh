# What is no stream of libovni is refused, and stays as it is.
. "$LIB"
SORT=$BUILD/src/emu/tool/ovnisort
mkdir trace
printf 'A 10 77 9f8e7\nS 20 77\n' >trace/k.lkt
printf 'r 31 4 9f8e7 8049ffe\n' >trace/r.lrt
echo '{"version":1,"format":"laplace","name":"sim","freq_hz":1000000000,"cpus":[{"references":"r.lrt","kernel":"k.lkt"}]}' >trace/laplace.json
cp -r trace before
for option in "" -c --all --dry-run; do
	status 1 "$SORT" $option trace
	says "error[no-trace]" "'trace' is a trace of laplace"
	diff -r before trace || fail "$option changes it"
done
