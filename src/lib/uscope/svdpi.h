/* SPDX-License-Identifier: MIT */
#ifndef INCLUDED_SVDPI
#define INCLUDED_SVDPI

/* svdpi: what dpi.c needs of the interface that every SystemVerilog simulator provides
 * (IEEE 1800, annex I), so that building the library takes no simulator. Not installed:
 * programs use the header of their simulator, which has the same guard. */

typedef void *svOpenArrayHandle;

/* Dimension d counts from 1: lowest index, and number of elements. */
int svLow(const svOpenArrayHandle h, int d);
int svSize(const svOpenArrayHandle h, int d);
/* The whole array, lowest index first; NULL: it does not lie in memory as C has it. */
void *svGetArrayPtr(const svOpenArrayHandle h);
/* One element; NULL: there is none. */
void *svGetArrElemPtr1(const svOpenArrayHandle h, int i);

#endif
