/* SPDX-License-Identifier: MIT */
#ifndef LAPLACE_PAGES_H
#define LAPLACE_PAGES_H

/* pages: address spaces, their mappings, and canonical pages.
 *
 * A canonical page is a page whatever its address: pages of files and of shared segments
 * are the same wherever they are mapped, those that a fork shares stay one until one side
 * gets a copy, and those of the kernel belong to no space. They are numbered 1, 2, 3... as
 * they are first touched. The rules are in doc/format/laplace.md, "Canonical pages".
 *
 * Memory grows with pages that were touched, at most 64 bytes each (less where pages that
 * follow each other are touched in order) and 64 to find it again (less where neighbours are
 * touched), and with mappings. */

#include "ids.h"
#include "laplace.h"
#include "lines.h"
#include "range.h"

enum lap_class {
	LAP_CLASS_NONE,
	LAP_CLASS_ANONYMOUS,
	LAP_CLASS_FILE,
	LAP_CLASS_SEGMENT,
	LAP_CLASS_UNMAPPED,
	LAP_CLASS_COPY, /* made by C; no touch of it is the first */
	LAP_CLASS_KERNEL,
	LAP_CLASSES,
};

/* A file or a shared segment. */
struct lap_object {
	struct lapmap *pages; /* index in it -> canonical */
	void *user;           /* for the caller, who frees it; NULL at first */
	uint32_t index;       /* owner of the mappings, from 1 */
	uint8_t class;
};

struct lap_space {
	struct lapmap *maps;  /* page -> index in the object; owner: of the object, 0: anonymous */
	struct lapmap *pages; /* page -> canonical, of private pages; owner: class */
	uint64_t mapped;      /* pages in maps */
	uint64_t cache_id;
	void *user;     /* for the caller; NULL at first */
	uint32_t index; /* from 1, in order of appearance */
	uint32_t context;
	uint32_t life;  /* which one with this context, from 1 */
	uint32_t owner; /* the first pid it was assigned to, 0: none yet */
	bool assigned;
	bool dead;
};

struct lappages {
	struct laprange_pool pool;
	struct lapmap *kernel; /* page -> canonical */
	uint64_t npages;       /* canonical pages so far */
	uint64_t next_cache_id;
	uint64_t first_cache_id; /* lower ids are no longer valid */
	uint64_t kernel_base;
	bool offset_in_pages; /* of M */
	struct lapids contexts;
	struct lapids files;
	struct lapids segments;
	struct lap_space **spaces; /* by index - 1 */
	struct lap_object **objects;
	size_t nspaces, spaces_cap;
	size_t nalive; /* of the spaces */
	size_t nobjects, objects_cap;
	struct laplines found; /* canonical pages */
	bool outside;          /* the page touched last is in no mapping */
	bool failed;           /* memory was exhausted: nothing that was found is valid */
};

/* Returns 0 or -LAP_E_MEMORY; lappages_finish() is called in any case. */
int lappages_init(struct lappages *p, uint32_t kernel_base, bool offset_in_pages);
void lappages_finish(struct lappages *p);

/* The functions below return NULL or 0 and set `failed` when memory is exhausted. */

/* The space of a context that lives, or NULL. */
struct lap_space *lappages_space(const struct lappages *p, uint32_t context);
/* A new space, in place of the one with that context. */
struct lap_space *lappages_new_space(struct lappages *p, uint32_t context);
/* Ends a space. */
void lappages_end_space(struct lappages *p, struct lap_space *s);

/* The page of an address of a space (NULL: not known; then kernel only).
 *   class   what it is if this was the first touch, else 0
 * 0: there is no such space. */
uint64_t lappages_touch(struct lappages *p, struct lap_space *s, uint32_t addr, uint8_t *class);

/* The class of the page of an address, which is not touched. known: it has a number already. */
uint8_t lappages_class(const struct lappages *p, const struct lap_space *s, uint32_t addr, bool *known);

/* Prefetches the cache line of an address that will be touched soon. Later lappages_peek()
 * returns its page, if the cache has it; 0: it has not. */
void lappages_prefetch(const struct lappages *p, const struct lap_space *s, uint32_t addr);
uint64_t lappages_peek(const struct lappages *p, const struct lap_space *s, uint32_t addr);

/* Changes the mappings by an event: D M m @ U C s / < > - t. s: the space of its task, for D
 * the source; dup: for D only. Returns the new page of C, else 0. */
uint64_t lappages_event(struct lappages *p, const struct lap_event *ev, struct lap_space *s, struct lap_space *dup);

#endif
