/* SPDX-License-Identifier: MIT */
#include "safe.h"

#include "fmt.h"

static const char digits[] = "0123456789abcdef";

void
safe_put_u64(struct wbuf *w, uint64_t v)
{
	wbuf_commit(w, fmt_u64(wbuf_reserve(w, FMT_MAX), v));
}

void
safe_put_i64(struct wbuf *w, int64_t v)
{
	wbuf_commit(w, fmt_i64(wbuf_reserve(w, FMT_MAX), v));
}

/* "\xNN"; the backslash has to be one of the text of a JSON string. */
static void
put_byte(struct wbuf *w, enum safe_style style, uint8_t c)
{
	const char out[] = { '\\', '\\', 'x', digits[c >> 4], digits[c & 15] };
	size_t skip = style == SAFE_JSON ? 0 : 1;
	wbuf_put(w, out + skip, sizeof(out) - skip);
}

/* What a terminal would act on, or would show in another place. */
static void
put_control(struct wbuf *w, enum safe_style style, const char *p, size_t n, uint32_t c)
{
	if (style == SAFE_JSON) {
		const char out[] = { '\\', 'u', digits[c >> 12], digits[c >> 8 & 15], digits[c >> 4 & 15], digits[c & 15] };
		wbuf_put(w, out, sizeof(out));
		return;
	}
	for (size_t i = 0; i < n; i++)
		put_byte(w, style, (uint8_t)p[i]);
}

/* Bytes of the character at p, 0 when it is no UTF-8; the character in *c. */
static size_t
decode(const char *p, size_t n, uint32_t *c)
{
	const uint8_t *b = (const uint8_t *)p;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t k = 1;
	while (k < 5 && b[0] & 0x80u >> k)
		k++;
	if (!(b[0] & 0x80))
		k = 1;
	else if (k == 1 || k > 4 || k > n)
		return 0;
	*c = k == 1 ? b[0] : b[0] & 0xffu >> (k + 1);
	for (size_t i = 1; i < k; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (b[i] & 0x3fu);
	}
	bool good = *c >= least[k] && *c <= 0x10ffff && (*c < 0xd800 || *c > 0xdfff);
	return good ? k : 0;
}

static bool
is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
		(c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/* Whether the character means something in that form. */
static bool
is_special(enum safe_style style, char c)
{
	return style != SAFE_TEXT && (c == '"' || (style == SAFE_JSON && c == '\\'));
}

void
safe_put(struct wbuf *w, enum safe_style style, const char *text, size_t n)
{
	while (n) {
		size_t k = 0;
		while (k < n && (uint8_t)text[k] >= 0x20 && (uint8_t)text[k] < 0x7f && !is_special(style, text[k]))
			k++;
		wbuf_put(w, text, k);
		text += k;
		n -= k;
		if (!n)
			break;
		uint32_t c = 0;
		k = decode(text, n, &c);
		if (k == 0) {
			k = 1;
			put_byte(w, style, (uint8_t)*text);
		} else if (is_control(c)) {
			put_control(w, style, text, k, c);
		} else {
			if (is_special(style, *text))
				wbuf_put(w, style == SAFE_JSON ? "\\" : "\"", 1);
			wbuf_put(w, text, k);
		}
		text += k;
		n -= k;
	}
}

void
safe_put_letter(struct wbuf *w, enum safe_style style, uint8_t c)
{
	if (c > 0x20 && c < 0x7f)
		safe_put(w, style, (const char *)&c, 1);
	else
		put_byte(w, style, c);
}
