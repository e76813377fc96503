/* SPDX-License-Identifier: MIT */
/* event: events of a text as bytes, and back. */
#include "text.h"

#include "puttext.h"
#include "utf8.h"
#include "wire.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

uint8_t *
text_room(struct text *x, struct text_thread *t, size_t n)
{
	if (t->size + n > t->cap) {
		size_t cap = (t->size + n) * 2 + 4096;
		uint8_t *data = block_resize(t->data, cap);
		if (!data) {
			(void)diag_no_memory(&x->tool->conv.diag);
			return NULL;
		}
		t->data = data;
		t->cap = cap;
	}
	t->size += n;
	return t->data + t->size - n;
}

/* ---- Arguments into bytes. ---- */

static int
digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
		: c >= 'A' && c <= 'F'                               ? c - 'A' + 10
								     : -1;
}

static int
add_hex(struct text *x, struct text_thread *t, const char *p)
{
	size_t n = strlen(p);
	uint8_t *to = text_room(x, t, n / 2);
	if (!to)
		return -1;
	if (n % 2)
		return text_error(x, "a byte is two hexadecimal digits: %s", p);
	for (size_t i = 0; i < n; i += 2) {
		int high = digit(p[i]);
		int low = digit(p[i + 1]);
		if (high < 0 || low < 0)
			return text_error(x, "a byte is two hexadecimal digits: %s", p);
		*to++ = (uint8_t)(high << 4 | low);
	}
	return 0;
}

int
text_add_hex(struct text *x, struct text_thread *t, const struct words *w, size_t from, size_t to)
{
	int rc = 0;
	for (size_t i = from; i < to && rc == 0; i++)
		rc = add_hex(x, t, w->items[i]);
	return rc;
}

static int
add_string(struct text *x, struct text_thread *t, const char *text)
{
	size_t n = strlen(text) + 1;
	uint8_t *to = text_room(x, t, n);
	if (to)
		memcpy(to, text, n);
	return to ? 0 : -1;
}

/* A whole number of `size` bytes, which may be negative if that is told. */
static int
add_number(struct text *x, struct text_thread *t, uint32_t size, bool is_signed, const char *word)
{
	bool negative;
	uint64_t v;
	uint64_t most = UINT64_MAX >> (64 - size * 8 + is_signed);
	if (!text_number(word, &negative, &v))
		return text_error(x, "'%s' is no whole number", word);
	if (negative && !is_signed && v)
		return text_error(x, "%s is negative, and the argument has no sign", word);
	if (v > most + (negative && is_signed))
		return text_error(x, "%s does not fit in %" PRIu32 " bytes%s", word, size, is_signed ? " with a sign" : "");
	v = negative ? -v : v;
	uint8_t *to = text_room(x, t, size);
	if (to)
		memcpy(to, &v, size);
	return to ? 0 : -1;
}

static int
add_double(struct text *x, struct text_thread *t, const char *word)
{
	char *end;
	double v = strtod(word, &end);
	if (end == word || *end)
		return text_error(x, "'%s' is no number", word);
	uint8_t *to = text_room(x, t, sizeof(v));
	if (to)
		memcpy(to, &v, sizeof(v));
	return to ? 0 : -1;
}

/* Length of a type that is told, "u32=" without the '='; 0: there is none. */
static size_t
told_type(const char *word)
{
	size_t n = strcspn(word, "=");
	if (!word[n])
		return 0;
	bool number = strchr("uif", *word) && n > 1 && strspn(word + 1, "0123456789") == n - 1;
	bool other = n == 3 && (memcmp(word, "str", 3) == 0 || memcmp(word, "hex", 3) == 0);
	return number || other ? n : 0;
}

static int
add_told(struct text *x, struct text_thread *t, const char *word)
{
	size_t n = told_type(word);
	if (n == 0 || *word == 's')
		return add_string(x, t, word + (n ? n + 1 : 0));
	if (*word == 'h')
		return add_hex(x, t, word + n + 1);
	int bits = atoi(word + 1);
	if (*word == 'f' && bits == 64)
		return add_double(x, t, word + n + 1);
	if (*word == 'f' || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
		return text_error(x, "there is no type '%.*s'", (int)n, word);
	return add_number(x, t, (uint32_t)bits / 8, *word == 'i', word + n + 1);
}

/* Those of the signature; the last one of a jumbo event may come several times if it is a number. */
static int
add_declared(struct text *x, struct text_thread *t, const struct sig *sig, const struct words *w, size_t from)
{
	size_t n = w->n - from;
	const struct sig_arg *last = sig->nargs ? &sig->args[sig->nargs - 1] : NULL;
	bool repeats = sig->jumbo && last && last->type != SIG_STR;
	if (n < sig->nargs || (n > sig->nargs && !repeats))
		return text_error(x, "%s takes %zu arguments, not %zu", sig->mcv, sig->nargs, n);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct sig_arg *a = i < sig->nargs ? &sig->args[i] : last;
		const char *word = w->items[from + i];
		rc = a->type == SIG_STR ? add_string(x, t, word) : add_number(x, t, a->size, a->type >= SIG_I8, word);
	}
	return rc;
}

int
text_add_event(struct text *x, struct text_thread *t, const char *mcv, uint64_t clock, const struct words *w, size_t from)
{
	const struct kind *k = catalog_find(&x->tool->catalog, (const uint8_t *)mcv);
	bool jumbo = k && k->sig->jumbo;
	if (from < w->n && (strcmp(w->items[from], "jumbo") == 0 || strcmp(w->items[from], "plain") == 0))
		jumbo = *w->items[from++] == 'j';
	bool told = !k;
	for (size_t i = from; i < w->n; i++)
		told = told || told_type(w->items[i]);
	size_t begin = t->size;
	size_t head = jumbo ? WIRE_JUMBO_HEADER : WIRE_EVENT_HEADER;
	if (!text_room(x, t, head))
		return -1;
	int rc = 0;
	if (from + 1 == w->n && strcmp(w->items[from], "empty") == 0)
		rc = 0;
	else if (!told)
		rc = add_declared(x, t, k->sig, w, from);
	for (size_t i = from; told && i < w->n && rc == 0 && strcmp(w->items[i], "empty") != 0; i++)
		rc = add_told(x, t, w->items[i]);
	size_t size = t->size - begin - head;
	if (rc == 0 && !jumbo && (size == 1 || size > WIRE_PAYLOAD_MAX))
		rc = text_error(x, "an event has 0 or 2 to %d bytes of arguments, not %zu, unless it is jumbo", WIRE_PAYLOAD_MAX, size);
	if (rc < 0)
		return rc;
	uint8_t *p = t->data + begin;
	const uint32_t count = (uint32_t)size;
	/* A jumbo event has the code of the 4 bytes of its count. */
	p[0] = jumbo ? WIRE_JUMBO | 3 : (uint8_t)(size ? size - 1 : 0);
	memcpy(p + 1, mcv, 3);
	memcpy(p + 4, &clock, sizeof(clock));
	if (jumbo)
		memcpy(p + WIRE_EVENT_HEADER, &count, sizeof(count));
	return 0;
}

/* ---- Bytes into arguments. ---- */

void
text_put_hex(struct wbuf *w, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		wbuf_printf(w, "%02x", p[i]);
}

bool
text_is_plain(const char *text, size_t n)
{
	uint32_t c;
	for (size_t k; n; text += k, n -= k) {
		k = utf8_next(text, n, &c);
		if (k == 0 || c < 0x20 || c == 0x7f || c == '"')
			return false;
	}
	return true;
}

/* Whether the arguments, behind the count of a jumbo event, can be written as the signature has them. */
static bool
is_declared(const struct sig *sig, const uint8_t *args, size_t n)
{
	size_t need = sig->size - (sig->jumbo ? 4 : 0);
	const struct sig_arg *last = sig->nargs ? &sig->args[sig->nargs - 1] : NULL;
	if (n < need || !last)
		return n == need;
	if (last->type != SIG_STR)
		return n == need || (sig->jumbo && (n - need) % last->size == 0);
	const char *text = (const char *)args + need - 1;
	size_t length = n - need;
	if (memchr(text, 0, length + 1) != text + length || !text_is_plain(text, length))
		return false;
	/* Such words have a meaning of their own. */
	return !told_type(text) && strcmp(text, "empty") != 0 && strcmp(text, "jumbo") != 0 && strcmp(text, "plain") != 0;
}

static void
put_declared(struct wbuf *w, const struct sig *sig, const uint8_t *args, size_t n)
{
	size_t i = 0;
	for (size_t at = 0; at < n; i++) {
		const struct sig_arg *a = &sig->args[i < sig->nargs ? i : sig->nargs - 1];
		if (a->type == SIG_STR) {
			wbuf_printf(w, " \"%s\"", (const char *)args + at);
			return;
		}
		uint64_t v = 0;
		memcpy(&v, args + at, a->size);
		unsigned unused = 64 - a->size * 8;
		put_str(w, " ");
		if (a->type >= SIG_I8)
			put_i64(w, (int64_t)(v << unused) >> unused);
		else
			put_u64(w, v);
		at += a->size;
	}
}

void
text_put_event(struct wbuf *w, const struct catalog *c, const uint8_t *p, size_t size)
{
	bool jumbo = p[0] & WIRE_JUMBO;
	size_t head = jumbo ? WIRE_JUMBO_HEADER : WIRE_EVENT_HEADER;
	const uint8_t *args = p + head;
	size_t n = size - head;
	if (p[0] != (jumbo ? WIRE_JUMBO | 3 : n ? n - 1
						: 0) ||
		!isgraph(p[1]) || !isgraph(p[2]) || !isgraph(p[3])) {
		put_str(w, "raw ");
		text_put_hex(w, p, size);
		return;
	}
	const struct kind *k = catalog_find(c, p + 1);
	wbuf_printf(w, "%" PRId64 " %.3s", wire_i64(p + 4), (const char *)p + 1);
	if (k && k->sig->jumbo == jumbo && is_declared(k->sig, args, n)) {
		put_declared(w, k->sig, args, n);
		return;
	}
	if (jumbo != (k && k->sig->jumbo))
		put_str(w, jumbo ? " jumbo" : " plain");
	put_str(w, n ? " hex=" : " empty");
	text_put_hex(w, args, n);
}
