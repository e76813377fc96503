/* SPDX-License-Identifier: MIT */
#ifndef INPUT_LAPLACE_STREAM_H
#define INPUT_LAPLACE_STREAM_H

/* stream: the stream format of Laplace traces (doc/format/laplace.md, doc/laplace.md).
 *
 * All files of a source are one stream: its records are in the order of the cycle counter,
 * which nanoseconds do not keep. The tasks, whose rows are needed before the first event,
 * are found by reading the kernel events once ahead. Events have the letters
 *
 *   LRk   reference of kind k: u8 length, u32 space, u32 address
 *   LKt   kernel event with tag t: the first two of its numbers, as u64
 *   LK?   kernel event whose tag is not in the catalogue: its tag, as u64
 *   LW.   end of a window
 *
 * and their record is a struct lap_batch. The model gets the struct laplace from emu_input(), and includes this
 * header, which therefore has nothing of the emulator. */

#include "laplace/machine.h"
#include "laplace/merge.h"

#include <sys/types.h>

struct format_options;
struct laphooks;
struct unpack;
struct trace;

enum laplace_refs {
	LAPLACE_REFS_AUTO, /* all up to LAPLACE_REFS_MANY references, else pages */
	LAPLACE_REFS_ALL,
	LAPLACE_REFS_PAGES,
	LAPLACE_REFS_NONE,
};

enum {
	LAPLACE_REFS_MANY = 10000000,
	LAPLACE_RUN = 1024, /* references in an event, behind its first */
	LAPLACE_SETTINGS = 16,
	LAPLACE_TOOLS = 16,
	LAPLACE_CPUS = 4096, /* of a manifest */
};

/* All strings are borrowed. Zeroed: the defaults. */
struct laplace_options {
	const char *references; /* files of the command line, in place of a manifest */
	const char *kernel;
	const char *set[LAPLACE_SETTINGS]; /* "KEY=VALUE": keys of the manifest */
	size_t nset;
	const char *hooks[LAPLACE_TOOLS]; /* tools of users, "FILE KEY=VALUE" */
	size_t nhooks;
	bool lenient;
	enum laplace_refs refs;
	int64_t window; /* ns, 0: a million */
};

/* The files of a CPU; NULL: there is none. */
struct laplace_cpu {
	const char *references;
	const char *kernel;
};

/* The manifest, or the options in its place. */
struct laplace_source {
	const char *name;
	const struct laplace_cpu *cpus; /* by index */
	uint32_t ncpus;
	uint64_t freq; /* Hz */
	uint32_t kernel_base;
	/* Numbers of words of the manifest. */
	uint8_t format;
	uint8_t endian;          /* enum lap_endian */
	uint8_t dialect;         /* enum lap_dialect */
	uint8_t kernel_thread;   /* references of the kernel go to the row of the kernel */
	uint8_t refuse_unknown;  /* an unknown tag is an error */
	uint8_t offset_in_pages; /* as lapmachine_options has it */
	bool has_manifest;
};

/* A file of the source. */
struct laplace_file {
	struct lapread_options options;
	dev_t dev; /* identity of the file */
	ino_t ino;
	bool once;   /* a pipe, of references: it cannot be read ahead */
	bool packed; /* a compressed file, whose size tells nothing */
	bool told;   /* that it was cut */
	struct unpack *bytes;
	struct laplace *of;
};

struct lap_more {
	uint32_t addr;
	uint8_t kind; /* of lap_kinds[] */
	uint8_t length;
	uint16_t cpu; /* set behind the first `nsame` */
};

/* The last reference of a CPU. */
struct lap_last {
	const char *file;
	uint32_t space;
	bool kernel;
};

/* A record, and the references behind it that only count, emulated together: first
 * references of the same CPU and file, each LAP_RECORD_SIZE bytes behind the one before,
 * then references of any CPU. Each has the space and the mode of the reference before it on
 * its CPU. */
struct lap_batch {
	struct lap_record rec;
	struct lap_place at;
	int code; /* issue in front of the record (lenient), 0: none */
	struct lap_more *more;
	size_t nmore;
	size_t nsame;
	uint64_t *places;      /* file offsets of the references behind the first `nsame` */
	struct lap_last *last; /* by CPU; NULL: there is one CPU */
};

struct laplace {
	struct trace *trace;
	struct laplace_source source;
	struct lap_log log;

	struct laplace_file *files;
	size_t nfiles;
	size_t files_cap;
	struct lapread *readers;
	struct lapmerge merge;
	struct laphooks *hooks;
	bool reported;
	bool has_kernel; /* there are kernel events */
	bool basic;      /* a basic merge: one task, and pages only */
	bool kernel_row; /* row 0 is that of the kernel: what no task does */
	bool numbered;   /* a per-process merge: its pages have numbers */
	enum laplace_refs refs;

	/* The current event. */
	struct lap_batch batch;     /* more than one record only with --laplace-refs=none */
	bool is_tick;               /* the end of a window; batch has the record behind */
	struct lapmachine *machine; /* for the model, which gives it the records */
	int ahead;                  /* issue found while looking at the record behind */
	uint8_t payload[16];

	/* Time. */
	uint64_t first;      /* cycle of time 0 */
	uint64_t last_cycle; /* of the last record, from 0 */
	uint64_t nrecords;
	bool ended;
	int64_t window;
	int64_t tick;        /* end of the current window, ns */
	uint64_t tick_cycle; /* the first cycle behind it, from 0 */
	bool active;         /* the window has records */
	bool stale;          /* the window before had records */
};

extern const struct format_options lapopts;

/* Reads the manifest of t->dir, or what the options say. Returns 0, or <0 (reported). */
int lapmanifest_read(struct laplace *l, const struct laplace_options *o);

/* Whether the directory has a manifest: 1 yes, 0 no. */
int lapmanifest_probe(const char *dir);

/* Finds the files, looks ahead for the tasks (t->threads) and opens all at their start.
 * Returns 0, or <0 (reported). */
int lapfiles_open(struct laplace *l);
void lapfiles_close(struct laplace *l);

/* Adds the references behind the current one to its event. */
void laprun_take(struct laplace *l);

/* Turns a failure of src/lib/laplace into an error of the emulator. Returns <0 (reported). */
int laplace_failed(struct laplace *l, int code);

#endif
