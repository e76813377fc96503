/* SPDX-License-Identifier: MIT */
/* The text of a trace, as ovniscope-model reads it: lines, the metadata that they make, and events, each of which is
 * printed and read again. */
#include "fuzz.h"

#include "model/text.h"
#include "ovni/jsonvalue.h"
#include "wire.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum {
	EVENT_MOST = 16000, /* bytes of one that is printed: its text fits in the buffer */
};

static struct mtool tool;
static struct wbuf out;

static void
print_meta(struct text *x, struct json *meta)
{
	size_t n;
	free(meta ? text_print_meta(x, meta, &n) : NULL);
	rt_json_free(meta);
}

/* Prints the event and reads its text, behind the stream: it must become the same bytes. */
static void
read_again(struct text *x, struct words *w, struct text_thread *t, size_t at, size_t size)
{
	uint8_t event[EVENT_MOST];
	size_t end = t->size;
	memcpy(event, t->data + at, size);
	out.used = 0;
	text_put_event(&out, &tool.catalog, event, size);
	CHECK(out.used < WBUF_SIZE && !wbuf_failed(&out));
	out.data[out.used] = 0;
	if (strncmp(out.data, "raw ", 4) == 0) {
		CHECK(words_split(x, w, out.data + 4) == 0 && text_add_hex(x, t, w, 0, w->n) == 0);
	} else {
		char mcv[4];
		char *behind = strchr(out.data, ' ');
		bool negative;
		uint64_t clock;
		CHECK(behind);
		*behind = 0;
		CHECK(text_number(out.data, &negative, &clock));
		memcpy(mcv, behind + 1, 3);
		mcv[3] = 0;
		CHECK(words_split(x, w, behind + 4) == 0 && text_add_event(x, t, mcv, negative ? -clock : clock, w, 0) == 0);
	}
	CHECK(t->size == end + size && memcmp(t->data + end, event, size) == 0);
	t->size = end;
}

static void
read_events(struct text *x, struct text_thread *t)
{
	struct words w = { 0 };
	for (size_t at = WIRE_STREAM_HEADER; at < t->size;) {
		uint64_t size = wire_event_size(t->data + at, t->size - at);
		if (size == 0 || size > t->size - at || size > EVENT_MOST)
			break;
		read_again(x, &w, t, at, (size_t)size);
		at += (size_t)size;
	}
	words_free(&w);
}

static void
prepare(void)
{
	static struct arena lasting;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0 && wbuf_attach(&out, fd, "/dev/null") == 0);
	tool.conv.diag = fuzz_diag;
	CHECK(catalog_init(&tool.catalog, &lasting, &fuzz_diag, fuzz_models()) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text x = { .tool = &tool, .file = "text", .version = 3 };
	if (!out.data)
		prepare();
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	if (!f)
		return 0;
	fuzz_quiet();
	int rc = text_read(&x, f);
	if (rc == 0) {
		text_give_cpus(&x);
		for (struct text_proc *p = x.procs; p; p = p->next)
			print_meta(&x, text_proc_meta(&x, p));
		for (struct text_thread *t = x.threads; t; t = t->next) {
			print_meta(&x, text_thread_meta(&x, t));
			read_events(&x, t);
		}
	}
	fuzz_loud();
	(void)fclose(f);
	text_free(&x);
	arena_finish(&tool.arena);
	tool.arena = (struct arena){ 0 };
	return 0;
}
