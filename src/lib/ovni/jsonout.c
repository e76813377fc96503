/* SPDX-License-Identifier: MIT */
/* jsonout: a cJSON tree as text.
 *
 * cJSON could print it, but takes a number for another one that differs in the last bit,
 * and a measurement that comes back changed is of no use. %.17g keeps every double. The
 * layout (4 blanks a level, "\/") is that of the traces there are, so that files of
 * either library compare equal. */
#include "rt.h"

enum {
	BLANKS = 4, /* a level */
};

static void
string(FILE *f, const char *s)
{
	static const char name[] = "\b\f\n\r\t\"\\/";
	static const char letter[] = "bfnrt\"\\/";

	(void)fputc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		const char *p = strchr(name, c);
		if (p != NULL)
			(void)fprintf(f, "\\%c", letter[p - name]);
		else if (c < 0x20)
			(void)fprintf(f, "\\u%04x", c);
		else
			(void)fputc(c, f);
	}
	(void)fputc('"', f);
}

/* The locale of the program may have a comma, or several bytes, for the point. */
static void
number(FILE *f, double v)
{
	char text[64];
	bool point = false;

	(void)snprintf(text, sizeof(text), "%1.17g", v);
	for (const char *p = text; *p; p++) {
		if (strchr("+-0123456789e", *p) != NULL) {
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
members(FILE *f, const cJSON *v, int indent, bool named)
{
	int inner = indent < 0 ? indent : indent + 1;

	for (const cJSON *m = v->child; m != NULL; m = m->next) {
		new_line(f, inner);
		if (named) {
			string(f, m->string);
			(void)fputs(inner < 0 ? ":" : ": ", f);
		}
		rt_json_print(f, m, inner);
		if (m->next != NULL)
			(void)fputc(',', f);
	}
	if (v->child != NULL)
		new_line(f, indent);
}

void
rt_json_print(FILE *f, const cJSON *v, int indent)
{
	switch (v->type & 0xff) {
	case cJSON_False:
		(void)fputs("false", f);
		break;
	case cJSON_True:
		(void)fputs("true", f);
		break;
	case cJSON_Number:
		number(f, v->valuedouble);
		break;
	case cJSON_String:
		string(f, v->valuestring);
		break;
	case cJSON_Array:
		(void)fputc('[', f);
		members(f, v, indent, false);
		(void)fputc(']', f);
		break;
	case cJSON_Object:
		(void)fputc('{', f);
		members(f, v, indent, true);
		(void)fputc('}', f);
		break;
	default:
		(void)fputs("null", f);
		break;
	}
}
