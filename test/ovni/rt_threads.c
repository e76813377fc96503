/* SPDX-License-Identifier: MIT */
/* Several threads at once, each with its own stream. */
#include <pthread.h>
#include "kit.h"

enum {
	NTHREADS = 8,
	NEVENTS = 200000, /* enough for an automatic flush */
};

static void *
work(void *arg)
{
	int tid = *(int *)arg;
	char key[32];

	CHECK(ovni_thread_isready() == 0);
	ovni_thread_init(tid);
	CHECK(ovni_thread_isready() == 1);
	ovni_add_cpu(tid - 1, tid);
	ovni_proc_set_rank(0, 1);
	ovni_mark_type(1, 0, "Number");
	(void)snprintf(key, sizeof(key), "mine.%d", tid);
	ovni_attr_set_double(key, tid);
	for (int i = 0; i < NEVENTS; i++)
		kit_emit(tid % 2 ? "OB1" : "OB0", ovni_clock_now());
	ovni_mark_set(1, tid);
	ovni_attr_flush();
	ovni_thread_free();
	CHECK(ovni_thread_isready() == 0);
	return NULL;
}

static void
all_at_once(void)
{
	pthread_t t[NTHREADS];
	int tids[NTHREADS];

	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	for (int i = 0; i < NTHREADS; i++) {
		tids[i] = i + 1;
		CHECK(pthread_create(&t[i], NULL, work, &tids[i]) == 0);
	}
	for (int i = 0; i < NTHREADS; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	ovni_proc_fini();

	for (int i = 0; i < NTHREADS; i++) {
		size_t size, named;
		char want[64];
		uint8_t *got = kit_file("ovni", KIT_PID, tids[i], "stream.obs", &size);
		CHECK(got != NULL);
		CHECK(kit_count(got, size, tids[i] % 2 ? "OB1" : "OB0", &named) == NEVENTS + 3);
		CHECK(named == NEVENTS);
		CHECK(wire_i64(got + size - 12) == tids[i]);
		free(got);
		(void)snprintf(want, sizeof(want), "\"mine\": {\n        \"%d\": %d\n", tids[i], tids[i]);
		CHECK(kit_says(tids[i], want));
		CHECK(kit_says(tids[i], "\"finished\": 1"));
	}
}

/* The same number may come back once its thread is gone: systems reuse them. */
static void *
twice(void *arg)
{
	(void)arg;
	ovni_thread_init(5);
	kit_emit("OHe", ovni_clock_now());
	ovni_thread_free();
	return NULL;
}

static void
number_comes_back(void)
{
	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	for (int i = 0; i < 2; i++) {
		pthread_t t;
		CHECK(pthread_create(&t, NULL, twice, NULL) == 0);
		CHECK(pthread_join(t, NULL) == 0);
	}
	ovni_proc_fini();
}

int
main(void)
{
	RUNS(all_at_once);
	RUNS(number_comes_back);
	return 0;
}
