/* SPDX-License-Identifier: MIT */
#include "kit.h"

#include "emu.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <lz4frame.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* ---- Files. ---- */

static char dir[256];
static pid_t owner;

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void
kit_remove(const char *path)
{
	(void)nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS);
}

static void
clean_up(void)
{
	if (getpid() == owner)
		kit_remove(dir);
}

const char *
kit_dir(void)
{
	if (*dir)
		return dir;
	/* Who starts many tests sets it, and removes what killed ones leave. */
	const char *base = getenv("TMPDIR");
	const char *const places[] = { base && *base && strlen(base) < 200 ? base : "/dev/shm", "/dev/shm", "/tmp" };
	for (int i = 0; i < 3; i++) {
		(void)snprintf(dir, sizeof(dir), "%s/ovniscope-test-XXXXXX", places[i]);
		if (mkdtemp(dir)) {
			owner = getpid();
			CHECK(atexit(clean_up) == 0);
			return dir;
		}
	}
	(void)fprintf(stderr, "no scratch directory\n");
	exit(1);
}

const char *
kit_path(const char *fmt, ...)
{
	static char paths[16][512];
	static unsigned next;
	char *p = paths[next++ % 16];
	size_t n = (size_t)snprintf(p, sizeof(paths[0]), "%s/", kit_dir());
	va_list ap;
	va_start(ap, fmt);
	int k = vsnprintf(p + n, sizeof(paths[0]) - n, fmt, ap);
	va_end(ap);
	CHECK(k >= 0 && (size_t)k < sizeof(paths[0]) - n);
	return p;
}

static void
make_parents(const char *path)
{
	char copy[1024];
	CHECK(strlen(path) < sizeof(copy));
	memcpy(copy, path, strlen(path) + 1);
	for (char *p = strchr(copy + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		CHECK(mkdir(copy, 0777) == 0 || errno == EEXIST);
		*p = '/';
	}
}

void
kit_write(const char *path, const void *bytes, size_t n)
{
	make_parents(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	CHECK(fd >= 0);
	const char *p = bytes;
	while (n) {
		ssize_t k = write(fd, p, n);
		CHECK(k > 0);
		p += k;
		n -= (size_t)k;
	}
	CHECK(close(fd) == 0);
}

void
kit_text(const char *path, const char *text)
{
	kit_write(path, text, strlen(text));
}

char *
kit_read(const char *path, size_t *n)
{
	FILE *f = fopen(path, "re");
	CHECK(f);
	char *text = NULL;
	size_t have = 0;
	for (;;) {
		text = realloc(text, have + 65537);
		CHECK(text);
		size_t k = fread(text + have, 1, 65536, f);
		have += k;
		if (k == 0)
			break;
	}
	(void)fclose(f);
	text[have] = 0;
	if (n)
		*n = have;
	return text;
}

/* ---- stderr. ---- */

static int real_stderr = -1;
static int sink_fd = -1;

static void
redirect(int fd)
{
	(void)fflush(stderr);
	CHECK(real_stderr < 0 && fd >= 0);
	real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	CHECK(dup2(fd, STDERR_FILENO) >= 0);
	sink_fd = fd;
}

static void
restore(void)
{
	(void)fflush(stderr);
	if (real_stderr < 0)
		return;
	(void)dup2(real_stderr, STDERR_FILENO);
	(void)close(real_stderr);
	real_stderr = -1;
}

void
kit_capture(void)
{
	redirect(memfd_create("stderr", MFD_CLOEXEC));
}

const char *
kit_captured(void)
{
	static char text[65536];
	restore();
	ssize_t n = pread(sink_fd, text, sizeof(text) - 1, 0);
	CHECK(n >= 0);
	text[n] = 0;
	(void)close(sink_fd);
	return text;
}

void
kit_same(const char *have, const char *want, const char *captured, int line)
{
	if (strcmp(have, want) != 0)
		(void)fprintf(stderr, "line %d:\nwanted %s\ngot    %s\n%s", line, want, have, captured);
	CHECK(strcmp(have, want) == 0);
}

void
kit_quiet(void)
{
	redirect(open("/dev/null", O_WRONLY | O_CLOEXEC));
}

void
kit_loud(void)
{
	restore();
	(void)close(sink_fd);
}

/* ---- Bytes of a stream. ---- */

void
kit_put(struct kit_bytes *b, const void *bytes, size_t n)
{
	if (!b->p || b->n + n > b->cap) {
		b->cap = (b->n + n) * 2 + 1;
		b->p = realloc(b->p, b->cap);
		CHECK(b->p);
	}
	if (n)
		memcpy(b->p + b->n, bytes, n);
	b->n += n;
}

void
kit_header(struct kit_bytes *b)
{
	static const uint8_t header[WIRE_STREAM_HEADER] = { 'o', 'v', 'n', 'i', WIRE_STREAM_VERSION };
	kit_put(b, header, sizeof(header));
}

void
kit_event(struct kit_bytes *b, const char *mcv, int64_t clock, const void *payload, size_t n)
{
	CHECK(n != 1 && n <= WIRE_PAYLOAD_MAX);
	uint8_t flags = (uint8_t)(n ? n - 1 : 0);
	kit_put(b, &flags, 1);
	kit_put(b, mcv, 3);
	kit_put(b, &clock, 8);
	kit_put(b, payload, n);
}

void
kit_jumbo(struct kit_bytes *b, const char *mcv, int64_t clock, uint32_t count, const void *payload, size_t n)
{
	uint8_t flags = WIRE_JUMBO;
	kit_put(b, &flags, 1);
	kit_put(b, mcv, 3);
	kit_put(b, &clock, 8);
	kit_put(b, &count, 4);
	kit_put(b, payload, n);
}

void
kit_done(struct kit_bytes *b)
{
	free(b->p);
	*b = (struct kit_bytes){ 0 };
}

struct kit_bytes
kit_pack(const struct kit_bytes *b, const char *ext)
{
	struct kit_bytes out = { 0 };
	if (strcmp(ext, ".zst") == 0) {
		out.cap = ZSTD_compressBound(b->n);
		out.p = malloc(out.cap);
		CHECK(out.p);
		out.n = ZSTD_compress(out.p, out.cap, b->p, b->n, 1);
		CHECK(!ZSTD_isError(out.n));
	} else if (strcmp(ext, ".lz4") == 0) {
		out.cap = LZ4F_compressFrameBound(b->n, NULL);
		out.p = malloc(out.cap);
		CHECK(out.p);
		out.n = LZ4F_compressFrame(out.p, out.cap, b->p, b->n, NULL);
		CHECK(!LZ4F_isError(out.n));
	} else if (strcmp(ext, ".gz") == 0) {
		z_stream z = { .next_in = b->p, .avail_in = (uInt)b->n };
		CHECK(deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK);
		out.cap = deflateBound(&z, b->n);
		z.next_out = out.p = malloc(out.cap);
		CHECK(out.p);
		z.avail_out = (uInt)out.cap;
		CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
		out.n = z.total_out;
		(void)deflateEnd(&z);
	} else {
		kit_put(&out, b->p, b->n);
	}
	return out;
}

/* ---- Traces. ---- */

void
kit_thread(const char *trace, const char *loom, int pid, int tid, const char *more,
	const struct kit_bytes *obs, const char *ext)
{
	char path[1024];
	char *text;
	int n = asprintf(&text,
		"{ \"version\": 3, \"ovni\": { \"lib\": { \"version\": \"1.14.0\", \"commit\": \"test\" },\n"
		"\"part\": \"thread\", \"loom\": \"%s\", \"pid\": %d, \"tid\": %d, \"app_id\": 1,\n"
		"\"finished\": 1%s } }\n",
		loom, pid, tid, more);
	CHECK(n > 0);
	(void)snprintf(path, sizeof(path), "%s/loom.%s/proc.%d/thread.%d/stream.json", trace, loom, pid, tid);
	kit_text(path, text);
	free(text);
	struct kit_bytes packed = kit_pack(obs, ext);
	(void)snprintf(path, sizeof(path), "%s/loom.%s/proc.%d/thread.%d/stream.obs%s", trace, loom, pid, tid, ext);
	kit_write(path, packed.p, packed.n);
	kit_done(&packed);
}

/* ---- Records. ---- */

struct kit_log kit_logs[ROW_CLASSES];

struct kit_self {
	struct kit_log *log;
	enum row_class rows;
	uint32_t first_cpu;
	uint32_t first_proc;
};

static int
open_class(void *self, const struct emu *emu, enum row_class rows)
{
	struct kit_log *log = &kit_logs[rows];
	if (log->fail_open)
		return -ERR_WRITE;
	log->opened = true;
	log->duration = -1;
	*(struct kit_self *)self = (struct kit_self){ log, rows, emu ? emu_first_row(emu, ROW_CPU) : KIT_CPU, emu ? emu_first_row(emu, ROW_PROC) : UINT32_MAX };
	return 0;
}

static int
open_threads(void *self, const struct emu *emu, const char *where)
{
	(void)where;
	return open_class(self, emu, ROW_THREAD);
}

static int
open_cpus(void *self, const struct emu *emu, const char *where)
{
	(void)where;
	return open_class(self, emu, ROW_CPU);
}

static int
open_procs(void *self, const struct emu *emu, const char *where)
{
	(void)where;
	return open_class(self, emu, ROW_PROC);
}

static int
sink_write(void *self, const struct batch *b)
{
	const struct kit_self *s = self;
	struct kit_log *log = s->log;
	size_t n = b->n;
	if (log->n + n > log->cap) {
		log->cap = (log->n + n) * 2;
		log->items = realloc(log->items, log->cap * sizeof(*log->items));
		CHECK(log->items);
	}
	for (size_t i = 0; i < n; i++) {
		struct record one = b->r[i];
		bool state = one.kind != RECORD_PUNCTUAL;
		bool proc = one.row >= s->first_proc;
		uint32_t cpu = one.row >= s->first_cpu ? one.row : state ? one.cpu
									 : 0;
		if (one.kind == RECORD_EVENT || proc != (s->rows == ROW_PROC) || (s->rows == ROW_CPU ? cpu == 0 : !proc && one.row >= s->first_cpu))
			continue;
		one.row = s->rows == ROW_CPU ? cpu : one.row;
		if (state)
			one.cpu = 0;
		log->items[log->n++] = (struct kit_record){ one, log->chunks };
	}
	log->chunks++;
	return log->fail_at && log->n >= log->fail_at ? -ERR_WRITE : 0;
}

static int
sink_close(void *self, int64_t duration)
{
	struct kit_log *log = ((struct kit_self *)self)->log;
	log->duration = duration;
	return log->fail_close ? -ERR_WRITE : 0;
}

static const struct sink_ops threads = { .size = sizeof(struct kit_self), .open = open_threads, .write = sink_write, .close = sink_close };
static const struct sink_ops cpus = { .size = sizeof(struct kit_self), .open = open_cpus, .write = sink_write, .close = sink_close };
static const struct sink_ops procs = { .size = sizeof(struct kit_self), .open = open_procs, .write = sink_write, .close = sink_close };
const struct sink_ops *const kit_sinks[ROW_CLASSES] = { [ROW_THREAD] = &threads, [ROW_CPU] = &cpus, [ROW_PROC] = &procs };

void
kit_forget(void)
{
	for (int i = 0; i < ROW_CLASSES; i++) {
		free(kit_logs[i].items);
		kit_logs[i] = (struct kit_log){ .duration = -1 };
	}
}

/* ---- Random numbers. ---- */

uint64_t
kit_random(uint64_t *state)
{
	uint64_t x = *state;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * UINT64_C(2685821657736338717);
}

uint64_t
kit_below(uint64_t *state, uint64_t n)
{
	return kit_random(state) % n;
}

double
kit_now(void)
{
	struct timespec ts;
	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

uint64_t
kit_seed(int argc, char **argv)
{
	struct timespec ts;
	(void)clock_gettime(CLOCK_REALTIME, &ts);
	uint64_t seed = (uint64_t)ts.tv_sec * 1000000007u ^ (uint64_t)ts.tv_nsec;
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	seed = seed ? seed : 1; /* xorshift stays at 0 */
	(void)printf("seed %" PRIu64 "\n", seed);
	(void)fflush(stdout);
	return seed;
}
