/* SPDX-License-Identifier: MIT */
/* The tables of all models, and what is told of wrong ones. */
#include "dispatch.h"

#include "clash.h"
#include "emu.h"
#include "kit.h"

#include <string.h>

/* ---- The models that exist. ---- */

static void
check_labels(const struct model *m, size_t chan)
{
	const struct chan_decl *c = &m->chans[chan];
	for (size_t i = 0; i < c->nlabels; i++) {
		CHECK(c->labels[i].text && *c->labels[i].text);
		for (size_t k = 0; k < i; k++)
			CHECK(c->labels[k].value != c->labels[i].value && strcmp(c->labels[k].text, c->labels[i].text) != 0);
		for (size_t k = 0; k < m->nstates; k++)
			CHECK((size_t)m->states[k].chan != chan || m->states[k].value != c->labels[i].value);
	}
}

static void
check_model(const struct model *m)
{
	CHECK(m->name && *m->name && m->version);
	for (size_t i = 0; i < m->nchans; i++) {
		CHECK(m->chans[i].prv_type > 0);
		check_labels(m, i);
		for (size_t k = 0; k < i; k++) {
			CHECK(strcmp(m->chans[k].name, m->chans[i].name) != 0);
			CHECK(strcmp(m->chans[k].title, m->chans[i].title) != 0);
		}
	}
	for (size_t i = 0; i < m->nstates; i++) {
		CHECK(m->states[i].label && *m->states[i].label);
		CHECK(m->states[i].value != ST_BAD && m->states[i].value != ST_TOO_MANY_TH);
	}
	for (size_t i = 0; i < m->nevents; i++)
		CHECK(m->events[i].text && *m->events[i].text);
}

static void
all_models(void)
{
	int types[1000];
	size_t ntypes = 0;
	for (int rows = 0; rows < ROW_CLASSES; rows++)
		for (int i = 0; i < NBASE; i++)
			if (*base_chans[rows][i].name && (rows == 0 || base_chans[rows][i].prv_type != 2))
				types[ntypes++] = base_chans[rows][i].prv_type;
	CHECK(model_list[0]);
	for (int i = 0; model_list[i]; i++) {
		const struct model *m = model_list[i];
		check_model(m);
		CHECK(i == 0 || (uint8_t)model_list[i - 1]->id < (uint8_t)m->id);
		for (int k = 0; k < i; k++)
			CHECK(strcmp(model_list[k]->name, m->name) != 0);
		for (size_t k = 0; k < m->nchans; k++) {
			CHECK(ntypes < sizeof(types) / sizeof(types[0]));
			/* 100 to 199 are those of marks. */
			CHECK(m->chans[k].prv_type < 100 || m->chans[k].prv_type > 199);
			types[ntypes++] = m->chans[k].prv_type;
		}
	}
	for (size_t i = 0; i < ntypes; i++)
		for (size_t k = 0; k < i; k++)
			CHECK(types[i] != types[k]);
}

/* ---- Wrong ones. ---- */

static int
hook(struct emu *emu, const struct event *ev)
{
	(void)emu;
	(void)ev;
	return 0;
}

static const struct chan_decl good_chans[] = {
	{ .name = "a", .title = "A", .prv_type = 900 },
	{ .name = "b", .title = "B", .prv_type = 901, .kind = CHAN_STACK },
};

/* The first fault is this one. */
static void
expect(const struct model *m, const char *what)
{
	const struct model *const list[] = { m, NULL };
	char text[256] = "";
	CHECK(clash_find(list, text, sizeof(text)));
	if (!strstr(text, what))
		(void)fprintf(stderr, "wanted \"%s\", got \"%s\"\n", what, text);
	CHECK(strstr(text, what));
}

static void
expect_event(struct event_decl e, const char *what)
{
	struct model m = { .id = 'X', .name = "x", .version = "1.0.0", CHANS(good_chans), .events = &e, .nevents = 1 };
	expect(&m, what);
}

static void
expect_states(const struct state_decl *s, size_t n, const char *what)
{
	struct model m = { .id = 'X', .name = "x", .version = "1.0.0", CHANS(good_chans), .states = s, .nstates = n };
	expect(&m, what);
}

static void
expect_clash(const struct model *a, const struct model *b, const char *want)
{
	const struct model *const list[] = { a, b, NULL };
	char text[256] = "";
	CHECK(clash_find(list, text, sizeof(text)) == (want != NULL));
	if (want && strcmp(text, want) != 0)
		(void)fprintf(stderr, "wanted \"%s\", got \"%s\"\n", want, text);
	CHECK(strcmp(text, want ? want : "") == 0);
}

static void
clashes(void)
{
	static const struct chan_decl other[] = { { .name = "c", .title = "C", .prv_type = 902 } };
	static const struct chan_decl same[] = { { .name = "d", .title = "D", .prv_type = 901 } };
	static const struct chan_decl twice[] = { { .name = "e", .title = "E", .prv_type = 7 }, { .name = "f", .title = "F", .prv_type = 7 } };
	static const struct chan_decl mark[] = { { .name = "g", .title = "G", .prv_type = 150 } };
	static const struct breakdown_decl split = { .prv_type = 900 };
	const struct model x = { .id = 'X', .name = "x", CHANS(good_chans) };
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "y", CHANS(other) }, NULL);
	expect_clash(&x, &(struct model){ .id = 'X', .name = "y", CHANS(other) }, "the models x and y have the same letter 'X'");
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "x", CHANS(other) }, "two models have the name x (letters 'X' and 'Y')");
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "y", CHANS(same) }, "the models x and y have the same PRV type 901 (channel d)");
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "y", CHANS(other), .breakdown = &split }, "the models x and y have the same PRV type 900 (breakdown)");
	expect_clash(&(struct model){ .id = 'Y', .name = "y", CHANS(other), .breakdown = &split }, &x, "the models y and x have the same PRV type 900 (channel a)");
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "y", CHANS(twice) }, "two channels of the model y have the PRV type 7: e and f");
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "y", CHANS(mark) },
		"the model y uses the PRV type 150 (channel g), which is reserved: 1 to 6 show threads and CPUs, 100 to 199 marks");
	/* What doc/howto-model.md promises to models of others. */
	CHECK(!clash_find(model_list, (char[256]){ 0 }, 256));
	for (int i = 0; model_list[i]; i++) {
		CHECK(model_list[i]->id < 'a' || model_list[i]->id > 'z');
		for (size_t k = 0; k < model_list[i]->nchans; k++)
			CHECK(model_list[i]->chans[k].prv_type < 500 || model_list[i]->chans[k].prv_type > 999);
	}
}

static void
faults(void)
{
	const char *letter = "the event does not begin with the letter of the model";
	const char *twice = "the event is declared twice";

	static const struct chan_decl nameless[] = { { .title = "A", .prv_type = 900 } };
	static const struct chan_decl untitled[] = { { .name = "a", .prv_type = 900 } };
	static const struct chan_decl same_type[] = {
		{ .name = "a", .title = "A", .prv_type = 900 },
		{ .name = "b", .title = "B", .prv_type = 900 },
	};
	expect(&(struct model){ .id = 'X', .name = "x", CHANS(nameless) }, "a channel needs a name and a title");
	expect(&(struct model){ .id = 'X', .name = "x", CHANS(untitled) }, "a channel needs a name and a title");
	expect(&(struct model){ .id = 'X', .name = "x", CHANS(same_type) }, "two channels of the model x have the PRV type 900: a and b");

	expect_states(&(struct state_decl){ 2, 1, "XAa", "XAb", "L", "t" }, 1, "the channel of the state does not exist");
	expect_states(&(struct state_decl){ -1, 1, "XAa", "XAb", "L", "t" }, 1, "the channel of the state does not exist");
	expect_states(&(struct state_decl){ 0, 1, "YAa", "XAb", "L", "t" }, 1, letter);
	expect_states(&(struct state_decl){ 0, 1, "XAa", "YAb", "L", "t" }, 1, letter);
	expect_states(&(struct state_decl){ 0, 1, "XA", NULL, "L", "t" }, 1, letter);
	expect_states(&(struct state_decl){ 0, 1, "XAa", "XAa", "L", "t" }, 1, twice);
	static const struct state_decl same_value[] = {
		{ 0, 1, "XAa", "XAb", "L", "t" },
		{ 0, 1, "XAc", "XAd", "M", "t" },
	};
	expect_states(same_value, 2, "two states have the same value");

	expect_event((struct event_decl){ "XA", "t", .hook = hook }, "an event needs three letters");
	expect_event((struct event_decl){ "XAa(u9 x)", "t", .hook = hook },
		"an argument is a type (u8..u64, i8..i64, str) and a name");
	expect_event((struct event_decl){ "YAa", "t", .hook = hook }, letter);
	expect_event((struct event_decl){ "XAa", "t" }, "the event needs either an operation or a hook");
	expect_event((struct event_decl){ "XAa", "t", .op = OP_SET, .hook = hook },
		"the event needs either an operation or a hook");
	expect_event((struct event_decl){ "XAa", "t", .op = OP_SET, .chan = 2 }, "the channel of the event does not exist");
	expect_event((struct event_decl){ "XAa", "t", .op = OP_PUNCTUAL, .chan = -1 },
		"the channel of the event does not exist");

	static const struct event_decl event_twice[] = {
		{ "XAa", "t", .hook = hook },
		{ "XAa", "t", .hook = hook },
	};
	expect(&(struct model){ .id = 'X', .name = "x", EVENTS(event_twice) }, twice);
}

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
	const struct op *op = FIND("XAa");
	CHECK(op && op->kind == OP_SET && op->col == 40 && op->value == 5 && op->model == 0 && op->need == NEED_ACTIVE);
	CHECK(FIND("XAb")->kind == OP_CLEAR && FIND("XAb")->col == 40);
	CHECK(FIND("XBa")->kind == OP_PUSH && FIND("XBa")->col == 41 && FIND("XBa")->value == 6);
	CHECK(FIND("XBb")->kind == OP_POP && FIND("XBc")->kind == OP_PUSH);
	CHECK(!FIND("XAc") && !FIND("XZa") && !FIND("YAa") && !FIND("ZAa"));
	for (int v = 0; v < 256; v++) {
		uint8_t mcv[] = { 'X', 'C', (uint8_t)v };
		op = dispatch_find(&d, mcv);
		CHECK(op && op->kind == (v == 'x' ? OP_IGNORE : OP_HOOK));
	}
	op = FIND("XD[");
	CHECK(op->min_size == 12 && op->max_size == 12 && op->takes[false] && !op->takes[true] && op->hook == hook);
	op = FIND("XD]");
	CHECK(op->min_size == 4 && op->max_size == UINT32_MAX);
	op = FIND("XDa");
	CHECK(op->min_size == 0 && op->max_size == UINT32_MAX && op->kind == OP_SET && op->col == 41 && op->value == 9);
	op = FIND("XDb");
	CHECK(op->min_size == 4 && op->max_size == UINT32_MAX);
	op = FIND("XJs");
	CHECK(!op->takes[false] && op->takes[true] && op->min_size == 6);
	CHECK(FIND("X\xff\xff")->kind == OP_IGNORE);
#undef FIND
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
	all_models();
	faults();
	clashes();
	tables();
	limits();
	return 0;
}
