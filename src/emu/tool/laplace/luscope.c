/* SPDX-License-Identifier: MIT */
/* The subcommand uscope: the machine over time as a µScope file. */
#include "luscope.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 uint128;

static const uint64_t ps_per_s = UINT64_C(1000000000000);

/* Checkpoints hold the state of all tables: rarely enough that they stay a small part. */
static const uint64_t checkpoint_bytes = 4 << 20;

/* ---- Frames. ---- */

/* The frame of a cycle, counted from the first one. 0, or <0 (reported). */
static int
frame(struct luscope *u, uint64_t rel)
{
	uint128 ps = (uint128)rel * ps_per_s / u->tool->freq;
	if (ps > INT64_MAX)
		return ltool_error(u->tool, "time", "%" PRIu64 " cycles after the first the time does not fit in 63 bits of picoseconds: is --freq right?", rel);
	u->rel = rel;
	if (u->framed && (uint64_t)ps == u->now)
		return 0;
	if (u->framed)
		uscope_end_cycle(u->w);
	u->now = (uint64_t)ps;
	u->framed = true;
	uscope_begin_cycle(u->w, u->now);
	ltables_clear(u);
	return uscope_writer_error(u->w) < 0 ? -1 : 0;
}

/* The first frame, or that of the next record with those of windows before it. */
static int
frame_of(struct luscope *u, uint64_t ts)
{
	if (!u->begun) {
		u->begun = true;
		u->first = ts;
		u->tick = u->tool->window;
		int rc = frame(u, 0);
		if (rc == 0)
			ltables_begin(u);
		return rc;
	}
	uint64_t rel = ts - u->first;
	int rc = 0;
	if (u->tool->no_refs && rel >= u->tick) {
		if (u->dirty_tasks || u->dirty_spaces)
			rc = frame(u, u->tick);
		ltables_flush(u);
		uint64_t n = rel / u->tool->window + 1;
		if (__builtin_mul_overflow(n, u->tool->window, &u->tick))
			u->tick = UINT64_MAX;
	}
	return rc < 0 ? rc : frame(u, rel);
}

/* ---- Events of the file: packed, little endian. ---- */

struct payload {
	uint8_t bytes[40];
	uint32_t n;
};

static void
put(struct payload *p, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		p->bytes[p->n++] = (uint8_t)(value >> (8 * i));
}

static void
send_event(struct luscope *u, uint16_t type, const struct payload *p)
{
	uscope_event_bytes(u->w, type, p->bytes, p->n);
}

static void
put_page(struct luscope *u, uint8_t class, uint64_t page, uint32_t space, uint64_t address)
{
	struct payload p = { .n = 0 };
	put(&p, class, 1);
	put(&p, page, 8);
	put(&p, space, 4);
	put(&p, address >> LAP_PAGE_SHIFT, 4);
	send_event(u, LU_PAGE, &p);
}

static void
put_switch(struct luscope *u)
{
	const struct lap_task *to = u->machine.running;
	struct payload p = { .n = 0 };
	if (u->running == to)
		return;
	put(&p, u->running ? u->running->pid : 0, 4);
	put(&p, to ? to->pid : 0, 4);
	send_event(u, LU_SWITCH, &p);
	u->running = u->machine.running;
}

static void
put_kevent(struct luscope *u, const struct lap_event *ev, const struct lap_step *step)
{
	enum { NUMBERS = 4 };
	struct payload p = { .n = 0 };
	uint64_t numbers[NUMBERS] = { 0 };
	int n = 0;
	const uint8_t *fields = lap_tags[ev->code - 1].fields;
	for (int i = 0; i < LAPKERNEL_FIELDS && fields[i] != LAP_END && n < NUMBERS; i++)
		if (fields[i] != LAP_NAME && fields[i] != LAP_FILE_TYPE && lap_has_field(u->tool->dialect, fields[i]))
			numbers[n++] = ev->arg[fields[i]];
	put(&p, ev->code, 1);
	put(&p, ltables_of(u, step->task)->slot, 2);
	for (int i = 0; i < NUMBERS; i++)
		put(&p, numbers[i], 8);
	send_event(u, LU_KEVENT, &p);
}

/* ---- Records. ---- */

static void
count(struct luscope *u, struct lu_task *e, int total, uint64_t n)
{
	e->n[total] += n;
	uscope_summary_add(u->w, u->counters[total], u->now, n);
}

static void
take_ref(struct luscope *u, const struct lap_record *rec, const struct lap_step *step)
{
	struct lu_task *e = ltables_of(u, step->task);
	struct lu_space *s = step->space ? step->space->user : NULL;
	unsigned kind = (lap_kinds[rec->kind] - 1u) % 3;
	uint64_t first = 0;
	e->mode = step->kernel ? 2 : 1;
	if (!step->kernel)
		e->section = LAP_SECTION_USER;
	else if (e->section == LAP_SECTION_USER)
		e->section = LAP_SECTION_UNKNOWN;
	ltables_cpu(u);
	count(u, e, LU_LOADS + (int)kind, 1);
	if (kind == 2)
		uscope_summary_density(u->w, u->now, 1);
	else
		count(u, e, LU_LOAD_BYTES + (int)kind, rec->length);
	for (int i = 0; i < step->ntouches; i++) {
		const struct lap_touch *t = &step->touch[i];
		bool kernel = t->addr >= u->machine.pages.kernel_base;
		int touched = s && !kernel ? lapcount_touch(&s->touched, t->page, 1) : LAPCOUNT_OLD;
		u->failed = u->failed || touched < 0;
		if (touched == LAPCOUNT_EVER)
			ltables_dirty_space(u, s);
		first += t->class != 0;
	}
	if (first)
		count(u, e, LU_NEW_PAGES, first);
	ltables_dirty_task(u, e);
	if (u->tool->no_refs)
		return;
	ltables_flush(u);
	struct payload p = { .n = 0 };
	put(&p, lap_kinds[rec->kind], 1);
	put(&p, rec->length, 1);
	put(&p, rec->space, 4);
	put(&p, rec->addr, 4);
	put(&p, e->slot, 2);
	put(&p, step->touch[0].page, 8);
	send_event(u, LU_REF, &p);
}

static void
put_pages(struct luscope *u, const struct lap_record *rec, const struct lap_step *step)
{
	for (int i = 0; i < step->ntouches; i++)
		if (step->touch[i].class)
			put_page(u, step->touch[i].class, step->touch[i].page, rec->space, step->touch[i].addr);
}

static void
take_event(struct luscope *u, const struct lap_event *ev, const struct lap_step *step)
{
	struct lu_task *e = ltables_of(u, step->task);
	int section = lap_section_of(ev->tag);
	lregions_event(u, ev, step);
	if (ev->tag == 'X' && ev->name && step->task) {
		e->program = lu_text(u, ev->name, ev->name_len);
		if (e->slot != LU_NO_SLOT)
			uscope_slot_set(u->w, LU_TASKS, e->slot, LU_TASK_PROGRAM, e->program);
	}
	if (section >= 0 && step->task && step->task == u->machine.running)
		e->section = (uint8_t)section;
	ltables_cpu(u);
	put_kevent(u, ev, step);
	if (step->copy)
		put_page(u, LAP_CLASS_COPY, step->copy, step->space->context, ev->arg[LAP_ADDRESS]);
}

static int
take_record(struct luscope *u, const struct lap_record *rec, const struct lap_place *at)
{
	struct lap_step step = { 0 };
	int rc = frame_of(u, rec->ts);
	if (rc < 0)
		return rc;
	int took = lapmachine_step(&u->machine, rec, at, &step);
	if (took < 0)
		return ltool_code(u->tool, took);
	ltables_follow(u, &step);
	put_switch(u);
	if (took == 0)
		ltables_cpu(u);
	else if (rec->type == LAP_REF)
		take_ref(u, rec, &step);
	else
		take_event(u, rec->event, &step);
	if (took > 0 && rec->type == LAP_REF)
		put_pages(u, rec, &step);
	return u->failed ? ltool_code(u->tool, -LAP_E_MEMORY) : 0;
}

static int
take_all(struct luscope *u, struct lapmerge *merge)
{
	const struct lap_record *rec;
	const struct lapread *of;
	int rc;
	while ((rc = lapmerge_next(merge, &rec, &of)) > 0) {
		struct lap_place at = lapread_place(of);
		rc = take_record(u, rec, &at);
		if (rc < 0)
			return rc;
		(void)ltool_stop(u->tool);
	}
	if (rc < 0)
		return ltool_code(u->tool, rc);
	ltables_flush(u);
	/* What ended with the last record leaves a cycle later. */
	if (u->clear_tasks || u->clear_spaces)
		rc = frame(u, u->rel + 1);
	if (u->framed)
		uscope_end_cycle(u->w);
	if (rc == 0)
		(void)uscope_writer_set_end(u->w, u->now);
	return rc;
}

/* ---- The file. ---- */

static int
open_writer(struct luscope *u)
{
	struct ltool *t = u->tool;
	char freq[24];
	char base[12];
	char page[12];
	struct arena a = { 0 };
	(void)snprintf(freq, sizeof(freq), "%" PRIu64, t->freq);
	(void)snprintf(base, sizeof(base), "%" PRIx32, t->kernel_base);
	(void)snprintf(page, sizeof(page), "%d", LAP_PAGE_SIZE);
	const char *name = utf8text_make(&a, t->name);
	schema_t *schema = lschema_make(t->freq);
	const dut_property_t properties[] = {
		{ "dut_name", name },
		{ "laplace.protocol_version", "0.1" },
		{ "laplace.freq_hz", freq },
		{ "laplace.page_size", page },
		{ "laplace.kernel_base", base },
	};
	const dut_desc_t dut = { properties, sizeof(properties) / sizeof(properties[0]) };
	uscope_error_t error = { 0 };
	const uscope_writer_options_t options = {
		.min_raw = checkpoint_bytes,
		.max_raw = checkpoint_bytes,
		.no_auto_summary = true,
		.drop_empty = t->no_refs,
		.error = &error,
	};
	int rc = name && schema ? 0 : ltool_code(t, -LAP_E_MEMORY);
	if (rc == 0)
		u->w = uscope_writer_open_ex(t->part_path, &dut, schema, &options, NULL);
	if (rc == 0 && !u->w)
		rc = ltool_error(t, "write", "cannot write %s: %s", t->out_path, error.reason);
	uscope_schema_free(schema);
	arena_finish(&a);
	if (rc < 0)
		return rc;
	(void)uscope_string_insert(u->w, "");
	for (int i = 0; i < LU_TOTALS; i++)
		u->counters[i] = uscope_summary_counter(u->w, lschema_totals[i], LU_COUNTERS);
	return 0;
}

/* 0, or <0 (reported). */
static int
close_writer(struct luscope *u, int rc)
{
	struct ltool *t = u->tool;
	if (!u->w)
		return rc;
	/* A run that failed leaves no file: what the writer says counts only if nothing else did. */
	int status = uscope_writer_finish(u->w);
	if (status < 0 && !t->reported) {
		const uscope_error_t *e = uscope_writer_error_info(u->w);
		rc = ltool_error(t, "write", "cannot write %s: %s", t->out_path, e->reason[0] ? e->reason : uscope_status_text(status));
	}
	uscope_writer_close(u->w);
	return rc;
}

static void
print_lost(const struct luscope *u)
{
	const struct lu_slots *all[] = { &u->tasks, &u->spaces, &u->regions };
	for (int i = 0; i < 3; i++)
		if (all[i]->lost)
			(void)fprintf(stderr, "%s: warning[slots]: the table %s has %" PRIu32 " slots: %" PRIu64 " times there was none for a new entry\n",
				u->tool->program, all[i]->name, all[i]->max, all[i]->lost);
	if (u->beyond)
		(void)fprintf(stderr, "%s: warning[slots]: %" PRIu64 " times a mapping lay above 4 GiB, where the table regions does not reach\n",
			u->tool->program, u->beyond);
}

static int
work(struct luscope *u, int argc, char **argv)
{
	struct ltool *t = u->tool;
	struct lapmerge merge = { 0 };
	int rc = ltool_open_inputs(t, argc, argv, t->format);
	if (rc == 0)
		rc = ltool_place_output(t, t->out_path);
	if (rc == 0)
		rc = ltool_machine(t, &u->machine);
	if (rc == 0)
		rc = ltool_merge(t, &merge);
	if (rc == 0)
		rc = open_writer(u);
	if (rc == 0)
		rc = take_all(u, &merge);
	rc = close_writer(u, rc);
	if (rc == 0 && !t->quiet)
		print_lost(u);
	lapmerge_close(&merge);
	ltables_finish(u);
	lapmachine_finish(&u->machine);
	return rc;
}

static int
run_uscope(struct ltool *t, int argc, char **argv)
{
	if (!t->out_path || strcmp(t->out_path, "-") == 0)
		return ltool_usage(t, "-o FILE says what is to be written: no pipe can hold it");
	struct luscope *u = calloc(1, sizeof(*u));
	struct lu_region *fresh = calloc(LU_REGIONS_MAX, sizeof(*fresh));
	int rc;
	if (u && fresh) {
		u->tool = t;
		u->fresh = fresh;
		u->tasks.name = "tasks";
		u->tasks.max = LU_TASKS_MAX;
		u->spaces.name = "spaces";
		u->spaces.max = LU_SPACES_MAX;
		u->regions.name = "regions";
		u->regions.max = LU_REGIONS_MAX;
		rc = work(u, argc, argv);
		free(u->objects);
	} else {
		rc = ltool_code(t, -LAP_E_MEMORY);
	}
	free(fresh);
	free(u);
	return rc;
}

const struct lcommand lcommand_uscope = {
	.name = "uscope",
	.synopsis = "[options] -o OUT.uscp [FILE...]",
	.brief = "tasks, spaces, mappings and references as a µScope file",
	.about = "Write the state of the machine over time as a µScope file.",
	.with = LTOOL_WITH_OUTPUT | LTOOL_WITH_FORMAT | LTOOL_WITH_MACHINE | LTOOL_WITH_WINDOW | LTOOL_WITH_KERNEL | LTOOL_WITH_USCOPE,
	.max_args = -1,
	.run = run_uscope,
};
