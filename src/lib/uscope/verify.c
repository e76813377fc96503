/* SPDX-License-Identifier: MIT */
/* verify: whether the parts of a file agree with each other. */
#include "framein.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct verify {
	struct uscope_reader *r;
	uscope_verify_fn fn;
	void *user;
	int count;
	bool stopped;
	struct uscope_state *before, *now; /* the end of the segment before; the one in work */
	uint64_t end;                      /* time of the end of the segment before */
	struct window below, above;        /* two levels of a summary */
};

static void
tell(struct verify *v, const uscope_error_t *finding)
{
	if (v->stopped)
		return;
	if (v->count < INT_MAX)
		v->count++;
	if (v->fn && !v->fn(finding, v->user))
		v->stopped = true;
}

static bool
pass_on(const uscope_error_t *finding, void *user)
{
	struct verify *v = user;
	tell(v, finding);
	return !v->stopped;
}

/* Rules broken, one finding for each. */
static void
tell_diag(struct verify *v, const uint64_t *diag, int64_t segment, uint64_t offset)
{
	for (unsigned id = 0; id < USCOPE_N_POOL_GAP; id++) {
		uscope_error_t finding;
		if (!diag[id])
			continue;
		(void)status_set(&finding, USCOPE_E_STRICT, segment, offset, "%s: %s (%llu)", uscope_diag_name(id),
			uscope_diag_text(id), (unsigned long long)diag[id]);
		tell(v, &finding);
	}
}

/* ---- Checkpoints. ---- */

static void
tell_difference(struct verify *v, uint32_t i, const uscope_segment_t *s)
{
	uscope_error_t finding;
	for (uint32_t k = 0; k < v->now->num_storages; k++) {
		const struct state_storage *a = &v->before->storages[k];
		const struct state_storage *b = &v->now->storages[k];
		const char *name = v->r->schema->storages[k].name;
		uint64_t offset = s->offset + SEGMENT_HEADER_SIZE;
		char what[32] = "properties";
		bool differs = memcmp(a->props, b->props, a->prop_size) != 0;
		for (uint32_t slot = 0; slot < a->num_slots && !differs; slot++) {
			(void)snprintf(what, sizeof(what), "slot %u", slot);
			differs = memcmp(a->slots + (size_t)slot * a->slot_size, b->slots + (size_t)slot * b->slot_size, a->slot_size) != 0;
			if (a->valid)
				differs |= (a->valid[slot >> 3] ^ b->valid[slot >> 3]) >> (slot & 7) & 1;
		}
		if (!differs)
			continue;
		(void)status_set(&finding, USCOPE_E_CHECKPOINT, i, offset,
			"the checkpoint is not the end of the segment before: %s of storage %u, '%.60s'", what, k, name);
		tell(v, &finding);
		return;
	}
}

/* One segment. *follows: v->before is what it should begin with. Times that leave a gap
 * tell that segments are missing in between, as recovery leaves them. */
static int
check_segment(struct verify *v, uint32_t i, bool *follows)
{
	uint64_t diag[USCOPE_NUM_DIAGS] = { 0 };
	uscope_segment_t s = { 0 };
	int status = seglist_get(v->r, i, &s);
	if (!status && *follows && s.time_start_ps <= v->end && !(status = checkpoint_read(v->r, i, &s, v->now, NULL)) && !state_equal(v->before, v->now))
		tell_difference(v, i, &s);
	if (!status)
		status = segment_decode(v->r, i, &s, v->now, diag);
	if (is_ours(status))
		return status;
	const uscope_error_t finding = v->r->error;
	if (status)
		tell(v, &finding);
	else
		tell_diag(v, diag, i, s.offset);
	*follows = !status;
	v->end = s.time_end_ps;
	struct uscope_state *swap = v->before;
	v->before = v->now;
	v->now = swap;
	return 0;
}

static int
check_segments(struct verify *v)
{
	int status = reader_state(v->r, &v->before);
	if (!status)
		status = reader_state(v->r, &v->now);
	bool follows = false;
	for (uint32_t i = 0; i < v->r->segments.num && !status && !v->stopped; i++)
		status = check_segment(v, i, &follows);
	uscope_state_free(v->before);
	uscope_state_free(v->now);
	return status;
}

/* ---- Summary. ---- */

/* Compares the next entry of a level with the sum of the `n` entries below it; a density saturates. A file
 * that has shrunk is reported by window_next(), so no p is NULL without a status. */
static int
compare_entry(struct verify *v, bool density, uint32_t n, bool *good)
{
	uscope_mipmap_t sum = { .min = density ? 0 : UINT64_MAX };
	uscope_mipmap_t m = { 0 };
	for (uint32_t i = 0; i <= n; i++) {
		struct window *w = i < n ? &v->below : &v->above;
		const uint8_t *p = window_next(w, density ? DENSITY_SIZE : MIPMAP_SIZE);
		if (!p)
			return w->status;
		m = density ? (uscope_mipmap_t){ .sum = load32(p) } : (uscope_mipmap_t){ load64(p), load64(p + 8), load64(p + 16) };
		if (i == n)
			break;
		sum.min = m.min < sum.min ? m.min : sum.min;
		sum.max = m.max > sum.max ? m.max : sum.max;
		sum.sum += m.sum;
	}
	if (density && sum.sum > UINT32_MAX)
		sum.sum = UINT32_MAX;
	*good = m.min == sum.min && m.max == sum.max && m.sum == sum.sum;
	return 0;
}

static void
tell_level(struct verify *v, int64_t counter, uint32_t level, uint64_t offset, const char *why)
{
	uscope_error_t finding;
	char of[32] = "the density";
	if (counter >= 0)
		(void)snprintf(of, sizeof(of), "counter %lld", (long long)counter);
	(void)status_set(&finding, USCOPE_E_SECTION, NO_SEGMENT, offset, "level %u of %s %s", level, of, why);
	tell(v, &finding);
}

/* Two levels; the first entry that is wrong. */
static int
check_level(struct verify *v, int64_t counter, uint32_t level, const struct level *low, const struct level *high,
	uint32_t fan_out)
{
	unsigned size = counter < 0 ? DENSITY_SIZE : MIPMAP_SIZE;
	if (high->n != low->n / fan_out + (low->n % fan_out != 0)) {
		tell_level(v, counter, level, high->offset, "has the wrong length");
		return 0;
	}
	window_open(&v->below, v->r, low->offset, (uint64_t)low->n * size);
	window_open(&v->above, v->r, high->offset, (uint64_t)high->n * size);
	uint32_t left = low->n;
	for (uint32_t i = 0; i < high->n; i++) {
		uint32_t n = left < fan_out ? left : fan_out;
		bool good = false;
		int status = compare_entry(v, counter < 0, n, &good);
		if (status)
			return status;
		left -= n;
		if (!good) {
			tell_level(v, counter, level, high->offset + (uint64_t)i * size, "is not made of the level below");
			return 0;
		}
	}
	return 0;
}

static int
check_summary(struct verify *v)
{
	uscope_summary_t info;
	if (!uscope_summary_info(v->r, &info))
		return 0;
	for (int64_t c = info.legacy ? 0 : -1; c < (int64_t)info.num_counters && !v->stopped; c++) {
		struct level levels[SUMMARY_LEVELS_MAX];
		uint32_t n;
		int status = summary_levels(v->r, c, levels, &n);
		for (uint32_t i = 1; i < n && !status && !v->stopped; i++)
			status = check_level(v, c, i, &levels[i - 1], &levels[i], info.fan_out);
		if (status)
			return status;
		if (n && levels[n - 1].n > 1)
			tell_level(v, c, n - 1, levels[n - 1].offset, "is the last and has more than one entry");
	}
	return 0;
}

int
uscope_verify(uscope_reader_t *r, uscope_verify_fn fn, void *user)
{
	struct verify *v = malloc(sizeof(*v));
	if (!v)
		return status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, 0, "out of memory");
	v->r = r;
	v->fn = fn;
	v->user = user;
	v->count = 0;
	v->stopped = false;
	v->before = v->now = NULL;
	tell_diag(v, r->opened, NO_SEGMENT, 0);
	int status = uscope_verify_bytes(r, pass_on, v);
	if (status >= 0 && !v->stopped)
		status = check_segments(v);
	if (!status && !v->stopped)
		status = check_summary(v);
	int count = v->count;
	free(v);
	if (!status)
		reader_clear(r);
	return status ? status : count;
}
