/* SPDX-License-Identifier: MIT */
/* ovniemu on traces of Laplace. The first byte of the input chooses: bits 0-1: what the
 * bytes behind are, 0 and 3 the manifest (with good files), 1 an interleave, 2 binary
 * references (with a good kernel trace); bit 4 lenient; bit 5 no single references; bit 6: the
 * interleave is that of two CPUs, which have a half each. */
#include "fuzz.h"

#include "emu.h"
#include "input/inputs.h"
#include "input/laplace/stream.h"

#include <stdlib.h>
#include <string.h>

static const char kernel[] = "A 1 7 a1\nm 1 7 8048000 3000\nS 2 7\nF 3 8 7\nA 3 8 a2\nD 4 a1 a2 8048000 804b000\nS 90 8\nC 91 8 8048000\n";
static const char refs[] = "r 5 4 a1 8048000\nw 6 4 a1 8048ffe\nr 100 4 a2 c0000000\n";
static const char manifest[] = "{ \"version\": 1, \"format\": \"laplace\", \"cpus\": [ { \"references\": \"x.lrb\", \"kernel\": \"k.lkt\" } ] }";
static const char mixed[] = "{ \"version\": 1, \"format\": \"laplace\", \"cpus\": [ { \"references\": \"x.lmt\" } ] }";
static const char halves[] = "{ \"version\": 1, \"format\": \"laplace\", \"cpus\": [ { \"references\": \"x.lmt\" }, { \"references\": \"y.lmt\" } ] }";

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	uint8_t how = *data++;
	size--;
	bool interleave = (how & 3) == 1;
	bool binary = (how & 3) == 2;
	const char *good = !interleave ? manifest : (how & 64) ? halves
							       : mixed;
	size_t half = how & 64 ? size / 2 : size;
	fuzz_file("lap/k.lkt", kernel, strlen(kernel));
	fuzz_file("lap/x.lmt", interleave ? (const char *)data : refs, interleave ? half : strlen(refs));
	fuzz_file("lap/y.lmt", data + half, size - half);
	if (binary)
		fuzz_file("lap/x.lrb", data, size);
	if (interleave || binary)
		fuzz_file("lap/laplace.json", good, strlen(good));
	else
		fuzz_file("lap/laplace.json", data, size);

	struct laplace_options laplace = {
		.lenient = how & 16,
		.refs = how & 32 ? LAPLACE_REFS_NONE : LAPLACE_REFS_ALL,
		.window = 16,
	};
	const struct emu_options o = { .inputs = (struct trace_input[]){ { &laplace_format, &laplace }, { NULL, NULL } }, .models = fuzz_models(), .threads = 2 };
	struct emu emu;
	unsigned before = fuzz_diag.errors;
	fuzz_quiet();
	int rc = emu_open(&emu, &fuzz_diag, kit_path("lap"), &o);
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
