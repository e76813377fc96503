/* SPDX-License-Identifier: MIT */
#ifndef INPUT_OVNI_METADATA_H
#define INPUT_OVNI_METADATA_H

/* metadata: the metadata of runtime streams, versions 1 to 3, into struct thread_meta.
 * The keys are defined in doc/format/trace.md, "Metadata". */

#include "trace.h"

/* Version 3: the stream.json beside the stream. */
int tmeta_load_v3(struct stream *s, const char *json_path);

/* Versions 1 and 2: the path is the identity, and the process has a metadata.json.
 * Streams must be in path order. All return 0, or <0 (reported). */
int tmeta_load_old(struct trace *t);

/* Reads the part of the metadata that versions 2 and 3 share (requirements, library,
 * finished) out of s->meta.attrs. With the option strict it must be finished. */
int tmeta_common(struct stream *s, const char *path);

/* An array of {index, phyid} into s->meta.cpus. Absent or no array: none. */
int tmeta_cpus(struct stream *s, const struct cJSON *list, const char *path);

/* rank and nranks of an object into s->meta. */
int tmeta_rank(struct stream *s, const struct cJSON *obj, const char *path);

#endif
