/* SPDX-License-Identifier: MIT */
#include "unpack.h"

#include "arena.h"
#include "codec.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	PACKED = 64 * 1024,
};

struct magic {
	uint8_t bytes[UNPACK_MAGIC];
	size_t n;
	enum codec_kind kind;
	const char *foreign;
	const char *why;
};

/* How the bytes of a compressed file begin. NULL: the file is not compressed. */
static const struct magic *
find_magic(const uint8_t *head, size_t n)
{
	static const struct magic known[] = {
		{ { 0x1f, 0x8b, 8 }, 3, CODEC_GZIP, NULL, NULL },
		{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, CODEC_ZSTD, NULL, NULL },
		{ { 0x04, 0x22, 0x4d, 0x18 }, 4, CODEC_LZ4, NULL, NULL },
		{ { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, CODEC_NONE, "xz", "it is compressed, and xz -dc decodes it" },
		{ { 'B', 'Z', 'h' }, 3, CODEC_NONE, "bzip2", "it is compressed, and bzip2 -dc decodes it" },
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (n >= known[i].n && memcmp(head, known[i].bytes, known[i].n) == 0)
			return &known[i];
	return NULL;
}

bool
unpack_is_packed(const uint8_t *head, size_t n)
{
	return find_magic(head, n);
}

static ptrdiff_t
read_file(struct unpack *u, void *to, size_t n)
{
	ptrdiff_t k;
	do
		k = u->read ? u->read(u->self, to, n) : read(u->fd, to, n);
	while (!u->read && k < 0 && errno == EINTR);
	if (!u->read && k < 0)
		k = -errno;
	u->nread += k > 0 ? (uint64_t)k : 0;
	return k;
}

static ptrdiff_t
fail(struct unpack *u, const char *why)
{
	u->why = why;
	return -EBADMSG;
}

/* Takes the first bytes of the file, and looks at them. Returns 0, or -errno. */
static ptrdiff_t
begin(struct unpack *u)
{
	ptrdiff_t k = 1;
	if (!u->packed && !(u->packed = block_alloc(PACKED)))
		return -ENOMEM;
	/* A pipe may bring a byte at a time. */
	while (k > 0 && u->end < UNPACK_MAGIC) {
		k = read_file(u, u->packed + u->end, UNPACK_MAGIC - u->end);
		if (k < 0)
			return k;
		u->end += (size_t)k;
	}
	const struct magic *magic = find_magic(u->packed, u->end);
	u->begun = true;
	u->foreign = magic ? magic->foreign : NULL;
	if (u->foreign)
		return fail(u, magic->why);
	u->codec = magic ? codec_open(magic->kind) : NULL;
	return magic && !u->codec ? -ENOMEM : 0;
}

ptrdiff_t
unpack_read(struct unpack *u, void *to, size_t n)
{
	ptrdiff_t rc = u->begun ? 0 : begin(u);
	if (rc < 0)
		return rc;
	if (!u->codec && u->at == u->end)
		return read_file(u, to, n);
	if (!u->codec) { /* the bytes that were looked at */
		n = n < u->end - u->at ? n : u->end - u->at;
		memcpy(to, u->packed + u->at, n);
		u->at += n;
		return (ptrdiff_t)n;
	}
	for (;;) {
		bool last = false;
		if (u->at == u->end) {
			ptrdiff_t k = read_file(u, u->packed, PACKED);
			if (k < 0)
				return k;
			u->at = 0;
			u->end = (size_t)k;
			last = k == 0;
		}
		size_t nin = u->end - u->at;
		size_t nout = n;
		const char *why = codec_decode(u->codec, u->packed + u->at, &nin, to, &nout);
		if (why || (nin == 0 && nout == 0 && !last))
			return fail(u, why ? why : "no progress");
		u->at += nin;
		if (nout)
			return (ptrdiff_t)nout;
		u->torn = last && !codec_at_end(u->codec);
		if (last)
			return u->torn ? fail(u, "the compressed bytes end inside a frame") : 0;
	}
}

void
unpack_rewind(struct unpack *u)
{
	codec_close(u->codec);
	block_free(u->packed);
	*u = (struct unpack){ .read = u->read, .self = u->self, .fd = u->fd };
}
