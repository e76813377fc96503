/* SPDX-License-Identifier: MIT */
/* The subcommand uscope: the machine over time as a µScope file. */
#include "uscope.h"

#include "puttext.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 uint128;

static const uint64_t ps_per_s = UINT64_C(1000000000000);

/* ---- Frames. ---- */

/* The frame of a cycle, counted from the first one. 0, or <0 (reported). */
static int
frame(struct luscope *u, uint64_t rel)
{
	uint128 ps = (uint128)rel * ps_per_s / u->tool->freq;
	if (ps > INT64_MAX)
		return conv_error(&u->tool->conv, "time", "%" PRIu64 " cycles after the first the time does not fit in 63 bits of picoseconds: is --freq right?", rel);
	u->rel = rel;
	int rc = convscope_frame(&u->file, (uint64_t)ps);
	if (rc > 0)
		ltables_clear(u);
	return rc < 0 ? rc : 0;
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

/* ---- Events of the file. ---- */

static void
put_page(struct luscope *u, uint8_t class, uint64_t page, uint32_t space, uint64_t address)
{
	struct conv_payload p = { .n = 0 };
	conv_put(&p, class, 1);
	conv_put(&p, page, 8);
	conv_put(&p, space, 4);
	conv_put(&p, address >> LAP_PAGE_SHIFT, 4);
	convscope_send(&u->file, LU_PAGE, &p);
}

static void
put_switch(struct luscope *u, uint32_t cpu)
{
	struct lu_cpu *c = &u->cpus[cpu];
	struct lap_task *to = u->machine->cpus[cpu].running;
	struct conv_payload p = { .n = 0 };
	if (c->running == to)
		return;
	conv_put(&p, c->running ? c->running->pid : 0, 4);
	conv_put(&p, to ? to->pid : 0, 4);
	convscope_send(&u->file, LU_SWITCH, &p);
	c->running = to;
}

static void
put_kevent(struct luscope *u, const struct lap_event *ev, const struct lap_step *step)
{
	enum { NUMBERS = 4 };
	struct conv_payload p = { .n = 0 };
	uint64_t numbers[NUMBERS] = { 0 };
	int n = 0;
	const uint8_t *fields = lap_tags[ev->code - 1].fields;
	if (ev->code == LAP_OTHER)
		numbers[n++] = ev->tag;
	for (int i = 0; i < LAPKERNEL_FIELDS && fields[i] != LAP_END && n < NUMBERS; i++)
		if (fields[i] != LAP_NAME && fields[i] != LAP_FILE_TYPE && lap_has_field((enum lap_dialect)u->tool->dialect, fields[i]))
			numbers[n++] = ev->arg[fields[i]];
	conv_put(&p, ev->code, 1);
	conv_put(&p, ltables_of(u, step->task)->entry.slot, 2);
	for (int i = 0; i < NUMBERS; i++)
		conv_put(&p, numbers[i], 8);
	convscope_send(&u->file, LU_KEVENT, &p);
}

/* ---- Records. ---- */

static void
count(struct luscope *u, struct lu_task *e, int total, uint64_t n)
{
	e->n[total] += n;
	uscope_summary_add(u->file.w, u->counters[total], u->file.now, n);
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
	ltables_cpu(u, step);
	count(u, e, LU_LOADS + (int)kind, 1);
	if (kind == 2)
		uscope_summary_density(u->file.w, u->file.now, 1);
	else
		count(u, e, LU_LOAD_BYTES + (int)kind, rec->length);
	for (int i = 0; i < step->ntouches; i++) {
		const struct lap_touch *t = &step->touch[i];
		bool kernel = t->addr >= u->machine->pages.kernel_base;
		int touched = s && !kernel ? lapcount_touch(&s->touched, t->page, 1) : LAPCOUNT_OLD;
		u->file.failed = u->file.failed || touched < 0;
		if (touched == LAPCOUNT_EVER)
			ltables_dirty(&u->dirty_spaces, &s->entry);
		first += t->class != 0;
	}
	if (first)
		count(u, e, LU_NEW_PAGES, first);
	ltables_dirty(&u->dirty_tasks, &e->entry);
	if (u->tool->no_refs)
		return;
	ltables_flush(u);
	struct conv_payload p = { .n = 0 };
	conv_put(&p, lap_kinds[rec->kind], 1);
	conv_put(&p, rec->length, 1);
	conv_put(&p, rec->space, 4);
	conv_put(&p, rec->addr, 4);
	conv_put(&p, e->entry.slot, 2);
	conv_put(&p, step->touch[0].page, 8);
	convscope_send(&u->file, LU_REF, &p);
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
	int section = lap_tags[ev->code - 1].section;
	lregions_event(u, ev, step);
	if (ev->tag == 'X' && ev->name && step->task) {
		e->program = convscope_text(&u->file, ev->name, ev->name_len);
		if (e->entry.slot != CONV_NO_SLOT)
			uscope_slot_set(u->file.w, LU_TASKS, e->entry.slot, LU_TASK_PROGRAM, e->program);
	}
	if (section >= 0 && step->task && step->task == u->machine->on->running)
		e->section = (uint8_t)section;
	ltables_cpu(u, step);
	put_kevent(u, ev, step);
	if (step->copy)
		put_page(u, LAP_CLASS_COPY, step->copy, step->space->context, ev->arg[LAP_ADDRESS]);
}

static int
take_record(void *self, const struct lap_record *rec, const struct lap_place *at)
{
	struct luscope *u = self;
	struct lap_step step = { 0 };
	int rc = frame_of(u, rec->ts);
	int took = rc == 0 ? ltool_step(u->tool, rec, at, &step) : rc;
	if (took < 0)
		return took;
	ltables_follow(u, &step);
	if (step.left != at->cpu)
		put_switch(u, step.left);
	put_switch(u, at->cpu);
	if (took == 0)
		ltables_cpu(u, &step);
	else if (rec->type == LAP_REF)
		take_ref(u, rec, &step);
	else
		take_event(u, rec->event, &step);
	if (took > 0 && rec->type == LAP_REF)
		put_pages(u, rec, &step);
	return u->file.failed ? ltool_code(u->tool, -LAP_E_MEMORY) : 0;
}

/* Ends the file. */
static int
end_file(struct luscope *u)
{
	int rc = 0;
	ltables_flush(u);
	/* Tasks and spaces that ended with the last record leave their tables a cycle later. */
	if (u->clear_tasks || u->clear_spaces)
		rc = frame(u, u->rel + 1);
	if (rc == 0)
		convscope_end(&u->file);
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
	const char *name = puttext_utf8(&a, t->name);
	uscope_schema_t *schema = lschema_make(t->freq, t->ncpus);
	const uscope_dut_property_t properties[] = {
		{ "dut_name", name },
		{ "laplace.protocol_version", "0.1" },
		{ "laplace.freq_hz", freq },
		{ "laplace.page_size", page },
		{ "laplace.kernel_base", base },
	};
	const uscope_dut_desc_t dut = { properties, sizeof(properties) / sizeof(properties[0]) };
	int rc = name && schema ? 0 : ltool_code(t, -LAP_E_MEMORY);
	if (rc == 0)
		rc = convscope_open(&u->file, &t->conv, schema, &dut, t->no_refs);
	uscope_schema_free(schema);
	arena_finish(&a);
	if (rc < 0)
		return rc;
	for (int i = 0; i < LU_TOTALS; i++)
		u->counters[i] = uscope_summary_counter(u->file.w, lschema_storages[LU_COUNTERS].fields[i].name, LU_COUNTERS);
	return 0;
}

static void
print_lost(const struct luscope *u)
{
	struct conv *c = &u->tool->conv;
	conv_slots_report(&u->tasks, c);
	conv_slots_report(&u->spaces, c);
	conv_slots_report(&u->regions, c);
	if (u->beyond)
		conv_warn(c, "%" PRIu64 " times a mapping lay above 4 GiB, where the table regions does not reach", u->beyond);
}

static int
work(struct luscope *u, int argc, char **argv)
{
	struct ltool *t = u->tool;
	bool room = conv_slots_init(&u->tasks, "tasks", LU_TASKS_MAX) == 0 &&
		conv_slots_init(&u->spaces, "spaces", LU_SPACES_MAX) == 0 &&
		conv_slots_init(&u->regions, "regions", LU_REGIONS_MAX) == 0;
	int rc = room ? ltool_open(t, argc, argv, conv_place_output) : conv_no_memory(&t->conv);
	u->fresh = calloc(LU_REGIONS_MAX, sizeof(*u->fresh));
	u->cpus = calloc(t->ncpus, sizeof(*u->cpus));
	if (rc == 0 && (!u->fresh || !u->cpus))
		rc = conv_no_memory(&t->conv);
	if (rc == 0)
		rc = open_writer(u);
	if (rc == 0)
		rc = ltool_each(t, take_record, u);
	if (rc == 0)
		rc = end_file(u);
	rc = convscope_close(&u->file, rc);
	if (rc == 0)
		print_lost(u);
	ltables_finish(u);
	conv_slots_finish(&u->tasks);
	conv_slots_finish(&u->spaces);
	conv_slots_finish(&u->regions);
	free(u->cpus);
	free(u->fresh);
	return rc;
}

static int
run_uscope(struct conv *c, int argc, char **argv)
{
	struct ltool *t = ltool_of(c);
	if (!c->out_path || strcmp(c->out_path, "-") == 0)
		return conv_usage(c, "-o FILE says what is to be written: no pipe can hold it");
	struct luscope *u = calloc(1, sizeof(*u));
	if (!u)
		return conv_no_memory(c);
	u->tool = t;
	u->machine = &t->machine;
	int rc = work(u, argc, argv);
	free(u);
	return rc;
}

const struct conv_command lcommand_uscope = {
	.name = "uscope",
	.synopsis = "[options] -o OUT.uscp [FILE...]",
	.brief = "tasks, spaces, mappings and references as a µScope file",
	.about = "Write the state of the machine over time as a µScope file.",
	.with = CONV_WITH_OUTPUT | LTOOL_WITH_FORMAT | LTOOL_WITH_MACHINE | LTOOL_WITH_WINDOW | LTOOL_WITH_KERNEL | LTOOL_WITH_USCOPE,
	.max_args = -1,
	.run = run_uscope,
};
