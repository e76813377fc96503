/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include "laplace/kernel.h"
#include "laplace/probe.h"
#include "laplace/ref.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* The next CPU of the list of --cpus. <0: it is wrong (reported). */
static int
take_cpu(struct ltool *t, const char **at, bool last)
{
	char *end;
	unsigned long v = strtoul(*at, &end, 10);
	bool number = **at >= '0' && **at <= '9' && v < LTOOL_CPUS;
	if (!number || *end != (last ? 0 : ','))
		return conv_usage(&t->conv, "--cpus '%s': a CPU below %d is expected for each input, as in 0,0,1,1", t->cpus, LTOOL_CPUS);
	*at = end + 1;
	t->ncpus = v >= t->ncpus ? (uint32_t)v + 1 : t->ncpus;
	return 0;
}

/* As the library would, but that a user who does not want to wait is heard. */
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
open_input(struct ltool *t, const char *path, enum lap_format format, uint32_t cpu)
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
		.format = format == LAP_AUTO ? lapprobe_name(path) : format,
		.endian = t->endian,
		.dialect = t->dialect,
		.cpu = cpu,
		.size = size,
	};
	return lapread_open(r, &t->log, &(struct lap_input){ .read = read_input, .self = &t->in_fds[t->nreaders - 1] }, &options);
}

int
ltool_open_inputs(struct ltool *t, int n, char **paths, enum lap_format format)
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
	if (!t->readers || !t->in_fds)
		return ltool_code(t, -LAP_E_MEMORY);
	const char *at = t->cpus;
	for (int i = 0; i < n; i++) {
		uint32_t cpu = at ? (uint32_t)strtoul(at, NULL, 10) : 0;
		int rc = at ? take_cpu(t, &at, i == n - 1) : 0;
		if (rc == 0)
			rc = open_input(t, paths[i], format, cpu);
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
ltool_put_event(struct ltool *t, const struct lap_event *ev, char *to)
{
	int n = lapkernel_format(to, t->dialect, ev);
	return n < 0 ? ltool_code(t, n) : n;
}

int
ltool_put_record(struct ltool *t, const struct lap_record *rec)
{
	struct wbuf *out = &t->conv.out;
	if (rec->type == LAP_REF) {
		wbuf_commit(out, lapref_put_line(wbuf_reserve(out, LAPREF_ROOM), rec));
		return 0;
	}
	if (rec->type != LAP_EVENT)
		return conv_error(&t->conv, "format", "a basic or per-process merge has no addresses any more");
	char line[LAPKERNEL_ROOM];
	int n = ltool_put_event(t, rec->event, line);
	if (n > 0)
		wbuf_put(out, line, (size_t)n);
	return n < 0 ? n : 0;
}

/* ---- The library. ---- */

int
ltool_machine(struct ltool *t, struct lapmachine *m)
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
	int rc = lapmachine_init(m, &t->log, &options);
	return rc < 0 ? ltool_code(t, rc) : 0;
}

int
ltool_merge(struct ltool *t, struct lapmerge *m)
{
	int rc = lapmerge_open(m, t->readers, t->nreaders);
	return rc < 0 ? ltool_code(t, rc) : 0;
}
