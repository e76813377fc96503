/* SPDX-License-Identifier: MIT */
#include "arguments.h"

#include "arena.h"
#include "number.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char blanks[] = " \t\n";

static int __attribute__((format(printf, 2, 3)))
refuse(char *why, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(why, ARGUMENTS_WHY, fmt, ap);
	va_end(ap);
	return -1;
}

/* ---- Reading. ---- */

/* Copies a word without its quotes, and a NUL; *to is behind that then. Returns the text behind the word, or NULL: a quote or a
 * backslash has nothing that ends it. */
static const char *
copy_word(const char *text, char **to)
{
	char quote = 0;
	for (; *text && (quote || !strchr(blanks, *text)); text++) {
		if (*text == quote) {
			quote = 0;
		} else if (!quote && (*text == '\'' || *text == '"')) {
			quote = *text;
		} else {
			text += *text == '\\' && quote != '\'';
			if (!*text)
				return NULL;
			*(*to)++ = *text;
		}
	}
	*(*to)++ = 0;
	return quote ? NULL : text;
}

static int
add(struct arguments *a, char *word, char *why)
{
	if (a->n == ARGUMENTS_MAX)
		return refuse(why, "there are more than %d arguments", ARGUMENTS_MAX);
	char *equals = strchr(word, '=');
	struct argument *new = &a->list[a->n];
	new->key = word;
	new->value = equals ? equals + 1 : "";
	if (equals)
		*equals = 0;
	if (!*word)
		return refuse(why, "'=%s' is no argument: it needs a key", new->value);
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->list[i].key, word) == 0)
			return refuse(why, "the argument '%s' is there twice", word);
	a->n++;
	return 0;
}

int
arguments_read(struct arguments *a, const char *text, char *why)
{
	*a = (struct arguments){ .bytes = block_alloc(strlen(text) + 1) };
	if (!a->bytes)
		return refuse(why, "memory is exhausted");
	if (access(text, F_OK) == 0) {
		a->file = memcpy(a->bytes, text, strlen(text) + 1);
		return 0;
	}
	char *to = a->bytes;
	int rc = 0;
	while (rc == 0 && *(text += strspn(text, blanks))) {
		char *word = to;
		text = copy_word(text, &to);
		if (!text)
			return refuse(why, "'%s' ends inside of quotes, or behind a backslash", word);
		if (a->file)
			rc = add(a, word, why);
		else
			a->file = word;
	}
	return rc < 0 || (a->file && *a->file) ? rc : refuse(why, "there is no name of a file");
}

void
arguments_finish(struct arguments *a)
{
	block_free(a->bytes);
	*a = (struct arguments){ 0 };
}

/* ---- What is asked for. ---- */

const char *
arguments_get(struct arguments *a, const char *key)
{
	size_t n = strlen(a->known);
	(void)snprintf(a->known + n, sizeof(a->known) - n, "%s%s", n ? ", " : "", key);
	for (size_t i = 0; i < a->n; i++) {
		if (strcmp(a->list[i].key, key) != 0)
			continue;
		a->list[i].known = true;
		return a->list[i].value;
	}
	return NULL;
}

const char *
arguments_key(struct arguments *a, size_t i)
{
	a->all = true;
	return i < a->n ? a->list[i].key : NULL;
}

int
arguments_number(struct arguments *a, const char *key, uint64_t min, uint64_t max, uint64_t *to, char *why)
{
	uint64_t n;
	const char *value = arguments_get(a, key);
	if (!value)
		return 0;
	if (!number_parse(value, &n) || n < min || n > max)
		return refuse(why, "the argument '%s' needs a number from %" PRIu64 " to %" PRIu64 ", not '%s'", key, min, max, value);
	*to = n;
	return 0;
}

int
arguments_word(struct arguments *a, const char *key, const char *const *words, int *to, char *why)
{
	char list[ARGUMENTS_WHY / 2] = "";
	size_t n = 0;
	const char *value = arguments_get(a, key);
	for (int i = 0; value && words[i]; i++) {
		if (strcmp(words[i], value) == 0) {
			*to = i;
			return 0;
		}
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", !i ? "" : words[i + 1] ? ", "
													 : " or ",
				words[i]);
	}
	return value ? refuse(why, "the argument '%s' needs %s, not '%s'", key, list, value) : 0;
}

int
arguments_check(const struct arguments *a, char *why)
{
	for (size_t i = 0; i < a->n && !a->all; i++)
		if (!a->list[i].known && a->known[0])
			return refuse(why, "it knows no argument '%s'\nhint: it knows %s", a->list[i].key, a->known);
		else if (!a->list[i].known)
			return refuse(why, "it takes no arguments, such as '%s'", a->list[i].key);
	return 0;
}
