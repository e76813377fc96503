/* SPDX-License-Identifier: MIT */
/* Sets of models: those of the tree, and the refusal of wrong ones. */
#include "modelset.h"

#include "clash.h"
#include "emu.h"
#include "kit.h"
#include "registry.h"

#include <string.h>

static struct diag diag = { .program = "test" };

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
	for (int rows = ROW_THREAD; rows <= ROW_CPU; rows++)
		for (int i = 0; i < NBASE; i++)
			if (*base_chans[rows][i].name && (rows == 0 || base_chans[rows][i].prv_type != 2))
				types[ntypes++] = base_chans[rows][i].prv_type;
	struct model_set set = { 0 };
	CHECK(registry_add(&set, &diag) == 0 && set.n > 0);
	for (size_t i = 0; i < set.n; i++) {
		const struct model *m = set.items[i].model;
		check_model(m);
		CHECK(strcmp(set.items[i].owner, MODELSET_OURS) == 0);
		CHECK(i == 0 || (uint8_t)set.items[i - 1].model->id < (uint8_t)m->id);
		/* doc/howto-model.md promises those to models of others. */
		CHECK(m->id < 'a' || m->id > 'z');
		for (size_t k = 0; k < m->nchans; k++) {
			CHECK(ntypes < sizeof(types) / sizeof(types[0]));
			/* 100 to 199 are those of marks. */
			CHECK(m->chans[k].prv_type < 100 || m->chans[k].prv_type > 199);
			CHECK(m->chans[k].prv_type < 500 || m->chans[k].prv_type > 999);
			types[ntypes++] = m->chans[k].prv_type;
		}
	}
	for (size_t i = 0; i < ntypes; i++)
		for (size_t k = 0; k < i; k++)
			CHECK(types[i] != types[k]);
}

/* ---- Wrong ones. ---- */

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

/* The first fault is this one. */
static void
expect(const struct model *m, const char *what)
{
	char text[256] = "";
	CHECK(clash_within(m, text, sizeof(text), NULL));
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
	const struct owned_model one = { a, "one.so" };
	struct model versioned = *b;
	versioned.version = "1.0.0";
	const struct owned_model two = { &versioned, "two.so" };
	char text[256] = "";
	const void *member;
	bool bad = clash_within(&versioned, text, sizeof(text), NULL) || clash_between(&one, &two, text, sizeof(text), &member);
	CHECK(bad == (want != NULL));
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
	static const struct breakdown_decl split = { .prv_type = 900, .file = "split", .title = "S", .state = -1, .task = -1, .idle = -1 };
	const struct model x = { .id = 'X', .name = "x", CHANS(good_chans) };
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "y", CHANS(other) }, NULL);
	expect_clash(&x, &(struct model){ .id = 'X', .name = "y", CHANS(other) }, "the models x of one.so and y of two.so have the same letter 'X'");
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "x", CHANS(other) }, "the models x of one.so and x of two.so have the same name (letters 'X' and 'Y')");
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "y", CHANS(same) }, "the models x of one.so and y of two.so have the same PRV type 901 (channel d)");
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "y", CHANS(other), .breakdown = &split }, "the models x of one.so and y of two.so have the same PRV type 900 (breakdown)");
	expect_clash(&(struct model){ .id = 'Y', .name = "y", CHANS(other), .breakdown = &split }, &x, "the models y of one.so and x of two.so have the same PRV type 900 (channel a)");
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "y", CHANS(twice) }, "two channels of the model y have the PRV type 7: e and f");
	expect_clash(&x, &(struct model){ .id = 'Y', .name = "y", CHANS(mark) },
		"the model y uses the PRV type 150 (channel g), which is reserved: 1 to 6 show threads and CPUs, 100 to 199 marks");
	static const struct breakdown_decl first = { .prv_type = 910, .file = "parts", .title = "P", .state = -1, .task = -1, .idle = -1 };
	static const struct breakdown_decl second = { .prv_type = 911, .file = "parts", .title = "P", .state = -1, .task = -1, .idle = -1 };
	expect_clash(&(struct model){ .id = 'X', .name = "x", .breakdown = &first }, &(struct model){ .id = 'Y', .name = "y", .breakdown = &second },
		"the models x of one.so and y of two.so have the same file parts.prv (breakdown)");
}

/* A model with one member of each kind that is wrong. */
static void
tables(void)
{
	static const struct chan_decl one[] = { { .name = "a", .title = "A", .prv_type = 900 } };
	static const struct label textless[] = { { 1, NULL } };
	const struct model good = { .id = 'X', .name = "x-1_b", .version = "1.0.0", CHANS(one) };
	char text[256];
	CHECK(!clash_within(&good, text, sizeof(text), NULL));
#define EXPECT(what, ...)                                                                     \
	do {                                                                                  \
		struct model m = good;                                                        \
		struct chan_decl k = one[0];                                                  \
		struct breakdown_decl b = { "f", "t", 910, -1, -1, 0, 0, 0, 0, NULL, { 0 } }; \
		(void)k, (void)b;                                                             \
		__VA_ARGS__;                                                                  \
		expect(&m, what);                                                             \
	} while (0)
	EXPECT("the name of a model has", m.name = NULL);
	EXPECT("the name of a model has", m.name = "");
	EXPECT("not \"a,b\"", m.name = "a,b");
	EXPECT("not \"../x\"", m.name = "../x");
	EXPECT("the name of a model has", m.name = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	EXPECT("its letter is not one that can be printed: 0x00", m.id = 0);
	EXPECT("its letter is not one that can be printed: 0xe9", m.id = (char)0xe9);
	EXPECT("its version is not three numbers split by dots: \"\"", m.version = NULL);
	EXPECT("split by dots: \"1.x\"", m.version = "1.x");
	EXPECT("it needs what is not in enum need: 0x18", m.need = 0x18);
	EXPECT("3 channels, but no table", m.chans = NULL, m.nchans = 3);
	EXPECT("4 states, but no table", m.nstates = 4);
	EXPECT("5 events, but no table", m.nevents = 5);
	EXPECT("a member of the channel is not a constant of its type: a", m.chans = &k, k.kind = 3);
	EXPECT("a member of the channel is not a constant of its type: a", m.chans = &k, k.thread_track = 9);
	EXPECT("6 labels, but no table: a", m.chans = &k, k.nlabels = 6);
	EXPECT("a label needs a text: a", m.chans = &k, k.labels = textless, k.nlabels = 1);
	EXPECT("a view needs a plain file name, not \"../f\": a", m.chans = &k, k.view.file = "../f");
	EXPECT("a PRV type is a number above 0, not 0: a", m.chans = &k, k.prv_type = 0);
	EXPECT("a channel of the breakdown does not exist: 1", m.breakdown = &b, b.state = 1);
	EXPECT("a channel of the breakdown does not exist: -2", m.breakdown = &b, b.task = -2);
	EXPECT("a plain file name that no other output has: \"cpu\"", m.breakdown = &b, b.file = "cpu");
	EXPECT("a plain file name that no other output has: \"\"", m.breakdown = &b, b.file = NULL);
	EXPECT("the breakdown needs a title", m.breakdown = &b, b.title = NULL);
	EXPECT("the breakdown and the channel a have the same PRV type 900", m.breakdown = &b, b.prv_type = 900);
	EXPECT("the PRV type 150 (channel breakdown), which is reserved", m.breakdown = &b, b.prv_type = 150);
#undef EXPECT
	expect_states(&(struct state_decl){ 0, 1, "XAa", "XAb", NULL, "t" }, 1, "the state needs a label and a text: XAa");
	expect_states(&(struct state_decl){ 0, 1, NULL, "XAa", "L", NULL }, 1, "the state needs a label and a text");
	expect_event((struct event_decl){ NULL, "t", .hook = hook }, "the event needs a signature and a text");
	expect_event((struct event_decl){ "XAa", NULL, .hook = hook }, "the event needs a signature and a text: XAa");
	expect_event((struct event_decl){ "XAa", "t", .op = 99 }, "a member of the event is not a constant of its type: XAa");
	expect_event((struct event_decl){ "XAa", "t", .hook = hook, .payload = 9 }, "a member of the event is not a constant of its type: XAa");
}

static void
faults(void)
{
	const char *letter = "the event does not begin with the letter of the model";
	const char *three = "an event has three letters, not";
	const char *twice = "the event is declared twice";

	static const struct chan_decl nameless[] = { { .title = "A", .prv_type = 900 } };
	static const struct chan_decl untitled[] = { { .name = "a", .prv_type = 900 } };
	static const struct chan_decl same_type[] = {
		{ .name = "a", .title = "A", .prv_type = 900 },
		{ .name = "b", .title = "B", .prv_type = 900 },
	};
	expect(&(struct model){ .id = 'X', .name = "x", .version = "1.0.0", CHANS(nameless) }, "a channel needs a name and a title");
	expect(&(struct model){ .id = 'X', .name = "x", .version = "1.0.0", CHANS(untitled) }, "a channel needs a name and a title");
	expect(&(struct model){ .id = 'X', .name = "x", .version = "1.0.0", CHANS(same_type) }, "two channels of the model x have the PRV type 900: a and b");

	expect_states(&(struct state_decl){ 2, 1, "XAa", "XAb", "L", "t" }, 1, "the channel of the state does not exist");
	expect_states(&(struct state_decl){ -1, 1, "XAa", "XAb", "L", "t" }, 1, "the channel of the state does not exist");
	expect_states(&(struct state_decl){ 0, 1, "YAa", "XAb", "L", "t" }, 1, letter);
	expect_states(&(struct state_decl){ 0, 1, "XAa", "YAb", "L", "t" }, 1, letter);
	expect_states(&(struct state_decl){ 0, 1, "XA", NULL, "L", "t" }, 1, three);
	expect_states(&(struct state_decl){ 0, 1, "XAa", "XAbc", "L", "t" }, 1, three);
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
	expect(&(struct model){ .id = 'X', .name = "x", .version = "1.0.0", EVENTS(event_twice) }, twice);
}

/* ---- Sets. ---- */

static void
sets(void)
{
	static const struct model b = { .id = 'B', .name = "bee", .version = "1.0.0" };
	static const struct model odd = { .id = '~', .name = "odd", .version = "1.0.0" };
	static const struct model a = { .id = 'A', .name = "ay", .version = "1.0.0" };
	static const struct model again = { .id = 'A', .name = "again", .version = "1.0.0" };
	struct model_set set = { 0 };
	CHECK(!modelset_find(&set, 'B') && !modelset_named(&set, "bee", 3));
	CHECK(modelset_add(&set, &diag, &b, MODELSET_OURS) == 0);
	CHECK(modelset_add(&set, &diag, &odd, "odd.so") == 0);
	CHECK(modelset_add(&set, &diag, &a, "a.so") == 0);
	CHECK(set.n == 3 && set.items[0].model == &a && set.items[1].model == &b && set.items[2].model == &odd);
	CHECK(strcmp(set.items[0].owner, "a.so") == 0 && strcmp(set.items[1].owner, MODELSET_OURS) == 0);
	CHECK(modelset_find(&set, '~') == &odd && modelset_find(&set, 'A') == &a && !modelset_find(&set, 'C'));
	CHECK(modelset_named(&set, "bee", 3) == &b && modelset_named(&set, "ay,bee", 2) == &a && !modelset_named(&set, "be", 2));

	kit_capture();
	CHECK(modelset_add(&set, &diag, &again, "again.so") == -ERR_MODEL_CLASH);
	const char *said = kit_captured();
	CHECK(strstr(said, "the models ay of a.so and again of again.so have the same letter 'A'") && strstr(said, "at again.so"));
	CHECK(set.n == 3 && modelset_find(&set, 'A') == &a);
	kit_capture();
	CHECK(modelset_add(&set, &diag, &(struct model){ .id = 'C', .name = "c", .version = "1.0.0", .nchans = 1, .chans = &(struct chan_decl){ .prv_type = 900 } }, "c.so") == -ERR_MODEL);
	CHECK(strstr(kit_captured(), "a channel needs a name and a title") && set.n == 3);
}

int
main(void)
{
	all_models();
	faults();
	tables();
	clashes();
	sets();
	return 0;
}
