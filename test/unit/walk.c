/* SPDX-License-Identifier: MIT */
#include "walk.h"

#include "kit.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	TREES = 60,
	DEEP = 300,
	MANY = 3000,
};

/* As walk_next() sorts: a slash follows the names of directories. */
static int
by_name(const FTSENT **a, const FTSENT **b)
{
	const unsigned char *x = (const unsigned char *)(*a)->fts_name;
	const unsigned char *y = (const unsigned char *)(*b)->fts_name;
	while (*x && *x == *y)
		x++, y++;
	return (*x ? *x : '/') - (*y ? *y : '/');
}

static enum walk_kind
kind_of(int info)
{
	switch (info) {
	case FTS_D: return WALK_ENTER;
	case FTS_DP: return WALK_LEAVE;
	case FTS_F: return WALK_FILE;
	case FTS_DEFAULT: return WALK_OTHER;
	case FTS_SLNONE: return WALK_NOWHERE;
	case FTS_NS: return WALK_UNKNOWN;
	default: return WALK_UNLISTED;
	}
}

/* Walks a tree with both, entry by entry. Returns the number of entries. */
static size_t
against_fts(const char *path)
{
	char *dirs[2] = { (char *)path, NULL };
	FTS *fts = fts_open(dirs, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	struct walk *w = walk_begin(path);
	CHECK(fts && w);
	size_t n = 0;
	for (;; n++) {
		struct walk_entry *have = walk_next(w);
		FTSENT *want = fts_read(fts);
		CHECK(!have == !want);
		if (!have || !want)
			break;
		if (strcmp(have->path, want->fts_path) != 0)
			(void)fprintf(stderr, "'%s' and not '%s'\n", have->path, want->fts_path);
		CHECK(strcmp(have->path, want->fts_path) == 0 && have->length == want->fts_pathlen);
		CHECK(strcmp(have->name, want->fts_name) == 0 && have->level == (size_t)want->fts_level);
		CHECK(have->kind == kind_of(want->fts_info));
		if (have->kind == WALK_UNKNOWN || have->kind == WALK_UNLISTED) {
			CHECK(have->err == want->fts_errno);
			continue;
		}
		if (have->kind == WALK_NOWHERE)
			continue;
		CHECK(walk_inspect(have) == 0);
		CHECK(have->ino == want->fts_statp->st_ino && have->dev == want->fts_statp->st_dev && have->mode == want->fts_statp->st_mode);
		if (have->kind == WALK_ENTER) {
			CHECK(have->number == 0 && !have->skip);
			have->number = want->fts_number = (long)n + 1;
			if (n % 7 == 3) {
				have->skip = true;
				(void)fts_set(fts, want, FTS_SKIP);
			}
		}
		if (have->kind == WALK_LEAVE)
			CHECK(have->number == want->fts_number);
		CHECK(have->parent && have->parent->number == want->fts_parent->fts_number);
		CHECK(have->parent->length <= have->length);
	}
	walk_end(w);
	(void)fts_close(fts);
	return n;
}

/* Names that are begins of others, so that the order of directories shows. */
static void
name_of(char *name, uint64_t *x)
{
	static const char letters[] = "ab.-/0";
	size_t n = 0;
	name[n++] = 'a';
	while (n < 5 && kit_random(x) % 4) {
		char c = letters[kit_random(x) % (sizeof(letters) - 1)];
		name[n++] = c == '/' ? ' ' : c;
	}
	name[n] = '\0';
}

static void
fill_tree(const char *dir, int depth, uint64_t *x)
{
	char path[PATH_MAX];
	char name[8];
	char to[8];
	for (uint64_t i = kit_random(x) % 9; i > 0; i--) {
		name_of(name, x);
		name_of(to, x);
		CHECK((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) < sizeof(path));
		struct stat st;
		if (lstat(path, &st) == 0)
			continue;
		switch (kit_random(x) % 8) {
		case 0: CHECK(symlink(to, path) == 0); break; /* to a file, a directory, nowhere, or itself */
		case 1: CHECK(mkfifo(path, 0600) == 0); break;
		case 2:
		case 3:
		case 4:
			CHECK(mkdir(path, kit_random(x) % 8 ? 0755 : 0700) == 0);
			if (depth < 5)
				fill_tree(path, depth + 1, x);
			break;
		default: kit_write(path, "", 0);
		}
	}
}

static void
random_trees(void)
{
	uint64_t x = 22;
	size_t n = 0;
	for (int i = 0; i < TREES; i++) {
		const char *dir = kit_path("tree");
		CHECK(mkdir(dir, 0755) == 0);
		fill_tree(dir, 0, &x);
		n += against_fts(dir);
		kit_remove(dir);
	}
	CHECK(n > 10 * TREES);
}

/* A list longer than what is first made room for, and what may not be listed or entered (where root is not asked). */
static void
many_and_closed(void)
{
	char dir[PATH_MAX];
	(void)snprintf(dir, sizeof(dir), "%s", kit_path("many"));
	CHECK(mkdir(dir, 0755) == 0);
	for (int i = 0; i < MANY; i++)
		kit_write(kit_path("many/a rather long name, so that the list has several pages %d", i), "", 0);
	CHECK(against_fts(dir) == MANY + 2);
	CHECK(mkdir(kit_path("many/shut"), 0755) == 0 && mkdir(kit_path("many/blind"), 0755) == 0);
	kit_write(kit_path("many/blind/file"), "", 0);
	CHECK(chmod(kit_path("many/shut"), 0) == 0 && chmod(kit_path("many/blind"), 0444) == 0);
	(void)against_fts(dir);
	CHECK(chmod(kit_path("many/shut"), 0755) == 0 && chmod(kit_path("many/blind"), 0755) == 0);
	(void)against_fts(kit_path("many/"));
	(void)against_fts(kit_path("nothing"));
	(void)against_fts(kit_path("many/blind/file"));
}

/* Paths as long as the system takes, and one name more. */
static void
too_long(void)
{
	char cwd[PATH_MAX];
	char name[NAME_MAX + 1];
	CHECK(getcwd(cwd, sizeof(cwd)) != NULL);
	memset(name, 'd', NAME_MAX);
	name[NAME_MAX] = '\0';
	const char *dir = kit_path("deep");
	CHECK(mkdir(dir, 0755) == 0 && chdir(dir) == 0);
	for (int i = 0; i < PATH_MAX / NAME_MAX + 1; i++)
		CHECK(mkdir(name, 0755) == 0 && chdir(name) == 0);
	CHECK(chdir(cwd) == 0);
	struct walk *w = walk_begin(dir);
	CHECK(w != NULL);
	size_t unknown = 0;
	size_t entered = 0;
	size_t left = 0;
	for (const struct walk_entry *e; (e = walk_next(w));) {
		unknown += e->kind == WALK_UNKNOWN && e->err == ENAMETOOLONG && e->length >= PATH_MAX;
		entered += e->kind == WALK_ENTER;
		left += e->kind == WALK_LEAVE && e->path[e->length] == '\0';
	}
	CHECK(unknown == 1 && entered == left && entered > PATH_MAX / NAME_MAX - 2);
	walk_end(w);
	char *whole = malloc(3 * PATH_MAX);
	CHECK(whole != NULL);
	memset(whole, 'x', 3 * PATH_MAX - 1);
	whole[3 * PATH_MAX - 1] = '\0';
	w = walk_begin(whole);
	const struct walk_entry *e = walk_next(w);
	CHECK(e && e->kind == WALK_UNKNOWN && e->err == ENAMETOOLONG && !walk_next(w));
	walk_end(w);
	free(whole);
}

/* One that stops early leaves nothing open. */
static void
early_end(void)
{
	const char *dir = kit_path("early");
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s", dir);
	for (int i = 0; i < DEEP; i++) {
		CHECK(mkdir(path, 0755) == 0);
		n += snprintf(path + n, sizeof(path) - (size_t)n, "/d");
	}
	for (size_t stop = 0; stop < 2 * DEEP; stop += 7) {
		struct walk *w = walk_begin(dir);
		for (size_t i = 0; i < stop; i++)
			(void)walk_next(w);
		walk_end(w);
	}
	int fd = dup(0);
	CHECK(fd >= 0 && fd < 10);
	(void)close(fd);
	walk_end(NULL);
}

int
main(void)
{
	random_trees();
	many_and_closed();
	too_long();
	early_end();
	return 0;
}
