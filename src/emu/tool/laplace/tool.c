/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include "codec.h"
#include "laplace/kernel.h"

#include <errno.h>
#include <poll.h>
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

/* Whether the user wants it to end, or nobody takes the output: the end of the run tells. */
static bool
is_over(const struct ltool *t)
{
	return conv_interrupted() || wbuf_failed(&t->conv.out);
}

int
ltool_code(struct ltool *t, int code)
{
	if (t->conv.reported || t->hooks.failed || is_over(t))
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
	if (issue->code == LAP_E_IO && is_over(t))
		return;
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
		*bytes += t->inputs[i].bytes.nread;
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

/* Reads as the library would, but stops for a user who does not want to wait. Before it waits, what is
 * known is written, for who reads the output meanwhile. */
static ptrdiff_t
read_file(void *self, void *buf, size_t n)
{
	const struct ltool_input *in = self;
	struct pollfd p = { .fd = in->bytes.fd, .events = POLLIN };
	ssize_t k;
	if (in->tool->conv.out.used && poll(&p, 1, 0) == 0 && wbuf_flush(&in->tool->conv.out) < 0)
		return -EPIPE; /* nobody would see what comes; the end of the run tells */
	do
		k = read(in->bytes.fd, buf, n);
	while (k < 0 && errno == EINTR && !conv_interrupted());
	return k < 0 ? -errno : k;
}

/* Decoded bytes. With --lenient those of a file that was cut end where it does. */
static ptrdiff_t
read_input(void *self, void *buf, size_t n)
{
	struct ltool_input *in = self;
	ptrdiff_t k = unpack_read(&in->bytes, buf, n);
	if (k >= 0 || !in->bytes.torn || !in->tool->log.lenient)
		return k;
	conv_warn(&in->tool->conv, "%s: %s", in->options.file, in->bytes.why);
	return 0;
}

static int
open_input(struct ltool *t, const char *path, uint32_t cpu)
{
	uint8_t head[UNPACK_MAGIC];
	uint64_t size = 0;
	int fd = conv_open_input(&t->conv, path, &size);
	if (fd < 0)
		return fd;
	struct ltool_input *in = &t->inputs[t->nreaders++];
	ssize_t n = size ? pread(fd, head, sizeof(head), 0) : 0;
	*in = (struct ltool_input){
		.tool = t,
		.bytes = { .read = read_file, .self = in, .fd = fd },
		.options = {
			.file = conv_input_name(path),
			.format = t->format == LAP_AUTO ? lapprobe_name(path, codec_stem(path)) : (enum lap_format)t->format,
			.endian = (enum lap_endian)t->endian,
			.dialect = (enum lap_dialect)t->dialect,
			.cpu = cpu,
			.pass_unknown = !t->refuse_unknown,
			.size = n > 0 && unpack_is_packed(head, (size_t)n) ? 0 : size,
			.filter = t->filter,
		},
	};
	return 0;
}

static int
open_hooks(struct ltool *t)
{
	char why[ARGUMENTS_WHY];
	const struct cli_list *list = &t->hook_list;
	if (list->n > LAPHOOKS_TOOLS)
		return conv_usage(&t->conv, "--laplace-hooks can be given %d times at most", LAPHOOKS_TOOLS);
	for (size_t i = 0; i < list->n; i++)
		if (laphooks_check(list->items[i], why) < 0)
			return conv_usage(&t->conv, "--laplace-hooks '%s': %s", list->items[i], why);
	int rc = laphooks_open(&t->hooks, &t->conv.diag, list->items, list->n);
	return rc < 0 ? rc : laphooks_begin(&t->hooks, false, &t->filter);
}

int
ltool_end(struct ltool *t)
{
	return laphooks_finish(&t->hooks);
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
	t->inputs = calloc((size_t)n, sizeof(*t->inputs));
	int rc = t->readers && t->inputs ? 0 : ltool_code(t, -LAP_E_MEMORY);
	if (rc == 0)
		rc = open_hooks(t);
	const char *at = t->cpus;
	for (int i = 0; i < n && rc == 0; i++) {
		uint32_t cpu = 0;
		rc = take_cpu(t, &at, i == n - 1, &cpu);
		if (rc == 0)
			rc = open_input(t, paths[i], cpu);
	}
	/* All are open before one is read: whoever feeds pipes may open them one after the other. */
	for (int i = 0; i < n && rc == 0; i++) {
		struct ltool_input *in = &t->inputs[i];
		const struct lap_input bytes = { .read = read_input, .self = in, .why = &in->bytes.why };
		rc = lapread_open(&t->readers[i], &t->log, &bytes, &in->options);
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
	for (size_t i = 0; i < t->nreaders; i++)
		unpack_rewind(&t->inputs[i].bytes);
	laphooks_close(&t->hooks);
	free(t->readers);
	free(t->inputs);
	for (int code = 1; good && code < LAP_CODES; code++) {
		const struct lap_code_info *info = lap_code(code);
		if (!c->quiet || !info->warning)
			conv_count(c, info->name, t->log.counts[code], info->text, info->lenient);
	}
	for (int tag = 0; good && !c->quiet && tag < 256; tag++)
		conv_count(c, (char[]){ 't', 'a', 'g', ' ', (char)tag, 0 }, t->log.unknown[tag], "not known", "passed on");
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
