/* SPDX-License-Identifier: MIT */
#include "follow.h"

#include "when.h"

#include <time.h>

#define PS_PER_NS UINT64_C(1000)
#define PS_PER_S UINT64_C(1000000000000)

void
follow_init(struct follow *f, struct tool *t, struct source *src)
{
	*f = (struct follow){ .tool = t, .src = src, .interval_ps = PS_PER_S / 10 };
}

/* Sleeps between two looks. false: nothing came for too long (reported). */
static bool
wait_for_more(struct follow *f, const char *path)
{
	if (f->timeout_ps && f->quiet_ps >= f->timeout_ps) {
		char buf[WHEN_TEXT];
		f->status = conv_fail(&f->tool->conv, "timeout", "nothing came for %s\nin %s\nhint: its writer may have been stopped: `uscope recover` makes it complete",
			when_text(buf, f->timeout_ps), path);
		return false;
	}
	struct timespec ts = { .tv_sec = (time_t)(f->interval_ps / PS_PER_S), .tv_nsec = (long)(f->interval_ps % PS_PER_S / PS_PER_NS) };
	(void)nanosleep(&ts, NULL);
	f->quiet_ps = f->quiet_ps + f->interval_ps < f->quiet_ps ? UINT64_MAX : f->quiet_ps + f->interval_ps;
	return true;
}

bool
follow_open(struct follow *f, const char *path)
{
	/* Not all the time, and not asleep for years either. */
	f->interval_ps = f->interval_ps < PS_PER_S / 1000 ? PS_PER_S / 1000 : f->interval_ps;
	f->interval_ps = f->interval_ps > 3600 * PS_PER_S ? 3600 * PS_PER_S : f->interval_ps;
	const uscope_reader_options_t options = { .mode = f->tool->mode };
	uscope_error_t e;
	uscope_reader_t *r;
	do {
		e = (uscope_error_t){ .segment = -1 };
		r = uscope_reader_open_ex(path, &options, &e);
	} while (!r && f->on && e.status == USCOPE_E_TRUNCATED && wait_for_more(f, path));
	if (!r && f->status == STATUS_GOOD) {
		f->src->path = path;
		f->status = utool_fail(f->tool, f->src, &e);
	}
	if (!r)
		return false;
	if (utool_adopt(f->tool, f->src, path, r) && utool_pick(f->tool, f->src))
		return true;
	f->status = f->tool->status;
	return false;
}

bool
follow_more(struct follow *f)
{
	while (f->on && !uscope_is_complete(f->src->reader)) {
		if (uscope_poll_new_segments(f->src->reader) || uscope_is_complete(f->src->reader)) {
			f->quiet_ps = 0;
			return true;
		}
		if (uscope_reader_status(f->src->reader) < 0) {
			f->status = utool_failed(f->tool, f->src);
			return false;
		}
		if (!wait_for_more(f, f->src->path))
			return false;
	}
	return false;
}
