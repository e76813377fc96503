/* SPDX-License-Identifier: MIT */
/* The subcommand check: what is wrong with a model, or will surprise its users. What cannot be used at
 * all is refused when it is loaded, as by all tools. */
#include "decl/decl.h"
#include "decl/observe.h"
#include "free.h"
#include "puttext.h"
#include "tool.h"

#include <ctype.h>
#include <inttypes.h>

struct check {
	struct conv *conv;
	const struct model *m;
	const char *file;
	struct json_text json;           /* of a model without code, or zeros */
	const struct declared *declared; /* it, or NULL */
	const void *decl;                /* channel, state or event that is being checked; NULL: the model, */
	const char *where;               /* unless this tells the place */
	bool ours;                       /* of ovniscope */
	bool hooks;                      /* what they do to channels is not known */
	unsigned errors;
	unsigned warnings;
};

/* Tells, with the file, and of JSON the line. */
static void __attribute__((format(printf, 3, 0)))
tell(struct check *c, const char *error, const char *fmt, va_list ap)
{
	char path[200];
	char place[4200];
	(void)snprintf(place, sizeof(place), "%s", c->where ? c->where : c->file);
	if (c->json.root && !c->where)
		(void)snprintf(place, sizeof(place), "%s:%zu", c->file, json_where(&c->json, decl_item(&c->json, c->m, c->decl), path, sizeof(path)));
	diag_say(&c->conv->diag, error, &(struct place){ .file = place }, fmt, ap);
}

static void __attribute__((format(printf, 2, 3)))
warn(struct check *c, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	c->warnings++;
	if (!c->conv->quiet)
		tell(c, NULL, fmt, ap);
	va_end(ap);
}

static void __attribute__((format(printf, 2, 3)))
fail(struct check *c, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	c->errors++;
	tell(c, "model", fmt, ap);
	va_end(ap);
}

/* What a hint says of a file in C or in JSON. */
static const char *
say(const struct check *c, const char *in_c, const char *in_json)
{
	return c->json.root ? in_json : in_c;
}

static bool
is_blank(const char *text)
{
	return !text || !text[strspn(text, " \t")];
}

/* ---- The model. ---- */

static void
check_head(struct check *c)
{
	const struct model *m = c->m;
	if (!c->ours && !islower((unsigned char)m->id))
		warn(c, "the letter '%c' of %s may become one of a model of ovniscope\nhint: small letters never will: ovniscope-model free", m->id, m->name);
	if (m->nstates * 2 + m->nevents == 0 && !m->observes && !m->connect)
		fail(c, "%s has no states and no events\nhint: %s", m->name, say(c, "set STATES(states) or EVENTS(events) in its struct model", "give it \"states\" or \"events\""));
	if (m->nchans == 0 && !m->create)
		warn(c, "%s has no channels: nothing of it will be shown\nhint: %s", m->name, say(c, "set CHANS(chans) in its struct model", "give it \"channels\""));
}

/* ---- Channels. ---- */

static void
check_type(struct check *c, int type, const char *chan)
{
	if (!c->ours && (type < FREE_TYPES || type >= FREE_TYPES_END))
		warn(c, "the PRV type %d (%s) may become one of a model of ovniscope\nhint: %d to %d never will: ovniscope-model free", type, chan, FREE_TYPES, FREE_TYPES_END - 1);
}

/* Whether something that is declared changes the channel. */
static bool
is_used(const struct check *c, int chan)
{
	const struct model *m = c->m;
	for (size_t i = 0; i < m->nstates; i++)
		if (m->states[i].chan == chan && (m->states[i].enter || m->states[i].leave))
			return true;
	for (size_t i = 0; i < m->nevents; i++)
		if (m->events[i].op > OP_IGNORE && m->events[i].chan == chan)
			return true;
	for (size_t i = 0; c->declared && i < c->declared->nobservers; i++)
		if (c->declared->observers[i].chan == chan)
			return true;
	return false;
}

/* A value that Paraver can show with a label. */
static void
check_value(struct check *c, const struct chan_decl *k, int64_t value, const char *label)
{
	const char *chan = k->name;
	if (value == 0 && k->of == OF_THREAD)
		fail(c, "the value 0 of the channel %s (\"%s\") is nothing, and cannot be seen\nhint: number from 1 on", chan, label);
	else if (value < 0 || value > INT32_MAX)
		warn(c, "Paraver has no label for the value %" PRId64 " of the channel %s (\"%s\")\nhint: take one from 1 to %d", value, chan, label, INT32_MAX);
	if (is_blank(label) || strpbrk(label, "\r\n"))
		warn(c, "the label of the value %" PRId64 " of the channel %s is empty, or not one line", value, chan);
}

/* Whether a view has the name that the emulator gives to the histograms of another. */
static bool
is_histogram_of(const char *file, const char *other)
{
	size_t n = strlen(other);
	return strncmp(file, other, n) == 0 && strcmp(file + n, "-histogram") == 0;
}

static void
check_chan(struct check *c, int index)
{
	const struct model *m = c->m;
	const struct chan_decl *k = &m->chans[index];
	c->decl = k;
	check_type(c, k->prv_type, k->name);
	for (size_t i = 0; i < k->nlabels; i++)
		check_value(c, k, k->labels[i].value, k->labels[i].text);
	for (int i = 0; i < index; i++) {
		const struct chan_decl *o = &m->chans[i];
		if ((o->of == OF_THREAD) != (k->of == OF_THREAD))
			continue; /* they are in different files */
		if (strcmp(o->title, k->title) == 0)
			fail(c, "the channels %s and %s have the title \"%s\", and Paraver knows channels by it", o->name, k->name, k->title);
		if (!o->view.file || !k->view.file)
			continue;
		if (strcmp(o->view.file, k->view.file) == 0)
			fail(c, "the channels %s and %s have the view %s.cfg: only one of them is written", o->name, k->name, k->view.file);
		if (is_histogram_of(o->view.file, k->view.file) || is_histogram_of(k->view.file, o->view.file))
			fail(c, "the views %s.cfg and %s.cfg clash: one of them has the name of the histograms of the other", o->view.file, k->view.file);
	}
	bool hidden = k->thread_track == TRACK_HIDDEN && (k->cpu_track == TRACK_HIDDEN || k->cpu_track == TRACK_ANY);
	if (hidden)
		warn(c, "the channel %s is shown nowhere\nhint: set %s", k->name, say(c, ".thread_track or .cpu_track to TRACK_RUNNING or TRACK_ACTIVE", "\"thread\" or \"cpu\" to \"running\" or \"active\""));
	else if (!k->view.file)
		warn(c, "the channel %s has no view: Paraver shows it only to who makes one\nhint: set %s\"%s\" }", k->name, say(c, ".view = { .file = ", "\"view\": { \"file\": "), k->name);
	if (!is_used(c, index) && !c->hooks)
		warn(c, "nothing changes the channel %s\nhint: give it %s, or take it out", k->name, say(c, "states or events", "states, events or an observer"));
}

/* ---- States. ---- */

static bool
is_set_by(const struct event_decl *e, const struct state_decl *s)
{
	if (e->op <= OP_IGNORE || e->chan != s->chan || e->op == OP_CLEAR || e->op == OP_POP || e->op == OP_POP_ARG || e->op == OP_LABEL)
		return false;
	bool constant = e->op == OP_SET || e->op == OP_PUSH || e->op == OP_PUNCTUAL;
	return !constant || e->value == s->value;
}

static bool
is_reached(const struct model *m, const struct state_decl *s)
{
	for (size_t i = 0; i < m->nstates; i++)
		if (m->states[i].chan == s->chan && m->states[i].value == s->value && m->states[i].enter)
			return true;
	for (size_t i = 0; i < m->nevents; i++)
		if (is_set_by(&m->events[i], s))
			return true;
	return false;
}

static bool
is_left(const struct model *m, const struct state_decl *s)
{
	for (size_t i = 0; i < m->nstates; i++)
		if (m->states[i].chan == s->chan && m->states[i].value == s->value && m->states[i].leave)
			return true;
	for (size_t i = 0; i < m->nevents; i++)
		if (m->events[i].op > OP_IGNORE && m->events[i].chan == s->chan)
			return true;
	return m->chans[s->chan].kind != CHAN_STACK;
}

static void
check_state(struct check *c, const struct state_decl *s)
{
	const struct model *m = c->m;
	const char *chan = m->chans[s->chan].name;
	c->decl = s;
	check_value(c, &m->chans[s->chan], s->value, s->label);
	if (!is_reached(m, s) && !c->hooks)
		fail(c, "no event enters the state \"%s\" of the channel %s\nhint: give it the letters of one, or take it out", s->label, chan);
	if (s->enter && !is_left(m, s) && !c->hooks)
		warn(c, "no event leaves the state \"%s\" of the stack %s, which only grows\nhint: give it the letters of one", s->label, chan);
	if ((s->enter || s->leave) && is_blank(s->text))
		warn(c, "the state \"%s\" of the channel %s has no words\nhint: \"enters|leaves ...\" is what ovnidump says of its two events", s->label, chan);
	else if (s->enter && s->leave && !strchr(s->text, '|'))
		warn(c, "%s and %s have the same words, \"%s\"\nhint: \"enters|leaves ...\" tells them apart", s->enter, s->leave, s->text);
	for (const struct state_decl *o = m->states; o < s; o++)
		if (o->chan == s->chan && o->value != s->value && strcmp(o->label, s->label) == 0)
			warn(c, "two values of the channel %s have the label \"%s\": %" PRId64 " and %" PRId64, chan, s->label, o->value, s->value);
}

/* ---- Events. ---- */

static void
check_event(struct check *c, const struct event_decl *e)
{
	struct sig sig;
	const char *why;
	c->decl = e;
	if (sig_parse(e->sig, &sig, &why) < 0)
		return; /* it was refused before */
	if (e->value == 0 && (e->op == OP_SET || e->op == OP_PUSH || e->op == OP_PUNCTUAL) && c->m->chans[e->chan].of == OF_THREAD)
		fail(c, "%s gives the channel %s the value 0, which is nothing, and cannot be seen\nhint: number from 1 on; %s clears a channel", sig.mcv, c->m->chans[e->chan].name, say(c, "OP_CLEAR", "\"clear\""));
	if (is_blank(e->text))
		warn(c, "the event %s has no words\nhint: ovnidump says what it does with them", sig.mcv);
	for (size_t i = 0; i < sig.nargs; i++) {
		char name[SIG_NAME_MAX + 3];
		(void)snprintf(name, sizeof(name), "{%s}", sig.args[i].name);
		if (!is_blank(e->text) && !strstr(e->text, name))
			warn(c, "the words of %s do not have its argument %s\nhint: %%%s shows it in ovnidump", sig.mcv, sig.args[i].name, name);
	}
	if (!sig.jumbo && sig.size > 16)
		fail(c, "%s has %" PRIu32 " bytes of arguments, and an event holds 16\nhint: '+' behind the letters makes it a jumbo event", sig.mcv, sig.size);
	if (!sig.jumbo && sig.size == 1)
		warn(c, "%s has one byte of arguments, and a stream has 0 or 2 to 16: a byte of padding will follow", sig.mcv);
}

/* ---- Observers of a model without code. ---- */

/* Whether a known model has the channel MODEL.CHANNEL. */
static bool
is_chan(const struct model_set *set, const char *name)
{
	size_t n = strcspn(name, ".");
	const struct model *m = modelset_named(set, name, n);
	bool is = false;
	for (size_t i = 0; m && i < m->nchans; i++)
		is = is || strcmp(m->chans[i].name, name + n + 1) == 0;
	return is || strcmp(name, "thread.state") == 0 || strcmp(name, "thread.cpu") == 0 || strcmp(name, "thread.tid") == 0;
}

static void
check_observer(struct check *c, const struct observer *o)
{
	const struct mtool *t = mtool_of(c->conv);
	const char *source = o->mirror ? o->mirror : o->count;
	c->where = o->where;
	if (source && !is_chan(&t->plugins.set, source))
		warn(c, "no known model has the channel %s\nhint: --model adds the model in a file", source);
	for (size_t i = 0; i < o->nevents; i++)
		if (!catalog_find(&t->catalog, (const uint8_t *)o->events[i]))
			warn(c, "no known model has the event %s\nhint: --model adds the model in a file", o->events[i]);
}

static int
run(struct conv *c, int argc, char **argv)
{
	const struct owned_model *o;
	int rc = mtool_pick(c, argc, argv, &o);
	if (rc == 0)
		rc = conv_open_output(c, NULL);
	if (rc != 0)
		return rc;
	const struct model *m = o->model;
	struct check k = { .conv = c, .m = m, .file = o->owner, .ours = strcmp(o->owner, MODELSET_OURS) == 0 };
	bool json = plugin_is_json(o->owner);
	if (json && json_text_load(&c->diag, o->owner, DECL_FILE_MAX, "a model", &k.json) < 0)
		return -1;
	k.declared = json ? (const struct declared *)m : NULL;
	k.hooks = !json && (m->pre || m->emit || m->post || m->create || m->connect || m->finish);
	for (size_t i = 0; i < m->nevents; i++)
		k.hooks = k.hooks || m->events[i].hook || m->events[i].emit || m->events[i].post;
	check_head(&k);
	k.decl = m->breakdown;
	if (m->breakdown)
		check_type(&k, m->breakdown->prv_type, "breakdown");
	for (size_t i = 0; i < m->nchans; i++)
		check_chan(&k, (int)i);
	for (size_t i = 0; i < m->nstates; i++)
		check_state(&k, &m->states[i]);
	for (size_t i = 0; i < m->nevents; i++)
		check_event(&k, &m->events[i]);
	for (size_t i = 0; json && i < k.declared->nobservers; i++)
		check_observer(&k, &k.declared->observers[i]);
	wbuf_printf(&c->out, "%s %s ('%c'): %zu channels, %zu states, %zu events: %u errors, %u warnings\n",
		m->name, m->version, m->id, m->nchans, m->nstates, m->nevents, k.errors, k.warnings);
	if (json)
		json_text_finish(&k.json);
	return k.errors ? 1 : 0;
}

const struct conv_command mcommand_check = {
	.name = "check",
	.synopsis = "[options] FILE|MODEL",
	.brief = "tell what is wrong with a model",
	.about = "Tell what is wrong with a model, or will surprise its users, and what to do.",
	.with = MTOOL_WITH_MODEL,
	.max_args = 1,
	.run = run,
};
