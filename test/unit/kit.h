/* SPDX-License-Identifier: MIT */
#ifndef KIT_H
#define KIT_H

/* kit: what C tests share: a scratch directory, stderr as text, traces made of a few
 * lines, and a sink that keeps its records. */

#include "check.h"
#include "diag.h"
#include "sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Files. ---- */

/* A directory of this process, in TMPDIR, or in memory if there is such a place; removed at exit. */
const char *kit_dir(void);

/* A path in it. The text lives until the 16th call after. */
const char *kit_path(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Writes a file whose parents need not exist. */
void kit_write(const char *path, const void *bytes, size_t n);
void kit_text(const char *path, const char *text);

/* The whole file with a NUL behind; free() it. n may be NULL. */
char *kit_read(const char *path, size_t *n);

/* Removes a directory with all that is in it, if it exists. */
void kit_remove(const char *path);

/* ---- stderr. ---- */

/* What is written to stderr in between is returned, until the next capture. */
void kit_capture(void);
const char *kit_captured(void);

/* Checks that two texts are equal; if not, prints both, with what was captured before. */
void kit_same(const char *have, const char *want, const char *captured, int line);

/* For what is known to be noisy: stderr goes nowhere until kit_loud(). */
void kit_quiet(void);
void kit_loud(void);

/* ---- Bytes of a stream. ---- */

struct kit_bytes {
	uint8_t *p;
	size_t n;
	size_t cap;
};

void kit_put(struct kit_bytes *b, const void *bytes, size_t n);
void kit_header(struct kit_bytes *b);
void kit_event(struct kit_bytes *b, const char *mcv, int64_t clock, const void *payload, size_t n);
void kit_jumbo(struct kit_bytes *b, const char *mcv, int64_t clock, uint32_t count, const void *payload, size_t n);
void kit_done(struct kit_bytes *b); /* frees */

/* The bytes as one frame of zstd or LZ4 or one member of gzip, by the extension (".zst", ".lz4",
 * ".gz"); any other: a copy. */
struct kit_bytes kit_pack(const struct kit_bytes *b, const char *ext);

/* ---- Traces. ---- */

/* A thread of a version 3 trace: stream.json and stream.obs (plus ext) below dir.
 * `more` is JSON text of further keys of "ovni", each with a comma before it. */
void kit_thread(const char *dir, const char *loom, int pid, int tid, const char *more,
	const struct kit_bytes *obs, const char *ext);

/* ---- Records. ---- */

struct kit_record {
	struct record r;
	size_t chunk; /* number of the write call */
};

enum {
	KIT_CPU = 1 << 20, /* row of the first CPU, when there is no emulator */
};

/* Records that a sink has got, of its class of rows. */
struct kit_log {
	struct kit_record *items;
	size_t n, cap;
	size_t chunks;
	int64_t duration; /* -1: not closed */
	bool opened;
	size_t fail_at; /* write fails once so many records are there; 0 never */
	bool fail_open;
	bool fail_close;
};

extern struct kit_log kit_logs[ROW_CLASSES];
/* One for each class. */
extern const struct sink_ops *const kit_sinks[ROW_CLASSES];

/* Empties the logs. */
void kit_forget(void);

/* ---- Random numbers. ---- */

/* xorshift64*: the same numbers everywhere. */
uint64_t kit_random(uint64_t *state);
/* 0..n-1 */
uint64_t kit_below(uint64_t *state, uint64_t n);
/* argv[1], or a number of the clock; printed. */
uint64_t kit_seed(int argc, char **argv);
/* Seconds since some moment. */
double kit_now(void);

#endif
