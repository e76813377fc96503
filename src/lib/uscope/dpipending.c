/* SPDX-License-Identifier: MIT */
/* dpipending: the schema and the options that SystemVerilog sets before it opens a file, and the opening. */
#include "dpi.h"
#include "uscope_dpi.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The pending schema. Simulators with several threads may call from any of them. */
static struct {
	uscope_schema_t *built;       /* with uscope_dpi_add_ */
	const uscope_schema_t *given; /* with uscope_dpi_set_schema */
	const uscope_dut_desc_t *dut; /* with it */
	uscope_dut_property_t *pairs; /* built; the texts are ours */
	uint32_t num_pairs;
	uscope_writer_options_t options;
	bool begun; /* there were additions or options since the last open */
	int status; /* the first error; while nothing is pending, that of the last open */
} pending;

static pthread_mutex_t pending_lock = PTHREAD_MUTEX_INITIALIZER;

static void
clear_pending(void)
{
	uscope_schema_free(pending.built);
	for (uint32_t i = 0; i < pending.num_pairs; i++) {
		free((char *)pending.pairs[i].key);
		free((char *)pending.pairs[i].value);
	}
	free(pending.pairs);
	memset(&pending, 0, sizeof(pending));
}

/* Takes the lock, which end() releases. */
static void
begin(void)
{
	(void)pthread_mutex_lock(&pending_lock);
	if (!pending.begun)
		pending.status = 0; /* of the open before */
	pending.begun = true;
}

/* The schema to add to, with the lock held until end_add(). NULL: there is none, and end_add() says
 * why. */
static uscope_schema_t *
begin_add(void)
{
	begin();
	if (pending.given == NULL && pending.built == NULL)
		pending.built = uscope_schema_new();
	return pending.built;
}

static int
end(int status, const char *what, const char *name)
{
	if (status < 0) {
		if (pending.status == 0)
			pending.status = status;
		dpi_complain("uscope_dpi_%s, \"%s\": %s, %s", what, name != NULL ? name : "",
			uscope_status_name(status), uscope_status_text(status));
	}
	(void)pthread_mutex_unlock(&pending_lock);
	return status;
}

static int
end_add(int status, const char *what, const char *name)
{
	if (pending.given != NULL)
		status = USCOPE_E_STATE;
	else if (pending.built == NULL)
		status = USCOPE_E_NOMEM;
	return end(status, what, name);
}

/* Defines a function that adds to the pending schema as that of uscope.h does, if its numbers are good for
 * the types of that one. */
#define ADD(what, parameters, good, ...)                                                                                     \
	int uscope_dpi_add_##what parameters                                                                                 \
	{                                                                                                                    \
		uscope_schema_t *schema = begin_add();                                                                       \
		return end_add((good) ? uscope_schema_add_##what(schema, __VA_ARGS__) : USCOPE_E_RANGE, "add_" #what, name); \
	}

ADD(clock, (const char *name, uint32_t period_ps), true, name, period_ps)
ADD(scope, (const char *name, int parent, const char *protocol, int clock), true, name, parent,
	protocol == NULL || !*protocol ? NULL : protocol, clock)
ADD(enum, (const char *name), true, name)
ADD(enum_value, (int enum_id, int value, const char *name), dpi_is_up_to(value, UINT8_MAX), enum_id, (uint8_t)value, name)
ADD(storage, (const char *name, int scope, int num_slots, int flags), dpi_is_up_to(num_slots, UINT16_MAX) && dpi_is_up_to(flags, UINT16_MAX),
	name, scope, (uint16_t)num_slots, (uint16_t)flags)
ADD(field, (int storage, const char *name, int type, int enum_id), dpi_is_up_to(type, UINT8_MAX), storage, name, (uint8_t)type, enum_id)
ADD(property, (int storage, const char *name, int type, int enum_id), dpi_is_up_to(type, UINT8_MAX), storage, name, (uint8_t)type, enum_id)
ADD(event, (const char *name, int scope), true, name, scope)
ADD(event_field, (int event, const char *name, int type, int enum_id), dpi_is_up_to(type, UINT8_MAX), event, name, (uint8_t)type, enum_id)

/* The library checks the texts when it writes them. */
static int
add_pair(const char *key, const char *value)
{
	if (key == NULL || value == NULL)
		return USCOPE_E_ARG;
	if (pending.num_pairs == UINT16_MAX)
		return USCOPE_E_LIMIT;
	size_t size = (pending.num_pairs + (size_t)1) * sizeof(uscope_dut_property_t);
	uscope_dut_property_t *pairs = realloc(pending.pairs, size);
	if (pairs == NULL)
		return USCOPE_E_NOMEM;
	pending.pairs = pairs;
	char *k = strdup(key);
	char *v = strdup(value);
	if (k == NULL || v == NULL) {
		free(k);
		free(v);
		return USCOPE_E_NOMEM;
	}
	pairs[pending.num_pairs] = (uscope_dut_property_t){ .key = k, .value = v };
	return (int)pending.num_pairs++;
}

int
uscope_dpi_add_dut_property(const char *key, const char *value)
{
	return end_add(begin_add() != NULL ? add_pair(key, value) : 0, "add_dut_property", key);
}

static int
set_option(const char *name, int64_t value)
{
	static const struct {
		const char *name;
		size_t offset;
		size_t size;
		int64_t least;
		int64_t most;
	} all[] = {
#define OPTION(name, least, most) { #name, offsetof(uscope_writer_options_t, name), sizeof(pending.options.name), least, most }
#define FLAG(name) OPTION(name, 0, 1)
		OPTION(frames, 0, USCOPE_COMPACT),
		OPTION(compression, 0, USCOPE_RAW),
		OPTION(level, INT_MIN, INT_MAX),
		OPTION(interval_ps, 0, INT64_MAX),
		OPTION(origin_ps, 0, INT64_MAX),
		OPTION(min_raw, 0, INT64_MAX),
		OPTION(max_raw, 0, INT64_MAX),
		FLAG(drop_empty),
		FLAG(only_changes),
		FLAG(sync),
		FLAG(lz4_size_prefix),
		FLAG(background),
		FLAG(no_checksums),
		FLAG(no_summary),
		FLAG(no_auto_summary),
		OPTION(summary_base, 0, UINT32_MAX),
		OPTION(summary_fan_out, 0, UINT32_MAX),
		OPTION(summary_budget, 0, INT64_MAX),
#undef FLAG
#undef OPTION
	};
	for (size_t i = 0; name != NULL && i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(name, all[i].name) != 0)
			continue;
		if (value < all[i].least || value > all[i].most)
			return USCOPE_E_RANGE;
		memcpy((uint8_t *)&pending.options + all[i].offset, &value, all[i].size); /* lowest bytes first */
		return 0;
	}
	return USCOPE_E_ARG;
}

int
uscope_dpi_option(const char *name, int64_t value)
{
	begin();
	return end(set_option(name, value), "option", name);
}

void
uscope_dpi_interval(uint64_t interval_ps)
{
	(void)pthread_mutex_lock(&pending_lock);
	pending.options.interval_ps = interval_ps;
	(void)pthread_mutex_unlock(&pending_lock);
}

void
uscope_dpi_set_schema(const uscope_schema_t *schema, const uscope_dut_desc_t *dut, uint64_t interval_ps)
{
	(void)pthread_mutex_lock(&pending_lock);
	uscope_writer_options_t options = pending.options;
	clear_pending();
	pending.given = schema;
	pending.dut = dut;
	pending.options = options;
	pending.options.interval_ps = interval_ps;
	(void)pthread_mutex_unlock(&pending_lock);
}

/* With the lock held. */
static uscope_writer_t *
open_pending(const char *path, int *status)
{
	const uscope_schema_t *schema = pending.given != NULL ? pending.given : pending.built;
	if (path == NULL) {
		*status = USCOPE_E_ARG;
		return NULL;
	}
	if (pending.begun && pending.status != 0) {
		*status = pending.status;
		dpi_complain("%s: not opened, as an addition to the schema or an option has failed", path);
		return NULL;
	}
	if (schema == NULL) {
		*status = USCOPE_E_STATE;
		dpi_complain("%s: there is no schema: build one with uscope_dpi_add_ before "
			     "uscope_open",
			path);
		return NULL;
	}
	uscope_dut_desc_t dut = { .properties = pending.pairs, .num_properties = pending.num_pairs };
	uscope_error_t error;
	uscope_writer_options_t options = pending.options;
	options.error = &error;
	uscope_writer_t *w = uscope_writer_open_ex(path, pending.given != NULL ? pending.dut : &dut, schema, &options, status);
	if (w == NULL)
		dpi_complain("%s: %s, %s", path, uscope_status_name(*status), error.reason);
	return w;
}

void *
uscope_open(const char *path)
{
	int status = 0;
	(void)pthread_mutex_lock(&pending_lock);
	uscope_writer_t *w = open_pending(path, &status);
	clear_pending();
	pending.status = w != NULL ? 0 : status;
	(void)pthread_mutex_unlock(&pending_lock);
	return w;
}

int
dpi_pending_status(void)
{
	(void)pthread_mutex_lock(&pending_lock);
	int status = pending.status;
	(void)pthread_mutex_unlock(&pending_lock);
	return status;
}
