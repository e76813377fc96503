/* SPDX-License-Identifier: MIT */
#include "input/inputs.h"
#include "fuzz.h"

#include "emu.h"
#include "registry.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* What is printed is built, and its bytes are cleaned, but nobody wants to see it. */
struct diag fuzz_diag = { .program = "fuzz", .level = DIAG_VERBOSE };

/* To see what a crash says: FUZZ_LOUD=1. */
void
fuzz_quiet(void)
{
	if (!getenv("FUZZ_LOUD"))
		kit_quiet();
}

void
fuzz_loud(void)
{
	if (!getenv("FUZZ_LOUD"))
		kit_loud();
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	(void)kit_dir();
	return 0;
}

static int
null_open(void *self, const struct emu *emu, const char *dir)
{
	(void)self;
	(void)emu;
	(void)dir;
	return 0;
}

struct null {
	int64_t last;
	uint64_t n;
};

/* Times do not go back, whatever the trace. */
static int
null_write(void *self, const struct batch *b)
{
	struct null *s = self;
	for (size_t i = 0; i < b->n; i++) {
		if (b->r[i].time < s->last)
			abort();
		s->last = b->r[i].time;
	}
	s->n += b->n;
	return 0;
}

static int
null_close(void *self, int64_t duration)
{
	const struct null *s = self;
	if (s->n && duration < s->last)
		abort();
	return 0;
}

static const struct sink_ops null_sink = {
	.size = sizeof(struct null),
	.open = null_open,
	.write = null_write,
	.close = null_close,
};

const struct model_set *
fuzz_models(void)
{
	static struct model_set set;
	if (!set.n && registry_add(&set, &fuzz_diag) < 0)
		abort();
	return &set;
}

void
fuzz_emulate(const char *dir, bool compat, bool strict)
{
	fuzz_emulate_with(fuzz_models(), dir, compat, strict);
}

void
fuzz_emulate_with(const struct model_set *models, const char *dir, bool compat, bool strict)
{
	static const struct sink_ops *const sinks[] = { &null_sink };
	struct emu emu;
	unsigned before = fuzz_diag.errors;
	fuzz_quiet();
	int rc = emu_open(&emu, &fuzz_diag, dir, &(struct emu_options){ .compat = compat, .lint = strict, .inputs = inputs, .models = models });
	if (rc == 0)
		rc = emu_connect(&emu, sinks, 1);
	if (rc == 0)
		rc = emu_run(&emu);
	rc = emu_close(&emu, rc);
	fuzz_loud();
	/* A failure has a name and was told. */
	if (rc > 0 || rc <= -ERR_COUNT || (rc < 0 && fuzz_diag.errors == before))
		abort();
}

void
fuzz_file(const char *relpath, const void *bytes, size_t n)
{
	kit_write(kit_path("%s", relpath), bytes, n);
}

void
fuzz_drop(const char *relpath)
{
	(void)unlink(kit_path("%s", relpath));
}
