/* SPDX-License-Identifier: MIT */
/* html: ovni.html, the page with the bytes that the others here write, as they do. It gets its name when it is complete, if the file
 * system can do that, so that nothing stays of it however the run ends. */
#include "uscp.h"

#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_NAME "ovni.html"

struct uscp_page {
	const char *path;
	struct wbuf w;
	struct page page;
	bool named; /* the file has its name */
};

enum {
	FIRST_SHIFT = 14, /* buckets of 16 us at least: shorter ones would only become one soon */
};

/* Removes a page of an earlier run: this one may end without a page. Returns 0, or -errno. */
static int
remove_page(const char *path)
{
	struct stat st;
	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) || unlink(path) == 0)
		return 0;
	return -errno;
}

/* Reports why there is no page, and removes what there is of it. */
static int
fail(const struct uscp *u, const char *what, int err)
{
	const char *path = u->html->path;
	if (u->html->named)
		(void)remove_page(path);
	if (diag_repeats(u->emu->diag, path, strerror(err)))
		return -ERR_WRITE;
	return diag_error(u->emu->diag, ERR_WRITE, NULL, "cannot %s '%s': %s\nhint: there is no such page; -o DIR writes elsewhere", what, path, strerror(err));
}

/* The path by which a file without a name gets one. */
static const char *
path_of(char path[32], int fd)
{
	(void)snprintf(path, 32, "/proc/self/fd/%d", fd);
	return path;
}

/* Opens the page without a name, or with it: something has it that no run removes, or the file system wants one. Returns 0, or -errno. */
static int
open_page(struct uscp_page *h, const char *dir)
{
	struct stat st;
	char path[32];
	int fd = lstat(h->path, &st) != 0 ? open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
	int rc = fd < 0 || access(path_of(path, fd), F_OK) != 0 ? 1 : wbuf_attach(&h->w, fd, h->path);
	if (rc && fd >= 0)
		(void)close(fd);
	if (rc <= 0)
		return rc;
	h->named = true;
	return wbuf_open(&h->w, h->path);
}

int
uscp_open_page(struct uscp *u, const char *dir)
{
	if (!(u->emu->plan->options.outputs & OUTPUT_HTML))
		return 0;
	struct uscp_page *h = u->html = arena_new(&u->arena, struct uscp_page, 1);
	if (!h || !(h->path = arena_printf(&u->arena, "%s/" PAGE_NAME, dir)))
		return diag_no_memory(u->emu->diag);
	int rc = remove_page(h->path);
	if (rc < 0)
		return diag_io(u->emu->diag, ERR_WRITE, "replace", h->path, -rc);
	rc = open_page(h, dir);
	if (rc < 0)
		return fail(u, "create", -rc);
	if (uscp_is_page(u))
		u->path = h->path;
	page_open(&h->page, &h->w, "ovni.uscp", u->emu->plan->options.html_limit, 0);
	return 0;
}

int
uscp_take_data(void *uscp, const void *bytes, size_t n, uint64_t offset)
{
	const struct uscp *u = uscp;
	int rc = page_put(&u->html->page, bytes, n, offset);
	return uscp_is_page(u) ? -rc : 0;
}

void
uscp_fail_page(struct uscp *u)
{
	(void)fail(u, "write", -wbuf_close(&u->html->w));
}

bool
uscp_open_overview(struct uscp *u)
{
	if (!u->html || !u->times.runs)
		return true;
	u->times.other = -(INT64_C(1) << FIRST_SHIFT);
	return overview_init(&u->overview, u->times.nplaces, 0, FIRST_SHIFT);
}

/* Tells that the page lacks the data. */
static void
advise(const struct uscp *u)
{
	char size[PAGE_SIZE_TEXT];
	diag_info(u->emu->diag, "%s holds an overview only, as its data is more than %s\nhint: %s; --html-limit puts more into the page", u->html->path,
		page_size_text(size, u->emu->plan->options.html_limit),
		uscp_is_page(u) ? "-f uscope,html also writes ovni.uscp, to be dropped on it for the rest" : "drop ovni.uscp on it for the rest");
}

/* Gives the page its name. Returns 0, or -errno. */
static int
name_page(struct uscp_page *h)
{
	char path[32];
	if (h->named)
		return 0;
	h->named = true;
	int rc = remove_page(h->path);
	if (rc == 0 && linkat(AT_FDCWD, path_of(path, h->w.fd), AT_FDCWD, h->path, AT_SYMLINK_FOLLOW) != 0)
		rc = -errno;
	return rc;
}

int
uscp_write_page(struct uscp *u)
{
	struct uscp_page *h = u->html;
	if (!h || !h->w.data)
		return h ? -ERR_WRITE : 0;
	const uint8_t *overview = NULL;
	size_t n = 0;
	if (u->overview.tracks)
		overview = overview_bytes(&u->overview, (uint64_t)u->time, PS_PER_NS, page_overview_most(h->page.size, h->page.limit), &n);
	if (u->overview.no_memory)
		return diag_no_memory(u->emu->diag);
	bool whole = page_close(&h->page, overview, n);
	int rc = wbuf_failed(&h->w) ? -h->w.error : name_page(h);
	int closed = wbuf_close(&h->w);
	rc = rc ? rc : closed;
	if (rc < 0)
		return fail(u, "write", -rc);
	if (!whole)
		advise(u);
	return 0;
}

void
uscp_close_page(struct uscp *u)
{
	if (!u->html)
		return;
	page_finish(&u->html->page);
	if (u->html->w.data && u->html->named)
		(void)remove_page(u->html->path);
	(void)wbuf_close(&u->html->w);
}
