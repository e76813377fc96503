/* SPDX-License-Identifier: MIT */
#ifndef EXTRA_H
#define EXTRA_H

/* extra: sections of the application, which readers that do not know their type skip, and files that go elsewhere than to
 * a path. Only for programs that link the library statically, as those of phrase.h. */

#include "uscope.h"

enum {
	USCOPE_SECTION_STATE_TIMES = 0x8002, /* of ovniemu: doc/format/timeline.md */
};

/* Takes bytes of a file: header and preamble, then what comes behind them, or in place of bytes of the header, or of the checksum at
 * the end. Called by one thread at a time. Returns 0, or an errno, which ends the trace. */
typedef int (*uscope_take_fn)(void *user, const void *bytes, size_t n, uint64_t offset);

struct uscope_taker {
	uscope_take_fn take;
	void *user;
};

/* As uscope_writer_open_ex(), and all bytes go to `to`, too; path: NULL, they go nowhere else. */
uscope_writer_t *uscope_writer_open_to(const char *path, const struct uscope_taker *to, const uscope_dut_desc_t *dut, const uscope_schema_t *schema,
	const uscope_writer_options_t *options, int *status);

/* Adds a section at the end of the file; copies its bytes. Before finish. 0, E_ARG: the type is below 0x8000 or
 * that of the checksums; E_STATE, E_LIMIT: there are four, E_NOMEM; none of them ends the trace. */
int uscope_add_section(uscope_writer_t *w, uint16_t type, const void *bytes, size_t n);

/* The bytes of the first section of a type, up to 32 MiB; NULL: there is none, or it cannot be read. Valid
 * until the next call with this reader, or it is closed. */
const uint8_t *uscope_section_bytes(uscope_reader_t *r, uint16_t type, size_t *n);

#endif
