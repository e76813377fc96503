/* SPDX-License-Identifier: MIT */
/* ckptin: checkpoints of a file. The rules are those of state_load(); here they are also
 * checked without the memory of a state, since most reading needs none. */
#include "reader.h"

#include <stdlib.h>

static int
bad(uint32_t segment, uint64_t at, const char *why, uscope_error_t *error)
{
	return status_set(error, USCOPE_E_CHECKPOINT, segment, at, "%s", why);
}

static int
check_size(const struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, uscope_error_t *error)
{
	if (s->checkpoint_size > r->limits.max_checkpoint)
		return status_set(error, USCOPE_E_LIMIT, i, s->offset, "a checkpoint of %u bytes", s->checkpoint_size);
	return 0;
}

/* Bits of the mask of a sparse storage: *valid of them. *p NULL: the block ends in it. */
static int
check_mask(struct window *w, const uscope_storage_t *def, uint32_t *valid, bool *fits, uint64_t *diag, uscope_error_t *error)
{
	uint32_t n = ((uint32_t)def->num_slots + 7) / 8;
	const uint8_t *p;
	int status = window_next(w, n, &p, error);
	if (status)
		return status;
	*valid = 0;
	*fits = p != NULL;
	if (!p || n == 0)
		return 0;
	for (uint32_t k = 0; k < n; k++)
		*valid += (uint32_t)__builtin_popcount(p[k]);
	if (def->num_slots % 8) {
		unsigned extra = p[n - 1] >> def->num_slots % 8;
		if (extra) {
			diag[USCOPE_V_MASK]++;
			*valid -= (uint32_t)__builtin_popcount(extra);
		}
	}
	return 0;
}

/* The block of a storage that exists, n bytes in all, at the place of w. */
static int
check_block(struct window *w, const uscope_storage_t *def, uint64_t n, bool *fits, uint64_t *diag, uscope_error_t *error)
{
	uint32_t valid = def->num_slots;
	uint64_t used = 0;
	*fits = true;
	if (def->flags & USCOPE_SPARSE) {
		used = ((uint64_t)def->num_slots + 7) / 8;
		*fits = used <= n;
		int status = *fits ? check_mask(w, def, &valid, fits, diag, error) : 0;
		if (status || !*fits)
			return status;
	}
	uint64_t data = (uint64_t)valid * def->slot_size;
	if (data > n - used) {
		*fits = false;
		return 0;
	}
	uint64_t left = n - used - data;
	if (left < def->prop_size)
		diag[USCOPE_V_CKPT_PROPS]++;
	else if (left > def->prop_size)
		diag[USCOPE_V_CKPT_EXTRA]++;
	window_skip(w, n - used);
	return 0;
}

static int
check_blocks(struct uscope_reader *r, uint32_t i, struct window *w, uint8_t *seen, uint64_t *diag, uscope_error_t *error)
{
	const schema_t *schema = r->schema;
	uint32_t missing = schema->num_storages;
	while (window_left(w) > 0) {
		uint64_t at = w->end - window_left(w);
		const uint8_t *p;
		int status = window_next(w, BLOCK_HEADER_SIZE, &p, error);
		if (status)
			return status;
		if (!p)
			return bad(i, at, "the last block of the checkpoint is cut off", error);
		uint16_t id = load16(p);
		uint32_t n = load32(p + 4);
		if (n > window_left(w))
			return bad(i, at, "a block passes the end of the checkpoint", error);
		if (id >= schema->num_storages) {
			diag[USCOPE_N_CKPT_UNKNOWN]++;
			window_skip(w, n);
			continue;
		}
		if (seen[id])
			return bad(i, at, "two blocks of the same storage", error);
		seen[id] = 1;
		missing--;
		bool fits;
		if ((status = check_block(w, &schema->storages[id], n, &fits, diag, error)))
			return status;
		if (!fits)
			return bad(i, at, "the slots do not fit their block", error);
	}
	diag[USCOPE_V_CKPT_MISSING] += missing > 0;
	return 0;
}

int
checkpoint_check(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, uint64_t *diag, uscope_error_t *error)
{
	int status = check_size(r, i, s, error);
	if (status)
		return status;
	struct window *w = malloc(sizeof(*w));
	uint8_t *seen = calloc(r->schema->num_storages + 1, 1);
	if (!w || !seen) {
		status = status_set(error, USCOPE_E_NOMEM, i, s->offset, "out of memory");
	} else {
		window_open(w, r, s->offset + SEGMENT_HEADER_SIZE, s->checkpoint_size);
		status = check_blocks(r, i, w, seen, diag, error);
	}
	free(seen);
	free(w);
	return status;
}

int
checkpoint_load(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, struct uscope_state *state, uscope_error_t *error)
{
	int status = check_size(r, i, s, error);
	if (status)
		return status;
	uint64_t at = s->offset + SEGMENT_HEADER_SIZE;
	uint64_t unused[USCOPE_NUM_DIAGS] = { 0 };
	uint8_t *in = malloc((size_t)s->checkpoint_size + 1);
	if (!in)
		status = status_set(error, USCOPE_E_NOMEM, i, s->offset, "out of memory");
	else if (!(status = reader_read(r, at, in, s->checkpoint_size, error)))
		status = state_load(state, in, s->checkpoint_size, at, unused, error);
	free(in);
	if (status)
		error->segment = i;
	return status;
}
