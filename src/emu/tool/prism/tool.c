/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include "jsonout.h"
#include "line.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

const char *
ptool_parse_detail(const char *text, uint8_t detail[PRISM_KINDS])
{
	for (;;) {
		unsigned kind = 0;
		size_t n = strcspn(text, "=");
		while (kind < PRISM_KINDS && (strlen(prism_kind_words[kind]) != n || strncmp(text, prism_kind_words[kind], n) != 0))
			kind++;
		if (kind == PRISM_KINDS || text[n] != '=')
			return "a list like mem=f0,comp=f8 is expected, of mem, comp, sync and cxt";
		text += n + 1;
		n = strspn(text, "0123456789abcdefABCDEF");
		if (n < 1 || n > 2 || (text[n] && text[n] != ','))
			return "a level of detail has two hexadecimal digits, such as f0";
		unsigned long bits = strtoul(text, NULL, 16);
		if (kind == PRISM_CF || (bits & ~(unsigned long)prism_detail_bits(kind)))
			return "there are bits that this kind of event has not";
		detail[kind] = (uint8_t)bits;
		text += n;
		if (!*text)
			return NULL;
		text++;
	}
}

int
ptool_issue(struct ptool *t, const char *file, uint64_t offset, int code)
{
	char hint[PRISM_HINT_MAX];
	bool fatal = !t->conv.lenient && !prism_code_warns(code);
	conv_tell(&t->conv,
		&(struct conv_issue){
			.error = "prism",
			.code = prism_code_name(code),
			.text = prism_code_text(code),
			.file = file,
			.offset = offset,
			.nth = ++t->counts[code],
			.fatal = fatal,
			.hint = prismhint_get(&t->keys, code, hint),
			.lenient = prism_code_lenient(code),
		});
	return fatal ? -1 : 0;
}

bool
ptool_set(struct ptool *t, const char *key, const char *value)
{
	struct prism_keys *o = &t->keys;
	if (o->nset == PRISM_SETTINGS) {
		(void)conv_usage(&t->conv, "there are more than %d options for the streams", PRISM_SETTINGS);
		return false;
	}
	o->set[o->nset++] = (struct prism_setting){ key, value };
	return true;
}

void
ptool_ready(struct ptool *t)
{
	t->diag.program = t->conv.program;
	t->diag.level = t->conv.quiet ? DIAG_QUIET : DIAG_NORMAL;
	t->sources = (struct prism_sources){ .diag = &t->diag, .arena = &t->arena, .keys = &t->keys };
}

int
ptool_apply(struct ptool *t, struct prism_source *s)
{
	int rc = 0;
	for (size_t i = 0; i < t->keys.nset && rc == 0; i++)
		rc = prismdesc_set(&t->sources, &t->keys.set[i], NULL, s);
	return ptool_status(rc == 0 ? prismdesc_check(&t->sources, s) : rc);
}

int
ptool_source(struct ptool *t, const char *path, struct prism_source *s)
{
	int rc = 0;
	ptool_ready(t);
	if (prismfiles_is_json(path)) {
		rc = prismdesc_read(&t->sources, path, true, s);
	} else {
		prismdesc_default(s);
		s->events = path;
		s->name = path;
	}
	return rc == 0 ? ptool_apply(t, s) : rc;
}

/* Whether what is written would be written over, also while it has not its name yet. 0, <0, or 2. */
static int
check_pair(struct ptool *t, const char *path, const char *other)
{
	struct arena *a = &t->arena;
	if (!other)
		return 0;
	const char *part = arena_printf(a, "%s.part", path);
	const char *other_part = arena_printf(a, "%s.part", other);
	if (!part || !other_part)
		return conv_no_memory(&t->conv);
	if (conv_is_same(path, other) || conv_is_same(path, other_part) || conv_is_same(part, other))
		return conv_usage(&t->conv, "%s cannot be two outputs", path);
	return 0;
}

bool
ptool_writes_names(const struct ptool *t)
{
	return t->to_names && strcmp(t->to_names, "none") != 0;
}

void
ptool_set_names(const struct ptool *t, struct prism_source *s)
{
	uint8_t size = s->names ? s->name_size : 4;
	if (t->to_names)
		s->names = ptool_writes_names(t) ? t->to_names : NULL;
	if (t->to_name_size >= 0)
		size = t->to_name_size ? 8 : 4;
	s->name_size = size;
	s->settings.name_size = s->names ? size : 0;
}

int
ptool_check_outputs(struct ptool *t, const char *out)
{
	const char *stamps = t->to_timestamps;
	const char *names = ptool_writes_names(t) ? t->to_names : NULL;
	int rc = 0;
	if (t->describe && (!out || strcmp(out, "-") == 0))
		return conv_usage(&t->conv, "--describe needs a name for the stream: -o FILE");
	if (stamps && strcmp(stamps, "-") == 0)
		return conv_usage(&t->conv, "--to-timestamps needs the name of a file");
	if (names && (strcmp(names, "-") == 0 || !*names))
		return conv_usage(&t->conv, "--to-names needs the name of a file, or none");
	out = out && strcmp(out, "-") == 0 ? NULL : out;
	if (stamps)
		rc = check_pair(t, stamps, out);
	if (rc == 0 && t->describe)
		rc = check_pair(t, t->describe, out);
	if (rc == 0 && names)
		rc = check_pair(t, names, out);
	if (rc == 0 && names)
		rc = check_pair(t, names, stamps);
	if (rc == 0 && t->describe)
		rc = check_pair(t, t->describe, stamps);
	if (rc == 0 && t->describe)
		rc = check_pair(t, t->describe, names);
	return rc == 0 && t->describe ? conv_check_output(&t->conv, t->describe) : rc;
}

/* A file as the description names it: beside itself, or as a whole. NULL: no memory. */
static const char *
seen_from(struct ptool *t, const char *path)
{
	char dir[PATH_MAX];
	const char *name = conv_split(path, dir, sizeof(dir));
	char of[PATH_MAX];
	(void)conv_split(t->describe, of, sizeof(of));
	if (*path == '/')
		return path;
	if (conv_is_same(*dir ? dir : ".", *of ? of : "."))
		return name;
	char *whole = realpath(*dir ? dir : ".", NULL);
	const char *seen = whole ? arena_printf(&t->arena, "%s/%s", whole, name) : NULL;
	free(whole);
	return seen;
}

static void
put_path(struct wbuf *w, const char *key, const char *path)
{
	if (path)
		json_form(w, key, TEXT_JSON_BYTES, path, strlen(path));
	else
		json_str(w, key, NULL);
}

void
ptool_put_description(struct wbuf *w, const struct prism_source *s, const char *events, const char *stamps, const char *names)
{
	w->spaced = true;
	put_str(w, "{ ");
	json_u64(w, "version", 1);
	json_str(w, "format", "prism");
	put_path(w, "events", events);
	json_newline(w);
	put_str(w, "  ");
	json_str(w, "compute_layout", prism_layout_words[s->settings.layout]);
	json_u64(w, "word_size", s->settings.word_size == 4 ? 4 : 8);
	json_u64(w, "buffer_size", s->buffer_size);
	if (s->lost)
		json_u64(w, "lost", s->lost);
	json_newline(w);
	put_str(w, "  ");
	json_open(w, "initial_config", '{');
	put_str(w, " ");
	for (unsigned i = 0; i < PRISM_CF; i++)
		json_printf(w, prism_kind_words[i], "%02x", s->settings.detail[i]);
	put_str(w, " }");
	json_newline(w);
	put_str(w, "  ");
	json_i64(w, "process", s->process);
	json_u64(w, "first_thread", s->first_thread);
	json_bool(w, "control_flow", s->settings.control_flow);
	json_newline(w);
	put_str(w, "  ");
	json_open(w, "clock", '{');
	put_str(w, " ");
	json_str(w, "mode", prism_clock_words[s->clock]);
	json_u64(w, "start", s->start);
	json_u64(w, "tick_ns", s->tick_ns);
	put_str(w, " }");
	json_newline(w);
	put_str(w, "  ");
	put_path(w, "timestamps", stamps);
	if (names) {
		json_newline(w);
		put_str(w, "  ");
		put_path(w, "names", names);
		json_u64(w, "name_size", s->name_size);
	}
	put_str(w, " }\n");
}

int
ptool_describe(struct ptool *t, const char *events, const struct prism_source *s)
{
	struct wbuf w = { 0 };
	if (!t->describe || wbuf_failed(&t->conv.out) || wbuf_failed(&t->conv.beside[PTOOL_TIMES]) ||
		wbuf_failed(&t->conv.beside[PTOOL_NAMES]) || conv_interrupted())
		return 0;
	events = seen_from(t, events);
	const char *stamps = s->timestamps ? seen_from(t, s->timestamps) : NULL;
	const char *names = s->names ? seen_from(t, s->names) : NULL;
	if (!events || (s->timestamps && !stamps) || (s->names && !names))
		return conv_no_memory(&t->conv);
	int rc = wbuf_open(&w, t->describe);
	if (rc < 0)
		return conv_error(&t->conv, "write", "cannot open %s: %s", t->describe, strerror(-rc));
	ptool_put_description(&w, s, events, stamps, names);
	rc = wbuf_close(&w);
	return rc < 0 ? conv_error(&t->conv, "write", "cannot write %s: %s", t->describe, strerror(-rc)) : 0;
}
