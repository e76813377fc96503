/* SPDX-License-Identifier: MIT */
/* read: the lines of a text: directives, and events of threads. */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* Takes the thread that a word names: TID, PID/TID or LOOM:PID/TID. NULL: not one (reported). */
static struct text_thread *
find(struct text *x, const char *who)
{
	const char *slash = strrchr(who, '/');
	const char *colon = slash ? strrchr(who, ':') : NULL;
	const char *tid = slash ? slash + 1 : who;
	const char *pid = colon ? colon + 1 : who;
	char *end;
	long number = strtol(tid, &end, 10);
	struct text_thread *found = NULL;
	size_t n = 0;
	if (*end || end == tid)
		return (void)text_error(x, "'%s' is no thread: TID, PID/TID or LOOM:PID/TID", who), NULL;
	for (struct text_thread *t = idmap_find(&x->by_tid, (uint32_t)number); t; t = t->alike) {
		const struct text_proc *p = t->proc;
		if (slash && strtol(pid, NULL, 10) != p->pid)
			continue;
		if (colon && (strlen(p->loom->name) != (size_t)(colon - who) || strncmp(p->loom->name, who, (size_t)(colon - who)) != 0))
			continue;
		found = t;
		n++;
	}
	if (n == 1)
		return found;
	if (n == 0)
		(void)text_error(x, "there is no thread %s", who);
	else
		(void)text_error(x, "%zu threads are called %s: PID/TID or LOOM:PID/TID tells which", n, who);
	return NULL;
}

/* A thread that does not say what it requires requires the models of its events. */
static int
use(struct text *x, struct text_thread *t, const char *mcv)
{
	const struct place at = { .file = x->file, .line = x->line };
	const struct model *m = modelset_find(x->tool->catalog.models, (uint8_t)mcv[0]);
	if (!catalog_find(&x->tool->catalog, (const uint8_t *)mcv))
		often_add(&x->unknown, &at, "no model knows the event %.3s: its arguments are taken as they are", mcv);
	if (!m || m->always || t->told)
		return 0;
	for (size_t i = 0; i < t->nrequire; i++)
		if (strcmp(t->require[i].model, m->name) == 0)
			return 0;
	if (!arena_grow(&x->tool->arena, &t->require, t->nrequire, &t->cap_require, sizeof(*t->require)))
		return diag_no_memory(&x->tool->conv.diag);
	t->require[t->nrequire++] = (struct require_meta){ m->name, m->version };
	return 0;
}

/* Cuts bytes from the end of the stream. */
static int
truncate_stream(struct text *x, struct text_thread *t, const char *word)
{
	bool negative;
	uint64_t n;
	if (!text_number(word, &negative, &n) || negative || n > t->size)
		return text_error(x, "the stream has %zu bytes so far: '%s' cannot be cut from it", t->size, word);
	t->size -= (size_t)n;
	return 0;
}

/* WHO CLOCK MCV ARGS. The letters may be quotes or '#': the first three words are taken by hand. */
static int
take_event(struct text *x, struct words *w, char *line)
{
	char *field[3] = { NULL, NULL, NULL };
	char *p = line;
	for (int i = 0; i < 3; i++) {
		field[i] = p;
		p += strcspn(p, " \t");
		if (*p)
			*p++ = 0;
		p += strspn(p, " \t");
	}
	struct text_thread *t = find(x, field[0]);
	if (!t)
		return -1;
	bool raw = strcmp(field[1], "raw") == 0;
	if (raw || strcmp(field[1], "truncate") == 0) {
		char *rest = field[2];
		if (*p)
			rest[strlen(rest)] = ' ';
		if (words_split(x, w, rest) < 0)
			return -1;
		if (raw)
			return w->n ? text_add_hex(x, t, w, 0, w->n) : text_error(x, "bytes in hexadecimal are missing");
		return w->n == 1 ? truncate_stream(x, t, w->items[0]) : text_error(x, "truncate needs a number of bytes");
	}
	bool negative;
	uint64_t clock;
	if (!text_number(field[1], &negative, &clock))
		return text_error(x, "'%s' is no clock in ns", field[1]);
	if (strlen(field[2]) != 3)
		return text_error(x, "an event has three letters, not '%s'", field[2]);
	if (words_split(x, w, p) < 0 || text_add_event(x, t, field[2], negative ? -clock : clock, w, 0) < 0)
		return -1;
	return use(x, t, field[2]);
}

static int
take_line(struct text *x, struct words *w, char *line)
{
	size_t n = strlen(line);
	while (n && isspace((unsigned char)line[n - 1]))
		line[--n] = 0;
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	size_t first = strcspn(line, " \t");
	if (!isalpha((unsigned char)*line) || memchr(line, ':', first))
		return take_event(x, w, line);
	int rc = words_split(x, w, line);
	return rc == 0 ? text_directive(x, w, line) : rc;
}

int
text_read(struct text *x, FILE *f)
{
	struct words w = { 0 };
	char *line = NULL;
	size_t cap = 0;
	ssize_t n = 0;
	int rc = 0;
	while (rc == 0 && (n = getline(&line, &cap, f)) >= 0) {
		x->line++;
		if (memchr(line, 0, (size_t)n))
			rc = text_error(x, "the line has a NUL byte");
		else
			rc = take_line(x, &w, line);
	}
	if (rc == 0 && ferror(f))
		rc = conv_error(&x->tool->conv, "read", "cannot read %s: %s", x->file, strerror(errno));
	free(line);
	words_free(&w);
	if (rc == 0 && !x->threads)
		rc = text_error(x, "the text has no thread: it needs the lines loom, proc and thread");
	if (rc == 0)
		often_report(&x->tool->conv.diag, &x->unknown, "events");
	return rc;
}

void
text_free(struct text *x)
{
	for (struct text_thread *t = x->threads; t; t = t->next)
		block_free(t->data);
}
