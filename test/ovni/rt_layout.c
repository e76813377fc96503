/* SPDX-License-Identifier: MIT */
/* Sizes, offsets and constants that programs have compiled into them. */
#include <stddef.h>
#include <string.h>
#include "../check.h"
#include "ovni.h"

#define AT(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #member)
#define SIZE(type, size) _Static_assert(sizeof(type) == (size) && _Alignof(type) == 1, #type)

SIZE(struct ovni_ev_header, 12);
AT(struct ovni_ev_header, flags, 0);
AT(struct ovni_ev_header, model, 1);
AT(struct ovni_ev_header, category, 2);
AT(struct ovni_ev_header, value, 3);
AT(struct ovni_ev_header, clock, 4);
SIZE(union ovni_ev_payload, 16);
SIZE(struct ovni_jumbo_payload, 5);
AT(struct ovni_jumbo_payload, size, 0);
AT(struct ovni_jumbo_payload, data, 4);
SIZE(struct ovni_ev, 28);
AT(struct ovni_ev, header, 0);
AT(struct ovni_ev, payload, 12);
SIZE(struct ovni_stream_header, 8);
AT(struct ovni_stream_header, magic, 0);
AT(struct ovni_stream_header, version, 4);

_Static_assert(OVNI_METADATA_VERSION == 3, "metadata");
_Static_assert(OVNI_MAX_HOSTNAME == 512, "hostname");
_Static_assert(OVNI_MAX_EV_BUF == 2097152 && sizeof(OVNI_MAX_EV_BUF) == 8, "buffer");
_Static_assert(OVNI_STREAM_VERSION == 1, "stream");
_Static_assert(OVNI_EV_JUMBO == 0x10, "jumbo");
_Static_assert(OVNI_MARK_STACK == 1, "stack");

/* What the header pulls in, as programs rely on it. */
_Static_assert(PATH_MAX == 4096 && INT_MAX > 0, "limits.h, linux/limits.h");

int
main(void)
{
	union ovni_ev_payload p;

	CHECK(strcmp(OVNI_TRACEDIR, "ovni") == 0);
	CHECK(strcmp(OVNI_STREAM_MAGIC, "ovni") == 0);
	CHECK(strcmp(OVNI_STREAM_EXT, ".obs") == 0);
	CHECK(strcmp(OVNI_MODEL_VERSION, "1.1.0") == 0);
	CHECK(strcmp(OVNI_LIB_VERSION, "1.14.0") == 0);
	CHECK(strlen(OVNI_GIT_COMMIT) > 0 && strchr(OVNI_GIT_COMMIT, '@') == NULL);
	CHECK(sizeof(p.i8) == 16 && sizeof(p.i16) == 16 && sizeof(p.i32) == 16);
	CHECK(sizeof(p.i64) == 16 && sizeof(p.u8) == 16 && sizeof(p.u16) == 16);
	CHECK(sizeof(p.u32) == 16 && sizeof(p.u64) == 16 && sizeof(p.jumbo) == 5);
	return 0;
}
