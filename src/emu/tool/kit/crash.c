/* SPDX-License-Identifier: MIT */
#include "crash.h"

#include "emu.h"
#include "fmt.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct {
	int sig;
	const char *name;
} signals[] = { { SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" }, { SIGFPE, "SIGFPE" }, { SIGILL, "SIGILL" }, { SIGABRT, "SIGABRT" } };

enum {
	NSIGNALS = sizeof(signals) / sizeof(signals[0]),
};

/* A handler has no argument of ours. */
static struct {
	const char *program;
	const struct model_set *set;
	const char *file;
	const struct emu *emu;
	pthread_t thread;    /* that hooks run on */
	char stack[1 << 16]; /* a hook without an end to its recursion has used up the other one */
} now;

/* ---- The message, made of what a handler may call. ---- */

struct message {
	char text[1024];
	size_t n;
};

static void
put(struct message *m, const char *text)
{
	size_t n = strlen(text);
	size_t left = sizeof(m->text) - m->n;
	n = n < left ? n : left;
	memcpy(m->text + m->n, text, n);
	m->n += n;
}

static void
put_number(struct message *m, int64_t v)
{
	char digits[FMT_MAX + 1];
	*fmt_i64(digits, v) = '\0';
	put(m, digits);
}

static void
put_event(struct message *m, const struct emu *emu)
{
	const struct event *ev = emu->event;
	put(m, "\n  at ");
	put(m, emu->plan->trace.streams[ev->stream].relpath);
	put(m, ", clock ");
	put_number(m, ev->clock);
	put(m, " ns, event ");
	for (size_t i = 0; i < sizeof(ev->mcv); i++)
		put(m, (const char[]){ ev->mcv[i] > ' ' && ev->mcv[i] <= '~' ? (char)ev->mcv[i] : '?', '\0' });
}

/* Tells what the model does, if it is one of the user. Returns whether it is. */
static bool
put_model(struct message *m, const struct emu *emu)
{
	if (!emu->cur)
		return false;
	const struct model *model = emu->cur->model;
	size_t i = 0;
	while (i < now.set->n && now.set->items[i].model != model)
		i++;
	if (i == now.set->n || strcmp(now.set->items[i].owner, MODELSET_OURS) == 0)
		return false;
	put(m, " in the model ");
	put(m, model->name);
	put(m, " of ");
	put(m, now.set->items[i].owner);
	put(m, ", in ");
	put(m, emu_stage(emu));
	if (emu->event)
		put_event(m, emu);
	return true;
}

static void
on_crash(int sig)
{
	struct message m = { .n = 0 };
	put(&m, now.program);
	put(&m, ": error[model]: ");
	for (size_t i = 0; i < NSIGNALS; i++)
		if (signals[i].sig == sig)
			put(&m, signals[i].name);
	bool known = now.file != NULL;
	if (known) {
		put(&m, " while a model is loaded\n  at ");
		put(&m, now.file);
	} else if (now.emu && pthread_equal(pthread_self(), now.thread)) {
		known = put_model(&m, now.emu);
	}
	put(&m, "\n");
	if (known && write(STDERR_FILENO, m.text, m.n) < 0)
		m.n = 0;
	/* Blocked in the handler, which SA_RESETHAND has removed: it ends the program afterwards. */
	(void)raise(sig);
}

/* ---- For the tools. ---- */

void
crash_watch(const char *program, const struct model_set *set)
{
	now.program = program;
	now.set = set;
	const stack_t stack = { .ss_sp = now.stack, .ss_size = sizeof(now.stack) };
	(void)sigaltstack(&stack, NULL);
	struct sigaction sa = { .sa_handler = on_crash, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK) };
	for (size_t i = 0; i < NSIGNALS; i++)
		(void)sigaction(signals[i].sig, &sa, NULL);
}

void
crash_loads(const char *file)
{
	now.file = file;
}

void
crash_emulates(const struct emu *emu)
{
	now.emu = emu;
	now.thread = pthread_self();
}

void
crash_forget(void)
{
	for (size_t i = 0; i < NSIGNALS && now.program; i++)
		(void)signal(signals[i].sig, SIG_DFL);
	now.program = NULL;
}
