/* SPDX-License-Identifier: MIT */
/* The subcommand new: a project with a model, which builds and passes its test. */
#include "free.h"
#include "kit/outdir.h"
#include "puttext.h"
#include "tool.h"

#include <ctype.h>
#include <errno.h>
#include <sys/stat.h>

enum {
	NAME_MOST = 32,
};

/* The files of new/, in which @WORDS@ are replaced: c/ and json/ are of models of that form. */
static const struct file {
	const char *name;
	const char *text;
} files[] = {
#include "new_files.h"
};

struct project {
	struct conv *conv;
	const char *dir;
	const char *name;
	bool json;
	char file[NAME_MOST + 8];  /* of the model */
	char made[NAME_MOST + 24]; /* what --model takes */
	char title[NAME_MOST + 1];
	char letter;
	int types[2];
};

static bool
is_name(const char *name)
{
	size_t n = strlen(name);
	return islower((unsigned char)*name) && n <= NAME_MOST && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

/* The first letter of the name, or one that is free; 0: none is. */
static char
choose_letter(const struct model_set *set, const char *name)
{
	for (const char *p = name; *p; p++)
		if (islower((unsigned char)*p) && !modelset_find(set, (uint8_t)*p))
			return *p;
	for (int c = 'a'; c <= 'z'; c++)
		if (!modelset_find(set, (uint8_t)c))
			return (char)c;
	return 0;
}

static bool
has_type(const struct model_set *set, int type)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct model *m = set->items[i].model;
		for (size_t k = 0; k < m->nchans; k++)
			if (m->chans[k].prv_type == type)
				return true;
		if (m->breakdown && m->breakdown->prv_type == type)
			return true;
	}
	return false;
}

static int
choose(struct project *p, const struct model_set *set)
{
	size_t n = 0;
	if (modelset_named(set, p->name, strlen(p->name)))
		return conv_error(p->conv, "model-clash", "there is a model %s", p->name);
	p->letter = choose_letter(set, p->name);
	for (int type = FREE_TYPES; type < FREE_TYPES_END && n < 2; type++)
		if (!has_type(set, type))
			p->types[n++] = type;
	if (!p->letter || n < 2)
		return conv_error(p->conv, "model-clash", "no letter or no PRV type is free for models outside ovniscope");
	(void)snprintf(p->title, sizeof(p->title), "%s", p->name);
	p->title[0] = (char)toupper((unsigned char)p->title[0]);
	return 0;
}

/* Prints a text with what stands for the words in it. */
static void
put_file(const struct project *p, struct wbuf *w, const char *text)
{
	char numbers[2][12];
	const char letter[] = { p->letter, 0 };
	(void)snprintf(numbers[0], sizeof(numbers[0]), "%d", p->types[0]);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%d", p->types[1]);
	const struct {
		const char *word;
		const char *value;
	} words[] = {
		{ "@NAME@", p->name },
		{ "@TITLE@", p->title },
		{ "@FILE@", p->file },
		{ "@MODEL@", p->made },
		{ "@SCHEMA@", MODEL_SCHEMA },
		{ "@LETTER@", letter },
		{ "@TYPE1@", numbers[0] },
		{ "@TYPE2@", numbers[1] },
	};
	while (*text) {
		size_t i = 0;
		while (i < sizeof(words) / sizeof(words[0]) && strncmp(text, words[i].word, strlen(words[i].word)) != 0)
			i++;
		if (i < sizeof(words) / sizeof(words[0])) {
			put_str(w, words[i].value);
			text += strlen(words[i].word);
		} else {
			wbuf_put(w, text++, 1);
		}
	}
}

/* Whether the file is of the project, and its name there: without what keeps builds and tools here from taking
 * it for theirs. */
static bool
is_wanted(const struct project *p, const struct file *f, char *name, size_t size)
{
	const char *base = strchr(f->name, '/') + 1;
	const char *end = strstr(base, ".in");
	int n = end ? (int)(end - base) : (int)strlen(base);
	if (strncmp(f->name, p->json ? "c/" : "json/", p->json ? 2 : 5) == 0)
		return false;
	if (strncmp(base, "model.", 6) == 0)
		(void)snprintf(name, size, "%s", p->file);
	else
		(void)snprintf(name, size, "%.*s", n, base);
	return true;
}

static int
write_file(const struct project *p, const struct file *f)
{
	struct diag *d = &p->conv->diag;
	char name[NAME_MOST + 16];
	if (!is_wanted(p, f, name, sizeof(name)))
		return 0;
	const char *path = arena_printf(&mtool_of(p->conv)->arena, "%s/%s", p->dir, name);
	if (!path)
		return diag_no_memory(d);
	struct wbuf w = { 0 };
	mode_t mask = umask(0);
	(void)umask(mask);
	int err = wbuf_open(&w, path);
	if (err == 0) {
		put_file(p, &w, f->text);
		err = wbuf_close(&w);
	}
	if (err == 0 && strstr(name, ".sh") && chmod(path, 0777 & ~mask) != 0)
		err = -errno;
	return err < 0 ? diag_io(d, ERR_WRITE, "write", path, -err) : 0;
}

static int
run(struct conv *c, int argc, char **argv)
{
	struct mtool *t = mtool_of(c);
	if (argc != 1)
		return conv_usage(c, "the name of the model is needed");
	struct project p = { .conv = c, .dir = argv[0], .json = t->json };
	const char *slash = strrchr(p.dir, '/');
	p.name = slash ? slash + 1 : p.dir;
	if (!is_name(p.name))
		return conv_usage(c, "the name '%s': a small letter is expected, then up to %d small letters, digits and '_'", p.name, NAME_MOST - 1);
	if (strcmp(p.name, "program") == 0)
		return conv_usage(c, "the name 'program' is that of the program of the project: another one is expected");
	(void)snprintf(p.file, sizeof(p.file), "%s.%s", p.name, p.json ? "json" : "c");
	(void)snprintf(p.made, sizeof(p.made), p.json ? "%s.json" : "build/%s_model.so", p.name);
	int rc = mtool_ready(t);
	if (rc == 0)
		rc = choose(&p, &t->plugins.set);
	if (rc == 0)
		rc = mtool_folder(t, p.dir);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && rc == 0; i++)
		rc = write_file(&p, &files[i]);
	if (rc == 0 && !c->quiet)
		diag_tell(&c->diag, DIAG_QUIET, "model %s, letter %c, PRV types %d and %d; now: cd %s && meson setup build && meson test -C build",
			p.name, p.letter, p.types[0], p.types[1], p.dir);
	return rc;
}

const struct conv_command mcommand_new = {
	.name = "new",
	.synopsis = "[options] FOLDER",
	.brief = "make a project with a new model",
	.about = "Make FOLDER, a project with a model of that name, which passes its tests.",
	.with = MTOOL_WITH_MODEL | MTOOL_WITH_FORCE | MTOOL_WITH_JSON,
	.max_args = 1,
	.run = run,
};
