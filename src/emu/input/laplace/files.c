/* SPDX-License-Identifier: MIT */
/* files: the files of a Laplace source, and the look ahead for its tasks. */
#include "codec.h"
#include "source/laplace/hooks.h"
#include "stream.h"
#include "trace.h"
#include "unpack.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* Lines of references in writer's form, with their newline. */
	LINE_SHORTEST = 10,
	LINE_LONGEST = LAP_REF_LINE,
};

/* ---- Which files there are. ---- */

static int
add_file(struct laplace *l, uint32_t cpu, const char *path, enum lap_format format, uint32_t space)
{
	struct trace *t = l->trace;
	if (!arena_grow(&t->arena, &l->files, l->nfiles, &l->files_cap, sizeof(*l->files)))
		return diag_no_memory(t->diag);
	struct unpack *bytes = arena_new(&t->arena, struct unpack, 1);
	if (!bytes)
		return diag_no_memory(t->diag);
	struct laplace_file *f = &l->files[l->nfiles++];
	size_t n = strlen(t->dir);
	bool inside = strncmp(path, t->dir, n) == 0 && path[n] == '/';
	/* "-" is standard input on the command line only; in a manifest it is a file. */
	bool standard = !l->source.has_manifest && strcmp(path, "-") == 0;
	*f = (struct laplace_file){
		.of = l,
		.bytes = bytes,
		.options = {
			.file = standard ? "the standard input" : path + (inside ? n + 1 : 0),
			.format = format,
			.endian = l->source.endian,
			.dialect = l->source.dialect,
			.space = space,
			.cpu = cpu,
			.pass_unknown = !l->source.refuse_unknown,
		},
	};
	bytes->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	if (f->bytes->fd < 0)
		return diag_io(t->diag, ERR_READ, "open", path, errno);
	if (standard && isatty(f->bytes->fd))
		diag_info(t->diag, STDIN_ON_TERMINAL);
	if (fstat(f->bytes->fd, &st) != 0)
		return diag_io(t->diag, ERR_READ, "inspect", path, errno);
	f->once = !S_ISREG(st.st_mode);
	if (f->once && (format == LAP_KERNEL || format == LAP_MIXED || format == LAP_PROCESS || S_ISDIR(st.st_mode)))
		return diag_error(t->diag, ERR_READ, &(struct place){ .file = f->options.file },
			"it is no regular file, and events of the kernel are read twice: tasks have their rows before the first event\n"
			"hint: write it to a file first");
	uint8_t head[UNPACK_MAGIC];
	ssize_t k = f->once ? 0 : pread(f->bytes->fd, head, sizeof(head), 0);
	f->packed = k > 0 && unpack_is_packed(head, (size_t)k);
	f->options.size = f->once || f->packed ? 0 : (uint64_t)st.st_size;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	t->bytes += f->once ? 0 : (uint64_t)st.st_size;
	for (const struct laplace_file *other = l->files; other < f; other++)
		if (other->dev == f->dev && other->ino == f->ino)
			return diag_error(t->diag, ERR_LAPLACE, &(struct place){ .file = f->options.file },
				"LJ01: CPU %u names the file that CPU %u has: all in it would happen twice", cpu, other->options.cpu);
	return 0;
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* CONTEXT.N, of the per-process merge. */
static bool
is_space(const char *name, uint32_t *space)
{
	size_t n = strspn(name, "0123456789abcdef");
	if (n < 1 || n > 8 || name[n] != '.' || !isdigit((unsigned char)name[n + 1]))
		return false;
	*space = (uint32_t)strtoul(name, NULL, 16);
	return true;
}

static int
only_named(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int add_dir(struct laplace *l, uint32_t cpu, const char *dir, bool inner, uint32_t space);

static int
add_entry(struct laplace *l, uint32_t cpu, const char *dir, const char *name, bool inner, uint32_t space)
{
	size_t n = codec_stem(name);
	bool text = n > 4 && memcmp(name + n - 4, ".txt", 4) == 0;
	bool below = !inner && is_space(name, &space);
	if (!below && (inner ? !text : !codec_names(name, "kernel.txt")))
		return 0;
	const char *path = arena_printf(&l->trace->arena, "%s/%s", dir, name);
	if (!path)
		return diag_no_memory(l->trace->diag);
	return below ? add_dir(l, cpu, path, true, space) : add_file(l, cpu, path, LAP_PROCESS, space);
}

/* The directory of a per-process merge, or one of its processes. */
static int
add_dir(struct laplace *l, uint32_t cpu, const char *dir, bool inner, uint32_t space)
{
	struct dirent **list;
	int n = scandir(dir, &list, only_named, by_name);
	if (n < 0)
		return diag_io(l->trace->diag, ERR_READ, "read the directory", dir, errno);
	int rc = 0;
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = add_entry(l, cpu, dir, list[i]->d_name, inner, space);
		free(list[i]);
	}
	free(list);
	return rc;
}

static int
find_files_of(struct laplace *l, uint32_t index)
{
	const struct laplace_cpu *cpu = &l->source.cpus[index];
	struct stat st;
	int rc = cpu->kernel ? add_file(l, index, cpu->kernel, LAP_KERNEL, 0) : 0;
	l->has_kernel = l->has_kernel || cpu->kernel;
	if (rc < 0 || !cpu->references)
		return rc;
	if (stat(cpu->references, &st) == 0 && S_ISDIR(st.st_mode)) {
		size_t before = l->nfiles;
		l->numbered = true;
		rc = add_dir(l, index, cpu->references, false, 0);
		if (rc == 0 && l->nfiles == before)
			rc = diag_error(l->trace->diag, ERR_NO_STREAM, NULL,
				"'%s' is no per-process merge: it holds neither CONTEXT.N/PID.txt nor kernel.txt", cpu->references);
		return rc;
	}
	enum lap_format format = lapprobe_name(cpu->references, codec_stem(cpu->references));
	l->basic = l->basic || format == LAP_BASIC;
	return add_file(l, index, cpu->references, format, 0);
}

static int
find_files(struct laplace *l)
{
	int rc = 0;
	for (uint32_t i = 0; i < l->source.ncpus && rc == 0; i++)
		rc = find_files_of(l, i);
	if (rc == 0 && l->basic && l->nfiles > 1)
		rc = diag_error(l->trace->diag, ERR_LAPLACE, &(struct place){ .file = l->files[0].options.file },
			"a basic merge has no timestamps: no other file can go with it");
	for (size_t i = 0; i < l->nfiles && rc == 0; i++)
		if (l->files[i].once && !l->has_kernel && !l->basic)
			rc = diag_error(l->trace->diag, ERR_READ, &(struct place){ .file = l->files[i].options.file },
				"it is no regular file, and without events of the kernel references are read twice: spaces have their rows before the first\n"
				"hint: name a file of events with --laplace-kernel, or write the references to a file first");
	return rc;
}

/* ---- Reading them. ---- */

/* Waits for bytes of a pipe, or for its end. 0, or <0 (reported). */
static int
wait_for(struct laplace *l, const struct laplace_file *f)
{
	struct pollfd p = { .fd = f->bytes->fd, .events = POLLIN };
	int flags = fcntl(f->bytes->fd, F_GETFL);
	if (flags < 0 || fcntl(f->bytes->fd, F_SETFL, flags & ~O_NONBLOCK) < 0 || poll(&p, 1, -1) < 0)
		return diag_io(l->trace->diag, ERR_READ, "wait for", f->options.file, errno);
	return 0;
}

static void
close_readers(struct laplace *l)
{
	lapmerge_close(&l->merge);
	for (size_t i = 0; l->readers && i < l->nfiles; i++)
		lapread_close(&l->readers[i]);
	for (size_t i = 0; i < l->nfiles; i++)
		unpack_rewind(l->files[i].bytes);
}

/* Decoded bytes. With --lenient those of a file that was cut end where it does. */
static ptrdiff_t
read_input(void *self, void *to, size_t n)
{
	struct laplace_file *f = self;
	ptrdiff_t k = unpack_read(f->bytes, to, n);
	if (k >= 0 || !f->bytes->torn || !f->of->log.lenient)
		return k;
	if (!f->told)
		diag_warn(f->of->trace->diag, &(struct place){ .file = f->options.file }, "%s", f->bytes->why);
	f->told = true;
	return 0;
}

/* Opens all files from their start; `events` leaves out those with references alone; `ahead`: to look ahead. 0, or a code. */
static int
open_readers(struct laplace *l, struct lap_log *log, bool events, bool ahead)
{
	size_t n = 0;
	const struct lap_filter *filter;
	if (laphooks_begin(l->hooks, ahead, &filter) < 0)
		return -LAP_E_FILTER;
	for (size_t i = 0; i < l->nfiles; i++) {
		struct laplace_file *f = &l->files[i];
		bool refs = f->options.format == LAP_BINARY || f->options.format == LAP_TEXT || f->options.format == LAP_BASIC;
		if (events && (refs || f->once))
			continue;
		if (!f->once && lseek(f->bytes->fd, 0, SEEK_SET) != 0)
			return -LAP_E_IO;
		struct lapread *r = &l->readers[n++];
		f->options.filter = filter;
		int rc = lapread_open(r, log, &(struct lap_input){ .read = read_input, .self = f, .why = &f->bytes->why }, &f->options);
		if (rc < 0)
			return rc;
		if (f->once && r->options.format == LAP_MIXED)
			r->options.format = LAP_TEXT;
		f->options.format = r->options.format;
	}
	return lapmerge_open(&l->merge, l->readers, n);
}

/* The findings of the look ahead. */
struct scan {
	struct lapmachine machine;
	bool taskless; /* a reference belongs to no task */
	uint64_t refs;
	uint64_t others; /* in files that were not read, about */
};

/* Looks at records for tasks. References matter only without kernel events: the first of
 * each space, one after the other on a CPU. */
static int
scan_records(struct laplace *l, struct scan *s, bool events)
{
	const struct lap_record *rec;
	const struct lapread *of;
	struct lap_step step;
	uint64_t last = UINT64_MAX;
	uint32_t cpu = 0;
	int rc;
	while ((rc = lapmerge_next(&l->merge, &rec, &of)) > 0) {
		if (rec->type != LAP_EVENT) {
			s->refs++;
			uint64_t key = (uint64_t)rec->space << 1 | (rec->addr >= l->source.kernel_base);
			if (events || rec->type != LAP_REF || (key == last && of->at.cpu == cpu))
				continue;
			last = key;
			cpu = of->at.cpu;
		} else if (!events) {
			return 1; /* there are kernel events: scan again */
		}
		rc = lapmachine_step(&s->machine, rec, &of->at, &step);
		if (rc < 0)
			break;
		s->taskless = s->taskless || !step.task || (step.kernel && l->source.kernel_thread);
	}
	return rc;
}

/* Runs the machine silently: the second reading tells of errors. */
static int
scan(struct laplace *l, struct scan *s, bool events)
{
	struct lap_log quiet = { .lenient = true };
	const struct lapmachine_options o = {
		.kernel_base = l->source.kernel_base,
		.offset_in_pages = l->source.offset_in_pages,
		.no_kernel_trace = !events,
		.ncpus = l->source.ncpus,
	};
	*s = (struct scan){ 0 };
	int rc = lapmachine_init(&s->machine, &quiet, &o);
	if (rc == 0)
		rc = open_readers(l, &quiet, events, true);
	if (rc == 0)
		rc = scan_records(l, s, events);
	close_readers(l);
	s->machine.log = NULL;
	return laphooks_finish(l->hooks) < 0 ? -LAP_E_FILTER : rc;
}

/* Lines of a text, if their number may matter. */
static uint64_t
count_lines(const struct laplace_file *f)
{
	if (f->options.size / LINE_SHORTEST < LAPLACE_REFS_MANY || f->options.size / LINE_LONGEST > LAPLACE_REFS_MANY)
		return f->options.size / LINE_LONGEST;
	char buf[64 * 1024];
	uint64_t lines = 0;
	ssize_t n;
	off_t at = 0;
	while ((n = pread(f->bytes->fd, buf, sizeof(buf), at)) > 0) {
		at += n;
		for (const char *p = buf; (p = memchr(p, '\n', (size_t)(buf + n - p))); p++)
			lines++;
	}
	return lines;
}

/* References of a compressed file, up to one more than are many. */
static uint64_t
count_packed(struct laplace_file *f)
{
	uint8_t buf[64 * 1024];
	uint64_t bytes = 0;
	uint64_t lines = 0;
	uint64_t n = 0;
	ptrdiff_t k = lseek(f->bytes->fd, 0, SEEK_SET) == 0 ? 1 : 0;
	while (n <= LAPLACE_REFS_MANY && k > 0 && (k = unpack_read(f->bytes, buf, sizeof(buf))) > 0) {
		bytes += (uint64_t)k;
		for (const uint8_t *p = buf; f->options.format == LAP_TEXT && (p = memchr(p, '\n', (size_t)(buf + k - p))); p++)
			lines++;
		n = f->options.format == LAP_TEXT ? lines : bytes / LAP_RECORD_SIZE;
	}
	unpack_rewind(f->bytes);
	return n;
}

static uint64_t
count_refs(const struct laplace *l, const struct scan *s)
{
	uint64_t n = s->refs;
	for (size_t i = 0; i < l->nfiles; i++) {
		struct laplace_file *f = &l->files[i];
		bool refs = f->options.format == LAP_BINARY || f->options.format == LAP_TEXT;
		if (refs && f->packed)
			n += count_packed(f);
		else if (f->once)
			n += LAPLACE_REFS_MANY + 1; /* unknown */
		else if (f->options.format == LAP_BINARY)
			n += f->options.size / LAP_RECORD_SIZE;
		else if (f->options.format == LAP_TEXT)
			n += count_lines(f);
	}
	return n;
}

/* ---- Threads. ---- */

static const char *
label_task(struct laplace *l, const struct lap_task *task)
{
	struct arena *a = &l->trace->arena;
	if (!l->has_kernel && task->space)
		return arena_printf(a, "space %x", task->space->context);
	return task->life > 1 ? arena_printf(a, "task %x#%u", task->pid, task->life) : arena_printf(a, "task %x", task->pid);
}

/* The kernel, if it may show anything, then the tasks in the order in which they appear. */
static int
make_threads(struct laplace *l, const struct scan *s)
{
	struct trace *t = l->trace;
	const struct lapmachine *m = &s->machine;
	size_t ntasks = l->basic ? 1 : m->ntasks;
	l->kernel_row = l->has_kernel || s->taskless || !ntasks;
	size_t n = l->kernel_row + ntasks;
	struct trace_thread *th = arena_new(&t->arena, struct trace_thread, n);
	if (!th)
		return diag_no_memory(t->diag);
	t->threads = th;
	if (l->kernel_row)
		*th++ = (struct trace_thread){ .label = "kernel", .pseudo = true };
	if (l->basic)
		*th = (struct trace_thread){ .pid = 1, .tid = 1, .label = "task 1" };
	for (size_t i = 0; i < ntasks && !l->basic; i++) {
		const struct lap_task *task = m->tasks[i];
		uint32_t owner = task->space && task->space->owner ? task->space->owner : task->pid;
		th[i] = (struct trace_thread){ .pid = (int)owner, .tid = (int)task->pid, .label = label_task(l, task) };
		if (!th[i].label)
			return diag_no_memory(t->diag);
	}
	t->nthreads = n;
	return 0;
}

/* Whether some file may have kernel events. */
static bool
may_have_events(const struct laplace *l)
{
	for (size_t i = 0; i < l->nfiles; i++) {
		enum lap_format f = l->files[i].options.format;
		if (f != LAP_BINARY && f != LAP_TEXT && f != LAP_BASIC)
			return true;
	}
	return false;
}

static int
look_ahead(struct laplace *l)
{
	struct scan s = { 0 };
	int rc = 0;
	if (!l->has_kernel && !l->basic) {
		rc = scan(l, &s, false);
		l->has_kernel = rc > 0;
	}
	if (l->has_kernel && may_have_events(l)) {
		lapmachine_finish(&s.machine);
		rc = scan(l, &s, true);
	}
	if (s.machine.pages.failed || rc == -LAP_E_MEMORY)
		rc = diag_no_memory(l->trace->diag);
	else if (l->hooks->failed)
		rc = laplace_failed(l, -LAP_E_FILTER);
	else
		rc = make_threads(l, &s);
	bool counted = !l->has_kernel && !l->basic;
	uint64_t refs = counted ? s.refs : count_refs(l, &s);
	bool once = false;
	for (size_t i = 0; i < l->nfiles; i++)
		once = once || (l->files[i].once && !l->basic);
	if (l->refs == LAPLACE_REFS_AUTO) {
		l->refs = refs > LAPLACE_REFS_MANY ? LAPLACE_REFS_PAGES : LAPLACE_REFS_ALL;
		if (l->refs == LAPLACE_REFS_PAGES)
			diag_info(l->trace->diag, "%s %d references: the timeline of references (type 300) is left out\n"
						  "hint: --laplace-refs=all writes it",
				once ? "perhaps more than" : "more than", LAPLACE_REFS_MANY);
	}
	lapmachine_finish(&s.machine);
	return rc;
}

int
lapfiles_open(struct laplace *l)
{
	int rc = find_files(l);
	if (rc < 0)
		return rc;
	l->readers = calloc(l->nfiles ? l->nfiles : 1, sizeof(*l->readers));
	if (!l->readers)
		return diag_no_memory(l->trace->diag);
	rc = look_ahead(l);
	for (size_t i = 0; i < l->nfiles && rc == 0; i++)
		rc = l->files[i].once ? wait_for(l, &l->files[i]) : 0;
	if (rc < 0)
		return rc;
	rc = open_readers(l, &l->log, false, false);
	return rc < 0 ? laplace_failed(l, rc) : 0;
}

void
lapfiles_close(struct laplace *l)
{
	close_readers(l);
	free(l->readers);
	for (size_t i = 0; i < l->nfiles; i++)
		if (l->files[i].bytes->fd >= 0)
			(void)close(l->files[i].bytes->fd);
}
