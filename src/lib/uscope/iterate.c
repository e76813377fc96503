/* SPDX-License-Identifier: MIT */
/* iterate: items and events of a range of time. */
#include "framein.h"

#include <stdlib.h>

struct uscope_item_iter {
	struct uscope_reader *r;
	uint64_t t0, t1;
	uint32_t next; /* segment to open, or the one that is open */
	bool one;      /* no other segment */
	bool open;
	bool done;
	struct framein f;
	int status;
};

/* An iterator of items, of which other ones are passed over. */
struct uscope_event_iter {
	struct uscope_item_iter items;
};

static bool
stop(struct uscope_item_iter *it, int status)
{
	it->done = true;
	it->status = status;
	return false;
}

static void
leave_segment(struct uscope_item_iter *it)
{
	framein_close(&it->f);
	it->open = false;
	it->next++;
	it->done = it->one;
}

/* When there is no further segment, a live file may have one later: it is not the end. */
static bool
enter_segment(struct uscope_item_iter *it)
{
	uscope_segment_t s;
	int status;
	if (it->next >= it->r->segments.num)
		return false;
	if ((status = seglist_get(it->r, it->next, &s)))
		return stop(it, status);
	if (s.time_start_ps > it->t1) {
		it->done = true;
		return false;
	}
	if ((status = segment_check(it->r, it->next, &s)) || (status = framein_open(&it->f, it->r, it->next, &s, false)))
		return stop(it, status);
	it->open = true;
	return true;
}

uscope_item_iter_t *
uscope_items_in_range(uscope_reader_t *r, uint64_t t0_ps, uint64_t t1_ps)
{
	struct uscope_item_iter *it = malloc(sizeof(*it));
	if (!it)
		return NULL;
	*it = (struct uscope_item_iter){ .r = r, .t0 = t0_ps, .t1 = t1_ps, .done = t0_ps > t1_ps };
	int status = it->done ? 0 : seglist_first(r, t0_ps, &it->next);
	if (status)
		(void)stop(it, status);
	return it;
}

uscope_item_iter_t *
uscope_segment_items(uscope_reader_t *r, uint32_t segment)
{
	bool exists = segment < r->segments.num;
	struct uscope_item_iter *it = exists ? malloc(sizeof(*it)) : NULL;
	reader_clear(r);
	if (!exists)
		(void)status_set(&r->error, USCOPE_E_RANGE, NO_SEGMENT, 0, "there is no segment %u", segment);
	else if (it)
		*it = (struct uscope_item_iter){ .r = r, .t1 = UINT64_MAX, .next = segment, .one = true };
	else
		(void)status_set(&r->error, USCOPE_E_NOMEM, NO_SEGMENT, 0, "out of memory");
	return it;
}

bool
uscope_item_next(uscope_item_iter_t *it, uscope_item_t *item)
{
	while (!it->done) {
		if (!it->open && !enter_segment(it))
			return false;
		int rc = framein_next(&it->f, item);
		if (rc < 0)
			return stop(it, rc);
		if (rc > 0 && (item->kind != USCOPE_ITEM_FRAME || (item->time_ps >= it->t0 && item->time_ps <= it->t1)))
			return true;
		if (rc == 0 || item->time_ps > it->t1)
			leave_segment(it);
		else if ((rc = framein_skip_frame(&it->f)) < 0)
			return stop(it, rc);
	}
	return false;
}

int
uscope_item_iter_status(const uscope_item_iter_t *it)
{
	return it->status;
}

void
uscope_item_iter_free(uscope_item_iter_t *it)
{
	if (!it)
		return;
	framein_close(&it->f);
	free(it);
}

uscope_event_iter_t *
uscope_events_in_range(uscope_reader_t *r, uint64_t t0_ps, uint64_t t1_ps)
{
	return (uscope_event_iter_t *)uscope_items_in_range(r, t0_ps, t1_ps);
}

bool
uscope_event_next(uscope_event_iter_t *it, uint64_t *time_ps, uint16_t *type, const void **payload)
{
	uscope_item_t item;
	do {
		if (!uscope_item_next(&it->items, &item))
			return false;
	} while (item.kind != USCOPE_ITEM_EVENT || item.bad);
	*time_ps = item.time_ps;
	*type = item.event_type;
	*payload = item.payload;
	return true;
}

int
uscope_event_iter_status(const uscope_event_iter_t *it)
{
	return it->items.status;
}

void
uscope_event_iter_free(uscope_event_iter_t *it)
{
	uscope_item_iter_free((uscope_item_iter_t *)it);
}
