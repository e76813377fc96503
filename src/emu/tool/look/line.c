/* SPDX-License-Identifier: MIT */
#include "line.h"

#include "fmt.h"
#include "jsonout.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

enum {
	COLUMN = 10,   /* least width of a clock in text */
	BAD_SHOWN = 5, /* messages on payloads, the others are counted */
};

/* ---- Parts of a line, in the three forms. ---- */

/* In front of a text, and behind it. */
static void
open_field(struct dump *d, const char *key)
{
	if (d->options.format == DUMP_JSON)
		json_key(&d->out, key);
	put_str(&d->out, d->options.format == DUMP_TEXT ? "" : d->options.format == DUMP_CSV ? ",\""
											     : "\"");
}

static void
close_field(struct dump *d)
{
	put_str(&d->out, d->options.format == DUMP_TEXT ? "" : "\"");
}

static void
put_field(struct dump *d, const char *key, const char *text)
{
	open_field(d, key);
	put_form(&d->out, d->form, text, strlen(text));
	close_field(d);
}

static void
put_name(struct dump *d, const uint8_t mcv[3], const struct model *m)
{
	open_field(d, "event");
	for (int i = 0; i < 3; i++)
		put_letter(&d->out, d->form, mcv[i]);
	close_field(d);
	if (d->options.format == DUMP_JSON && m)
		json_str(&d->out, "model", m->name);
	if (d->options.format == DUMP_CSV) {
		put_str(&d->out, ",");
		put_str(&d->out, m ? m->name : "");
	}
}

/* A process or thread; 0: it is not known. */
static void
put_id(struct dump *d, const char *key, int id)
{
	if (d->options.format == DUMP_CSV)
		put_str(&d->out, ",");
	else if (id)
		json_key(&d->out, key);
	if (id)
		put_i64(&d->out, id);
}

/* The text of a stream in the middle of the line. */
static void
put_stream(struct dump *d, const struct stream *s)
{
	const struct thread_meta *m = &s->meta;
	const char *path = strcmp(s->relpath, ".") == 0 ? "" : s->relpath;
	if (d->options.format == DUMP_TEXT) {
		put_str(&d->out, "  ");
		put_field(d, NULL, path);
		put_str(&d->out, "  ");
		return;
	}
	put_field(d, "stream", path);
	if (m->loom || d->options.format == DUMP_CSV)
		put_field(d, "loom", m->loom ? m->loom : "");
	put_id(d, "process", m->pid);
	put_id(d, "thread", m->tid);
}

static void
put_hex(struct dump *d, const struct event *ev)
{
	static const char digits[] = "0123456789abcdef";
	open_field(d, "payload");
	for (uint32_t i = 0; i < ev->size; i++) {
		char *p = wbuf_reserve(&d->out, 3);
		p[0] = ':';
		p[1] = digits[ev->payload[i] >> 4];
		p[2] = digits[ev->payload[i] & 15];
		wbuf_commit(&d->out, p + 3);
	}
	close_field(d);
}

static void
put_args(struct dump *d, const struct kind *k, const struct event *ev)
{
	struct wbuf *w = &d->out;
	json_open(w, "args", '{');
	for (size_t i = 0; i < k->sig->nargs; i++) {
		const struct sig_arg *a = &k->sig->args[i];
		if (!phrase_has(a, ev->payload, ev->size))
			continue;
		json_key(w, a->name);
		put_str(w, a->type == SIG_STR ? "\"" : "");
		phrase_put_arg(w, d->form, a, ev->payload, ev->size);
		put_str(w, a->type == SIG_STR ? "\"" : "");
	}
	json_close(w, '}');
}

static void
end_line(struct dump *d)
{
	put_str(&d->out, d->options.format == DUMP_JSON ? "}\n" : "\n");
}

/* ---- Texts that are made once. ---- */

/* Begins words that stand in the middle of a line: behind something, which is not kept. */
static void
begin_words(struct dump *d)
{
	d->out.used = 0;
	put_str(&d->out, ".");
}

static int
keep(struct dump *d, struct arena *a, struct dump_words *to)
{
	to->n = d->out.used - 1;
	to->p = arena_strndup(a, d->out.data + 1, to->n);
	d->out.used = 0;
	return to->p ? 0 : diag_no_memory(d->diag);
}

static int
keep_kind(struct dump *d, struct arena *a, const struct kind *k, struct dump_kind *to)
{
	static const struct event none = { 0 };
	if (!k->model || k->any_value)
		return 0;
	begin_words(d);
	put_name(d, (const uint8_t *)k->sig->mcv, k->model);
	int rc = keep(d, a, &to->head);
	if (rc < 0 || k->sig->nargs || d->options.hex)
		return rc;
	begin_words(d);
	open_field(d, "text");
	phrase_put(&d->out, d->form, &k->phrase, NULL, 0);
	close_field(d);
	if (d->options.format == DUMP_JSON)
		put_args(d, k, &none);
	end_line(d);
	return keep(d, a, &to->tail);
}

static void
put_header(struct dump *d)
{
	put_str(&d->out, "clock,");
	put_str(&d->out, d->options.delta ? "delta," : "");
	put_str(&d->out, "event,model,stream,loom,process,thread");
	put_str(&d->out, d->options.text ? ",text" : "");
	put_str(&d->out, d->options.hex ? ",payload" : "");
	put_str(&d->out, "\n");
}

int
dump_init(struct dump *d, struct trace *t, const struct dump_options *o, int fd)
{
	struct arena *a = &t->arena;
	*d = (struct dump){ .options = *o, .diag = t->diag };
	d->form = o->format == DUMP_CSV ? TEXT_CSV : o->format == DUMP_JSON ? TEXT_JSON_BYTES
									    : TEXT_PLAIN;
	if (wbuf_attach(&d->out, fd, "the standard output") < 0)
		return diag_no_memory(d->diag);
	int rc = catalog_init(&d->catalog, a, d->diag, o->models);
	if (rc < 0)
		return rc;
	d->kinds = arena_new(a, struct dump_kind, d->catalog.dispatch.nops);
	d->streams = arena_new(a, struct dump_words, t->nstreams);
	if (!d->kinds || !d->streams)
		return diag_no_memory(d->diag);
	for (size_t i = 0; i < d->catalog.dispatch.nops && rc == 0; i++)
		rc = keep_kind(d, a, &d->catalog.kinds[i], &d->kinds[i]);
	/* The longest path there can be fits in the buffer, whatever its bytes. */
	for (size_t i = 0; i < t->nstreams && rc == 0; i++) {
		begin_words(d);
		put_stream(d, &t->streams[i]);
		rc = keep(d, a, &d->streams[i]);
	}
	if (rc == 0 && o->format == DUMP_CSV)
		put_header(d);
	return rc;
}

/* ---- Lines. ---- */

/* Right-aligned when shorter than the column. */
static char *
put_column(char *p, int64_t v)
{
	char *end = fmt_i64(p, v);
	size_t n = (size_t)(end - p);
	if (n >= COLUMN)
		return end;
	char digits[FMT_MAX];
	memcpy(digits, p, n);
	memset(p, ' ', COLUMN - n);
	memcpy(p + COLUMN - n, digits, n);
	return p + COLUMN;
}

/* The beginning of the line, at p. */
static char *
put_clock(const struct dump *d, char *p, int64_t clock)
{
	static const char clock_key[] = "{\"clock\":";
	static const char delta_key[] = ",\"delta\":";
	int64_t delta = d->nlines ? (int64_t)((uint64_t)clock - (uint64_t)d->last) : 0;
	switch (d->options.format) {
	case DUMP_TEXT:
		p = put_column(p, clock);
		*p++ = ' ';
		*p++ = ' ';
		if (d->options.delta) {
			p = put_column(p, delta);
			*p++ = ' ';
			*p++ = ' ';
		}
		break;
	case DUMP_CSV:
		p = fmt_i64(p, clock);
		if (d->options.delta) {
			*p++ = ',';
			p = fmt_i64(p, delta);
		}
		break;
	case DUMP_JSON:
		memcpy(p, clock_key, sizeof(clock_key) - 1);
		p = fmt_i64(p + sizeof(clock_key) - 1, clock);
		if (d->options.delta) {
			memcpy(p, delta_key, sizeof(delta_key) - 1);
			p = fmt_i64(p + sizeof(delta_key) - 1, delta);
		}
		break;
	}
	return p;
}

static char *
put_words(char *p, const struct dump_words *w)
{
	memcpy(p, w->p, w->n);
	return p + w->n;
}

static void
note_unknown(struct dump *d, const struct stream *s, const struct event *ev)
{
	if (d->nunknown++)
		return;
	memcpy(d->unknown_mcv, ev->mcv, 3);
	d->unknown = stream_place(s, ev);
	d->unknown.mcv = d->unknown_mcv;
}

static void
note_bad(struct dump *d, const struct stream *s, const struct event *ev, const char *why)
{
	struct place at = stream_place(s, ev);
	if (d->nbad++ < BAD_SHOWN)
		(void)diag_error(d->diag, ERR_PAYLOAD, &at, "the payload is not as declared: %s", why);
}

/* The meaning of an event that has arguments, or something wrong. */
static void
put_meaning(struct dump *d, const struct kind *k, const struct event *ev, const char *why)
{
	struct wbuf *w = &d->out;
	if (d->options.text) {
		open_field(d, "text");
		if (!k) {
			put_str(w, "UNKNOWN");
		} else if (why) {
			put_str(w, "BAD PAYLOAD: ");
			put_str(w, why);
		} else {
			phrase_put(w, d->form, &k->phrase, ev->payload, ev->size);
		}
		close_field(d);
	}
	if (d->options.format == DUMP_JSON && k && !why)
		put_args(d, k, ev);
	/* Nothing is lost of what could not be decoded. */
	bool hex = d->options.hex || (d->options.format == DUMP_JSON && (!k || why));
	if (!hex)
		return;
	if (d->options.format == DUMP_TEXT && d->options.text && ev->size)
		put_str(w, "  ");
	put_hex(d, ev);
}

void
dump_event(struct dump *d, const struct stream *s, const struct event *ev, int64_t clock)
{
	enum {
		CLOCKS = 64, /* bytes that the beginning of a line may need */
	};
	const struct kind *k = catalog_find(&d->catalog, ev->mcv);
	const struct dump_kind *ready = k ? &d->kinds[k - d->catalog.kinds] : NULL;
	const struct dump_words *mid = &d->streams[s->rank];
	char buf[128];
	const char *why = k ? catalog_check(&d->catalog, k, ev, buf, sizeof(buf)) : NULL;
	size_t all = CLOCKS + mid->n + (ready ? ready->head.n + ready->tail.n : 0);
	if (__builtin_expect(ready && ready->tail.p && !why && all <= WBUF_RESERVE_MAX, 1)) {
		char *p = put_clock(d, wbuf_reserve(&d->out, all), clock);
		p = put_words(p, &ready->head);
		p = put_words(p, mid);
		p = put_words(p, &ready->tail);
		wbuf_commit(&d->out, p);
	} else {
		wbuf_commit(&d->out, put_clock(d, wbuf_reserve(&d->out, CLOCKS), clock));
		if (ready && ready->head.p)
			wbuf_put(&d->out, ready->head.p, ready->head.n);
		else
			put_name(d, ev->mcv, k ? k->model : NULL);
		wbuf_put(&d->out, mid->p, mid->n);
		if (!k)
			note_unknown(d, s, ev);
		if (why)
			note_bad(d, s, ev, why);
		put_meaning(d, k, ev, why);
		end_line(d);
	}
	d->last = clock;
	d->nlines++;
}

int
dump_finish(struct dump *d)
{
	int rc = d->out.data ? wbuf_close(&d->out) : 0;
	if (rc < 0)
		return diag_io(d->diag, ERR_WRITE, "write to", "the standard output", -rc);
	if (d->nunknown)
		diag_warn(d->diag, &d->unknown, "unknown events: %" PRIu64 "; this is the first", d->nunknown);
	if (d->nbad > BAD_SHOWN)
		diag_warn(d->diag, NULL, "more payloads that are not as declared: %" PRIu64, d->nbad - BAD_SHOWN);
	return 0;
}
