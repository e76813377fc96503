/* SPDX-License-Identifier: MIT */
#ifndef LITTLE_H
#define LITTLE_H

/* little: included where numbers of a format are copied between a file and memory as they are. All
 * formats are little-endian, so a machine of the other byte order would write files that nobody can
 * read; the build refuses it, and this file protects those who build without Meson. */

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "ovniscope needs a little-endian machine: numbers of its files are in memory as they are in the file"
#endif

#endif
