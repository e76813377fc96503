/* SPDX-License-Identifier: MIT */
#ifndef PAGE_H
#define PAGE_H

/* page: the HTML page that shows a µScope file, with the file in it.
 *
 * The page itself is made by the build (assemble.py). A file goes into it as texts in base64, in pieces, as browsers
 * bound the length of a text; a large file leaves out all but its begin, its end and an overview, and the page asks
 * for the rest. Defined in doc/format/page.md. */

#include "wbuf.h"

#define PAGE_LIMIT ((uint64_t)64 << 20) /* bytes of a file up to which all of it is in the page, by default */

enum {
	PAGE_SIZE_TEXT = 32,
	PAGE_HEADER = 48, /* bytes of the header of a file */
};

/* A page that is being written. */
struct page {
	struct wbuf *w;
	uint64_t limit;
	uint64_t size; /* of the file, as far as it is there */
	bool over;     /* it is larger than the limit */

	struct page_piece {
		bool open;
		uint64_t begin; /* in the file, */
		uint64_t at;    /* and the end so far */
		uint8_t rest[4];
		size_t nrest; /* bytes that are no whole group of base64 yet */
	} piece, preamble;    /* what is being written, and what that was at the end of the preamble */

	/* Of a file that is being written, too. */
	uint8_t header[PAGE_HEADER];
	uint8_t *held; /* the last segment, and all behind it, which may still change */
	size_t nheld, held_cap;
	uint64_t held_at; /* where that begins in the file */

	/* Where things are in the page. */
	uint64_t size_at;
	uint64_t header_at; /* 0: it stays as it is */
	uint64_t preamble_end;

	struct page_encoder {
		bool wide;
		uint16_t pairs[1 << 12]; /* the two digits of each 12 bits, as memory has them */
	} encoder;
};

/* Bytes that the overview of a page may have. */
size_t page_overview_most(uint64_t size, uint64_t limit);

/* Begins a page, whose failures are kept in w. name: of the file, as the page shows it; any bytes. limit: bytes of a file that is in the
 * page as a whole. size: of the file, which page_put_file() takes; 0: page_put() takes what there will be. Then page_close(). */
void page_open(struct page *p, struct wbuf *w, const char *name, uint64_t limit, uint64_t size);

/* Takes bytes of a file as its writer writes them: header and preamble first, then what comes behind them, or
 * in place of other bytes of the header, or behind the begin of the last segment, which the header tells. Returns 0, or -errno. */
int page_put(struct page *p, const void *bytes, size_t n, uint64_t offset);

/* Takes a complete file. Returns 0; -errno: it cannot be read, -ENODATA: it has become shorter. */
int page_put_file(struct page *p, int fd);

/* Ends the page with its overview (overview.h; NULL: none) and flushes it. false: the file is larger than the limit, and
 * the page does not have all of it. */
bool page_close(struct page *p, const void *overview, size_t n);

/* Frees. Accepts a zeroed one. */
void page_finish(struct page *p);

/* "64 MiB", or bytes if that is not exact. Returns buf. */
const char *page_size_text(char buf[PAGE_SIZE_TEXT], uint64_t n);

/* The Content-Security-Policy that is in the page, for the server: browsers keep to both. */
extern const char page_policy[];

/* Writes a page that asks the server it came from for the file: url is relative to that of the page, and needs no escapes. */
void page_write_served(struct wbuf *w, const char *name, const char *url);

#endif
