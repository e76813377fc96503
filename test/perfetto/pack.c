/* SPDX-License-Identifier: MIT */
/* Writes fields as the sink of Perfetto traces does: "n FIELD VALUE" a number, "b FIELD SIZE" so many bytes,
 * each a packet; "f" makes visible what is there. usage: pack FILE [gzip] <SCRIPT */
#include "perfetto/pack.h"

#include <inttypes.h>
#include <stdio.h>

static void
put_line(struct pack *p, const char *line)
{
	unsigned field;
	uint64_t value;
	if (sscanf(line, "n %u %" SCNu64, &field, &value) == 2) {
		char *to = pack_reserve(p, 2 * PACK_VARINT);
		pack_commit(p, put_number(to, field, value));
	} else if (sscanf(line, "b %u %" SCNu64, &field, &value) == 2) {
		char *to = pack_reserve(p, 2 * PACK_VARINT);
		pack_commit(p, put_varint(put_tag(to, field, WIRE_BYTES), value));
		for (uint64_t i = 0; i < value; i++) {
			char c = (char)(i * 7 + field);
			pack_put(p, &c, 1);
		}
	} else if (line[0] == 'f') {
		pack_flush(p);
	}
}

int
main(int argc, char **argv)
{
	struct pack p = { 0 };
	char line[128];
	if (argc < 2 || wbuf_open(&p.out, argv[1]) < 0 || pack_open(&p, argc > 2) < 0)
		return 2;
	while (fgets(line, sizeof(line), stdin))
		put_line(&p, line);
	pack_close(&p);
	return wbuf_close(&p.out) < 0;
}
