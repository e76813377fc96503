/* SPDX-License-Identifier: MIT */
#ifndef UNPACK_H
#define UNPACK_H

/* unpack: the bytes of a file or pipe, decoded if they begin as a file of gzip, zstd or LZ4 does.
 *
 * Nothing is read before the first call of unpack_read(): who opens several pipes waits for none of them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	UNPACK_MAGIC = 6, /* bytes that tell the compression */
};

struct unpack {
	/* Bytes of the file: how many, 0 at its end, or -errno. NULL: those of fd. */
	ptrdiff_t (*read)(void *self, void *to, size_t n);
	void *self;
	int fd;
	/* Set by unpack_read(): */
	uint64_t nread;      /* bytes of the file so far */
	const char *why;     /* of -EBADMSG: what the decoder says, or that the bytes end inside a frame; else NULL */
	const char *foreign; /* with it: the tool that decodes the file, as it is not decoded here */
	bool torn;           /* with it: the bytes end inside a frame, and all before is decoded */
	/* Its own. */
	bool begun;
	struct codec *codec; /* NULL: the bytes are given as they are */
	uint8_t *packed;     /* bytes of the file, from `at` to `end` */
	size_t at;
	size_t end;
};

/* Whether a file that begins with these bytes is compressed. */
bool unpack_is_packed(const uint8_t *head, size_t n);

/* Decoded bytes, 1 to n. Returns how many, 0 at the end, or -errno: -EBADMSG for what cannot be
 * decoded, -ENOMEM, or that of reading. Each call reads the file at most until there is something to return. */
ptrdiff_t unpack_read(struct unpack *u, void *to, size_t n);

/* Frees, and begins again: for who goes back to the start of the file. Accepts a zeroed struct. */
void unpack_rewind(struct unpack *u);

#endif
