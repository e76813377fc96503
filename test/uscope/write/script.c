/* SPDX-License-Identifier: MIT */
/* script: calls the writer as a text tells it, one call a line of fields separated by
 * tabs; for tests that make their calls up. Prints "open STATUS", and at the end
 * "finish STATUS" and the figures.
 *
 *   script OUT.uscp [together] <TEXT
 *
 * together: cycles of SETs alone are phrases, many in one call, where all operations of
 * one are compact, or all are wide: else each has its own form, and bytes differ.
 * Numbers are decimal, bytes hexadecimal. A text that begins with "=" is what follows it
 * (with \t, \n and \\ inside), "-" is NULL. Definitions and options come first, then "open", then calls:
 *   begin T, end, set S SLOT F V, add S SLOT F V, clear S SLOT, prop S P V,
 *   event TYPE BYTES, values TYPE V,V..., string TEXT, flush, setend T, counter TEXT S, sadd C T D,
 *   span C T0 T1, density T N, ckpt K S MASK DATA N PROPS (for the Kth call of the
 *   callback), finish */
#include "check.h"
#include "together.h"
#include "uscope.h"

#include <inttypes.h>
#include <string.h>

enum {
	MAX_FIELDS = 10,
	MAX_LINE = 1 << 20,
	MAX_PAIRS = 100,
	MAX_PARTS = 100,
	MAX_VALUES = 100,
};

static char line[MAX_LINE];
static char *field[MAX_FIELDS];

static uscope_schema_t *schema;
static uscope_dut_property_t pairs[MAX_PAIRS];
static uint32_t npairs;
static uscope_writer_options_t options;
static uscope_writer_t *writer;

/* What the callback says. */
static struct part {
	unsigned call;
	uint16_t storage;
	uint8_t *mask;
	uint8_t *data;
	uint8_t *props;
	uint32_t n;
} parts[MAX_PARTS];
static unsigned nparts;
static unsigned ncalls;

static uint64_t
num(int i)
{
	CHECK(field[i]);
	char *end;
	uint64_t v = strtoull(field[i], &end, 10);
	CHECK(*end == '\0' && end != field[i]);
	return v;
}

static int
id(int i)
{
	CHECK(field[i]);
	return atoi(field[i]);
}

static const char *
text(int i)
{
	CHECK(field[i]);
	if (field[i][0] != '=')
		return NULL;
	char *to = field[i] + 1;
	for (const char *p = to; *p; p++) {
		bool escape = *p == '\\';
		p += escape;
		*to++ = escape && *p != '\\' ? (*p == 't' ? '\t' : '\n') : *p;
	}
	*to = '\0';
	return field[i] + 1;
}

/* free() it. */
static uint8_t *
bytes(int i, uint32_t *n)
{
	CHECK(field[i]);
	size_t len = strlen(field[i]) / 2;
	uint8_t *p = malloc(len + 1);
	CHECK(p);
	for (size_t k = 0; k < len; k++) {
		unsigned v;
		CHECK(sscanf(field[i] + 2 * k, "%2x", &v) == 1);
		p[k] = (uint8_t)v;
	}
	if (n)
		*n = (uint32_t)len;
	return p;
}

static void
callback(uscope_writer_t *w, void *user)
{
	(void)user;
	for (unsigned i = 0; i < nparts; i++) {
		const struct part *p = &parts[i];
		if (p->call != ncalls)
			continue;
		uscope_checkpoint_storage(w, p->storage, p->mask, p->data, p->n);
		uscope_checkpoint_properties(w, p->storage, p->props);
	}
	ncalls++;
}

static void
set_option(void)
{
	static const struct {
		const char *name;
		size_t offset;
		size_t size;
	} all[] = {
#define OPTION(name) { #name, offsetof(uscope_writer_options_t, name), sizeof(options.name) }
		OPTION(frames),
		OPTION(compression),
		OPTION(level),
		OPTION(interval_ps),
		OPTION(origin_ps),
		OPTION(min_raw),
		OPTION(max_raw),
		OPTION(drop_empty),
		OPTION(only_changes),
		OPTION(sync),
		OPTION(lz4_size_prefix),
		OPTION(background),
		OPTION(no_checksums),
		OPTION(no_summary),
		OPTION(no_auto_summary),
		OPTION(summary_base),
		OPTION(summary_fan_out),
		OPTION(summary_budget),
#undef OPTION
	};
	uint64_t v = num(2);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i].name, field[1]) != 0)
			continue;
		uint8_t *to = (uint8_t *)&options + all[i].offset;
		uint32_t v32 = (uint32_t)v;
		bool v1 = v != 0;
		if (all[i].size == 8)
			memcpy(to, &v, 8);
		else if (all[i].size == 4)
			memcpy(to, &v32, 4);
		else
			memcpy(to, &v1, 1);
		return;
	}
	CHECK(!(bool)"a known option");
}

static bool
define(const char *verb)
{
	int rc = 0;
	if (strcmp(verb, "clock") == 0) {
		rc = uscope_schema_add_clock(schema, text(1), (uint32_t)num(2));
	} else if (strcmp(verb, "scope") == 0) {
		rc = uscope_schema_add_scope(schema, text(1), id(2), text(3), id(4));
	} else if (strcmp(verb, "enum") == 0) {
		rc = uscope_schema_add_enum(schema, text(1));
	} else if (strcmp(verb, "value") == 0) {
		rc = uscope_schema_add_enum_value(schema, id(1), (uint8_t)num(2), text(3));
	} else if (strcmp(verb, "storage") == 0) {
		rc = uscope_schema_add_storage(schema, text(1), id(2), (uint16_t)num(3), (uint16_t)num(4));
	} else if (strcmp(verb, "field") == 0) {
		rc = uscope_schema_add_field(schema, id(1), text(2), (uint8_t)num(3), id(4));
	} else if (strcmp(verb, "property") == 0) {
		rc = uscope_schema_add_property(schema, id(1), text(2), (uint8_t)num(3), id(4));
	} else if (strcmp(verb, "eventtype") == 0) {
		rc = uscope_schema_add_event(schema, text(1), id(2));
	} else if (strcmp(verb, "eventfield") == 0) {
		rc = uscope_schema_add_event_field(schema, id(1), text(2), (uint8_t)num(3), id(4));
	} else if (strcmp(verb, "sumfield") == 0) {
		rc = uscope_schema_add_summary_field(schema, text(1), (uint8_t)num(2), id(3));
	} else if (strcmp(verb, "ext") == 0) {
		uint8_t *ext = bytes(4, NULL);
		rc = uscope_schema_set_ext(schema, id(1), id(2), id(3), ext);
		free(ext);
	} else if (strcmp(verb, "dut") == 0) {
		CHECK(npairs < MAX_PAIRS);
		pairs[npairs++] = (uscope_dut_property_t){ strdup(text(1)), strdup(text(2)) };
	} else if (strcmp(verb, "option") == 0) {
		set_option();
	} else {
		return false;
	}
	if (rc < 0) {
		(void)printf("%s: %s\n", verb, uscope_status_name(rc));
		exit(1);
	}
	return true;
}

static void
keep_part(void)
{
	CHECK(nparts < MAX_PARTS);
	struct part *p = &parts[nparts++];
	p->call = (unsigned)num(1);
	p->storage = (uint16_t)num(2);
	p->mask = bytes(3, NULL);
	p->data = bytes(4, NULL);
	p->n = (uint32_t)num(5);
	p->props = bytes(6, NULL);
}

/* ---- Cycles that have nothing but SETs. ---- */

static bool together;
static bool held; /* a cycle that has begun, but not for the writer */
static uint64_t held_time;
static struct set *sets; /* of it */
static size_t nsets;

static void
hold(const char *verb)
{
	if (strcmp(verb, "begin") == 0) {
		held = true;
		held_time = num(1);
		nsets = 0;
	} else {
		sets = realloc(sets, (nsets + 1) * sizeof(*sets));
		CHECK(sets);
		sets[nsets++] = (struct set){ { (uint16_t)num(1), (uint16_t)num(2), (uint16_t)num(3) }, num(4) };
	}
}

/* Something else is in it, or comes. */
static void
release(void)
{
	together_put(writer);
	if (!held)
		return;
	held = false;
	uscope_begin_cycle(writer, held_time);
	for (size_t i = 0; i < nsets; i++)
		uscope_slot_set(writer, sets[i].place.storage, sets[i].place.slot, sets[i].place.field, sets[i].value);
}

/* Whether the call waits for the end of the cycle, or was its end. */
static bool
keep(const char *verb)
{
	if (strcmp(verb, "end") == 0 && held && together_add(writer, held_time, sets, nsets)) {
		held = false;
		return true;
	}
	if (!held ? together && strcmp(verb, "begin") == 0 : strcmp(verb, "set") == 0) {
		hold(verb);
		return true;
	}
	release();
	return false;
}

static bool
change(const char *verb)
{
	if (keep(verb))
		return true;
	if (strcmp(verb, "begin") == 0) {
		uscope_begin_cycle(writer, num(1));
	} else if (strcmp(verb, "end") == 0) {
		uscope_end_cycle(writer);
	} else if (strcmp(verb, "set") == 0) {
		uscope_slot_set(writer, (uint16_t)num(1), (uint16_t)num(2), (uint16_t)num(3), num(4));
	} else if (strcmp(verb, "add") == 0) {
		uscope_slot_add(writer, (uint16_t)num(1), (uint16_t)num(2), (uint16_t)num(3), num(4));
	} else if (strcmp(verb, "clear") == 0) {
		uscope_slot_clear(writer, (uint16_t)num(1), (uint16_t)num(2));
	} else if (strcmp(verb, "prop") == 0) {
		uscope_prop_set(writer, (uint16_t)num(1), (uint16_t)num(2), num(3));
	} else if (strcmp(verb, "event") == 0) {
		uint32_t n;
		uint8_t *payload = bytes(2, &n);
		uscope_event_bytes(writer, (uint16_t)num(1), payload, n);
		free(payload);
	} else if (strcmp(verb, "values") == 0) {
		uint64_t values[MAX_VALUES];
		uint32_t n = 0;
		char *rest = field[2];
		for (const char *v; (v = strsep(&rest, ",")) && *v; n++) {
			CHECK(n < MAX_VALUES);
			values[n] = strtoull(v, NULL, 10);
		}
		uscope_event_values(writer, (uint16_t)num(1), values, n);
	} else if (strcmp(verb, "string") == 0) {
		(void)uscope_string_insert(writer, text(1));
	} else {
		return false;
	}
	return true;
}

static bool
manage(const char *verb)
{
	if (strcmp(verb, "flush") == 0)
		(void)uscope_writer_flush(writer);
	else if (strcmp(verb, "setend") == 0)
		(void)uscope_writer_set_end(writer, num(1));
	else if (strcmp(verb, "counter") == 0)
		(void)uscope_summary_counter(writer, text(1), (uint16_t)num(2));
	else if (strcmp(verb, "sadd") == 0)
		uscope_summary_add(writer, id(1), num(2), num(3));
	else if (strcmp(verb, "span") == 0)
		uscope_summary_span(writer, id(1), num(2), num(3));
	else if (strcmp(verb, "density") == 0)
		uscope_summary_density(writer, num(1), (uint32_t)num(2));
	else if (strcmp(verb, "ckpt") == 0)
		keep_part();
	else
		return false;
	return true;
}

static void
start(const char *path)
{
	const uscope_dut_desc_t dut = { .properties = pairs, .num_properties = npairs };
	int status;
	writer = uscope_writer_open_ex(path, &dut, schema, &options, &status);
	(void)printf("open %s\n", uscope_status_name(status));
	uscope_schema_free(schema);
	if (!writer)
		exit(1);
	uscope_set_checkpoint_callback(writer, callback, NULL);
	together = together && !options.only_changes; /* phrases are not compared */
}

static void
stop(void)
{
	release();
	uscope_writer_stats_t s;
	int status = uscope_writer_finish(writer);
	uscope_writer_stats(writer, &s);
	(void)printf("finish %s\n", uscope_status_name(status));
	(void)printf("operations %" PRIu64 " events %" PRIu64 " frames %" PRIu64 " segments %" PRIu64 " truncated %" PRIu64 " misuses %" PRIu64 "\n",
		s.operations, s.events, s.frames, s.segments, s.truncated, s.misuses);
	uscope_writer_close(writer);
}

int
main(int argc, char **argv)
{
	CHECK(argc == 2 || (argc == 3 && strcmp(argv[2], "together") == 0));
	together = argc == 3;
	schema = uscope_schema_new();
	CHECK(schema);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		memset(field, 0, sizeof(field));
		char *p = line;
		for (int i = 0; i < MAX_FIELDS && p; i++)
			field[i] = strsep(&p, "\t");
		if (strcmp(field[0], "open") == 0)
			start(argv[1]);
		else if (strcmp(field[0], "finish") == 0)
			stop();
		else if (!writer)
			CHECK(define(field[0]));
		else
			CHECK(change(field[0]) || manage(field[0]));
	}
	for (uint32_t i = 0; i < npairs; i++) {
		free((char *)pairs[i].key);
		free((char *)pairs[i].value);
	}
	for (unsigned i = 0; i < nparts; i++) {
		free(parts[i].mask);
		free(parts[i].data);
		free(parts[i].props);
	}
	free(sets);
	return 0;
}
