/* SPDX-License-Identifier: MIT */
/* uscope_read: prints what any µScope file has at a time, and the events around it.
 *
 *   usage: uscope_read FILE [TIME_PS [WINDOW_PS]]   default: the end, and all events
 *
 * It knows nothing of the program that wrote the file: names and types come from the
 * schema. Files that are still being written, and those of programs that died, are read
 * too. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <uscope.h>

/* Only files that are complete have texts. */
static void
print_value(uscope_reader_t *r, const uscope_field_t *f, uint64_t value)
{
	const char *text = NULL;
	if (f->type == USCOPE_ENUM)
		text = uscope_enum_label(uscope_schema(r), f->enum_id, (uint8_t)value);
	else if (f->type == USCOPE_STRING_REF)
		text = uscope_string(r, (uint32_t)value, NULL);
	if (text != NULL)
		printf(" %s=%s", f->name, text);
	else if (f->type >= USCOPE_I8 && f->type <= USCOPE_I64)
		printf(" %s=%" PRId64, f->name, (int64_t)value);
	else
		printf(" %s=%" PRIu64, f->name, value);
}

static void
print_storage(uscope_reader_t *r, const uscope_state_t *state, uint16_t id)
{
	const uscope_storage_t *st = &uscope_schema(r)->storages[id];
	printf("%s: %" PRIu32 " of %u slots", st->name, uscope_storage_occupancy(state, id), st->num_slots);
	for (uint16_t p = 0; p < st->num_properties; p++)
		print_value(r, &st->properties[p], uscope_state_prop(state, id, p));
	printf("\n");
	for (uint32_t slot = 0; slot < st->num_slots; slot++) {
		if (!uscope_slot_valid(state, id, (uint16_t)slot))
			continue;
		printf("  %" PRIu32 ":", slot);
		for (uint16_t f = 0; f < st->num_fields; f++)
			print_value(r, &st->fields[f], uscope_slot_field(state, id, (uint16_t)slot, f));
		printf("\n");
	}
}

/* A field of an event, little-endian; signed ones are extended. */
static uint64_t
load(const uint8_t *p, const uscope_field_t *f)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < f->size; i++)
		v |= (uint64_t)p[f->offset + i] << (8 * i);
	unsigned unused = 64 - 8U * f->size;
	if (f->type >= USCOPE_I8 && f->type <= USCOPE_I64)
		v = (uint64_t)((int64_t)(v << unused) >> unused);
	return v;
}

static int
print_events(uscope_reader_t *r, uint64_t from, uint64_t to)
{
	uint64_t time;
	uint16_t type;
	const void *payload;
	uscope_event_iter_t *it = uscope_events_in_range(r, from, to);
	if (it == NULL)
		return USCOPE_E_NOMEM;
	while (uscope_event_next(it, &time, &type, &payload)) {
		const uscope_event_type_t *e = &uscope_schema(r)->events[type];
		printf("%" PRIu64 " ps %s", time, e->name);
		for (uint16_t f = 0; f < e->num_fields; f++)
			print_value(r, &e->fields[f], load(payload, &e->fields[f]));
		printf("\n");
	}
	int status = uscope_event_iter_status(it);
	uscope_event_iter_free(it);
	return status;
}

static void
print_about(uscope_reader_t *r)
{
	const uscope_dut_desc_t *dut = uscope_dut_desc(r);
	for (uint32_t i = 0; i < dut->num_properties; i++)
		printf("%s: %s\n", dut->properties[i].key, dut->properties[i].value);
	printf("%s, %" PRIu32 " segments\n", uscope_is_complete(r) ? "complete" : "unfinished",
		uscope_num_segments(r));
}

/* Where the trace ends; false: there is nothing in it. */
static bool
end_of(uscope_reader_t *r, uint64_t *end)
{
	uscope_segment_t segment;
	uint32_t n = uscope_num_segments(r);
	if (n == 0 || uscope_segment_info(r, n - 1, &segment) != 0)
		return false;
	*end = segment.time_end_ps;
	return true;
}

static int
print_all(uscope_reader_t *r, uint64_t time, uint64_t window)
{
	uscope_state_t *state = uscope_state_at(r, time);
	if (state == NULL)
		return uscope_reader_status(r);
	printf("at %" PRIu64 " ps:\n", time);
	for (uint32_t id = 0; id < uscope_schema(r)->num_storages; id++)
		print_storage(r, state, (uint16_t)id);
	uscope_state_free(state);
	return print_events(r, time > window ? time - window : 0, time);
}

int
main(int argc, char *argv[])
{
	if (argc < 2 || argc > 4) {
		(void)fprintf(stderr, "usage: uscope_read FILE [TIME_PS [WINDOW_PS]]\n");
		return 2;
	}
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(argv[1], NULL, &error);
	if (r == NULL) {
		(void)fprintf(stderr, "%s: %s\n", argv[1], error.reason);
		return 1;
	}
	print_about(r);
	uint64_t end;
	int status = 0;
	if (end_of(r, &end)) {
		uint64_t time = argc > 2 ? strtoull(argv[2], NULL, 10) : end;
		uint64_t window = argc > 3 ? strtoull(argv[3], NULL, 10) : time;
		status = print_all(r, time, window);
	}
	if (status != 0)
		(void)fprintf(stderr, "%s: %s\n", argv[1], uscope_status_text(status));
	uscope_reader_close(r);
	return status != 0;
}
