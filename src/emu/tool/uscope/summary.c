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
	struct tool *tool;
	struct source *src;
	struct wbuf *w;
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
json_mipmap(struct wbuf *w, const uscope_mipmap_t *m)
{
	json_u64(w, "min", m->min);
	json_u64(w, "max", m->max);
	json_u64(w, "sum", m->sum);
}

/* The buckets of a level: of the density, or of a counter. */
static void
put_buckets(struct overview *o, int64_t counter)
{
	uint32_t n = 0;
	const uint32_t *counts = NULL;
	const uscope_mipmap_t *m = NULL;
	if (counter < 0)
		counts = uscope_summary_data(o->src->reader, (uint32_t)o->level, &n);
	else
		m = uscope_summary_counter_data(o->src->reader, (uint32_t)counter, (uint32_t)o->level, &n);
	n = counts || m ? n : 0;
	if (o->tool->json)
		json_open(o->w, "buckets", '[');
	else
		wbuf_printf(o->w, "  level %" PRId64 ", %" PRIu32 " buckets\n", o->level, n);
	for (uint32_t i = 0; i < n && !utool_stop(o->tool); i++) {
		if (!o->tool->json) {
			put_str(o->w, "    ");
			show_time(o->w, bucket_time(o, i));
		}
		if (counts && o->tool->json) {
			json_u64(o->w, NULL, counts[i]);
		} else if (counts) {
			wbuf_printf(o->w, "  %" PRIu32 "\n", counts[i]);
		} else if (o->tool->json) {
			json_open(o->w, NULL, '{');
			json_mipmap(o->w, &m[i]);
			json_close(o->w, '}');
		} else {
			wbuf_printf(o->w, "  min %" PRIu64 ", max %" PRIu64 ", sum %" PRIu64 "\n", m[i].min, m[i].max, m[i].sum);
		}
	}
	if (o->tool->json)
		json_close(o->w, ']');
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
	const schema_t *s = o->src->schema;
	uscope_mipmap_t all = whole(o, counter, levels);
	if (o->tool->json) {
		json_open(o->w, NULL, '{');
		json_text(o->w, "name", name, length);
		json_u64(o->w, "storage_id", storage);
		json_u64(o->w, "levels", levels);
		json_mipmap(o->w, &all);
	} else {
		put_str(o->w, "counter ");
		put_quoted(o->w, name, length);
		put_str(o->w, storage < s->num_storages ? " of " : "");
		if (storage < s->num_storages)
			show_path(o->src, s->storages[storage].scope, NULL, s->storages[storage].name);
		wbuf_printf(o->w, ": %" PRIu32 " level%s, min %" PRIu64 ", max %" PRIu64 ", sum %" PRIu64 "\n",
			levels, levels == 1 ? "" : "s", all.min, all.max, all.sum);
	}
	if (o->level != NO_LEVEL)
		put_buckets(o, counter);
	if (o->tool->json)
		json_close(o->w, '}');
}

static void
put_summary(struct overview *o)
{
	const uscope_summary_t *i = &o->info;
	uint32_t levels = uscope_summary_levels(o->src->reader);
	if (o->tool->json) {
		json_open(o->w, NULL, '{');
		json_u64(o->w, "base_interval_cycles", i->base_interval_cycles);
		json_u64(o->w, "fan_out", i->fan_out);
		json_bool(o->w, "legacy", i->legacy);
		json_u64(o->w, "total_instructions", i->total_instructions);
		json_open(o->w, "density", '{');
		json_u64(o->w, "levels", levels);
	} else {
		uint32_t period = o->src->schema->clocks[0].period_ps;
		put_str(o->w, "buckets of ");
		wbuf_printf(o->w, "%" PRIu32 " cycles (", i->base_interval_cycles);
		show_time(o->w, (uint64_t)i->base_interval_cycles * (period ? period : 1));
		wbuf_printf(o->w, "), %" PRIu32 " of a level in one of the next\n", i->fan_out);
		if (!i->legacy)
			wbuf_printf(o->w, "density: %" PRIu64 " instructions, %" PRIu32 " level%s\n", i->total_instructions, levels, levels == 1 ? "" : "s");
	}
	if (o->level != NO_LEVEL && !i->legacy)
		put_buckets(o, -1);
	if (o->tool->json) {
		json_close(o->w, '}');
		json_open(o->w, "counters", '[');
	}
	for (uint32_t c = 0; c < i->num_counters && !utool_stop(o->tool); c++)
		put_counter(o, c);
	if (o->tool->json) {
		json_close(o->w, ']');
		json_end(o->w);
	}
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

static int
run(struct tool *t, int argc, char **argv)
{
	struct overview o = { .tool = t, .src = &t->in[0], .w = &t->out, .level = NO_LEVEL };
	uint64_t level = UINT64_MAX;
	const struct tool_option own[] = {
		{ { 0, "level", "N", "also the buckets of this level; 0 is the finest" }, TAKE_NUMBER, &level },
		{ { 0, "counter", "NAME", "only counters of this name, with * and ?" }, TAKE_TEXT, &o.counter },
	};
	if (!utool_begin(t, UTOOL_OPTIONS(own), argc, argv))
		return t->status;
	o.level = level == UINT64_MAX ? NO_LEVEL : (int64_t)level;
	if (!uscope_summary_info(o.src->reader, &o.info)) {
		put_str(o.w, t->json ? "null\n" : "no summary\n");
		if (!uscope_is_complete(o.src->reader))
			utool_warn(t, "%s is not finished: the summary is written at the end", o.src->path);
		return STATUS_GOOD;
	}
	if (!has_counter(&o))
		return utool_usage(t, "no counter in %s is named '%s'", o.src->path, o.counter);
	put_summary(&o);
	return STATUS_GOOD;
}

const struct command command_summary = {
	.name = "summary",
	.synopsis = "[options] FILE",
	.brief = "overview: density and counters",
	.about = "Print the summary of a trace: density and counters over time.",
	.with = WITH_JSON | WITH_MODE | WITH_OUTPUT,
	.run = run,
};
