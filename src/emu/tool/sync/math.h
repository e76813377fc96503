/* SPDX-License-Identifier: MIT */
#ifndef TOOL_SYNC_MATH_H
#define TOOL_SYNC_MATH_H

/* math: the offset between two clocks out of messages that went to and fro.
 *
 * All in integers: nanoseconds of an uptime above 104 days do not fit in a double. */

#include <stddef.h>
#include <stdint.h>

/* One message from the reference to the other side and back. */
struct sync_sample {
	int64_t sent;     /* reference: before it was sent */
	int64_t got;      /* the other: when it came */
	int64_t answered; /* the other: before it was sent back */
	int64_t back;     /* reference: when it came back */
};

struct sync_offset {
	int64_t median; /* add it to the clock of the other */
	int64_t whole;  /* the mean is whole + micro / 1000000, 0 <= micro < 1000000 */
	int64_t micro;
	double std;    /* not a number for one sample */
	int64_t error; /* the median is not further off than this */
};

/* How long the message was on its way, both ways together. */
static inline int64_t
sync_trip(const struct sync_sample *s)
{
	return (s->back - s->sent) - (s->answered - s->got);
}

/* The offset, if both ways took equally long: else it is wrong by half the trip at most. */
static inline int64_t
sync_delta(const struct sync_sample *s)
{
	return (s->sent - s->got) + sync_trip(s) / 2;
}

/* Estimates the offset: median, mean and standard deviation of the quarter of n > 0 samples
 * with the shortest trips. Reorders the samples. */
struct sync_offset sync_estimate(struct sync_sample *samples, size_t n);

#endif
