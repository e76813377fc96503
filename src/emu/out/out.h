/* SPDX-License-Identifier: MIT */
#ifndef OUT_H
#define OUT_H

/* out: the sinks that exist, and what they share.
 *
 * One sink writes one file. The Paraver files of a row class share a stem: thread.prv,
 * thread.pcf, thread.row, and the views in cfg/thread/. A class without rows has none. Bytes in doc/format/prv.md. */

#include "emu.h"
#include "sink.h"
#include "wbuf.h"

enum {
	OUT_SINKS = 5, /* most sinks of an output */
};

extern const struct sink_ops names_sink;     /* rows, types, values and their labels */
extern const struct sink_ops prv_sink;       /* records, of threads and CPUs, */
extern const struct sink_ops proc_sink;      /* and of processes, looms and the system, if there are any */
extern const struct sink_ops cfg_sink;       /* views */
extern const struct sink_ops breakdown_sink; /* CPUs sorted by value; all three files */
extern const struct sink_ops uscp_sink;      /* everything, as a µScope file, as a page with it, or both */
extern const struct sink_ops perfetto_sink;  /* records, as a Perfetto trace */

/* An output of ovniemu: a name for the user, and the sinks that make its files, in the order in
 * which they are opened and closed. */
struct output_decl {
	const char *name;
	enum output bit;
	const struct sink_ops *sinks[OUT_SINKS + 1]; /* NULL ends the list */
};

/* All outputs; one without a name ends the list. */
extern const struct output_decl out_list[];

/* Collects the sinks of some outputs (bits of enum output). Returns how many. */
size_t out_sinks(unsigned which, const struct sink_ops *sinks[FLOW_SINKS_MAX]);

/* "thread", "cpu" or "proc". */
const char *out_class(enum row_class rows);

/* Name of a file in the output directory: DIR/CLASS.EXT, in the arena of the caller.
 * NULL when memory is exhausted (reported). */
const char *out_path(struct arena *a, const struct emu *emu, const char *dir, enum row_class rows, const char *ext);

/* The declaration behind a column for a class of rows. */
const struct chan_decl *out_decl(const struct emu *emu, enum row_class rows, uint32_t col);

/* Labels of the types of all columns: title and tracking, unique in the file. PCF and
 * CFG carry the same text, as Paraver looks it up first. NULL for a column that the rows
 * do not have. In the arena; NULL when memory is exhausted (reported). */
const char **out_type_labels(struct arena *a, const struct emu *emu, enum row_class rows);

/* The label of a declaration alone, when nothing clashes. */
const char *out_label(struct arena *a, enum row_class rows, const struct chan_decl *decl);

/* The title of its view. In the arena, or borrowed from the declaration; NULL when memory is exhausted (not reported). */
const char *out_title(struct arena *a, enum row_class rows, const struct chan_decl *decl);

/* Calls fn for each label of the values of a column, in the order of the PCF: those
 * declared, those that the models have learnt, the error states. The text is valid during
 * the call. Returns 0, or <0 (reported). */
typedef void out_label_fn(void *arg, int64_t value, const char *text);
int out_labels(const struct emu *emu, enum row_class rows, uint32_t col, out_label_fn *fn, void *arg);

/* As out_labels(), for the union of some CPU columns, as a breakdown shows it. */
void out_states(const struct emu *emu, const uint32_t *cols, size_t ncols, out_label_fn *fn, void *arg);

enum {
	PALETTE_MAX = 256, /* most colours of a view; the values behind have those of Paraver, which may be alike */
};

/* The colour of a value: 0xRRGGBB. */
struct color {
	int64_t value;
	uint32_t rgb;
};

/* The colours of a view, all different. */
struct palette {
	struct color *all;
	size_t n;
	size_t nlabels;  /* labelled values, without error states */
	int64_t highest; /* of the labelled values */
};

/* Chooses a colour for each labelled value of a column, red for error states (color.c). Memory comes from the arena.
 * Returns 0, or <0 (reported). */
int out_palette(struct palette *p, struct arena *a, const struct emu *emu, enum row_class rows, uint32_t col);

/* As out_palette(), for the breakdown of a model. */
int out_breakdown_palette(struct palette *p, struct arena *a, const struct emu *emu, const struct model_run *mr);

/* Returns column i in the order users know: TID before the state of a thread. */
uint32_t out_in_order(enum row_class rows, uint32_t i);

/* Writes a PCF with one type: its label, and the labels of the values of some columns.
 * Returns 0, or <0 (reported). */
int pcf_write_type(const struct emu *emu, const char *path, int prv_type, const char *label, const uint32_t *cols, size_t ncols);

#endif
