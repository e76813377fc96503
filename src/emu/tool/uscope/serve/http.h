/* SPDX-License-Identifier: MIT */
#ifndef HTTP_H
#define HTTP_H

/* http: serves files to browsers of this machine, over HTTP and read-only.
 *
 * Answers GET and HEAD of its files, below a random path that nobody guesses, to who came from this machine and
 * asked for it by one of its own names. A file is read when it is asked for and has then the size that
 * it has then; one that shrinks meanwhile ends its answer, with the connection. One thread does all; a client
 * that is slow, or stays without a request, holds up nobody and is left in the end. */

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Daemon;

enum {
	HTTP_SECRET = 32,  /* letters of the random path: 128 bits */
	HTTP_CLIENTS = 64, /* connections at a time; others wait */
};

struct http_file {
	const char *name; /* behind "/SECRET/" */
	const char *type;
	const char *policy; /* Content-Security-Policy */
	int fd;
};

/* A connection. */
struct http_client {
	int socket;       /* -1: the slot is free */
	int64_t asked_ms; /* since when a request is awaited; -1: an answer is under way: */
	int fd;           /* of that file */
	uint64_t first;   /* from this byte on */
};

struct http {
	struct MHD_Daemon *daemon;
	const struct http_file *files; /* of the caller */
	size_t nfiles;
	int listening; /* socket */
	uint16_t port;
	char secret[HTTP_SECRET + 1];
	struct http_client clients[HTTP_CLIENTS];
	size_t nclients;
};

/* Listens on 127.0.0.1; port 0: a free one, which h->port then is. Returns 0, or -errno. */
int http_open(struct http *h, const struct http_file *files, size_t nfiles, uint16_t port);

/* Serves what there is to be served, and waits for more; signals are as in `mask` while it waits, and end that. */
void http_serve(struct http *h, const sigset_t *mask);

/* Accepts what http_open() has failed to open. */
void http_close(struct http *h);

#endif
