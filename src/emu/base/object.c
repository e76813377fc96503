/* SPDX-License-Identifier: MIT */
#include "object.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* Version and size, the first members. */
enum {
	HEAD = 2 * sizeof(uint32_t),
};

int
object_open(struct object *o, const struct object_kind *k, struct diag *d, const char *file)
{
	const struct place at = { .file = file };
	/* A name without '/' would be looked for in the folders of libraries. */
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s", strchr(file, '/') ? "" : "./", file);
	*o = (struct object){ .size = UINT64_MAX };
	if (n < 0 || (size_t)n >= sizeof(path))
		return diag_error(d, k->code, &at, "the shared object cannot be loaded: its name is too long");
	o->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!o->handle)
		return diag_error(d, k->code, &at, "the shared object cannot be loaded: %s", dlerror());
	o->data = dlsym(o->handle, k->symbol);
	if (!o->data)
		return diag_error(d, k->code, &at, "the shared object exports no %s\nhint: it needs a global 'const %s %s', see %s", k->symbol, k->type,
			k->symbol, k->page);
	Dl_info info;
	void *entry = NULL;
	if (!dladdr1(o->data, &info, &entry, RTLD_DL_SYMENT) || !entry)
		return 0;
	const ElfW(Sym) *sym = entry;
	o->size = sym->st_size;
	if (ELF64_ST_TYPE(sym->st_info) == STT_OBJECT && o->size >= HEAD)
		return 0;
	return diag_error(d, k->code, &at, "its %s is no %s: it has %" PRIu64 " bytes%s", k->symbol, k->type, o->size,
		ELF64_ST_TYPE(sym->st_info) == STT_OBJECT ? "" : " and is no data");
}

bool
object_is_zero(const void *p, size_t from, size_t to)
{
	const uint8_t *bytes = p;
	while (from < to && bytes[from] == 0)
		from++;
	return from >= to;
}

int
object_copy(void *to, const void *from, uint64_t size, const struct object_kind *k, struct diag *d, const char *file)
{
	const struct place at = { .file = file };
	uint32_t head[2];
	memcpy(head, from, HEAD);
	if (head[0] != k->version)
		return diag_error(d, k->code, &at, "its %s has version %" PRIu32 " of %s, which has version %" PRIu32 " here\n"
						   "hint: build it with the %s of this ovniscope",
			k->symbol, head[0], k->type, k->version, k->header);
	if (head[1] < HEAD || head[1] > size)
		return diag_error(d, k->code, &at, "its %s has %" PRIu64 " bytes, but says it has %" PRIu32, k->symbol, size, head[1]);
	if (!object_is_zero(from, k->size, head[1]))
		return diag_error(d, k->code, &at, "its %s has %" PRIu32 " bytes, of which %" PRIu32 " are known here, and the others are not zero\n"
						   "hint: build it with the %s of this ovniscope, or use a newer one",
			k->symbol, head[1], k->size, k->header);
	memset(to, 0, k->size);
	memcpy(to, from, head[1] < k->size ? head[1] : k->size);
	return 0;
}
