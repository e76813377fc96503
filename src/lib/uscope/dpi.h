/* SPDX-License-Identifier: MIT */
#ifndef DPI_H
#define DPI_H

/* dpi: what the functions for SystemVerilog share. Those that make a schema and open a file with it are in
 * dpipending.c, those of an open file in dpi.c. */

#include <stdbool.h>

/* Prints a line: simulations have no other way to be told. */
void dpi_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The error of the schema that is built; while there is none, that of the last open. */
int dpi_pending_status(void);

/* Numbers of SystemVerilog are int. */
static inline bool
dpi_is_up_to(int value, int most)
{
	return value >= 0 && value <= most;
}

#endif
