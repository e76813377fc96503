/* SPDX-License-Identifier: MIT */
/* laplace: tasks, address spaces, pages and references of a simulated machine.
 *
 * Streams are not threads: a hook takes the record of its event from struct laplace, asks the
 * machine of src/lib/laplace for the task, and chooses the row of that task. */
#include "parts.h"

#include <inttypes.h>
#include <stdio.h>

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

/* Events of the kernel: code, label, declaration, text. */
#define KERNEL_EVENTS(X)                                                                                                  \
	X(1, "Schedule", "S(u64 pid)", "the processor switches to task %#llx{pid}")                                       \
	X(2, "Fork", "F(u64 pid, u64 parent)", "task %#llx{parent} forks task %#llx{pid}")                                \
	X(3, "Exec", "X(u64 pid, u64 inode)", "task %#llx{pid} executes file %#llx{inode}")                               \
	X(4, "Exit", "T(u64 pid)", "task %#llx{pid} ends")                                                                \
	X(5, "Context assignment", "A(u64 pid, u64 context)", "task %#llx{pid} gets the address space %#llx{context}")    \
	X(6, "Duplicate range", "D(u64 context, u64 dup)", "a range of space %#llx{context} is duplicated in %#llx{dup}") \
	X(7, "Map file", "M(u64 pid, u64 address)", "task %#llx{pid} maps a file at %#llx{address}")                      \
	X(8, "Map anonymous", "m(u64 pid, u64 address)", "task %#llx{pid} maps memory at %#llx{address}")                 \
	X(9, "Remap", "@(u64 pid, u64 address)", "task %#llx{pid} moves a mapping to %#llx{address}")                     \
	X(10, "Unmap", "U(u64 pid, u64 address)", "task %#llx{pid} unmaps memory at %#llx{address}")                      \
	X(11, "Complete unmap", "u(u64 context)", "the address space %#llx{context} is destroyed")                        \
	X(12, "Copy on write", "C(u64 pid, u64 address)", "task %#llx{pid} gets a copy of the page at %#llx{address}")    \
	X(13, "Attach shared segment", "s(u64 pid, u64 address)", "task %#llx{pid} attaches a segment at %#llx{address}") \
	X(14, "Destroy shared segment", "/(u64 pid, u64 shm)", "task %#llx{pid} destroys segment %#llx{shm}")             \
	X(15, "File open", "((u64 pid, u64 inode)", "task %#llx{pid} opens file %#llx{inode}")                            \
	X(16, "File close", ")(u64 pid, u64 inode)", "task %#llx{pid} closes file %#llx{inode}")                          \
	X(17, "File read", "<(u64 pid, u64 inode)", "task %#llx{pid} reads from file %#llx{inode}")                       \
	X(18, "File write", ">(u64 pid, u64 inode)", "task %#llx{pid} writes to file %#llx{inode}")                       \
	X(19, "File delete", "-(u64 inode, u64 major)", "file %#llx{inode} of device %#llx{major} is deleted")            \
	X(20, "File truncate", "t(u64 inode, u64 major)", "file %#llx{inode} of device %#llx{major} is cut")              \
	X(21, "Accept", "a(u64 pid)", "task %#llx{pid} accepts a connection")                                             \
	X(22, "End of trace", "e", "the trace of the kernel ends")                                                        \
	X(23, "Debug", "&(u64 pid, u64 address)", "a debug record of task %#llx{pid} at %#llx{address}")

static const struct label kevent_labels[] = {
#define X(code, label, ...) { code, label },
	KERNEL_EVENTS(X)
#undef X
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
	{ LAP_SECTION_UNKNOWN, "Kernel: reason unknown" },
	{ LAP_SECTION_SCHEDULE, "Kernel: scheduling" },
	{ LAP_SECTION_PROCESS, "Kernel: process" },
	{ LAP_SECTION_MEMORY, "Kernel: memory mapping" },
	{ LAP_SECTION_FAULT, "Kernel: page fault" },
	{ LAP_SECTION_FILE, "Kernel: file" },
	{ LAP_SECTION_SEGMENT, "Kernel: shared segment" },
	{ LAP_SECTION_SOCKET, "Kernel: socket" },
};

static const struct label diag_labels[] = {
#define X(name, text, ...) { LAP_##name, #name ": " text },
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

/* A number that holds until the next one. */
#define NUMBER(NAME, TITLE, TYPE, FILE, ...)                  \
	{                                                     \
		.name = (NAME),                               \
		.title = "Laplace: " TITLE,                   \
		.prv_type = (TYPE),                           \
		.dup = DUP_SKIP,                              \
		.values = VALUES_ANY,                         \
		.view = { .file = (FILE), .gradient = true }, \
		__VA_ARGS__                                   \
	}

static const struct chan_decl chans[] = {
	[REF] = {
		.name = "ref",
		.title = "Laplace: reference",
		.prv_type = 300,
		.kind = CHAN_PUNCTUAL,
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
		.kind = CHAN_PUNCTUAL,
		.thread_track = TRACK_ANY,
		LABELS(kevent_labels),
		.view = { .file = "kernel-event" },
	},
	[PAGE_EVENT] = {
		.name = "page_event",
		.title = "Laplace: page event",
		.prv_type = 304,
		.kind = CHAN_PUNCTUAL,
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
	[MAPPED] = NUMBER("mapped_kib", "mapped memory (KiB)", 317, "mapped", .cpu_track = TRACK_HIDDEN),
	[NEW_PAGES] = TOTAL("win.new_pages", "first touches in the window", 318, TRACK_ANY, TRACK_OWN, "new-pages"),
	[REFS] = TOTAL("win.refs", "references in the window", 319, TRACK_ANY, TRACK_OWN, "references"),
	[FILE_READ] = TOTAL("win.file_read", "bytes read from files in the window", 320, TRACK_ANY, TRACK_OWN, "file-read"),
	[FILE_WRITE] = TOTAL("win.file_write", "bytes written to files in the window", 321, TRACK_ANY, TRACK_OWN, "file-write"),
	[SWITCHES] = TOTAL("win.switches", "schedule events in the window", 330, TRACK_HIDDEN, TRACK_OWN, "switches"),
	[TASKS] = NUMBER("tasks", "live tasks", 331, "tasks", .thread_track = TRACK_HIDDEN, .cpu_track = TRACK_OWN),
	[SPACES] = NUMBER("spaces", "live address spaces", 332, "spaces", .thread_track = TRACK_HIDDEN, .cpu_track = TRACK_OWN),
	[PAGE] = NUMBER("page", "page", 340, "page", .kind = CHAN_SINGLE),
	[DIAG] = {
		.name = "diag",
		.title = "Laplace: diagnostic",
		.prv_type = 399,
		.kind = CHAN_PUNCTUAL,
		.thread_track = TRACK_ANY,
		.cpu_track = TRACK_OWN,
		.bare_title = true,
		LABELS(diag_labels),
		.view = { .file = "diagnostic" },
	},
};

/* ---- Begin and end. ---- */

/* Adds the settings of the machine as properties of the trace. */
static void
create(struct emu *emu)
{
	struct lapmodel *d = emu_data(emu);
	const struct laplace *l = d->l = emu_input(emu, "laplace");
	if (!l)
		return;
	emu_add_property(emu, "laplace.protocol_version", "0.1");
	emu_add_property(emu, "laplace.freq_hz", emu_printf(emu, "%" PRIu64, l->source.freq));
	emu_add_property(emu, "laplace.page_size", emu_printf(emu, "%d", LAP_PAGE_SIZE));
	emu_add_property(emu, "laplace.kernel_base", emu_printf(emu, "%" PRIx32, l->source.kernel_base));
}

static void
label_spaces(struct emu *emu, const struct lappages *p)
{
	for (size_t i = 0; i < p->nspaces && !emu_has_failed(emu); i++) {
		const struct lap_space *s = p->spaces[i];
		char text[32];
		int n = snprintf(text, sizeof(text), "%x", s->context);
		if (s->life > 1)
			(void)snprintf(text + n, sizeof(text) - (size_t)n, "#%u", s->life);
		(void)emu_add_label(emu, SPACE, s->index, text);
	}
}

static void
finish(struct emu *emu)
{
	struct lapmodel *d = emu_data(emu);
	const struct laplace *l = d->l;
	if (d->machine)
		label_spaces(emu, &d->machine->pages);
	for (int code = 1; l && code < LAP_CODES; code++) {
		const struct lap_code_info *info = lap_code(code);
		uint64_t n = l->log.counts[code];
		if (n && (l->log.lenient || info->warning))
			emu_warn(emu, "%s: %" PRIu64 " time%s: %s (%s)", info->name, n, n == 1 ? "" : "s", info->text, info->lenient);
	}
	for (int tag = 0; l && tag < 256; tag++)
		if (l->log.unknown[tag])
			emu_warn(emu, "tag %c: %" PRIu64 " time%s: not known (passed on)", tag, l->log.unknown[tag], l->log.unknown[tag] == 1 ? "" : "s");
	for (uint32_t i = 0; d->counts && i < emu_nthreads(emu); i++)
		lapcount_finish(&d->counts[i]);
	for (uint32_t i = 0; d->cpus && i < d->ncpus; i++)
		lapcount_finish(&d->cpus[i].count);
	lapcount_finish(&d->all);
	lapids_finish(&d->rows);
	lapmachine_finish(&d->own);
}

/* ---- Events. ---- */

#define REF_EVENT(kind, does)                                                                                                                       \
	{                                                                                                                                           \
		"LR" kind "(u8 length, u32 space, u32 address)", does " %{length} bytes at %#x{address} of space %#x{space}", .hook = lapmodel_refs \
	}

static const struct event_decl events[] = {
	REF_EVENT("r", "loads"),
	REF_EVENT("w", "stores"),
	REF_EVENT("i", "fetches"),
	REF_EVENT("R", "loads again"),
	REF_EVENT("W", "stores again"),
	REF_EVENT("I", "fetches again"),
#define X(code, label, declaration, text) { "LK" declaration, text, .hook = lapmodel_event, .payload = PAYLOAD_ANY },
	KERNEL_EVENTS(X)
#undef X
		{ "LK?(u64 tag)", "an event whose tag %#llx{tag} is not known", .hook = lapmodel_event, .payload = PAYLOAD_ANY },
	{ "LW.", "a window ends", .hook = lapmodel_window },
};

const struct model model_laplace = {
	MODEL_ABI,
	.id = 'L',
	.name = "laplace",
	.version = "1.0.0",
	.foreign = true,
	CHANS(chans),
	EVENTS(events),
	.data_size = sizeof(struct lapmodel),
	.create = create,
	.finish = finish,
};
