/* SPDX-License-Identifier: MIT */
/* names: functions by their address. Readers take no lock: entries are never changed, and what is replaced
 * stays where it is.
 *
 * Names of C++ are made readable by the program's own __cxa_demangle(), which allocates: that is only safe
 * while no function of the object has been called that might be in an allocator, so it is done for all symbols
 * of an object at once, before the program begins or with its first call. */
#include "parts.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLOTS = 4096, /* at first */
	BLOCK = 256 * 1024,
	DEMANGLE_MAX = 4000, /* bytes of a name that is demangled: it is done on the program's stack */
};

struct object {
	struct object *next;
	uintptr_t lo; /* its addresses are in [lo, hi) */
	uintptr_t hi;
	uintptr_t bias;
	const char *file; /* without its folder */
	struct tracer_symbols symbols;
};

/* What is read is published by these two. */
_Atomic(struct tracer_slots *) tracer_slots;
static _Atomic(struct object *) objects;

/* ---- Memory. ---- */

void *
tracer_take(size_t size)
{
	static uint8_t *end;
	static volatile size_t left; /* in front of the end */
	size = (size + 15) & ~(size_t)15;
	tracer_lock();
	if (left < size) {
		size_t n = size > BLOCK ? size : BLOCK;
		uint8_t *p = tracer_map(n);
		left = 0;
		end = p ? p + n : NULL;
		left = p ? n : 0;
	}
	uint8_t *p = left ? end - left : NULL;
	if (p)
		left -= size;
	tracer_unlock();
	return p;
}

static const char *
copy(const char *text)
{
	size_t n = strnlen(text, PRISM_NAME_MAX);
	char *p = tracer_take(n + 1);
	return p ? memcpy(p, text, n) : NULL; /* what is behind is 0 */
}

/* ---- Objects. ---- */

static void
demangle(struct tracer_symbols *s)
{
	char *(*make)(const char *, char *, size_t *, int *) = NULL;
	bool looked = false;
	for (size_t i = 0; i < s->cap; i++) {
		struct tracer_symbol *sym = &s->table[i];
		if (!sym->value || strncmp(sym->text, "_Z", 2) != 0 || strlen(sym->text) > DEMANGLE_MAX)
			continue;
		if (!looked)
			*(void **)&make = dlsym(RTLD_DEFAULT, "__cxa_demangle");
		looked = true;
		if (!make)
			return;
		int status = 0;
		char *text = make(sym->text, NULL, NULL, &status);
		const char *kept = text ? copy(text) : NULL;
		sym->text = kept ? kept : sym->text;
		free(text);
	}
}

struct look {
	uintptr_t address; /* 0: all that are instrumented */
	struct object *found;
};

static struct object *
find_known(uintptr_t lo, uintptr_t hi)
{
	struct object *o = atomic_load(&objects);
	while (o && !(o->lo <= lo && hi <= o->hi))
		o = o->next;
	return o;
}

static void
get_range(const struct dl_phdr_info *info, uintptr_t *lo, uintptr_t *hi)
{
	*lo = UINTPTR_MAX;
	*hi = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		if (ph->p_type != PT_LOAD)
			continue;
		uintptr_t at = info->dlpi_addr + ph->p_vaddr;
		*lo = at < *lo ? at : *lo;
		*hi = at + ph->p_memsz > *hi ? at + ph->p_memsz : *hi;
	}
}

static struct object *
add_object(const struct dl_phdr_info *info, uintptr_t lo, uintptr_t hi, bool any)
{
	struct tracer_symbols symbols = { 0 };
	const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	bool good = tracer_symbols_read(&symbols, path, info);
	if (!any && !(good && symbols.instrumented))
		return NULL;
	struct object *o = tracer_take(sizeof(*o));
	const char *slash = strrchr(path, '/');
	if (!o)
		return NULL;
	*o = (struct object){ .lo = lo, .hi = hi, .bias = info->dlpi_addr, .file = copy(slash ? slash + 1 : path), .symbols = symbols };
	return o;
}

static void
publish(struct object *o)
{
	demangle(&o->symbols);
	tracer_lock();
	o->next = atomic_load(&objects);
	atomic_store(&objects, o);
	tracer_unlock();
}

static int
look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct look *look = arg;
	uintptr_t lo;
	uintptr_t hi;
	(void)size;
	get_range(info, &lo, &hi);
	if (look->address && !(lo <= look->address && look->address < hi))
		return 0;
	struct object *o = add_object(info, lo, hi, look->address != 0);
	if (!o)
		return look->address != 0;
	o->next = look->found;
	look->found = o;
	return look->address != 0;
}

/* The loader is locked while it tells what is there: names are demangled behind that. */
static void
load(uintptr_t address)
{
	struct look look = { .address = address };
	(void)dl_iterate_phdr(look_at, &look);
	for (struct object *o = look.found, *next; o; o = next) {
		next = o->next;
		publish(o);
	}
}

void
tracer_names_begin(void)
{
	load(0);
}

/* ---- Names. ---- */

static void
put(struct tracer_slots *t, const struct tracer_name *name)
{
	size_t i = tracer_hash(name->fn, t->cap);
	while (atomic_load_explicit(&t->slot[i], memory_order_relaxed))
		i = (i + 1) & (t->cap - 1);
	atomic_store_explicit(&t->slot[i], name, memory_order_release);
	t->n++;
}

static const struct tracer_name *
get(const struct tracer_slots *t, const void *fn)
{
	if (!t)
		return NULL;
	for (size_t i = tracer_hash(fn, t->cap);; i = (i + 1) & (t->cap - 1)) {
		const struct tracer_name *name = atomic_load_explicit(&t->slot[i], memory_order_acquire);
		if (!name || name->fn == fn)
			return name;
	}
}

/* A table of that size, with the names of the old one that are not in [lo, hi). NULL: memory is exhausted. */
static struct tracer_slots *
remake(const struct tracer_slots *old, size_t cap, uintptr_t lo, uintptr_t hi)
{
	struct tracer_slots *t = tracer_map(sizeof(*t) + cap * sizeof(t->slot[0]));
	if (!t)
		return NULL;
	t->cap = cap;
	for (size_t i = 0; old && i < old->cap; i++) {
		const struct tracer_name *name = atomic_load_explicit(&old->slot[i], memory_order_relaxed);
		if (name && !((uintptr_t)name->fn >= lo && (uintptr_t)name->fn < hi))
			put(t, name);
	}
	return t;
}

static const struct tracer_name *
add(const struct tracer_name *name)
{
	tracer_lock();
	struct tracer_slots *t = atomic_load(&tracer_slots);
	const struct tracer_name *had = get(t, name->fn);
	if (!had && (!t || t->n >= t->cap / 2)) {
		t = remake(t, t ? t->cap * 2 : SLOTS, 0, 0);
		if (t)
			atomic_store(&tracer_slots, t);
	}
	if (!had && t)
		put(t, name);
	tracer_unlock();
	return had ? had : name;
}

static const struct tracer_name *
make_name(const void *fn, const char *text)
{
	uint8_t bytes[1 + PRISM_NAME_MAX];
	size_t n = strnlen(text, PRISM_NAME_MAX);
	bytes[0] = (uint8_t)(n - 1);
	memcpy(bytes + 1, text, n);
	bool out = tracer_filter.on && !tracer_filter_takes(text);
	int64_t number = out ? 0 : tracer_append(bytes, 1 + n);
	struct tracer_name *name = number < 0 ? NULL : tracer_take(sizeof(*name));
	if (number < 0)
		tracer_self.inside = TRACER_NEVER;
	if (name)
		*name = (struct tracer_name){ fn, (uint32_t)number, out };
	return name;
}

static const struct tracer_name *
find_slowly(const void *fn)
{
	uintptr_t at = (uintptr_t)fn;
	struct object *o = find_known(at, at + 1);
	char place[80];
	if (!o) {
		load(at);
		o = find_known(at, at + 1);
	}
	const char *text = o ? tracer_symbols_find(&o->symbols, at - o->bias) : NULL;
	if (!text) /* for addr2line */
		(void)snprintf(place, sizeof(place), "%.40s+%#zx", o && o->file ? o->file : "?", (size_t)(at - (o ? o->bias : 0)));
	return make_name(fn, text && *text ? text : place);
}

const struct tracer_name *
tracer_name_find(const void *fn)
{
	const struct tracer_name *name = get(atomic_load_explicit(&tracer_slots, memory_order_acquire), fn);
	if (__builtin_expect(name != NULL, 1))
		return name;
	struct tracer_calm calm;
	tracer_calm(&calm);
	name = find_slowly(fn);
	if (name)
		name = add(name);
	tracer_resume(&calm);
	return name;
}

/* ---- Objects that are closed. ---- */

static int
is_there(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct object *o = arg;
	uintptr_t lo;
	uintptr_t hi;
	(void)size;
	get_range(info, &lo, &hi);
	return lo == o->lo && hi == o->hi;
}

/* A reader may be at an object that is taken out: it goes on with the next. */
void
tracer_names_closed(void)
{
	for (struct object *o = atomic_load(&objects); o; o = o->next) {
		if (dl_iterate_phdr(is_there, o))
			continue;
		tracer_lock();
		struct tracer_slots *t = atomic_load(&tracer_slots);
		t = t ? remake(t, t->cap, o->lo, o->hi) : NULL;
		if (t)
			atomic_store(&tracer_slots, t);
		o->lo = o->hi = 0;
		tracer_unlock();
	}
}
