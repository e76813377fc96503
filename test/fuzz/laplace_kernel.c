/* SPDX-License-Identifier: MIT */
/* Kernel events, alone and between references, and the machine that follows them. The first
 * byte chooses: dialect (2 bits), lenient, interleaved, unit of offsets, base of the kernel. */
#include "fuzz.h"
#include "laplace/kernel.h"
#include "lapkit.h"
#include "laplace/machine.h"

#include <string.h>

/* Written and read again it is the same. */
static void
check_event(const struct lap_event *ev, enum lap_dialect dialect)
{
	char line[LAPKERNEL_ROOM];
	struct lap_event back;
	if (ev->code < 1 || ev->code > LAP_TAGS || lap_tags[ev->code - 1].tag != ev->tag)
		abort();
	int n = lapkernel_format(line, dialect, ev);
	if (n == -LAP_LK02)
		return;
	if (n <= 0 || line[n - 1] != '\n' || lapkernel_parse(line, (size_t)n - 1, dialect, &back) != 0)
		abort();
	if (back.tag != ev->tag || back.ts != ev->ts || back.refs != ev->refs || memcmp(back.arg, ev->arg, sizeof(ev->arg)) != 0)
		abort();
	if (back.name_len != ev->name_len || (ev->name_len && memcmp(back.name, ev->name, ev->name_len) != 0))
		abort();
}

static void
check_step(const struct lapmachine *m, const struct lap_record *rec, const struct lap_step *s, uint64_t before)
{
	unsigned length = 0;
	for (int i = 0; i < s->ntouches; i++) {
		const struct lap_touch *t = &s->touch[i];
		length += t->length;
		if (t->page == 0 || t->page > m->pages.npages || (t->class != 0) != (t->page > before))
			abort();
		before += t->class != 0;
	}
	if (rec->type == LAP_REF && (s->ntouches < 1 || length != rec->length || !s->space))
		abort();
	if (s->task && s->task->pid == 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct lapkit_bytes b = { .p = data + 1, .n = size - 1, .step = data[0] & 64 ? 3 : 0 };
	struct lapkit_log l;
	struct lapread r;
	struct lapmachine m;
	struct lap_record rec;
	bool lenient = data[0] & 4;
	lapkit_log_init(&l, lenient);
	struct lapread_options options = {
		.file = "input",
		.dialect = (enum lap_dialect)(data[0] & 3),
		.format = data[0] & 8 ? LAP_MIXED : LAP_KERNEL,
	};
	struct lapmachine_options machine = {
		.kernel_base = data[0] & 32 ? 0x8000 : 0xc0000000,
		.offset_in_pages = data[0] & 16,
	};
	int rc = lapread_open(&r, &l.log, &(struct lap_input){ .read = lapkit_read, .self = &b }, &options);
	if (lapmachine_init(&m, &l.log, &machine) < 0)
		abort();
	while (rc >= 0 && (rc = lapread_next(&r, &rec)) > 0) {
		struct lap_place at = r.at;
		struct lap_step step;
		uint64_t before = m.pages.npages;
		if (rec.type == LAP_EVENT)
			check_event(rec.event, options.dialect);
		rc = lapmachine_step(&m, &rec, &at, &step);
		if (rc > 0)
			check_step(&m, &rec, &step, before);
	}
	if (rc < 0 && (l.n == 0 || lenient))
		abort();
	/* Each space knows how much it maps. */
	for (size_t i = 0; i < m.pages.nspaces; i++)
		if (m.pages.spaces[i]->mapped != laprange_total(m.pages.spaces[i]->maps))
			abort();
	lapmachine_finish(&m);
	lapread_close(&r);
	return 0;
}
