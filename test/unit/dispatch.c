/* SPDX-License-Identifier: MIT */
/* Operations, made from the tables of models. */
#include "dispatch.h"

#include "emu.h"
#include "kit.h"

#include <string.h>

static void
hook(struct emu *emu, const struct event *ev)
{
	(void)emu;
	(void)ev;
}

static const struct chan_decl good_chans[] = {
	{ .name = "a", .title = "A", .prv_type = 900 },
	{ .name = "b", .title = "B", .prv_type = 901, .kind = CHAN_STACK },
};

/* ---- Tables. ---- */

static const struct state_decl states[] = {
	{ 0, 5, "XAa", "XAb", "Five", "t" },
	{ 1, 6, "XBa", "XBb", "Six", "t" },
	{ 1, 7, "XBc", NULL, "Seven", "t" },
};

static const struct event_decl events[] = {
	{ "XC.", "t", .hook = hook, .any_value = true },
	{ "XCx", "t", .op = OP_IGNORE },
	{ "XD[(i32 a, i64 b)", "t", .hook = hook, .payload = PAYLOAD_EXACT },
	{ "XD](i32 a, i64 b)", "t", .hook = hook, .payload = PAYLOAD_FIRST },
	{ "XDa(i32 a)", "t", .op = OP_SET, .chan = 1, .value = 9, .payload = PAYLOAD_ANY },
	{ "XDb(i32 a)", "t", .hook = hook },
	{ "XJs+(u8 a, str s)", "t", .hook = hook },
	{ "X\xff\xff", "t", .op = OP_IGNORE },
};

static void
tables(void)
{
	static const struct model on = { .id = 'X', .name = "x", .need = NEED_ACTIVE, CHANS(good_chans), STATES(states), EVENTS(events) };
	static const struct event_decl off_events[] = { { "YAa", "t", .op = OP_IGNORE } };
	static const struct model off = { .id = 'Y', .name = "y", EVENTS(off_events) };
	struct model_run runs[] = {
		{ .model = &on, .enabled = true, .first_col = 40 },
		{ .model = &off },
	};
	struct arena a = { 0 };
	struct diag diag = { .program = "test" };
	struct dispatch d;
	CHECK(dispatch_init(&d, &a, &diag, runs, 2) == 0);
#define FIND(mcv) dispatch_find(&d, (const uint8_t *)(mcv))
/* Bit 0: a plain event with a payload of n bytes fits the operation; bit 1: a jumbo one does. */
#define FITS(n) (op_fits(op, false, (n)) + 2 * op_fits(op, true, (n)))
	const struct op *op = FIND("XAa");
	CHECK(op->kind == OP_SET && op->col == 40 && op->value == 5 && op->model == 0 && op->need == (NEED_ACTIVE | NEED_THREAD));
	CHECK(FIND("XAb")->kind == OP_CLEAR && FIND("XAb")->col == 40);
	CHECK(FIND("XBa")->kind == OP_PUSH && FIND("XBa")->col == 41 && FIND("XBa")->value == 6);
	CHECK(FIND("XBb")->kind == OP_POP && FIND("XBc")->kind == OP_PUSH);
	CHECK(!FIND("XAc") && !FIND("XZa") && !FIND("YAa") && !FIND("ZAa"));
	op = dispatch_get(&d, (const uint8_t *)"YAa");
	CHECK(FITS(0) == 0 && FITS(8) == 0 && op->need == NEED_NEVER);
	for (int v = 0; v < 256; v++) {
		uint8_t mcv[] = { 'X', 'C', (uint8_t)v };
		op = dispatch_find(&d, mcv);
		CHECK(op->kind == (v == 'x' ? OP_IGNORE : OP_HOOK));
	}
	op = FIND("XD[");
	CHECK(FITS(11) == 0 && FITS(12) == 1 && FITS(13) == 0 && op->hook == hook);
	op = FIND("XD]");
	CHECK(FITS(3) == 0 && FITS(4) == 1 && FITS(UINT32_MAX - 1) == 1);
	op = FIND("XDa");
	CHECK(FITS(0) == 3 && FITS(UINT32_MAX - 1) == 3 && op->kind == OP_SET && op->col == 41 && op->value == 9);
	op = FIND("XDb");
	CHECK(FITS(3) == 0 && FITS(4) == 1 && FITS(UINT32_MAX - 1) == 1);
	op = FIND("XJs");
	CHECK(FITS(5) == 0 && FITS(6) == 2);
	CHECK(FIND("X\xff\xff")->kind == OP_IGNORE);
#undef FIND
#undef FITS
	arena_finish(&a);
}

/* More categories than there are pages, and a signature that is wrong. */
static void
limits(void)
{
	static char sigs[2][256][4];
	static struct event_decl many[2][256];
	static struct model models[2];
	struct model_run runs[2] = { 0 };
	for (int m = 0; m < 2; m++) {
		for (int i = 0; i < 256; i++) {
			sigs[m][i][0] = (char)('A' + m);
			sigs[m][i][1] = (char)(i ? i : 'a');
			sigs[m][i][2] = 'x';
			many[m][i] = (struct event_decl){ sigs[m][i], "t", .op = OP_IGNORE };
		}
		models[m] = (struct model){ .id = (char)('A' + m), .name = "m", EVENTS(many[m]) };
		runs[m] = (struct model_run){ .model = &models[m], .enabled = true };
	}
	struct arena a = { 0 };
	struct diag diag = { .program = "test" };
	struct dispatch d;
	kit_capture();
	CHECK(dispatch_init(&d, &a, &diag, runs, 1) == 0); /* 255 of them */
	CHECK(dispatch_init(&d, &a, &diag, runs, 2) == -ERR_MEMORY);
	CHECK(strstr(kit_captured(), "categories"));

	static const struct event_decl wrong[] = { { "XAa(u9 x)", "t", .op = OP_IGNORE } };
	static const struct model bad = { .id = 'X', .name = "bad", EVENTS(wrong) };
	struct model_run run = { .model = &bad, .enabled = true };
	kit_capture();
	CHECK(dispatch_init(&d, &a, &diag, &run, 1) < 0);
	CHECK(strstr(kit_captured(), "model bad declares"));
	arena_finish(&a);
}

int
main(void)
{
	tables();
	limits();
	return 0;
}
