/* SPDX-License-Identifier: MIT */
#include "vcdout.h"

#include "puttext.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum {
	ID_MAX = 8,
};

static void
put_id(struct vcdout *v, uint64_t number)
{
	char id[ID_MAX];
	size_t n = 0;
	do {
		id[n++] = (char)('!' + number % 94);
		number /= 94;
	} while (number && n < ID_MAX);
	wbuf_put(v->w, id, n);
}

/* ---- The header. ---- */

int
vcdout_too_many(struct conv *c, uint64_t variables, const char *path)
{
	return conv_fail(c, "too-many", "%" PRIu64 " variables are more than viewers open\nin %s\nhint: choose some with --storage, --event and --scope", variables, path);
}

void
vcdout_begin(struct vcdout *v)
{
	put_str(v->w, "$version uscope export $end\n$timescale 1 ps $end\n");
}

/* Words of a VCD hold no spaces, and viewers take dots and brackets for more than names. */
size_t
vcdout_make_word(char word[PATH_CUT], const char *name)
{
	size_t n = 0;
	if (!*name || strcmp(name, "/") == 0)
		name = *name ? "top" : "_";
	for (; name[n] && n < PATH_CUT - 1; n++)
		word[n] = isalnum((unsigned char)name[n]) && (unsigned char)name[n] < 0x80 ? name[n] : '_';
	word[n] = 0;
	return n;
}

void
vcdout_word(struct vcdout *v, const char *name)
{
	char word[PATH_CUT];
	wbuf_put(v->w, word, vcdout_make_word(word, name));
}

void
vcdout_open(struct vcdout *v, const char *module)
{
	put_str(v->w, "$scope module ");
	vcdout_word(v, module);
	put_str(v->w, " $end\n");
}

void
vcdout_close(struct vcdout *v)
{
	put_str(v->w, "$upscope $end\n");
}

void
vcdout_var(struct vcdout *v, const char *type, unsigned bits, uint64_t number)
{
	wbuf_printf(v->w, "$var %s %u ", type, bits);
	put_id(v, number);
	put_str(v->w, " ");
}

/* ---- Changes. ---- */

void
vcdout_time(struct vcdout *v, uint64_t time_ps)
{
	if (v->timed && time_ps <= v->time_ps)
		return;
	v->timed = true;
	v->time_ps = time_ps;
	put_str(v->w, "#");
	put_u64(v->w, time_ps);
	put_str(v->w, "\n");
}

void
vcdout_number(struct vcdout *v, uint64_t number)
{
	put_id(v, number);
	put_str(v->w, "\n");
}

void
vcdout_bits(struct vcdout *v, unsigned bits, uint64_t value, uint64_t number)
{
	if (bits == 1) {
		put_str(v->w, value ? "1" : "0");
	} else {
		char text[66];
		size_t n = 0;
		text[n++] = 'b';
		unsigned at = bits - 1;
		while (at && !(value >> at & 1))
			at--;
		for (unsigned i = at + 1; i-- > 0;)
			text[n++] = (char)('0' + (value >> i & 1));
		wbuf_put(v->w, text, n);
		put_str(v->w, " ");
	}
	vcdout_number(v, number);
}

void
vcdout_text(struct vcdout *v, const char *text, size_t n, uint64_t number)
{
	put_str(v->w, "s");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c <= ' ' || c == '\\' || c == 0x7f)
			wbuf_printf(v->w, "\\x%02x", c);
		else
			wbuf_put(v->w, &text[i], 1);
	}
	put_str(v->w, " ");
	vcdout_number(v, number);
}
