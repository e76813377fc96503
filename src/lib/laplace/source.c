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
lapsource_more(struct lapsource *s)
{
	size_t have = (size_t)(s->end - s->p);
	if (s->eof || have == LAPSOURCE_WINDOW)
		return s->error ? -LAP_E_IO : 0;
	if (have && s->p != s->buf)
		memmove(s->buf, s->p, have);
	s->base += (uint64_t)(s->p - s->buf);
	s->p = s->buf;
	size_t room = LAPSOURCE_WINDOW - have;
	ptrdiff_t n = s->input.read ? s->input.read(s->input.self, s->buf + have, room)
				    : read_fd(s->input.fd, s->buf + have, room);
	s->eof = n <= 0;
	s->error = n < 0 ? (int)-n : 0;
	have += n > 0 ? (size_t)n : 0;
	s->end = s->buf + have;
	memset(s->buf + have, 0, LAPSOURCE_SLACK);
	return n > 0 ? 1 : n < 0 ? -LAP_E_IO
				 : 0;
}

int
lapsource_fill(struct lapsource *s, size_t want)
{
	int rc = 1;
	while (rc > 0 && (size_t)(s->end - s->p) < want)
		rc = lapsource_more(s);
	return rc;
}

void
lapsource_close(struct lapsource *s)
{
	free(s->buf);
	*s = (struct lapsource){ 0 };
}
