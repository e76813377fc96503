/* SPDX-License-Identifier: MIT */
#include "page.h"

#include "html.h"
#include "puttext.h"
#include "uscope/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum {
	GROUP = 3,            /* bytes that are four digits of base64 */
	PIECE_MAX = 12 << 20, /* whole groups */
	CHUNK_MAX = 48 << 10, /* bytes read at once: whole groups */
	DIGITS_MAX = 3 << 10, /* bytes encoded at once: whole groups, and at most WBUF_RESERVE_MAX digits */
	OVERVIEW_LEAST = 512 << 10,
	OVERVIEW_SHARE = 8,
	PREAMBLE_MAX = 64 << 20,
	TAIL_MAX = 96 << 20, /* a segment and sections of the sizes that writers choose */
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const char page_policy[] = PAGE_POLICY;

/* ---- Base64. ---- */

#ifdef __x86_64__
/* Encodes 24 bytes at a time, as long as 28 can be read. Returns how many; a processor without AVX2 encodes none. */
__attribute__((target("avx2"))) static size_t
encode_wide(char *to, const uint8_t *p, size_t n)
{
	/* Each half has 12 bytes; a group of bytes a b c becomes the number b a c b. */
	const __m256i spread = _mm256_set_epi8(10, 11, 9, 10, 7, 8, 6, 7, 4, 5, 3, 4, 1, 2, 0, 1,
		10, 11, 9, 10, 7, 8, 6, 7, 4, 5, 3, 4, 1, 2, 0, 1);
	/* What is added to a number of 6 bits: by 0 for the lower case, 1 to 12 for the others, 13 for the upper case. */
	const __m256i shifts = _mm256_broadcastsi128_si256(_mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
		'0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0));
	size_t done = 0;
	for (; n - done >= 28; done += 24, to += 32) {
		__m256i v = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(p + done))),
			_mm_loadu_si128((const __m128i *)(p + done + 12)), 1);
		v = _mm256_shuffle_epi8(v, spread);
		/* Products shift each number to its byte. */
		__m256i odd = _mm256_mulhi_epu16(_mm256_and_si256(v, _mm256_set1_epi32(0x0fc0fc00)), _mm256_set1_epi32(0x04000040));
		__m256i even = _mm256_mullo_epi16(_mm256_and_si256(v, _mm256_set1_epi32(0x003f03f0)), _mm256_set1_epi32(0x01000010));
		v = _mm256_or_si256(odd, even);
		__m256i kind = _mm256_subs_epu8(v, _mm256_set1_epi8(51));
		__m256i upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), v);
		kind = _mm256_or_si256(kind, _mm256_and_si256(upper, _mm256_set1_epi8(13)));
		_mm256_storeu_si256((__m256i *)to, _mm256_add_epi8(v, _mm256_shuffle_epi8(shifts, kind)));
	}
	return done;
}

static bool
is_wide(void)
{
	return __builtin_cpu_supports("avx2");
}
#else
static size_t
encode_wide(char *to, const uint8_t *p, size_t n)
{
	(void)to, (void)p, (void)n;
	return 0;
}

static bool
is_wide(void)
{
	return false;
}
#endif

/* The two digits of each 12 bits, as memory has them. */
struct encoder {
	bool wide;
	uint16_t pairs[1 << 12];
};

static void
make_encoder(struct encoder *e)
{
	for (unsigned i = 0; i < 1 << 12; i++)
		e->pairs[i] = (uint16_t)(digits[i >> 6] | digits[i & 63] << 8);
	e->wide = is_wide();
}

/* Encodes the bytes of a text, or a part of whole groups. */
static void
put_base64(struct wbuf *w, const struct encoder *e, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	while (end - p >= GROUP) {
		size_t most = (size_t)(end - p) < DIGITS_MAX ? (size_t)(end - p) : DIGITS_MAX;
		const uint8_t *stop = p + most / GROUP * GROUP;
		char *to = wbuf_reserve(w, DIGITS_MAX / GROUP * 4);
		size_t wide = e->wide ? encode_wide(to, p, (size_t)(stop - p)) : 0;
		p += wide;
		to += wide / GROUP * 4;
		/* Six bytes at a time are half the instructions. */
		for (; stop - p >= 8; p += 2 * GROUP, to += 8) {
			uint64_t v = __builtin_bswap64(load64(p));
			memcpy(to, &e->pairs[v >> 52], 2);
			memcpy(to + 2, &e->pairs[v >> 40 & 0xfff], 2);
			memcpy(to + 4, &e->pairs[v >> 28 & 0xfff], 2);
			memcpy(to + 6, &e->pairs[v >> 16 & 0xfff], 2);
		}
		for (; p < stop; p += GROUP, to += 4) {
			memcpy(to, &e->pairs[p[0] << 4 | p[1] >> 4], 2);
			memcpy(to + 2, &e->pairs[(p[1] & 15) << 8 | p[2]], 2);
		}
		wbuf_commit(w, to);
	}
	if (p == end)
		return;
	unsigned last = (unsigned)p[0] << 16 | (end - p == 2 ? (unsigned)p[1] << 8 : 0);
	char text[] = { digits[last >> 18], digits[last >> 12 & 63], end - p == 2 ? digits[last >> 6 & 63] : '=', '=' };
	wbuf_put(w, text, sizeof(text));
}

/* ---- The data. ---- */

/* A JSON string that ends no element: '<' is written as \u003c. */
static void
put_name(struct wbuf *w, const char *name)
{
	put_str(w, "{\"name\":\"");
	for (;;) {
		size_t n = strcspn(name, "<");
		put_form(w, TEXT_JSON, name, n);
		if (!name[n])
			break;
		put_str(w, "\\u003c");
		name += n + 1;
	}
	put_str(w, "\"");
}

static void
begin_page(struct wbuf *w, const char *name)
{
	wbuf_put(w, page_before, sizeof(page_before));
	put_str(w, "<script type=\"application/json\" id=\"ovni-data\">");
	put_name(w, name);
}

static void
end_page(struct wbuf *w)
{
	wbuf_put(w, page_behind, sizeof(page_behind));
	(void)wbuf_flush(w);
}

/* Reads all of n bytes. 0, or -errno. */
static int
read_at(int fd, uint8_t *to, size_t n, uint64_t offset)
{
	while (n > 0) {
		ssize_t k = pread(fd, to, n, (off_t)offset);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return k < 0 ? -errno : -ENODATA;
		to += k;
		n -= (size_t)k;
		offset += (uint64_t)k;
	}
	return 0;
}

/* Puts the bytes [from, to) of the file, as pieces. */
static int
put_pieces(struct wbuf *w, const struct encoder *e, int fd, uint64_t from, uint64_t to)
{
	uint8_t chunk[CHUNK_MAX];
	uint64_t begin = from;
	while (from < to && !wbuf_failed(w)) {
		size_t left = PIECE_MAX - (size_t)(from - begin) % PIECE_MAX;
		if (left == PIECE_MAX)
			wbuf_printf(w, "<script type=\"text/plain\" class=\"ovni-piece\" data-at=\"%" PRIu64 "\">", from);
		size_t n = left < CHUNK_MAX ? left : CHUNK_MAX;
		n = to - from < n ? (size_t)(to - from) : n;
		int rc = read_at(fd, chunk, n, from);
		if (rc < 0)
			return rc;
		put_base64(w, e, chunk, n);
		from += n;
		if (n == left || from == to)
			put_str(w, "</script>\n");
	}
	return 0;
}

/* Puts what tells about a file without its data: header, preamble, the last segment, sections. */
static int
put_ends(struct wbuf *w, const struct encoder *e, const struct page *p)
{
	uint8_t header[FILE_HEADER_SIZE];
	int rc = p->size < sizeof(header) ? -ENODATA : read_at(p->fd, header, sizeof(header), 0);
	if (rc < 0)
		return rc;
	uint64_t begin = load32(header + AT_PREAMBLE_END);
	uint64_t tail = load64(header + AT_TAIL);
	begin = begin < sizeof(header) ? sizeof(header) : begin;
	rc = begin <= p->size && begin <= PREAMBLE_MAX ? put_pieces(w, e, p->fd, 0, begin) : 0;
	if (rc == 0 && tail >= begin && tail < p->size && p->size - tail <= TAIL_MAX)
		rc = put_pieces(w, e, p->fd, tail, p->size);
	return rc;
}

size_t
page_overview_most(const struct page *p)
{
	uint64_t part = (p->size < p->limit ? p->size : p->limit) / OVERVIEW_SHARE;
	return part > OVERVIEW_LEAST ? (size_t)part : OVERVIEW_LEAST;
}

int
page_write(struct wbuf *w, const struct page *p)
{
	struct encoder e;
	bool whole = p->size <= p->limit;
	make_encoder(&e);
	begin_page(w, p->name);
	wbuf_printf(w, ",\"size\":%" PRIu64 ",\"whole\":%s}</script>\n", p->size, whole ? "true" : "false");
	if (p->overview) {
		put_str(w, "<script type=\"text/plain\" class=\"ovni-pyramid\">");
		put_base64(w, &e, p->overview, p->noverview);
		put_str(w, "</script>\n");
	}
	int rc = whole ? put_pieces(w, &e, p->fd, 0, p->size) : put_ends(w, &e, p);
	end_page(w);
	return rc < 0 ? rc : whole;
}

void
page_write_served(struct wbuf *w, const char *name, const char *url)
{
	begin_page(w, name);
	wbuf_printf(w, ",\"url\":\"%s\"}</script>\n", url);
	end_page(w);
}

const char *
page_size_text(char buf[PAGE_SIZE_TEXT], uint64_t n)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;
	for (; n && n % 1024 == 0 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		n /= 1024;
	(void)snprintf(buf, PAGE_SIZE_TEXT, "%" PRIu64 " %s", n, units[unit]);
	return buf;
}
