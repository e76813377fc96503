/* SPDX-License-Identifier: MIT */
#ifndef USCOPE_DPI_H
#define USCOPE_DPI_H

/* uscope_dpi: µScope traces from SystemVerilog, through the DPI of the simulator.
 *
 * uscope_dpi.sv has the imports. Those of cycles and strings are functions of libuscope; the ones below
 * are in libuscope_dpi, which needs a simulator around it. Ids are int, as SystemVerilog has them; one that
 * does not exist is an error (E_RANGE) of the writer. A handle (chandle) is a uscope_writer_t; null
 * handles are ignored.
 *
 * uscope_open has no argument for a schema: it takes the pending one, of which there is
 * one in a process. Either SystemVerilog builds it with uscope_dpi_add_, or C code of the
 * test bench provides it with uscope_dpi_set_schema. What goes wrong is also printed on
 * stderr. */

#include "uscope.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Creates the file with the pending schema; the next one starts empty. NULL: it could not
 * be done, or there is no schema, or an addition to it failed. */
void *uscope_open(const char *path);
/* Completes the file. */
void uscope_close(void *w);
/* payload: an svOpenArrayHandle, of bytes: the fields in order, little-endian, packed. An
 * array of another size than that of the type is an error (E_ARG) of the writer. */
void uscope_event_raw(void *w, int type, void *payload);
/* The same with an array of the values of the fields, of 64 bits each. */
void uscope_dpi_event_values(void *w, int type, void *values);
/* An event of a type without fields. */
void uscope_dpi_event_empty(void *w, int type);

/* As those of uscope.h. */
void uscope_dpi_slot_set(void *w, int storage, int slot, int field, uint64_t value);
void uscope_dpi_slot_clear(void *w, int storage, int slot);
void uscope_dpi_slot_add(void *w, int storage, int slot, int field, uint64_t value);
void uscope_dpi_prop_set(void *w, int storage, int property, uint64_t value);

/* As uscope_find_, in the schema of a writer: the id, or a negative status, which is printed. */
int uscope_dpi_find_storage(const void *w, const char *path);
int uscope_dpi_find_event(const void *w, const char *path);
int uscope_dpi_find_field(const void *w, int storage, const char *name);
int uscope_dpi_find_property(const void *w, int storage, const char *name);

/* The pending schema is this one; NULL: none. Options stay. Both are borrowed until uscope_open or
 * uscope_dpi_set_schema is called the next time. dut may be NULL. */
void uscope_dpi_set_schema(const uscope_schema_t *schema, const uscope_dut_desc_t *dut, uint64_t interval_ps);

/* As uscope_schema_add_, on the pending schema: the id, or a negative status. After a
 * failure uscope_open refuses the schema. E_STATE: it comes from uscope_dpi_set_schema. */
int uscope_dpi_add_clock(const char *name, uint32_t period_ps);
/* protocol: "" is none, as SystemVerilog has no null strings. */
int uscope_dpi_add_scope(const char *name, int parent, const char *protocol, int clock);
int uscope_dpi_add_enum(const char *name);
int uscope_dpi_add_enum_value(int enum_id, int value, const char *name);
int uscope_dpi_add_storage(const char *name, int scope, int num_slots, int flags);
int uscope_dpi_add_field(int storage, const char *name, int type, int enum_id);
int uscope_dpi_add_property(int storage, const char *name, int type, int enum_id);
int uscope_dpi_add_event(const char *name, int scope);
int uscope_dpi_add_event_field(int event, const char *name, int type, int enum_id);
/* A pair of the description of the design. Its index, or a negative status. */
int uscope_dpi_add_dut_property(const char *key, const char *value);
/* An option of the next writer, by its name in uscope_writer_options_t. 0; after E_ARG (there is none) and E_RANGE
 * uscope_open refuses. */
int uscope_dpi_option(const char *name, int64_t value);
/* Interval of the checkpoints; 0, as it is at first: none. */
void uscope_dpi_interval(uint64_t interval_ps);

/* The first error of a writer, 0: none. Of NULL: that of the pending schema, or of the
 * last uscope_open if nothing is pending. */
int uscope_dpi_status(const void *w);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
