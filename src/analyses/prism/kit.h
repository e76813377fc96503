/* SPDX-License-Identifier: MIT */
#ifndef ANALYSES_KIT_H
#define ANALYSES_KIT_H

/* kit: what the analyses that are installed share: their report, as text or JSON, where it goes, and whose event it is.
 *
 * An analysis is a tool as doc/prism.md describes them. It sees only prism_hooks.h of the emulator, and links base for texts
 * and memory. */

#include "jsonout.h"
#include "prism_hooks.h"

#include <inttypes.h>

struct kit {
	struct prism_run *run;
	struct wbuf out;
	const char *path; /* NULL: stdout */
	bool json;
};

/* In begin, first: reads the arguments format=text|json and out=FILE. Returns 0, or <0 (reported). */
int kit_begin(struct kit *k, struct prism_run *r);

/* In begin, last: opens the output. Returns 0, or <0 (reported). */
int kit_open(struct kit *k);

/* In finish, behind the report: closes the output. Returns 0, or <0 (reported). */
int kit_finish(struct kit *k);

/* Marks the function that frees all that an analysis has, with its output: it is called when the shared object is unloaded, also when
 * the analysis was stopped and is not asked to finish. */
#define KIT_RELEASE static void __attribute__((destructor))
void kit_release(struct kit *k);

/* Begins and ends the object that a JSON report is. */
void kit_open_json(struct kit *k, const char *analysis);
void kit_close_json(struct kit *k);

/* Reports that memory is exhausted. Returns -1. */
int kit_no_memory(struct kit *k);

/* Reads an argument that is a power of two. It stays when it is not given. Returns 0, or <0 (reported). */
int kit_power(struct kit *k, const char *key, uint64_t max, uint64_t *to);

/* Reads an argument that is a time, in ns, such as 1000 or 1.5us. Returns 0, or <0 (reported). */
int kit_time(struct kit *k, const char *key, uint64_t *ns);

/* Makes room for n items of a table: `table` is the address of the pointer to it. New ones are zeroed. false when memory is
 * exhausted. */
bool kit_room(void *table, size_t *cap, size_t n, size_t size);

/* ---- Whose event it is. ---- */

/* Numbers, from 0, of the processes in the order of their first event. */
struct kit_processes {
	uint32_t *ids;
	size_t n, cap;
};

/* The number of a process. Few have more than one. UINT32_MAX when memory is exhausted. */
uint32_t kit_process(struct kit_processes *p, uint32_t id);

struct kit_thread {
	uint32_t process, id;
};

/* Threads, from 0, in the order of their first event. */
struct kit_threads {
	struct arena arena; /* of the maps */
	struct kit_thread *list;
	size_t n, cap;
	uint32_t *last; /* by stream: the thread of its last event, from 1 */
	size_t last_cap;
	struct idmap *ids; /* by number of the process: thread id, to its number from 1 */
	size_t ids_cap;
	struct kit_processes processes;
};

/* The number of the thread of an event. UINT32_MAX when memory is exhausted. */
uint32_t kit_find_thread(struct kit_threads *t, const struct prism_at *at);

static inline uint32_t
kit_thread(struct kit_threads *t, const struct prism_at *at)
{
	uint32_t last = at->stream < t->last_cap ? t->last[at->stream] : 0;
	if (last && t->list[last - 1].id == at->thread && t->list[last - 1].process == at->process)
		return last - 1;
	return kit_find_thread(t, at);
}

/* A thread in a text, with its process when there are several, or as two values of a JSON object. */
void kit_put_thread(struct kit *k, const struct kit_threads *t, uint32_t thread);
void kit_json_thread(struct kit *k, const char *key, const struct kit_threads *t, uint32_t thread);

void kit_finish_threads(struct kit_threads *t);

/* ---- What is counted for each stream, and for all of them. ---- */

/* The first stream is all of them until there is another. */
struct kit_streams {
	void *(*start)(void);
	void *(*copy)(const void *); /* both: NULL when memory is exhausted */
	void *all;
	void **list; /* by stream */
	size_t n, cap;
};

/* What is counted for a stream; s->all is what is counted for all, or the same. NULL when memory is exhausted. */
void *kit_find_stream(struct kit_streams *s, uint32_t stream);

static inline void *
kit_stream(struct kit_streams *s, uint32_t stream)
{
	return stream < s->cap && s->list[stream] ? s->list[stream] : kit_find_stream(s, stream);
}

/* Calls put() with what is counted for all streams, of which there is at least one, and NULL, and then with that for each if there are
 * several, and its number. */
void kit_put_streams(const struct kit_streams *s, void (*put)(void *, const char *stream));

void kit_finish_streams(struct kit_streams *s, void (*drop)(void *));

/* ---- Functions. ---- */

/* The names of functions by their ids; 0: outside of all, or not known. */
struct kit_functions {
	struct kit_function {
		const char *name; /* lives as long as the run */
		uint32_t len;
	} * list;
	size_t n, cap; /* with gaps for names of other things */
};

/* Notes the name of a function. false when memory is exhausted. */
bool kit_function(struct kit_functions *f, uint32_t id, const char *name, uint32_t len);

/* A name in a text, in which no byte drives a terminal; in JSON null for no function. */
void kit_put_function(struct kit *k, const struct kit_functions *f, uint32_t id);
void kit_json_function(struct kit *k, const char *key, const struct kit_functions *f, uint32_t id);

#endif
