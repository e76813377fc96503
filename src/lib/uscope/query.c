/* SPDX-License-Identifier: MIT */
/* query: decoding of segments, and the state at a time. */
#include "framein.h"

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
	if ((status = framein_open(&f, r, i, s)))
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

/* Decodes and counts a whole segment the first time it is asked for; later only up to `until`. */
static int
decode_known(struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, struct uscope_state *state,
	uint64_t until)
{
	unsigned marks = seglist_marks(&r->segments, i);
	if (marks & SEGMENT_GOOD)
		return state ? decode(r, i, s, state, until, NULL) : 0;
	uint64_t diag[USCOPE_NUM_DIAGS] = { 0 };
	int status = decode(r, i, s, state, until, diag);
	/* Out of memory says nothing about the segment: do not mark it. */
	if (status == USCOPE_E_NOMEM || status == USCOPE_E_IO)
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
