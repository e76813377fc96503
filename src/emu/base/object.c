/* SPDX-License-Identifier: MIT */
#include "object.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Version and size, the first members. */
enum {
	HEAD = 2 * sizeof(uint32_t),
};

/* Whether the name fits, and the file is there. */
static bool
is_there(char path[PATH_MAX], const char *folder, size_t n, const char *name)
{
	int length = snprintf(path, PATH_MAX, "%.*s/%s.so", (int)n, folder, name);
	return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

/* Finds one that is installed: beside the program, so that what was installed may be moved. */
static bool
find_installed(char path[PATH_MAX], const struct object_kind *k, const char *name)
{
	const char *folders = getenv(OBJECT_FOLDERS);
	while (folders && *folders) {
		size_t n = strcspn(folders, ":");
		if (n && n < PATH_MAX && is_there(path, folders, n, name))
			return true;
		folders += n + (folders[n] == ':');
	}
	char folder[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = 0;
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = 0;
	int length = snprintf(folder, sizeof(folder), "%s%s%s/%s", *OBJECT_LIBRARIES == '/' ? "" : path, *OBJECT_LIBRARIES == '/' ? "" : "/",
		OBJECT_LIBRARIES, k->folder);
	return length > 0 && (size_t)length < sizeof(folder) && is_there(path, folder, (size_t)length, name);
}

int
object_open(struct object *o, const struct object_kind *k, struct diag *d, const char *file)
{
	const struct place at = { .file = file };
	char path[PATH_MAX];
	*o = (struct object){ .size = UINT64_MAX };
	bool installed = k->folder && !strpbrk(file, "/.");
	if (installed && !find_installed(path, k, file))
		return diag_error(d, k->code, &at, "no tool of this name is installed (%s)\nhint: a file is named with a '/' or a '.', and %s with folders of others",
			path, OBJECT_FOLDERS);
	/* A name without '/' would be looked for in the folders of libraries. */
	int n = installed ? 0 : snprintf(path, sizeof(path), "%s%s", strchr(file, '/') ? "" : "./", file);
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
