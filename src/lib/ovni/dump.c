/* SPDX-License-Identifier: MIT */
/* dump: what the rings of a process have now, as a trace of its own.
 *
 * The directory of the process is made beside the dump and appears in it when it is complete. */
#include <errno.h>
#include <ftw.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
#include "rt.h"

enum {
	OPEN_DIRS = 8, /* while a dump of an earlier run is removed */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int last;   /* the number of the last one */
	void *copy; /* for one ring */
	char dir[PATH_MAX];
	size_t nthreads;
	bool failed;
} dump; /* locked */

static int
failed(const char *what, const char *path)
{
	rt_error("ovni_dump", "cannot %s %s:", what, path);
	dump.failed = true;
	return -1;
}

static void
dump_thread(struct rt_thread *t)
{
	char dir[PATH_MAX], path[PATH_MAX];
	struct rt_window w;

	if (dump.failed || t->ring == NULL || !t->on_disk)
		return;
	if (dump.copy == NULL)
		dump.copy = malloc(t->map_size);
	if (dump.copy == NULL || rt_path(dir, "%s/thread.%d", dump.dir, (int)t->tid) < 0 || rt_mkpath(dir) < 0 ||
		rt_path(path, "%s/stream" OVNI_STREAM_EXT, dir) < 0 || rt_ring_dump(t, dump.copy, path, &w) < 0) {
		(void)failed("write a stream in", dump.dir);
		return;
	}
	(void)pthread_mutex_lock(&t->lock);
	if (rt_meta_dump(t, dir, &w, "ovni_dump") < 0)
		(void)failed("write the metadata in", dir);
	rt_leave(t);
	dump.nthreads++;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void
remove_all(const char *dir)
{
	(void)nftw(dir, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
}

/* Removes directories that are empty, from this one upwards. */
static void
remove_empty(char *path, int levels)
{
	for (; levels > 0 && rmdir(path) == 0; levels--)
		*strrchr(path, '/') = '\0';
}

/* Brings the directory of the process to its place. One that is there is of an earlier run. */
static int
publish(const char *suffix)
{
	char to[PATH_MAX];

	if (rt_proc_dir(to, suffix) < 0)
		return failed("create the directory", suffix);
	if (access(to, F_OK) == 0)
		remove_all(to);
	if (rt_mkpath(to) < 0 || rename(dump.dir, to) < 0)
		return failed("create", to);
	return 0;
}

static int
dump_all(void)
{
	char suffix[32], part[64];

	dump.failed = false;
	dump.nthreads = 0;
	(void)snprintf(suffix, sizeof(suffix), ".dump-%d", dump.last + 1);
	(void)snprintf(part, sizeof(part), "%s.part", suffix);
	if (rt_proc_dir(dump.dir, part) < 0 || rt_mkpath(dump.dir) < 0)
		return failed("create the directory", part);
	(void)rt_each_thread(dump_thread, false);
	free(dump.copy);
	dump.copy = NULL;
	if (!dump.failed && dump.nthreads == 0)
		rt_error("ovni_dump", "no thread is traced");
	bool good = !dump.failed && dump.nthreads > 0 && publish(suffix) == 0;
	if (!good)
		remove_all(dump.dir);
	*strrchr(dump.dir, '/') = '\0';
	remove_empty(dump.dir, 2);
	return good ? ++dump.last : -1;
}

int
ovni_dump(void)
{
	int state = atomic_load(&rt_proc);

	if (state != RT_PROC_READY && state != RT_PROC_GONE) {
		rt_error(__func__, "the process is not initialised");
		return -1;
	}
	if (rt_ring_size() == 0) {
		rt_error(__func__, "there is nothing to dump without OVNI_RING: all events are written");
		return -1;
	}
	(void)pthread_mutex_lock(&lock);
	int rc = dump_all();
	(void)pthread_mutex_unlock(&lock);
	return rc;
}

/* ---- The signal ---- */

static sem_t wanted;

static void
want(int sig)
{
	int err = errno;
	(void)sig;
	(void)sem_post(&wanted);
	errno = err;
}

static void *
dump_when_wanted(void *arg)
{
	for (;;)
		if (sem_wait(&wanted) == 0)
			(void)ovni_dump();
	return arg;
}

/* A number, or a name with or without SIG. Returns 0 if it is none. */
static int
parse_signal(const char *text)
{
	static const struct {
		const char *name;
		int number;
	} names[] = {
		{ "HUP", SIGHUP },
		{ "INT", SIGINT },
		{ "QUIT", SIGQUIT },
		{ "USR1", SIGUSR1 },
		{ "USR2", SIGUSR2 },
		{ "ALRM", SIGALRM },
		{ "TERM", SIGTERM },
		{ "CONT", SIGCONT },
		{ "TSTP", SIGTSTP },
		{ "URG", SIGURG },
		{ "VTALRM", SIGVTALRM },
		{ "PROF", SIGPROF },
		{ "WINCH", SIGWINCH },
		{ "IO", SIGIO },
		{ "POLL", SIGIO },
		{ "PWR", SIGPWR },
	};
	char *end;
	long n = strtol(text, &end, 10);

	if (*end == '\0')
		return n > 0 && n <= SIGRTMAX ? (int)n : 0;
	if (strncmp(text, "SIG", 3) == 0)
		text += 3;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(text, names[i].name) == 0)
			return names[i].number;
	return 0;
}

/* The thread gets no signal, so that those of the program reach its own. */
static int
start_thread(void)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t id;

	(void)sigfillset(&all);
	if (sem_init(&wanted, 0, 0) < 0 || pthread_attr_init(&attr) != 0)
		return -1;
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = pthread_create(&id, &attr, dump_when_wanted, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	(void)pthread_attr_destroy(&attr);
	errno = rc;
	return rc == 0 ? 0 : -1;
}

void
rt_dump_configure(void)
{
	const char *text = rt_env("OVNI_DUMP_SIGNAL");
	struct sigaction old, ours = { .sa_handler = want, .sa_flags = SA_RESTART };

	if (text == NULL)
		return;
	int sig = parse_signal(text);
	bool exists = sig > 0 && sigaction(sig, NULL, &old) == 0;
	(void)sigemptyset(&ours.sa_mask);
	if (sig == 0)
		rt_warn("OVNI_DUMP_SIGNAL=%s is no signal (as USR1, SIGUSR1, 10)", text);
	else if (rt_ring_size() == 0)
		rt_warn("OVNI_DUMP_SIGNAL=%s does nothing without OVNI_RING", text);
	else if (exists && (old.sa_flags & SA_SIGINFO || (old.sa_handler != SIG_DFL && old.sa_handler != want)))
		rt_warn("OVNI_DUMP_SIGNAL=%s: the program has a handler for it, which stays", text);
	else if (!exists || start_thread() < 0 || sigaction(sig, &ours, NULL) < 0)
		rt_warn("OVNI_DUMP_SIGNAL=%s cannot be caught:", text);
}

void
rt_dump_forget(void)
{
	(void)pthread_mutex_init(&lock, NULL);
	dump.last = 0;
	dump.copy = NULL;
}
