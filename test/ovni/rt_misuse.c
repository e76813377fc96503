/* SPDX-License-Identifier: MIT */
/* Every condition that stops a program, and in whose name. */
#include <math.h>
#include <pthread.h>
#include "kit.h"

static char long_name[600];
static struct ovni_ev ev;

/* CASE(public function, statements): a child that must die in that function. */
#define CASES                                                                                        \
	/* process */                                                                                \
	CASE(ovni_proc_init, begin(); ovni_proc_init(1, "a", 1))                                     \
	CASE(ovni_proc_init, begin(); kit_end(); ovni_proc_init(1, "a", 1))                          \
	CASE(ovni_proc_init, ovni_proc_init(1, "a", 0))                                              \
	CASE(ovni_proc_init, ovni_proc_init(1, NULL, 1))                                             \
	CASE(ovni_proc_init, ovni_proc_init(1, "", 1))                                               \
	CASE(ovni_proc_init, ovni_proc_init(1, "\xff", 1))                                           \
	CASE(ovni_proc_init, ovni_proc_init(1, name(512), 1))                                        \
	CASE(ovni_proc_fini, ovni_proc_fini())                                                       \
	CASE(ovni_proc_fini, begin(); kit_end(); ovni_proc_fini())                                   \
	CASE(ovni_proc_set_rank, ovni_proc_set_rank(0, 1))                                           \
	CASE(ovni_proc_set_rank, ovni_proc_init(1, "a", 1); ovni_proc_set_rank(0, 1))                \
	CASE(ovni_proc_set_rank, begin(); ovni_proc_fini(); ovni_proc_set_rank(0, 1))                \
	CASE(ovni_add_cpu, begin(); ovni_add_cpu(-1, 0))                                             \
	CASE(ovni_add_cpu, begin(); ovni_add_cpu(0, -1))                                             \
	CASE(ovni_add_cpu, ovni_add_cpu(0, 0))                                                       \
	CASE(ovni_add_cpu, ovni_proc_init(1, "a", 1); ovni_add_cpu(0, 0))                            \
	CASE(ovni_add_cpu, begin(); ovni_proc_fini(); ovni_add_cpu(0, 0))                            \
	/* thread */                                                                                 \
	CASE(ovni_thread_init, ovni_thread_init(1))                                                  \
	CASE(ovni_thread_init, ovni_proc_init(1, "a", 1); ovni_thread_init(0))                       \
	CASE(ovni_thread_init, ovni_proc_init(1, "a", 1); ovni_thread_init(-1))                      \
	CASE(ovni_thread_init, begin(); ovni_thread_free(); ovni_thread_init(2))                     \
	CASE(ovni_thread_init, begin(); kit_end(); ovni_thread_init(2))                              \
	CASE(ovni_thread_init, begin(); other_thread(same_tid))                                      \
	CASE(ovni_thread_free, ovni_thread_free())                                                   \
	CASE(ovni_thread_free, begin(); ovni_thread_free(); ovni_thread_free())                      \
	CASE(ovni_thread_require, ovni_thread_require("nosv", "1.0.0"))                              \
	CASE(ovni_thread_require, begin(); ovni_thread_free(); ovni_thread_require("nosv", "1.0.0")) \
	CASE(ovni_thread_require, begin(); ovni_thread_require(NULL, "1.0.0"))                       \
	CASE(ovni_thread_require, begin(); ovni_thread_require("no sv", "1.0.0"))                    \
	CASE(ovni_thread_require, begin(); ovni_thread_require("no.sv", "1.0.0"))                    \
	CASE(ovni_thread_require, begin(); ovni_thread_require("n", "1.0.0"))                        \
	CASE(ovni_thread_require, begin(); ovni_thread_require(name(115), "1.0.0"))                  \
	CASE(ovni_thread_require, begin(); ovni_thread_require("nosv", NULL))                        \
	CASE(ovni_thread_require, begin(); ovni_thread_require("nosv", "1.0"))                       \
	/* events */                                                                                 \
	CASE(ovni_payload_add, ovni_payload_add(&ev, ev.payload.u8, 1))                              \
	CASE(ovni_payload_add, ovni_payload_add(&ev, ev.payload.u8, 0))                              \
	CASE(ovni_payload_add, ovni_payload_add(&ev, ev.payload.u8, -1))                             \
	CASE(ovni_payload_add, ovni_payload_add(&ev, ev.payload.u8, 17))                             \
	CASE(ovni_payload_add, ovni_payload_add(&ev, ev.payload.u8, 15);                             \
		ovni_payload_add(&ev, ev.payload.u8, 2))                                             \
	CASE(ovni_payload_add, ev.header.flags = 0x10; ovni_payload_add(&ev, ev.payload.u8, 4))      \
	CASE(ovni_ev_emit, ovni_ev_emit(&ev))                                                        \
	CASE(ovni_ev_emit, begin(); ovni_thread_free(); ovni_ev_emit(&ev))                           \
	CASE(ovni_ev_emit, begin(); ev.header.flags = 0x13; ovni_ev_emit(&ev))                       \
	CASE(ovni_ev_jumbo_emit, ovni_ev_jumbo_emit(&ev, ev.payload.u8, 4))                          \
	CASE(ovni_ev_jumbo_emit, begin(); ovni_payload_add(&ev, ev.payload.u8, 4);                   \
		ovni_ev_jumbo_emit(&ev, ev.payload.u8, 4))                                           \
	CASE(ovni_ev_jumbo_emit, begin(); ovni_ev_jumbo_emit(&ev, ev.payload.u8, 4);                 \
		ovni_ev_jumbo_emit(&ev, ev.payload.u8, 4))                                           \
	CASE(ovni_ev_jumbo_emit, begin(); ovni_ev_jumbo_emit(&ev, ev.payload.u8, 2097136))           \
	CASE(ovni_ev_jumbo_emit, begin(); ovni_ev_jumbo_emit(&ev, ev.payload.u8, UINT32_MAX))        \
	CASE(ovni_flush, ovni_flush())                                                               \
	CASE(ovni_flush, ovni_proc_init(1, "a", 1); ovni_flush())                                    \
	CASE(ovni_flush, begin(); ovni_thread_free(); ovni_flush())                                  \
	CASE(ovni_flush, begin(); ovni_proc_fini(); ovni_flush())                                    \
	/* attributes */                                                                             \
	CASE(ovni_attr_has, ovni_attr_has("a"))                                                      \
	CASE(ovni_attr_has, begin(); ovni_attr_has(NULL))                                            \
	CASE(ovni_attr_flush, ovni_attr_flush())                                                     \
	CASE(ovni_attr_set_double, ovni_attr_set_double("a", 1))                                     \
	CASE(ovni_attr_set_double, begin(); ovni_thread_free(); ovni_attr_set_double("a", 1))        \
	CASE(ovni_attr_set_double, begin(); ovni_attr_set_double(NULL, 1))                           \
	CASE(ovni_attr_set_double, begin(); ovni_attr_set_double("a", (double)NAN))                  \
	CASE(ovni_attr_set_double, begin(); ovni_attr_set_double("a", (double)INFINITY))             \
	CASE(ovni_attr_set_double, begin(); ovni_attr_set_double("\xc0\x80", 1))                     \
	CASE(ovni_attr_set_double, begin(); ovni_attr_set_double("version.a", 1))                    \
	CASE(ovni_attr_set_boolean, begin(); ovni_attr_set_boolean("version.a.b", 1))                \
	CASE(ovni_attr_set_boolean, begin(); ovni_attr_set_boolean(NULL, 1))                         \
	CASE(ovni_attr_set_str, begin(); ovni_attr_set_str("a", NULL))                               \
	CASE(ovni_attr_set_str, begin(); ovni_attr_set_str(NULL, "a"))                               \
	CASE(ovni_attr_set_str, begin(); ovni_attr_set_str("a", "\x80"))                             \
	CASE(ovni_attr_set_str, begin(); ovni_attr_set_str("a", "\xc1\xbf"))                         \
	CASE(ovni_attr_set_str, begin(); ovni_attr_set_str("a", "\xe0\x9f\xbf"))                     \
	CASE(ovni_attr_set_str, begin(); ovni_attr_set_str("a", "\xed\xa0\x80"))                     \
	CASE(ovni_attr_set_str, begin(); ovni_attr_set_str("a", "\xf4\x90\x80\x80"))                 \
	CASE(ovni_attr_set_str, begin(); ovni_attr_set_str("a", "\xe2\x82"))                         \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json("a", NULL))                             \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json(NULL, "1"))                             \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json("a", ""))                               \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json("a", "{\"b\":}"))                       \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json("a", "[1,]"))                           \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json("a", "/* b */ 1"))                      \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json("a", "[012]"))                          \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json("a", "-00.5"))                          \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json("a", "1e999"))                          \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json("a", "{\"b\":1,\"c\":2,\"b\":3}"))      \
	CASE(ovni_attr_set_json, begin(); ovni_attr_set_json("a", "[\"\xff\"]"))                     \
	CASE(ovni_attr_get_double, begin(); (void)ovni_attr_get_double("nothing"))                   \
	CASE(ovni_attr_get_double, begin(); (void)ovni_attr_get_double("ovni.loom"))                 \
	CASE(ovni_attr_get_double, begin(); (void)ovni_attr_get_double(NULL))                        \
	CASE(ovni_attr_get_boolean, begin(); (void)ovni_attr_get_boolean("version"))                 \
	CASE(ovni_attr_get_boolean, begin(); (void)ovni_attr_get_boolean("Version"))                 \
	CASE(ovni_attr_get_str, begin(); (void)ovni_attr_get_str("version"))                         \
	CASE(ovni_attr_get_str, begin(); (void)ovni_attr_get_str("ovni.loom.x"))                     \
	CASE(ovni_attr_get_json, begin(); (void)ovni_attr_get_json("nothing"))                       \
	/* marks */                                                                                  \
	CASE(ovni_mark_type, ovni_mark_type(1, 0, "a"))                                              \
	CASE(ovni_mark_type, begin(); ovni_mark_type(-1, 0, "a"))                                    \
	CASE(ovni_mark_type, begin(); ovni_mark_type(100, 0, "a"))                                   \
	CASE(ovni_mark_type, begin(); ovni_mark_type(1, 0, NULL))                                    \
	CASE(ovni_mark_type, begin(); ovni_mark_type(1, 0, ""))                                      \
	CASE(ovni_mark_type, begin(); ovni_mark_type(1, 0, name(512)))                               \
	CASE(ovni_mark_type, begin(); ovni_mark_type(1, 0, "a"); ovni_mark_type(1, 0, "a"))          \
	CASE(ovni_mark_type, begin(); ovni_thread_free(); ovni_mark_type(1, 0, "a"))                 \
	CASE(ovni_mark_label, begin(); ovni_mark_label(1, 1, "a"))                                   \
	CASE(ovni_mark_label, begin(); ovni_mark_type(1, 0, "a"); ovni_mark_label(100, 1, "a"))      \
	CASE(ovni_mark_label, begin(); ovni_mark_type(1, 0, "a"); ovni_mark_label(1, 0, "a"))        \
	CASE(ovni_mark_label, begin(); ovni_mark_type(1, 0, "a"); ovni_mark_label(1, -1, "a"))       \
	CASE(ovni_mark_label, begin(); ovni_mark_type(1, 0, "a"); ovni_mark_label(1, 1, NULL))       \
	CASE(ovni_mark_label, begin(); ovni_mark_type(1, 0, "a"); ovni_mark_label(1, 1, ""))         \
	CASE(ovni_mark_label, begin(); ovni_mark_type(1, 0, "a"); ovni_mark_label(1, 1, name(512)))  \
	CASE(ovni_mark_label, begin(); ovni_mark_type(1, 0, "a"); ovni_mark_label(1, 1, "a");        \
		ovni_mark_label(1, 1, "a"))                                                          \
	CASE(ovni_mark_push, begin(); ovni_mark_push(1, 0))                                          \
	CASE(ovni_mark_pop, begin(); ovni_mark_pop(1, 0))                                            \
	CASE(ovni_mark_set, begin(); ovni_mark_set(1, 0))                                            \
	CASE(ovni_mark_push, ovni_mark_push(1, 1))                                                   \
	CASE(ovni_mark_pop, ovni_mark_pop(1, 1))                                                     \
	CASE(ovni_mark_set, begin(); ovni_thread_free(); ovni_mark_set(1, 1))

static void
begin(void)
{
	kit_begin(1);
}

static const char *
name(size_t len)
{
	memset(long_name, 'x', len);
	return long_name;
}

static void *
same_tid(void *arg)
{
	ovni_thread_init(1);
	return arg;
}

static void
other_thread(void *(*fn)(void *))
{
	pthread_t t;
	CHECK(pthread_create(&t, NULL, fn, NULL) == 0);
	CHECK(pthread_join(t, NULL) == 0);
}

static int wanted; /* line of the case to run */

/* Cases are told apart by their number, as a macro has one line for all of them. */
static void
run(void)
{
	int at = 0;
#define CASE(func, ...)       \
	if (at++ == wanted) { \
		__VA_ARGS__;  \
		return;       \
	}
	CASES
#undef CASE
}

static const char *const names[] = {
#define CASE(func, ...) #func ": " #__VA_ARGS__,
	CASES
#undef CASE
};

static const char *const funcs[] = {
#define CASE(func, ...) #func,
	CASES
#undef CASE
};

/* The limits themselves are fine, and so is what looks like misuse. */
static void
at_the_limits(void)
{
	begin();
	ovni_thread_require(name(114), "1.0.0");
	ovni_mark_type(0, 0, name(511));
	ovni_mark_type(99, -2, "all other bits are ignored");
	CHECK(strcmp(ovni_attr_get_str("ovni.mark.99.chan_type"), "single") == 0);
	ovni_mark_label(99, INT64_MAX, "the last");
	ovni_mark_set(7, -1); /* an unknown type is the business of the reader */
	ovni_proc_fini();
	kit_emit("OHe", 1); /* a thread may outlive the process */
	CHECK(ovni_thread_isready() == 1);
	ovni_thread_free();
	CHECK(ovni_thread_isready() == 0);
}

static void
twice(void)
{
	CHECK(ovni_thread_isready() == 0);
	begin();
	ovni_thread_init(2);
	ovni_thread_init(0);
	CHECK(ovni_attr_get_double("ovni.tid") == 1);
	kit_end();
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		wanted = (int)i;
		kit_dies(names[i], run, funcs[i]);
	}
	RUNS(at_the_limits);
	RUNS_SAYING(twice, "WARN: ");
	return 0;
}
