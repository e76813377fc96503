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
	char trace[PATH_MAX]; /* the trace directory */
} proc;

/* Threads of the parent that do not exist in the child of a fork: reachable, so no leak. Their
 * metadata cannot be touched, as their owner may have been changing it. */
static struct rt_thread *left_behind;

static void
free_thread(struct rt_thread *t)
{
	rt_json_free(t->meta);
	rt_json_free(t->cpus);
	(void)pthread_mutex_destroy(&t->lock);
	free(t);
}

static void
release_stream(struct rt_thread *t)
{
	if (t->fd >= 0)
		(void)close(t->fd);
	t->fd = -1;
	rt_buffer_close(t);
}

void
rt_release(struct rt_thread *t)
{
	rt_delist(t);
	rt_forget(t->end);
	release_stream(t);
	free_thread(t);
}

/* The child is another process: what is buffered belongs to the parent, who will write
 * it. Only the thread that forked lives on, and it may begin anew. */
static void
after_fork_child(void)
{
	struct rt_thread *mine = rt_self;

	for (struct rt_thread *t = rt_take_all(), *next; t != NULL; t = next) {
		next = t->next;
		release_stream(t);
		if (t == mine) {
			free_thread(t);
			continue;
		}
		t->next = left_behind;
		left_behind = t;
	}
	rt_forget(RT_END_NONE);
	rt_dump_forget();
	rt_disk_forget();
	atomic_store(&rt_proc, RT_PROC_NONE);
	rt_fork_unlock();
}

static void
watch_forks(void)
{
	if (pthread_atfork(rt_fork_lock, rt_fork_unlock, after_fork_child) != 0)
		rt_nomem("ovni_proc_init");
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

int
rt_proc_dir(char out[PATH_MAX], const char *suffix)
{
	size_t n = strlen(proc.trace);

	if (proc.failed) {
		errno = ENOENT;
		return -1;
	}
	while (n > 1 && suffix[0] != '\0' && proc.trace[n - 1] == '/')
		n--;
	return rt_path(out, "%.*s%s/loom.%s/proc.%d", (int)n, proc.trace, suffix, proc.loom, proc.pid);
}

/* Decide on and create the directories. Returns 0, or -1 after saying why not. */
static int
make_dirs(const char *func)
{
	const char *trace = rt_env("OVNI_TRACEDIR");
	const char *tmp = rt_env("OVNI_TMPDIR");

	if (trace == NULL)
		trace = OVNI_TRACEDIR;
	proc.final[0] = '\0';
	if (absolute(proc.trace, trace) < 0 || rt_proc_dir(proc.dir, "") < 0 ||
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
			rt_die(__func__, "the process has finished, it cannot be initialised again");
	}
	if (pid <= 0)
		rt_die(__func__, "pid %d is not above 0", pid);
	if (loom == NULL || loom[0] == '\0')
		rt_die(__func__, "the loom has no name");
	if (strlen(loom) >= OVNI_MAX_HOSTNAME)
		rt_die(__func__, "the loom name has more than %d bytes", OVNI_MAX_HOSTNAME - 1);
	if (!utf8_is_text(loom))
		rt_die(__func__, "the loom name is not UTF-8");

	(void)pthread_once(&once, watch_forks);
	rt_watch_ends();
	rt_clock_begin();
	rt_ring_configure();
	proc.app = app;
	proc.pid = pid;
	memcpy(proc.loom, loom, strlen(loom) + 1);
	proc.failed = false;
	proc.failed = make_dirs(__func__) < 0;
	atomic_store(&rt_proc, RT_PROC_READY);
	rt_dump_configure();
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
	/* A thread that is never freed must not keep what others need. */
	struct rt_thread *t = rt_self;
	if (t != NULL && t->on_disk && t->changes > t->written) {
		(void)pthread_mutex_lock(&t->lock);
		(void)rt_meta_write(t, __func__);
		rt_leave(t);
	}
	if (proc.failed || proc.final[0] == '\0')
		return;
	remove_dir(proc.dir);
	if (rt_path(loom, "%s/loom.%s", proc.tmp, proc.loom) == 0)
		remove_dir(loom);
	remove_dir(proc.tmp);
}

/* An earlier run may have left a stream under this name. Its metadata goes before its
 * data: at no time does the one describe what is not the other. */
static int
remove_old(const struct rt_thread *t, const char *func)
{
	static const char *const names[] = { "stream.json", TAIL_NAME, RING_NAME };
	char old[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (rt_path(old, "%s/%s", t->dir, names[i]) < 0 || (unlink(old) < 0 && errno != ENOENT)) {
			rt_disk_error(func, "thread %d will not be traced, cannot remove the old %s:", (int)t->tid, old);
			return -1;
		}
	return 0;
}

static int
open_stream(struct rt_thread *t, const char *func)
{
	static const struct ovni_stream_header header = {
		.magic = { 'o', 'v', 'n', 'i' },
		.version = OVNI_STREAM_VERSION,
	};
	char path[PATH_MAX];
	size_t done;

	if (proc.final[0] != '\0' &&
		(rt_path(t->final, "%s/thread.%d", proc.final, (int)t->tid) < 0 || rt_mkpath(t->final) < 0)) {
		rt_disk_error(func, "thread %d will not be traced, cannot create %s:", (int)t->tid, t->final);
		return -1;
	}
	if (rt_path(t->dir, "%s/thread.%d", proc.dir, (int)t->tid) < 0 || rt_mkpath(t->dir) < 0) {
		rt_disk_error(func, "thread %d will not be traced, cannot create %s:", (int)t->tid, t->dir);
		return -1;
	}
	if (remove_old(t, func) < 0)
		return -1;
	if (rt_path(path, "%s/stream%s", t->dir, OVNI_STREAM_EXT) < 0 || (t->fd = rt_open(path)) < 0 ||
		rt_write(t->fd, &header, sizeof(header), &done) < 0) {
		rt_disk_error(func, "thread %d will not be traced, cannot write %s:", (int)t->tid, path);
		return -1;
	}
	t->size = sizeof(header);
	t->on_disk = true;
	if (t->final[0] != '\0')
		rt_link(t, false);
	return 0;
}

void
ovni_thread_init(pid_t tid)
{
	if (rt_self != NULL) {
		rt_warn("thread %d is initialised already, ignored", (int)rt_self->tid);
		return;
	}
	if (rt_ended)
		rt_die(__func__, "the thread has finished");
	if (tid <= 0)
		rt_die(__func__, "tid %d is not above 0", (int)tid);
	rt_need_proc(__func__);

	struct rt_thread *t = calloc(1, sizeof(*t));
	if (t == NULL || pthread_mutex_init(&t->lock, NULL) != 0)
		rt_nomem(__func__);
	t->fd = -1;
	t->tid = tid;
	rt_meta_begin(t, __func__, proc.loom, proc.app, proc.pid);
	bool opened = !proc.failed && open_stream(t, __func__) == 0;
	if (rt_buffer_open(t) < 0)
		rt_nomem(__func__);
	rt_enlist(t, __func__);
	if (!opened || rt_meta_write(t, __func__) < 0)
		rt_break(t, 0);
	rt_watch_thread(__func__);
	rt_self = t;
	rt_make_room(t);
}

void
rt_finish(struct rt_thread *t, enum rt_end end, const char *func)
{
	if (t->end != RT_END_NONE)
		return;
	if (t->ring != NULL)
		rt_ring_end(t, func);
	else
		rt_drain(t, func);
	if (t->fd >= 0 && rt_close(t->fd) < 0) {
		rt_disk_error(func, "the stream is not whole, cannot close %s/stream%s:", t->dir, OVNI_STREAM_EXT);
		t->limit = 0;
	}
	t->fd = -1;
	t->end = end;
	/* What the disk took no more is told, and counted in the metadata. */
	uint64_t lost = 0;
	for (int i = 0; i < RT_LOSSES; i++)
		lost += i == RT_LOST_WRITE ? 0 : atomic_load(&t->lost[i]);
	if (lost > 0)
		rt_error(func, "thread %d lost %llu events", (int)t->tid, (unsigned long long)lost);
	if (!t->on_disk)
		return;
	rt_buffer_retire(t);
	(void)rt_meta_write(t, func);
	if (t->final[0] != '\0')
		rt_move(t, func);
}

void
ovni_thread_free(void)
{
	struct rt_thread *t = rt_enter(__func__);

	rt_finish(t, RT_END_FREE, __func__);
	rt_leave(t);
	rt_unwatch_thread();
	rt_release(t);
}

int
ovni_thread_isready(void)
{
	return rt_self != NULL;
}
