/* SPDX-License-Identifier: MIT */
#include "page.h"

#include "arena.h"
#include "html.h"
#include "puttext.h"
#include "uscope/layout.h"

#include <assert.h>
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
	SIZE_TEXT = 64,
};

static_assert((int)PAGE_HEADER == (int)FILE_HEADER_SIZE && PAGE_HEADER % GROUP == 0, "the header can be put again alone");

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

static void
make_encoder(struct page_encoder *e)
{
	for (unsigned i = 0; i < 1 << 12; i++)
		e->pairs[i] = (uint16_t)(digits[i >> 6] | digits[i & 63] << 8);
	e->wide = is_wide();
}

/* Encodes whole groups. Returns the end of the digits. */
static char *
encode(const struct page_encoder *e, char *to, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	size_t wide = e->wide ? encode_wide(to, p, n) : 0;
	p += wide;
	to += wide / GROUP * 4;
	/* Six bytes at a time are half the instructions. */
	for (; end - p >= 8; p += 2 * GROUP, to += 8) {
		uint64_t v = __builtin_bswap64(load64(p));
		memcpy(to, &e->pairs[v >> 52], 2);
		memcpy(to + 2, &e->pairs[v >> 40 & 0xfff], 2);
		memcpy(to + 4, &e->pairs[v >> 28 & 0xfff], 2);
		memcpy(to + 6, &e->pairs[v >> 16 & 0xfff], 2);
	}
	for (; p < end; p += GROUP, to += 4) {
		memcpy(to, &e->pairs[p[0] << 4 | p[1] >> 4], 2);
		memcpy(to + 2, &e->pairs[(p[1] & 15) << 8 | p[2]], 2);
	}
	return to;
}

/* Encodes the bytes of a text, or a part of whole groups. */
static void
put_base64(struct wbuf *w, const struct page_encoder *e, const uint8_t *p, size_t n)
{
	while (n >= GROUP) {
		size_t most = n < DIGITS_MAX ? n / GROUP * GROUP : DIGITS_MAX;
		wbuf_commit(w, encode(e, wbuf_reserve(w, DIGITS_MAX / GROUP * 4), p, most));
		p += most;
		n -= most;
	}
	if (n == 0)
		return;
	unsigned last = (unsigned)p[0] << 16 | (n == 2 ? (unsigned)p[1] << 8 : 0);
	char text[] = { digits[last >> 18], digits[last >> 12 & 63], n == 2 ? digits[last >> 6 & 63] : '=', '=' };
	wbuf_put(w, text, sizeof(text));
}

/* ---- Elements. ---- */

static uint64_t
place(const struct page *p)
{
	return p->w->written + p->w->used;
}

/* Begins what there is: the name, as a JSON string that ends no element, with '<' as \u003c. */
static void
begin_page(struct wbuf *w, const char *name)
{
	wbuf_put(w, page_before, sizeof(page_before));
	put_str(w, "<script type=\"application/json\" id=\"ovni-data\">{\"name\":\"");
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
end_page(struct wbuf *w)
{
	wbuf_put(w, page_behind, sizeof(page_behind));
	(void)wbuf_flush(w);
}

/* What is known only when the file is complete: always as long. */
static int
print_size(char text[SIZE_TEXT], const struct page *p)
{
	return snprintf(text, SIZE_TEXT, "%20" PRIu64 ",\"whole\":%s", p->size, p->over ? "false" : " true");
}

static void
begin_piece(struct page *p)
{
	p->piece.open = true;
	p->piece.begin = p->piece.at;
	wbuf_printf(p->w, "<script type=\"text/plain\" class=\"ovni-piece\" data-at=\"%" PRIu64 "\">", p->piece.at);
}

static void
end_piece(struct page *p)
{
	if (!p->piece.open)
		return;
	put_base64(p->w, &p->encoder, p->piece.rest, p->piece.nrest);
	put_str(p->w, "</script>\n");
	p->piece.nrest = 0;
	p->piece.open = false;
}

/* Puts bytes that fit in the piece. */
static void
put_bytes(struct page *p, const uint8_t *bytes, size_t n)
{
	p->piece.at += n;
	for (; n && p->piece.nrest; n--) {
		p->piece.rest[p->piece.nrest++] = *bytes++;
		if (p->piece.nrest == GROUP) {
			put_base64(p->w, &p->encoder, p->piece.rest, GROUP);
			p->piece.nrest = 0;
		}
	}
	size_t groups = n / GROUP * GROUP;
	put_base64(p->w, &p->encoder, bytes, groups);
	for (; groups < n; groups++)
		p->piece.rest[p->piece.nrest++] = bytes[groups];
}

/* Goes on with the piece, or begins one, and those behind it. */
static void
put_pieces(struct page *p, const uint8_t *bytes, size_t n)
{
	while (n && !wbuf_failed(p->w)) {
		if (!p->piece.open)
			begin_piece(p);
		size_t left = PIECE_MAX - (size_t)(p->piece.at - p->piece.begin);
		size_t k = n < left ? n : left;
		put_bytes(p, bytes, k);
		bytes += k;
		n -= k;
		if (k == left)
			end_piece(p);
	}
}

/* ---- Bytes as they are written. ---- */

void
page_open(struct page *p, struct wbuf *w, const char *name, uint64_t limit, uint64_t size)
{
	*p = (struct page){ .w = w, .limit = limit, .size = size, .over = size > limit };
	make_encoder(&p->encoder);
	begin_page(w, name);
	put_str(w, ",\"size\":");
	p->size_at = place(p);
	char text[SIZE_TEXT];
	wbuf_put(w, text, (size_t)print_size(text, p));
	put_str(w, "}</script>\n");
}

/* The file begins: header and preamble are in every page. */
static void
put_preamble(struct page *p, const uint8_t *bytes, size_t n)
{
	memcpy(p->header, bytes, sizeof(p->header));
	begin_piece(p);
	p->header_at = place(p);
	put_pieces(p, bytes, n);
	p->preamble = p->piece;
	p->preamble_end = place(p);
	p->size = p->held_at = n;
}

/* Segments before the last one stay as they are: puts them, or forgets them. */
static void
settle(struct page *p)
{
	uint64_t tail = load64(p->header + AT_TAIL);
	if (tail <= p->held_at || tail > p->size)
		return;
	size_t n = (size_t)(tail - p->held_at);
	if (!p->over)
		put_pieces(p, p->held, n);
	p->nheld -= n;
	memmove(p->held, p->held + n, p->nheld);
	p->held_at = tail;
}

static bool
hold(struct page *p, const uint8_t *bytes, size_t n)
{
	if (p->held_cap - p->nheld < n) {
		size_t cap = 2 * (p->nheld + n);
		uint8_t *held = block_resize(p->held, cap);
		if (!held)
			return false;
		p->held = held;
		p->held_cap = cap;
	}
	memcpy(p->held + p->nheld, bytes, n);
	p->nheld += n;
	p->size += n;
	return true;
}

/* From here on the page has less than the file: takes back what it has. */
static void
go_over(struct page *p)
{
	p->over = true;
	p->piece = p->preamble;
	wbuf_cut(p->w, p->preamble_end);
	end_piece(p);
}

int
page_put(struct page *p, const void *bytes, size_t n, uint64_t offset)
{
	if (p->size == 0) {
		put_preamble(p, bytes, n);
	} else if (offset + n <= sizeof(p->header)) {
		memcpy(p->header + offset, bytes, n);
		settle(p);
	} else if (offset < p->size) {
		memcpy(p->held + (offset - p->held_at), bytes, n);
	} else {
		if (!p->over && p->size + n > p->limit)
			go_over(p);
		if (!hold(p, bytes, n))
			wbuf_fail(p->w, ENOMEM);
	}
	return -p->w->error;
}

/* Puts what was held. */
static void
put_held(struct page *p)
{
	if (p->over && (p->held_at != load64(p->header + AT_TAIL) || p->nheld > TAIL_MAX))
		return;
	if (p->over)
		p->piece.at = p->held_at;
	put_pieces(p, p->held, p->nheld);
	end_piece(p);
}

/* Corrects what came before it was known. */
static void
correct(struct page *p)
{
	char text[SIZE_TEXT];
	wbuf_patch(p->w, p->size_at, text, (size_t)print_size(text, p));
	char header[sizeof(p->header) / GROUP * 4];
	const char *end = encode(&p->encoder, header, p->header, sizeof(p->header));
	wbuf_patch(p->w, p->header_at, header, (size_t)(end - header));
}

bool
page_close(struct page *p, const void *overview, size_t n)
{
	struct wbuf *w = p->w;
	put_held(p);
	if (overview) {
		put_str(w, "<script type=\"text/plain\" class=\"ovni-pyramid\">");
		put_base64(w, &p->encoder, overview, n);
		put_str(w, "</script>\n");
	}
	end_page(w);
	if (p->header_at)
		correct(p);
	return !p->over;
}

void
page_finish(struct page *p)
{
	block_free(p->held);
	p->held = NULL;
}

/* ---- Bytes of a file. ---- */

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

/* Puts the bytes [from, to) of a file. */
static int
put_range(struct page *p, int fd, uint64_t from, uint64_t to)
{
	uint8_t chunk[CHUNK_MAX];
	p->piece.at = from;
	while (from < to && !wbuf_failed(p->w)) {
		size_t n = to - from < sizeof(chunk) ? (size_t)(to - from) : sizeof(chunk);
		int rc = read_at(fd, chunk, n, from);
		if (rc < 0)
			return rc;
		put_pieces(p, chunk, n);
		from += n;
	}
	end_piece(p);
	return 0;
}

/* Puts what tells about a file without its data: header, preamble, the last segment, sections. */
static int
put_ends(struct page *p, int fd)
{
	uint8_t header[FILE_HEADER_SIZE];
	int rc = p->size < sizeof(header) ? -ENODATA : read_at(fd, header, sizeof(header), 0);
	if (rc < 0)
		return rc;
	uint64_t begin = load32(header + AT_PREAMBLE_END);
	uint64_t tail = load64(header + AT_TAIL);
	begin = begin < sizeof(header) ? sizeof(header) : begin;
	rc = begin <= p->size && begin <= PREAMBLE_MAX ? put_range(p, fd, 0, begin) : 0;
	if (rc == 0 && tail >= begin && tail < p->size && p->size - tail <= TAIL_MAX)
		rc = put_range(p, fd, tail, p->size);
	return rc;
}

int
page_put_file(struct page *p, int fd)
{
	return p->over ? put_ends(p, fd) : put_range(p, fd, 0, p->size);
}

size_t
page_overview_most(uint64_t size, uint64_t limit)
{
	uint64_t part = (size < limit ? size : limit) / OVERVIEW_SHARE;
	return part > OVERVIEW_LEAST ? (size_t)part : OVERVIEW_LEAST;
}

/* ---- A page without the file. ---- */

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
