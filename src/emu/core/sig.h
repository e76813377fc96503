/* SPDX-License-Identifier: MIT */
#ifndef SIG_H
#define SIG_H

/* sig: signatures of events, "MCV(type name, ...)", with '+' behind the MCV for a jumbo
 * event. Arguments are packed in order; a jumbo one begins with its 4-byte count. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SIG_ARGS_MAX = 16,
	SIG_NAME_MAX = 32,
};

enum sig_type {
	SIG_U8,
	SIG_U16,
	SIG_U32,
	SIG_U64,
	SIG_I8,
	SIG_I16,
	SIG_I32,
	SIG_I64,
	SIG_STR, /* NUL-terminated; only last */
};

struct sig_arg {
	enum sig_type type;
	uint32_t at;   /* offset in the payload, bytes */
	uint32_t size; /* bytes; of a string, the least: its NUL */
	char name[SIG_NAME_MAX];
};

struct sig {
	char mcv[4]; /* NUL behind */
	bool jumbo;
	uint32_t size; /* bytes of payload that the arguments need */
	size_t nargs;
	struct sig_arg args[SIG_ARGS_MAX];
};

/* Parses a signature. Returns 0, or -1 and, in *why, a static text. */
int sig_parse(const char *text, struct sig *sig, const char **why);

/* The name of a type in a signature: "u32". */
const char *sig_type_name(enum sig_type type);

#endif
