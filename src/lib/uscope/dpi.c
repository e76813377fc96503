/* SPDX-License-Identifier: MIT */
#include "uscope_dpi.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svdpi.h"

/* No event type has a larger payload: its fields, of 8 bytes at most, are defined in
 * 8 bytes each, and all definitions are less than 64 KiB. */
enum { PAYLOAD_MAX = 65536 };

/* The pending schema. Simulators with several threads may call from any of them. */
static struct {
	uscope_schema_t *built;       /* with uscope_dpi_add_ */
	const uscope_schema_t *given; /* with uscope_dpi_set_schema */
	const uscope_dut_desc_t *dut; /* with it */
	uscope_dut_property_t *pairs; /* built; the texts are ours */
	uint32_t num_pairs;
	uint64_t interval_ps;
	bool building;
	int status; /* the first error; while nothing is pending, that of the last open */
} pending;

static pthread_mutex_t pending_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((format(printf, 1, 2))) static void
complain(const char *format, ...)
{
	char line[512];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	(void)fprintf(stderr, "uscope: %s\n", line);
}

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

/* The schema to add to, with the lock held until end_add(). NULL: there is none, and end_add() says
 * why. */
static uscope_schema_t *
begin_add(void)
{
	(void)pthread_mutex_lock(&pending_lock);
	if (!pending.building && pending.given == NULL) {
		pending.status = 0; /* of the open before */
		pending.built = uscope_schema_new();
	}
	pending.building = true; /* with a given schema too, which open refuses */
	return pending.built;
}

static int
end_add(int status, const char *what, const char *name)
{
	if (pending.given != NULL)
		status = USCOPE_E_STATE;
	else if (pending.built == NULL)
		status = USCOPE_E_NOMEM;
	if (status < 0) {
		if (pending.status == 0)
			pending.status = status;
		complain("uscope_dpi_%s, \"%s\": %s, %s", what, name != NULL ? name : "",
			uscope_status_name(status), uscope_status_text(status));
	}
	(void)pthread_mutex_unlock(&pending_lock);
	return status;
}

/* Defines a function that adds to the pending schema as that of uscope.h does. */
#define ADD(what, parameters, ...)                                                                      \
	int uscope_dpi_add_##what parameters                                                            \
	{                                                                                               \
		return end_add(uscope_schema_add_##what(begin_add(), __VA_ARGS__), "add_" #what, name); \
	}

ADD(clock, (const char *name, uint32_t period_ps), name, period_ps)
ADD(scope, (const char *name, int parent, const char *protocol, int clock), name, parent,
	protocol == NULL || !*protocol ? NULL : protocol, clock)
ADD(enum, (const char *name), name)
ADD(enum_value, (int enum_id, uint8_t value, const char *name), enum_id, value, name)
ADD(storage, (const char *name, int scope, uint16_t num_slots, uint16_t flags), name, scope, num_slots, flags)
ADD(field, (int storage, const char *name, uint8_t type, int enum_id), storage, name, type, enum_id)
ADD(property, (int storage, const char *name, uint8_t type, int enum_id), storage, name, type, enum_id)
ADD(event, (const char *name, int scope), name, scope)
ADD(event_field, (int event, const char *name, uint8_t type, int enum_id), event, name, type, enum_id)

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

void
uscope_dpi_interval(uint64_t interval_ps)
{
	(void)pthread_mutex_lock(&pending_lock);
	pending.interval_ps = interval_ps;
	(void)pthread_mutex_unlock(&pending_lock);
}

void
uscope_dpi_set_schema(const uscope_schema_t *schema, const uscope_dut_desc_t *dut, uint64_t interval_ps)
{
	(void)pthread_mutex_lock(&pending_lock);
	clear_pending();
	pending.given = schema;
	pending.dut = dut;
	pending.interval_ps = interval_ps;
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
	if (pending.building && pending.status != 0) {
		*status = pending.status;
		complain("%s: not opened, as an addition to the schema has failed", path);
		return NULL;
	}
	if (schema == NULL) {
		*status = USCOPE_E_STATE;
		complain("%s: there is no schema: build one with uscope_dpi_add_ before "
			 "uscope_open",
			path);
		return NULL;
	}
	uscope_dut_desc_t dut = { .properties = pending.pairs, .num_properties = pending.num_pairs };
	uscope_error_t error;
	uscope_writer_options_t options = { .interval_ps = pending.interval_ps, .error = &error };
	uscope_writer_t *w = uscope_writer_open_ex(
		path, pending.given != NULL ? pending.dut : &dut, schema, &options, status);
	if (w == NULL)
		complain("%s: %s, %s", path, uscope_status_name(*status), error.reason);
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

void
uscope_close(void *w)
{
	if (w == NULL)
		return;
	if (uscope_writer_finish(w) != 0) {
		const uscope_error_t *e = uscope_writer_error_info(w);
		complain("the trace has an error: %s, %s", uscope_status_name(e->status), e->reason);
	}
	uscope_writer_close(w);
}

void
uscope_event_raw(void *w, uint16_t type, void *payload)
{
	uint8_t copy[PAYLOAD_MAX];
	if (w == NULL)
		return;
	int size = payload != NULL ? svSize(payload, 1) : 0;
	if (size <= 0) {
		uscope_event_bytes(w, type, NULL, 0);
		return;
	}
	const void *bytes = svGetArrayPtr(payload);
	if (bytes == NULL && size <= PAYLOAD_MAX) {
		int low = svLow(payload, 1);
		for (int i = 0; i < size; i++) {
			const uint8_t *p = svGetArrElemPtr1(payload, low + i);
			if (p == NULL) {
				size = PAYLOAD_MAX; /* which fits no type */
				break;
			}
			copy[i] = *p;
		}
		bytes = copy;
	}
	/* It looks at the size before it looks at the bytes. */
	uscope_event_bytes(w, type, bytes, (uint32_t)size);
}

int
uscope_dpi_status(const void *w)
{
	if (w != NULL)
		return uscope_writer_error(w);
	(void)pthread_mutex_lock(&pending_lock);
	int status = pending.status;
	(void)pthread_mutex_unlock(&pending_lock);
	return status;
}
