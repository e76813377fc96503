/* SPDX-License-Identifier: MIT */
/* summary: the pyramids of buckets that a file has for overviews. */
#include "show.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
	NO_LEVEL = -1,
};

struct overview {
	struct source *src;
	uscope_summary_t info;
	int64_t level;
	const char *counter; /* pattern, NULL: all */
};

/* Time of the begin of a bucket. */
static uint64_t
bucket_time(const struct overview *o, uint32_t bucket)
{
	uint32_t period = o->src->schema->clocks[0].period_ps;
	uint64_t ps = (uint64_t)o->info.base_interval_cycles;
	bool over = __builtin_mul_overflow(ps, period ? period : 1, &ps);
	for (int64_t i = 0; i < o->level && ps && !over; i++)
		over = __builtin_mul_overflow(ps, o->info.fan_out, &ps);
	over = over || __builtin_mul_overflow(ps, bucket, &ps);
	return over && bucket ? UINT64_MAX : bucket ? ps
						    : 0;
}

static void
show_mipmap(const struct source *s, const uscope_mipmap_t *m)
{
	show_u64(s, "min", "min ", m->min);
	show_u64(s, "max", ", max ", m->max);
	show_u64(s, "sum", ", sum ", m->sum);
}

/* The buckets of a level: of the density, or of a counter. */
static void
put_buckets(struct overview *o, int64_t counter)
{
	const struct source *s = o->src;
	bool json = s->tool->json;
	uint32_t n = 0;
	const uint32_t *counts = NULL;
	const uscope_mipmap_t *m = NULL;
	if (counter < 0)
		counts = uscope_summary_data(s->reader, (uint32_t)o->level, &n);
	else
		m = uscope_summary_counter_data(s->reader, (uint32_t)counter, (uint32_t)o->level, &n);
	n = counts || m ? n : 0;
	if (!json)
		wbuf_printf(s->w, "  level %" PRId64 ", %" PRIu32 " buckets\n", o->level, n);
	show_open(s, "buckets", '[', "");
	for (uint32_t i = 0; i < n && !utool_stop(s->tool); i++) {
		if (!json) {
			put_str(s->w, "    ");
			show_time(s->w, bucket_time(o, i));
			put_str(s->w, "  ");
		}
		if (counts) {
			show_u64(s, NULL, "", counts[i]);
		} else {
			show_open(s, NULL, '{', "");
			show_mipmap(s, &m[i]);
			show_close(s, '}', "");
		}
		put_str(s->w, json ? "" : "\n");
	}
	show_close(s, ']', "");
}

/* A counter over the whole trace, from its coarsest level. */
static uscope_mipmap_t
whole(const struct overview *o, uint32_t counter, uint32_t levels)
{
	uscope_mipmap_t all = { 0 };
	uint32_t n = 0;
	const uscope_mipmap_t *m = levels ? uscope_summary_counter_data(o->src->reader, counter, levels - 1, &n) : NULL;
	for (uint32_t i = 0; m && i < n; i++) {
		all.min = i && all.min < m[i].min ? all.min : m[i].min;
		all.max = all.max > m[i].max ? all.max : m[i].max;
		all.sum += m[i].sum;
	}
	return all;
}

/* Names are not checked by the format, and not terminated. */
static bool
is_wanted(const struct overview *o, const char *name, uint32_t length)
{
	if (!o->counter)
		return true;
	char *copy = strndup(name, length);
	bool good = copy && fnmatch(o->counter, copy, 0) == 0;
	free(copy);
	return good;
}

static void
put_counter(struct overview *o, uint32_t counter)
{
	const char *name;
	uint32_t length, levels;
	uint16_t storage;
	if (!uscope_summary_counter_info(o->src->reader, counter, &name, &length, &storage, &levels) || !is_wanted(o, name, length))
		return;
	const uscope_schema_t *schema = o->src->schema;
	uscope_mipmap_t all = whole(o, counter, levels);
	if (o->src->tool->json) {
		json_open(o->src->w, NULL, '{');
		json_text(o->src->w, "name", name, length);
		json_u64(o->src->w, "storage_id", storage);
		json_u64(o->src->w, "levels", levels);
	} else {
		put_str(o->src->w, "counter ");
		put_quoted(o->src->w, name, length);
		put_str(o->src->w, storage < schema->num_storages ? " of " : "");
		if (storage < schema->num_storages)
			show_path(o->src, schema->storages[storage].scope, NULL, schema->storages[storage].name);
		wbuf_printf(o->src->w, ": %" PRIu32 " level%s, ", levels, levels == 1 ? "" : "s");
	}
	show_mipmap(o->src, &all);
	put_str(o->src->w, o->src->tool->json ? "" : "\n");
	if (o->level != NO_LEVEL)
		put_buckets(o, counter);
	show_close(o->src, '}', "");
}

static void
put_summary(struct overview *o)
{
	const uscope_summary_t *i = &o->info;
	uint32_t levels = uscope_summary_levels(o->src->reader);
	if (o->src->tool->json) {
		json_open(o->src->w, NULL, '{');
		json_u64(o->src->w, "base_interval_cycles", i->base_interval_cycles);
		json_u64(o->src->w, "fan_out", i->fan_out);
		json_bool(o->src->w, "legacy", i->legacy);
		json_u64(o->src->w, "total_instructions", i->total_instructions);
		json_open(o->src->w, "density", '{');
		json_u64(o->src->w, "levels", levels);
	} else {
		uint32_t period = o->src->schema->clocks[0].period_ps;
		put_str(o->src->w, "buckets of ");
		wbuf_printf(o->src->w, "%" PRIu32 " cycles (", i->base_interval_cycles);
		show_time(o->src->w, (uint64_t)i->base_interval_cycles * (period ? period : 1));
		wbuf_printf(o->src->w, "), %" PRIu32 " of a level in one of the next\n", i->fan_out);
		if (!i->legacy)
			wbuf_printf(o->src->w, "density: %" PRIu64 " instructions, %" PRIu32 " level%s\n", i->total_instructions, levels, levels == 1 ? "" : "s");
	}
	if (o->level != NO_LEVEL && !i->legacy)
		put_buckets(o, -1);
	show_close(o->src, '}', "");
	show_open(o->src, "counters", '[', "");
	for (uint32_t c = 0; c < i->num_counters && !utool_stop(o->src->tool); c++)
		put_counter(o, c);
	show_close(o->src, ']', "");
	put_str(o->src->w, o->src->tool->json ? "}\n" : "");
}

/* Whether there is one that is asked for, if one is. */
static bool
has_counter(const struct overview *o)
{
	for (uint32_t c = 0; o->counter && c < o->info.num_counters; c++) {
		const char *name;
		uint32_t length;
		if (uscope_summary_counter_info(o->src->reader, c, &name, &length, NULL, NULL) && is_wanted(o, name, length))
			return true;
	}
	return o->counter == NULL;
}

int
run_summary(struct conv *c, int argc, char **argv)
{
	struct tool *t = utool_of(c);
	struct overview o = { .src = &t->in[0], .level = NO_LEVEL };
	uint64_t level = UINT64_MAX;
	const struct cli_option own[] = {
		{ 0, "level", "N", "also the buckets of this level; 0 is the finest", CLI_NUMBER, &level, UINT32_MAX },
		{ 0, "counter", "NAME", "only counters of this name, with * and ?", CLI_TEXT, &o.counter },
	};
	if (!utool_begin(t, UTOOL_OPTIONS(own), argc, argv))
		return t->status;
	o.level = level == UINT64_MAX ? NO_LEVEL : (int64_t)level;
	if (!uscope_summary_info(o.src->reader, &o.info)) {
		put_str(&t->conv.out, t->json ? "null\n" : "no summary\n");
		if (!uscope_is_complete(o.src->reader))
			utool_warn(t, "%s is not finished: the summary is written at the end", o.src->path);
		return STATUS_GOOD;
	}
	if (!has_counter(&o))
		return conv_usage(&t->conv, "no counter in %s is named '%s'", o.src->path, o.counter);
	put_summary(&o);
	return STATUS_GOOD;
}
