/* SPDX-License-Identifier: MIT */
#include "phrase.h"

#include <stdio.h>
#include <string.h>

enum {
	WIDTH_MAX = 255, /* far above any text of a model */
	NUMBER_MAX = 2 * (WIDTH_MAX + 1),
};

/* A number of a format, if there is one; any above WIDTH_MAX is too large. */
static const char *
read_number(const char *p, int *out)
{
	*out = 0;
	while (*p >= '0' && *p <= '9' && *out <= WIDTH_MAX)
		*out = *out * 10 + (*p++ - '0');
	return p;
}

/* Reads flags, width and precision, between '%' and '{'. Returns the end, or NULL. */
static const char *
read_format(const char *p, struct phrase_piece *piece)
{
	size_t nflags = strspn(p, "-0#+ ");
	const char *begin = p;
	char *to = piece->format;
	*to++ = '%';
	for (const char *flag = "-0#+ "; *flag; flag++)
		if (memchr(p, *flag, nflags))
			*to++ = *flag;
	piece->left = piece->format[1] == '-';
	p = read_number(p + nflags, &piece->width);
	piece->precision = -1;
	if (*p == '.')
		p = read_number(p + 1, &piece->precision);
	bool plain = p == begin;
	bool sharp = p == begin + 1 && *begin == '#';
	p += strspn(p, "hlqjzt");
	piece->conversion = 'd';
	if (*p != '{') {
		if (!*p || !strchr("diuxXocs", *p))
			return NULL;
		piece->conversion = *p == 'i' ? 'd' : *p;
		p++;
	}
	piece->plain = (plain && piece->conversion == 'd') || (sharp && piece->conversion == 'x');
	memcpy(to, "*.*llx", sizeof("*.*llx"));
	return *p == '{' && piece->width <= WIDTH_MAX && piece->precision <= WIDTH_MAX ? p + 1 : NULL;
}

static const struct sig_arg *
find_arg(const struct sig *sig, const char *name, size_t n)
{
	for (size_t i = 0; i < sig->nargs; i++)
		if (strlen(sig->args[i].name) == n && memcmp(sig->args[i].name, name, n) == 0)
			return &sig->args[i];
	return NULL;
}

int
phrase_compile(struct phrase *ph, struct arena *a, const char *text, const struct sig *sig, const char **why)
{
	*ph = (struct phrase){ 0 };
	size_t most = 1;
	for (const char *p = text; *p; p++)
		most += *p == '%';
	*why = "memory is exhausted";
	ph->pieces = arena_new(a, struct phrase_piece, most);
	if (!ph->pieces)
		return -1;
	for (const char *p = text; *p;) {
		struct phrase_piece *piece = &ph->pieces[ph->npieces++];
		piece->text = p;
		piece->length = (uint32_t)strcspn(p, "%");
		p += piece->length;
		if (!*p)
			break;
		if (p[1] == '%') {
			piece->length++;
			p += 2;
			continue;
		}
		*why = "a percent sign begins %%, or %FORMAT{name} with a format of printf()";
		const char *name = read_format(p + 1, piece);
		size_t n = name ? strcspn(name, "}") : 0;
		if (!name || !name[n])
			return -1;
		*why = "there is no argument of that name";
		piece->arg = find_arg(sig, name, n);
		if (!piece->arg)
			return -1;
		*why = "the format does not suit the type";
		bool string = piece->arg->type == SIG_STR;
		if (string && piece->conversion == 'd')
			piece->conversion = 's'; /* the default */
		if (string != (piece->conversion == 's'))
			return -1;
		if (piece->arg->type == SIG_U64 && piece->conversion == 'd')
			piece->conversion = 'u'; /* it may not fit in a signed one */
		piece->format[strlen(piece->format) - 1] = piece->conversion;
		p = name + n + 1;
	}
	return 0;
}

bool
phrase_has(const struct sig_arg *arg, const uint8_t *payload, size_t size)
{
	if (arg->at >= size || arg->size > size - arg->at)
		return false;
	return arg->type != SIG_STR || memchr(payload + arg->at, 0, size - arg->at);
}

/* The value with its sign extended to 64 bits, or with zeros. */
static uint64_t
load(const struct sig_arg *arg, const uint8_t *payload)
{
	const uint8_t *p = payload + arg->at;
	uint16_t h;
	uint32_t w;
	uint64_t q;
	switch (arg->type) {
	case SIG_U8: return *p;
	case SIG_I8: return (uint64_t)(int8_t)*p;
	case SIG_U16: return memcpy(&h, p, sizeof(h)), h;
	case SIG_I16: return memcpy(&h, p, sizeof(h)), (uint64_t)(int16_t)h;
	case SIG_U32: return memcpy(&w, p, sizeof(w)), w;
	case SIG_I32: return memcpy(&w, p, sizeof(w)), (uint64_t)(int32_t)w;
	default: return memcpy(&q, p, sizeof(q)), q;
	}
}

void
phrase_put_arg(struct wbuf *w, enum text_form form, const struct sig_arg *arg, const uint8_t *payload, size_t size)
{
	if (arg->type == SIG_STR)
		put_form(w, form, (const char *)payload + arg->at, strnlen((const char *)payload + arg->at, size - arg->at));
	else if (arg->type >= SIG_I8 && arg->type <= SIG_I64)
		put_i64(w, (int64_t)load(arg, payload));
	else
		put_u64(w, load(arg, payload));
}

/* "%#x", which is most of what models ask for: ten times as fast as printf(). */
static void
put_hex(struct wbuf *w, uint64_t v)
{
	int bits = v ? 64 - __builtin_clzll(v) : 1;
	put_str(w, v ? "0x" : "");
	for (int shift = (bits - 1) / 4 * 4; shift >= 0; shift -= 4)
		wbuf_put(w, &"0123456789abcdef"[v >> shift & 15], 1);
}

static void
put_number(struct wbuf *w, const struct phrase_piece *f, uint64_t v)
{
	if (strchr("xXo", f->conversion) && f->arg->size < 8) /* as wide as the argument */
		v &= (UINT64_C(1) << f->arg->size * 8) - 1;
	if (f->plain) {
		put_hex(w, v);
		return;
	}
	char *to = wbuf_reserve(w, NUMBER_MAX);
/* The format was made of what phrase_compile() has checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	wbuf_commit(w, to + snprintf(to, NUMBER_MAX, f->format, f->width, f->precision, (unsigned long long)v));
#pragma GCC diagnostic pop
}

static void
put_string(struct wbuf *w, enum text_form form, const struct phrase_piece *f, const uint8_t *payload, size_t size)
{
	const char *s = (const char *)payload + f->arg->at;
	size_t n = strnlen(s, size - f->arg->at);
	if (f->precision >= 0 && n > (size_t)f->precision)
		n = (size_t)f->precision;
	size_t rest = (size_t)f->width > n ? (size_t)f->width - n : 0;
	wbuf_printf(w, "%*s", (int)(f->left ? 0 : rest), "");
	put_form(w, form, s, n);
	wbuf_printf(w, "%*s", (int)(f->left ? rest : 0), "");
}

static void
put_piece(struct wbuf *w, enum text_form form, const struct phrase_piece *f, const uint8_t *payload, size_t size)
{
	if (!phrase_has(f->arg, payload, size)) {
		wbuf_put(w, "?", 1);
	} else if (f->plain && f->conversion != 'x') {
		phrase_put_arg(w, form, f->arg, payload, size);
	} else if (f->conversion == 's') {
		put_string(w, form, f, payload, size);
	} else if (f->conversion == 'c') {
		char c = (char)load(f->arg, payload);
		put_form(w, form, &c, 1);
	} else {
		put_number(w, f, load(f->arg, payload));
	}
}

void
phrase_put(struct wbuf *w, enum text_form form, const struct phrase *ph, const uint8_t *payload, size_t size)
{
	for (size_t i = 0; i < ph->npieces; i++) {
		const struct phrase_piece *f = &ph->pieces[i];
		put_form(w, form, f->text, f->length);
		if (f->arg)
			put_piece(w, form, f, payload, size);
	}
}
