/* SPDX-License-Identifier: MIT */
#include "heap.h"

#include "diag.h"
#include "prism/bits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct prismheap *
prismheap_get(struct prismheap **list, struct arena *a, struct diag *d, const char *path)
{
	for (struct prismheap *h = *list; h; h = h->next)
		if (strcmp(h->path, path) == 0)
			return h;
	struct prismheap *h = arena_new(a, struct prismheap, 1);
	if (!h) {
		(void)diag_no_memory(d);
		return NULL;
	}
	*h = (struct prismheap){ .next = *list, .path = path, .diag = d };
	return *list = h;
}

void
prismheap_finish(struct prismheap **list)
{
	for (struct prismheap *h = *list; h; h = h->next)
		arena_finish(&h->arena);
	*list = NULL;
}

/* Reads what the file has from a place on, up to n bytes. Returns them, or <0 (reported). */
static ssize_t
read_at(const struct prismheap *h, uint64_t at, uint8_t *to, size_t n)
{
	struct stat st;
	int fd = open(h->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return diag_io(h->diag, ERR_READ, "open", h->path, errno);
	ssize_t got = fstat(fd, &st);
	bool plain = got == 0 && S_ISREG(st.st_mode);
	if (plain)
		got = at < (uint64_t)st.st_size ? pread(fd, to, n, (off_t)at) : 0;
	int error = errno;
	(void)close(fd);
	if (got == 0 && !plain)
		return diag_error(h->diag, ERR_READ, NULL, "'%s' is no plain file", h->path);
	return got < 0 ? diag_io(h->diag, ERR_READ, "read", h->path, error) : got;
}

int
prismheap_find(struct prismheap *h, uint64_t number, const struct prismheap_name **name)
{
	uint8_t bytes[1 + PRISM_NAME_MAX] = { 0 };
	*name = idmap_find(&h->names, number);
	if (__builtin_expect(*name != NULL, 1))
		return 1;
	ssize_t n = read_at(h, number, bytes, sizeof(bytes));
	if (n < 2 || n - 2 < bytes[0])
		return n < 0 ? (int)n : 0;
	uint32_t len = bytes[0] + 1U;
	struct prismheap_name *add = arena_new(&h->arena, struct prismheap_name, 1);
	const char *text = add ? arena_strndup(&h->arena, (const char *)bytes + 1, len) : NULL;
	if (!text || idmap_add(&h->names, &h->arena, number, add) < 0)
		return diag_no_memory(h->diag);
	*add = (struct prismheap_name){ .text = text, .len = len, .is_text = prism_is_text(bytes + 1, len) };
	*name = add;
	return 1;
}
