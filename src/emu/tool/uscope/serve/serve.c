/* SPDX-License-Identifier: MIT */
#include "serve.h"

#include "browser.h"
#include "http.h"

#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int
refuse(struct tool *t, const char *path, int status, const char *reason)
{
	uscope_error_t e = { .status = status, .segment = -1 };
	(void)snprintf(e.reason, sizeof(e.reason), "%s", reason);
	t->in[0].path = path;
	return utool_fail(t, &t->in[0], &e);
}

/* Opens a file that is a trace, or can become one. Returns it, or -1 (reported). */
static int
open_trace(struct tool *t, const char *path)
{
	static const char magic[4] = "uSCP";
	char begin[sizeof(magic)];
	struct stat st;
	errno = 0;
	/* Opening a FIFO waits for nobody. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return refuse(t, path, USCOPE_E_IO, "cannot open");
	bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	ssize_t n = regular ? pread(fd, begin, sizeof(begin), 0) : 0;
	if (regular && n >= 0 && memcmp(begin, magic, (size_t)n) == 0)
		return fd;
	if (n < 0)
		(void)refuse(t, path, USCOPE_E_IO, "cannot read");
	else if (regular)
		(void)refuse(t, path, USCOPE_E_MAGIC, "not a µScope file");
	else
		(void)refuse(t, path, USCOPE_E_IO, "not a regular file");
	(void)close(fd);
	return -1;
}

/* Returns a file in memory with the page, or -1 (reported). */
static int
make_page(struct tool *t, const char *path)
{
	char dir[PATH_MAX];
	struct wbuf w = { 0 };
	int fd = memfd_create("page", MFD_CLOEXEC);
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int rc = copy < 0 ? -errno : wbuf_attach(&w, copy, "page");
	if (rc == 0) {
		page_write_served(&w, conv_split(path, dir, sizeof(dir)), "data");
		rc = wbuf_close(&w);
	} else if (copy >= 0) {
		(void)close(copy);
	}
	if (rc == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return conv_error(&t->conv, "write", "cannot hold the page in memory: %s", strerror(-rc));
}

/* Says how to see the page, which is at the address that was printed. */
static void
tell(const struct conv *c, uint16_t port, bool opened)
{
	char host[HOST_NAME_MAX + 1] = "";
	if (c->quiet)
		return;
	(void)gethostname(host, sizeof(host) - 1);
	if (!opened)
		(void)fprintf(stderr, "To open that in a browser of another machine, run there: ssh -N -L %u:127.0.0.1:%u %s\n", port, port, *host ? host : "HOST");
	(void)fprintf(stderr, "Ctrl-C ends it.\n");
}

/* Serves until the user ends it. */
static int
serve(struct tool *t, struct http *h, const struct serve_options *o)
{
	struct conv *c = &t->conv;
	sigset_t ends;
	sigset_t before;
	char address[60 + HTTP_SECRET];
	pid_t browser = 0;
	/* They come while it waits, and at no other time: none is missed. */
	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigaddset(&ends, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &ends, &before);
	conv_catch_signals();
	c->lasts = true;
	(void)snprintf(address, sizeof(address), "http://127.0.0.1:%u/%s/", h->port, h->secret);
	wbuf_printf(&c->out, "%s\n", address);
	(void)wbuf_flush(&c->out);
	if (!o->no_browser && browser_is_here())
		browser = browser_open(address);
	tell(c, h->port, browser > 0);
	while (!utool_stop(t)) {
		http_serve(h, &before);
		if (browser > 0 && waitpid(browser, NULL, WNOHANG) == browser)
			browser = 0;
	}
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return STATUS_GOOD;
}

int
serve_file(struct tool *t, const char *path, const struct serve_options *o)
{
	char policy[1000];
	struct http_file files[] = {
		{ .name = "", .type = "text/html; charset=utf-8", .policy = policy },
		{ .name = "data", .type = "application/octet-stream", .policy = "default-src 'none'; frame-ancestors 'none'" },
	};
	struct http h = { 0 };
	int rc = -1;
	(void)snprintf(policy, sizeof(policy), "%s; frame-ancestors 'none'", page_policy);
	files[1].fd = open_trace(t, path);
	files[0].fd = files[1].fd < 0 ? -1 : make_page(t, path);
	if (files[0].fd >= 0) {
		rc = http_open(&h, files, sizeof(files) / sizeof(files[0]), (uint16_t)o->port);
		rc = rc == 0 ? serve(t, &h, o) : conv_error(&t->conv, "serve", "cannot serve at 127.0.0.1:%" PRIu64 ": %s", o->port, strerror(-rc));
		http_close(&h);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i].fd >= 0)
			(void)close(files[i].fd);
	return rc;
}
