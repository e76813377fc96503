/* SPDX-License-Identifier: MIT */
#ifndef BROWSER_H
#define BROWSER_H

/* browser: shows an address in the browser of the user. */

#include <stdbool.h>
#include <sys/types.h>

/* Whether a browser that is opened here is in front of the user: not over ssh, nor without a display,
 * unless $BROWSER tells which. */
bool browser_is_here(void);

/* Starts the first of $BROWSER that there is, a list with colons, in which %s is the address; or xdg-open.
 * No shell sees the address. Returns the process, or 0: there is no browser. */
pid_t browser_open(const char *address);

#endif
