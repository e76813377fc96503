/* SPDX-License-Identifier: MIT */
/* dpi: an open file, for SystemVerilog. */
#include "dpi.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "svdpi.h"
#include "uscope_dpi.h"

/* No event type has a larger payload, and no array of its values is larger: its fields, of 8 bytes at most,
 * are defined in 8 bytes each, and all definitions are less than 64 KiB. */
enum { PAYLOAD_MAX = 65536 };

void
dpi_complain(const char *format, ...)
{
	char line[512];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	(void)fprintf(stderr, "uscope: %s\n", line);
}

void
uscope_close(void *w)
{
	if (w == NULL)
		return;
	if (uscope_writer_finish(w) != 0) {
		const uscope_error_t *e = uscope_writer_error_info(w);
		dpi_complain("the trace has an error: %s, %s", uscope_status_name(e->status), e->reason);
	}
	uscope_writer_close(w);
}

/* ---- Ids are numbers of SystemVerilog. ---- */

/* No id is UINT16_MAX: what does not fit is an error of the writer. */
static uint16_t
id_of(int id)
{
	return dpi_is_up_to(id, UINT16_MAX) ? (uint16_t)id : UINT16_MAX;
}

void
uscope_dpi_slot_set(void *w, int storage, int slot, int field, uint64_t value)
{
	uscope_slot_set(w, id_of(storage), id_of(slot), id_of(field), value);
}

void
uscope_dpi_slot_clear(void *w, int storage, int slot)
{
	uscope_slot_clear(w, id_of(storage), id_of(slot));
}

void
uscope_dpi_slot_add(void *w, int storage, int slot, int field, uint64_t value)
{
	uscope_slot_add(w, id_of(storage), id_of(slot), id_of(field), value);
}

void
uscope_dpi_prop_set(void *w, int storage, int property, uint64_t value)
{
	uscope_prop_set(w, id_of(storage), id_of(property), value);
}

/* Prints why there is no such id, unless there is no writer. */
static int
found(const void *w, int id, const char *what, const char *path)
{
	if (w != NULL && id < 0)
		dpi_complain("there %s %s \"%s\"", id == USCOPE_E_ARG ? "is more than one" : "is no", what, path != NULL ? path : "");
	return id;
}

int
uscope_dpi_find_storage(const void *w, const char *path)
{
	return found(w, uscope_find_storage(uscope_writer_schema(w), path), "storage", path);
}

int
uscope_dpi_find_event(const void *w, const char *path)
{
	return found(w, uscope_find_event(uscope_writer_schema(w), path), "event", path);
}

int
uscope_dpi_find_field(const void *w, int storage, const char *name)
{
	return found(w, uscope_find_field(uscope_writer_schema(w), storage, name), "field", name);
}

int
uscope_dpi_find_property(const void *w, int storage, const char *name)
{
	return found(w, uscope_find_property(uscope_writer_schema(w), storage, name), "property", name);
}

/* ---- Events. ---- */

/* The elements of an open array, of `size` bytes each, lowest index first, copied where they lie apart. *n: their
 * number; PAYLOAD_MAX, which fits no type, if there are too many or one is missing. */
static const void *
elements(svOpenArrayHandle array, size_t size, uint8_t copy[PAYLOAD_MAX], int *n)
{
	*n = array != NULL ? svSize(array, 1) : 0;
	if (*n <= 0) {
		*n = 0;
		return NULL;
	}
	const void *whole = svGetArrayPtr(array);
	if (whole != NULL)
		return whole;
	int low = svLow(array, 1);
	bool good = (size_t)*n <= PAYLOAD_MAX / size;
	for (int i = 0; good && i < *n; i++) {
		const void *p = svGetArrElemPtr1(array, low + i);
		good = p != NULL;
		if (good)
			memcpy(copy + (size_t)i * size, p, size);
	}
	if (!good)
		*n = PAYLOAD_MAX;
	return copy;
}

void
uscope_event_raw(void *w, int type, void *payload)
{
	uint8_t copy[PAYLOAD_MAX];
	int n;
	if (w == NULL)
		return;
	const void *bytes = elements(payload, 1, copy, &n);
	/* It looks at the size before it looks at the bytes. */
	uscope_event_bytes(w, id_of(type), bytes, (uint32_t)n);
}

void
uscope_dpi_event_values(void *w, int type, void *values)
{
	_Alignas(uint64_t) uint8_t copy[PAYLOAD_MAX];
	int n;
	if (w == NULL)
		return;
	const void *all = elements(values, sizeof(uint64_t), copy, &n);
	uscope_event_values(w, id_of(type), all, (uint32_t)n);
}

void
uscope_dpi_event_empty(void *w, int type)
{
	uscope_event_bytes(w, id_of(type), NULL, 0);
}

int
uscope_dpi_status(const void *w)
{
	return w != NULL ? uscope_writer_error(w) : dpi_pending_status();
}
