/* SPDX-License-Identifier: MIT */
#include "intake.h"

#include "arena.h"
#include "codec.h"

#include <errno.h>
#include <unistd.h>

enum {
	PACKED = 64 * 1024,
	MAGIC = 6, /* bytes that tell the compression */
};

/* Bytes of the file. Returns how many, 0 at its end, or <0 (reported, or the user wants it to end). */
static ssize_t
read_file(struct intake *f, void *to, size_t n)
{
	for (;;) {
		if (conv_interrupted())
			return -1;
		ssize_t k = read(f->fd, to, n);
		if (k >= 0) {
			f->read += (uint64_t)k;
			return k;
		}
		if (errno != EINTR && errno != EAGAIN)
			return conv_error(f->conv, "read", "cannot read %s: %s", f->name, strerror(errno));
	}
}

/* Looks at the first bytes of the file. Returns 0, or <0 (reported). */
static int
begin(struct intake *f)
{
	static const struct {
		uint8_t bytes[MAGIC];
		size_t n;
		enum codec_kind kind;
		const char *tool; /* that decodes what is not decoded here */
	} known[] = {
		{ { 0x1f, 0x8b, 8 }, 3, CODEC_GZIP, NULL },
		{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, CODEC_ZSTD, NULL },
		{ { 0x04, 0x22, 0x4d, 0x18 }, 4, CODEC_LZ4, NULL },
		{ { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, CODEC_NONE, "xz" },
		{ { 'B', 'Z', 'h' }, 3, CODEC_NONE, "bzip2" },
	};
	size_t have = 0;
	ssize_t k = 1;
	/* A pipe may bring a byte at a time. */
	for (; k > 0 && have < MAGIC; have += (size_t)k)
		if ((k = read_file(f, f->window + have, MAGIC - have)) < 0)
			return -1;
	f->eof = k == 0;
	f->end = f->window + have;
	size_t i = 0;
	while (i < sizeof(known) / sizeof(known[0]) && (have < known[i].n || memcmp(f->window, known[i].bytes, known[i].n) != 0))
		i++;
	if (i == sizeof(known) / sizeof(known[0]))
		return 0;
	if (known[i].kind == CODEC_NONE)
		return conv_fail(f->conv, "import", "%s is compressed with %s\nhint: %s -dc FILE | ovniscope-prism import -o DIR", f->name,
			known[i].tool, known[i].tool);
	f->codec = codec_open(known[i].kind);
	f->packed = block_alloc(PACKED);
	if (!f->codec || !f->packed)
		return conv_no_memory(f->conv);
	memcpy(f->packed, f->window, have);
	f->packed_end = have;
	f->end = f->p;
	f->eof = false;
	return 0;
}

int
intake_open(struct intake *f, struct conv *c, const char *path)
{
	uint64_t size;
	*f = (struct intake){ .conv = c, .name = conv_input_name(path) };
	f->fd = conv_open_input(c, path, &size);
	if (f->fd < 0)
		return f->fd;
	f->window = block_alloc(INTAKE_WINDOW);
	if (!f->window)
		return conv_no_memory(c);
	f->p = f->end = f->window;
	return begin(f);
}

/* Decoded bytes. Returns how many, 0 at the end, or <0 (reported). */
static ssize_t
decode(struct intake *f, char *to, size_t room)
{
	for (;;) {
		bool last = false;
		if (f->packed_at == f->packed_end) {
			ssize_t k = read_file(f, f->packed, PACKED);
			if (k < 0)
				return k;
			f->packed_at = 0;
			f->packed_end = (size_t)k;
			last = k == 0;
		}
		size_t nin = f->packed_end - f->packed_at;
		size_t nout = room;
		const char *why = codec_decode(f->codec, f->packed + f->packed_at, &nin, (uint8_t *)to, &nout);
		if (why || (nin == 0 && nout == 0 && !last))
			return conv_error(f->conv, "read", "cannot decode %s: %s", f->name, why ? why : "no progress");
		f->packed_at += nin;
		if (nout)
			return (ssize_t)nout;
		if (last) {
			f->torn = !codec_at_end(f->codec);
			return 0;
		}
	}
}

int
intake_more(struct intake *f)
{
	size_t have = (size_t)(f->end - f->p);
	f->base += (uint64_t)(f->p - f->window);
	memmove(f->window, f->p, have);
	f->p = f->window;
	f->end = f->window + have;
	if (f->eof || have == INTAKE_WINDOW)
		return 0;
	ssize_t k = f->codec ? decode(f, f->window + have, INTAKE_WINDOW - have) : read_file(f, f->window + have, INTAKE_WINDOW - have);
	if (k < 0)
		return -1;
	f->eof = k == 0;
	f->end += k;
	return k > 0;
}

void
intake_close(struct intake *f)
{
	codec_close(f->codec);
	block_free(f->packed);
	block_free(f->window);
	*f = (struct intake){ 0 };
}
