/* SPDX-License-Identifier: MIT */
#include "filter.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One character of the name of an event: itself, '?', or \xNN as odd ones are printed.
 * Returns what is behind it. */
static const char *
read_letter(const char *p, uint8_t *c, bool *any)
{
	*any = *p == '?';
	*c = (uint8_t)*p;
	if (p[0] != '\\' || p[1] != 'x' || !isxdigit((unsigned char)p[2]) || !isxdigit((unsigned char)p[3]))
		return p + 1;
	(void)sscanf(p + 2, "%2hhx", c);
	return p + 4;
}

static bool
read_mcv(const char *text, struct filter_value *v)
{
	const char *p = text;
	for (int i = 0; i < 3; i++) {
		v->any[i] = !*p; /* a shorter one is a beginning */
		if (*p)
			p = read_letter(p, &v->mcv[i], &v->any[i]);
	}
	return *text && !*p;
}

static bool
read_number(const char *text, int64_t *out)
{
	char *end;
	errno = 0;
	*out = strtol(text, &end, 10);
	return end != text && !*end && !errno && *out > 0;
}

static int
no_memory(const struct cli *cli)
{
	(void)fprintf(stderr, "%s: error[memory]: out of memory\n", cli->program);
	return CLI_FAILED;
}

static int
add_value(struct filter *f, const struct cli *cli, int id, const char *text)
{
	struct filter_value v = { .glob = text };
	switch (id) {
	case 'e':
		if (!read_mcv(text, &v))
			return cli_usage(cli, "an event has one to three characters, not '%s'", text);
		break;
	case 't':
	case 'p':
		if (!read_number(text, &v.number))
			return cli_usage(cli, "-%c needs a number above 0, not '%s'", id, text);
		break;
	default: break;
	}
	struct filter_value *copy = arena_new(&f->arena, struct filter_value, 1);
	if (!copy)
		return no_memory(cli);
	*copy = v;
	copy->next = f->values[id];
	f->values[id] = copy;
	return 0;
}

static int
add_values(struct filter *f, const struct cli *cli, int id, const char *arg)
{
	int rc = 0;
	for (const char *p = arg; p && rc == 0;) {
		size_t n = strcspn(p, ",");
		char *text = arena_strndup(&f->arena, p, n);
		rc = text ? add_value(f, cli, id, text) : no_memory(cli);
		p = p[n] ? p + n + 1 : NULL;
	}
	return rc;
}

int
filter_option(struct filter *f, const struct cli *cli, int id, const char *arg)
{
	const char *why;
	if (id == 'm' && plugin_is_file(arg))
		return cli_list_add(cli, "--model", &f->plugins->files, arg);
	switch (id) {
	case FILTER_FROM:
	case FILTER_TO:
		if (!when_parse(arg, id == FILTER_FROM ? &f->from : &f->to, &why))
			return cli_usage(cli, "--%s=%s: %s", id == FILTER_FROM ? "from" : "to", arg, why);
		f->has_from = f->has_from || id == FILTER_FROM;
		f->has_to = f->has_to || id == FILTER_TO;
		return 0;
	default: return add_values(f, cli, id, arg);
	}
}

int
filter_models(struct filter *f, const struct cli *cli, int opt, struct diag *d)
{
	if (opt == CLI_END)
		opt = plugins_load(f->plugins, cli, d);
	for (const struct filter_value *v = f->values['m']; v && opt == CLI_END; v = v->next) {
		const char *text = v->glob;
		const struct model *m = modelset_named(&f->plugins->set, text, strlen(text));
		/* A letter may be of an unknown model. */
		if (!m && (!*text || text[1]))
			return cli_usage(cli, "there is no model '%s'", text);
		f->models[m ? (uint8_t)m->id : (uint8_t)*text] = true;
		f->has_models = true;
	}
	return opt;
}

/* The clock of a time, kept within its type. */
static int64_t
clock_of(const struct when *w, int64_t origin, bool shown_relative)
{
	int64_t sum;
	if (!w->relative && !shown_relative)
		return w->ns;
	if (__builtin_add_overflow(w->ns, origin, &sum))
		return w->ns > 0 ? INT64_MAX : INT64_MIN;
	return sum;
}

void
filter_range(struct filter *f, int64_t origin, bool shown_relative)
{
	f->first = f->has_from ? clock_of(&f->from, origin, shown_relative) : INT64_MIN;
	f->last = f->has_to ? clock_of(&f->to, origin, shown_relative) : INT64_MAX;
}

static bool
has_number(const struct filter_value *list, int64_t number)
{
	for (const struct filter_value *v = list; v; v = v->next)
		if (v->number == number)
			return true;
	return !list;
}

static bool
has_name(const struct filter_value *list, const char *name)
{
	for (const struct filter_value *v = list; v; v = v->next)
		if (name && fnmatch(v->glob, name, 0) == 0)
			return true;
	return !list;
}

bool
filter_takes_stream(const struct filter *f, const struct stream *s)
{
	return has_name(f->values['s'], s->relpath) && has_name(f->values['l'], s->meta.loom) &&
		has_number(f->values['p'], s->meta.pid) && has_number(f->values['t'], s->meta.tid);
}

bool
filter_takes_name(const struct filter *f, const uint8_t mcv[3])
{
	if (f->has_models && !f->models[mcv[0]])
		return false;
	for (const struct filter_value *v = f->values['e']; v; v = v->next)
		if ((v->any[0] || v->mcv[0] == mcv[0]) && (v->any[1] || v->mcv[1] == mcv[1]) && (v->any[2] || v->mcv[2] == mcv[2]))
			return true;
	return !f->values['e'];
}

void
filter_report(const struct filter *f, struct diag *d, uint64_t n)
{
	bool any = f->has_from || f->has_to || f->has_models;
	for (size_t i = 0; i < sizeof(f->values) / sizeof(f->values[0]); i++)
		any = any || f->values[i];
	if (any && n == 0)
		diag_info(d, "no event matched");
}

void
filter_finish(struct filter *f)
{
	arena_finish(&f->arena);
}
