/* SPDX-License-Identifier: MIT */
#include "safe.h"

#include "fmt.h"
#include "utf8.h"

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
		k = utf8_next(text, n, &c);
		if (k == 0) {
			k = 1;
			put_byte(w, style, (uint8_t)*text);
		} else if (utf8_is_control(c)) {
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
