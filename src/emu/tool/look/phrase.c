/* SPDX-License-Identifier: MIT */
#include "phrase.h"

#include <string.h>

enum {
	WIDTH_MAX = 255, /* far above any text of a model */
	NUMBER_MAX = 2 * WIDTH_MAX,
};

/* A number of a format, if there is one. */
static const char *
read_number(const char *p, int32_t *out)
{
	int32_t v = 0;
	while (*p >= '0' && *p <= '9' && v <= WIDTH_MAX)
		v = v * 10 + (*p++ - '0');
	*out = v;
	return p;
}

/* Reads flags, width and precision, between '%' and '{'. Returns the end, or NULL. */
static const char *
read_format(const char *p, struct phrase_piece *piece)
{
	piece->precision = -1;
	for (;; p++) {
		if (*p == '-')
			piece->left = true;
		else if (*p == '0')
			piece->zero = true;
		else if (*p == '#')
			piece->sharp = true;
		else if (*p == '+')
			piece->plus = true;
		else if (*p == ' ')
			piece->blank = true;
		else
			break;
	}
	int32_t width;
	p = read_number(p, &width);
	piece->width = (uint32_t)width;
	if (*p == '.')
		p = read_number(p + 1, &piece->precision);
	p += strspn(p, "hlqjzt");
	piece->conversion = 'd';
	if (*p != '{') {
		if (!*p || !strchr("diuxXocs", *p))
			return NULL;
		piece->conversion = *p++;
	}
	return *p == '{' && width <= WIDTH_MAX && piece->precision <= WIDTH_MAX ? p + 1 : NULL;
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
		if (piece->arg->type == SIG_STR && piece->conversion == 'd')
			piece->conversion = 's'; /* the default */
		if ((piece->arg->type == SIG_STR) != (piece->conversion == 's'))
			return -1;
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

static bool
is_signed(const struct sig_arg *arg)
{
	return arg->type >= SIG_I8 && arg->type <= SIG_I64;
}

void
phrase_put_arg(struct wbuf *w, enum text_form form, const struct sig_arg *arg, const uint8_t *payload, size_t size)
{
	if (arg->type == SIG_STR)
		put_form(w, form, (const char *)payload + arg->at, strnlen((const char *)payload + arg->at, size - arg->at));
	else if (is_signed(arg))
		put_i64(w, (int64_t)load(arg, payload));
	else
		put_u64(w, load(arg, payload));
}

static void
pad(struct wbuf *w, char c, size_t n)
{
	char *to = wbuf_reserve(w, NUMBER_MAX);
	memset(to, c, n);
	wbuf_commit(w, to + n);
}

/* Sign or prefix, zeros, digits. */
static void
put_number(struct wbuf *w, const struct phrase_piece *f, uint64_t v)
{
	bool decimal = f->conversion == 'd' || f->conversion == 'i' || f->conversion == 'u';
	bool negative = decimal && f->conversion != 'u' && is_signed(f->arg) && (int64_t)v < 0;
	if (!decimal && f->arg->size < 8) /* as wide as the argument */
		v &= (UINT64_C(1) << f->arg->size * 8) - 1;
	unsigned base = decimal ? 10 : f->conversion == 'o' ? 8
							    : 16;
	const char *letters = f->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	char buf[32];
	char *p = buf + sizeof(buf);
	for (uint64_t u = negative ? 0 - v : v; u || p == buf + sizeof(buf); u /= base)
		*--p = letters[u % base];
	if (v == 0 && f->precision == 0)
		p++;
	const char *prefix = negative ? "-" : "";
	if (!negative && decimal && f->conversion != 'u')
		prefix = f->plus ? "+" : f->blank ? " "
						  : "";
	if (f->sharp && base == 8 && f->precision <= (int32_t)(buf + sizeof(buf) - p) && (v || f->precision == 0))
		prefix = "0"; /* a zero is in front already when the precision adds some */
	if (f->sharp && base == 16 && v)
		prefix = f->conversion == 'X' ? "0X" : "0x";

	size_t n = (size_t)(buf + sizeof(buf) - p);
	size_t front = strlen(prefix);
	size_t zeros = f->precision > (int32_t)n ? (size_t)f->precision - n : 0;
	size_t all = front + zeros + n;
	size_t rest = f->width > all ? f->width - all : 0;
	if (f->zero && !f->left && f->precision < 0) {
		zeros += rest;
		rest = 0;
	}
	pad(w, ' ', f->left ? 0 : rest);
	wbuf_put(w, prefix, front);
	pad(w, '0', zeros);
	wbuf_put(w, p, n);
	pad(w, ' ', f->left ? rest : 0);
}

static void
put_string(struct wbuf *w, enum text_form form, const struct phrase_piece *f, const uint8_t *payload, size_t size)
{
	const char *s = (const char *)payload + f->arg->at;
	size_t n = strnlen(s, size - f->arg->at);
	if (f->precision >= 0 && n > (size_t)f->precision)
		n = (size_t)f->precision;
	size_t rest = f->width > n ? f->width - n : 0;
	pad(w, ' ', f->left ? 0 : rest);
	put_form(w, form, s, n);
	pad(w, ' ', f->left ? rest : 0);
}

static void
put_piece(struct wbuf *w, enum text_form form, const struct phrase_piece *f, const uint8_t *payload, size_t size)
{
	if (!phrase_has(f->arg, payload, size)) {
		wbuf_put(w, "?", 1);
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
