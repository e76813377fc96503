/* SPDX-License-Identifier: MIT */
/* text: names of codes and numbers, and the check for UTF-8. */
#include "bits.h"

static const struct {
	const char *name;
	const char *text;
	const char *lenient;
} codes[] = {
	[PRISM_OK] = { "OK", "nothing is wrong", "" },
#define PRISM_X(name, text, lenient) [PRISM_##name] = { #name, text, lenient },
	PRISM_CODE_LIST(PRISM_X)
#undef PRISM_X
		[PRISM_E_VALUE] = { "value", "no event can hold this value", "" },
	[PRISM_E_MEMORY] = { "memory", "memory is exhausted", "" },
};

static int
code_index(int code)
{
	if (code < 0 && code >= -PRISM_E_MEMORY)
		code = -code;
	return code >= 0 && code <= PRISM_E_MEMORY ? code : PRISM_OK;
}

const char *
prism_code_name(int code)
{
	return codes[code_index(code)].name;
}

const char *
prism_code_text(int code)
{
	return codes[code_index(code)].text;
}

const char *
prism_code_lenient(int code)
{
	return codes[code_index(code)].lenient;
}

bool
prism_code_warns(int code)
{
	const uint32_t warnings = 1U << PRISM_PB05 | 1U << PRISM_PB06 | 1U << PRISM_PB09 | 1U << PRISM_PB10 |
		1U << PRISM_PB13 | 1U << PRISM_PB14 | 1U << PRISM_PB17 | 1U << PRISM_PM03;
	return warnings >> code_index(code) & 1;
}

static const char *const kinds[] = {
	[PRISM_MEM] = "memory",
	[PRISM_COMP] = "compute",
	[PRISM_SYNC] = "sync",
	[PRISM_CXT] = "context",
	[PRISM_CF] = "control flow",
	[PRISM_CFG] = "config",
	[PRISM_END] = "end",
};

static const char *const mem_types[] = {
	[PRISM_MEM_UNDEFINED] = "undefined",
	[PRISM_LOAD] = "load",
	[PRISM_STORE] = "store",
	[PRISM_MEM_INVALID] = "invalid",
};

static const char *const formats[] = {
	[PRISM_OP_UNDEFINED] = "undefined",
	[PRISM_INTEGER] = "integer",
	[PRISM_FLOAT] = "floating point",
	[PRISM_OP_INVALID] = "invalid",
};

static const char *const ops[PRISM_OPS] = {
	[PRISM_UNKNOWN] = "undefined",
	[PRISM_ADD] = "add",
	[PRISM_SUB] = "sub",
	[PRISM_MULT] = "mult",
	[PRISM_DIV] = "div",
	[PRISM_SHIFT] = "shift",
	[PRISM_MOV] = "mov",
};

static const char *const syncs[PRISM_SYNCS] = {
	[PRISM_SYNC_UNDEFINED] = "undefined",
	[PRISM_CREATE] = "create",
	[PRISM_JOIN] = "join",
	[PRISM_BARRIER] = "barrier",
	[PRISM_SYNC_SYNC] = "sync",
	[PRISM_SWAP] = "swap",
	[PRISM_LOCK] = "lock",
	[PRISM_UNLOCK] = "unlock",
	[PRISM_COND_WAIT] = "condition wait",
	[PRISM_COND_SIGNAL] = "condition signal",
	[PRISM_COND_BROADCAST] = "condition broadcast",
	[PRISM_SPIN_LOCK] = "spin lock",
	[PRISM_SPIN_UNLOCK] = "spin unlock",
};

static const char *const cxts[PRISM_CXTS] = {
	[PRISM_CXT_UNDEFINED] = "undefined",
	[PRISM_INSN] = "instruction",
	[PRISM_BB] = "basic block",
	[PRISM_FUNC_ENTER] = "function enter",
	[PRISM_FUNC_EXIT] = "function exit",
	[PRISM_THREAD] = "thread",
	[PRISM_NET_ENTER] = "net enter",
	[PRISM_NET_EXIT] = "net exit",
	[PRISM_OPERATOR_ENTER] = "operator enter",
	[PRISM_OPERATOR_EXIT] = "operator exit",
};

#define PICK(names, i) ((i) < sizeof(names) / sizeof((names)[0]) ? (names)[i] : "?")

const char *
prism_kind_name(unsigned kind)
{
	return PICK(kinds, kind);
}

const char *
prism_mem_name(unsigned type)
{
	return PICK(mem_types, type);
}

const char *
prism_format_name(unsigned format)
{
	return PICK(formats, format);
}

const char *
prism_op_name(unsigned op)
{
	return PICK(ops, op);
}

const char *
prism_sync_name(unsigned type)
{
	return PICK(syncs, type);
}

const char *
prism_cxt_name(unsigned type)
{
	return PICK(cxts, type);
}

unsigned
prism_sync_words(unsigned type)
{
	return type == PRISM_COND_WAIT ? 2 : 1;
}

/* Bytes of the character at p, above ASCII; 0: it is none. */
static size_t
text_char(const uint8_t *p, size_t n)
{
	unsigned c = p[0];
	size_t len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3
					       : 2;
	/* Long forms, surrogates and what is above U+10FFFF are seen in the first two. */
	if (c < 0xc2 || c > 0xf4 || len > n)
		return 0;
	if ((c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) || (c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] > 0x8f))
		return 0;
	for (size_t i = 1; i < len; i++)
		if (p[i] >> 6 != 2)
			return 0;
	return len;
}

bool
prism_is_text(const uint8_t *p, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = p[i] >= 0x80 ? text_char(p + i, n - i) : p[i] != 0;
		if (len == 0)
			return false;
	}
	return true;
}
