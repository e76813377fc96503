/* SPDX-License-Identifier: MIT */
/* ovniemu on Prism streams. The first byte of the input chooses: bits 0-1: what the bytes
 * behind are, 0 the description (with good files), 1 a stream, 2 two streams, a half each,
 * 3 timestamps; bit 2 lenient; bits 3-4 the kind of intervals; bit 5: a stream comes on the
 * standard input, to few rows; bit 6: control flow, words of 4 bytes and the packed layout;
 * bit 7: functions are left out. */
#include "fuzz.h"

#include "emu.h"
#include "input/inputs.h"
#include "input/prism/stream.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	DESCRIPTION,
	ONE,
	TWO,
	STAMPS,
};

/* Threads, a function, a lock. */
static const uint8_t events[] = { 0xa0, 0xc0, 0x45, 1, 0, 0, 0, 0, 0, 0, 0, 0x63, 0, 'f', 0x0a, 0x46, 9, 0, 0, 0, 0, 0, 0, 0,
	0x65, 2, 0, 0, 0, 0, 0, 0, 0x61, 1, 2, 3, 4, 5, 6, 7, 0x47, 9, 0, 0, 0, 0, 0, 0, 0, 0xc0 };
static const char stamped[] = "{ \"version\": 1, \"format\": \"prism\", \"events\": \"a.prism\", \"timestamps\": \"a.ts\", \"clock\": { \"mode\": \"timestamps\" } }";

static void
write_files(int what, const uint8_t *data, size_t size)
{
	size_t half = what == TWO ? size / 2 : size;
	bool stream = what == ONE || what == TWO;
	fuzz_file("prism/a.prism", stream ? data : events, stream ? half : sizeof(events));
	fuzz_file("prism/a.ts", data, size);
	if (what == TWO)
		fuzz_file("prism/b.prism", data + half, size - half);
	else
		fuzz_drop("prism/b.prism");
	if (what == DESCRIPTION)
		fuzz_file("prism/a.json", data, size);
	else if (what == STAMPS)
		fuzz_file("prism/a.json", stamped, strlen(stamped));
	else
		fuzz_drop("prism/a.json");
}

/* The first stream comes as from a pipe. */
static void
take_stdin(struct prism_options *o)
{
	int fd = open(kit_path("prism/a.prism"), O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup2(fd, STDIN_FILENO) != STDIN_FILENO)
		abort();
	(void)close(fd);
	o->file[o->nfiles++] = "-";
	o->threads = 3;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	uint8_t how = *data++;
	int what = how & 3;
	write_files(what, data, size - 1);
	struct prism_options prism = { .lenient = how & 4, .interval = (enum prism_interval)(how >> 3 & 3), .length = 4, .insn = true };
	bool live = how & 32 && (what == ONE || what == TWO);
	if (live)
		take_stdin(&prism);
	if (live && what == TWO)
		prism.file[prism.nfiles++] = kit_path("prism/b.prism");
	if (how & 64) {
		prism.keys.set[prism.keys.nset++] = (struct prism_setting){ "control_flow", "true" };
		prism.keys.set[prism.keys.nset++] = (struct prism_setting){ "word_size", "4" };
		prism.keys.set[prism.keys.nset++] = (struct prism_setting){ "compute_layout", "packed" };
	}
	if (how & 128) {
		prism.min_ns = 3;
		prism.depth = 4;
		prism.except[prism.nexcept++] = "[a-f]";
	}
	const struct emu_options o = { .inputs = (struct trace_input[]){ { &prism_format, &prism }, { NULL, NULL } }, .models = fuzz_models(), .threads = 2 };
	struct emu emu;
	unsigned before = fuzz_diag.errors;
	fuzz_quiet();
	int rc = emu_open(&emu, &fuzz_diag, live ? NULL : kit_path("prism"), &o);
	if (rc == 0)
		rc = emu_connect(&emu, NULL, 0);
	if (rc == 0)
		rc = emu_run(&emu);
	rc = emu_close(&emu, rc);
	fuzz_loud();
	/* A failure has a name and was told. */
	if (rc > 0 || rc <= -ERR_COUNT || (rc < 0 && fuzz_diag.errors == before))
		abort();
	return 0;
}
