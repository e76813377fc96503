/* SPDX-License-Identifier: MIT */
/* life: begin and end of the process, its children and its threads. */
#include "parts.h"
#include "slowfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	DIR_MAX = TRACER_PATH - 64,
	IMAGES = 1000, /* programs that a process executes one after another */
};

__thread struct tracer_thread tracer_self __attribute__((tls_model("initial-exec")));
bool tracer_on;
atomic_bool tracer_active;

static char dir[DIR_MAX];
static char table[32];     /* its name */
static bool wants_private; /* buffers of the streams */
static bool may_choose;    /* nobody said which */
static atomic_bool told;
static _Atomic(pid_t) lock; /* process that holds it; 0: none */
static pthread_key_t key;
static bool has_key;
static struct tracer_stream *streams;
static uint64_t lost; /* events of threads that have ended */

/* ---- Slow work. ---- */

void
tracer_calm(struct tracer_calm *c)
{
	sigset_t all;
	c->error = errno;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &c->signals);
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel);
}

void
tracer_resume(const struct tracer_calm *c)
{
	int old;
	(void)pthread_setcancelstate(c->cancel, &old);
	(void)pthread_sigmask(SIG_SETMASK, &c->signals, NULL);
	errno = c->error;
}

/* A child of fork() takes it from a thread that it has not, which leaves nothing undone: all that is shared changes
 * by single stores. */
void
tracer_lock(void)
{
	static const struct timespec moment = { .tv_nsec = 20000 };
	pid_t me = getpid();
	pid_t had = 0;
	while (!atomic_compare_exchange_weak_explicit(&lock, &had, me, memory_order_acquire, memory_order_relaxed)) {
		if (had == me)
			(void)nanosleep(&moment, NULL);
		had = had == me ? 0 : had;
	}
}

void
tracer_unlock(void)
{
	atomic_store_explicit(&lock, 0, memory_order_release);
}

void *
tracer_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* ---- The directory. ---- */

/* Without a translation where that can be had, as it allocates. */
static const char *
describe(int error)
{
#ifdef HAVE_STRERRORDESC
	const char *text = strerrordesc_np(error);
	return text ? text : "?";
#else
	return strerror(error);
#endif
}

static __attribute__((format(printf, 1, 2))) void
say(const char *fmt, ...)
{
	char text[TRACER_PATH + 250];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0)
		return; /* nobody listens */
}

void
tracer_say(const char *path, int error)
{
	if (!atomic_exchange(&told, true))
		say("libovniscope-prism-trace: %s: %s; the trace ends here, and the program goes on\n", path, describe(error));
}

void
tracer_complain(const char *name, const char *value, const char *wanted)
{
	say("libovniscope-prism-trace: %s=%s is ignored: it is not %s\n", name, value, wanted);
}

void
tracer_path(char *path, const struct tracer_stream *s, const char *suffix)
{
	(void)snprintf(path, TRACER_PATH, "%s/%s.%05u%s", dir, s->stem, s->number, suffix);
}

bool
tracer_wants_shared(void)
{
	return !wants_private;
}

static bool
make_dir(void)
{
	for (char *p = dir + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		(void)mkdir(dir, 0755);
		*p = '/';
	}
	if (mkdir(dir, 0755) == 0 || errno == EEXIST)
		return true;
	tracer_say(dir, errno);
	return false;
}

/* ---- The table of names. ---- */

const char *
tracer_table(void)
{
	return table;
}

int
tracer_check_limit(uint64_t size)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur)
		return 0;
	errno = EFBIG;
	return -1;
}

/* The file is only appended to, so that processes may share it: a child of fork() goes on with the numbers of its parent. */
int64_t
tracer_append(const void *bytes, size_t n)
{
	char path[sizeof(dir) + sizeof(table) + 1];
	(void)snprintf(path, sizeof(path), "%s/%s", dir, table);
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 && errno == ENOENT && make_dir())
		fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	int64_t at = -1;
	if (size >= 0 && tracer_check_limit((uint64_t)size + n) == 0) {
		ssize_t put = write(fd, bytes, n);
		at = put == (ssize_t)n ? (int64_t)lseek(fd, 0, SEEK_CUR) - put : -1;
		errno = put >= 0 && at < 0 ? ENOSPC : errno;
	}
	if (at > UINT32_MAX) {
		at = -1;
		errno = EFBIG;
	}
	int error = errno;
	if (fd >= 0)
		(void)close(fd);
	if (at < 0)
		tracer_say(path, error);
	return at;
}

/* Chooses buffers that are not mapped where that may block. */
static void
look_at_dir(void)
{
	struct statfs fs;
	const char *slow = may_choose && statfs(dir, &fs) == 0 ? slowfs_name(&fs) : NULL;
	if (!slow)
		return;
	wants_private = true;
	may_choose = false;
	say("libovniscope-prism-trace: %s is not mapped: %s; the last events are lost if the process is killed (PRISM_TRACE_BUFFER=private says nothing)\n",
		dir, slow);
}

/* A process that executes another program goes on with its number: names that are there are left alone. */
static bool
name_process(struct tracer_stream *s)
{
	struct stat st;
	int pid = (int)getpid();
	s->number = 0;
	for (int image = 0; image < IMAGES; image++) {
		(void)snprintf(s->stem, sizeof(s->stem), image ? "%d-%d" : "%d", pid, image);
		tracer_path(s->path, s, ".prism");
		if (stat(s->path, &st) != 0)
			return true;
	}
	tracer_say(s->path, EEXIST);
	return false;
}

bool
tracer_name(struct tracer_stream *s)
{
	static pid_t process; /* 0: it has no stream yet */
	static char stem[sizeof(s->stem)];
	static unsigned n;
	bool good = true;
	s->process = getpid();
	tracer_lock();
	if (process == s->process) {
		memcpy(s->stem, stem, sizeof(stem));
		s->number = ++n;
	} else {
		good = make_dir() && name_process(s);
		look_at_dir();
		process = good ? s->process : 0;
		memcpy(stem, s->stem, sizeof(stem));
		n = 0;
	}
	tracer_unlock();
	return good;
}

/* ---- Threads. ---- */

/* That of the first thread. */
static void
know_stack(void)
{
	pthread_attr_t attr;
	void *at;
	size_t size;
	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return;
	if (pthread_attr_getstack(&attr, &at, &size) == 0) {
		tracer_self.lo = (uintptr_t)at;
		tracer_self.size = size;
	}
	(void)pthread_attr_destroy(&attr);
}

void
tracer_watch(struct tracer_stream *s)
{
	tracer_lock();
	s->next = streams;
	streams = s;
	tracer_unlock();
	if (has_key)
		(void)pthread_setspecific(key, s);
}

static void
forget(const struct tracer_stream *s)
{
	tracer_lock();
	lost += s->lost;
	struct tracer_stream **p = &streams;
	while (*p && *p != s)
		p = &(*p)->next;
	if (*p)
		*p = s->next;
	tracer_unlock();
}

/* Destructors of other keys may be traced, too: the stream ends in the last round of them. */
static void
end_thread(void *arg)
{
	struct tracer_thread *t = &tracer_self;
	struct tracer_stream *s = arg;
	struct tracer_calm calm;
	if (t->stream == s && ++s->rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(key, s) == 0)
		return;
	t->inside = TRACER_NEVER;
	t->stream = NULL;
	tracer_calm(&calm);
	(void)tracer_tell_lost(s);
	forget(s);
	tracer_finish(s);
	if (t->stack)
		(void)munmap(t->stack, sizeof(*t->stack) + (1 + t->stack->cap) * sizeof(t->stack->frames[0]));
	t->stack = NULL;
	tracer_resume(&calm);
}

/* ---- The process. ---- */

/* The child has one thread, which may go on in the functions that it is in, in files of its own. It may have begun
 * that in another handler. */
static void
begin_child(void)
{
	struct tracer_stream *s = tracer_self.stream;
	streams = s;
	lost = 0;
	if (s && s->process != getpid())
		*s = (struct tracer_stream){ 0 };
	else if (s)
		s->next = NULL;
}

/* Makes the directory's name one that is good anywhere, also for programs that this one executes. */
static bool
choose_dir(void)
{
	const char *name = secure_getenv("PRISM_TRACE_DIR");
	size_t n = 0;
	if (!name || !*name)
		return false;
	if (*name != '/' && getcwd(dir, sizeof(dir))) {
		n = strlen(dir);
		dir[n++] = '/';
	}
	if (n + strlen(name) >= sizeof(dir)) {
		tracer_say(name, ENAMETOOLONG);
		return false;
	}
	memcpy(dir + n, name, strlen(name) + 1);
	return n == 0 || setenv("PRISM_TRACE_DIR", dir, 1) == 0;
}

static __attribute__((constructor)) void
begin(void)
{
	if (!choose_dir())
		return;
	const char *buffer = secure_getenv("PRISM_TRACE_BUFFER");
	wants_private = buffer && strcmp(buffer, "private") == 0;
	may_choose = !wants_private && !(buffer && strcmp(buffer, "shared") == 0);
	has_key = pthread_key_create(&key, end_thread) == 0;
	(void)pthread_atfork(NULL, NULL, begin_child);
	(void)snprintf(table, sizeof(table), "%d.names", (int)getpid());
	know_stack();
	tracer_clock_begin();
	tracer_filter_begin();
	tracer_names_begin();
	tracer_on = true;
}

/* Mapped files need no end: destructors that run later are still traced. */
static __attribute__((destructor)) void
end(void)
{
	struct tracer_calm calm;
	if (!tracer_on)
		return;
	tracer_calm(&calm);
	tracer_lock();
	for (struct tracer_stream *s = streams; s; s = s->next) {
		(void)tracer_flush(s);
		/* Another thread may be at work in its files. */
		lost += s == tracer_self.stream ? tracer_tell_lost(s) : s->lost;
	}
	tracer_unlock();
	if (lost)
		say("libovniscope-prism-trace: %llu events are missing, of signal handlers that interrupted the tracer\n", (unsigned long long)lost);
	tracer_resume(&calm);
}
