/* SPDX-License-Identifier: MIT */
/* symbols: functions of a loaded object, also static ones, by their address: from the file that it was loaded
 * from, as .symtab is not in memory. */
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file, and its sections. */
struct elf {
	int fd;
	uint64_t size;
	ElfW(Ehdr) head;
	ElfW(Shdr) * sections;
};

/* ---- Bytes. ---- */

static bool
read_at(const struct elf *e, void *to, size_t n, uint64_t at)
{
	if (at > e->size || n > e->size - at)
		return false;
	for (uint8_t *p = to; n;) {
		ssize_t k = pread(e->fd, p, n, (off_t)at);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		p += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return true;
}

/* Bytes of the file, with a NUL behind them, in memory of their own: a file that is cut while it is mapped
 * would end the program. */
static void *
load(const struct elf *e, uint64_t at, uint64_t n)
{
	if (at > e->size || n > e->size - at || n == 0)
		return NULL;
	void *p = tracer_map((size_t)n + 1);
	if (p && !read_at(e, p, (size_t)n, at)) {
		(void)munmap(p, (size_t)n + 1);
		return NULL;
	}
	return p;
}

static void
unload(void *p, uint64_t n)
{
	if (p)
		(void)munmap(p, (size_t)n + 1);
}

/* ---- The file. ---- */

/* Whether it is the file that was loaded, and not one that has replaced it. */
static bool
is_loaded(const struct elf *e, const struct dl_phdr_info *info)
{
	uint64_t n = (uint64_t)info->dlpi_phnum * sizeof(ElfW(Phdr));
	if (e->head.e_phnum != info->dlpi_phnum || e->head.e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	void *phdrs = load(e, e->head.e_phoff, n);
	bool same = phdrs && memcmp(phdrs, info->dlpi_phdr, (size_t)n) == 0;
	unload(phdrs, n);
	return same;
}

static bool
open_elf(struct elf *e, const char *path, const struct dl_phdr_info *info)
{
	struct stat st;
	*e = (struct elf){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (e->fd < 0 || fstat(e->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	e->size = (uint64_t)st.st_size;
	if (!read_at(e, &e->head, sizeof(e->head), 0) || memcmp(e->head.e_ident, ELFMAG, SELFMAG) != 0 ||
		e->head.e_shentsize != sizeof(ElfW(Shdr)) || !is_loaded(e, info))
		return false;
	e->sections = load(e, e->head.e_shoff, (uint64_t)e->head.e_shnum * sizeof(ElfW(Shdr)));
	return e->sections != NULL;
}

static void
close_elf(struct elf *e)
{
	unload(e->sections, (uint64_t)e->head.e_shnum * sizeof(ElfW(Shdr)));
	if (e->fd >= 0)
		(void)close(e->fd);
}

/* ---- Symbols. ---- */

static size_t
slot_of(const struct tracer_symbols *s, uintptr_t value)
{
	size_t i = (size_t)((value >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (s->cap - 1);
	while (s->table[i].value && s->table[i].value != value)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static bool
is_function(const ElfW(Sym) * sym)
{
	unsigned type = sym->st_info & 15;
	return sym->st_shndx != SHN_UNDEF && sym->st_value && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* Of several names of a function that of a global symbol is taken, and else the first. */
static void
fill(struct tracer_symbols *s, const ElfW(Sym) * list, size_t n, const char *texts, uint64_t size)
{
	for (size_t i = 0; i < n; i++) {
		const ElfW(Sym) *sym = &list[i];
		if (!is_function(sym) || sym->st_name >= size || !texts[sym->st_name])
			continue;
		struct tracer_symbol *to = &s->table[slot_of(s, sym->st_value)];
		if (!to->value || sym->st_info >> 4 == STB_GLOBAL)
			*to = (struct tracer_symbol){ sym->st_value, texts + sym->st_name };
	}
}

static bool
calls_hooks(const ElfW(Sym) * list, size_t n, const char *texts, uint64_t size)
{
	static const char hook[] = "__cyg_profile_func_enter";
	for (size_t i = 0; i < n; i++)
		/* In .symtab its version may follow. */
		if (list[i].st_shndx == SHN_UNDEF && list[i].st_name < size && strncmp(texts + list[i].st_name, hook, sizeof(hook) - 1) == 0)
			return true;
	return false;
}

static bool
read_table(struct tracer_symbols *s, const struct elf *e, const ElfW(Shdr) * section)
{
	const ElfW(Shdr) *strings = section->sh_link < e->head.e_shnum ? &e->sections[section->sh_link] : NULL;
	size_t n = section->sh_size / sizeof(ElfW(Sym));
	size_t count = 0;
	ElfW(Sym) *list = strings ? load(e, section->sh_offset, section->sh_size) : NULL;
	char *texts = list ? load(e, strings->sh_offset, strings->sh_size) : NULL;
	for (size_t i = 0; texts && i < n; i++)
		count += is_function(&list[i]);
	for (s->cap = 16; s->cap < 2 * count;)
		s->cap *= 2;
	s->table = texts ? tracer_map(s->cap * sizeof(*s->table)) : NULL;
	if (s->table) {
		fill(s, list, n, texts, strings->sh_size);
		s->instrumented = calls_hooks(list, n, texts, strings->sh_size);
	} else if (texts) {
		unload(texts, strings->sh_size);
	}
	unload(list, section->sh_size);
	if (!s->table)
		s->cap = 0;
	return s->table != NULL;
}

bool
tracer_symbols_read(struct tracer_symbols *s, const char *path, const struct dl_phdr_info *info)
{
	struct elf e;
	const ElfW(Shdr) *best = NULL;
	bool good = open_elf(&e, path, info);
	for (unsigned i = 0; good && i < e.head.e_shnum; i++)
		if (e.sections[i].sh_type == SHT_SYMTAB || (e.sections[i].sh_type == SHT_DYNSYM && !best))
			best = &e.sections[i];
	good = good && best && read_table(s, &e, best);
	close_elf(&e);
	return good;
}

const char *
tracer_symbols_find(const struct tracer_symbols *s, uintptr_t value)
{
	if (!s->cap)
		return NULL;
	const struct tracer_symbol *sym = &s->table[slot_of(s, value)];
	return sym->value ? sym->text : NULL;
}
