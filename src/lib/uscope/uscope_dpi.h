/* SPDX-License-Identifier: MIT */
#ifndef USCOPE_DPI_H
#define USCOPE_DPI_H

/* uscope_dpi: µScope traces from SystemVerilog, through the DPI of the simulator.
 *
 * uscope_dpi.sv has the imports. Those of cycles, slots, properties and strings are
 * functions of libuscope; the ones below are in libuscope_dpi, which needs a simulator
 * around it. A handle (chandle) is a uscope_writer_t; null handles are ignored.
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
void uscope_event_raw(void *w, uint16_t type, void *payload);

/* The pending schema is this one; NULL: none. Both are borrowed until uscope_open or
 * uscope_dpi_set_schema is called the next time. dut may be NULL. */
void uscope_dpi_set_schema(const uscope_schema_t *schema, const uscope_dut_desc_t *dut, uint64_t interval_ps);

/* As uscope_schema_add_, on the pending schema: the id, or a negative status. After a
 * failure uscope_open refuses the schema. E_STATE: it comes from uscope_dpi_set_schema. */
int uscope_dpi_add_clock(const char *name, uint32_t period_ps);
/* protocol: "" is none, as SystemVerilog has no null strings. */
int uscope_dpi_add_scope(const char *name, int parent, const char *protocol, int clock);
int uscope_dpi_add_enum(const char *name);
int uscope_dpi_add_enum_value(int enum_id, uint8_t value, const char *name);
int uscope_dpi_add_storage(const char *name, int scope, uint16_t num_slots, uint16_t flags);
int uscope_dpi_add_field(int storage, const char *name, uint8_t type, int enum_id);
int uscope_dpi_add_property(int storage, const char *name, uint8_t type, int enum_id);
int uscope_dpi_add_event(const char *name, int scope);
int uscope_dpi_add_event_field(int event, const char *name, uint8_t type, int enum_id);
/* A pair of the description of the design. Its index, or a negative status. */
int uscope_dpi_add_dut_property(const char *key, const char *value);
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
