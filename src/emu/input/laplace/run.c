/* SPDX-License-Identifier: MIT */
/* run: with --laplace-refs=none, joins references to one event. */
#include "laplace/kernel.h"
#include "laplace/ref.h"
#include "stream.h"

/* Returns the first cycle with something else: a record of another file, or a tick. */
static uint64_t
end_of_run(const struct laplace *l)
{
	uint64_t tick = l->tick_cycle + l->first;
	uint64_t end = tick < l->first ? UINT64_MAX : tick;
	uint64_t other = kway_second(&l->merge.order);
	return other < end ? other : end;
}

/* Takes the good references that follow the current one, in the same mode and space, from
 * the window of their file: one event for all. */
static void
take_same(struct laplace *l)
{
	struct lapread *r = &l->readers[l->merge.order.heap[0].item];
	const struct lap_record *first = &l->batch.rec;
	if (!r->plain)
		return;
	const uint8_t *p = r->source.p;
	uint64_t have = (uint64_t)(r->source.end - p) / LAP_RECORD_SIZE;
	size_t max = have < LAPLACE_RUN ? (size_t)have : LAPLACE_RUN;
	enum lap_endian endian = r->options.endian;
	uint32_t base = l->source.kernel_base;
	uint32_t space = first->space;
	bool kernel = first->addr >= base;
	uint64_t end = end_of_run(l);
	uint64_t last = first->ts;
	size_t n = 0;
	for (; n < max; n++, p += LAP_RECORD_SIZE) {
		struct lap_record rec;
		lapref_decode(p, endian, &rec);
		uint8_t kind = lap_kinds[rec.kind];
		bool good = kind && (uint64_t)rec.length - 1 <= UINT32_MAX - rec.addr && rec.ts >= last && rec.ts < end;
		if (!good || rec.space != space || (rec.addr >= base) != kernel)
			break;
		last = rec.ts;
		l->batch.more[n] = (struct lap_more){ .addr = rec.addr, .kind = kind, .length = rec.length };
	}
	if (n == 0)
		return;
	r->source.p = p;
	r->last_ts = last;
	r->records += n;
	l->batch.nmore = n;
	l->batch.nsame = n;
	l->nrecords += n;
	l->last_cycle = last - l->first;
}

/* Goes on with the references of other CPUs, in order: processors that work at the same time
 * change places at each. */
static void
take_others(struct laplace *l)
{
	const struct lap_record *rec;
	const struct lapread *of;
	size_t n = l->batch.nmore;
	struct lap_last *mine = &l->batch.last[l->batch.at.cpu];
	mine->space = l->batch.rec.space;
	mine->kernel = l->batch.rec.addr >= l->source.kernel_base;
	while (n < LAPLACE_RUN) {
		int rc = lapmerge_peek(&l->merge, &rec, &of);
		l->ahead = l->log.last;
		l->log.last = 0;
		if (rc <= 0)
			break;
		struct lap_last *s = &l->batch.last[of->options.cpu];
		uint64_t cycle = rec->ts - l->first;
		bool kernel = rec->addr >= l->source.kernel_base;
		bool same = rec->type == LAP_REF && rec->space == s->space && kernel == s->kernel;
		bool counts = lapmachine_is_steady(l->machine, of->options.cpu, kernel, rec->space);
		if (!same || !counts || cycle >= l->tick_cycle || l->ahead)
			break;
		l->batch.more[n] = (struct lap_more){ rec->addr, lap_kinds[rec->kind], rec->length, (uint16_t)of->options.cpu };
		l->batch.places[n++] = of->at.offset;
		s->file = of->options.file;
		l->last_cycle = cycle;
		l->merge.taken = true;
		l->nrecords++;
	}
	l->batch.nmore = n;
}

void
laprun_take(struct laplace *l)
{
	l->batch.nmore = 0;
	l->batch.nsame = 0;
	if (l->refs != LAPLACE_REFS_NONE || l->batch.rec.type != LAP_REF)
		return;
	take_same(l);
	if (l->batch.last)
		take_others(l);
}
