/* SPDX-License-Identifier: MIT */
#include "fileout.h"

#include "uscope.h"

#include <errno.h>
#include <unistd.h>

static int
write_all(int fd, const void *bytes, size_t n, uint64_t offset)
{
	const uint8_t *p = bytes;
	while (n > 0) {
		if (offset > INT64_MAX) {
			errno = EFBIG;
			return USCOPE_E_IO;
		}
		/* Linux takes a little less than 2 GiB at once. */
		ssize_t k = pwrite(fd, p, n < 1u << 30 ? n : 1u << 30, (off_t)offset);
		if (k < 0 && errno == EINTR)
			continue;
		if (k == 0)
			errno = ENOSPC;
		if (k <= 0)
			return USCOPE_E_IO;
		p += k;
		n -= (size_t)k;
		offset += (uint64_t)k;
	}
	return USCOPE_OK;
}

int
file_write(const struct file_to *to, const void *bytes, size_t n, uint64_t offset)
{
	int status = to->fd >= 0 ? write_all(to->fd, bytes, n, offset) : USCOPE_OK;
	int rc = !status && to->app.take && n ? to->app.take(to->app.user, bytes, n, offset) : 0;
	if (rc)
		errno = rc;
	return rc ? USCOPE_E_IO : status;
}

int
file_number(const struct file_to *to, unsigned size, uint64_t v, uint64_t offset)
{
	uint8_t b[8];
	store64(b, v);
	return file_write(to, b, size, offset);
}

void
fileout_init(struct fileout *f, struct file_to to, uint64_t at)
{
	f->to = to;
	f->status = USCOPE_OK;
	f->at = at;
	f->n = 0;
	f->nsections = 0;
	f->sum = NULL;
}

int
fileout_flush(struct fileout *f)
{
	if (!f->status && f->n)
		f->status = file_write(&f->to, f->buffer, f->n, f->at - f->n);
	if (f->sum)
		xxh64_add(f->sum, f->buffer, f->n);
	f->n = 0;
	return f->status;
}

void
fileout_put(struct fileout *f, const void *bytes, size_t n)
{
	if (n > sizeof(f->buffer) - f->n)
		(void)fileout_flush(f);
	if (n <= sizeof(f->buffer)) {
		if (n)
			memcpy(f->buffer + f->n, bytes, n);
		f->n += n;
	} else {
		if (!f->status)
			f->status = file_write(&f->to, bytes, n, f->at);
		if (f->sum)
			xxh64_add(f->sum, bytes, n);
	}
	f->at += n;
}

void
fileout_sum(struct fileout *f, struct xxh64 *sum)
{
	(void)fileout_flush(f);
	f->sum = sum;
}

void
fileout_align(struct fileout *f)
{
	static const uint8_t zeros[8];
	fileout_put(f, zeros, (size_t)(align8(f->at) - f->at));
}

void
fileout_begin(struct fileout *f, uint16_t type)
{
	fileout_align(f);
	f->sections[f->nsections].type = type;
	f->sections[f->nsections].offset = f->at;
}

void
fileout_end(struct fileout *f)
{
	f->sections[f->nsections].size = f->at - f->sections[f->nsections].offset;
	f->nsections++;
}

uint64_t
fileout_end_checksums(struct fileout *f)
{
	uint64_t last = f->at;
	fileout_number(f, 8, 0);
	fileout_end(f);
	return last;
}

uint64_t
fileout_table(struct fileout *f)
{
	static const uint8_t last[SECTION_ENTRY_SIZE];
	fileout_align(f);
	uint64_t table = f->at;
	for (int i = 0; i < f->nsections; i++) {
		fileout_number(f, 2, f->sections[i].type);
		fileout_number(f, 2, 0);
		fileout_number(f, 4, 0);
		fileout_number(f, 8, f->sections[i].offset);
		fileout_number(f, 8, f->sections[i].size);
	}
	fileout_put(f, last, sizeof(last));
	return table;
}
