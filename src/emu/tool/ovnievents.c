/* SPDX-License-Identifier: MIT */
/* ovnievents: the reference of all events and views, from the declarations of the models. */
#include "look/reference.h"
#include "kit/cli.h"
#include "kit/plugin.h"
#include "jsonout.h"
#include "registry.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_MODEL = 256,
};

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
put_md(struct diag *d, const struct owned_model *models, size_t n, struct wbuf *w)
{
	const struct reference r = { .w = w };
	bool base = false;
	put_str(w, "# Events and views\n\n"
		   "<!-- made by ovnievents; do not edit: run meson compile update-events -->\n");
	reference_put_words(&r);
	for (size_t i = 0; i < n; i++)
		base = base || models[i].model->always;
	if (base)
		reference_put_base(&r);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = reference_put_model(&r, d, models[i].model);
	return rc;
}

static int
print(struct diag *d, const struct owned_model *models, size_t n, bool json)
{
	struct wbuf w;
	if (wbuf_attach(&w, STDOUT_FILENO, "the standard output") < 0)
		return diag_no_memory(d);
	int rc = json ? put_json(d, models, n, &w) : put_md(d, models, n, &w);
	int err = wbuf_close(&w);
	return err < 0 ? diag_error(d, ERR_WRITE, NULL, "cannot write the standard output: %s", strerror(-err)) : rc;
}

/* ---- The tool. ---- */

enum {
	MODELS_A_LINE = 8,
};

/* Names of all models, with commas; in several lines for --help. */
static const char *
list_models(const struct model_set *set, char *names, size_t size, bool lines)
{
	size_t at = 0;
	names[0] = '\0';
	for (size_t i = 0; i < set->n && at < size; i++)
		at += (size_t)snprintf(names + at, size - at, "%s%s", !i ? "" : i % MODELS_A_LINE || !lines ? ", "
													    : ",\n        ",
			set->items[i].model->name);
	return names;
}

/* Reads the options, and prints. Returns the exit status. */
static int
run(struct diag *d, struct plugins *plugins, int argc, char **argv)
{
	const struct model_set *set = &plugins->set;
	char names[1024];
	char footer[1100];
	(void)snprintf(footer, sizeof(footer), "Models: %s\nManual: man ovnievents\n", list_models(set, names, sizeof(names), true));
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
		return cli_status(cli_usage(&cli, "there is no model '%s', only %s", name, list_models(set, names, sizeof(names), false)));

	return print(d, models, n, json) < 0;
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
