/* SPDX-License-Identifier: MIT */
/* nomem: emulates with the Nth allocation failing, for N = 1, 2... until none fails.
 * Every run must end with an error or well, free all, and close its outputs. Linked with
 * wrapalloc: the allocations of our code, of cJSON (by its hooks) and, when their static
 * libraries are there, of zstd, LZ4 and zlib; unit_nomem_arena with wraparena, too. What differs
 * little from another walk takes each third allocation, or fifth. With TEST_SHARE=n each n-th of these, others in each walk. */
#include "emu.h"
#include "kit.h"
#include "out.h"
#include "input/inputs.h"
#include "input/prism/stream.h"
#include "registry.h"
#include "wrapalloc.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool repeat; /* all behind the one that fails do, too */
static unsigned which = OUTPUT_PRV;
static bool gzipped;

static void *
hook_malloc(size_t n)
{
	return malloc(n);
}

static void
hook_free(void *p)
{
	free(p);
}

static const char *const dirs[] = { "v3", "zst", "lz4", "gz", "old" };

static const int32_t arg0[] = { 0, 1, 2, 3 };

static void
put_events(struct kit_bytes *b, int64_t clock)
{
	struct {
		int64_t value;
		int32_t type;
	} __attribute__((packed)) mark = { 5, 1 };
	kit_header(b);
	kit_event(b, "OHx", clock, arg0, 16);
	kit_event(b, "OB.", clock + 1, NULL, 0);
	for (int i = 0; i < 20; i++) { /* deep enough for the stack to grow twice */
		mark.value = 5 + i;
		kit_event(b, "OM[", clock + 2 + i, &mark, 12);
	}
	for (int i = 19; i >= 0; i--) {
		mark.value = 5 + i;
		kit_event(b, "OM]", clock + 50 - i, &mark, 12);
	}
	kit_event(b, "OHe", clock + 60, NULL, 0);
}

/* Tasks, and a type of them that is known when it comes. */
static void
put_tasks(struct kit_bytes *b)
{
	static const char type[] = "\1\0\0\0work";
	kit_header(b);
	kit_event(b, "OHx", 1000, arg0, 16);
	kit_jumbo(b, "VYc", 1001, sizeof(type), type, sizeof(type));
	for (uint32_t i = 1; i <= 3; i++) {
		const uint32_t create[] = { i, 1 };
		const uint32_t body[] = { i, 0 };
		kit_event(b, "VTc", 1000 + 10 * i, create, 8);
		kit_event(b, "VTx", 1001 + 10 * i, body, 8);
		kit_event(b, "VTe", 1002 + 10 * i, body, 8);
	}
	kit_event(b, "OHe", 1100, NULL, 0);
}

/* Threads, two of them without an id, stacks, locks, blocks, lines: enough for all that grows
 * to do so; the lenient go on where it breaks a rule. */
static void
make_prism(void)
{
	static const char first[] = "\xa0\xf0\xa4\xf8\x45\0\0\0\0\0\0\0\0";
	struct kit_bytes b = { 0 };
	kit_put(&b, first, sizeof(first) - 1);
	for (unsigned i = 0; i < 80; i++) {
		const uint8_t v = (uint8_t)(i + 1);
		const uint8_t enter[] = { 0x63, 0x02, 'f', '0' + v / 10, '0' + v % 10 };
		const uint8_t other[] = { i % 2 ? 0x66 : 0x68, 0x00, v };
		const uint8_t block[] = { 0x62, v, 1, 0, 0, 0, 0, 0, 0x61, v, 2, 0, 0, 0, 0, 0 };
		const uint8_t lock[] = { 0x46, v, 0, 0, 0, 0, 0, 0, 0 };
		const uint8_t load[] = { 0x0a, 0, v, 0, 0, 0, 0, 0, 3 };
		kit_put(&b, enter, sizeof(enter));
		kit_put(&b, other, sizeof(other));
		kit_put(&b, block, sizeof(block));
		kit_put(&b, lock, sizeof(lock));
		kit_put(&b, load, sizeof(load));
		const uint8_t swap[] = { 0x45, (uint8_t)(i / 4), 0, 0, 0, 0, 0, (uint8_t)(i % 2 ? 0x80 : 0), 0 };
		if (i % 4 == 3)
			kit_put(&b, swap, sizeof(swap));
	}
	static const char last[] = "\x64\x00"
				   "x\xc0";
	kit_put(&b, last, sizeof(last) - 1);
	kit_write(kit_path("prism/a.prism"), b.p, b.n);
	kit_write(kit_path("prism/b.prism"), b.p, b.n);
	kit_text(kit_path("prism/a.json"), "{\"version\": 1, \"format\": \"prism\", \"events\": \"a.prism\"}");
	kit_text(kit_path("prism/b.json"),
		"{\"version\": 1, \"format\": \"prism\", \"events\": \"b.prism\", \"process\": 2, \"first_thread\": 3, \"clock\": {\"mode\": \"instr\"}}");
	kit_done(&b);
}

static void
make_traces(void)
{
	static const char *const more =
		", \"require\": {\"ovni\": \"1.0.0\", \"kernel\": \"1.0.0\", \"parallelism\": \"1.0.0\"}, \"loom_cpus\": [{\"index\": 0, \"phyid\": 0}],\n"
		"\"mark\": {\"1\": {\"title\": \"Phase\", \"chan_type\": \"stack\", \"labels\": {\"5\": \"Five\", \"6\": \"Six\"}}}";
	static const char *const exts[] = { "", ".zst", ".lz4", ".gz" };
	struct kit_bytes b = { 0 };
	put_events(&b, 1000);
	for (int i = 0; i < 4; i++) {
		char dir[300];
		(void)snprintf(dir, sizeof(dir), "%s", kit_path("%s", dirs[i]));
		kit_thread(dir, "host.1", 10, 11, more, &b, exts[i]);
		kit_thread(dir, "host.1", 10, 12, more, &b, exts[i]);
	}
	kit_text(kit_path("v3/clock-offsets.txt"), "title\n0 host 5 5 0\n");
	kit_text(kit_path("old/loom.a/proc.1/metadata.json"),
		"{\"version\": 2, \"app_id\": 4, \"cpus\": [{\"index\": 0, \"phyid\": 6}]}");
	kit_write(kit_path("old/loom.a/proc.1/thread.1.obs"), b.p, 8);
	kit_text(kit_path("old/loom.a/proc.1/thread.1.json"),
		"{\"version\": 2, \"ovni\": {\"lib\": {\"version\": \"1.5.0\", \"commit\": \"c\"}, \"require\": {\"ovni\": \"1.0.0\"}, \"finished\": 1}}");
	b.n = 0;
	put_tasks(&b);
	kit_thread(kit_path("tasks"), "host.1", 10, 11, ", \"require\": {\"ovni\": \"1.0.0\", \"nosv\": \"2.7.0\"}, \"loom_cpus\": [{\"index\": 0, \"phyid\": 0}]", &b, "");
	kit_done(&b);
	kit_text(kit_path("laplace/laplace.json"),
		"{\"version\": 1, \"format\": \"laplace\", \"cpus\": [{\"references\": \"r.lrt\", \"kernel\": \"k.lkt\"}, {\"references\": \"s.lrt\"}]}");
	kit_text(kit_path("laplace/s.lrt"), "r 6 4 a2 8048000\nr 92 4 a1 804a000\n");
	kit_text(kit_path("laplace/k.lkt"),
		"F 1 7 0\nA 1 7 a1\nm 1 7 8048000 3000\nS 2 7\nF 3 8 7\nA 3 8 a2\nD 4 a1 a2 8048000 804b000\n"
		"M 5 8 9000000 2000 1 2 3 0 file\nS 90 8\nC 91 8 8048000\nT 99 8\nu 99 a2\ne 100\n");
	kit_text(kit_path("laplace/r.lrt"), "r 5 4 a1 8048000\nw 6 4 a1 8048ffe\nr 92 4 a2 c0000000\nw 93 4 a2 8048000\nr 94 4 a2 9000000\n");
	make_prism();
}

/* A stream as from a pipe: threads come while it runs. */
static void
take_stdin(void)
{
	int fd = open(kit_path("prism/a.prism"), O_RDONLY | O_CLOEXEC);
	CHECK(fd > 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	(void)close(fd);
}

static int
emulate(const char *dir, bool compat)
{
	const struct sink_ops *sinks[FLOW_SINKS_MAX];
	size_t nsinks = out_sinks(which, sinks);
	struct diag d = { .program = "test" };
	struct emu emu;
	kit_quiet();
	bool live = strcmp(strrchr(dir, '/'), "/live") == 0;
	struct prism_options prism = { .lenient = true, .insn = true, .length = 50, .file = { "-" }, .nfiles = live };
	const struct trace_input in[] = { { &laplace_format, NULL }, { &prism_format, &prism }, { &runtime_format, NULL }, { NULL, NULL } };
	if (live)
		take_stdin();
	static struct model_set set;
	CHECK(set.n || registry_add(&set, &d) == 0);
	int rc = emu_open(&emu, &d, live ? NULL : dir, &(struct emu_options){ .compat = compat, .outputs = which, .gzip = gzipped, .perfetto_gzip = compat, .html_limit = 1 << 20, .outdir = kit_path("out"), .inputs = in, .models = &set });
	if (rc == 0)
		rc = emu_connect(&emu, sinks, nsinks);
	if (rc == 0)
		rc = emu_run(&emu);
	rc = emu_close(&emu, rc);
	kit_loud();
	CHECK(rc <= 0 && rc > -ERR_COUNT);
	CHECK(rc == 0 || d.errors > 0); /* an error was told */
	return rc;
}

/* All that was written; kit_done() it. */
static struct kit_bytes
outputs(void)
{
	static const char *const names[] = { "thread.prv", "thread.pcf", "thread.row", "cpu.prv", "cpu.pcf", "cpu.row",
		"cfg/thread/ovni/mark-1.cfg", "cfg/cpu/ovni/mark-1.cfg", "proc.prv", "proc.pcf", "proc.row", "cfg/proc/parallelism/useful-threads.cfg", "ovni.perfetto-trace", "ovni.html",
		"thread.prv.gz", "cpu.prv.gz", "proc.prv.gz" };
	struct kit_bytes all = { 0 };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *path = kit_path("out/%s", names[i]);
		size_t n;
		char *text = access(path, F_OK) == 0 ? kit_read(path, &n) : NULL;
		if (text)
			kit_put(&all, text, n);
		free(text);
	}
	return all;
}

static int
open_files(void)
{
	int n = 0;
	for (int fd = 3; fd < 64; fd++) {
		struct stat st;
		n += fstat(fd, &st) == 0;
	}
	return n;
}

/* Fails each `each`-th allocation. */
static void
walk_some(const char *name, bool compat, int want, int each)
{
	char dir[4096];
	(void)snprintf(dir, sizeof(dir), "%s/%s", kit_dir(), name);
	static int walks;
	const int share = check_share() * each;
	long n = 1 + walks++ % share - share;
	int rc;
	int files = open_files();
	kit_remove(kit_path("out"));
	CHECK(mkdir(kit_path("out"), 0777) == 0);
	CHECK(emulate(dir, compat) == want);
	struct kit_bytes good = outputs();
	do {
		n += share;
		wrapalloc_arm(n, repeat);
		rc = emulate(dir, compat);
		bool failed = wrapalloc_failed();
		wrapalloc_arm(0, false);
		CHECK(open_files() == files);
		if (rc == 0) { /* what failed did not matter, or should have been told */
			struct kit_bytes have = outputs();
			bool same = have.n == good.n && memcmp(have.p, good.p, good.n) == 0;
			if (!same)
				(void)fprintf(stderr, "%s: allocation %ld fails: good, but other files\n", name, n);
			CHECK(same);
			kit_done(&have);
		}
		if (!failed)
			break;
	} while (n < 100000);
	if (rc != want)
		(void)fprintf(stderr, "%s%s: %s, wanted %s\n", name, compat ? " compat" : "", error_name(rc), error_name(want));
	CHECK(rc == want && n > 20);
	kit_done(&good);
	(void)printf("%s%s%s: %ld allocations\n", name, compat ? ", compat" : "",
		repeat ? ", all behind" : "", n - share);
}

static void
walk(const char *name, bool compat, int want)
{
	walk_some(name, compat, want, 1);
}

int
main(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){ .malloc_fn = hook_malloc, .free_fn = hook_free });
	make_traces();
	for (int i = 0; i < 5; i++) {
		for (int k = 0; k < 4; k++) {
			repeat = k & 1;
			bool compat = k & 2;
			/* Two threads run in one CPU, and that of "old" does not end. */
			int refused = i == 4 ? -ERR_NOT_DEAD : -ERR_CPU_BUSY;
			bool like_first = i > 0 && i < 4; /* but for the compression */
			walk_some(dirs[i], compat, compat ? refused : 0, like_first || repeat ? 3 : 1);
		}
	}
	for (int k = 0; k < 2; k++) {
		repeat = k;
		walk_some("laplace", false, 0, repeat ? 3 : 1);
		walk_some("prism", false, 0, repeat ? 3 : 1);
		walk_some("live", false, 0, 5);
	}
	which = OUTPUT_PERFETTO;
	for (int k = 0; k < 2; k++) {
		repeat = k;
		walk("tasks", k, 0); /* --compat: compressed */
		walk_some("live", false, 0, 5);
	}
	which = OUTPUT_HTML;
	walk("tasks", false, 0);
	which = OUTPUT_HTML | OUTPUT_USCOPE;
	walk("tasks", false, 0);
	walk("v3", false, 0);
	which = OUTPUT_PRV;
	gzipped = true;
	for (int k = 0; k < 2; k++) {
		repeat = k;
		walk("tasks", k, 0);
		walk_some("live", false, 0, 5);
	}
	return 0;
}
