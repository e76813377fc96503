/* SPDX-License-Identifier: MIT */
/* writer_nomem: writes with the Nth allocation failing, for N = 1, 2... until none does.
 * Each run ends with E_NOMEM or well, frees all, and what it committed can be read. Linked
 * with wrapalloc: the allocations of our code, and of zstd and LZ4 when their static
 * libraries are there. */
#include "kit.h"
#include "phrase.h"
#include "wrapalloc.h"

#include <string.h>

enum {
	PHRASES = 20,
};

char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);

char *
__wrap_strdup(const char *s)
{
	return wrapalloc_fails() ? NULL : __real_strdup(s);
}

static int
make_schema(uscope_schema_t **schema)
{
	uscope_schema_t *s = *schema = uscope_schema_new();
	if (!s)
		return USCOPE_E_NOMEM;
	int rc[12 + 40];
	int n = 0;
	rc[n++] = uscope_schema_add_clock(s, "clk", 1);
	rc[n++] = uscope_schema_add_scope(s, "/", -1, "protocol", 0);
	rc[n++] = uscope_schema_add_enum(s, "e");
	rc[n++] = uscope_schema_add_enum_value(s, 0, 7, "seven");
	rc[n++] = uscope_schema_add_storage(s, "counter", 0, 1, 0);
	rc[n++] = uscope_schema_add_field(s, 0, "f", USCOPE_U64, -1);
	rc[n++] = uscope_schema_add_storage(s, "st", 0, 40, USCOPE_SPARSE);
	rc[n++] = uscope_schema_add_field(s, 1, "entity_id", USCOPE_U32, -1);
	rc[n++] = uscope_schema_add_storage(s, "dense", 0, PHRASES, 0);
	rc[n++] = uscope_schema_add_field(s, 2, "f", USCOPE_U16, -1);
	rc[n++] = uscope_schema_add_event(s, "ev", 0);
	for (int i = 0; i < 40; i++) /* arrays that grow */
		rc[n++] = uscope_schema_add_event_field(s, 0, "field of an event", USCOPE_U64, -1);
	for (int i = 0; i < n; i++)
		if (rc[i] < 0)
			return rc[i];
	return 0;
}

/* Some cycles from `time` on, which have other values each time they come. */
static void
put_phrases(uscope_writer_t *w, uscope_phrase_t *phrases, uint64_t time)
{
	uscope_line_t lines[PHRASES];
	for (uint16_t i = 0; i < PHRASES; i++) {
		if (!uscope_phrase_init(w, &phrases[i], time % 70 + i, &(uscope_place_t){ 2, i, 0 }, 1))
			return;
		lines[i] = (uscope_line_t){ i % 4 ? USCOPE_GOES_ON : time + i / 4u, &phrases[i] };
	}
	uscope_cycles(w, lines, PHRASES);
}

static int
write_trace(const char *path, const uscope_writer_options_t *o, bool in_phrases)
{
	static const uscope_dut_property_t pairs[] = { { "k", "v" } };
	static const char payload[320];
	uscope_schema_t *s;
	int status = make_schema(&s);
	uscope_writer_t *w = status ? NULL : uscope_writer_open_ex(path, &(uscope_dut_desc_t){ pairs, 1 }, s, o, &status);
	uscope_schema_free(s);
	if (!w)
		return status;
	if (!o->no_summary)
		for (int i = 0; i < 5; i++)
			(void)uscope_summary_counter(w, "counter of the application", 1);
	char text[20];
	uscope_phrase_t phrases[PHRASES] = { { .at = 0 } };
	for (uint64_t i = 0; i < 300; i++) {
		uscope_begin_cycle(w, i * 10);
		uscope_slot_set(w, 1, (uint16_t)(i % 40), 0, i << (i % 20));
		uscope_slot_set(w, 2, (uint16_t)(i % PHRASES), 0, i);
		if (i % 4 == 0)
			uscope_slot_add(w, 0, 0, 0, 1);
		for (int k = 0; k < 8; k++) /* enough for the deltas to grow */
			uscope_event(w, 0, payload);
		uscope_end_cycle(w);
		if (in_phrases && i % 3)
			put_phrases(w, phrases, i * 10 + 1);
		(void)snprintf(text, sizeof(text), "string %u", (unsigned)i);
		(void)uscope_string_insert(w, text);
		uscope_summary_add(w, 2, i * 1000, 1);
	}
	status = uscope_writer_finish(w);
	uscope_writer_close(w);
	return status;
}

/* A file that was begun has all the segments that were committed. */
static void
check_readable(const char *path, bool complete)
{
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(path, NULL, &error);
	if (!r && !complete && (error.status == USCOPE_E_TRUNCATED || error.status == USCOPE_E_IO))
		return; /* not even begun */
	CHECK(r && uscope_is_complete(r) == complete && uscope_verify(r, NULL, NULL) == 0);
	uscope_reader_close(r);
}

static void
walk(const char *name, const uscope_writer_options_t *o, bool repeat, bool phrases)
{
	const char *path = kit_path("nomem.uscp");
	CHECK(write_trace(path, o, phrases) == 0);
	size_t size;
	char *good = kit_read(path, &size);
	long n = 0;
	bool failed;
	do {
		wrapalloc_arm(++n, repeat);
		kit_remove(path);
		int status = write_trace(path, o, phrases);
		failed = wrapalloc_failed();
		wrapalloc_arm(0, false);
		CHECK(status == USCOPE_OK || status == USCOPE_E_NOMEM);
		CHECK(failed || status == USCOPE_OK);
		check_readable(path, status == USCOPE_OK);
		/* What failed did not matter; blocks of phrases are others if they are made later. */
		if (status == USCOPE_OK && !phrases) {
			size_t have;
			char *bytes = kit_read(path, &have);
			CHECK(have == size && memcmp(bytes, good, size) == 0);
			free(bytes);
		}
	} while (failed && n < 10000);
	CHECK(n > 20 && !failed);
	free(good);
	(void)printf("%s%s: %ld allocations\n", name, repeat ? ", all behind" : "", n - 1);
}

int
main(void)
{
	for (int i = 0; i < 2; i++) {
		walk("LZ4", &(uscope_writer_options_t){ .interval_ps = 500 }, i, false);
		walk("ZSTD", &(uscope_writer_options_t){ .compression = USCOPE_ZSTD }, i, false);
		walk("on a thread", &(uscope_writer_options_t){ .interval_ps = 500, .background = true }, i, false);
		walk("v0.1", &(uscope_writer_options_t){ .frames = USCOPE_COMPACT, .max_raw = 20000, .no_summary = true }, i, false);
		walk("phrases", &(uscope_writer_options_t){ .interval_ps = 500 }, i, true);
		walk("phrases on a thread", &(uscope_writer_options_t){ .background = true }, i, true);
	}
	return 0;
}
