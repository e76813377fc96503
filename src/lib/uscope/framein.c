/* SPDX-License-Identifier: MIT */
#include "framein.h"

#include "framecursor.h"

enum { PAYLOAD_MAX = 64 * 1024 }; /* that is handed out; no event of a schema has more */

int
framein_open(struct framein *f, struct uscope_reader *r, uint32_t i, const uscope_segment_t *s, bool part)
{
	*f = (struct framein){
		.schema = r->schema,
		.segment = *s,
		.time = s->time_start_ps,
		.index = i,
		.interleaved = r->header.flags & USCOPE_F_INTERLEAVED,
		.compact = r->header.flags & USCOPE_F_COMPACT_DELTAS,
	};
	return blob_open(&f->blob, r, i, s, part);
}

void
framein_close(struct framein *f)
{
	blob_close(&f->blob);
}

static void
put_op(const struct framein *f, uscope_item_t *item, const struct op *op)
{
	*item = (uscope_item_t){
		.kind = USCOPE_ITEM_OP,
		.bad = !framecursor_op_good(f->schema, op),
		.wide = op->wide,
		.time_ps = f->time,
		.segment = f->index,
		.action = op->action,
		.storage = op->storage,
		.slot = op->slot,
		.field = op->field,
		.value = op->value,
	};
}

static int
next_event(struct framein *f, struct framecursor *c, uscope_item_t *item)
{
	*item = (uscope_item_t){ .kind = USCOPE_ITEM_EVENT, .time_ps = f->time, .segment = f->index };
	int status = framecursor_event(f, c, &item->event_type, &item->payload_size);
	if (status)
		return status;
	item->bad = framecursor_event_kind(f->schema, item->event_type, item->payload_size) != EVENT_GOOD;
	if (item->payload_size > PAYLOAD_MAX)
		return framecursor_skip(f, c, item->payload_size);
	if ((status = framecursor_need(f, c, item->payload_size)))
		return status;
	item->payload = item->payload_size ? c->p : (const uint8_t *)"";
	c->p += item->payload_size;
	return 0;
}

int
framein_next(struct framein *f, uscope_item_t *item)
{
	struct framecursor c = { f->blob.p, f->blob.end };
	struct op op = { 0 };
	int rc = 0; /* of an operation */
	if (!f->ops && !f->events) {
		rc = framecursor_begin(f, &c);
		f->blob.p = c.p;
		*item = (uscope_item_t){ .kind = USCOPE_ITEM_FRAME, .time_ps = f->time, .segment = f->index };
		return rc;
	}
	if (f->ops) {
		f->ops--;
		rc = framecursor_op(f, &c, f->interleaved, &op);
	} else {
		f->events--;
	}
	if (rc > 0)
		put_op(f, item, &op);
	else if (rc == 0)
		rc = next_event(f, &c, item);
	f->blob.p = c.p;
	return rc < 0 ? rc : 1;
}

int
framein_skip_frame(struct framein *f)
{
	uscope_item_t item;
	while (f->ops || f->events) {
		int rc = framein_next(f, &item);
		if (rc < 0)
			return rc;
	}
	return 0;
}
