/* SPDX-License-Identifier: MIT */
#include "diag.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MESSAGE_MAX = 4096, /* longer messages are cut: names come from the input */
};

const char *
error_name(int code)
{
	static const char *const names[ERR_COUNT] = {
		[ERR_NONE] = "?",
#define X(id, name, meaning) [ERR_##id] = (name),
		ERROR_LIST(X)
#undef X
	};
	code = code < 0 ? -code : code;
	return names[code < ERR_COUNT ? code : ERR_NONE];
}

enum error
error_code(const char *name)
{
	int code = ERR_COUNT - 1;
	while (code > ERR_NONE && strcmp(error_name(code), name) != 0)
		code--;
	return (enum error)code;
}

/* A message under construction. */
struct text {
	size_t n;
	char s[MESSAGE_MAX];
};

__attribute__((format(printf, 2, 0))) static void
addv(struct text *t, const char *fmt, va_list ap)
{
	size_t room = sizeof(t->s) - 1 - t->n;
	int n = vsnprintf(t->s + t->n, room, fmt, ap);
	if (n > 0)
		t->n += (size_t)n < room ? (size_t)n : room - 1;
}

__attribute__((format(printf, 2, 3))) static void
add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	addv(t, fmt, ap);
	va_end(ap);
}

/* Names come from the input: no byte of them may drive the terminal. */
static void
add_clean(struct text *t, const char *s, size_t n)
{
	for (size_t i = 0; i < n && t->n < sizeof(t->s) - 1; i++) {
		unsigned char c = (unsigned char)s[i];
		t->s[t->n++] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
}

static void
add_place(struct text *t, const struct place *at)
{
	if (!at || !at->file)
		return;
	add(t, "  at ");
	add_clean(t, at->file, strlen(at->file));
	if (at->line)
		add(t, ", line %" PRIu64 "%s", at->line, at->has_offset ? "," : "");
	if (at->has_offset)
		add(t, " +0x%" PRIx64, at->offset);
	if (at->has_clock)
		add(t, ", clock %" PRId64 " ns", at->clock);
	if (at->mcv) {
		add(t, ", event ");
		for (int i = 0; i < 3; i++)
			add(t, isprint(at->mcv[i]) ? "%c" : "\\x%02x", at->mcv[i]);
	}
	add(t, "\n");
}

void
diag_end_progress(struct diag *d)
{
	if (atomic_exchange(&d->progress_shown, false) && isatty(STDERR_FILENO))
		(void)fputs("\r\033[K", stderr);
}

static void
print(struct diag *d, struct text *t)
{
	diag_end_progress(d);
	if (t->n && t->s[t->n - 1] != '\n')
		t->s[t->n++] = '\n';
	(void)fwrite(t->s, 1, t->n, stderr);
	(void)fflush(stderr);
}

__attribute__((format(printf, 4, 0))) static void
report(struct diag *d, const char *prefix, const struct place *at, const char *fmt, va_list ap)
{
	bool error = strncmp(prefix, "error", 5) == 0;
	if (d->level == DIAG_MUTE || (error && d->hold))
		return;
	bool known = atomic_fetch_add(&d->said, 1) < d->heard;
	if (known && !error) /* the attempt before had no error */
		return;
	struct text body = { 0 };
	struct text out = { 0 };
	addv(&body, fmt, ap);
	body.s[body.n] = 0;
	if (d->hold) {
		d->hold(d->hold_arg, *prefix, at, body.s);
		return;
	}

	add(&out, "%s: %s", d->program ? d->program : "ovniscope", prefix);
	const char *line = body.s;
	for (bool first = true; line; first = false) {
		const char *end = strchr(line, '\n');
		if (!first)
			add(&out, "  ");
		add_clean(&out, line, end ? (size_t)(end - line) : strlen(line));
		add(&out, "\n");
		if (first)
			add_place(&out, at);
		line = end ? end + 1 : NULL;
	}
	print(d, &out);
}

void
diag_say(struct diag *d, const char *error, const struct place *at, const char *fmt, va_list ap)
{
	char prefix[64];
	(void)snprintf(prefix, sizeof(prefix), error ? "error[%s]: " : "warning: ", error);
	report(d, prefix, at, fmt, ap);
	atomic_fetch_add(error ? &d->errors : &d->warnings, 1);
}

void
diag_begin_again(struct diag *d, const char *why)
{
	unsigned said = atomic_exchange(&d->said, 0);
	unsigned heard = said > d->heard ? said : d->heard;
	d->heard = 0;
	if (*why)
		diag_info(d, "%s", why);
	atomic_store(&d->said, 0);
	d->heard = heard;
	*d->cause = *d->unwritten = '\0'; /* the outputs are written anew, too */
	d->nunwritten = 0;
}

void
often_add(struct often *t, const struct place *at, const char *fmt, ...)
{
	if (t->n++)
		return;
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(t->text, sizeof(t->text), fmt, ap);
	va_end(ap);
	t->at = at ? *at : (struct place){ 0 };
	t->at.mcv = NULL; /* the event goes */
}

void
often_report(struct diag *d, const struct often *t, const char *things)
{
	if (t->n == 1)
		diag_warn(d, &t->at, "%s", t->text);
	else if (t->n > 1)
		diag_warn(d, &t->at, "%s (and %" PRIu64 " more %s)", t->text, t->n - 1, things);
}

int
diag_error(struct diag *d, enum error code, const struct place *at, const char *fmt, ...)
{
	bool soften = d->soften && code != ERR_MEMORY; /* nothing goes on without */
	va_list ap;
	va_start(ap, fmt);
	diag_say(d, soften ? NULL : error_name((int)code), at, fmt, ap);
	va_end(ap);
	return -(int)code;
}

int
diag_no_memory(struct diag *d)
{
	return diag_error(d, ERR_MEMORY, NULL, "out of memory");
}

int
diag_io(struct diag *d, enum error code, const char *verb, const char *path, int err)
{
	return diag_error(d, code, NULL, "cannot %s '%s': %s", verb, path, strerror(err));
}

static bool
ends_in(const char *text, const char *end)
{
	size_t n = strlen(text);
	size_t k = strlen(end);
	return k && n >= k && strcmp(text + n - k, end) == 0;
}

bool
diag_repeats(struct diag *d, const char *path, const char *cause)
{
	while (atomic_flag_test_and_set(&d->lock))
		;
	bool repeats = ends_in(d->cause, cause) || (*d->cause && ends_in(cause, d->cause));
	if (!*d->cause)
		(void)snprintf(d->cause, sizeof(d->cause), "%s", cause);
	size_t n = strlen(d->unwritten);
	if (repeats && n + strlen(path) + 3 < sizeof(d->unwritten))
		(void)snprintf(d->unwritten + n, sizeof(d->unwritten) - n, "%s%s", n ? ", " : "", path);
	else
		d->nunwritten += repeats;
	atomic_flag_clear(&d->lock);
	return repeats;
}

void
diag_list_unwritten(struct diag *d)
{
	char more[40] = "";
	if (d->nunwritten)
		(void)snprintf(more, sizeof(more), " and %u more", d->nunwritten);
	if (*d->unwritten)
		diag_info(d, "not complete for the same reason: %s%s", d->unwritten, more);
}

void
diag_warn(struct diag *d, const struct place *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	diag_say(d, NULL, at, fmt, ap);
	va_end(ap);
}

void
diag_tell(struct diag *d, enum diag_level least, const char *fmt, ...)
{
	if (d->level < least)
		return;
	va_list ap;
	va_start(ap, fmt);
	report(d, "", NULL, fmt, ap);
	va_end(ap);
}

void
diag_progress(struct diag *d, const char *fmt, ...)
{
	struct text t = { 0 };
	bool tty = isatty(STDERR_FILENO);
	add(&t, tty ? "\r\033[K%s: " : "%s: ", d->program);
	va_list ap;
	va_start(ap, fmt);
	addv(&t, fmt, ap);
	va_end(ap);
	if (!tty)
		add(&t, "\n");
	(void)fwrite(t.s, 1, t.n, stderr);
	(void)fflush(stderr);
	atomic_store(&d->progress_shown, tty);
}
