# --format and what goes with it.
. "$LIB"
. "$SRC/test/cli/look.sh"
look_trace
cat >want <<'END'
clock,event,model,stream,loom,process,thread,text
5000000000,"OHx",ovni,"loom.a.0/proc.10/thread.11","a.0",10,11,"begins the execution on CPU 0 created from -1 with tag 0"
5000000010,"OHx",ovni,"loom.a.0/proc.10/thread.12","a.0",10,12,"begins the execution on CPU 1 created from 11 with tag 0x7f9239c6b6c0"
5000000100,"VYc",nosv,"loom.a.0/proc.10/thread.11","a.0",10,11,"creates task type 100 with label ""type one"""
END
prints want "$DUMP" -q -f csv -p 10 --to=100ns trace
cat >want <<'END'
{"clock":5000000100,"event":"VYc","model":"nosv","stream":"loom.a.0/proc.10/thread.11","loom":"a.0","process":10,"thread":11,"text":"creates task type 100 with label \"type one\"","args":{"typeid":100,"label":"type one"}}
{"clock":5000000300,"event":"KCO","model":"kernel","stream":"loom.a.0/proc.10/thread.12","loom":"a.0","process":10,"thread":12,"text":"is taken out of its CPU by the kernel","args":{}}
END
prints want "$DUMP" -q --format=json -e VYc,KCO trace
cat >want <<'END'
{"clock":5000000300,"delta":0,"event":"KCO","model":"kernel","stream":"loom.a.0/proc.10/thread.12","loom":"a.0","process":10,"thread":12,"args":{},"payload":""}
{"clock":5001500000,"delta":1499700,"event":"VTe","model":"nosv","stream":"loom.a.0/proc.10/thread.11","loom":"a.0","process":10,"thread":11,"args":{"taskid":200,"bodyid":1},"payload":":c8:00:00:00:01:00:00:00"}
END
prints want "$DUMP" -q --format=json -x -d -e VTe,KCO trace
# both the text and the payload, which not all events have
cat >want <<'END'
5000000300  KCO  loom.a.0/proc.10/thread.12  is taken out of its CPU by the kernel
5001500000  VTe  loom.a.0/proc.10/thread.11  ends the body 1 of task 200  :c8:00:00:00:01:00:00:00
END
prints want "$DUMP" -q -X -e VTe,KCO trace
prints want "$DUMP" -q --text-and-hex --format=text -e VTe,KCO trace
printf 'clock,delta,event,model,stream,loom,process,thread,text,payload\n5000000300,0,"KCO",kernel,"loom.a.0/proc.10/thread.12","a.0",10,12,"is taken out of its CPU by the kernel",""\n' >want
prints want "$DUMP" -q -X -d -f csv -e KCO trace
status 2 "$DUMP" -f xml trace
says "error[usage]" "text, csv or json, not 'xml'"
# the same events, whatever the form
for f in text csv json; do
	"$DUMP" -q -f $f trace | wc -l >>lines
done
test "$(tr -d ' ' <lines | tr '\n' ' ')" = "13 14 13 " || fail "$(cat lines)"
