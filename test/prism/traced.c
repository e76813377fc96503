/* SPDX-License-Identifier: MIT */
/* traced: a program that does what legal programs do, under the tracer of functions: argv[1] says which. It prints
 * what it has measured itself: "wall TID NS". */
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define KEPT __attribute__((noinline, used))

enum {
	MANY = 1000,
	DEEP = 100000,
	WORKERS = 2,
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static bool ready;

static PLAIN int64_t
now(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static PLAIN void
tell(int64_t ns)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "wall %ld %" PRId64 "\n", (long)syscall(SYS_gettid), ns);
	if (write(STDOUT_FILENO, line, (size_t)n) != n)
		abort();
}

static KEPT void
leaf(void)
{
	__asm__ volatile("");
}

static KEPT int
deep(int n)
{
	return n ? deep(n - 1) + 1 : 0;
}

static KEPT int
fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static PLAIN void
pass(long ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };
	(void)nanosleep(&t, NULL);
}

/* ---- Threads that wait for each other. ---- */

static KEPT void
work(void)
{
	pass(60);
	(void)pthread_mutex_lock(&mutex);
	while (!ready)
		(void)pthread_cond_wait(&cond, &mutex);
	(void)pthread_mutex_unlock(&mutex);
	(void)pthread_barrier_wait(&barrier);
	pass(60);
}

static PLAIN void *
worker(void *arg)
{
	int64_t begin = now();
	work();
	tell(now() - begin);
	if (arg)
		pthread_exit(NULL);
	return NULL;
}

static KEPT void
threads(void)
{
	pthread_t t[WORKERS];
	(void)pthread_barrier_init(&barrier, NULL, WORKERS + 1);
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&t[i], NULL, worker, i ? &mutex : NULL) != 0)
			abort();
	pass(120);
	(void)pthread_mutex_lock(&mutex);
	ready = true;
	(void)pthread_cond_broadcast(&cond);
	(void)pthread_mutex_unlock(&mutex);
	(void)pthread_barrier_wait(&barrier);
	for (int i = 0; i < WORKERS; i++)
		(void)pthread_join(t[i], NULL);
}

static KEPT void *
small(void *arg)
{
	leaf();
	return arg;
}

static KEPT void
many(void)
{
	static pthread_t t[MANY];
	for (int i = 0; i < MANY; i++)
		if (pthread_create(&t[i], NULL, small, NULL) != 0)
			abort();
	for (int i = 0; i < MANY; i++)
		(void)pthread_join(t[i], NULL);
}

/* ---- Read-write locks, semaphores, <threads.h>. ---- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;

static KEPT void *
reader(void *arg)
{
	(void)pthread_rwlock_rdlock(&rwlock);
	(void)sem_post(&sem);
	(void)sem_wait((sem_t *)arg);
	(void)pthread_rwlock_unlock(&rwlock);
	return NULL;
}

static KEPT void
others(void)
{
	sem_t back_sem;
	pthread_t t;
	(void)sem_init(&sem, 0, 0);
	(void)sem_init(&back_sem, 0, 0);
	(void)pthread_create(&t, NULL, reader, &back_sem);
	(void)sem_wait(&sem);
	(void)pthread_rwlock_tryrdlock(&rwlock);
	if (pthread_rwlock_trywrlock(&rwlock) == 0 || sem_trywait(&sem) == 0)
		abort();
	(void)pthread_rwlock_unlock(&rwlock);
	(void)sem_post(&back_sem);
	(void)pthread_join(t, NULL);
	(void)pthread_rwlock_wrlock(&rwlock);
	(void)pthread_rwlock_unlock(&rwlock);
}

static mtx_t mtx;
static cnd_t cnd;

static KEPT int
partner(void *arg)
{
	(void)mtx_lock(&mtx);
	*(bool *)arg = true;
	(void)cnd_signal(&cnd);
	(void)mtx_unlock(&mtx);
	return 7;
}

static KEPT void
threads_c11(void)
{
	thrd_t t;
	bool set = false;
	int result = 0;
	if (mtx_init(&mtx, mtx_plain) != thrd_success || cnd_init(&cnd) != thrd_success)
		abort();
	(void)mtx_lock(&mtx);
	if (thrd_create(&t, partner, &set) != thrd_success)
		abort();
	while (!set)
		(void)cnd_wait(&cnd, &mtx);
	(void)mtx_unlock(&mtx);
	if (thrd_join(t, &result) != thrd_success || result != 7)
		abort();
}

/* ---- Functions that are left without a return. ---- */

static jmp_buf place;
static volatile bool leaving = true; /* compilers refuse what never returns */

static KEPT void
jump(int n)
{
	if (n == 0 && leaving)
		longjmp(place, 1);
	if (n)
		jump(n - 1);
	leaf();
}

static KEPT void
jumps(void)
{
	for (volatile int i = 0; i < 3; i++)
		if (!setjmp(place))
			jump(5);
	leaf();
}

static KEPT void *
leave_thread(void *arg)
{
	leaf();
	if (arg)
		(void)leave_thread(NULL);
	if (leaving)
		pthread_exit(NULL);
	return arg;
}

static KEPT void
leaves(void)
{
	pthread_t t;
	if (pthread_create(&t, NULL, leave_thread, &mutex) != 0)
		abort();
	(void)pthread_join(t, NULL);
}

/* ---- Handlers. ---- */

static sigjmp_buf back;
static volatile sig_atomic_t armed;
static volatile sig_atomic_t hits;

static KEPT void
handle(int signal)
{
	(void)signal;
	leaf();
	if (++hits % 3 == 0 && armed) {
		armed = 0;
		siglongjmp(back, 1);
	}
}

static KEPT void
handlers(bool other_stack)
{
	static char stack[65536];
	const stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const struct sigaction sa = { .sa_handler = handle, .sa_flags = other_stack ? SA_ONSTACK : 0 };
	struct itimerval every = { { 0, 200 }, { 0, 200 } };
	(void)sigaltstack(&ss, NULL);
	(void)sigaction(SIGALRM, &sa, NULL);
	(void)setitimer(ITIMER_REAL, &every, NULL);
	for (volatile int i = 0; i < 300; i++)
		if (!sigsetjmp(back, 1)) {
			armed = 1;
			(void)fib(10);
			for (int64_t until = now() + 100000; now() < until;)
				continue; /* here a handler interrupts no hook */
			armed = 0;
		}
	memset(&every, 0, sizeof(every));
	(void)setitimer(ITIMER_REAL, &every, NULL);
}

/* ---- Ends. ---- */

static pthread_key_t key;

static KEPT void
destroy(void *arg)
{
	static int rounds;
	leaf();
	if (++rounds < 3)
		(void)pthread_setspecific(key, arg);
}

static KEPT void *
with_key(void *arg)
{
	(void)pthread_setspecific(key, &key);
	return arg;
}

static KEPT void *
forever(void *arg)
{
	for (;;) {
		(void)fib(5);
		*(volatile bool *)arg = true;
	}
	return arg;
}

static KEPT void
at_exit(void)
{
	(void)fib(3);
}

static __attribute__((destructor)) void
at_end(void)
{
	leaf();
}

/* A thread is cancelled, and one runs when the process ends. */
static KEPT void
ends(void)
{
	static volatile bool runs[2];
	pthread_t t;
	(void)atexit(at_exit);
	(void)pthread_key_create(&key, destroy);
	(void)pthread_create(&t, NULL, with_key, NULL);
	(void)pthread_join(t, NULL);
	for (int i = 0; i < 2; i++) {
		(void)pthread_create(&t, NULL, forever, (void *)&runs[i]);
		while (!runs[i])
			pass(1);
		if (i == 0)
			(void)pthread_cancel(t);
	}
}

static KEPT void
children(void)
{
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			leaf();
			exit(0);
		}
	while (wait(NULL) > 0)
		leaf();
}

/* Another program in the same process. */
static KEPT void
another(const char *what)
{
	const char *const args[] = { "traced", what, NULL };
	leaf();
	(void)execv("/proc/self/exe", (char *const *)args);
}

/* Objects that are loaded at the same addresses one after another: argv[2] and more. */
static KEPT void
objects(char **paths)
{
	for (; *paths; paths++) {
		void *object = dlopen(*paths, RTLD_NOW);
		void (*call)(void);
		if (!object)
			abort();
		*(void **)&call = dlsym(object, "call");
		call();
		(void)dlclose(object);
	}
}

/* Threads call until the process is killed; each counts calls that have returned in the file. */
static KEPT void *
counting(void *arg)
{
	for (;;) {
		leaf();
		++*(volatile uint64_t *)arg;
	}
	return arg;
}

static KEPT void
killed(const char *path)
{
	pthread_t t;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint64_t *counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED)
		abort();
	for (int i = 1; i < 4; i++)
		(void)pthread_create(&t, NULL, counting, &counts[8 * i]);
	(void)counting(counts);
}

static KEPT int
run(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (strcmp(what, "threads") == 0)
		threads();
	else if (strcmp(what, "others") == 0)
		others();
	else if (strcmp(what, "c11") == 0)
		threads_c11();
	else if (strcmp(what, "many") == 0)
		many();
	else if (strcmp(what, "deep") == 0)
		return deep(DEEP) != DEEP;
	else if (strcmp(what, "jumps") == 0)
		jumps();
	else if (strcmp(what, "leaves") == 0)
		leaves();
	else if (strcmp(what, "handlers") == 0)
		handlers(argc > 2);
	else if (strcmp(what, "ends") == 0)
		ends();
	else if (strcmp(what, "children") == 0)
		children();
	else if (strcmp(what, "another") == 0)
		another("jumps");
	else if (strcmp(what, "objects") == 0)
		objects(argv + 2);
	else if (strcmp(what, "killed") == 0 && argc > 2)
		killed(argv[2]);
	else
		return 2;
	return 0;
}

PLAIN int
main(int argc, char **argv)
{
	int64_t begin = now();
	int rc = run(argc, argv);
	tell(now() - begin);
	return rc;
}
