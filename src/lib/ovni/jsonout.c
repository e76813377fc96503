/* SPDX-License-Identifier: MIT */
/* jsonout: a tree of values as text. */
#include <string.h>
#include "jsonvalue.h"

enum {
	BLANKS = 4, /* a level */
};

/* The layout (4 blanks a level, "\/") is that of the traces there are, so that files of either
 * library compare equal. */
static void
print_text(FILE *f, const char *s)
{
	static const char name[] = "\b\f\n\r\t\"\\/";
	static const char letter[] = "bfnrt\"\\/";

	(void)fputc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		const char *p = strchr(name, c);
		if (p)
			(void)fprintf(f, "\\%c", letter[p - name]);
		else if (c < 0x20)
			(void)fprintf(f, "\\u%04x", c);
		else
			(void)fputc(c, f);
	}
	(void)fputc('"', f);
}

/* %.17g keeps every double; the point is not that of the locale, which may have several bytes. */
static void
print_number(FILE *f, double v)
{
	char text[64];
	bool point = false;

	(void)snprintf(text, sizeof(text), "%1.17g", v);
	for (const char *p = text; *p; p++) {
		if (strchr("+-0123456789e", *p)) {
			(void)fputc(*p, f);
		} else if (!point) {
			(void)fputc('.', f);
			point = true;
		}
	}
}

static void
new_line(FILE *f, int indent)
{
	if (indent >= 0)
		(void)fprintf(f, "\n%*s", indent * BLANKS, "");
}

static void
print_items(FILE *f, const struct json *v, int indent)
{
	int inner = indent < 0 ? indent : indent + 1;

	(void)fputc(v->kind == JSON_OBJECT ? '{' : '[', f);
	for (const struct json *m = v->first; m; m = m->next) {
		new_line(f, inner);
		if (v->kind == JSON_OBJECT) {
			print_text(f, m->name);
			(void)fputs(inner < 0 ? ":" : ": ", f);
		}
		rt_json_print(f, m, inner);
		if (m->next)
			(void)fputc(',', f);
	}
	if (v->first)
		new_line(f, indent);
	(void)fputc(v->kind == JSON_OBJECT ? '}' : ']', f);
}

void
rt_json_print(FILE *f, const struct json *v, int indent)
{
	static const char *const words[] = { [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true" };
	switch (v->kind) {
	case JSON_NUMBER:
		print_number(f, v->number);
		break;
	case JSON_STRING:
		print_text(f, v->text);
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		print_items(f, v, indent);
		break;
	default:
		(void)fputs(words[v->kind], f);
		break;
	}
}
