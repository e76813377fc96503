/* SPDX-License-Identifier: MIT */
/* tracks: the tree of tracks: Threads, loom, process, thread, channel; CPUs, loom, CPU, channel; Processes, row,
 * channel. A track is there from its first value on, its parents before it. */
#include "perfetto.h"

#include "track.h"

#include <assert.h>
#include <stdio.h>

enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDER = 11,
	TRACK_RANK = 12,
	TRACK_MERGE = 15,
	CHILD_ORDER_BY_RANK = 3,
	MERGE_NONE = 2,
	SNAPSHOT_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	CLOCK_IS_INCREMENTAL = 3,
	CLOCK_BOOT = 6,
	CLOCK_OF_SEQUENCE = 64,
	DEFAULT_EVENT = 11,
	FLAGS_BEGIN = 3, /* the state is cleared, and needed */
	SMALL = 128,     /* enough for fields without texts */
	FIRST_TRACKS = 16,
};

static_assert((sizeof(struct pf_track) & (sizeof(struct pf_track) - 1)) == 0, "a power of two");

/* Doubles the room; each track is in one line of a cache. */
static bool
grow_tracks(struct perfetto *p)
{
	size_t cap = p->tracks_cap ? p->tracks_cap * 2 : FIRST_TRACKS;
	char *room = arena_alloc(&p->arena, cap + 1, sizeof(*p->tracks));
	if (!room)
		return false;
	struct pf_track *tracks = (void *)(room + (-(uintptr_t)room & (sizeof(*tracks) - 1)));
	if (p->tracks)
		memcpy(tracks, p->tracks, p->ntracks * sizeof(*tracks));
	p->tracks = tracks;
	p->tracks_cap = cap;
	return true;
}

int
pf_open_tracks(struct perfetto *p)
{
	const struct emu *emu = p->emu;
	const struct system *sys = &emu->plan->sys;
	size_t nrows = emu_first_row(emu, ROW_PROC) + emu_nrows(emu, ROW_PROC);
	p->track_of = arena_new(&p->arena, uint32_t, nrows * emu->plan->ncols);
	p->groups = arena_new(&p->arena, uint32_t, nrows);
	p->proc_groups = arena_new(&p->arena, uint32_t, sys->nprocs);
	p->task_tracks = arena_new(&p->arena, uint32_t *, emu->plan->nmodels);
	p->rank = arena_new(&p->arena, uint32_t, ROW_CLASSES * emu->plan->ncols);
	p->values = emu->plan->options.compat ? arena_new(&p->arena, int64_t, nrows * emu->plan->ncols) : NULL;
	if ((emu->plan->options.compat && !p->values) || !p->track_of || !p->groups || !p->proc_groups || !p->task_tracks || !p->rank || !grow_tracks(p))
		return diag_no_memory(emu->diag);
	p->tracks[p->ntracks++] = (struct pf_track){ .type = PF_NONE, .open = PF_NONE << 16 };
	for (enum row_class rows = 0; rows < ROW_CLASSES; rows++) {
		p->loom_groups[rows] = arena_new(&p->arena, uint32_t, sys->nlooms);
		if (!p->loom_groups[rows])
			return diag_no_memory(emu->diag);
		p->titles[rows] = out_type_labels(&p->arena, emu, rows);
		if (!p->titles[rows])
			return -ERR_MEMORY;
		for (uint32_t i = 0; i < emu->plan->ncols; i++)
			p->rank[rows * emu->plan->ncols + out_in_order(rows, i)] = i;
	}
	return 0;
}

/* Writes a track that stands at place `rank` in its parent (0: it has none). Returns its uuid. */
static uint32_t
put_track(struct perfetto *p, uint32_t parent, uint32_t rank, const char *name, bool counter)
{
	uint32_t uuid = ++p->nuuids;
	const char *clean = pf_clean(p, name);
	size_t n = clean ? strlen(clean) : 0;
	char fields[SMALL];
	char *end = put_number(fields, TRACK_UUID, uuid);
	if (parent)
		end = put_number(end, TRACK_PARENT, parent);
	if (counter)
		end = put_bytes(end, TRACK_COUNTER, "", 0);
	else
		end = put_number(end, TRACK_CHILD_ORDER, CHILD_ORDER_BY_RANK);
	end = put_number(end, TRACK_RANK, rank);
	end = put_number(end, TRACK_MERGE, MERGE_NONE);
	end = put_varint(put_tag(end, TRACK_NAME, WIRE_BYTES), n);
	size_t size = (size_t)(end - fields) + n;
	char *to = pack_reserve(&p->pack, PACK_ROOM);
	to = put_varint(put_tag(to, TRACE_PACKET, WIRE_BYTES), 2 + varint_size(size) + size);
	to = put_varint(put_tag(to, PACKET_TRACK_DESCRIPTOR, WIRE_BYTES), size);
	memcpy(to, fields, (size_t)(end - fields));
	pack_commit(&p->pack, to + (end - fields));
	if (clean)
		pack_put(&p->pack, clean, n);
	return uuid;
}

static uint32_t
root_of(struct perfetto *p, enum row_class rows)
{
	static const char *const names[] = { [ROW_THREAD] = "Threads", [ROW_CPU] = "CPUs", [ROW_PROC] = "Processes" };
	if (!p->roots[rows])
		p->roots[rows] = put_track(p, 0, rows, names[rows], false);
	return p->roots[rows];
}

static uint32_t
loom_of(struct perfetto *p, enum row_class rows, uint32_t loom)
{
	uint32_t *group = &p->loom_groups[rows][loom];
	if (!*group) {
		uint32_t root = root_of(p, rows);
		*group = put_track(p, root, loom, p->emu->plan->sys.looms[loom].name, false);
	}
	return *group;
}

static uint32_t
proc_of(struct perfetto *p, uint32_t proc)
{
	const struct proc *k = &p->emu->plan->sys.procs[proc];
	if (!p->proc_groups[proc]) {
		char name[64];
		int n = snprintf(name, sizeof(name), "PROC %d.%d", k->app_id, k->pid);
		if (k->rank >= 0)
			(void)snprintf(name + n, sizeof(name) - (size_t)n, " rank %d", k->rank);
		uint32_t loom = loom_of(p, ROW_THREAD, k->loom);
		p->proc_groups[proc] = put_track(p, loom, proc, name, false);
	}
	return p->proc_groups[proc];
}

static uint32_t
row_of(struct perfetto *p, uint32_t row)
{
	const struct system *sys = &p->emu->plan->sys;
	enum row_class rows = pf_class_of(p->emu, row);
	uint32_t index = row - emu_first_row(p->emu, rows);
	if (!p->groups[row]) {
		uint32_t parent = rows == ROW_THREAD ? proc_of(p, sys->threads[index].proc) : rows == ROW_CPU ? loom_of(p, rows, sys->cpus[index].loom)
													      : root_of(p, rows);
		p->groups[row] = put_track(p, parent, index, emu_row_label(p->emu, row), false);
	}
	return p->groups[row];
}

/* A clock of a snapshot. */
static char *
put_clock(char *to, unsigned id, uint64_t time, bool incremental)
{
	char clock[SMALL];
	char *end = put_number(put_number(clock, CLOCK_ID, id), CLOCK_TIME, time);
	if (incremental)
		end = put_number(end, CLOCK_IS_INCREMENTAL, 1);
	return put_bytes(to, SNAPSHOT_CLOCK, clock, (size_t)(end - clock));
}

/* Makes the field that all packets of a track have. */
static void
make_sequence(struct pf_track *t, uint32_t sequence)
{
	char bytes[1 + PACK_VARINT] = { 0 };
	t->nsequence = (uint8_t)(put_number(bytes, PACKET_SEQUENCE, sequence) - bytes);
	memcpy(&t->sequence, bytes, sizeof(t->sequence));
}

/* Begins the sequence of a track: its clock counts from the packet before. */
static uint32_t
begin_sequence(struct perfetto *p, uint32_t uuid, enum pf_type type, int64_t time)
{
	if (p->ntracks == PF_TRACKS_MAX || (p->ntracks == p->tracks_cap && !grow_tracks(p))) {
		pf_no_memory(p);
		return 0;
	}
	uint32_t number = (uint32_t)p->ntracks++;
	p->tracks[number] = (struct pf_track){ .last = time, .type = (uint8_t)type, .open = (uint32_t)type << 16 };
	make_sequence(&p->tracks[number], number);

	char event[SMALL];
	size_t nevent = (size_t)(put_number(event, EVENT_TRACK, uuid) - event);
	char defaults[SMALL];
	char *end = put_number(defaults, PACKET_CLOCK, CLOCK_OF_SEQUENCE);
	end = put_bytes(end, DEFAULT_EVENT, event, nevent);
	size_t ndefaults = (size_t)(end - defaults);
	char snapshot[SMALL];
	end = put_clock(put_clock(snapshot, CLOCK_BOOT, (uint64_t)time, false), CLOCK_OF_SEQUENCE, (uint64_t)time, true);
	char packet[3 * SMALL];
	end = put_bytes(packet, PACKET_CLOCK_SNAPSHOT, snapshot, (size_t)(end - snapshot));
	end = put_number(end, PACKET_SEQUENCE, number);
	end = put_number(end, PACKET_SEQUENCE_FLAGS, FLAGS_BEGIN);
	end = put_bytes(end, PACKET_DEFAULTS, defaults, ndefaults);
	char *to = pack_reserve(&p->pack, PACK_ROOM);
	pack_commit(&p->pack, put_bytes(to, TRACE_PACKET, packet, (size_t)(end - packet)));
	return number;
}

/* A number that counts: the labels of values that come later make no names of it. */
static bool
is_counter(const struct perfetto *p, enum row_class rows, uint32_t col)
{
	const struct chan_decl *k = out_decl(p->emu, rows, col);
	if (col < NBASE && rows != ROW_PROC)
		return rows == ROW_CPU && col == COL_NRUNNING;
	bool counts = k->values == VALUES_ANY || (k->of && k->values != VALUES_TEXT);
	return counts && k->kind == CHAN_SINGLE && !p->nlabels[rows][col];
}

uint32_t
pf_add_track(struct perfetto *p, uint32_t row, uint32_t col, int64_t time)
{
	enum row_class rows = pf_class_of(p->emu, row);
	bool stack = rows == ROW_THREAD && p->emu->plan->cols[col].kind == CHAN_STACK;
	enum pf_type type = stack ? PF_NESTED : is_counter(p, rows, col) ? PF_COUNTER
									 : PF_SLICES;
	uint32_t parent = row_of(p, row);
	uint32_t uuid = put_track(p, parent, p->rank[rows * p->emu->plan->ncols + col], p->titles[rows][col], type == PF_COUNTER);
	uint32_t track = begin_sequence(p, uuid, type, time);
	struct pf_track *t = &p->tracks[track];
	t->numbered = out_decl(p->emu, rows, col)->values != VALUES_TEXT;
	t->plain = t->numbered && !p->nlabels[rows][col];
	t->names = t->numbered ? PF_SMALL - 1 : 0;
	return track;
}

uint32_t
pf_task_track(struct perfetto *p, uint32_t thread, uint32_t model, int64_t time)
{
	uint32_t **of = &p->task_tracks[model];
	if (!*of)
		*of = arena_new(&p->arena, uint32_t, p->emu->plan->sys.nthreads);
	if (!*of) {
		pf_no_memory(p);
		return 0;
	}
	if (!(*of)[thread]) {
		char name[256];
		(void)snprintf(name, sizeof(name), "%.200s tasks", p->emu->plan->models[model].model->name);
		uint32_t parent = row_of(p, thread);
		uint32_t uuid = put_track(p, parent, (uint32_t)p->emu->plan->ncols + model, name, false);
		(*of)[thread] = begin_sequence(p, uuid, PF_SLICES, time);
	}
	return (*of)[thread];
}
