/* SPDX-License-Identifier: MIT */
/* life: when a process and a thread may do what, and what a fork leaves of both. */
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include "rt.h"
#include "utf8.h"

/* Written by ovni_proc_init() before it becomes ready, only read after. */
static struct {
	bool failed; /* no directory: threads are born broken */
	int app, pid;
	char loom[OVNI_MAX_HOSTNAME];
	char dir[PATH_MAX];   /* loom.L/proc.P where streams are written */
	char final[PATH_MAX]; /* the same in the trace; empty without OVNI_TMPDIR */
	char tmp[PATH_MAX];   /* OVNI_TMPDIR */
} proc;

/* All ready threads, so that the child of a fork can let go of their files. */
static struct rt_thread *all;
/* Threads of the parent that do not exist in the child of a fork: reachable, so no leak. */
static struct rt_thread *left_behind;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;

/* Apart from release(): in the child of a fork the metadata trees cannot be touched, as their owner may
 * have been changing them. */
static void
release_stream(struct rt_thread *t)
{
	if (t->fd >= 0)
		(void)close(t->fd);
	t->fd = -1;
	free(t->buf);
	t->buf = NULL;
}

static void
release(struct rt_thread *t)
{
	release_stream(t);
	cJSON_Delete(t->meta);
	cJSON_Delete(t->cpus);
	free(t);
}

static void
before_fork(void)
{
	(void)pthread_mutex_lock(&all_lock);
}

static void
after_fork_parent(void)
{
	(void)pthread_mutex_unlock(&all_lock);
}

/* The child is another process: what is buffered belongs to the parent, who will write
 * it. Only the thread that forked lives on, and it may begin anew. */
static void
after_fork_child(void)
{
	while (all != NULL) {
		struct rt_thread *t = all;
		all = t->next;
		if (t == rt_self) {
			release(t);
			continue;
		}
		release_stream(t);
		t->next = left_behind;
		left_behind = t;
	}
	rt_self = NULL;
	rt_finished = false;
	atomic_store(&rt_proc, RT_PROC_NONE);
	(void)pthread_mutex_unlock(&all_lock);
}

static void
watch_forks(void)
{
	if (pthread_atfork(before_fork, after_fork_parent, after_fork_child) != 0)
		rt_nomem("ovni_proc_init");
}

/* Value of an environment variable, NULL if unset or empty. */
static const char *
env(const char *name)
{
	const char *v = getenv(name);
	return v != NULL && v[0] != '\0' ? v : NULL;
}

/* A program that changes its directory later must not spread the trace over several. */
static int
absolute(char out[PATH_MAX], const char *dir)
{
	char cwd[PATH_MAX];

	if (dir[0] == '/' || getcwd(cwd, sizeof(cwd)) == NULL)
		return rt_path(out, "%s", dir);
	return rt_path(out, "%s/%s", cwd, dir);
}

static bool
same_dir(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Decide on and create the directories. Returns 0, or -1 after saying why not. */
static int
make_dirs(const char *func)
{
	const char *trace = env("OVNI_TRACEDIR");
	const char *tmp = env("OVNI_TMPDIR");
	char base[PATH_MAX];

	if (trace == NULL)
		trace = OVNI_TRACEDIR;
	proc.final[0] = '\0';
	if (absolute(base, trace) < 0 ||
		rt_path(proc.dir, "%s/loom.%s/proc.%d", base, proc.loom, proc.pid) < 0 ||
		rt_mkpath(proc.dir) < 0) {
		rt_error(func, "nothing will be traced, cannot create the directory of the process in %s:", trace);
		return -1;
	}
	if (tmp == NULL)
		return 0;

	memcpy(proc.final, proc.dir, sizeof(proc.final));
	if (absolute(proc.tmp, tmp) < 0 ||
		rt_path(proc.dir, "%s/loom.%s/proc.%d", proc.tmp, proc.loom, proc.pid) < 0 ||
		rt_mkpath(proc.dir) < 0) {
		rt_error(func, "nothing will be traced, cannot create the directory of the process in %s:", tmp);
		return -1;
	}
	/* Two names of one place: nothing has to move, and nothing may be removed. */
	if (same_dir(proc.dir, proc.final))
		proc.final[0] = '\0';
	return 0;
}

void
ovni_proc_init(int app, const char *loom, int pid)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int was = RT_PROC_NONE;

	if (!atomic_compare_exchange_strong(&rt_proc, &was, RT_PROC_STARTING)) {
		if (was == RT_PROC_STARTING)
			rt_die(__func__, "the process is being initialised");
		else if (was == RT_PROC_READY)
			rt_die(__func__, "the process is initialised already");
		else
			rt_die(__func__, "the process has finished");
	}
	if (app <= 0)
		rt_die(__func__, "app %d is not above 0", app);
	if (pid <= 0)
		rt_die(__func__, "pid %d is not above 0", pid);
	if (loom == NULL || loom[0] == '\0')
		rt_die(__func__, "the loom has no name");
	if (strlen(loom) >= OVNI_MAX_HOSTNAME)
		rt_die(__func__, "the loom name has more than %d bytes", OVNI_MAX_HOSTNAME - 1);
	if (strchr(loom, '/') != NULL)
		rt_die(__func__, "loom name \"%s\" has a '/'", loom);
	if (!utf8_is_text(loom))
		rt_die(__func__, "the loom name is not UTF-8");

	(void)pthread_once(&once, watch_forks);
	proc.app = app;
	proc.pid = pid;
	memcpy(proc.loom, loom, strlen(loom) + 1);
	proc.failed = make_dirs(__func__) < 0;
	atomic_store(&rt_proc, RT_PROC_READY);
}

/* Remove a directory unless somebody still needs it. */
static void
remove_dir(const char *path)
{
	/* EBUSY: a mount point, as /dev/shm */
	if (rmdir(path) < 0 && errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT && errno != EBUSY)
		rt_warn("cannot remove directory %s:", path);
}

void
ovni_proc_fini(void)
{
	char loom[PATH_MAX];
	int was = RT_PROC_READY;

	if (!atomic_compare_exchange_strong(&rt_proc, &was, RT_PROC_GONE))
		rt_need_proc(__func__);
	if (proc.failed || proc.final[0] == '\0')
		return;
	remove_dir(proc.dir);
	if (rt_path(loom, "%s/loom.%s", proc.tmp, proc.loom) == 0)
		remove_dir(loom);
	remove_dir(proc.tmp);
}

static void
enlist(struct rt_thread *t, const char *func)
{
	(void)pthread_mutex_lock(&all_lock);
	for (const struct rt_thread *o = all; o != NULL; o = o->next)
		if (o->tid == t->tid)
			rt_die(func, "another thread has tid %d", (int)t->tid);
	t->next = all;
	if (all != NULL)
		all->prev = t;
	all = t;
	(void)pthread_mutex_unlock(&all_lock);
}

static void
delist(struct rt_thread *t)
{
	(void)pthread_mutex_lock(&all_lock);
	if (t->prev != NULL)
		t->prev->next = t->next;
	else
		all = t->next;
	if (t->next != NULL)
		t->next->prev = t->prev;
	(void)pthread_mutex_unlock(&all_lock);
}

/* An earlier run may have left a stream under this name. Its metadata goes before its
 * data: at no time does the one describe what is not the other. */
static int
open_stream(struct rt_thread *t, const char *func)
{
	static const struct ovni_stream_header header = {
		.magic = { 'o', 'v', 'n', 'i' },
		.version = OVNI_STREAM_VERSION,
	};
	char old[PATH_MAX], path[PATH_MAX];
	size_t done;

	if (proc.final[0] != '\0' &&
		(rt_path(t->final, "%s/thread.%d", proc.final, (int)t->tid) < 0 || rt_mkpath(t->final) < 0)) {
		rt_error(func, "thread %d will not be traced, cannot create %s:", (int)t->tid, t->final);
		return -1;
	}
	if (rt_path(t->dir, "%s/thread.%d", proc.dir, (int)t->tid) < 0 || rt_mkpath(t->dir) < 0) {
		rt_error(func, "thread %d will not be traced, cannot create %s:", (int)t->tid, t->dir);
		return -1;
	}
	if (rt_path(old, "%s/stream.json", t->dir) < 0 || (unlink(old) < 0 && errno != ENOENT)) {
		rt_error(func, "thread %d will not be traced, cannot remove the old %s:", (int)t->tid, old);
		return -1;
	}
	if (rt_path(path, "%s/stream%s", t->dir, OVNI_STREAM_EXT) < 0 || (t->fd = rt_open(path)) < 0 ||
		rt_write(t->fd, &header, sizeof(header), &done) < 0) {
		rt_error(func, "thread %d will not be traced, cannot write %s:", (int)t->tid, path);
		return -1;
	}
	t->size = sizeof(header);
	return rt_meta_write(t, func);
}

void
ovni_thread_init(pid_t tid)
{
	if (rt_self != NULL) {
		rt_warn("thread %d is initialised already, ignored", (int)rt_self->tid);
		return;
	}
	if (rt_finished)
		rt_die(__func__, "the thread has finished");
	if (tid <= 0)
		rt_die(__func__, "tid %d is not above 0", (int)tid);
	rt_need_proc(__func__);

	struct rt_thread *t = calloc(1, sizeof(*t));
	if (t == NULL || (t->buf = malloc(RT_BUF_MAX + RT_FLUSH_PAIR)) == NULL)
		rt_nomem(__func__);
	t->fd = -1;
	t->tid = tid;
	t->limit = RT_BUF_MAX;
	enlist(t, __func__);

	rt_meta_begin(t, __func__, proc.loom, proc.app, proc.pid);
	if (proc.failed || open_stream(t, __func__) < 0) {
		if (t->fd >= 0)
			(void)close(t->fd);
		t->fd = -1;
		rt_break(t, 0);
	}
	rt_self = t;
	ovni_thread_require("ovni", OVNI_MODEL_VERSION);
}

void
ovni_thread_free(void)
{
	struct rt_thread *t = rt_ready(__func__);
	bool have_file = t->fd >= 0;

	rt_drain(t, __func__);
	if (have_file && rt_close(t->fd) < 0) {
		rt_error(__func__, "the stream is not whole, cannot close %s/stream%s:", t->dir, OVNI_STREAM_EXT);
		t->limit = 0;
	}
	t->fd = -1;
	rt_meta_end(t, __func__);
	if (t->limit == 0)
		rt_error(__func__, "thread %d lost %llu events", (int)t->tid, (unsigned long long)t->lost);
	if (have_file) {
		(void)rt_meta_write(t, __func__);
		if (t->final[0] != '\0')
			rt_move(t, __func__);
	}

	delist(t);
	release(t);
	rt_self = NULL;
	rt_finished = true;
}

int
ovni_thread_isready(void)
{
	return rt_self != NULL;
}
