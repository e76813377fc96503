/* SPDX-License-Identifier: MIT */
/* clkoff: the table of clock offsets between hosts. Defined in doc/format/trace.md, "Clock offsets". */
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LINE_SIZE = 1024,             /* longer lines are refused */
	HOSTS_MAX = 65536,            /* far above any machine; bounds what a bad table can cost, */
	TABLE_MAX = 64 * 1024 * 1024, /* and so does its size in bytes */
};

int
clkoff_bad(const struct clock_table *tab, const char *fmt, ...)
{
	char why[512];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return diag_error(tab->trace->diag, ERR_CLOCK_TABLE, NULL, "%s, line %zu: %s\nhint: a line is: %s", tab->path, tab->line, why, tab->columns);
}

int
clkoff_add(struct clock_table *tab, const char *host, size_t n, int64_t offset)
{
	struct trace *t = tab->trace;
	if (tab->n == HOSTS_MAX)
		return clkoff_bad(tab, "more than %d hosts", HOSTS_MAX);
	host = arena_strndup(&t->arena, host, n);
	if (!host || !arena_grow(&t->arena, &tab->entries, tab->n, &tab->cap, sizeof(*tab->entries)))
		return diag_no_memory(t->diag);
	tab->entries[tab->n++] = (struct clock_entry){ .host = host, .offset = offset, .line = tab->line };
	return 0;
}

/* The next field of a line, NUL-terminated; NULL when there is none. */
static char *
field(char **p)
{
	char *s = *p + strspn(*p, " \t\r\n\v\f");
	if (!*s)
		return NULL;
	char *end = s + strcspn(s, " \t\r\n\v\f");
	*p = *end ? end + 1 : end;
	*end = 0;
	return s;
}

/* An integer is taken as it is: a double would lose the last digits of a large one.
 * Returns whether it fits; *end is the text that is not part of the number. */
static bool
parse_offset(const char *f, char **end, int64_t *offset)
{
	errno = 0;
	long long exact = strtoll(f, end, 10);
	double v = (double)exact;
	bool integer = *end != f && !**end && !errno;
	if (!integer)
		v = strtod(f, end);
	/* Also refuses nan; the bounds leave room to add any clock. */
	if (!(v > -9.2e18 && v < 9.2e18))
		return false;
	*offset = integer ? exact : (int64_t)v;
	return true;
}

static int
parse_line(struct clock_table *tab, char *text)
{
	static const char *const names[] = { "rank", "hostname", "offset_median", "offset_mean", "offset_std" };
	char *rest = text;
	char *host = NULL;
	const char *median = NULL;
	int64_t offset = 0;
	bool fits = true;
	for (int i = 0; i < 5; i++) {
		char *f = field(&rest);
		if (!f)
			return clkoff_bad(tab, "the field %s is missing", names[i]);
		char *end = f;
		if (i == 0)
			(void)strtol(f, &end, 10);
		else if (i == 2)
			fits = parse_offset(median = f, &end, &offset);
		else if (i > 2)
			(void)strtod(f, &end);
		if (i == 1)
			host = f;
		else if (end == f || *end)
			return clkoff_bad(tab, "the field %s is not a number: %s", names[i], f);
	}
	if (!fits)
		return clkoff_bad(tab, "the offset %g does not fit in 64 bits", strtod(median, NULL));
	return clkoff_add(tab, host, strlen(host), offset);
}

/* The next line, without its end. 1 line, 0 end of the file, <0 (reported). */
static int
next_line(struct clock_table *tab, char text[LINE_SIZE])
{
	size_t n = 0;
	int c = getc_unlocked(tab->f);
	if (c == EOF)
		return ferror(tab->f) ? diag_io(tab->trace->diag, ERR_READ, "read", tab->path, errno) : 0;
	tab->line++;
	for (; c != EOF && c != '\n'; c = getc_unlocked(tab->f)) {
		if (n == LINE_SIZE - 2)
			return clkoff_bad(tab, "the line is longer than %d bytes", LINE_SIZE - 2);
		if (c == 0 && tab->line > 1)
			return clkoff_bad(tab, "this is no text: it has NUL bytes");
		text[n++] = (char)c;
	}
	text[n] = 0;
	return 1;
}

/* Reads a table of constant offsets. */
static int
parse(struct clock_table *tab)
{
	char text[LINE_SIZE];
	int rc;
	while ((rc = next_line(tab, text)) > 0) {
		if (tab->line == 1) /* titles, whatever they say */
			continue;
		if (!text[strspn(text, " \t\r\n\v\f")])
			continue;
		if ((rc = parse_line(tab, text)) < 0)
			return rc;
	}
	if (rc < 0)
		return rc;
	if (tab->n)
		return 0;
	bool titles = tab->line > 0;
	tab->line = titles ? tab->line : 1;
	return clkoff_bad(tab, "%s", titles ? "the table has a header but no entries" : "the table is empty");
}

static int
by_host(const void *a, const void *b)
{
	const struct clock_entry *x = a;
	const struct clock_entry *y = b;
	int c = strcmp(x->host, y->host);
	return c ? c : (x->line > y->line) - (x->line < y->line);
}

/* Compares the host of a loom, its name up to the first dot, with that of an entry. */
static int
is_host(const void *loom, const void *entry)
{
	const char *host = ((const struct clock_entry *)entry)->host;
	size_t n = strcspn(loom, ".");
	int c = strncmp(loom, host, n);
	return c ? c : -(host[n] != 0);
}

static int
apply(struct clock_table *tab)
{
	struct trace *t = tab->trace;
	if (!tab->entries) /* an empty table was refused */
		return 0;
	qsort(tab->entries, tab->n, sizeof(*tab->entries), by_host);
	for (size_t k = 1; k < tab->n; k++) {
		tab->line = tab->entries[k].line;
		if (strcmp(tab->entries[k].host, tab->entries[k - 1].host) == 0)
			return clkoff_bad(tab, "the host %s is already in the table", tab->entries[k].host);
	}
	for (size_t i = 0; i < t->nstreams; i++) {
		struct stream *s = &t->streams[i];
		struct clock_entry *e = !s->meta.loom ? NULL : bsearch(s->meta.loom, tab->entries, tab->n, sizeof(*e), is_host);
		if (!e)
			continue;
		e->used = true;
		s->clock_offset = e->offset;
		if (e->drift.n) {
			s->drift = arena_new(&t->arena, struct drift, 1);
			if (!s->drift)
				return diag_no_memory(t->diag);
			*s->drift = e->drift;
			s->clock_offset = e->drift.offset[0];
		}
	}
	for (size_t k = 0; k < tab->n; k++)
		if (!tab->entries[k].used)
			return diag_error(t->diag, ERR_CLOCK_TABLE, NULL,
				"%s: no loom runs on the host %s\n"
				"hint: the host of a loom is its name up to the first dot",
				tab->path, tab->entries[k].host);
	bool drifts = tab->entries[0].drift.n > 0;
	diag_info(t->diag, "clock offsets%s of %zu hosts from %s", drifts ? ", with their drift," : "", tab->n, tab->path);
	return drifts ? drift_install(t) : 0;
}

/* A FIFO of that name must not hang us. NULL with errno set. */
static FILE *
open_table(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	if (fd < 0)
		return NULL;
	bool known = fstat(fd, &st) == 0;
	if (known && S_ISREG(st.st_mode) && st.st_size <= TABLE_MAX)
		return fdopen(fd, "r");
	(void)close(fd);
	errno = known && S_ISDIR(st.st_mode) ? EISDIR : known && S_ISREG(st.st_mode) ? EFBIG
										     : EINVAL;
	return NULL;
}

int
clkoff_apply(struct trace *t)
{
	const char *path = t->options.clock_table;
	if (!path)
		path = arena_printf(&t->arena, "%s/clock-offsets.txt", t->dir);
	if (!path)
		return diag_no_memory(t->diag);
	FILE *f = open_table(path);
	if (!f) {
		if (errno == ENOENT && !t->options.clock_table)
			return 0;
		return diag_io(t->diag, ERR_CLOCK_TABLE, "open the clock offset table", path, errno);
	}
	struct clock_table tab = { .trace = t, .path = path, .f = f, .columns = "rank hostname offset_median offset_mean offset_std" };
	t->has_clock_table = true;
	int rc = drift_probe(f) ? drift_parse(&tab) : parse(&tab);
	(void)fclose(f);
	return rc < 0 ? rc : apply(&tab);
}
