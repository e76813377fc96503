/* SPDX-License-Identifier: MIT */
#include "inputs.h"

const struct trace_input inputs[] = {
	{ &laplace_format, NULL },
	{ &prism_format, NULL },
	{ &runtime_format, NULL },
	{ NULL, NULL },
};
_Static_assert(sizeof(inputs) / sizeof(inputs[0]) <= INPUTS_MAX, "there are more");
