/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_H
#define FUZZ_H

/* fuzz: what the targets share. A target is one .c file with LLVMFuzzerTestOneInput();
 * it is linked with libFuzzer (-Dfuzz=true, clang) or with replay.c, which runs it over
 * files. Nothing may be printed: a target says what is wrong by crashing. */

#include "kit.h"
#include "modelset.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Called first; a directory for the files, in memory. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The models of the tree. */
const struct model_set *fuzz_models(void);

/* Emulates a trace directory in one of the views, into nothing. */
void fuzz_emulate(const char *dir, bool compat, bool strict);
void fuzz_emulate_with(const struct model_set *models, const char *dir, bool compat, bool strict);

/* stderr is nowhere in between, as opening and closing a file for each input is cheaper
 * than what is printed; unless FUZZ_LOUD is in the environment. */
void fuzz_quiet(void);
void fuzz_loud(void);

/* The diag of the targets: errors are counted, and not seen. */
extern struct diag fuzz_diag;

/* Writes a file of the scratch directory. */
void fuzz_file(const char *relpath, const void *bytes, size_t n);

/* Removes a file of it, if it is there. */
void fuzz_drop(const char *relpath);

#endif
