/* SPDX-License-Identifier: MIT */
/* laplace: tasks, address spaces and pages of a simulated machine, and what it references.
 *
 * Streams are no threads: the record behind an event is in struct laplace, the machine of
 * src/lib/laplace says whose it is, and the hook chooses that row. */
#include "emu.h"
#include "lapcount.h"
#include "lapkernel.h"
#include "lapstream.h"

#include <inttypes.h>

enum {
	REF,
	MODE,
	SPACE,
	KEVENT,
	PAGE_EVENT,
	KSECTION,
	LOADS,
	STORES,
	FETCHES,
	LOAD_BYTES,
	STORE_BYTES,
	WORKING_SET,
	FOOTPRINT,
	MAPPED,
	NEW_PAGES,
	REFS,
	FILE_READ,
	FILE_WRITE,
	SWITCHES,
	TASKS,
	SPACES,
	PAGE,
	DIAG,
};

enum {
	MODE_USER = 1,
	MODE_KERNEL,
};

/* Values of KSECTION. */
enum {
	SECTION_USER,
	SECTION_UNKNOWN,
	SECTION_SCHEDULE,
	SECTION_PROCESS,
	SECTION_MEMORY,
	SECTION_FAULT,
	SECTION_FILE,
	SECTION_SEGMENT,
	SECTION_SOCKET,
};

enum {
	KERNEL_ROW = 0,
	HOT = 1024, /* pages of which it is known that they are touched, power of two */
	CPU = 0,    /* the machine has one */
};

/* ---- Tables. ---- */

static const struct label ref_labels[] = {
	{ 1, "Load" },
	{ 2, "Store" },
	{ 3, "Fetch" },
	{ 4, "Load, page re-referenced" },
	{ 5, "Store, page re-referenced" },
	{ 6, "Fetch, page re-referenced" },
};

static const struct label mode_labels[] = {
	{ MODE_USER, "User" },
	{ MODE_KERNEL, "Kernel" },
};

static const struct label kevent_labels[] = {
	{ 1, "Schedule" },
	{ 2, "Fork" },
	{ 3, "Exec" },
	{ 4, "Exit" },
	{ 5, "Context assignment" },
	{ 6, "Duplicate range" },
	{ 7, "Map file" },
	{ 8, "Map anonymous" },
	{ 9, "Remap" },
	{ 10, "Unmap" },
	{ 11, "Complete unmap" },
	{ 12, "Copy on write" },
	{ 13, "Attach shared segment" },
	{ 14, "Destroy shared segment" },
	{ 15, "File open" },
	{ 16, "File close" },
	{ 17, "File read" },
	{ 18, "File write" },
	{ 19, "File delete" },
	{ 20, "File truncate" },
	{ 21, "Accept" },
	{ 22, "End of trace" },
	{ 23, "Debug" },
};

static const struct label page_labels[] = {
	{ LAP_CLASS_ANONYMOUS, "First touch: anonymous" },
	{ LAP_CLASS_FILE, "First touch: file" },
	{ LAP_CLASS_SEGMENT, "First touch: shared segment" },
	{ LAP_CLASS_UNMAPPED, "First touch: unmapped" },
	{ LAP_CLASS_COPY, "Copy on write" },
	{ LAP_CLASS_KERNEL, "First touch: kernel" },
};

static const struct label section_labels[] = {
	{ SECTION_UNKNOWN, "Kernel: reason unknown" },
	{ SECTION_SCHEDULE, "Kernel: scheduling" },
	{ SECTION_PROCESS, "Kernel: process" },
	{ SECTION_MEMORY, "Kernel: memory mapping" },
	{ SECTION_FAULT, "Kernel: page fault" },
	{ SECTION_FILE, "Kernel: file" },
	{ SECTION_SEGMENT, "Kernel: shared segment" },
	{ SECTION_SOCKET, "Kernel: socket" },
};

static const struct label diag_labels[] = {
#define X(name, text, lenient) { LAP_##name, #name ": " text },
	LAP_CODE_LIST(X)
#undef X
};

/* A total of a window: the value at the end shows over the window itself. */
#define TOTAL(NAME, TITLE, TYPE, THREAD, CPU_ROW, FILE)            \
	{                                                          \
		.name = (NAME),                                    \
		.title = "Laplace: " TITLE,                        \
		.prv_type = (TYPE),                                \
		.dup = DUP_SKIP,                                   \
		.values = VALUES_ANY,                              \
		.thread_track = (THREAD),                          \
		.cpu_track = (CPU_ROW),                            \
		.bare_title = true,                                \
		.view = {                                          \
			.file = (FILE),                            \
			.thread_title = "Thread: Laplace: " TITLE, \
			.cpu_title = "CPU: Laplace: " TITLE,       \
			.gradient = true,                          \
			.next_value = true,                        \
		},                                                 \
	}

static const struct chan_decl chans[] = {
	[REF] = {
		.name = "ref",
		.title = "Laplace: reference",
		.prv_type = 300,
		LABELS(ref_labels),
		.view = { .file = "reference" },
	},
	[MODE] = {
		.name = "mode",
		.title = "Laplace: mode",
		.prv_type = 301,
		.dup = DUP_SKIP,
		LABELS(mode_labels),
		.view = { .file = "mode" },
	},
	[SPACE] = {
		.name = "space",
		.title = "Laplace: address space",
		.prv_type = 302,
		.dup = DUP_SKIP,
		.view = { .file = "space" },
	},
	[KEVENT] = {
		.name = "kevent",
		.title = "Laplace: kernel event",
		.prv_type = 303,
		.thread_track = TRACK_ANY,
		LABELS(kevent_labels),
		.view = { .file = "kernel-event" },
	},
	[PAGE_EVENT] = {
		.name = "page_event",
		.title = "Laplace: page event",
		.prv_type = 304,
		LABELS(page_labels),
		.view = { .file = "page-event" },
	},
	[KSECTION] = {
		.name = "ksection",
		.title = "Laplace: kernel section",
		.prv_type = 305,
		.dup = DUP_SKIP,
		LABELS(section_labels),
		.view = { .file = "kernel-section" },
	},
	[LOADS] = TOTAL("win.loads", "loads in the window", 310, TRACK_ANY, TRACK_OWN, "loads"),
	[STORES] = TOTAL("win.stores", "stores in the window", 311, TRACK_ANY, TRACK_OWN, "stores"),
	[FETCHES] = TOTAL("win.fetches", "fetches in the window", 312, TRACK_ANY, TRACK_OWN, "fetches"),
	[LOAD_BYTES] = TOTAL("win.load_bytes", "bytes loaded in the window", 313, TRACK_ANY, TRACK_OWN, "load-bytes"),
	[STORE_BYTES] = TOTAL("win.store_bytes", "bytes stored in the window", 314, TRACK_ANY, TRACK_OWN, "store-bytes"),
	[WORKING_SET] = TOTAL("win.working_set", "working set of the window (pages)", 315, TRACK_ANY, TRACK_OWN, "working-set"),
	[FOOTPRINT] = TOTAL("footprint", "footprint (pages)", 316, TRACK_ANY, TRACK_OWN, "footprint"),
	[MAPPED] = {
		.name = "mapped_kib",
		.title = "Laplace: mapped memory (KiB)",
		.prv_type = 317,
		.dup = DUP_SKIP,
		.values = VALUES_ANY,
		.cpu_track = TRACK_HIDDEN,
		.view = { .file = "mapped", .gradient = true },
	},
	[NEW_PAGES] = TOTAL("win.new_pages", "first touches in the window", 318, TRACK_ANY, TRACK_OWN, "new-pages"),
	[REFS] = TOTAL("win.refs", "references in the window", 319, TRACK_ANY, TRACK_OWN, "references"),
	[FILE_READ] = TOTAL("win.file_read", "bytes read from files in the window", 320, TRACK_ANY, TRACK_OWN, "file-read"),
	[FILE_WRITE] = TOTAL("win.file_write", "bytes written to files in the window", 321, TRACK_ANY, TRACK_OWN, "file-write"),
	[SWITCHES] = TOTAL("win.switches", "schedule events in the window", 330, TRACK_HIDDEN, TRACK_OWN, "switches"),
	[TASKS] = {
		.name = "tasks",
		.title = "Laplace: live tasks",
		.prv_type = 331,
		.dup = DUP_SKIP,
		.values = VALUES_ANY,
		.thread_track = TRACK_HIDDEN,
		.cpu_track = TRACK_OWN,
		.view = { .file = "tasks", .gradient = true },
	},
	[SPACES] = {
		.name = "spaces",
		.title = "Laplace: live address spaces",
		.prv_type = 332,
		.dup = DUP_SKIP,
		.values = VALUES_ANY,
		.thread_track = TRACK_HIDDEN,
		.cpu_track = TRACK_OWN,
		.view = { .file = "spaces", .gradient = true },
	},
	[PAGE] = {
		.name = "page",
		.title = "Laplace: page",
		.prv_type = 340,
		.dup = DUP_SKIP,
		.values = VALUES_ANY,
		.view = { .file = "page", .gradient = true },
	},
	[DIAG] = {
		.name = "diag",
		.title = "Laplace: diagnostic",
		.prv_type = 399,
		.thread_track = TRACK_ANY,
		.cpu_track = TRACK_OWN,
		.bare_title = true,
		LABELS(diag_labels),
		.view = { .file = "diagnostic" },
	},
};

/* Which total a channel shows. */
static const struct {
	uint8_t chan;
	uint8_t total;
} shown[] = {
	{ LOADS, LAPCOUNT_LOADS },
	{ STORES, LAPCOUNT_STORES },
	{ FETCHES, LAPCOUNT_FETCHES },
	{ LOAD_BYTES, LAPCOUNT_LOAD_BYTES },
	{ STORE_BYTES, LAPCOUNT_STORE_BYTES },
	{ WORKING_SET, LAPCOUNT_WORKING_SET },
	{ NEW_PAGES, LAPCOUNT_NEW_PAGES },
	{ FILE_READ, LAPCOUNT_FILE_READ },
	{ FILE_WRITE, LAPCOUNT_FILE_WRITE },
};

/* ---- State. ---- */

struct data {
	bool ready;
	struct lapmachine machine;
	struct lap_log log;   /* of references in other traces */
	struct lapids rows;   /* pid -> thread of its last life */
	struct lapids copied; /* space, page: a copy that has no number yet */
	size_t ntasks;        /* that have a thread */
	uint64_t alive;       /* of those */
	uint32_t run;         /* row that runs, NO_INDEX: none */
	uint32_t window;      /* from 1 */
	struct lapcount cpu;  /* pages touched by anyone */
	uint64_t switches;    /* in the window */
	uint32_t *listed;     /* rows that had something in this window or the last */
	uint32_t nlisted;
	struct lapcount *counts; /* by row */
	/* Pages that are known to be touched by the row in the space in this window. */
	uint32_t hot_row;
	const struct lap_space *hot_space;
	uint64_t hot_key; /* changes when those do */
	uint64_t hot[HOT];
};

/* Counts of a window come to an end, or others begin to count. */
static void
cool(struct data *d)
{
	d->hot_key += UINT64_C(1) << 20;
}

static int
prepare(struct emu *emu, struct data *d)
{
	const struct laplace *l = laplace_of(&emu->trace);
	const struct lapmachine_options o = {
		.kernel_base = l ? l->source.kernel_base : 0xc0000000,
		.offset_in_pages = l && l->source.offset_in_pages,
		.no_kernel_trace = !l || !l->has_kernel,
	};
	d->ready = true;
	d->run = NO_INDEX;
	d->window = 1;
	d->log.lenient = true;
	cool(d);
	d->counts = arena_new(&emu->arena, struct lapcount, emu->sys.nthreads);
	d->listed = arena_new(&emu->arena, uint32_t, emu->sys.nthreads);
	if (!d->counts || !d->listed)
		return diag_no_memory(emu->diag);
	/* The log is the player's, which outlives the machine. */
	struct lap_log *log = l ? (struct lap_log *)&l->log : &d->log;
	return lapmachine_init(&d->machine, log, &o) < 0 ? diag_no_memory(emu->diag) : 0;
}

static struct lapcount *
count_of(struct data *d, uint32_t row)
{
	struct lapcount *c = &d->counts[row];
	if (!c->listed)
		d->listed[d->nlisted++] = row;
	c->listed = true;
	c->active = true;
	return c;
}

/* ---- Tasks and threads. ---- */

/* A task that the look ahead has found gets its thread. */
static int
add_task(struct emu *emu, const struct event *ev, struct data *d, const struct lap_task *task)
{
	uint32_t row = task->index;
	if (row >= emu->sys.nthreads)
		return emu_error(emu, ev, ERR_LAPLACE, "task %x was not there when the files were read before: have they changed?", task->pid);
	const struct thread_run *old = lapids_find(&d->rows, task->pid, 0, 0);
	if (old && old->state != TH_DEAD) {
		emu_choose(emu, (uint32_t)(old - emu->threads));
		d->alive--;
		int rc = run_kill(emu, ev);
		if (rc < 0)
			return rc;
	}
	if (lapids_set(&d->rows, task->pid, 0, 0, &emu->threads[row]) < 0)
		return diag_no_memory(emu->diag);
	emu_choose(emu, row);
	d->alive++;
	return run_create(emu, ev, CPU);
}

static int
end_task(struct emu *emu, const struct event *ev, struct data *d, const struct lap_task *task)
{
	if (task->state != LAP_TASK_EXITED || emu->threads[task->index].state == TH_DEAD)
		return 0;
	emu_choose(emu, task->index);
	d->alive--;
	return run_kill(emu, ev);
}

/* Another task runs. */
static int
switch_to(struct emu *emu, const struct event *ev, struct data *d, uint32_t row)
{
	int rc = 0;
	uint32_t old = d->run;
	d->run = row;
	cool(d);
	if (old != NO_INDEX && emu->threads[old].state == TH_RUNNING) {
		emu_choose(emu, old);
		rc = run_pause(emu, ev);
	}
	if (rc < 0 || row == NO_INDEX)
		return rc;
	emu_choose(emu, row);
	return run_resume(emu, ev);
}

/* The threads follow what the machine has done. */
static int
follow(struct emu *emu, const struct event *ev, struct data *d, const struct lap_task *task)
{
	const struct lapmachine *m = &d->machine;
	int rc = 0;
	for (; d->ntasks < m->ntasks && rc == 0; d->ntasks++)
		rc = add_task(emu, ev, d, m->tasks[d->ntasks]);
	if (rc == 0 && task)
		rc = end_task(emu, ev, d, task);
	uint32_t row = m->running ? m->running->index : NO_INDEX;
	if (rc == 0 && row != d->run) {
		d->switches += m->no_kernel_trace;
		rc = switch_to(emu, ev, d, row);
	}
	return rc;
}

/* What a task shows of its space. */
static int
show_space(struct emu *emu, const struct event *ev, const struct lap_task *task)
{
	if (!task || !task->space)
		return 0;
	emu_choose(emu, task->index);
	int rc = emu_set(emu, ev, SPACE, task->space->index);
	return rc < 0 ? rc : emu_set(emu, ev, MAPPED, (int64_t)(task->space->mapped * (LAP_PAGE_SIZE / 1024)));
}

/* What was wrong in front of an event, or with it, shows in its row (lenient). */
static int
show_diag(struct emu *emu, const struct event *ev, int code)
{
	struct laplace *l = laplace_of(&emu->trace);
	code = code ? code : l->code;
	l->code = 0;
	if (!code || !l->log.lenient)
		return 0;
	int rc = emu_punctual(emu, ev, DIAG, code);
	return rc < 0 ? rc : emu_punctual_cpu(emu, CPU, DIAG, code);
}

/* ---- References. ---- */

/* The class of a page that a merge has numbered, from the mapping it is in. */
static uint8_t
class_of(struct data *d, const struct lap_step *step, uint32_t addr)
{
	uint64_t page = addr >> LAP_PAGE_SHIFT;
	if (step->kernel)
		return LAP_CLASS_KERNEL;
	const struct laprange *r = step->space ? laprange_find(step->space->maps, page) : NULL;
	if (!r)
		return LAP_CLASS_UNMAPPED;
	if (lapids_find(&d->copied, step->space->index, page, 0)) {
		(void)lapids_set(&d->copied, step->space->index, page, 0, &d->machine);
		return LAP_CLASS_COPY;
	}
	return r->owner ? d->machine.pages.objects[r->owner - 1]->class : LAP_CLASS_ANONYMOUS;
}

/* A record of a merge: its page is known, and nothing else is asked. */
static void
step_page(struct data *d, const struct lap_record *rec, bool basic, struct lap_step *step)
{
	struct lapmachine *m = &d->machine;
	*step = (struct lap_step){
		.task = m->running,
		.space = basic ? NULL : lappages_space(&m->pages, rec->space),
		.kernel = !basic && rec->addr >= m->pages.kernel_base,
		.ntouches = 1,
		.touch = { { .page = rec->page, .addr = rec->addr, .length = rec->length } },
	};
}

/* The pages of a reference: counts them, and shows them if wanted. */
static int
touch_pages(struct emu *emu, const struct event *ev, struct data *d, struct lapcount *c, const struct lap_record *rec,
	const struct lap_step *step, bool show)
{
	uint8_t first = 0;
	for (int i = 0; i < step->ntouches; i++) {
		const struct lap_touch *t = &step->touch[i];
		int mine = lapcount_touch(c, t->page, d->window);
		int all = lapcount_touch(&d->cpu, t->page, d->window);
		if (mine < 0 || all < 0)
			return diag_no_memory(emu->diag);
		uint8_t class = t->class;
		if (rec->type == LAP_PAGE && all == LAPCOUNT_EVER)
			class = class_of(d, step, t->addr);
		if (class == LAP_CLASS_COPY)
			class = 0;
		c->n[LAPCOUNT_NEW_PAGES] += class != 0;
		first = class ? class : first;
		if (rec->type == LAP_REF)
			d->hot[t->addr >> LAP_PAGE_SHIFT & (HOT - 1)] = d->hot_key | t->addr >> LAP_PAGE_SHIFT;
	}
	if (!show)
		return 0;
	int rc = first ? emu_punctual(emu, ev, PAGE_EVENT, first) : 0;
	return rc < 0 ? rc : emu_set(emu, ev, PAGE, (int64_t)(step->touch[step->ntouches - 1].page & INT64_MAX));
}

static inline void
count_ref(struct lapcount *c, const struct lap_record *rec)
{
	unsigned kind = (lap_kinds[rec->kind] - 1u) % 3;
	c->n[LAPCOUNT_LOADS + kind]++;
	c->n[LAPCOUNT_LOAD_BYTES + kind] += rec->length;
}

/* Whether the pages are known to be touched. */
static inline bool
is_hot(const struct data *d, uint32_t addr, uint8_t length)
{
	uint32_t first = addr >> LAP_PAGE_SHIFT;
	uint32_t last = (addr + length - 1u) >> LAP_PAGE_SHIFT;
	return d->hot[first & (HOT - 1)] == (d->hot_key | first) && (first == last || d->hot[last & (HOT - 1)] == (d->hot_key | last));
}

/* The mode, and what the kernel is doing. */
static int
show_mode(struct emu *emu, const struct event *ev, bool kernel)
{
	uint32_t row = emu->thread;
	int rc = emu_set(emu, ev, MODE, kernel ? MODE_KERNEL : MODE_USER);
	/* Of the row of the kernel it would say nothing. */
	if (rc < 0 || emu->sys.threads[row].pseudo)
		return rc;
	const struct chans *c = &emu->chans;
	int64_t now = c->value[chan_id(c, row, emu->cur->first_col + KSECTION)];
	bool busy = now != CHAN_NULL && now != SECTION_USER;
	if (kernel && busy)
		return 0;
	return emu_set(emu, ev, KSECTION, kernel ? SECTION_UNKNOWN : SECTION_USER);
}

/* The row of a reference, and what it shows before the pages. */
static int
begin_refs(struct emu *emu, const struct event *ev, struct data *d, const struct laplace *l, const struct lap_step *step, uint32_t *row)
{
	int rc = 0;
	*row = step->task ? step->task->index : KERNEL_ROW;
	if (l->basic) {
		*row = 1;
		emu_choose(emu, 1);
		if (emu->threads[1].state == TH_UNKNOWN && (rc = run_create(emu, ev, CPU)) == 0) {
			rc = switch_to(emu, ev, d, 1);
			d->alive = 1;
		}
	}
	if (step->kernel && l->source.kernel_thread)
		*row = KERNEL_ROW;
	if (rc == 0 && *row != KERNEL_ROW && !l->basic)
		rc = show_space(emu, ev, step->task);
	if (d->hot_row != *row || d->hot_space != step->space)
		cool(d);
	d->hot_row = *row;
	d->hot_space = step->space;
	emu_choose(emu, *row);
	return rc < 0 ? rc : show_mode(emu, ev, step->kernel);
}

/* A reference of a run that is not known to be nothing new. */
static int
take_cold(struct emu *emu, const struct event *ev, struct data *d, struct laplace *l, struct lapcount *c, size_t i)
{
	const struct laplace_ref *ref = &l->run[i];
	struct lap_record rec = l->item.rec;
	struct lap_place at = l->item.at;
	struct lap_step step;
	rec.addr = ref->addr;
	rec.length = ref->length;
	at.offset += (i + 1) * LAP_RECORD_SIZE;
	int rc = lapmachine_step(&d->machine, &rec, &at, &step);
	if (rc < 0)
		return laplace_failed(l, rc);
	rc = touch_pages(emu, ev, d, c, &rec, &step, false);
	return rc == 0 && l->code ? show_diag(emu, ev, 0) : rc;
}

/* The references behind the first of a run: nothing but counts. odd: the first was not as
 * it should be, and neither are these. */
static int
count_run(struct emu *emu, const struct event *ev, struct data *d, struct laplace *l, struct lapcount *c, bool odd)
{
	uint64_t sums[7] = { 0 }; /* by kind: how many, above their bytes */
	for (size_t i = 0; i < l->nrun; i++) {
		const struct laplace_ref *ref = &l->run[i];
		sums[ref->kind] += UINT64_C(1) << 32 | ref->length;
		if (__builtin_expect(!odd && is_hot(d, ref->addr, ref->length), 1))
			continue;
		int rc = take_cold(emu, ev, d, l, c, i);
		if (rc < 0)
			return rc;
	}
	for (unsigned kind = 1; kind < 7; kind++) {
		c->n[LAPCOUNT_LOADS + (kind - 1) % 3] += sums[kind] >> 32;
		c->n[LAPCOUNT_LOAD_BYTES + (kind - 1) % 3] += (uint32_t)sums[kind];
	}
	emu->nmore += l->nrun;
	return 0;
}

static void
show_alive(struct emu *emu, const struct data *d)
{
	emu_set_cpu(emu, CPU, TASKS, (int64_t)d->alive);
	emu_set_cpu(emu, CPU, SPACES, (int64_t)d->machine.pages.nalive);
}

/* A reference in a stream of the runtime: of the thread that has written it. */
static int
plain_ref(struct emu *emu, const struct event *ev, struct data *d)
{
	struct lap_record rec = { .type = LAP_REF, .kind = ev->mcv[2], .length = ev->payload[0], .space = event_u32(ev, 1), .addr = event_u32(ev, 5) };
	uint32_t room = UINT32_MAX - rec.addr;
	if (rec.length == 0 || rec.length - 1u > room)
		return emu_error(emu, ev, ERR_LAPLACE, "%s: %u bytes at %x", rec.length ? "LR04" : "LR03", rec.length, rec.addr);
	struct lap_step step;
	int rc = lapmachine_step(&d->machine, &rec, &(struct lap_place){ 0 }, &step);
	if (rc < 0)
		return diag_no_memory(emu->diag);
	rc = emu_set(emu, ev, SPACE, step.space->index);
	if (rc == 0)
		rc = show_mode(emu, ev, step.kernel);
	if (rc == 0)
		rc = touch_pages(emu, ev, d, &d->counts[emu->thread], &rec, &step, true);
	return rc < 0 ? rc : emu_punctual(emu, ev, REF, lap_kinds[rec.kind]);
}

static int
take_refs(struct emu *emu, const struct event *ev)
{
	struct data *d = emu_data(emu);
	struct laplace *l = laplace_of(&emu->trace);
	int rc = d->ready ? 0 : prepare(emu, d);
	if (rc < 0)
		return rc;
	if (!l)
		return plain_ref(emu, ev, d);
	const struct laplace_item *it = &l->item;
	struct lap_step step;
	if (it->rec.type == LAP_PAGE)
		step_page(d, &it->rec, l->basic, &step);
	else
		rc = lapmachine_step(&d->machine, &it->rec, &it->at, &step);
	if (rc < 0)
		return laplace_failed(l, rc);
	bool odd = l->code != 0;
	uint32_t row = KERNEL_ROW;
	rc = l->basic ? 0 : follow(emu, ev, d, NULL);
	if (rc == 0)
		rc = begin_refs(emu, ev, d, l, &step, &row);
	if (rc < 0)
		return rc;
	struct lapcount *c = count_of(d, row);
	count_ref(c, &it->rec);
	rc = touch_pages(emu, ev, d, c, &it->rec, &step, l->refs != LAPLACE_REFS_NONE);
	if (rc == 0 && l->refs == LAPLACE_REFS_ALL)
		rc = emu_punctual(emu, ev, REF, lap_kinds[it->rec.kind]);
	if (rc == 0 && (it->code || odd))
		rc = show_diag(emu, ev, it->code);
	if (rc == 0 && l->nrun)
		rc = count_run(emu, ev, d, l, c, odd);
	show_alive(emu, d);
	return rc;
}

/* ---- Kernel events. ---- */

static int
section_of(uint8_t tag)
{
	switch (tag) {
	case 'F':
	case 'X':
	case 'A': return SECTION_PROCESS;
	case 'D':
	case 'M':
	case 'm':
	case '@':
	case 'U':
	case 'u': return SECTION_MEMORY;
	case 'C': return SECTION_FAULT;
	case '(':
	case ')':
	case '<':
	case '>':
	case '-':
	case 't': return SECTION_FILE;
	case 's':
	case '/': return SECTION_SEGMENT;
	case 'a': return SECTION_SOCKET;
	default: return -1;
	}
}

/* The copy itself, and its number: that of a merge comes when it is touched. */
static int
show_copy(struct emu *emu, const struct event *ev, struct data *d, const struct lap_event *kev, const struct lap_step *step)
{
	uint64_t page = kev->arg[LAP_ADDRESS] >> LAP_PAGE_SHIFT;
	const struct laplace *l = laplace_of(&emu->trace);
	if (!step->copy)
		return 0;
	if (l->item.at.file && l->files[0].format == LAP_PROCESS && lapids_set(&d->copied, step->space->index, page, 0, d) < 0)
		return diag_no_memory(emu->diag);
	return emu_punctual(emu, ev, PAGE_EVENT, LAP_CLASS_COPY);
}

static int
show_event(struct emu *emu, const struct event *ev, struct data *d, const struct lap_event *kev, const struct lap_step *step)
{
	uint32_t row = step->task ? step->task->index : KERNEL_ROW;
	int section = section_of(kev->tag);
	emu_choose(emu, row);
	int rc = emu_punctual(emu, ev, KEVENT, kev->code);
	if (rc == 0)
		rc = show_copy(emu, ev, d, kev, step);
	if (rc == 0 && section >= 0 && row == d->run)
		rc = emu_set(emu, ev, KSECTION, section);
	if (kev->tag == '<')
		count_of(d, row)->n[LAPCOUNT_FILE_READ] += kev->arg[LAP_LENGTH];
	else if (kev->tag == '>')
		count_of(d, row)->n[LAPCOUNT_FILE_WRITE] += kev->arg[LAP_LENGTH];
	return rc;
}

static int
take_event(struct emu *emu, const struct event *ev)
{
	struct data *d = emu_data(emu);
	struct laplace *l = laplace_of(&emu->trace);
	int rc = d->ready ? 0 : prepare(emu, d);
	if (rc < 0)
		return rc;
	if (!l)
		return emu_error(emu, ev, ERR_LAPLACE, "events of the kernel are in Laplace traces only");
	const struct laplace_item *it = &l->item;
	struct lap_step step;
	size_t before = d->ntasks;
	int took = lapmachine_step(&d->machine, &it->rec, &it->at, &step);
	if (took < 0)
		return laplace_failed(l, took);
	cool(d);
	rc = follow(emu, ev, d, took ? step.task : NULL);
	for (size_t i = before; i < d->ntasks && rc == 0; i++)
		rc = show_space(emu, ev, d->machine.tasks[i]);
	if (rc == 0 && took)
		rc = show_space(emu, ev, step.task);
	if (rc == 0 && step.task != d->machine.running)
		rc = show_space(emu, ev, d->machine.running);
	if (rc == 0 && took)
		rc = show_event(emu, ev, d, it->rec.event, &step);
	d->switches += took && it->rec.kind == 'S';
	if (rc == 0 && (it->code || l->code))
		rc = show_diag(emu, ev, it->code);
	show_alive(emu, d);
	return rc;
}

/* ---- Windows. ---- */

static int
close_row(struct emu *emu, const struct event *ev, struct data *d, uint32_t row)
{
	struct lapcount *c = &d->counts[row];
	uint64_t refs = c->n[LAPCOUNT_LOADS] + c->n[LAPCOUNT_STORES] + c->n[LAPCOUNT_FETCHES];
	emu_choose(emu, row);
	int rc = emu_set(emu, ev, FOOTPRINT, (int64_t)c->footprint);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]) && rc == 0; i++)
		rc = emu_set(emu, ev, shown[i].chan, (int64_t)(c->n[shown[i].total] & INT64_MAX));
	for (int i = 0; i < LAPCOUNT_TOTALS; i++) {
		if (i != LAPCOUNT_WORKING_SET)
			d->cpu.n[i] += c->n[i];
		c->n[i] = 0;
	}
	return rc < 0 ? rc : emu_set(emu, ev, REFS, (int64_t)refs);
}

static int
close_window(struct emu *emu, const struct event *ev)
{
	struct data *d = emu_data(emu);
	if (!d->ready)
		return 0;
	uint32_t kept = 0;
	int rc = 0;
	for (uint32_t i = 0; i < d->nlisted && rc == 0; i++) {
		struct lapcount *c = &d->counts[d->listed[i]];
		rc = close_row(emu, ev, d, d->listed[i]);
		c->listed = c->active;
		if (c->active)
			d->listed[kept++] = d->listed[i];
		c->active = false;
	}
	d->nlisted = kept;
	uint64_t *n = d->cpu.n;
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		emu_set_cpu(emu, CPU, shown[i].chan, (int64_t)(n[shown[i].total] & INT64_MAX));
	emu_set_cpu(emu, CPU, REFS, (int64_t)(n[LAPCOUNT_LOADS] + n[LAPCOUNT_STORES] + n[LAPCOUNT_FETCHES]));
	emu_set_cpu(emu, CPU, FOOTPRINT, (int64_t)d->cpu.footprint);
	emu_set_cpu(emu, CPU, SWITCHES, (int64_t)d->switches);
	for (int i = 0; i < LAPCOUNT_TOTALS; i++)
		n[i] = 0;
	d->switches = 0;
	d->window++;
	cool(d);
	return rc;
}

/* ---- Begin and end. ---- */

/* What a reader of the outputs may want to know of the machine. */
static int
connect_laplace(struct emu *emu)
{
	const struct laplace *l = laplace_of(&emu->trace);
	if (!l)
		return 0;
	const char *freq = arena_printf(&emu->arena, "%" PRIu64, l->source.freq);
	const char *base = arena_printf(&emu->arena, "%" PRIx32, l->source.kernel_base);
	const char *page = arena_printf(&emu->arena, "%d", LAP_PAGE_SIZE);
	if (!freq || !base || !page)
		return diag_no_memory(emu->diag);
	emu_add_property(emu, "laplace.protocol_version", "0.1");
	emu_add_property(emu, "laplace.freq_hz", freq);
	emu_add_property(emu, "laplace.page_size", page);
	emu_add_property(emu, "laplace.kernel_base", base);
	return 0;
}

static int
label_spaces(struct emu *emu, const struct lappages *p)
{
	for (size_t i = 0; i < p->nspaces; i++) {
		const struct lap_space *s = p->spaces[i];
		const char *text = s->life > 1 ? arena_printf(&emu->arena, "%x#%u", s->context, s->life)
					       : arena_printf(&emu->arena, "%x", s->context);
		int rc = text ? emu_add_label(emu, SPACE, s->index, text) : diag_no_memory(emu->diag);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
finish(struct emu *emu)
{
	struct data *d = emu_data(emu);
	const struct laplace *l = laplace_of(&emu->trace);
	int rc = d->ready ? label_spaces(emu, &d->machine.pages) : 0;
	for (int code = 1; l && code < LAP_CODES; code++)
		if (l->log.counts[code] && (l->log.lenient || lap_is_warning(code)))
			diag_warn(emu->diag, NULL, "%s: %" PRIu64 " time%s: %s (%s)", lap_code_name(code), l->log.counts[code], l->log.counts[code] == 1 ? "" : "s",
				lap_code_text(code), lap_code_lenient(code));
	for (uint32_t i = 0; d->counts && i < emu->sys.nthreads; i++)
		lapcount_finish(&d->counts[i]);
	lapcount_finish(&d->cpu);
	lapids_finish(&d->rows);
	lapids_finish(&d->copied);
	lapmachine_finish(&d->machine);
	return rc;
}

/* ---- Events. ---- */

#define REF_OF "(u8 length, u32 space, u32 address)"

static const struct event_decl events[] = {
	{ "LRr" REF_OF, "loads %{length} bytes at %#x{address} of space %#x{space}", .hook = take_refs },
	{ "LRw" REF_OF, "stores %{length} bytes at %#x{address} of space %#x{space}", .hook = take_refs },
	{ "LRi" REF_OF, "fetches %{length} bytes at %#x{address} of space %#x{space}", .hook = take_refs },
	{ "LRR" REF_OF, "loads again %{length} bytes at %#x{address} of space %#x{space}", .hook = take_refs },
	{ "LRW" REF_OF, "stores again %{length} bytes at %#x{address} of space %#x{space}", .hook = take_refs },
	{ "LRI" REF_OF, "fetches again %{length} bytes at %#x{address} of space %#x{space}", .hook = take_refs },
	{ "LKS(u64 pid)", "the processor switches to task %#llx{pid}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKF(u64 pid, u64 parent)", "task %#llx{parent} forks task %#llx{pid}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKX(u64 pid, u64 inode)", "task %#llx{pid} executes file %#llx{inode}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKT(u64 pid)", "task %#llx{pid} ends", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKA(u64 pid, u64 context)", "task %#llx{pid} gets the address space %#llx{context}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKD(u64 context, u64 dup)", "a range of space %#llx{context} is duplicated in %#llx{dup}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKM(u64 pid, u64 address)", "task %#llx{pid} maps a file at %#llx{address}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKm(u64 pid, u64 address)", "task %#llx{pid} maps memory at %#llx{address}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LK@(u64 pid, u64 address)", "task %#llx{pid} moves a mapping to %#llx{address}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKU(u64 pid, u64 address)", "task %#llx{pid} unmaps memory at %#llx{address}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKu(u64 context)", "the address space %#llx{context} is destroyed", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKC(u64 pid, u64 address)", "task %#llx{pid} gets a copy of the page at %#llx{address}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKs(u64 pid, u64 address)", "task %#llx{pid} attaches a segment at %#llx{address}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LK/(u64 pid, u64 shm)", "task %#llx{pid} destroys segment %#llx{shm}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LK((u64 pid, u64 inode)", "task %#llx{pid} opens file %#llx{inode}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LK)(u64 pid, u64 inode)", "task %#llx{pid} closes file %#llx{inode}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LK<(u64 pid, u64 inode)", "task %#llx{pid} reads from file %#llx{inode}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LK>(u64 pid, u64 inode)", "task %#llx{pid} writes to file %#llx{inode}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LK-(u64 inode, u64 major)", "file %#llx{inode} of device %#llx{major} is deleted", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKt(u64 inode, u64 major)", "file %#llx{inode} of device %#llx{major} is cut", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKa(u64 pid)", "task %#llx{pid} accepts a connection", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LKe", "the trace of the kernel ends", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LK&(u64 pid, u64 address)", "a debug record of task %#llx{pid} at %#llx{address}", .hook = take_event, .payload = PAYLOAD_ANY },
	{ "LW.", "a window ends", .hook = close_window },
};

const struct model model_laplace = {
	.id = 'L',
	.name = "laplace",
	.version = "1.0.0",
	.foreign = true,
	CHANS(chans),
	EVENTS(events),
	.data_size = sizeof(struct data),
	.connect = connect_laplace,
	.finish = finish,
};
