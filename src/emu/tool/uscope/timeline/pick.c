/* SPDX-License-Identifier: MIT */
#include "timeline.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool
fits(const char *pattern, const char *text)
{
	return text && (strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0);
}

/* The part of a pattern behind its class, such as "cpu/"; NULL: it names another class. A pattern
 * without a class fits all. */
static const char *
of_class(const char *pattern, const struct tlclass *c)
{
	for (const char *const *k = (const char *const[]){ "thread/", "cpu/", "breakdown/", "proc/", NULL }; *k; k++) {
		size_t n = strlen(*k);
		if (strncmp(pattern, *k, n) == 0)
			return strlen(c->name) + 1 == n && strncmp(c->name, *k, n - 1) == 0 ? pattern + n : NULL;
	}
	return pattern;
}

/* Whether a pattern fits a row or a channel of that number and of one of these names, of which the
 * first may have a slash. */
static bool
is_named(const char *pattern, const struct tlclass *c, uint32_t number, const char *const names[3])
{
	char text[16];
	(void)snprintf(text, sizeof(text), "%" PRIu32, number);
	const char *rest = of_class(pattern, c);
	bool is = fits(pattern, names[0]) || (rest && strcmp(rest, text) == 0);
	for (int i = 0; i < 3 && rest && !is; i++)
		is = fits(rest, names[i]);
	return is;
}

static bool
no_row(struct tlfile *f, const char *pattern)
{
	f->tool->status = conv_usage(&f->tool->conv, "no row of %s is '%s'", f->src->path, pattern);
	return false;
}

/* Names those that there are. */
static bool
no_channel(struct tlfile *f, const char *pattern)
{
	char list[1000] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < f->nchannels && n < sizeof(list); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s/%s", i ? ", " : "", f->classes[f->channels[i].class].name, f->channels[i].name);
	f->tool->status = conv_usage(&f->tool->conv, "no channel of %s is '%s': it has %s%s", f->src->path, pattern, list, n < sizeof(list) ? "" : "...");
	return false;
}

static bool
pick_rows(struct tlpick *p, const struct tlfile *f, const char *pattern)
{
	bool any = false;
	for (int k = 0; k < TL_CLASSES; k++) {
		const struct tlclass *c = &f->classes[k];
		for (uint32_t i = p->nrows[k]; i < c->nrows; i++) {
			bool is = is_named(pattern, c, i + 1, (const char *const[]){ c->names[i], c->labels[i], NULL });
			p->rows[k][i] = p->rows[k][i] || is;
			any = any || is;
		}
	}
	return any;
}

static bool
pick_channels(struct tlpick *p, struct tlfile *f, const char *pattern)
{
	bool any = false;
	for (uint32_t i = 0; i < f->nchannels; i++) {
		const struct tlchannel *ch = &f->channels[i];
		const char *field = ch->class == TL_BREAKDOWN ? "breakdown" : f->src->schema->storages[ch->storage].fields[ch->field].name;
		bool is = is_named(pattern, &f->classes[ch->class], ch->type, (const char *const[]){ ch->label, ch->name, field });
		p->channels[i] = p->channels[i] || is;
		any = any || is;
	}
	return any || no_channel(f, pattern);
}

bool
tlpick_make(struct tlpick *p, struct tlfile *f, const struct tlpatterns *patterns)
{
	*p = (struct tlpick){ .channels = arena_new(&f->arena, bool, f->nchannels), .by_channel = patterns->nchannels > 0, .patterns = patterns };
	bool good = p->channels;
	for (int k = 0; k < TL_CLASSES; k++) {
		p->rows[k] = arena_new(&f->arena, bool, f->classes[k].nslots);
		good = good && p->rows[k];
	}
	if (!good) {
		f->tool->status = conv_no_memory(&f->tool->conv);
		return false;
	}
	for (int k = 0; k < TL_CLASSES && patterns->nrows == 0; k++)
		memset(p->rows[k], true, f->classes[k].nslots);
	if (patterns->nchannels == 0)
		memset(p->channels, true, f->nchannels);
	for (size_t i = 0; i < patterns->nrows && good; i++)
		good = pick_rows(p, f, patterns->rows[i]) || no_row(f, patterns->rows[i]);
	for (int k = 0; k < TL_CLASSES; k++)
		p->nrows[k] = f->classes[k].nrows;
	for (size_t i = 0; i < patterns->nchannels && good; i++)
		good = pick_channels(p, f, patterns->channels[i]);
	return good;
}

void
tlpick_more(struct tlpick *p, const struct tlfile *f)
{
	for (size_t i = 0; i < p->patterns->nrows; i++)
		(void)pick_rows(p, f, p->patterns->rows[i]);
	for (int k = 0; k < TL_CLASSES; k++)
		p->nrows[k] = f->classes[k].nrows;
}
