/* SPDX-License-Identifier: MIT */
#include "intake.h"

#include "arena.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* Bytes of the file, waiting for them. -EINTR: the user wants it to end. */
static ptrdiff_t
read_file(void *self, void *to, size_t n)
{
	const struct intake *f = self;
	struct pollfd wait = { .fd = f->bytes.fd, .events = POLLIN };
	ssize_t k = -1;
	errno = EINTR;
	while (k < 0 && (errno == EINTR || errno == EAGAIN) && !conv_interrupted()) {
		if (errno == EAGAIN) /* whoever gave us the descriptor does not block in it */
			(void)poll(&wait, 1, -1);
		k = read(f->bytes.fd, to, n);
	}
	return k < 0 ? -errno : k;
}

/* Reports a failure, unless the user wants it to end. Returns -1. */
static int
fail(struct intake *f, ptrdiff_t rc)
{
	const char *tool = f->bytes.foreign;
	if (tool)
		return conv_fail(f->conv, "import", "%s is compressed with %s\nhint: %s -dc FILE | ovniscope-prism import -o DIR", f->name, tool, tool);
	if (rc == -ENOMEM)
		return conv_no_memory(f->conv);
	if (f->bytes.why)
		return conv_error(f->conv, "read", "cannot decode %s: %s", f->name, f->bytes.why);
	return conv_interrupted() ? -1 : conv_error(f->conv, "read", "cannot read %s: %s", f->name, strerror((int)-rc));
}

int
intake_open(struct intake *f, struct conv *c, const char *path)
{
	uint64_t size;
	*f = (struct intake){ .conv = c, .name = conv_input_name(path) };
	int fd = conv_open_input(c, path, &size);
	if (fd < 0)
		return fd;
	f->bytes = (struct unpack){ .read = read_file, .self = f, .fd = fd };
	f->window = block_alloc(INTAKE_WINDOW);
	if (!f->window)
		return conv_no_memory(c);
	f->p = f->end = f->window;
	return intake_more(f) < 0 ? -1 : 0;
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
	ptrdiff_t k = unpack_read(&f->bytes, f->window + have, INTAKE_WINDOW - have);
	if (f->bytes.torn)
		k = 0;
	if (k < 0)
		return fail(f, k);
	f->eof = k == 0;
	f->end += k;
	return k > 0;
}

void
intake_close(struct intake *f)
{
	unpack_rewind(&f->bytes);
	block_free(f->window);
	*f = (struct intake){ 0 };
}
