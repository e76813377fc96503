/* SPDX-License-Identifier: MIT */
/* api: what models may ask and say (ovniscope/model.h); changes of channels are in emu.c, of threads in run.c. */
#include "emu.h"
#include "json.h"
#include "parts.h"
#include "task.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	TEXT_SIZE = 1024,
};

/* ---- Messages. ---- */

#define FORMAT(text, fmt)                                        \
	do {                                                     \
		va_list ap_;                                     \
		va_start(ap_, fmt);                              \
		(void)vsnprintf((text), sizeof(text), fmt, ap_); \
		va_end(ap_);                                     \
	} while (0)

struct place
event_place(const struct emu *emu)
{
	return round_place(&emu->merge.round, &emu->plan->trace.streams[emu->event->stream], emu->event);
}

static struct place
metadata_place(const struct emu *emu, uint32_t thread)
{
	return (struct place){ .file = emu->plan->trace.streams[emu->plan->sys.threads[thread].stream].relpath };
}

int
event_error(struct emu *emu, enum error code, const char *fmt, ...)
{
	char text[TEXT_SIZE];
	FORMAT(text, fmt);
	struct place at = event_place(emu);
	return emu_fail(emu, diag_error(emu->diag, code, &at, "%s", text));
}

static void __attribute__((format(printf, 4, 5)))
say(struct emu *emu, const char *name, const struct place *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	diag_say(emu->diag, name, at, fmt, ap);
	va_end(ap);
}

int
emu_error(struct emu *emu, const char *name, const char *fmt, ...)
{
	struct place at = emu->event ? event_place(emu) : (struct place){ 0 };
	char what[4096];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	/* The event does not tell which model observes it; messages of the core do. */
	const struct model *m = emu->event && emu->cur ? emu->cur->model : NULL;
	if (m && (char)emu->event->mcv[0] != m->id && !strstr(what, m->name))
		say(emu, name, &at, "the model %s: %s", m->name, what);
	else
		say(emu, name, &at, "%s", what);
	return emu_stop(emu, name);
}

int
emu_metadata_error(struct emu *emu, uint32_t thread, const char *name, const char *fmt, ...)
{
	struct place at = metadata_place(emu, thread);
	va_list ap;
	va_start(ap, fmt);
	diag_say(emu->diag, name, &at, fmt, ap);
	va_end(ap);
	return emu_stop(emu, name);
}

int
emu_file_error(struct emu *emu, const char *file, const char *name, const char *fmt, ...)
{
	struct place at = { .file = file };
	va_list ap;
	va_start(ap, fmt);
	diag_say(emu->diag, name, &at, fmt, ap);
	va_end(ap);
	return emu_stop(emu, name);
}

int
emu_no_memory(struct emu *emu)
{
	return emu->failed < 0 ? emu->failed : emu_fail(emu, diag_no_memory(emu->diag));
}

int
emu_stop(struct emu *emu, const char *name)
{
	int code = (int)error_code(name);
	return emu_fail(emu, code ? -code : -ERR_HOOKS);
}

bool
emu_has_failed(const struct emu *emu)
{
	return emu->failed < 0;
}

void
emu_warn(struct emu *emu, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	diag_say(emu->diag, NULL, NULL, fmt, ap);
	va_end(ap);
}

void
emu_warn_here(struct emu *emu, const char *fmt, ...)
{
	struct place at = event_place(emu);
	va_list ap;
	va_start(ap, fmt);
	diag_say(emu->diag, NULL, &at, fmt, ap);
	va_end(ap);
}

void
emu_warn_often(struct emu *emu, uint32_t thread, const char *fmt, ...)
{
	char text[TEXT_SIZE];
	FORMAT(text, fmt);
	struct place at = emu->event ? event_place(emu) : metadata_place(emu, thread);
	often_add(&emu->cur->warned, &at, "%s", text);
}

void
say_few(struct emu *emu, struct model_part *m, unsigned most, const struct place *at, const char *text)
{
	if (m->told++ >= most)
		return;
	if (emu->part)
		parts_hold_few(emu, most, at, text);
	else
		diag_warn(emu->diag, at, "%s%s", text, most > 1 && m->told == most ? " (no more will be told)" : "");
}

void
emu_warn_few(struct emu *emu, unsigned most, const char *fmt, ...)
{
	char text[TEXT_SIZE];
	FORMAT(text, fmt);
	say_few(emu, emu->cur, most, NULL, text);
}

void
emu_warn_once(struct emu *emu, const char *fmt, ...)
{
	char text[TEXT_SIZE];
	struct place at = event_place(emu);
	FORMAT(text, fmt);
	say_few(emu, emu->cur, 1, &at, text);
}

void
emu_info(struct emu *emu, const char *fmt, ...)
{
	char text[TEXT_SIZE];
	FORMAT(text, fmt);
	diag_info(emu->diag, "%s", text);
}

void
emu_debug(struct emu *emu, const char *fmt, ...)
{
	char text[TEXT_SIZE];
	FORMAT(text, fmt);
	diag_debug(emu->diag, "%s", text);
}

/* ---- Memory. ---- */

void *
emu_data(struct emu *emu)
{
	return emu->cur->data;
}

void *
emu_proc_data(struct emu *emu, uint32_t proc)
{
	return emu->cur->proc_data + proc * emu->cur->model->proc_size;
}

void *
emu_thread_data(struct emu *emu, uint32_t thread)
{
	return emu->cur->thread_data + thread * emu->cur->model->thread_size;
}

static void *
checked(struct emu *emu, void *p)
{
	if (!p)
		(void)emu_no_memory(emu);
	return p;
}

void *
emu_alloc(struct emu *emu, size_t size)
{
	return checked(emu, arena_alloc(&emu->arena, 1, size));
}

char *
emu_strndup(struct emu *emu, const char *text, size_t n)
{
	return checked(emu, arena_strndup(&emu->arena, text, n));
}

char *
emu_printf(struct emu *emu, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *text = arena_vprintf(&emu->arena, fmt, ap);
	va_end(ap);
	return checked(emu, text);
}

bool
emu_grow(struct emu *emu, void *items, size_t n, size_t *cap, size_t size)
{
	bool good = arena_grow(&emu->arena, items, n, cap, size);
	if (!good)
		(void)emu_no_memory(emu);
	return good;
}

struct emu_map {
	struct idmap ids;
};

struct emu_map *
emu_map_new(struct emu *emu)
{
	return emu_alloc(emu, sizeof(struct emu_map));
}

void **
emu_map_slot(struct emu *emu, struct emu_map *map, uint64_t key)
{
	struct idmap_slot *slot = checked(emu, idmap_slot(&map->ids, &emu->arena, key));
	return slot ? &slot->value : NULL;
}

void *
emu_map_find(const struct emu_map *map, uint64_t key)
{
	return idmap_find(&map->ids, key);
}

uint8_t *
emu_kept(struct emu *emu)
{
	struct learned *l = emu->learned;
	return l ? l->kept[(uint8_t)emu->cur->model->id] : NULL;
}

int
emu_begin_again(struct emu *emu, const char *fmt, ...)
{
	struct learned *l = emu->learned;
	FORMAT(l->note, fmt);
	return emu_fail(emu, EMU_AGAIN);
}

/* ---- Facts. ---- */

const struct model *
emu_model(const struct emu *emu)
{
	return emu->cur->model;
}

void *
emu_input(struct emu *emu, const char *format)
{
	const struct trace *t = &emu->plan->trace;
	return strcmp(t->base->name, format) == 0 ? t->data : NULL;
}

int64_t
emu_time(const struct emu *emu)
{
	return emu->time;
}

int64_t
emu_time_of(const struct emu *emu, uint64_t clock)
{
	uint64_t offset = (uint64_t)emu->plan->trace.streams[emu->event->stream].clock_offset;
	return (int64_t)(clock + offset - (uint64_t)emu->plan->start);
}

uint32_t
emu_thread(const struct emu *emu)
{
	return emu->thread;
}

uint32_t
emu_nthreads(const struct emu *emu)
{
	return emu->plan->sys.nthreads;
}

uint32_t
emu_nprocs(const struct emu *emu)
{
	return emu->plan->sys.nprocs;
}

uint32_t
emu_nlooms(const struct emu *emu)
{
	return emu->plan->sys.nlooms;
}

uint32_t
emu_ncpus(const struct emu *emu)
{
	return emu->plan->sys.ncpus;
}

int
emu_tid(const struct emu *emu, uint32_t thread)
{
	return emu->plan->sys.threads[thread].tid;
}

uint32_t
emu_proc(const struct emu *emu, uint32_t thread)
{
	return emu->plan->sys.threads[thread].proc;
}

bool
emu_is_pseudo(const struct emu *emu, uint32_t thread)
{
	return emu->plan->sys.threads[thread].pseudo;
}

int
emu_pid(const struct emu *emu, uint32_t proc)
{
	return emu->plan->sys.procs[proc].pid;
}

int
emu_app(const struct emu *emu, uint32_t proc)
{
	return emu->plan->sys.procs[proc].app_id;
}

int
emu_rank(const struct emu *emu, uint32_t proc)
{
	return emu->plan->sys.procs[proc].rank;
}

uint32_t
emu_loom(const struct emu *emu, uint32_t proc)
{
	return emu->plan->sys.procs[proc].loom;
}

const char *
emu_loom_name(const struct emu *emu, uint32_t loom)
{
	return emu->plan->sys.looms[loom].name;
}

uint32_t
emu_loom_ncpus(const struct emu *emu, uint32_t loom)
{
	return emu->plan->sys.looms[loom].ncpus;
}

uint32_t
emu_find_thread(const struct emu *emu, uint32_t proc, int32_t tid)
{
	return system_thread(&emu->plan->sys, proc, tid);
}

uint32_t
emu_find_cpu(const struct emu *emu, uint32_t thread, int32_t index)
{
	const struct thread *th = &emu->plan->sys.threads[thread];
	return index == -1 ? th->virtual_cpu : system_cpu(&emu->plan->sys, emu->plan->sys.procs[th->proc].loom, index);
}

const struct cJSON *
emu_attr(const struct emu *emu, uint32_t thread, ...)
{
	va_list ap;
	va_start(ap, thread);
	const cJSON *item = json_vfind(emu->plan->trace.streams[emu->plan->sys.threads[thread].stream].meta.attrs, ap);
	va_end(ap);
	return item;
}

bool
emu_may_use(const struct emu *emu, uint32_t thread)
{
	const struct thread_meta *m = &emu->plan->trace.streams[emu->plan->sys.threads[thread].stream].meta;
	bool may = !m->has_require;
	for (size_t i = 0; i < m->nrequire; i++)
		may = may || strcmp(m->require[i].model, emu->cur->model->name) == 0;
	return may;
}

bool
emu_has_died(const struct emu *emu, uint32_t thread)
{
	return emu->plan->trace.streams[emu->plan->sys.threads[thread].stream].meta.finished == FINISHED_NO;
}

bool
emu_is_ring(const struct emu *emu, uint32_t thread)
{
	return emu->plan->trace.streams[emu->plan->sys.threads[thread].stream].meta.ring;
}

bool
emu_is_compat(const struct emu *emu)
{
	return emu->plan->options.compat;
}

bool
emu_is_strict(const struct emu *emu)
{
	return emu->plan->trace.options.strict;
}

bool
emu_is_unfinished(const struct emu *emu)
{
	return emu->plan->unfinished;
}

enum thread_state
emu_state(const struct emu *emu, uint32_t thread)
{
	return emu->threads[thread].state;
}

const char *
emu_state_name(enum thread_state st)
{
	return thread_states[st].text;
}

bool
emu_meets(const struct emu *emu, uint32_t thread, unsigned need)
{
	return (emu->threads[thread].has & need) == need;
}

uint32_t
emu_cpu(const struct emu *emu, uint32_t thread)
{
	return emu->threads[thread].cpu;
}
