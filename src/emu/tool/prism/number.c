/* SPDX-License-Identifier: MIT */
#include "number.h"

#include "wbuf.h"

bool
ptnames_number(struct ptnames *n, struct wbuf *out, const char *text, uint32_t len, uint64_t *number)
{
	n->numbers.size = sizeof(*number);
	uint32_t had = n->numbers.n;
	uint64_t *value = prismtable_get(&n->numbers, text, len);
	if (!value)
		return false;
	if (n->numbers.n > had) {
		const uint8_t first = (uint8_t)(len - 1);
		*value = n->size;
		n->size += 1 + len;
		wbuf_put(out, &first, 1);
		wbuf_put(out, text, len);
	}
	*number = *value;
	return true;
}

void
ptnames_finish(struct ptnames *n)
{
	prismtable_finish(&n->numbers);
}
