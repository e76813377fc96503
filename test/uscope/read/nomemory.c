/* SPDX-License-Identifier: MIT */
/* nomemory: reads files with the Nth allocation failing, for N = 1, 2... until none fails;
 * then with all behind the Nth failing. Each call must say E_NOMEM and lose nothing.
 *
 *   usage: nomemory FILE... */
#include "check.h"
#include "uscope.h"
#include "wrapalloc.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What a call gave, when it may have been short of memory: nothing else is an excuse. */
static void
excuse(int status)
{
	CHECK(status == 0 || (wrapalloc_failed() && status == USCOPE_E_NOMEM));
}

static void
ask(uscope_reader_t *r)
{
	uint32_t n;
	for (uint32_t i = 0; i < uscope_num_strings(r); i++)
		if (!uscope_string(r, i, NULL))
			excuse(uscope_reader_status(r));
	uscope_summary_t info;
	if (uscope_summary_info(r, &info)) {
		if (!uscope_summary_data(r, 0, &n))
			excuse(uscope_reader_status(r));
		for (uint32_t i = 0; i < info.num_counters; i++) {
			if (!uscope_summary_counter_info(r, i, NULL, NULL, NULL, NULL))
				excuse(uscope_reader_status(r));
			if (!uscope_summary_counter_data(r, i, 0, &n))
				excuse(uscope_reader_status(r));
		}
	}
	for (uint32_t i = 0; i < uscope_num_segments(r); i++) {
		uscope_segment_t s;
		CHECK(uscope_segment_info(r, i, &s) == 0);
		uscope_state_t *state = uscope_state_at(r, s.time_end_ps);
		if (!state)
			excuse(uscope_reader_status(r));
		uscope_state_free(state);
		state = uscope_segment_checkpoint(r, i);
		if (!state)
			excuse(uscope_reader_status(r));
		uscope_state_free(state);
		uscope_item_t item;
		uscope_item_iter_t *it = uscope_segment_items(r, i);
		if (it) {
			while (uscope_item_next(it, &item))
				;
			excuse(uscope_item_iter_status(it));
		} else {
			excuse(USCOPE_E_NOMEM);
		}
		uscope_item_iter_free(it);
	}
	uint64_t time;
	uint16_t type;
	const void *payload;
	uscope_event_iter_t *it = uscope_events_in_range(r, 0, UINT64_MAX);
	if (it) {
		while (uscope_event_next(it, &time, &type, &payload))
			;
		excuse(uscope_event_iter_status(it));
	}
	uscope_event_iter_free(it);
	int count = uscope_verify(r, NULL, NULL);
	excuse(count < 0 ? count : 0);
	(void)uscope_poll_new_segments(r);
	excuse(uscope_reader_status(r));
}

static void
run(const char *path, const char *scratch, enum uscope_mode mode)
{
	uscope_error_t error;
	uscope_reader_t *r = uscope_reader_open_ex(path, &(uscope_reader_options_t){ .mode = mode }, &error);
	if (r)
		ask(r);
	else
		excuse(error.status);
	uscope_reader_close(r);
	if (mode == USCOPE_RECOVER)
		excuse(uscope_recover(path, scratch, NULL, &error));
}

int
main(int argc, char **argv)
{
	int fd = memfd_create("scratch", MFD_CLOEXEC);
	char scratch[32];
	CHECK(fd >= 0);
	(void)snprintf(scratch, sizeof(scratch), "/proc/self/fd/%d", fd);
	long runs = 0;
	for (int i = 1; i < argc; i++)
		for (enum uscope_mode mode = USCOPE_TOLERANT; mode <= USCOPE_RECOVER; mode++)
			for (int all = 0; all < 2; all++) {
				run(argv[i], scratch, mode); /* has to be well */
				for (long n = 1;; n++, runs++) {
					wrapalloc_arm(n, all);
					run(argv[i], scratch, mode);
					bool failed = wrapalloc_failed();
					wrapalloc_arm(0, false);
					if (!failed)
						break;
					CHECK(n < 10000);
				}
			}
	(void)printf("%ld allocations failed\n", runs);
	CHECK(runs > 0 || argc < 2);
	return 0;
}
