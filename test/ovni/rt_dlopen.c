/* SPDX-License-Identifier: MIT */
/* A runtime may load the library late: its thread-local data must still find room, in
 * threads that exist already too. argv[1] is the library. */
#include <dlfcn.h>
#include <pthread.h>
#include "kit.h"

static const char *lib;
static void *handle;
static pthread_barrier_t barrier;

static void *
early_thread(void *arg)
{
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	int (*isready)(void) = (int (*)(void))(uintptr_t)dlsym(handle, "ovni_thread_isready");
	void (*init)(pid_t) = (void (*)(pid_t))(uintptr_t)dlsym(handle, "ovni_thread_init");
	void (*end)(void) = (void (*)(void))(uintptr_t)dlsym(handle, "ovni_thread_free");
	CHECK(isready && init && end && isready() == 0);
	init(2);
	CHECK(isready() == 1);
	end();
	return arg;
}

static void
load(void)
{
	pthread_t t;

	CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
	CHECK(pthread_create(&t, NULL, early_thread, NULL) == 0);
	(void)pthread_barrier_wait(&barrier);
	handle = dlopen(lib, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL)
		(void)fprintf(stderr, "%s\n", dlerror());
	CHECK(handle != NULL);
	void (*init)(int, const char *, int) = (void (*)(int, const char *, int))(uintptr_t)dlsym(handle, "ovni_proc_init");
	void (*fini)(void) = (void (*)(void))(uintptr_t)dlsym(handle, "ovni_proc_fini");
	CHECK(init && fini);
	init(1, KIT_LOOM, KIT_PID);
	(void)pthread_barrier_wait(&barrier);
	CHECK(pthread_join(t, NULL) == 0);
	fini();
	CHECK(kit_says(2, "\"finished\": 1"));
	/* The handlers for fork() go with the code. */
	CHECK(dlclose(handle) == 0);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		_exit(0);
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

int
main(int argc, char **argv)
{
	CHECK(argc == 2);
	lib = realpath(argv[1], NULL);
	CHECK(lib != NULL);
	RUNS(load);
	return 0;
}
