/* SPDX-License-Identifier: MIT */
#include "json.h"

#include "arena.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FEW = 16, /* keys that are compared each with each */
};

/* The whole file with a NUL behind. */
static int
slurp(struct diag *d, const char *path, size_t most, const char *what, struct json_text *t)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not hang us */
	if (fd < 0)
		return diag_io(d, ERR_READ, "open", path, errno);
	struct stat st;
	int rc = 0;
	char *buf = NULL;
	size_t n = 0;
	if (fstat(fd, &st) != 0)
		rc = diag_io(d, ERR_READ, "inspect", path, errno);
	else if (!S_ISREG(st.st_mode))
		rc = diag_error(d, ERR_READ, NULL, "'%s' is not a regular file", path);
	else if ((uint64_t)st.st_size > most)
		rc = diag_error(d, ERR_JSON, NULL, "'%s' is too large for %s: %lld bytes", path, what, (long long)st.st_size);
	else if (!(buf = block_alloc((size_t)st.st_size + 1)))
		rc = diag_no_memory(d);
	while (rc == 0 && n < (size_t)st.st_size) {
		ssize_t k = read(fd, buf + n, (size_t)st.st_size - n);
		if (k < 0 && errno != EINTR)
			rc = diag_io(d, ERR_READ, "read", path, errno);
		if (k == 0)
			break;
		n += k > 0 ? (size_t)k : 0;
	}
	(void)close(fd);
	if (rc < 0 || !buf) {
		block_free(buf);
		return rc;
	}
	t->text = buf;
	t->size = n;
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

/* The key that occurs twice among few items, or NULL. */
static const char *
find_among_few(const cJSON *item)
{
	for (const cJSON *a = item->child; a; a = a->next)
		for (const cJSON *b = a->next; b; b = b->next)
			if (strcmp(a->string, b->string) == 0)
				return a->string;
	return NULL;
}

/* The key that occurs twice in some object of the tree, or NULL. Sorting keeps it
 * cheap for an object with a million keys. cJSON bounds the depth. */
static const char *
find_duplicate(const cJSON *item, bool *no_memory)
{
	size_t n = 0;
	const cJSON *it;
	const char *dup = NULL;
	cJSON_ArrayForEach(it, item)
	{
		n++;
		if (it->child && (dup = find_duplicate(it, no_memory)))
			return dup;
	}
	if (n < 2 || !cJSON_IsObject(item))
		return NULL;
	if (n <= FEW)
		return find_among_few(item);
	const cJSON **all = block_alloc(n * sizeof(const cJSON *));
	if (!all) {
		*no_memory = true;
		return NULL;
	}
	n = 0;
	cJSON_ArrayForEach(it, item)
	{
		all[n++] = it;
	}
	qsort(all, n, sizeof(const cJSON *), by_name);
	for (size_t i = 1; i < n && !dup; i++)
		if (by_name(&all[i - 1], &all[i]) == 0)
			dup = all[i]->string;
	block_free(all);
	return dup;
}

static size_t
line_of(const char *text, const char *at)
{
	size_t line = 1;
	for (const char *p = text; p < at; p++)
		line += *p == '\n';
	return line;
}

/* Blanks out comments, in place and keeping the lines, so that cJSON sees plain JSON
 * and an error still has its line. Returns a control byte inside a string, which cJSON
 * would let pass, or NULL. */
static const char *
blank_comments(char *s, size_t n)
{
	bool quoted = false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"') {
			quoted = !quoted;
		} else if (quoted) {
			if ((unsigned char)s[i] < 0x20)
				return s + i;
			i += s[i] == '\\';
		} else if (s[i] == '/' && i + 1 < n && s[i + 1] == '/') {
			while (i < n && s[i] != '\n')
				s[i++] = ' ';
		} else if (s[i] == '/' && i + 1 < n && s[i + 1] == '*') {
			char *end = memmem(s + i + 2, n - i - 2, "*/", 2);
			size_t stop = end ? (size_t)(end - s) + 2 : n;
			for (; i < stop; i++)
				if (s[i] != '\n')
					s[i] = ' ';
			i--;
		}
	}
	return NULL;
}

/* Whether the text up to there is nested as deep as cJSON goes. */
static bool
too_deep(const char *text, const char *at)
{
	int depth = 0;
	for (bool quoted = false; text < at; text++) {
		if (*text == '"')
			quoted = !quoted;
		else if (quoted)
			text += *text == '\\';
		else
			depth += (*text == '[' || *text == '{') - (*text == ']' || *text == '}');
	}
	return depth >= CJSON_NESTING_LIMIT;
}

static int
not_json(struct diag *d, const char *path, const char *text, size_t size, const char *at)
{
	if (size == 0)
		return diag_error(d, ERR_JSON, NULL, "'%s' is not valid JSON: it is empty", path);
	if (!at || at < text || at > text + size)
		at = text;
	const char *why = "";
	if (too_deep(text, at))
		why = ": it is nested too deep";
	else if (at[strspn(at, " \t\r\n")] == 0)
		why = ": it ends too early";
	return diag_error(d, ERR_JSON, NULL, "'%s' is not valid JSON, near line %zu (byte %zu)%s", path,
		line_of(text, at), (size_t)(at - text), why);
}

int
json_text_load(struct diag *d, const char *path, size_t most, const char *what, struct json_text *t)
{
	*t = (struct json_text){ 0 };
	int rc = slurp(d, path, most, what, t);
	if (rc < 0)
		return rc;
	const char *end = NULL;
	if (t->size >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0) {
		rc = diag_error(d, ERR_JSON, NULL, "'%s' begins with a byte order mark, which JSON does not allow", path);
		goto out;
	}
	end = blank_comments(t->text, t->size);
	if (!end)
		t->root = cJSON_ParseWithLengthOpts(t->text, t->size + 1, &end, false);
	if (!t->root)
		rc = not_json(d, path, t->text, t->size, end);
	else if (!cJSON_IsObject(t->root))
		rc = diag_error(d, ERR_JSON, NULL, "'%s' is not a JSON object", path);
	t->end = end;
out:
	if (rc < 0)
		json_text_finish(t);
	return rc;
}

void
json_text_finish(struct json_text *t)
{
	cJSON_Delete(t->root);
	block_free(t->text);
	*t = (struct json_text){ 0 };
}

int
json_load(struct diag *d, const char *path, cJSON **root)
{
	struct json_text t;
	bool no_memory = false;
	int rc = json_text_load(d, path, JSON_FILE_MAX, "metadata", &t);
	if (rc < 0)
		return rc;
	const char *dup = find_duplicate(t.root, &no_memory);
	if (dup)
		rc = diag_error(d, ERR_JSON, NULL, "'%s' has the key \"%s\" twice in one object", path, dup);
	else if (no_memory)
		rc = diag_no_memory(d);
	if (rc == 0) {
		*root = t.root;
		t.root = NULL;
	}
	json_text_finish(&t);
	return rc;
}

/* ---- Places of items. ---- */

/* Looks for an item in a tree. *nth counts the items before it, in the order of the text; the path to it is
 * added to what `path` has. */
static bool
find_item(const cJSON *at, const cJSON *item, size_t *nth, char *path, size_t size)
{
	size_t n = strlen(path);
	int i = 0;
	if (at == item)
		return true;
	++*nth;
	for (const cJSON *it = at->child; it; it = it->next, i++) {
		if (it->string)
			(void)snprintf(path + n, size - n, "%s%.40s", n ? "." : "", it->string);
		else
			(void)snprintf(path + n, size - n, "[%d]", i);
		if (find_item(it, item, nth, path, size))
			return true;
	}
	path[n] = 0;
	return false;
}

static const char *
skip(const char *p, const char *end)
{
	while (p < end && (unsigned char)*p <= ' ')
		p++;
	return p;
}

size_t
json_where(const struct json_text *t, const cJSON *item, char *path, size_t size)
{
	size_t nth = 0;
	path[0] = 0;
	if (!find_item(t->root, item, &nth, path, size))
		return 0;
	const char *end = t->text + t->size;
	const char *p = skip(t->text, end);
	for (; p < end; p = skip(p, end)) {
		const char *begin = p;
		bool key = false;
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
			p = skip(p + 1, end);
			key = p < end && *p == ':';
		} else {
			p += isalnum((unsigned char)*p) || *p == '-' ? strcspn(p, " \t\r\n,]}") : 1;
		}
		if (!key && !strchr(":,]}", *begin) && nth-- == 0)
			return line_of(t->text, begin);
	}
	return 0;
}

const cJSON *
json_vfind(const cJSON *obj, va_list keys)
{
	const char *key;
	while (obj && (key = va_arg(keys, const char *)))
		obj = cJSON_GetObjectItemCaseSensitive(obj, key);
	return obj;
}

const cJSON *
json_find(const cJSON *obj, ...)
{
	va_list ap;
	va_start(ap, obj);
	obj = json_vfind(obj, ap);
	va_end(ap);
	return obj;
}

int
json_int(const cJSON *item, int *out)
{
	if (!cJSON_IsNumber(item))
		return -1;
	double v = item->valuedouble;
	if (!(v > (double)INT_MIN - 1 && v < (double)INT_MAX + 1))
		return -1;
	*out = (int)v;
	return 0;
}

int
json_bad(const struct json_source *in, const char *key, const char *fmt, ...)
{
	char text[300];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	++*in->count;
	if (in->file)
		return diag_error(in->diag, in->error, &(struct place){ .file = in->file }, "%s: the key \"%s\" %s", in->code, key, text);
	return diag_error(in->diag, ERR_USAGE, &(struct place){ .file = "the command line" },
		"%s: the key \"%s\" %s\nhint: %s %s lists the options", in->code, key, text, in->diag->program, in->help);
}

int
json_word(const struct json_source *in, const cJSON *item, const char *const *words, size_t n, int *to)
{
	char list[200] = "";
	size_t at = 0;
	for (size_t i = 0; i < n && at < sizeof(list); i++) {
		if (cJSON_IsString(item) && strcmp(item->valuestring, words[i]) == 0) {
			*to = (int)i;
			return 0;
		}
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s\"%s\"", i ? ", " : "", words[i]);
	}
	return json_bad(in, item->string, "must be %s%s", n > 1 ? "one of " : "", list);
}

int
json_number(const struct json_source *in, const cJSON *item, uint64_t min, uint64_t max, uint64_t *to)
{
	const uint64_t whole = UINT64_C(1) << 53; /* above, numbers of JSON are not */
	double v = item->valuedouble;
	char *end;
	if (cJSON_IsNumber(item) && v >= 0 && v <= (double)whole && (double)(uint64_t)v == v) {
		*to = (uint64_t)v;
		if (*to >= min && *to <= max)
			return 0;
	} else if (in->digits && cJSON_IsString(item) && isdigit((unsigned char)item->valuestring[0])) {
		errno = 0;
		*to = strtoull(item->valuestring, &end, 10);
		if (!*end && !errno && *to >= min && *to <= max)
			return 0;
	}
	if (min == max)
		return json_bad(in, item->string, "must be %" PRIu64 ": nothing else is known", min);
	return json_bad(in, item->string, "must be a whole number from %" PRIu64 " to %" PRIu64 "%s", min, max,
		max > whole && in->digits ? in->digits : "");
}

int
json_file(const struct json_source *in, const cJSON *item, const char *json, const char **to)
{
	if (!cJSON_IsString(item) || !*item->valuestring)
		return json_bad(in, item->string, "must be the name of a file");
	const char *slash = json ? strrchr(json, '/') : NULL;
	const char *name = item->valuestring;
	*to = *name == '/' || !slash ? arena_printf(in->arena, "%s", name)
				     : arena_printf(in->arena, "%.*s/%s", (int)(slash - json), json, name);
	return *to ? 0 : diag_no_memory(in->diag);
}
