/* SPDX-License-Identifier: MIT */
#include "sig.h"

#include <string.h>

static const struct {
	const char *name;
	uint32_t size;
} types[] = {
	[SIG_U8] = { "u8", 1 },
	[SIG_U16] = { "u16", 2 },
	[SIG_U32] = { "u32", 4 },
	[SIG_U64] = { "u64", 8 },
	[SIG_I8] = { "i8", 1 },
	[SIG_I16] = { "i16", 2 },
	[SIG_I32] = { "i32", 4 },
	[SIG_I64] = { "i64", 8 },
	[SIG_STR] = { "str", 1 },
};

const char *
sig_type_name(enum sig_type type)
{
	return types[type].name;
}

static const char *
word(const char *p, size_t *n)
{
	p += strspn(p, " ");
	*n = strcspn(p, " ,)");
	return p;
}

/* "type name". Returns what is behind it, or NULL. */
static const char *
parse_arg(const char *p, struct sig_arg *arg)
{
	size_t n;
	p = word(p, &n);
	size_t t = 0;
	while (t < sizeof(types) / sizeof(types[0]) && (strlen(types[t].name) != n || strncmp(types[t].name, p, n) != 0))
		t++;
	if (t == sizeof(types) / sizeof(types[0]))
		return NULL;
	arg->type = (enum sig_type)t;
	arg->size = types[t].size;
	p = word(p + n, &n);
	if (n == 0 || n >= sizeof(arg->name))
		return NULL;
	memcpy(arg->name, p, n);
	arg->name[n] = 0;
	p += n;
	return p + strspn(p, " ");
}

int
sig_parse(const char *text, struct sig *sig, const char **why)
{
	*sig = (struct sig){ 0 };
	*why = "an event needs three letters";
	for (int i = 0; i < 3; i++) {
		if (!text[i])
			return -1;
		sig->mcv[i] = text[i];
	}
	const char *p = text + 3;
	if (*p == '+') {
		sig->jumbo = true;
		sig->size = 4;
		p++;
	}
	if (!*p)
		return 0;
	*why = "the arguments need parentheses";
	if (*p++ != '(')
		return -1;
	for (;;) {
		*why = "too many arguments";
		if (sig->nargs == SIG_ARGS_MAX)
			return -1;
		struct sig_arg *arg = &sig->args[sig->nargs++];
		*why = "an argument is a type (u8..u64, i8..i64, str) and a name";
		if (!(p = parse_arg(p, arg)))
			return -1;
		arg->at = sig->size;
		sig->size += arg->size;
		*why = "a string must be the last argument";
		if (arg->type == SIG_STR && *p != ')')
			return -1;
		if (*p != ',')
			break;
		p++;
	}
	*why = *p == ')' ? "text behind the arguments" : "the arguments end with a ')'";
	return p[0] == ')' && !p[1] ? 0 : -1;
}
