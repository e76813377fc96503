/* SPDX-License-Identifier: MIT */
/* query: the content of a segment, checked and, if wanted, put into a state; the state at a time. Most
 * reading needs no state, and none of its memory. */
#include "framein.h"

#include <stdlib.h>

/* ---- Checkpoints. ---- */

static int
bad(struct uscope_reader *r, uint32_t segment, uint64_t at, const char *why)
{
	return status_set(&r->error, USCOPE_E_CHECKPOINT, segment, at, "%s", why);
}

/* The mask of a sparse storage, n bytes that are there. *valid: its bits. st: NULL, or it gets them. */
static int
read_mask(struct window *w, const uscope_storage_t *def, uint32_t n, struct state_storage *st, uint32_t *valid,
	uint64_t *diag)
{
	const uint8_t *p = window_next(w, n);
	*valid = 0;
	if (!p || n == 0)
		return w->status;
	for (uint32_t k = 0; k < n; k++)
		*valid += (uint32_t)__builtin_popcount(p[k]);
	unsigned extra = def->num_slots % 8 ? (unsigned)p[n - 1] >> def->num_slots % 8 : 0;
	diag[USCOPE_V_MASK] += extra != 0;
	*valid -= (uint32_t)__builtin_popcount(extra);
	if (st) {
		memcpy(st->valid, p, n);
		st->valid[n - 1] ^= (uint8_t)(extra << def->num_slots % 8);
		st->num_valid = *valid;
	}
	return 0;
}

/* The slots that are valid: their bytes are there. */
static int
load_slots(struct window *w, struct state_storage *st)
{
	int status = 0;
	if (!st->valid)
		return window_copy(w, st->slots, (size_t)st->num_slots * st->slot_size);
	for (uint32_t slot = 0; slot < st->num_slots && !status; slot++)
		if (st->valid[slot >> 3] >> (slot & 7) & 1)
			status = window_copy(w, st->slots + (size_t)slot * st->slot_size, st->slot_size);
	return status;
}

/* The block of a storage that exists, n bytes at the place of w, which moves behind it. *fits: all
 * slots are inside. */
static int
read_block(struct window *w, const uscope_storage_t *def, uint64_t n, struct state_storage *st, bool *fits,
	uint64_t *diag)
{
	uint32_t mask = def->flags & USCOPE_SPARSE ? ((uint32_t)def->num_slots + 7) / 8 : 0;
	uint32_t valid = def->num_slots;
	int status = 0;
	*fits = mask <= n;
	if (*fits && (def->flags & USCOPE_SPARSE))
		status = read_mask(w, def, mask, st, &valid, diag);
	uint64_t data = (uint64_t)valid * def->slot_size;
	*fits = *fits && data <= n - mask;
	if (status || !*fits)
		return status;
	uint64_t left = n - mask - data;
	diag[USCOPE_V_CKPT_PROPS] += left < def->prop_size;
	diag[USCOPE_V_CKPT_EXTRA] += left > def->prop_size;
	if (!st) {
		window_skip(w, data + left);
		return 0;
	}
	status = load_slots(w, st);
	if (!status && left >= def->prop_size) {
		status = window_copy(w, st->props, def->prop_size);
		left -= def->prop_size;
	}
	window_skip(w, left);
	return status;
}

/* Storages without a block keep the initial state. */
static int
read_blocks(struct uscope_reader *r, uint32_t i, uint8_t *seen, struct uscope_state *state, uint64_t *diag)
{
	const uscope_schema_t *schema = r->schema;
	struct window *w = &r->window;
	uint32_t missing = schema->num_storages;
	while (window_left(w) > 0) {
		uint64_t at = w->end - window_left(w);
		const uint8_t *p = window_next(w, BLOCK_HEADER_SIZE);
		if (w->status)
			return w->status;
		if (!p)
			return bad(r, i, at, "the last block of the checkpoint is cut off");
		uint16_t id = load16(p);
		uint32_t n = load32(p + 4);
		if (n > window_left(w))
			return bad(r, i, at, "a block passes the end of the checkpoint");
		if (id >= schema->num_storages) {
			diag[USCOPE_N_CKPT_UNKNOWN]++;
			window_skip(w, n);
			continue;
		}
		if (seen[id])
			return bad(r, i, at, "two blocks of the same storage");
		seen[id] = 1;
		missing--;
		bool fits;
		int status = read_block(w, &schema->storages[id], n, state ? &state->storages[id] : NULL, &fits, diag);
		if (status)
			return status;
		if (!fits)
			return bad(r, i, at, "the slots do not fit their block");
	}
	diag[USCOPE_V_CKPT_MISSING] += missing > 0;
	return 0;
}

int
checkpoint_read(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, struct uscope_state *state, uint64_t *diag)
{
	uint64_t unused[USCOPE_NUM_DIAGS] = { 0 };
	if (s->checkpoint_size > r->limits.max_checkpoint)
		return status_set(&r->error, USCOPE_E_LIMIT, i, s->offset, "a checkpoint of %u bytes", s->checkpoint_size);
	uint8_t *seen = calloc(r->schema->num_storages + 1, 1);
	if (!seen)
		return status_set(&r->error, USCOPE_E_NOMEM, i, s->offset, "out of memory");
	if (state)
		state_reset(state);
	window_open(&r->window, r, s->offset + SEGMENT_HEADER_SIZE, s->checkpoint_size);
	int status = read_blocks(r, i, seen, state, diag ? diag : unused);
	if (status)
		r->error.segment = i;
	free(seen);
	return status;
}

/* ---- Segments. ---- */

/* Decodes checkpoint and frames; state (NULL: none) gets all up to `until`. With diag the rest is decoded
 * too, as an error anywhere makes the segment useless. */
static int
decode(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, struct uscope_state *state,
	uint64_t until, uint64_t *diag)
{
	if (diag) {
		diag[USCOPE_N_RESERVED] += s->flags != 0;
		diag[USCOPE_V_ALIGN] += r->complete && s->offset % 8 != 0;
	}
	int status = diag || state ? checkpoint_read(r, i, s, state, diag) : 0;
	if (status)
		return status;
	struct framein f;
	if ((status = framein_open(&f, r, i, s, !diag)))
		return status;
	if (diag)
		diag[USCOPE_V_LZ4_PREFIX] += f.blob.prefix;
	status = framein_replay(&f, state, until, diag);
	framein_close(&f);
	return status;
}

int
segment_decode(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, struct uscope_state *state,
	uint64_t *diag)
{
	return decode(r, i, s, state, UINT64_MAX, diag);
}

/* Whether a segment is as it was written, by its checksum: its end need not be looked at. */
static bool
is_as_written(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s)
{
	if (r->as_written != (uint64_t)i + 1)
		r->as_written = r->header.flags & USCOPE_F_COMPRESSED && sums_segment(r, i, s) ? (uint64_t)i + 1 : 0;
	return r->as_written;
}

/* Decodes and counts a whole segment the first time it is asked for, unless there is a checksum; later only up
 * to `until`. */
static int
decode_known(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, struct uscope_state *state,
	uint64_t until)
{
	unsigned marks = seglist_marks(&r->segments, i);
	if (marks & SEGMENT_GOOD)
		return state ? decode(r, i, s, state, until, NULL) : 0;
	if (state && is_as_written(r, i, s))
		return decode(r, i, s, state, until, NULL);
	uint64_t diag[USCOPE_NUM_DIAGS] = { 0 };
	int status = decode(r, i, s, state, until, diag);
	/* Out of memory says nothing about the segment: do not mark it. */
	if (is_ours(status))
		return status;
	if (!(marks & SEGMENT_COUNTED))
		for (unsigned id = 0; id < USCOPE_NUM_DIAGS; id++)
			r->diag[id] += diag[id];
	seglist_mark(&r->segments, i, SEGMENT_COUNTED | (status ? 0 : SEGMENT_GOOD));
	return status;
}

int
segment_check(struct uscope_reader *r, uint32_t i, uscope_segment_t *s)
{
	int status = seglist_get(r, i, s);
	return status ? status : decode_known(r, i, s, NULL, 0);
}

int
reader_state(struct uscope_reader *r, struct uscope_state **state)
{
	uint64_t size = state_memory(r->schema);
	if (size > r->limits.max_state)
		return status_set(&r->error, USCOPE_E_LIMIT, NO_SEGMENT, 0, "a state of %llu bytes", (unsigned long long)size);
	*state = state_new(r->schema);
	return *state ? 0 : status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, 0, "out of memory");
}

/* The state, if there was no error. */
static uscope_state_t *
finish(const uscope_reader_t *r, struct uscope_state *state)
{
	if (!r->error.status)
		return state;
	uscope_state_free(state);
	return NULL;
}

uscope_state_t *
uscope_state_at(uscope_reader_t *r, uint64_t time_ps)
{
	struct uscope_state *state = NULL;
	uscope_segment_t s;
	uint32_t i;
	reader_clear(r);
	if (!seglist_find(r, time_ps, &i) && !seglist_get(r, i, &s) && !reader_state(r, &state))
		(void)decode_known(r, i, &s, state, time_ps);
	return finish(r, state);
}

uscope_state_t *
uscope_segment_checkpoint(uscope_reader_t *r, uint32_t i)
{
	struct uscope_state *state = NULL;
	uscope_segment_t s;
	reader_clear(r);
	if (!seglist_get(r, i, &s) && !reader_state(r, &state))
		(void)checkpoint_read(r, i, &s, state, NULL);
	return finish(r, state);
}
