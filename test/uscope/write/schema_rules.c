/* SPDX-License-Identifier: MIT */
/* schema_rules: what the builder and the writer refuse, and what the definitions become in
 * memory. */
#include "kit.h"
#include "schema.h"

#include <string.h>
#include <unistd.h>

/* A clock, the root and an enum. */
static uscope_schema_t *
small(void)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(s);
	CHECK(uscope_schema_add_clock(s, "clk", 1000) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_enum(s, "e") == 0);
	CHECK(uscope_schema_add_enum_value(s, 0, 7, "seven") == 0);
	return s;
}

/* What open says about a schema. Nothing may be left at the path when it refuses. */
static int
open_status(const uscope_schema_t *s, const uscope_dut_desc_t *dut)
{
	int status = 1;
	const char *path = kit_path("rules.uscp");
	uscope_writer_t *w = uscope_writer_open_ex(path, dut, s, NULL, &status);
	CHECK((w != NULL) == (status == 0));
	CHECK((access(path, F_OK) == 0) == (w != NULL));
	uscope_writer_close(w);
	(void)unlink(path);
	return status;
}

static void
test_texts(void)
{
	static const char *const bad[] = { "\x80", "a\xff", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
		"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3" };
	static const char *const good[] = { "", "a", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
		"\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "na\xc3\xafve" };
	uscope_schema_t *s = small();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK(uscope_schema_add_clock(s, bad[i], 1) == USCOPE_E_ARG);
		CHECK(uscope_schema_add_scope(s, "s", 0, bad[i], -1) == USCOPE_E_ARG);
		CHECK(uscope_schema_add_enum_value(s, 0, 1, bad[i]) == USCOPE_E_ARG);
	}
	CHECK(uscope_schema_add_clock(s, NULL, 1) == USCOPE_E_ARG);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK(uscope_schema_add_clock(s, good[i], 1) == (int)i + 1);

	const uscope_dut_property_t pairs[] = { { "k", "\xff" } };
	CHECK(open_status(s, &(uscope_dut_desc_t){ pairs, 1 }) == USCOPE_E_ARG);
	const uscope_dut_property_t none[] = { { NULL, "v" } };
	CHECK(open_status(s, &(uscope_dut_desc_t){ none, 1 }) == USCOPE_E_ARG);
	const uscope_dut_property_t twice[] = { { "k", "v" }, { "k", "w" } };
	CHECK(open_status(s, &(uscope_dut_desc_t){ twice, 2 }) == USCOPE_OK);
	uscope_schema_free(s);
}

static void
test_ids(void)
{
	uscope_schema_t *s = small();
	/* The root is the first scope, and the only one. */
	CHECK(uscope_schema_add_scope(s, "s", -1, NULL, 0) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_scope(s, "s", 1, NULL, 0) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_scope(s, "s", -2, NULL, 0) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_scope(s, "s", 0, NULL, 1) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_scope(s, "s", 0, NULL, -2) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_scope(s, "s", 0, "p", -1) == 1);
	CHECK(uscope_schema_add_scope(s, "t", 1, "", 0) == 2);
	CHECK(uscope_schema_add_enum_value(s, 1, 0, "v") == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_enum_value(s, -1, 0, "v") == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_storage(s, "st", 3, 1, 0) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_storage(s, "st", -2, 1, 0) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_storage(s, "st", 0, 1, 4) == USCOPE_E_ARG);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_U8, 0) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_property(s, 0, "f", USCOPE_U8, 0) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_event_field(s, 0, "f", USCOPE_U8, 0) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_event(s, "ev", 3) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_summary_field(s, "sum", USCOPE_U64, 3) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_summary_field(s, "sum", 0, 0) == USCOPE_E_ARG);
	CHECK(uscope_schema_add_summary_field(s, "sum", USCOPE_U64, -1) == 0);
	CHECK(s->summary_fields[0].scope == USCOPE_NONE);

	CHECK(uscope_schema_add_storage(s, "st", 1, 3, USCOPE_SPARSE | USCOPE_BUFFER) == 0);
	CHECK(uscope_schema_add_field(s, 0, "f", 0, 0) == USCOPE_E_ARG);
	CHECK(uscope_schema_add_field(s, 0, "f", 12, 0) == USCOPE_E_ARG);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_ENUM, 1) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_ENUM, -1) == USCOPE_E_RANGE);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_ENUM, 0) == 0);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_I32, -1) == 1); /* names may repeat */
	CHECK(uscope_schema_add_field(s, 0, "g", USCOPE_U64, -1) == 2);
	CHECK(s->storages[0].slot_size == 13 && s->storages[0].fields[2].offset == 5 && s->storages[0].fields[2].size == 8);
	const uint8_t ext[4] = { 1, 2, 3, 4 };
	CHECK(uscope_schema_set_ext(s, 0, 0, 2, ext) == 0 && s->storages[0].fields[2].ext[3] == 4);
	CHECK(uscope_schema_set_ext(s, 0, 0, 3, ext) == USCOPE_E_RANGE);
	CHECK(uscope_schema_set_ext(s, 1, 0, 0, ext) == USCOPE_E_RANGE);
	CHECK(uscope_schema_set_ext(s, 0, 1, 0, ext) == USCOPE_E_RANGE);
	CHECK(uscope_schema_set_ext(s, 2, 0, 0, ext) == USCOPE_E_RANGE);
	CHECK(uscope_schema_set_ext(s, 3, 0, 0, ext) == USCOPE_E_RANGE);
	CHECK(open_status(s, NULL) == USCOPE_OK);
	uscope_schema_free(s);
}

static void
test_what_is_said(void)
{
	uscope_schema_t *s = small();
	CHECK(uscope_schema_add_enum_value(s, 0, 7, "again") == 1);
	CHECK(strcmp(uscope_enum_label(s, 0, 7), "seven") == 0);
	CHECK(!uscope_enum_label(s, 0, 8) && !uscope_enum_label(s, 1, 7));
	CHECK(strcmp(uscope_type_name(USCOPE_STRING_REF), "STRING_REF") == 0 && !uscope_type_name(0) && !uscope_type_name(12));
	CHECK(uscope_type_size(USCOPE_BOOL) == 1 && uscope_type_size(0) == 0 && uscope_type_size(255) == 0);

	CHECK(uscope_schema_add_clock(s, "slow", 7) == 1);
	CHECK(uscope_schema_add_scope(s, "soc", 0, NULL, 1) == 1);
	CHECK(uscope_schema_add_scope(s, "core1", 1, NULL, -1) == 2);
	CHECK(uscope_scope_clock(s, 2) == 1 && uscope_scope_clock(s, 0) == 0 && uscope_scope_clock(s, USCOPE_NONE) == 0);
	char buf[20] = "x";
	CHECK(uscope_scope_path(s, 2, buf, sizeof(buf)) == 10 && strcmp(buf, "/soc/core1") == 0);
	CHECK(uscope_scope_path(s, 2, buf, 11) == 10 && strcmp(buf, "/soc/core1") == 0);
	CHECK(uscope_scope_path(s, 2, buf, 10) == 10 && strcmp(buf, "/soc/core") == 0);
	CHECK(uscope_scope_path(s, 2, buf, 3) == 10 && strcmp(buf, "/s") == 0);
	CHECK(uscope_scope_path(s, 2, buf, 1) == 10 && buf[0] == '\0');
	CHECK(uscope_scope_path(s, 2, NULL, 0) == 10);
	CHECK(uscope_scope_path(s, 0, buf, sizeof(buf)) == 1 && strcmp(buf, "/") == 0);
	CHECK(uscope_scope_path(s, USCOPE_NONE, buf, 1) == 1 && buf[0] == '\0');
	CHECK(uscope_scope_path(s, 0, NULL, 0) == 1);
	uscope_schema_free(s);
}

/* A schema that no builder makes, as one decoded or changed may be. */
static void
test_check(void)
{
	uscope_schema_t *s = small();
	CHECK(uscope_schema_add_scope(s, "a", 0, NULL, -1) == 1);
	CHECK(uscope_schema_add_scope(s, "b", 1, NULL, -1) == 2);
	CHECK(uscope_schema_add_scope(s, "c", 2, NULL, -1) == 3);
	CHECK(uscope_schema_add_storage(s, "st", 0, 1, 0) == 0);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_ENUM, 0) == 0);
	CHECK(uscope_schema_add_event(s, "ev", 0) == 0);
	CHECK(uscope_schema_add_summary_field(s, "sum", USCOPE_U64, 0) == 0);
	uscope_error_t error;
	CHECK(schema_check(s, &error) == USCOPE_OK);

	/* Children before their parents are good, circles are not. */
	s->scopes[1].parent = 3;
	s->scopes[2].parent = 0;
	CHECK(schema_check(s, &error) == USCOPE_OK);
	s->scopes[2].parent = 1;
	CHECK(schema_check(s, &error) == USCOPE_E_SCHEMA && strstr(error.reason, "ancestor"));
	CHECK(uscope_scope_clock(s, 2) == 0); /* and it ends */
	s->scopes[1].parent = 1;
	CHECK(schema_check(s, &error) == USCOPE_E_SCHEMA);
	s->scopes[1].parent = 4;
	CHECK(schema_check(s, &error) == USCOPE_E_SCHEMA);
	s->scopes[1].parent = USCOPE_NONE;
	CHECK(schema_check(s, &error) == USCOPE_E_SCHEMA);
	s->scopes[1].parent = 0;
	s->scopes[0].parent = 0;
	CHECK(schema_check(s, &error) == USCOPE_E_SCHEMA);
	s->scopes[0].parent = USCOPE_NONE;
	CHECK(schema_check(s, &error) == USCOPE_OK);

#define BREAK(what, value)                                         \
	do {                                                       \
		__typeof__(what) saved = what;                     \
		what = (value);                                    \
		CHECK(schema_check(s, &error) == USCOPE_E_SCHEMA); \
		CHECK(error.reason[0] && error.segment == -1);     \
		what = saved;                                      \
		CHECK(schema_check(s, &error) == USCOPE_OK);       \
	} while (0)
	BREAK(s->scopes[1].clock, 1);
	BREAK(s->scopes[1].name, "\xff");
	BREAK(s->scopes[1].protocol, "\xff");
	BREAK(s->clocks[0].name, NULL);
	BREAK(s->enums[0].name, "\xff");
	BREAK(s->enums[0].values[0].name, "\xff");
	BREAK(s->storages[0].name, "\xff");
	BREAK(s->storages[0].scope, 4);
	BREAK(s->storages[0].flags, 4);
	BREAK(s->storages[0].fields[0].type, 12);
	BREAK(s->storages[0].fields[0].enum_id, 1);
	BREAK(s->storages[0].fields[0].name, "\xff");
	BREAK(s->events[0].scope, 4);
	BREAK(s->events[0].name, "\xff");
	BREAK(s->summary_fields[0].type, 0);
	BREAK(s->summary_fields[0].scope, 4);
	BREAK(s->summary_fields[0].name, "\xff");
	BREAK(s->num_clocks, 0);
	BREAK(s->num_scopes, 0);
#undef BREAK
	uscope_schema_free(s);
}

static void
test_limits(void)
{
	/* Ids. */
	uscope_schema_t *s = uscope_schema_new();
	for (int i = 0; i < MAX_CLOCKS; i++)
		CHECK(uscope_schema_add_clock(s, "c", 1) == i);
	CHECK(uscope_schema_add_clock(s, "c", 1) == USCOPE_E_LIMIT);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, MAX_CLOCKS - 1) == 0);
	for (int i = 0; i < MAX_ENUMS; i++)
		CHECK(uscope_schema_add_enum(s, "e") == i);
	CHECK(uscope_schema_add_enum(s, "e") == USCOPE_E_LIMIT);
	for (int i = 0; i < MAX_ENUM_VALUES; i++)
		CHECK(uscope_schema_add_enum_value(s, 0, (uint8_t)i, "v") == i);
	CHECK(uscope_schema_add_enum_value(s, 0, 255, "v") == USCOPE_E_LIMIT);
	CHECK(open_status(s, NULL) == USCOPE_OK);
	uscope_schema_free(s);

	/* Definitions take 12 + 8 + 12 + 16 + 8n bytes: 65535 at most. */
	s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "c", 1) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	CHECK(uscope_schema_add_storage(s, "s", 0, 1, 0) == 0);
	int n = (SCHEMA_MAX_BYTES - 48) / 8;
	for (int i = 0; i < n; i++)
		CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_U8, -1) == i);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_U8, -1) == USCOPE_E_LIMIT);
	CHECK(uscope_schema_add_event(s, "ev", 0) == USCOPE_E_LIMIT);
	CHECK(s->storages[0].slot_size == (uint32_t)n);
	CHECK(open_status(s, NULL) == USCOPE_OK);
	uscope_schema_free(s);

	/* The pool: texts count once. */
	static char text[SCHEMA_MAX_BYTES + 1];
	memset(text, 'x', SCHEMA_MAX_BYTES);
	s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, text, 1) == USCOPE_E_LIMIT);
	text[SCHEMA_MAX_BYTES - 1] = '\0';
	CHECK(uscope_schema_add_clock(s, text, 1) == 0); /* 65535 bytes with its NUL */
	CHECK(uscope_schema_add_scope(s, text, -1, text, 0) == 0);
	CHECK(open_status(s, NULL) == USCOPE_OK);
	const uscope_dut_property_t pairs[] = { { text, "" } };
	CHECK(open_status(s, &(uscope_dut_desc_t){ pairs, 1 }) == USCOPE_E_LIMIT);
	uscope_schema_free(s);
}

/* A writer has the schema for itself, and for as long as it wants. */
static void
test_life(void)
{
	uscope_schema_t *s = small();
	CHECK(uscope_schema_add_storage(s, "st", 0, 1, 0) == 0);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_U8, -1) == 0);
	const char *path = kit_path("life.uscp");
	uscope_writer_t *w = uscope_writer_open(path, NULL, s, 0);
	CHECK(w);
	CHECK(uscope_schema_add_clock(s, "c", 1) == USCOPE_E_STATE);
	CHECK(uscope_schema_add_field(s, 0, "f", USCOPE_U8, -1) == USCOPE_E_STATE);
	CHECK(uscope_schema_add_enum_value(s, 0, 1, "v") == USCOPE_E_STATE);
	CHECK(uscope_schema_set_ext(s, 0, 0, 0, (const uint8_t[4]){ 0 }) == USCOPE_E_STATE);
	uscope_writer_t *v = uscope_writer_open(kit_path("life2.uscp"), NULL, s, 0);
	CHECK(v);
	uscope_schema_free(s);
	uscope_begin_cycle(w, 1);
	uscope_slot_set(w, 0, 0, 0, 1);
	uscope_end_cycle(w);
	CHECK(uscope_writer_finish(w) == 0);
	uscope_writer_close(w);
	uscope_writer_close(v);
	uscope_schema_free(NULL);
	uscope_writer_close(NULL);
}

/* Ids by paths, in a schema that is built, and in those of a writer and of a reader. */
static void
check_paths(const uscope_schema_t *s)
{
	static const struct {
		const char *path;
		int storage;
		int scope;
	} all[] = {
		{ "/soc/core0/rob", 0, USCOPE_E_RANGE },
		{ "soc.core0.rob", 0, USCOPE_E_RANGE },
		{ "core0.rob", 0, USCOPE_E_RANGE },
		{ "core1/rob", 1, USCOPE_E_RANGE },
		{ "rob", USCOPE_E_ARG, USCOPE_E_RANGE }, /* two paths end so */
		{ "/rob", USCOPE_E_RANGE, USCOPE_E_RANGE },
		{ "/core0/rob", USCOPE_E_RANGE, USCOPE_E_RANGE },
		{ "0.rob", USCOPE_E_RANGE, USCOPE_E_RANGE },
		{ "core0.r", USCOPE_E_RANGE, USCOPE_E_RANGE },
		{ "core0rob", USCOPE_E_RANGE, USCOPE_E_RANGE },
		{ "core0..rob", USCOPE_E_RANGE, USCOPE_E_RANGE },
		{ "l1.d", 2, USCOPE_E_RANGE }, /* a name with a dot, which another path has too */
		{ "core1.l1.d", 2, USCOPE_E_RANGE },
		{ "clocks", 3, USCOPE_E_RANGE }, /* a whole path, and the end of another */
		{ "/clocks", 3, USCOPE_E_RANGE },
		{ "soc/clocks", 4, USCOPE_E_RANGE },
		{ "twice", USCOPE_E_ARG, USCOPE_E_RANGE },
		{ "core1", USCOPE_E_RANGE, 3 },
		{ "soc/core0", USCOPE_E_RANGE, 2 },
		{ "/soc", USCOPE_E_RANGE, 1 },
		{ "/", USCOPE_E_RANGE, 0 },
		{ "", USCOPE_E_RANGE, USCOPE_E_RANGE },
		{ NULL, USCOPE_E_ARG, USCOPE_E_ARG },
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int storage = uscope_find_storage(s, all[i].path), scope = uscope_find_scope(s, all[i].path);
		if (storage != all[i].storage || scope != all[i].scope)
			(void)fprintf(stderr, "%s: storage %d, scope %d\n", all[i].path, storage, scope);
		CHECK(storage == all[i].storage && scope == all[i].scope);
	}
	CHECK(uscope_find_event(s, "core1.retire") == 0 && uscope_find_event(s, "/soc/core0/retire") == USCOPE_E_RANGE);
	CHECK(uscope_find_field(s, 0, "pc") == 1 && uscope_find_field(s, 0, "head") == USCOPE_E_RANGE);
	CHECK(uscope_find_field(s, 1, "pc") == USCOPE_E_RANGE && uscope_find_field(s, 7, "pc") == USCOPE_E_RANGE);
	CHECK(uscope_find_field(s, USCOPE_E_RANGE, "pc") == USCOPE_E_RANGE && uscope_find_field(s, 0, NULL) == USCOPE_E_ARG);
	CHECK(uscope_find_property(s, 0, "head") == 0 && uscope_find_property(s, 0, "pc") == USCOPE_E_RANGE);
	CHECK(uscope_find_property(s, -1, "head") == USCOPE_E_RANGE);
	CHECK(uscope_find_event_field(s, 0, "slot") == 0 && uscope_find_event_field(s, 1, "slot") == USCOPE_E_RANGE);
	CHECK(uscope_find_event_field(s, -1, "slot") == USCOPE_E_RANGE);
}

static void
test_find(void)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 1) == 0);
	CHECK(uscope_schema_add_scope(s, "top", -1, NULL, 0) == 0); /* the root has no part in paths */
	CHECK(uscope_schema_add_scope(s, "soc", 0, NULL, -1) == 1);
	CHECK(uscope_schema_add_scope(s, "core0", 1, NULL, -1) == 2);
	CHECK(uscope_schema_add_scope(s, "core1", 1, NULL, -1) == 3);
	static const struct {
		const char *name;
		int scope;
	} storages[] = { { "rob", 2 }, { "rob", 3 }, { "l1.d", 3 }, { "clocks", -1 }, { "clocks", 1 }, { "twice", 0 }, { "twice", 0 } };
	for (int i = 0; i < 7; i++)
		CHECK(uscope_schema_add_storage(s, storages[i].name, storages[i].scope, 1, 0) == i);
	CHECK(uscope_schema_add_field(s, 0, "id", USCOPE_U8, -1) == 0 && uscope_schema_add_field(s, 0, "pc", USCOPE_U8, -1) == 1);
	CHECK(uscope_schema_add_property(s, 0, "head", USCOPE_U8, -1) == 0);
	CHECK(uscope_schema_add_event(s, "retire", 3) == 0 && uscope_schema_add_event_field(s, 0, "slot", USCOPE_U8, -1) == 0);
	check_paths(s);
	CHECK(uscope_find_storage(NULL, "rob") == USCOPE_E_ARG && uscope_find_scope(NULL, "/") == USCOPE_E_ARG);
	CHECK(uscope_find_event(NULL, "e") == USCOPE_E_ARG && uscope_find_field(NULL, 0, "f") == USCOPE_E_RANGE);
	const char *path = kit_path("find.uscp");
	uscope_writer_t *w = uscope_writer_open(path, NULL, s, 0);
	uscope_schema_free(s);
	CHECK(w && !uscope_writer_schema(NULL));
	check_paths(uscope_writer_schema(w));
	uscope_writer_close(w);
	uscope_reader_t *r = uscope_reader_open(path);
	CHECK(r);
	check_paths(uscope_schema(r));
	uscope_reader_close(r);
}

static void
test_names(void)
{
	CHECK(strcmp(uscope_status_name(USCOPE_E_FRAME), "E_FRAME") == 0 && strcmp(uscope_status_name(0), "OK") == 0);
	CHECK(uscope_status_text(USCOPE_E_FRAME)[0] && uscope_status_text(-1000)[0] && uscope_status_name(-1000)[0]);
	CHECK(strcmp(uscope_diag_name(USCOPE_V_LAYOUT), "V_LAYOUT") == 0 && strcmp(uscope_diag_name(USCOPE_N_TAIL), "N_TAIL") == 0);
	for (int i = 0; i < USCOPE_NUM_DIAGS; i++)
		CHECK(uscope_diag_name((enum uscope_diag)i)[1] == '_' && uscope_diag_text((enum uscope_diag)i)[0]);
	CHECK(uscope_diag_name(USCOPE_NUM_DIAGS)[0] && uscope_diag_text(USCOPE_NUM_DIAGS)[0]);
}

int
main(void)
{
	test_texts();
	test_ids();
	test_what_is_said();
	test_check();
	test_limits();
	test_life();
	test_find();
	test_names();
	return 0;
}
