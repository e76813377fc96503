/* SPDX-License-Identifier: MIT */
#ifndef FILEOUT_H
#define FILEOUT_H

/* fileout: bytes to given offsets of a file, a buffer for many small ones, and the sections at the end
 * of a file with their table. */

#include "extra.h"
#include "layout.h"
#include "xxh64.h"

/* Where the bytes of a file go. */
struct file_to {
	int fd;                  /* -1: none */
	struct uscope_taker app; /* take NULL: none */
};

/* All n bytes, whatever the kernel takes at once. 0, or E_IO with errno set. */
int file_write(const struct file_to *to, const void *bytes, size_t n, uint64_t offset);

/* A number of 1, 2, 4 or 8 bytes, likewise. */
int file_number(const struct file_to *to, unsigned size, uint64_t v, uint64_t offset);

enum {
	FILEOUT_BUFFER = 32 * 1024,
	SECTIONS_EXTRA = 4,                /* of the application */
	SECTIONS_MAX = 4 + SECTIONS_EXTRA, /* strings, summary, segments, checksums */
};

/* The first failure stays in status; later calls do nothing but count. */
struct fileout {
	struct file_to to;
	int status;
	uint64_t at; /* offset of the next byte */
	size_t n;    /* bytes in the buffer, before `at` */
	struct {
		uint16_t type;
		uint64_t offset, size;
	} sections[SECTIONS_MAX];
	int nsections;
	struct xxh64 *sum; /* gets what is put; NULL: nothing does */
	uint8_t buffer[FILEOUT_BUFFER];
};

void fileout_init(struct fileout *f, struct file_to to, uint64_t at);
void fileout_put(struct fileout *f, const void *bytes, size_t n);
/* Zeros up to a multiple of 8. */
void fileout_align(struct fileout *f);
/* A section begins at the next multiple of 8 and has all that is put until it ends. */
void fileout_begin(struct fileout *f, uint16_t type);
void fileout_end(struct fileout *f);
/* From here on, the bytes go into another sum; NULL: none. */
void fileout_sum(struct fileout *f, struct xxh64 *sum);
/* Ends the section of checksums with room for the last one. Returns its offset. */
uint64_t fileout_end_checksums(struct fileout *f);
/* The table of the sections, at the next multiple of 8. Returns its offset. */
uint64_t fileout_table(struct fileout *f);
/* 0, or the first failure. */
int fileout_flush(struct fileout *f);

/* A number of 1, 2, 4 or 8 bytes. */
static inline void
fileout_number(struct fileout *f, unsigned size, uint64_t v)
{
	if (sizeof(f->buffer) - f->n < sizeof(v))
		(void)fileout_flush(f);
	store64(f->buffer + f->n, v); /* what follows overwrites bytes that are too many */
	f->n += size;
	f->at += size;
}

#endif
