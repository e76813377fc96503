/* SPDX-License-Identifier: MIT */
#ifndef TOOL_DECL_SHAPE_H
#define TOOL_DECL_SHAPE_H

/* shape: what the files share that say which keys the objects of a model have. */

#include "decl/read.h"

#include <limits.h>

/* Larger numbers of JSON are not whole. */
#define WHOLE (INT64_C(1) << 53)

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WORDS(a) .words = (a), .nwords = COUNT(a)
#define TABLE(a) .keys = (a), .nkeys = COUNT(a)
#define AT(member) .at = offsetof(struct THIS, member)
#define TYPE .kind = KEY_INT, .min = 1, .max = INT_MAX
#define VALUE .kind = KEY_VALUE, .min = -WHOLE, .max = WHOLE

enum {
	DECL_NEEDS = 3,
};

extern const char *const decl_needs[DECL_NEEDS];
extern const struct decl_shape decl_events;

/* Look at a value of a channel, which an item has, or the key "value" of an object: 0 stands for nothing; the outputs have
 * room for some numbers; and if a channel declares values, for no others. Return 0, or <0 (reported). */
int decl_check_nonzero(const struct decl_in *in, const cJSON *item, int64_t value);
int decl_check_room(const struct decl_in *in, const cJSON *item, const struct chan_decl *k, int64_t value);
int decl_check_declared(const struct decl_in *in, const cJSON *item, int chan, int64_t value);

#endif
