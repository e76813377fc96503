/* SPDX-License-Identifier: MIT */
/* ovnitop: how many events a trace has, by what they are, who emits them, or when. */
#include "kit/cli.h"
#include "top/count.h"
#include "jsonout.h"
#include "registry.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

enum {
	OPT_STEP = 256,
};

static const char *const keys[] = {
	[TOP_EVENT] = "event",
	[TOP_THREAD] = "thread",
	[TOP_PROCESS] = "process",
	[TOP_LOOM] = "loom",
	[TOP_MODEL] = "model",
	[TOP_TIME] = "time",
};

struct settings {
	struct play_options open;
	struct filter filter;
	enum top_by by;
	int64_t step;
	struct progress progress;
	bool bytes, rates;
	int json;
};

struct printer {
	struct wbuf out;
	struct wbuf name; /* of a row */
	const struct top *top;
	const struct settings *o;
	double seconds;   /* that the rates are of; 0: there is no rate */
	const char *unit; /* of the beginning of an interval */
	int64_t unit_ns;
};

/* ---- Names. ---- */

static void
choose_unit(struct printer *p)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };
	size_t i = 0;
	while (p->top->step % units[i].ns)
		i++;
	p->unit = units[i].name;
	p->unit_ns = units[i].ns;
}

static void
put_letters(struct wbuf *w, enum text_form form, const uint8_t *letters, int n)
{
	for (int i = 0; i < n; i++)
		put_letter(w, form, letters[i]);
}

/* Makes the name of a row, in p->name. Returns its length. */
static size_t
make_name(struct printer *p, const struct top_row *r)
{
	struct wbuf *w = &p->name;
	w->used = 0;
	if (p->top->by == TOP_EVENT)
		put_letters(w, TEXT_PLAIN, r->mcv, 3);
	else if (p->top->by == TOP_TIME && r->early)
		put_str(w, "before");
	else if (p->top->by == TOP_TIME)
		wbuf_printf(w, "%" PRIu64 "%s", r->time / (uint64_t)p->unit_ns, p->unit);
	else if (r->name)
		put_form(w, TEXT_PLAIN, r->name, strlen(r->name));
	else
		put_letters(w, TEXT_PLAIN, r->mcv, 1);
	return w->used;
}

/* ---- Text. ---- */

static void
print_rates(struct printer *p, const struct tally *t)
{
	if (p->seconds > 0)
		wbuf_printf(&p->out, " %14.1f %14.1f", (double)t->events / p->seconds, (double)t->bytes / p->seconds);
	else
		wbuf_printf(&p->out, " %14s %14s", "-", "-");
}

static void
print_text(struct printer *p)
{
	size_t width = 3;
	for (size_t i = 0; i < p->top->nrows; i++) {
		size_t n = make_name(p, &p->top->rows[i]);
		width = n > width ? n : width;
	}
	if (p->o->bytes || p->o->rates)
		wbuf_printf(&p->out, "#%-*s %10s%s%s\n", (int)(width - 1), keys[p->top->by], "events",
			p->o->bytes ? "        bytes" : "", p->o->rates ? "       events/s        bytes/s" : "");
	for (size_t i = 0; i < p->top->nrows; i++) {
		const struct tally *t = &p->top->rows[i].tally;
		int n = (int)make_name(p, &p->top->rows[i]);
		wbuf_printf(&p->out, "%-*.*s %10" PRIu64, (int)width, n, p->name.data, t->events);
		if (p->o->bytes)
			wbuf_printf(&p->out, " %12" PRIu64, t->bytes);
		if (p->o->rates)
			print_rates(p, t);
		put_str(&p->out, "\n");
	}
}

/* ---- JSON. ---- */

static void
json_known(struct printer *p, const char *key, const char *text)
{
	if (text)
		json_form(&p->out, key, TEXT_JSON_BYTES, text, strlen(text));
}

/* The members that say which events a row counts. */
static void
json_row_key(struct printer *p, const struct top_row *r)
{
	const struct thread_meta *m = r->stream ? &r->stream->meta : NULL;
	enum top_by by = p->top->by;
	switch (by) {
	case TOP_EVENT:
	case TOP_MODEL:
		json_key(&p->out, by == TOP_EVENT ? "event" : "letter");
		put_str(&p->out, "\"");
		put_letters(&p->out, TEXT_JSON_BYTES, r->mcv, by == TOP_EVENT ? 3 : 1);
		put_str(&p->out, "\"");
		json_known(p, "model", r->name);
		break;
	case TOP_TIME:
		if (!r->early)
			json_u64(&p->out, "from", r->time);
		break;
	default:
		json_known(p, "name", r->name);
		if (!m)
			break;
		json_known(p, "loom", m->loom);
		if (m->pid && by != TOP_LOOM)
			json_i64(&p->out, "process", m->pid);
		if (m->tid && by == TOP_THREAD)
			json_i64(&p->out, "thread", m->tid);
		break;
	}
}

static void
json_tally(struct printer *p, const struct tally *t)
{
	json_u64(&p->out, "events", t->events);
	json_u64(&p->out, "bytes", t->bytes);
	if (!p->o->rates || p->seconds <= 0)
		return;
	json_key(&p->out, "events_per_second");
	wbuf_printf(&p->out, "%.3f", (double)t->events / p->seconds);
	json_key(&p->out, "bytes_per_second");
	wbuf_printf(&p->out, "%.3f", (double)t->bytes / p->seconds);
}

static void
print_json(struct printer *p)
{
	const struct top *top = p->top;
	struct wbuf *w = &p->out;
	json_open(w, NULL, '{');
	json_str(w, "by", keys[top->by]);
	if (top->all.events) {
		json_i64(w, "first", top->first);
		json_i64(w, "last", top->last);
	}
	if (top->by == TOP_TIME) {
		json_i64(w, "origin", top->origin);
		json_i64(w, "step", top->step);
	}
	json_u64(w, "events", top->all.events);
	json_u64(w, "bytes", top->all.bytes);
	json_open(w, "rows", '[');
	for (size_t i = 0; i < top->nrows; i++) {
		json_newline(w);
		json_open(w, NULL, '{');
		json_row_key(p, &top->rows[i]);
		json_tally(p, &top->rows[i].tally);
		json_close(w, '}');
	}
	put_str(w, "\n]");
	json_end(w);
}

/* ---- The tool. ---- */

static int
print_rows(const struct top *top, const struct settings *o)
{
	struct diag *d = top->trace->diag;
	struct printer p = { .top = top, .o = o };
	if (top->by == TOP_TIME)
		p.seconds = (double)top->step / 1e9;
	else if (top->all.events)
		p.seconds = ((double)top->last - (double)top->first) / 1e9;
	if (wbuf_attach(&p.name, -1, "") < 0 || wbuf_attach(&p.out, STDOUT_FILENO, "the standard output") < 0) {
		(void)wbuf_close(&p.name);
		return diag_no_memory(d);
	}
	if (top->by == TOP_TIME)
		choose_unit(&p);
	if (o->json)
		print_json(&p);
	else
		print_text(&p);
	(void)wbuf_close(&p.name);
	int err = wbuf_close(&p.out);
	return err < 0 ? diag_io(d, ERR_WRITE, "write to", "the standard output", -err) : 0;
}

static int
run(struct diag *d, const char *dir, struct settings *o)
{
	struct trace t;
	struct top top = { .trace = &t, .filter = &o->filter, .by = o->by, .step = o->step };
	top.only_events = !o->bytes && !o->rates && !o->json;
	if (o->progress.wanted && d->level > DIAG_QUIET)
		top.progress = &o->progress;
	int rc = play_open(&t, d, dir, &o->open);
	if (rc == 0)
		rc = top_init(&top);
	if (rc == 0)
		rc = top_count(&top);
	if (rc == 0)
		rc = top_rows(&top);
	if (rc == 0)
		rc = print_rows(&top, o);
	if (rc == 0)
		filter_report(&o->filter, d, top.all.events);
	if (rc == 0)
		diag_info(d, "counted %" PRIu64 " events in %.2f s", top.all.events, progress_took(&o->progress));
	top_close(&top);
	trace_close(&t);
	return rc < 0 || d->errors ? 1 : 0;
}

static int
take_step(const struct cli *cli, struct settings *o, const char *text)
{
	struct when w;
	const char *why;
	if (!when_parse(text, &w, &why))
		return cli_usage(cli, "--step=%s: %s", text, why);
	if (w.ns <= 0)
		return cli_usage(cli, "--step must be above 0");
	o->step = w.ns;
	return 0;
}

int
main(int argc, char **argv)
{
	struct diag d = { .program = "ovnitop", .level = DIAG_NORMAL };
	struct plugins plugins = { 0 };
	struct settings o = { .filter.plugins = &plugins };
	const struct cli_option options[] = {
		{ 'b', "by", "event|thread|process|loom|model|time", "what to count by", CLI_WORD, &o.by, CLI_WORDS(keys) },
		{ OPT_STEP, "step", "TIME", "with --by=time: the length of an interval" },
		{ 'B', "bytes", NULL, "also print the bytes in the streams", CLI_FLAG, &o.bytes },
		{ 'R', "rates", NULL, "also print events and bytes per second of trace", CLI_FLAG, &o.rates },
		{ 'f', "format", "text|json", "how to print them", CLI_WORD, &o.json, CLI_WORDS(cli_text_or_json) },
		{ CLI_JSON(&o.json, 1) },
		{ PLAY_CORRECTED(&o.open) },
		{ PLAY_TABLE(&o.open) },
		FILTER_OPTIONS,
		{ CLI_PROGRESS(&o.progress) },
		{ CLI_QUIET(&d) },
		{ CLI_VERBOSE(&d) },
	};
	const struct cli cli = {
		.program = d.program,
		.synopsis = "[options] TRACEDIR",
		.about = "Count the events of the trace in TRACEDIR; the most frequent come first.",
		.footer = FILTER_FOOTER "Manual: man ovnitop\n",
		.options = options,
		.noptions = sizeof(options) / sizeof(options[0]),
	};
	if (registry_add(&plugins.set, &d) < 0)
		return 1;
	progress_init(&o.progress);

	int opt;
	int rc = 0;
	while (rc == 0 && (opt = cli_next(&cli, argc, argv)) >= 0)
		rc = opt == OPT_STEP ? take_step(&cli, &o, optarg) : filter_option(&o.filter, &cli, opt, optarg);
	opt = rc < 0 ? rc : opt;
	if (opt == CLI_END && o.step && o.by != TOP_TIME)
		opt = cli_usage(&cli, "--step needs --by=time");
	opt = filter_models(&o.filter, &cli, cli_directory(&cli, opt, argc), &d);
	/* A file above the limit is a failed write, not a death. */
	(void)signal(SIGXFSZ, SIG_IGN);
	int status = cli_status(opt);
	if (opt == CLI_END)
		status = run(&d, argv[optind], &o);
	filter_finish(&o.filter);
	plugins_close(&plugins);
	return status;
}
