/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include "laplace/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	CPUS_MAX = 4096,
};

/* ---- Messages. ---- */

/* Whether messages have the code; others are named as errors are. */
static bool
has_code(int code)
{
	return abs(code) < LAP_CODES;
}

int
ltool_code(struct ltool *t, int code)
{
	if (t->conv.reported)
		return -1;
	const struct lap_code_info *info = lap_code(code);
	return has_code(code) ? conv_error(&t->conv, "laplace", "%s: %s", info->name, info->text)
			      : conv_error(&t->conv, info->name, "%s", info->text);
}

static const char *
hint(int code)
{
	switch (code) {
	case LAP_LR01: return "the file was cut, or is not binary";
	case LAP_LR02: return "is it text, or of the other byte order? see --format and --endian";
	case LAP_LR05: return "is it of the other byte order? see --endian";
	case LAP_LT01: return "is it of another dialect? see --dialect";
	case LAP_LK01: return "is it of another format? see --format";
	case LAP_E_FORMAT: return "--format says what it is";
	default: return NULL;
	}
}

void
ltool_tell(void *self, const struct lap_issue *issue, bool fatal)
{
	struct ltool *t = self;
	const char *name = lap_code(issue->code)->name;
	bool coded = has_code(issue->code);
	conv_tell(&t->conv,
		&(struct conv_issue){
			.error = coded ? "laplace" : name,
			.code = coded ? name : NULL,
			.text = issue->text,
			.file = issue->file,
			.line = issue->line,
			.offset = issue->offset,
			.nth = coded ? t->log.counts[issue->code] : 1,
			.fatal = fatal,
			.hint = hint(issue->code),
			.lenient = lap_code(issue->code)->lenient,
		});
}

void
ltool_so_far(const struct conv *c, uint64_t *bytes, uint64_t *records)
{
	const struct ltool *t = (const struct ltool *)c;
	for (size_t i = 0; i < t->nreaders; i++) {
		*bytes += lapsource_offset(&t->readers[i].source);
		*records += t->readers[i].records;
	}
}

/* ---- Begin and end. ---- */

/* The next CPU of the list of --cpus. <0: it is wrong (reported). */
static int
take_cpu(struct ltool *t, const char **at, bool last, uint32_t *cpu)
{
	char *end;
	if (!*at)
		return 0;
	unsigned long v = strtoul(*at, &end, 10);
	bool number = **at >= '0' && **at <= '9' && v < CPUS_MAX;
	if (!number || *end != (last ? 0 : ','))
		return conv_usage(&t->conv, "--cpus '%s': a CPU below %d is expected for each input, as in 0,0,1,1", t->cpus, CPUS_MAX);
	*at = end + 1;
	*cpu = (uint32_t)v;
	t->ncpus = *cpu >= t->ncpus ? *cpu + 1 : t->ncpus;
	return 0;
}

/* Reads as the library would, but stops for a user who does not want to wait. */
static ptrdiff_t
read_input(void *self, void *buf, size_t n)
{
	const int *fd = self;
	ssize_t k;
	do
		k = read(*fd, buf, n);
	while (k < 0 && errno == EINTR && !conv_interrupted());
	return k < 0 ? -errno : k;
}

static int
open_input(struct ltool *t, const char *path, uint32_t cpu)
{
	struct lapread *r = &t->readers[t->nreaders];
	uint64_t size = 0;
	int fd = conv_open_input(&t->conv, path, &size);
	if (fd < 0)
		return fd;
	/* From here on ltool_finish() closes it. */
	t->in_fds[t->nreaders++] = fd;
	struct lapread_options options = {
		.file = conv_input_name(path),
		.format = t->format == LAP_AUTO ? lapprobe_name(path) : (enum lap_format)t->format,
		.endian = (enum lap_endian)t->endian,
		.dialect = (enum lap_dialect)t->dialect,
		.cpu = cpu,
		.size = size,
	};
	return lapread_open(r, &t->log, &(struct lap_input){ .read = read_input, .self = &t->in_fds[t->nreaders - 1] }, &options);
}

static int
open_inputs(struct ltool *t, int n, char **paths)
{
	static char standard[] = "-";
	static char *none[] = { standard };
	if (n == 0) {
		n = 1;
		paths = none;
	}
	t->log.lenient = t->conv.lenient;
	t->readers = calloc((size_t)n, sizeof(*t->readers));
	t->in_fds = calloc((size_t)n, sizeof(*t->in_fds));
	int rc = t->readers && t->in_fds ? 0 : ltool_code(t, -LAP_E_MEMORY);
	const char *at = t->cpus;
	for (int i = 0; i < n && rc == 0; i++) {
		uint32_t cpu = 0;
		rc = take_cpu(t, &at, i == n - 1, &cpu);
		if (rc == 0)
			rc = open_input(t, paths[i], cpu);
	}
	return rc;
}

static int
open_machine(struct ltool *t)
{
	struct lapmachine_options options = {
		.kernel_base = t->kernel_base,
		.offset_in_pages = t->offset_in_pages,
		.no_kernel_trace = true,
		.ncpus = t->ncpus,
	};
	for (size_t i = 0; i < t->nreaders; i++) {
		enum lap_format f = t->readers[i].options.format;
		if (f == LAP_KERNEL || f == LAP_MIXED)
			options.no_kernel_trace = false;
	}
	return lapmachine_init(&t->machine, &t->log, &options);
}

int
ltool_open(struct ltool *t, int n, char **paths, int (*open_output)(struct conv *c, const char *path))
{
	int rc = open_inputs(t, n, paths);
	if (rc == 0 && open_output)
		rc = open_output(&t->conv, t->conv.out_path);
	if (rc != 0)
		return rc;
	if (t->conv.command->with & LTOOL_WITH_MACHINE)
		rc = open_machine(t);
	return rc < 0 ? ltool_code(t, rc) : 0;
}

void
ltool_finish(struct conv *c, bool good)
{
	struct ltool *t = ltool_of(c);
	lapmerge_close(&t->merge);
	lapmachine_finish(&t->machine);
	for (size_t i = 0; i < t->nreaders; i++)
		lapread_close(&t->readers[i]);
	free(t->readers);
	free(t->in_fds);
	for (int code = 1; good && code < LAP_CODES; code++) {
		const struct lap_code_info *info = lap_code(code);
		if (!c->quiet || !info->warning)
			conv_count(c, info->name, t->log.counts[code], info->text, info->lenient);
	}
}

/* ---- Records. ---- */

int
ltool_step(struct ltool *t, const struct lap_record *rec, const struct lap_place *at, struct lap_step *step)
{
	int rc = lapmachine_step(&t->machine, rec, at, step);
	return rc < 0 ? ltool_code(t, rc) : rc;
}

int
ltool_put_event(struct ltool *t, const struct lap_event *ev, char *to)
{
	int n = lapkernel_format(to, (enum lap_dialect)t->dialect, ev);
	return n < 0 ? ltool_code(t, n) : n;
}
