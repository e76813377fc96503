/* SPDX-License-Identifier: MIT */
#include "source.h"

#include "laplace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ptrdiff_t
read_fd(int fd, void *buf, size_t n)
{
	ssize_t k;
	do {
		k = read(fd, buf, n);
	} while (k < 0 && errno == EINTR);
	return k < 0 ? -errno : k;
}

int
lapsource_open(struct lapsource *s, const struct lap_input *input)
{
	*s = (struct lapsource){ .input = *input };
	s->buf = calloc(1, LAPSOURCE_WINDOW + LAPSOURCE_SLACK);
	if (!s->buf)
		return -LAP_E_MEMORY;
	s->p = s->buf;
	s->end = s->buf;
	return 0;
}

int
lapsource_fill(struct lapsource *s, size_t want)
{
	size_t have = (size_t)(s->end - s->p);
	if (have >= want)
		return 1;
	if (s->eof)
		return s->error ? -LAP_E_IO : 0;
	if (have)
		memmove(s->buf, s->p, have);
	s->base += (uint64_t)(s->p - s->buf);
	s->p = s->buf;
	while (have < want && !s->eof) {
		size_t room = LAPSOURCE_WINDOW - have;
		ptrdiff_t n = s->input.read ? s->input.read(s->input.self, s->buf + have, room)
					    : read_fd(s->input.fd, s->buf + have, room);
		if (n <= 0) {
			s->eof = true;
			s->error = n < 0 ? (int)-n : 0;
		} else {
			have += (size_t)n;
		}
	}
	s->end = s->buf + have;
	memset(s->buf + have, 0, LAPSOURCE_SLACK);
	if (have >= want)
		return 1;
	return s->error ? -LAP_E_IO : 0;
}

void
lapsource_close(struct lapsource *s)
{
	free(s->buf);
	*s = (struct lapsource){ 0 };
}
