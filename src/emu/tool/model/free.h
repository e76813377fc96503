/* SPDX-License-Identifier: MIT */
#ifndef TOOL_MODEL_FREE_H
#define TOOL_MODEL_FREE_H

/* free: PRV types that the models of the tree leave to those of others, and small letters. */

enum {
	FREE_TYPES = 500,
	FREE_TYPES_END = 1000,
};

#endif
