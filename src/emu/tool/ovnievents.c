/* SPDX-License-Identifier: MIT */
/* ovnievents: the reference of all events and views, from the declarations of the models. */
#include "look/catalog.h"
#include "kit/cli.h"
#include "kit/plugin.h"
#include "emu.h"
#include "jsonout.h"
#include "registry.h"

#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_MODEL = 256,
};

/* Whether Markdown would take the character for more than itself. */
static bool
is_markup(const char *text, const char *p)
{
	if (*p == '_')
		return p == text || !isalnum((unsigned char)p[-1]) || !isalnum((unsigned char)p[1]);
	return strchr("\\`*[]<>|~", *p) != NULL;
}

/* Text in a cell of a table; %{name} stands out, whatever its format. */
static void
put_md(const char *text)
{
	for (const char *p = text; *p; p++) {
		size_t open = *p == '%' ? 1 + strspn(p + 1, "#-+ .0123456789hlqjztdiuxXocs") : 0;
		size_t n = open && p[open] == '{' ? strcspn(p, "}") : 0;
		if (n > open + 1 && p[n]) {
			(void)printf("*%.*s*", (int)(n - open) - 1, p + open + 1);
			p += n;
			continue;
		}
		(void)printf(is_markup(text, p) ? "\\%c" : "%c", *p);
	}
}

/* Code in a cell: a bar has to be escaped even there. */
static void
put_code(const char *text)
{
	(void)putchar('`');
	for (; *text; text++)
		(void)printf(*text == '|' ? "\\%c" : "%c", *text);
	(void)putchar('`');
}

/* ---- JSON. ---- */

static void
json_event(struct wbuf *w, const struct catalog_item *item)
{
	const struct sig *s = &item->sig;
	json_newline(w);
	put_str(w, "  ");
	json_open(w, NULL, '{');
	json_str(w, "mcv", s->mcv);
	json_bool(w, "jumbo", s->jumbo);
	json_open(w, "args", '[');
	for (size_t i = 0; i < s->nargs; i++) {
		json_open(w, NULL, '{');
		json_str(w, "type", sig_type_name(s->args[i].type));
		json_str(w, "name", s->args[i].name);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_str(w, "meaning", item->meaning);
	json_close(w, '}');
}

static int
put_json(struct diag *d, const struct owned_model *models, size_t n, struct wbuf *w)
{
	int rc = 0;
	w->spaced = true;
	json_open(w, NULL, '{');
	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct model *m = models[i].model;
		struct catalog_item item;
		json_newline(w);
		put_str(w, " ");
		json_open(w, m->name, '{');
		json_printf(w, "id", "%c", m->id);
		json_str(w, "version", m->version);
		json_open(w, "events", '[');
		for (size_t at = 0; (rc = catalog_next(m, &at, &item, d)) > 0;)
			if (!item.unlisted)
				json_event(w, &item);
		put_str(w, "\n ]}");
	}
	put_str(w, "\n");
	json_end(w);
	return rc;
}

static int
print_json(struct diag *d, const struct owned_model *models, size_t n)
{
	struct wbuf w;
	if (wbuf_attach(&w, STDOUT_FILENO, "the standard output") < 0)
		return diag_no_memory(d);
	int rc = put_json(d, models, n, &w);
	int err = wbuf_close(&w);
	return err < 0 ? diag_error(d, ERR_WRITE, NULL, "cannot write the standard output: %s", strerror(-err)) : rc;
}

/* ---- Markdown. ---- */

static void
md_event(const struct catalog_item *item)
{
	const struct sig *s = &item->sig;
	(void)printf("| ");
	put_code(s->mcv);
	(void)printf(s->jumbo ? " | jumbo:" : " |");
	for (size_t i = 0; i < s->nargs; i++)
		(void)printf("%s `%s %s`", i ? "," : "", sig_type_name(s->args[i].type), s->args[i].name);
	(void)printf(" | ");
	put_md(item->meaning);
	(void)printf("%s |\n", item->any_value ? " (any third letter that no other event has)" : "");
}

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
md_value(int64_t value, const char *label, bool *any)
{
	if (!*any)
		(void)printf("\n| value | label |\n|---|---|\n");
	*any = true;
	(void)printf("| %" PRId64 " | ", value);
	put_md(label);
	(void)printf(" |\n");
}

/* The labels of a channel, in the order of the PCF. */
static void
md_labels(const struct values *v, bool *any)
{
	for (size_t i = 0; i < v->chan->nlabels; i++)
		md_value(v->chan->labels[i].value, v->chan->labels[i].text, any);
	for (size_t i = 0; v->model && i < v->model->nstates; i++)
		if (v->model->states[i].chan == v->index && !is_listed(v, i))
			md_value(v->model->states[i].value, v->model->states[i].label, any);
}

static void
md_values(const struct values *v)
{
	bool any = false;
	md_labels(v, &any);
	if (!any)
		(void)printf("* no fixed labels: numbers, or labels that the trace brings\n");
}

static void
md_view(const char *dir, const char *model, const struct chan_decl *c)
{
	if (c->view.file)
		(void)printf(", `cfg/%s/%s/%s.cfg`", dir, model, c->view.file);
}

static void
md_chan(const struct model *m, int index)
{
	static const char *const kinds[] = {
		[CHAN_SINGLE] = "a single value",
		[CHAN_STACK] = "a stack: the last value entered shows",
		[CHAN_PUNCTUAL] = "punctual values",
	};
	const struct chan_decl *c = &m->chans[index];
	bool cpu = c->cpu_track != TRACK_HIDDEN && c->cpu_track != TRACK_ANY;
	(void)printf("\n### ");
	put_md(c->title);
	(void)printf("\n\n* type %d, %s", c->prv_type, kinds[c->kind]);
	if (c->kind != CHAN_PUNCTUAL)
		(void)printf("; %s", c->dup == DUP_ERROR ? "entering the value that shows is an error" : "the value that shows may be entered again");
	(void)printf("\n* thread rows: %s", shown_when(c->thread_track));
	if (c->thread_track != TRACK_HIDDEN)
		md_view("thread", m->name, c);
	(void)printf("\n* CPU rows: %s", cpu ? shown_when(c->cpu_track) : shown_when(TRACK_HIDDEN));
	if (cpu)
		md_view("cpu", m->name, c);
	if (c->initial)
		(void)printf("\n* %" PRId64 " before the first event", c->initial);
	if (c->idle)
		(void)printf("\n* %" PRId64 " in a CPU row without such a thread", c->idle);
	(void)printf("\n");
	struct values v = { .model = m, .chan = c, .index = index };
	md_values(&v);
}

static void
md_breakdown(const struct model *m)
{
	const struct breakdown_decl *b = m->breakdown;
	(void)printf("\n### ");
	put_md(b->title);
	(void)printf("\n\n* type %d, the breakdown in `%s.prv`", b->prv_type, b->file);
	if (b->view.file)
		(void)printf(", `cfg/cpu/%s/%s.cfg`", m->name, b->view.file);
	(void)printf("\n* with `ovniemu -b` only; the rows are the CPUs, sorted by value\n"
		     "* task types too, with the labels that the trace brings\n");
	bool any = false;
	const int chans[] = { b->state, b->idle };
	for (size_t i = 0; i < sizeof(chans) / sizeof(chans[0]); i++)
		if (chans[i] >= 0)
			md_labels(&(struct values){ .model = m, .chan = &m->chans[chans[i]], .index = chans[i] }, &any);
}

/* The views that every trace has, whatever the models. */
static void
md_base(void)
{
	static const char *const dirs[] = { [ROW_THREAD] = "thread", [ROW_CPU] = "cpu" };
	static const char *const names[] = { [ROW_THREAD] = "thread", [ROW_CPU] = "CPU" };
	(void)printf("\n## Threads and CPUs\n\nThese views are there in every trace, whatever the models.\n");
	for (int rows = 0; rows < ROW_CLASSES; rows++) {
		for (int i = 0; i < NBASE; i++) {
			const struct chan_decl *c = &base_chans[rows][i];
			if (!*c->name)
				continue;
			(void)printf("\n### ");
			put_md(c->title);
			(void)printf("\n\n* type %d, %s rows", c->prv_type, names[rows]);
			md_view(dirs[rows], "ovni", c);
			(void)printf("\n");
			struct values v = { .chan = c };
			md_values(&v);
		}
	}
}

static void
md_need(const struct model *m)
{
	const char *state = m->need & NEED_RUNNING ? "be running" : m->need & NEED_ACTIVE ? "be active (running, cooling or warming)"
											  : "";
	const char *in_cpu = m->need & NEED_IN_CPU ? "not be taken out of its CPU by the kernel" : "";
	if (*state || *in_cpu)
		(void)printf("The thread of an event must %s%s%s.", state, *state && *in_cpu ? " and " : "", in_cpu);
	else
		(void)printf("The thread of an event may be in any state.");
}

static int
md_events(struct diag *d, const struct model *m)
{
	struct catalog_item item;
	bool any = false;
	int rc;
	for (size_t at = 0; (rc = catalog_next(m, &at, &item, d)) > 0;) {
		if (item.unlisted)
			continue;
		if (!any)
			(void)printf("\n| event | arguments | meaning |\n|---|---|---|\n");
		any = true;
		md_event(&item);
	}
	return rc;
}

static int
print_md(struct diag *d, const struct owned_model *models, size_t n)
{
	(void)printf("# Events and views\n\n"
		     "<!-- made by ovnievents; do not edit: run meson compile update-events -->\n\n"
		     "What a trace may hold and what its timelines show, model by model. An event is named by\n"
		     "three characters; its arguments follow each other in this order, without gaps, little\n"
		     "endian. A `str` ends with a NUL. Those of a jumbo event stand behind its size.\n\n"
		     "*Active* is a thread that is running, cooling or warming. A value of 0 is no value. CPU\n"
		     "rows may also show 777 where several threads run in a CPU, and 666 where the thread is\n"
		     "known but hides the value.\n");
	bool base = false;
	for (size_t i = 0; i < n; i++)
		base = base || models[i].model->always;
	if (base)
		md_base();
	for (size_t i = 0; i < n; i++) {
		const struct model *m = models[i].model;
		(void)printf("\n## %s (`%c`)\n\nVersion %s%s. ", m->name, m->id, m->version, m->always ? ", enabled in every trace" : "");
		md_need(m);
		(void)printf("\n");
		if (md_events(d, m) < 0)
			return -1;
		for (size_t k = 0; k < m->nchans; k++)
			md_chan(m, (int)k);
		if (m->breakdown)
			md_breakdown(m);
	}
	return 0;
}

/* ---- The tool. ---- */

/* Names of all models, with commas. */
static const char *
list_models(const struct model_set *set, char *names, size_t size)
{
	size_t at = 0;
	names[0] = '\0';
	for (size_t i = 0; i < set->n && at < size; i++)
		at += (size_t)snprintf(names + at, size - at, "%s%s", i ? ", " : "", set->items[i].model->name);
	return names;
}

/* Reads the options, and prints. Returns the exit status. */
static int
run(struct diag *d, struct plugins *plugins, int argc, char **argv)
{
	const struct model_set *set = &plugins->set;
	char names[1024];
	char footer[1100];
	(void)snprintf(footer, sizeof(footer), "Models: %s\nManual: man ovnievents\n", list_models(set, names, sizeof(names)));
	int json = 0;
	const char *name = NULL;
	const struct cli_option options[] = {
		{ 'f', "format", "text|json", "Markdown (default), or the events alone as JSON", CLI_WORD, &json, CLI_WORDS(cli_text_or_json) },
		{ CLI_JSON(&json, 1) },
		{ OPT_MODEL, "model", "NAME", "print this model only; FILE: load one" },
	};
	const struct cli cli = {
		.program = d->program,
		.synopsis = "[options]",
		.about = "Print the reference of the events of all models, and of what they show.",
		.footer = footer,
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
	};
	int opt;
	int rc = 0;
	while (rc == 0 && (opt = cli_next(&cli, argc, argv)) >= 0) {
		if (plugin_is_file(optarg))
			rc = cli_list_add(&cli, "--model", &plugins->files, optarg);
		else
			name = optarg;
	}
	opt = cli_none(&cli, rc < 0 ? rc : opt, argc, argv);
	if (opt == CLI_END)
		opt = plugins_load(plugins, &cli, d);
	if (opt != CLI_END)
		return cli_status(opt);
	const struct owned_model *models = set->items;
	size_t n = name ? 1 : set->n;
	while (name && models < set->items + set->n && strcmp(models->model->name, name) != 0)
		models++;
	if (models == set->items + set->n)
		return cli_status(cli_usage(&cli, "there is no model '%s', only %s", name, list_models(set, names, sizeof(names))));

	if (json)
		return print_json(d, models, n) < 0;
	rc = print_md(d, models, n);
	int written = cli_status(cli_written(&cli));
	return rc == 0 ? written : 1;
}

int
main(int argc, char **argv)
{
	struct diag d = { .program = "ovnievents" };
	struct plugins plugins = { 0 };
	int status = registry_add(&plugins.set, &d) < 0 ? 1 : run(&d, &plugins, argc, argv);
	plugins_close(&plugins);
	return status;
}
