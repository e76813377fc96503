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

/* The whole file with a NUL behind; the caller's, to be freed with block_free(). */
static int
slurp(struct diag *d, const char *path, char **text, size_t *size)
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
	else if (st.st_size > JSON_FILE_MAX)
		rc = diag_error(d, ERR_JSON, NULL, "'%s' is too large for metadata: %lld bytes", path, (long long)st.st_size);
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
	*text = buf;
	*size = n;
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
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
json_load(struct diag *d, const char *path, cJSON **root)
{
	char *text = NULL;
	size_t size = 0;
	int rc = slurp(d, path, &text, &size);
	if (rc < 0 || !text)
		return rc;

	bool no_memory = false;
	const char *end = NULL;
	cJSON *tree = NULL;
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		rc = diag_error(d, ERR_JSON, NULL, "'%s' begins with a byte order mark, which JSON does not allow", path);
		goto out;
	}
	end = blank_comments(text, size);
	if (!end)
		tree = cJSON_ParseWithLengthOpts(text, size + 1, &end, false);
	if (!tree) {
		rc = not_json(d, path, text, size, end);
		goto out;
	}
	if (!cJSON_IsObject(tree)) {
		rc = diag_error(d, ERR_JSON, NULL, "'%s' is not a JSON object", path);
		goto out;
	}
	const char *dup = find_duplicate(tree, &no_memory);
	if (dup)
		rc = diag_error(d, ERR_JSON, NULL, "'%s' has the key \"%s\" twice in one object", path, dup);
	else if (no_memory)
		rc = diag_no_memory(d);
out:
	block_free(text);
	if (rc < 0)
		cJSON_Delete(tree);
	else
		*root = tree;
	return rc;
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
