/* SPDX-License-Identifier: MIT */
/* traced: a program of two threads that doc/examples/prism_trace.c traces. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

long fib(long n);
void *worker(void *arg);

long
fib(long n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void
quiet(void)
{
}

void *
worker(void *arg)
{
	(void)fib(5);
	quiet();
	return arg;
}

/* How often each thread computes: argv[1]. */
int
main(int argc, char **argv)
{
	long times = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	long sum = 0;
	for (long i = 0; i < times; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, worker, NULL) != 0)
			return 1;
		sum += fib(4);
		if (pthread_join(thread, NULL) != 0)
			return 1;
	}
	return sum == 3 * times ? 0 : 1;
}
