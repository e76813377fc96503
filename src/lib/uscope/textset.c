/* SPDX-License-Identifier: MIT */
#include "textset.h"

#include "room.h"
#include "uscope.h"

enum {
	FIRST_SLOTS = 64,
};

/* FNV-1a, folded. */
static uint32_t
hash_text(const char *text, size_t *length)
{
	uint64_t h = 0xcbf29ce484222325u;
	const char *p = text;
	for (; *p; p++)
		h = (h ^ (uint8_t)*p) * 0x100000001b3u;
	*length = (size_t)(p - text);
	return (uint32_t)(h ^ h >> 32);
}

static bool
grow_slots(struct textset *t)
{
	uint32_t n = t->nslots ? t->nslots * 2 : FIRST_SLOTS;
	struct textset_slot *slots = n ? calloc(n, sizeof(*slots)) : NULL;
	if (!slots)
		return false;
	for (uint32_t i = 0; i < t->nslots; i++) {
		if (!t->slots[i].index)
			continue;
		uint32_t at = t->slots[i].hash & (n - 1);
		while (slots[at].index)
			at = (at + 1) & (n - 1);
		slots[at] = t->slots[i];
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = n;
	return true;
}

/* Room for one more entry and n more bytes. */
static bool
reserve(struct textset *t, size_t n)
{
	if (t->n >= t->nslots / 2 && !grow_slots(t))
		return false;
	return room_for(&t->entries, &t->entries_cap, t->n + (size_t)1, sizeof(*t->entries)) &&
		room_for(&t->data, &t->data_cap, t->size + n, 1);
}

static struct textset_slot *
find(const struct textset *t, const char *text, size_t length, uint32_t hash)
{
	uint32_t at = hash & (t->nslots - 1);
	for (; t->slots[at].index; at = (at + 1) & (t->nslots - 1)) {
		const struct textset_entry *e = &t->entries[t->slots[at].index - 1];
		if (t->slots[at].hash == hash && e->length == length && memcmp(t->data + e->offset, text, length) == 0)
			break;
	}
	return &t->slots[at];
}

int64_t
textset_add(struct textset *t, const char *text, size_t max_size)
{
	size_t length;
	uint32_t hash = hash_text(text, &length);
	if (t->nslots) {
		const struct textset_slot *slot = find(t, text, length, hash);
		if (slot->index)
			return slot->index - 1;
	}
	if (length >= max_size - t->size)
		return USCOPE_E_LIMIT;
	if (!reserve(t, length + 1))
		return USCOPE_E_NOMEM;

	*find(t, text, length, hash) = (struct textset_slot){ hash, t->n + 1 };
	t->entries[t->n] = (struct textset_entry){ (uint32_t)t->size, (uint32_t)length };
	memcpy(t->data + t->size, text, length + 1);
	t->size += length + 1;
	return t->n++;
}

void
textset_finish(struct textset *t)
{
	free(t->data);
	free(t->entries);
	free(t->slots);
	*t = (struct textset){ 0 };
}
