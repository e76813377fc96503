/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include "emu.h"
#include "puttext.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

/* ---- The two forms. ---- */

/* Whether Markdown would take the character for more than itself. */
static bool
is_markup(const char *text, const char *p)
{
	if (*p == '_')
		return p == text || !isalnum((unsigned char)p[-1]) || !isalnum((unsigned char)p[1]);
	return strchr("\\`*[]<>|~", *p) != NULL;
}

static void
put_char(const struct reference *r, const char *text, const char *p)
{
	if (!r->man)
		wbuf_printf(r->w, is_markup(text, p) ? "\\%c" : "%c", *p);
	else if (p == text && (*p == '.' || *p == '\''))
		wbuf_printf(r->w, "\\&%c", *p); /* it would begin a request */
	else if (*p == '\\' || *p == '"')
		put_str(r->w, *p == '"' ? "\\(dq" : "\\e"); /* a quote ends the argument of a request */
	else
		wbuf_put(r->w, p, 1);
}

/* Text of a model; %{name} stands out, whatever its format. */
static void
put_words(const struct reference *r, const char *text)
{
	for (const char *p = text; *p; p++) {
		size_t open = *p == '%' ? 1 + strspn(p + 1, "#-+ .0123456789hlqjztdiuxXocs") : 0;
		size_t n = open && p[open] == '{' ? strcspn(p, "}") : 0;
		if (n > open + 1 && p[n]) {
			wbuf_printf(r->w, r->man ? "\\fI%.*s\\fP" : "*%.*s*", (int)(n - open) - 1, p + open + 1);
			p += n;
			continue;
		}
		put_char(r, text, p);
	}
}

/* Letters of an event. In a table of Markdown a bar has to be escaped even in code. */
static void
put_code(const struct reference *r, const char *text)
{
	put_str(r->w, r->man ? "\\fB" : "`");
	for (const char *p = text; *p; p++)
		wbuf_printf(r->w, !r->man && *p == '|' ? "\\%c" : r->man && *p == '\\' ? "\\e"
										       : "%c",
			*p);
	put_str(r->w, r->man ? "\\fP" : "`");
}

/* Words of ours, with code between backquotes. */
static void __attribute__((format(printf, 2, 3)))
say(const struct reference *r, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	bool code = false;
	for (const char *p = text; *p; p++) {
		if (!r->man || *p != '`') {
			wbuf_put(r->w, p, 1);
			continue;
		}
		code = !code;
		put_str(r->w, code ? "\\fB" : "\\fP");
	}
}

#define FACT(r) put_str((r)->w, (r)->man ? ".IP \\(bu 2\n" : "* ")

/* The title of a view. */
static void
put_title(const struct reference *r, const char *title)
{
	put_str(r->w, r->man ? ".SS \"" : "\n### ");
	put_words(r, title);
	put_str(r->w, r->man ? "\"\n" : "\n\n");
}

/* ---- Events. ---- */

static void
put_args(const struct reference *r, const struct sig *s)
{
	for (size_t i = 0; i < s->nargs; i++)
		say(r, "%s `%s %s`", i ? "," : "", sig_type_name(s->args[i].type), s->args[i].name);
}

static void
put_event(const struct reference *r, const struct catalog_item *item)
{
	const char *any = item->any_value ? " (any third letter that no other event has)" : "";
	put_str(r->w, r->man ? ".TP\n" : "| ");
	put_code(r, item->sig.mcv);
	put_str(r->w, r->man ? "" : " |");
	put_str(r->w, item->sig.jumbo ? " jumbo:" : "");
	put_args(r, &item->sig);
	put_str(r->w, r->man ? "\n" : " | ");
	put_words(r, item->meaning);
	wbuf_printf(r->w, r->man ? "%s\n" : "%s |\n", any);
}

static int
put_events(const struct reference *r, struct diag *d, const struct model *m)
{
	struct catalog_item item;
	bool any = false;
	int rc;
	for (size_t at = 0; (rc = catalog_next(m, &at, &item, d)) > 0;) {
		if (item.unlisted)
			continue;
		if (!any)
			put_str(r->w, r->man ? ".SS Events\n" : "\n| event | arguments | meaning |\n|---|---|---|\n");
		any = true;
		put_event(r, &item);
	}
	return rc;
}

/* ---- Channels. ---- */

static const char *
shown_when(enum track t)
{
	static const char *const text[] = {
		[TRACK_RUNNING] = "while the thread is running",
		[TRACK_ACTIVE] = "while the thread is active",
		[TRACK_ANY] = "always",
		[TRACK_HIDDEN] = "never",
		[TRACK_OWN] = "always, a value of the CPU itself",
	};
	return text[t];
}

struct values {
	const struct model *model; /* NULL: no states */
	const struct chan_decl *chan;
	int index;
};

/* Whether the value has been listed before the i-th state. */
static bool
is_listed(const struct values *v, size_t i)
{
	int64_t value = v->model->states[i].value;
	for (size_t k = 0; k < v->chan->nlabels; k++)
		if (v->chan->labels[k].value == value)
			return true;
	for (size_t k = 0; k < i; k++)
		if (v->model->states[k].chan == v->index && v->model->states[k].value == value)
			return true;
	return false;
}

static void
put_value(const struct reference *r, int64_t value, const char *label, bool *any)
{
	if (!*any)
		put_str(r->w, r->man ? ".PP\nIts values:\n" : "\n| value | label |\n|---|---|\n");
	*any = true;
	wbuf_printf(r->w, r->man ? ".TP 8\n%" PRId64 "\n" : "| %" PRId64 " | ", value);
	put_words(r, label);
	put_str(r->w, r->man ? "\n" : " |\n");
}

/* The labels of a channel, in the order of the PCF. */
static void
put_labels(const struct reference *r, const struct values *v, bool *any)
{
	for (size_t i = 0; i < v->chan->nlabels; i++)
		put_value(r, v->chan->labels[i].value, v->chan->labels[i].text, any);
	for (size_t i = 0; v->model && i < v->model->nstates; i++)
		if (v->model->states[i].chan == v->index && !is_listed(v, i))
			put_value(r, v->model->states[i].value, v->model->states[i].label, any);
}

static void
put_values(const struct reference *r, const struct values *v)
{
	bool any = false;
	put_labels(r, v, &any);
	if (any)
		return;
	FACT(r);
	say(r, "no fixed labels: numbers, or labels that the trace brings\n");
}

/* Ends a fact about rows with the file of their view. */
static void
put_view(const struct reference *r, const char *dir, const char *model, const struct chan_decl *c)
{
	if (dir && c->view.file)
		say(r, ", `cfg/%s/%s/%s.cfg`", dir, model, c->view.file);
	put_str(r->w, "\n");
}

static void
put_chan(const struct reference *r, const struct model *m, int index)
{
	static const char *const kinds[] = {
		[CHAN_SINGLE] = "a single value",
		[CHAN_STACK] = "a stack: the last value entered shows",
		[CHAN_PUNCTUAL] = "punctual values",
	};
	const struct chan_decl *c = &m->chans[index];
	static const char *const rows[] = { [OF_PROC] = "rows of processes", [OF_LOOM] = "rows of looms", [OF_SYSTEM] = "the row of the system" };
	bool cpu = c->cpu_track != TRACK_HIDDEN && c->cpu_track != TRACK_ANY;
	put_title(r, c->title);
	FACT(r);
	say(r, "type %d, %s%s\n", c->prv_type, kinds[c->kind],
		c->kind == CHAN_PUNCTUAL || c->of ? "" : c->dup == DUP_ERROR ? "; entering the value that shows is an error"
									     : "; the value that shows may be entered again");
	FACT(r);
	if (c->of != OF_THREAD) {
		say(r, "%s%s", rows[c->of], !c->sum ? "" : c->of == OF_PROC ? ", with sums in those of looms and the system"
									    : ", with the sum in that of the system");
		put_view(r, "proc", m->name, c);
	} else {
		say(r, "thread rows: %s", shown_when(c->thread_track));
		put_view(r, c->thread_track != TRACK_HIDDEN ? "thread" : NULL, m->name, c);
		FACT(r);
		say(r, "CPU rows: %s", shown_when(cpu ? c->cpu_track : TRACK_HIDDEN));
		put_view(r, cpu ? "cpu" : NULL, m->name, c);
	}
	if (c->initial) {
		FACT(r);
		say(r, "%" PRId64 " before the first event\n", c->initial);
	}
	if (c->idle) {
		FACT(r);
		say(r, "%" PRId64 " in a CPU row without such a thread\n", c->idle);
	}
	put_values(r, &(struct values){ .model = m, .chan = c, .index = index });
}

static void
put_breakdown(const struct reference *r, const struct model *m)
{
	const struct breakdown_decl *b = m->breakdown;
	put_title(r, b->title);
	FACT(r);
	say(r, "type %d, the breakdown in `%s.prv`", b->prv_type, b->file);
	if (b->view.file)
		say(r, ", `cfg/cpu/%s/%s.cfg`", m->name, b->view.file);
	put_str(r->w, "\n");
	FACT(r);
	say(r, "with `ovniemu -b` only; the rows are the CPUs, sorted by value\n");
	FACT(r);
	say(r, "task types too, with the labels that the trace brings\n");
	bool any = false;
	const int chans[] = { b->state, b->idle };
	for (size_t i = 0; i < sizeof(chans) / sizeof(chans[0]); i++)
		if (chans[i] >= 0)
			put_labels(r, &(struct values){ .model = m, .chan = &m->chans[chans[i]], .index = chans[i] }, &any);
}

/* ---- Sections. ---- */

void
reference_put_words(const struct reference *r)
{
	put_str(r->w, r->man ? "" : "\n");
	say(r, "What a trace may hold and what its timelines show, model by model. An event is named by\n"
	       "three characters; its arguments follow each other in this order, without gaps, little\n"
	       "endian. A `str` ends with a NUL. Those of a jumbo event stand behind its size.\n");
	put_str(r->w, r->man ? ".PP\n" : "\n");
	put_str(r->w, r->man ? "\\fIActive\\fP" : "*Active*");
	say(r, " is a thread that is running, cooling or warming. A value of 0 is no value. CPU\n"
	       "rows may also show 777 where several threads run in a CPU, and 666 where the thread is\n"
	       "known but hides the value.\n");
}

void
reference_put_base(const struct reference *r)
{
	static const char *const dirs[] = { [ROW_THREAD] = "thread", [ROW_CPU] = "cpu" };
	static const char *const names[] = { [ROW_THREAD] = "thread", [ROW_CPU] = "CPU" };
	put_str(r->w, r->man ? ".SH \"Threads and CPUs\"\n" : "\n## Threads and CPUs\n\n");
	say(r, "These views are there in every trace, whatever the models.\n");
	for (int rows = ROW_THREAD; rows <= ROW_CPU; rows++) {
		for (int i = 0; i < NBASE; i++) {
			const struct chan_decl *c = &base_chans[rows][i];
			if (!*c->name)
				continue;
			put_title(r, c->title);
			FACT(r);
			say(r, "type %d, %s rows", c->prv_type, names[rows]);
			put_view(r, dirs[rows], "ovni", c);
			put_values(r, &(struct values){ .chan = c });
		}
	}
}

static void
put_need(const struct reference *r, const struct model *m)
{
	const char *state = m->need & NEED_RUNNING ? "be running" : m->need & NEED_ACTIVE ? "be active (running, cooling or warming)"
											  : "";
	const char *in_cpu = m->need & NEED_IN_CPU ? "not be taken out of its CPU by the kernel" : "";
	if (!m->nstates && !m->nevents && (m->observes || m->connect))
		say(r, "An observer: it has no events, and shows what follows from those of other models.");
	else if (*state || *in_cpu)
		say(r, "The thread of an event must %s%s%s.", state, *state && *in_cpu ? " and " : "", in_cpu);
	else
		say(r, "The thread of an event may be in any state.");
}

int
reference_put_model(const struct reference *r, struct diag *d, const struct model *m)
{
	say(r, r->man ? ".SH \"The model %s (%c)\"\n" : "\n## %s (`%c`)\n\n", m->name, m->id);
	say(r, "Version %s%s. ", m->version, m->always ? ", enabled in every trace" : "");
	put_need(r, m);
	put_str(r->w, "\n");
	if (put_events(r, d, m) < 0)
		return -1;
	for (size_t k = 0; k < m->nchans; k++)
		put_chan(r, m, (int)k);
	if (m->breakdown)
		put_breakdown(r, m);
	return 0;
}
