/* SPDX-License-Identifier: MIT */
/* early: metadata files that a second thread reads while the first one does other things, or reads some of them too.
 *
 * Trees wait in a ring until it is their turn, so that few are in memory at once. What is wrong with a file is not said
 * here: its tree is missing, and who takes it reads the file once more. */
#include "parts.h"

#include "json.h"

#include <pthread.h>
#include <string.h>

enum {
	EARLY_FROM = 32, /* with fewer files a thread does not pay */
	EARLY_MOST = 64, /* that wait, or are being read */
};

struct early {
	const struct stream_file *files;
	size_t n;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved; /* a file was read, or taken */
	size_t next;          /* file to read, */
	size_t taken;         /* and to take */
	bool ready[EARLY_MOST];
	cJSON *trees[EARLY_MOST]; /* of file i at i % EARLY_MOST; NULL: it could not be read */
};

static bool
has_room(const struct early *e)
{
	return e->next < e->n && e->next < e->taken + EARLY_MOST;
}

/* Reads a file. With the lock, which is released meanwhile. */
static void
read_next(struct early *e)
{
	struct diag mute = { .program = "", .level = DIAG_MUTE };
	size_t i = e->next++;
	cJSON *tree = NULL;
	pthread_mutex_unlock(&e->lock);
	if (json_load(&mute, e->files[i].path, &tree) < 0)
		tree = NULL;
	pthread_mutex_lock(&e->lock);
	e->trees[i % EARLY_MOST] = tree;
	e->ready[i % EARLY_MOST] = true;
	pthread_cond_signal(&e->moved);
}

static void *
read_all(void *arg)
{
	struct early *e = arg;
	pthread_mutex_lock(&e->lock);
	while (e->next < e->n) {
		if (has_room(e))
			read_next(e);
		else
			pthread_cond_wait(&e->moved, &e->lock);
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

struct early *
early_begin(const struct trace *t, const struct stream_file *files, size_t n)
{
	if (t->options.threads < 2 || n < EARLY_FROM)
		return NULL;
	struct early *e = block_alloc(sizeof(*e));
	if (!e)
		return NULL;
	*e = (struct early){ .files = files, .n = n };
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->moved, NULL);
	if (pthread_create(&e->thread, NULL, read_all, e) == 0)
		return e;
	pthread_cond_destroy(&e->moved);
	pthread_mutex_destroy(&e->lock);
	block_free(e);
	return NULL;
}

/* The next tree, NULL if its file could not be read. With the lock. */
static cJSON *
take(struct early *e)
{
	bool *ready = &e->ready[e->taken % EARLY_MOST];
	while (!*ready) {
		if (has_room(e))
			read_next(e);
		else
			pthread_cond_wait(&e->moved, &e->lock);
	}
	*ready = false;
	return e->trees[e->taken++ % EARLY_MOST];
}

cJSON *
early_take(struct early *e, const char *path)
{
	if (!e || e->taken == e->n)
		return NULL;
	const char *of = e->files[e->taken].path;
	pthread_mutex_lock(&e->lock);
	cJSON *tree = take(e);
	if (e->taken % (EARLY_MOST / 2) == 0) /* seldom enough to be cheap */
		pthread_cond_signal(&e->moved);
	pthread_mutex_unlock(&e->lock);
	if (strcmp(of, path) == 0)
		return tree;
	cJSON_Delete(tree);
	return NULL;
}

void
early_end(struct early *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->n = e->next; /* the others are not wanted */
	pthread_cond_signal(&e->moved);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
	for (; e->taken < e->n; e->taken++)
		cJSON_Delete(e->trees[e->taken % EARLY_MOST]);
	pthread_cond_destroy(&e->moved);
	pthread_mutex_destroy(&e->lock);
	block_free(e);
}
