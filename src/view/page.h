/* SPDX-License-Identifier: MIT */
#ifndef PAGE_H
#define PAGE_H

/* page: the HTML page that shows a µScope file, with the file in it.
 *
 * The page itself is made by the build (assemble.py). A file goes into it as texts in base64, in pieces, as browsers
 * bound the length of a text; a large file leaves out all but its begin, its end and an overview, and the page asks
 * for the rest. Defined in doc/format/page.md. */

#include "wbuf.h"

#include <stdint.h>

#define PAGE_LIMIT ((uint64_t)64 << 20) /* bytes of a file up to which all of it is in the page, by default */

enum {
	PAGE_SIZE_TEXT = 32,
};

struct page {
	const char *name; /* of the file, as the page shows it; any bytes */
	int fd;
	uint64_t size;
	uint64_t limit;
	const void *overview; /* see overview.h; NULL: none */
	size_t noverview;
};

/* Bytes that the overview of a page may have. */
size_t page_overview_most(const struct page *p);

/* Writes the page and flushes it; failures of that are kept in w. Returns 1; 0: the file is larger than the limit, and the
 * page does not have all of it; -errno: it cannot be read, -ENODATA: it has become shorter. */
int page_write(struct wbuf *w, const struct page *p);

/* "64 MiB", or bytes if that is not exact. Returns buf. */
const char *page_size_text(char buf[PAGE_SIZE_TEXT], uint64_t n);

/* The Content-Security-Policy that is in the page, for the server: browsers keep to both. */
extern const char page_policy[];

/* Writes a page that asks the server it came from for the file: url is relative to that of the page, and needs no escapes. */
void page_write_served(struct wbuf *w, const char *name, const char *url);

#endif
