/* SPDX-License-Identifier: MIT */
/* What libovni takes events to open and to close (lib/ovni/rules.c) is what the models of the emulator
 * make of them. */
#include "kit.h"
#include "ovniscope/model.h"
#include "opens.h"
#include "registry.h"

#include <ctype.h>

enum {
	LETTERS = OPEN_LETTERS,
};

/* Events that are more to the emulator than their declaration tells. One that has a hook must be here. */
static const struct {
	const char *mcv;
	char action;
} hooks[] = {
	{ "OHx", OPEN_STATE },
	{ "OHe", OPEN_STATE },
	{ "OHp", OPEN_STATE },
	{ "OHr", OPEN_STATE },
	{ "OHc", OPEN_STATE },
	{ "OHw", OPEN_STATE },
	{ "OAs", OPEN_CPU },
	{ "OAr", OPEN_MOVE },
	{ "OB.", OPEN_NOTHING },
	{ "OF[", OPEN_ENTER },
	{ "OF]", OPEN_LEAVE },
	{ "OM[", OPEN_ENTER },
	{ "OM]", OPEN_LEAVE },
	{ "OM=", OPEN_SET },
	{ "KCO", OPEN_ENTER_LAST },
	{ "KCI", OPEN_LEAVE_LAST },
	{ "VYc", OPEN_TYPE },
	{ "VTc", OPEN_TASK },
	{ "VTC", OPEN_TASK },
	{ "VTx", OPEN_ENTER },
	{ "VTe", OPEN_LEAVE },
	{ "VTp", OPEN_PAUSE },
	{ "VTr", OPEN_RESUME },
	{ "VWC", OPEN_SET },
	{ "6Yc", OPEN_TYPE },
	{ "6Tc", OPEN_TASK },
	{ "6Tx", OPEN_ENTER },
	{ "6Te", OPEN_LEAVE },
	{ "6Tp", OPEN_PAUSE },
	{ "6Tr", OPEN_RESUME },
	{ "6TC", OPEN_NOTHING },
	{ "POc", OPEN_TYPE },
	{ "PPc", OPEN_TASK },
	{ "PPx", OPEN_ENTER },
	{ "PPe", OPEN_LEAVE },
	{ "PQx", OPEN_ENTER },
	{ "PQe", OPEN_LEAVE },
};

/* Without effect in the emulator, but readers sort by them. */
static const char *const regions[] = { "OU[", "OU]" };

static bool declared[LETTERS][LETTERS]; /* events of the model that is looked at */
static int bad;

struct rule {
	uint8_t action, chan;
};

static struct rule
rule(const char *mcv)
{
	const uint8_t *letters = (const uint8_t *)mcv;
	unsigned row = open_row(letters);
	return (struct rule){ (uint8_t)open_action(row, letters), open_rules.chan[row] };
}

static void
expect(const char *mcv, char action)
{
	declared[(unsigned char)mcv[1]][(unsigned char)mcv[2]] = true;
	char got = (char)rule(mcv).action;
	if (got == action)
		return;
	(void)fprintf(stderr, "%.3s: libovni has '%c', the emulator '%c'\n", mcv, got ? got : ' ', action ? action : ' ');
	bad++;
}

/* Events of one channel have one number, and those of another one another. */
static void
same_channel(const char *mcv, int chan, int numbers[])
{
	int n = rule(mcv).chan;
	if (numbers[chan] < 0)
		numbers[chan] = n;
	bool good = numbers[chan] == n;
	for (int i = 0; i < 256 && good; i++)
		good = i == chan || numbers[i] != n;
	if (!good) {
		(void)fprintf(stderr, "%.3s: of another timeline\n", mcv);
		bad++;
	}
}

static void
check_state(const struct model *m, const struct state_decl *s, int numbers[])
{
	const struct chan_decl *c = &m->chans[s->chan];
	bool stack = c->kind == CHAN_STACK;
	if (s->enter) {
		expect(s->enter, stack ? OPEN_ENTER : s->value == c->initial ? OPEN_CLEAR
									     : OPEN_SET);
		same_channel(s->enter, s->chan, numbers);
	}
	if (s->leave) {
		CHECK(stack);
		expect(s->leave, OPEN_LEAVE);
		same_channel(s->leave, s->chan, numbers);
	}
}

static void
check_event(const struct event_decl *e)
{
	size_t i = 0, n = sizeof(hooks) / sizeof(hooks[0]);
	if (strncmp(e->sig, regions[0], 3) == 0 || strncmp(e->sig, regions[1], 3) == 0) {
		expect(e->sig, e->sig[2] == '[' ? OPEN_ENTER_LAST : OPEN_LEAVE_LAST);
		return;
	}
	while (i < n && strncmp(e->sig, hooks[i].mcv, 3) != 0)
		i++;
	if (e->op == OP_HOOK && i == n) {
		(void)fprintf(stderr, "%.3s: has a hook that this test does not know\n", e->sig);
		bad++;
	} else if (e->op == OP_HOOK) {
		expect(e->sig, hooks[i].action);
	} else {
		CHECK(e->op == OP_IGNORE || e->op == OP_PUNCTUAL); /* the others are states so far */
		expect(e->sig, OPEN_NOTHING);
	}
}

static void
check_model(const struct model *m)
{
	int numbers[256];
	for (int i = 0; i < 256; i++)
		numbers[i] = -1;
	memset(declared, 0, sizeof(declared));
	for (size_t i = 0; i < m->nstates; i++)
		check_state(m, &m->states[i], numbers);
	for (size_t i = 0; i < m->nevents; i++)
		check_event(&m->events[i]);
	for (int c = 0; c < LETTERS; c++)
		for (int v = 0; v < LETTERS; v++) {
			const char mcv[3] = { m->id, (char)c, (char)v };
			if (!declared[c][v] && rule(mcv).action != OPEN_NOTHING) {
				(void)fprintf(stderr, "%.3s: libovni has '%c', the emulator has no such event\n", mcv, rule(mcv).action);
				bad++;
			}
		}
}

/* Others have what the letters say. */
static void
check_unknown(void)
{
	CHECK(rule("Z?[").action == OPEN_ENTER && rule("Z?]").action == OPEN_LEAVE && rule("Zab").action == OPEN_NOTHING);
	CHECK(rule("\xff[[").action == OPEN_ENTER && rule("\xff\xff[").action == OPEN_NOTHING && rule("Z[\xdb").action == OPEN_NOTHING);
}

/* Takes events of `size` bytes, whose payload is one number, as often as it says. */
static void
take(struct opens *o, const char *mcv, uint32_t a, uint32_t b, int n)
{
	uint8_t event[20] = { 7, (uint8_t)mcv[0], (uint8_t)mcv[1], (uint8_t)mcv[2], 9 };
	memcpy(event + 12, &a, sizeof(a));
	memcpy(event + 16, &b, sizeof(b));
	for (int i = 0; i < n; i++)
		opens_take(o, event, sizeof(event));
}

/* No snapshot is larger than its room, whatever is open; what there was no room for is left again first. */
static void
check_bounds(void)
{
	enum {
		ROOM = 4096,
		DEEP = 100000,
	};
	static uint8_t snapshot[2 * ROOM];
	uint8_t type[64] = { 0x13, 'V', 'Y', 'c' };
	struct opens o;
	size_t shared;
	CHECK(opens_init(&o, ROOM) == 0);
	CHECK(opens_write(&o, snapshot, 5, &shared) == 0 && shared == 0);
	type[12] = sizeof(type) - 16;
	for (int i = 0; i < 1000; i++)
		opens_take(&o, type, sizeof(type));
	take(&o, "VAr", 0, 0, 3);
	size_t few = opens_write(&o, snapshot, 5, &shared);
	CHECK(few == shared + 3 * 20 && shared <= ROOM / 4);
	take(&o, "VAr", 0, 0, DEEP);
	take(&o, "MUi", 0, 0, DEEP);
	for (uint32_t i = 0; i < 1000; i++) {
		take(&o, "VTc", i, 1, 1);
		take(&o, "OM=", 0, i, 1);
	}
	size_t most = opens_write(&o, snapshot, 5, &shared);
	CHECK(most <= ROOM && most > ROOM / 3 && o.missed > 2 * DEEP - ROOM);
	take(&o, "MUI", 0, 0, DEEP);
	take(&o, "VAR", 0, 0, DEEP);
	CHECK(o.nstack == 3);
	take(&o, "VAR", 0, 0, 4);
	CHECK(o.nstack == 0);
	opens_finish(&o);
}

int
main(void)
{
	static struct model_set set;
	struct diag d = { .program = "opens" };
	CHECK(registry_add(&set, &d) == 0);
	open_rules_begin();
	for (size_t i = 0; i < set.n; i++)
		if (!set.items[i].model->foreign)
			check_model(set.items[i].model);
	check_unknown();
	check_bounds();
	return bad > 0;
}
