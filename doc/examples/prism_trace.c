/* SPDX-License-Identifier: MIT */
/* prism_trace: the functions of any program, and its threads, as a Prism stream. The compiler
 * calls us when a function is entered and left:
 *
 *   cc -finstrument-functions -rdynamic program.c prism_trace.c \
 *     $(pkg-config --cflags --libs prism) -ldl -lpthread
 *   PRISM_OUT=run.prism ./a.out
 *   ovniemu -o out --prism run.json
 *
 * Beside run.prism there are run.json, which describes it, and run.times with the time of each
 * event. To look while it runs, without times, where each event takes a tick:
 *
 *   mkfifo live.prism
 *   PRISM_OUT=live.prism ./a.out &
 *   ovniemu -o out --prism live.prism
 *
 * Without PRISM_OUT nothing is written. All threads share the stream: a swap tells whose
 * events follow. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr() */
#endif
#include <prism.h>

#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OURS __attribute__((no_instrument_function))

enum {
	BUFFER = 64 * 1024,
	NAMES = 4096, /* functions whose names are kept */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct prism_state state;
static uint8_t bytes[BUFFER];
static uint64_t times[BUFFER]; /* an event has at least one byte */
static size_t nbytes, ntimes;
static int events_fd = -1, times_fd = -1;
static uint64_t start;
static uint64_t nthreads, running; /* running: of the last event */
static __thread uint64_t self;     /* 0: not known yet */
static __thread bool inside;       /* functions of ours, and of a signal handler, are not traced */
static struct {
	const void *fn;
	const char *name;
	char place[64]; /* of one without a name: for addr2line */
} names[NAMES];

static OURS void
stop(const char *what)
{
	fprintf(stderr, "prism_trace: %s: %s\n", what, strerror(errno));
	events_fd = -1;
}

static OURS int
write_all(int fd, const void *buf, size_t n)
{
	const char *p = buf;
	while (n) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

static OURS void
flush(void)
{
	if (write_all(events_fd, bytes, nbytes) != 0 || (times_fd >= 0 && write_all(times_fd, times, ntimes * 8) != 0))
		stop("the trace ends here");
	nbytes = ntimes = 0;
}

static OURS uint64_t
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Called with the mutex, as what follows. */
static OURS void
put(const struct prism_event *ev)
{
	if (sizeof(bytes) - nbytes < PRISM_EVENT_MAX)
		flush();
	ssize_t n = prism_encode(bytes + nbytes, sizeof(bytes) - nbytes, &state, ev);
	if (n <= 0)
		return; /* an event that cannot be: there is none here */
	nbytes += (size_t)n;
	if (ev->kind != PRISM_END)
		times[ntimes++] = htole64(now() - start);
}

static OURS const char *
name_of(const void *fn)
{
	size_t i = (size_t)fn / 16 % NAMES;
	if (names[i].fn != fn) {
		Dl_info info = { .dli_fname = "?" };
		bool found = dladdr(fn, &info) != 0;
		const char *slash = strrchr(info.dli_fname, '/');
		(void)snprintf(names[i].place, sizeof(names[i].place), "%.40s+%#zx", slash ? slash + 1 : info.dli_fname, (size_t)fn - (size_t)info.dli_fbase);
		names[i].fn = fn;
		names[i].name = found && info.dli_sname ? info.dli_sname : names[i].place; /* a static one has none */
	}
	return names[i].name;
}

static OURS void
put_function(enum prism_cxt_type type, const void *fn)
{
	if (inside)
		return;
	inside = true;
	pthread_mutex_lock(&mutex);
	if (events_fd >= 0) {
		if (self == 0)
			self = ++nthreads;
		if (running != self) {
			running = self;
			put(&(struct prism_event){ .kind = PRISM_SYNC,
				.sync = { .has = PRISM_HAS_TYPE | PRISM_HAS_ARGS, .type = PRISM_SWAP, .nargs = 1, .arg = { self } } });
		}
		const char *name = name_of(fn);
		put(&(struct prism_event){ .kind = PRISM_CXT,
			.cxt = { .has = PRISM_HAS_TYPE | PRISM_HAS_NAME, .type = (uint8_t)type, .name = name, .name_len = (uint32_t)strlen(name) } });
		/* Whoever reads a FIFO wants to see it now. */
		if (times_fd < 0)
			flush();
	}
	pthread_mutex_unlock(&mutex);
	inside = false;
}

/* ---- What the compiler calls. ---- */

OURS void __cyg_profile_func_enter(void *fn, void *site);
OURS void __cyg_profile_func_exit(void *fn, void *site);

void
__cyg_profile_func_enter(void *fn, void *site)
{
	(void)site;
	put_function(PRISM_FUNC_ENTER, fn);
}

void
__cyg_profile_func_exit(void *fn, void *site)
{
	(void)site;
	put_function(PRISM_FUNC_EXIT, fn);
}

/* ---- Begin and end. ---- */

/* The description, and the times; not for a FIFO. */
static OURS int
describe(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	int stem = (int)((dot ? dot : name + strlen(name)) - path);
	char file[4096];
	if (snprintf(file, sizeof(file), "%.*s.times", stem, path) >= (int)sizeof(file)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	times_fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	(void)snprintf(file, sizeof(file), "%.*s.json", stem, path);
	FILE *f = times_fd < 0 ? NULL : fopen(file, "we");
	if (!f)
		return -1;
	fprintf(f, "{ \"version\": 1, \"format\": \"prism\", \"events\": \"%s\", \"process\": %d,\n", name, (int)getpid());
	fprintf(f, "  \"clock\": { \"mode\": \"timestamps\" }, \"timestamps\": \"%.*s.times\" }\n", stem - (int)(name - path), name);
	return fclose(f);
}

/* A child would write its events into ours. */
static OURS void
in_child(void)
{
	events_fd = -1;
}

static OURS __attribute__((constructor)) void
begin(void)
{
	const char *path = getenv("PRISM_OUT");
	struct stat st;
	if (!path || !*path)
		return;
	inside = true;
	events_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (events_fd < 0 || fstat(events_fd, &st) != 0 || (S_ISREG(st.st_mode) && describe(path) != 0)) {
		stop(path);
		inside = false;
		return;
	}
	/* The program does not die with whoever reads its FIFO. */
	if (!S_ISREG(st.st_mode))
		signal(SIGPIPE, SIG_IGN);
	pthread_atfork(NULL, NULL, in_child);
	start = now();
	/* There is no memory and no compute event; a stream says so. */
	prism_begin(&state, NULL);
	put(&(struct prism_event){ .kind = PRISM_CFG, .cfg = { .target = PRISM_MEM } });
	put(&(struct prism_event){ .kind = PRISM_CFG, .cfg = { .target = PRISM_COMP } });
	inside = false;
}

static OURS __attribute__((destructor)) void
end(void)
{
	inside = true;
	pthread_mutex_lock(&mutex);
	if (events_fd >= 0) {
		put(&(struct prism_event){ .kind = PRISM_END });
		flush();
	}
	/* Threads that still run have no trace from here on. */
	events_fd = -1;
	pthread_mutex_unlock(&mutex);
}
