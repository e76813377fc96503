/* SPDX-License-Identifier: MIT */
/* hooks_probe: a tool that does what its arguments say.
 *
 *   log=FILE   writes what it is told
 *   change     drops and changes records as hooks.py does with their text
 *   bad=WHAT   does what it may not, at record at=N (from 0) of all */
#include "laplace_hooks.h"

#include <stdio.h>
#include <string.h>

static FILE *out;
static const char *bad;
static uint64_t at_record, seen;
static bool changes;
static char name[LAP_NAME_MAX + 1];

static bool
is_bad(const char *what)
{
	return bad && strcmp(bad, what) == 0 && (seen == at_record || strcmp(what, "begin") == 0 || strcmp(what, "finish") == 0);
}

static int
begin(struct laplace_run *r)
{
	static const char *const words[] = { "no", "yes", NULL };
	const char *log = r->argument(r, "log");
	int word = 0;
	seen = 0;
	at_record = 0;
	changes = r->argument(r, "change") != NULL;
	bad = r->argument(r, "bad");
	int rc = r->number(r, "at", 0, 1000000, &at_record);
	if (rc == 0)
		rc = r->word(r, "loud", words, &word);
	if (log && !(out = fopen(log, r->ahead ? "w" : "a")))
		return r->fail(r, "%s cannot be written", log);
	if (out)
		(void)fprintf(out, "begin%s%s\n", r->ahead ? " ahead" : "", word ? " loud" : "");
	return rc < 0 ? rc : is_bad("begin") ? -7
					     : 0;
}

static int
filter_ref(struct laplace_run *r, const struct lap_place *at, struct lap_record *ref)
{
	(void)at;
	if (is_bad("back"))
		ref->ts = 0;
	else if (is_bad("kind"))
		ref->kind = 'x';
	else if (is_bad("empty"))
		ref->length = 0;
	else if (is_bad("wrap"))
		ref->addr = UINT32_MAX;
	else if (is_bad("type"))
		ref->type = ref->type == LAP_REF ? LAP_PAGE : LAP_REF;
	else if (is_bad("argument"))
		(void)r->argument(r, "late");
	else if (is_bad("stop"))
		return -3;
	else if (is_bad("return"))
		return 2;
	else if (is_bad("fail"))
		(void)r->fail(r, "it does not like %c", ref->kind);
	seen++;
	if (!changes)
		return LAPLACE_KEEP;
	ref->ts |= 7;
	ref->addr ^= ref->kind == 'w' ? 0x1000 : 0;
	return (ref->addr >> 2) % 3 == 0 ? LAPLACE_DROP : LAPLACE_KEEP;
}

static int
filter_event(struct laplace_run *r, const struct lap_place *at, struct lap_event *ev)
{
	(void)r;
	(void)at;
	if (is_bad("tag"))
		ev->tag = 'U';
	else if (is_bad("code"))
		ev->code = 3;
	else if (is_bad("range"))
		ev->arg[LAP_LENGTH] = 0;
	else if (is_bad("digits"))
		ev->arg[LAP_PID] = UINT64_MAX;
	else if (is_bad("name"))
		ev->name = "two\nlines", ev->name_len = 9;
	seen++;
	if (!changes)
		return LAPLACE_KEEP;
	ev->ts |= 7;
	if (ev->tag == 'M') {
		ev->arg[LAP_INODE] ^= 1;
		(void)snprintf(name, sizeof(name), "new-%.*s", (int)ev->name_len, ev->name);
		ev->name = name;
		ev->name_len = strlen(name);
	}
	return ev->tag == 'C' || ev->tag == 'q' ? LAPLACE_DROP : LAPLACE_KEEP;
}

static int
ref(struct laplace_run *r, const struct lap_place *at, const struct lap_record *rec)
{
	(void)r;
	if (out)
		(void)fprintf(out, "%s %u %c %llx %x\n", at->file, (unsigned)at->cpu, rec->kind, (unsigned long long)rec->ts, (unsigned)rec->addr);
	return bad && strcmp(bad, "alone") == 0 && seen > at_record;
}

static int
event(struct laplace_run *r, const struct lap_place *at, const struct lap_event *ev)
{
	(void)r;
	if (out)
		(void)fprintf(out, "%s:%llu %c %llx\n", at->file, (unsigned long long)at->line, ev->tag, (unsigned long long)ev->ts);
	return 0;
}

static int
finish(struct laplace_run *r)
{
	(void)r;
	if (out)
		(void)fprintf(out, "finish\n");
	if (out)
		(void)fclose(out);
	out = NULL;
	return is_bad("finish") ? -9 : 0;
}

const struct laplace_hooks laplace_tool = {
	LAPLACE_HOOKS_HEAD,
	.name = "probe",
	.begin = begin,
	.filter_ref = filter_ref,
	.filter_event = filter_event,
	.ref = ref,
	.event = event,
	.finish = finish,
};
