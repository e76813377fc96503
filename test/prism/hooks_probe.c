/* SPDX-License-Identifier: MIT */
/* hooks_probe: a tool that prints all it is called with, and does what the test wants.
 *
 * PROBE holds words, with a space between them:
 *
 *   name=NAME              in place of "probe"; "-": none
 *   needs=KIND:MASK        mem, comp, sync or cxt
 *   only=KIND              NULL for the functions of all other kinds (may come again)
 *   return=CALL:N:VALUE    what the N-th call (from 1) of begin, mem ... finish returns
 *   return=CALL:N:VALUE:HOOK   the same, of one hook only ("0", "1" ...)
 *   add=N                  adds N hooks, which do the same, with u = "1", "2" ...
 *   nest                   the added ones add one more each
 *   channel=NAME:MODE:TRACK    a channel of its own: numbers of prism_hooks.h
 *   at=CALL:N:VERB:TYPE:VALUE  at the N-th call of CALL: set, clear, push, pop, punctual, label
 *                              (with the value as the text, too), add, channel
 *   inside                 also prints what the thread of an event is in
 *   argument=KEY           asks for it in begin, as do
 *   number=KEY:MIN:MAX     number and
 *   choice=KEY:WORD:WORD   choice
 *   keys                   asks for all keys
 *   ignore                 returns 0 even when a call has failed
 *   quiet                  does not print events
 *   live                   each line is printed at once
 */
#include <prism_hooks.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CALLS = 9,
	WORD = 128,
};

static const char *const calls[CALLS] = { "begin", "mem", "comp", "sync", "cxt", "cf", "cfg", "buffer_end", "finish" };

static struct prism_run *run;
static bool quiet, ignore, inside;

/* Of prism_tool and of what it adds. */
struct self {
	const char *name;
	unsigned count[CALLS];
};

static struct self first = { .name = "0" };
static struct self more[80];

static struct self *
self_of(void *u)
{
	return u ? u : &first;
}

/* The words that begin with a key and '='; *at starts as NULL. */
static bool
next_word(const char *key, const char **at, char word[WORD])
{
	const char *all = getenv("PROBE");
	const char *p = *at ? *at : all ? all
					: "";
	while (*p) {
		size_t n = strcspn(p, " ");
		size_t k = strlen(key);
		const char *this = p;
		p += n + (p[n] == ' ');
		*at = p;
		if (n >= k && strncmp(this, key, k) == 0 && (this[k] == '=' || n == k)) {
			size_t from = k + (this[k] == '=');
			(void)snprintf(word, WORD, "%.*s", (int)(n - from), this + from);
			return true;
		}
	}
	return false;
}

static bool
has_word(const char *key)
{
	char word[WORD];
	const char *at = NULL;
	return next_word(key, &at, word);
}

static const struct prism_hooks hooks_of_probe;

static int
do_verb(const char *verb, int type, int64_t value, const char *text)
{
	if (strcmp(verb, "set") == 0)
		return prism_user_set(run, type, value);
	if (strcmp(verb, "clear") == 0)
		return prism_user_clear(run, type);
	if (strcmp(verb, "push") == 0)
		return prism_user_push(run, type, value);
	if (strcmp(verb, "pop") == 0)
		return prism_user_pop(run, type, value);
	if (strcmp(verb, "punctual") == 0)
		return prism_user_punctual(run, type, value);
	if (strcmp(verb, "label") == 0)
		return prism_user_label(run, type, value, text);
	if (strcmp(verb, "nolabel") == 0)
		return prism_user_label(run, type, value, NULL);
	if (strcmp(verb, "fail") == 0)
		return prism_fail(run, "%s %d", text, type);
	if (strcmp(verb, "argument") == 0)
		return prism_argument(run, text) ? 0 : -1;
	if (strcmp(verb, "key") == 0)
		return prism_argument_key(run, 0) ? 0 : -1;
	if (strcmp(verb, "number") == 0)
		return prism_argument_number(run, text, 0, 9, &(uint64_t){ 0 });
	if (strcmp(verb, "choice") == 0)
		return prism_argument_word(run, text, &(const char *){ NULL }, &type);
	if (strcmp(verb, "add") == 0)
		return prism_hooks_add(run, &hooks_of_probe, NULL);
	if (strcmp(verb, "channel") == 0)
		return prism_user_channel(run, text, (enum prism_user_mode)(type & 15), (enum prism_user_track)(type >> 4));
	return -99;
}

/* What the test wants at this call, and what the call returns. */
static int
act(struct self *self, unsigned call)
{
	char word[WORD];
	unsigned n = ++self->count[call];
	int rc = 0;
	for (const char *at = NULL; next_word("at", &at, word);) {
		char name[WORD], verb[WORD], text[WORD] = "";
		unsigned when;
		int type;
		if (sscanf(word, "%[^:]:%u:%[^:]:%d:%s", name, &when, verb, &type, text) < 4 || strcmp(name, calls[call]) != 0 || when != n)
			continue;
		rc = do_verb(verb, type, strtoll(text, NULL, 10), text);
		(void)printf("%s %s %d: %d\n", self->name, verb, type, rc);
		rc = ignore ? 0 : rc;
	}
	for (const char *at = NULL; next_word("return", &at, word);) {
		char name[WORD], hook[WORD];
		unsigned when;
		int value;
		int got = sscanf(word, "%[^:]:%u:%d:%s", name, &when, &value, hook);
		if (got >= 3 && (got == 3 || strcmp(hook, self->name) == 0) && strcmp(name, calls[call]) == 0 && when == n)
			return value;
	}
	return rc > 0 ? 0 : rc;
}

static void
put_entered(const char *what, const struct prism_entered *e)
{
	(void)printf(" %s=%" PRIu64 ":%" PRIu32 ":%.*s", what, e->depth, e->name_id, (int)e->name_len, e->name ? e->name : "");
	if (!e->name != !e->name_id || !e->name != !e->name_len || (e->name && e->name[e->name_len]))
		(void)printf(" (name is wrong)");
}

static void
put_inside(const struct prism_inside *in)
{
	put_entered("func", &in->function);
	put_entered("op", &in->op);
	put_entered("net", &in->net);
	(void)printf(in->has_block ? " bb=%" PRIx64 : " bb=-", in->block);
	(void)printf(in->has_insn ? " insn=%" PRIx64 : " insn=-", in->insn);
}

static void
put_at(const struct self *self, const char *name, const struct prism_at *at)
{
	(void)printf("%s %s stream=%" PRIu32 " process=%" PRIu32 " thread=%" PRIu32 " seq=%" PRIu64 " offset=%" PRIu64 " ns=%" PRIu64, self->name, name,
		at->stream, at->process, at->thread, at->seq, at->offset, at->clock_ns);
	if (inside)
		put_inside(at->in);
}

static int
on_mem(void *u, const struct prism_at *at, const struct prism_mem *ev)
{
	struct self *self = self_of(u);
	if (!quiet) {
		put_at(self, "mem", at);
		(void)printf(" has=%" PRIu32 " type=%s bytes=%u addr=%" PRIx64 " id=%u\n", ev->has, prism_mem_name(ev->type), ev->bytes, ev->addr, ev->id);
	}
	return act(self, 1);
}

static int
on_comp(void *u, const struct prism_at *at, const struct prism_comp *ev)
{
	struct self *self = self_of(u);
	if (!quiet) {
		put_at(self, "comp", at);
		(void)printf(" has=%" PRIu32 " format=%s op=%s bytes=%u arity=%u ids=", ev->has, prism_format_name(ev->format), prism_op_name(ev->op),
			ev->bytes, ev->arity);
		for (unsigned i = 0; i < ev->nids; i++)
			(void)printf("%s%u", i ? "," : "", ev->ids[i]);
		(void)printf("\n");
	}
	return act(self, 2);
}

static int
on_sync(void *u, const struct prism_at *at, const struct prism_sync *ev)
{
	struct self *self = self_of(u);
	if (!quiet) {
		put_at(self, "sync", at);
		(void)printf(" has=%" PRIu32 " type=%u:%s args=", ev->has, ev->type, prism_sync_name(ev->type));
		for (unsigned i = 0; i < ev->nargs; i++)
			(void)printf("%s%" PRIx64, i ? "," : "", ev->arg[i]);
		(void)printf("\n");
	}
	return act(self, 3);
}

static int
on_cxt(void *u, const struct prism_at *at, const struct prism_cxt *ev)
{
	/* Names live as long as the run: the first of each is kept, and looked at each time. */
	static struct {
		const char *text;
		char copy[PRISM_NAME_MAX];
		uint32_t len;
	} names[64];
	struct self *self = self_of(u);
	if (!quiet) {
		put_at(self, "cxt", at);
		(void)printf(" has=%" PRIu32 " type=%s id=%" PRIx64 " name=%" PRIu32 ":%.*s\n", ev->has, prism_cxt_name(ev->type), ev->id, ev->name_id,
			(int)ev->name_len, ev->name_len ? ev->name : "");
	}
	if (ev->name_id && ev->name_id < 64 && !names[ev->name_id].text) {
		names[ev->name_id].text = ev->name;
		names[ev->name_id].len = ev->name_len;
		memcpy(names[ev->name_id].copy, ev->name, ev->name_len);
	}
	for (unsigned i = 0; i < 64; i++)
		if (names[i].text && memcmp(names[i].text, names[i].copy, names[i].len) != 0)
			(void)printf("name %u has changed\n", i);
	return act(self, 4);
}

static int
on_cf(void *u, const struct prism_at *at, const struct prism_cf *ev)
{
	struct self *self = self_of(u);
	if (!quiet) {
		put_at(self, "cf", at);
		(void)printf(" type=%u\n", ev->type);
	}
	return act(self, 5);
}

static int
on_cfg(void *u, const struct prism_at *at, const struct prism_cfg *ev)
{
	struct self *self = self_of(u);
	if (!quiet) {
		put_at(self, "cfg", at);
		(void)printf(" target=%s before=%02x after=%02x\n", prism_kind_name(ev->target), ev->before, ev->after);
	}
	return act(self, 6);
}

static int
on_end(void *u, const struct prism_at *at)
{
	struct self *self = self_of(u);
	if (!quiet) {
		put_at(self, "buffer_end", at);
		(void)printf("\n");
	}
	return act(self, 7);
}

static int
on_finish(void *u)
{
	struct self *self = self_of(u);
	int rc = act(self, 8);
	(void)printf("%s finish\n", self->name);
	(void)fflush(stdout);
	return rc;
}

static int begin_first(void *u, struct prism_run *r);
static int begin_added(void *u, struct prism_run *r);

#define HOOKS(BEGIN)                                                                                                  \
	.begin = (BEGIN), .mem = on_mem, .comp = on_comp, .sync = on_sync, .cxt = on_cxt, .cf = on_cf, .cfg = on_cfg, \
	.buffer_end = on_end, .finish = on_finish

static const struct prism_hooks hooks_of_probe = { PRISM_HOOKS_HEAD, .name = "added", HOOKS(begin_added) };

static unsigned nadded;

static int
add_hooks(unsigned n)
{
	static char names[80][8];
	for (unsigned i = 0; i < n && nadded < 80; i++) {
		struct self *s = &more[nadded];
		(void)snprintf(names[nadded], sizeof(names[nadded]), "%u", nadded + 1);
		s->name = names[nadded++];
		/* It is copied. */
		struct prism_hooks mine = hooks_of_probe;
		int rc = prism_hooks_add(run, &mine, s);
		memset(&mine, 0xa5, sizeof(mine));
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
begin_added(void *u, struct prism_run *r)
{
	struct self *self = self_of(u);
	(void)printf("%s begin %s\n", self->name, r == run ? "same run" : "other run");
	if (has_word("nest") && nadded < 4 && add_hooks(1) < 0)
		return -1;
	return act(self, 0);
}

/* Calls all that ask for arguments. Returns <0: one has failed. */
static int
ask(void)
{
	char word[WORD], key[WORD];
	int rc = 0;
	for (const char *at = NULL; next_word("argument", &at, word) && rc == 0;) {
		const char *value = prism_argument(run, word);
		(void)printf("%s %s%s\n", word, value ? "is " : "is not there", value ? value : "");
	}
	for (const char *at = NULL; next_word("number", &at, word) && rc == 0;) {
		unsigned min, max;
		uint64_t n = 4711;
		if (sscanf(word, "%[^:]:%u:%u", key, &min, &max) != 3)
			return -96;
		rc = prism_argument_number(run, key, min, max, &n);
		(void)printf("%s is number %" PRIu64 "\n", key, n);
	}
	for (const char *at = NULL; next_word("choice", &at, word) && rc == 0;) {
		char *words[8] = { NULL };
		int n = 0, which = -1;
		for (char *w = strtok(word, ":"); w && n < 7; w = strtok(NULL, ":"))
			words[n++] = w;
		rc = prism_argument_word(run, words[0], (const char *const *)words + 1, &which);
		(void)printf("%s is choice %d\n", words[0], which);
	}
	for (uint32_t i = 0; has_word("keys") && prism_argument_key(run, i); i++)
		(void)printf("key %s\n", prism_argument_key(run, i));
	return rc;
}

static int
begin_first(void *u, struct prism_run *r)
{
	char word[WORD];
	run = r;
	ignore = has_word("ignore");
	quiet = has_word("quiet");
	inside = has_word("inside");
	if (has_word("live"))
		(void)setvbuf(stdout, NULL, _IOLBF, 0);
	(void)printf("0 begin%s\n", u ? " with u" : "");
	if (ask() < 0 && !ignore)
		return -95;
	for (const char *at = NULL; next_word("channel", &at, word);) {
		char name[WORD];
		unsigned mode, track;
		if (sscanf(word, "%[^:]:%u:%u", name, &mode, &track) != 3)
			return -98;
		int type = prism_user_channel(r, name, (enum prism_user_mode)mode, (enum prism_user_track)track);
		(void)printf("channel %s is %d\n", name, type);
		if (type < 0 && !ignore)
			return type;
	}
	for (const char *at = NULL; next_word("add", &at, word);)
		if (add_hooks((unsigned)strtoul(word, NULL, 10)) < 0 && !ignore)
			return -97;
	return act(&first, 0);
}

struct prism_hooks prism_tool = { PRISM_HOOKS_HEAD, .name = "probe", HOOKS(begin_first) };

/* What ovniemu reads of prism_tool depends on the test. */
__attribute__((constructor)) static void
prepare(void)
{
	static char name[WORD];
	char word[WORD];
	for (const char *at = NULL; next_word("name", &at, name);)
		prism_tool.name = strcmp(name, "-") == 0 ? NULL : name;
	for (const char *at = NULL; next_word("needs", &at, word);) {
		uint32_t mask = (uint32_t)strtoul(strchr(word, ':') + 1, NULL, 0);
		uint32_t *need = word[0] == 'm' ? &prism_tool.needs.mem : word[1] == 'o' ? &prism_tool.needs.comp
			: word[0] == 's'                                                 ? &prism_tool.needs.sync
											 : &prism_tool.needs.cxt;
		*need |= mask;
	}
	if (!has_word("only"))
		return;
	bool want[CALLS] = { false };
	for (const char *at = NULL; next_word("only", &at, word);)
		for (unsigned i = 0; i < CALLS; i++)
			want[i] = want[i] || strcmp(word, calls[i]) == 0;
	prism_tool.mem = want[1] ? on_mem : NULL;
	prism_tool.comp = want[2] ? on_comp : NULL;
	prism_tool.sync = want[3] ? on_sync : NULL;
	prism_tool.cxt = want[4] ? on_cxt : NULL;
	prism_tool.cf = want[5] ? on_cf : NULL;
	prism_tool.cfg = want[6] ? on_cfg : NULL;
	prism_tool.buffer_end = want[7] ? on_end : NULL;
	prism_tool.finish = want[8] ? on_finish : NULL;
}
