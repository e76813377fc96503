/* SPDX-License-Identifier: MIT */
/* html: ovni.html, the page with the file that the others here write. Without -f uscope that file is of this run alone: its
 * name goes as soon as it is open, so that nothing stays of it however the run ends. */
#include "uscp.h"

#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_NAME "ovni.html"

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

int
uscp_open_page(struct uscp *u, const char *dir)
{
	unsigned outputs = u->emu->plan->options.outputs;
	u->data = -1;
	if (!(outputs & OUTPUT_HTML))
		return 0;
	u->page = arena_printf(&u->arena, "%s/" PAGE_NAME, dir);
	if (!u->page)
		return diag_no_memory(u->emu->diag);
	int rc = remove_page(u->page);
	if (rc < 0)
		return diag_io(u->emu->diag, ERR_WRITE, "replace", u->page, -rc);
	if (outputs & OUTPUT_USCOPE)
		return 0;
	char *temp = arena_printf(&u->arena, "%s/.ovni.uscp.XXXXXX", dir);
	if (!temp)
		return diag_no_memory(u->emu->diag);
	u->data = mkostemp(temp, O_CLOEXEC);
	if (u->data < 0)
		return diag_io(u->emu->diag, ERR_WRITE, "create", temp, errno);
	u->file = temp;
	u->path = u->page;
	return 0;
}

void
uscp_hide_data(struct uscp *u)
{
	if (u->data >= 0)
		(void)unlink(u->file);
}

bool
uscp_open_overview(struct uscp *u)
{
	if (!u->page || !u->times.runs)
		return true;
	u->times.other = -(INT64_C(1) << FIRST_SHIFT);
	return overview_init(&u->overview, u->times.nplaces, 0, FIRST_SHIFT);
}

/* Tells that the page lacks the data. */
static void
advise(const struct uscp *u)
{
	char size[PAGE_SIZE_TEXT];
	bool kept = u->emu->plan->options.outputs & OUTPUT_USCOPE;
	diag_info(u->emu->diag, "%s holds an overview only, as its data is more than %s\nhint: %s; --html-limit puts more into the page", u->page,
		page_size_text(size, u->emu->plan->options.html_limit),
		kept ? "drop ovni.uscp on it for the rest" : "-f uscope,html also writes ovni.uscp, to be dropped on it for the rest");
}

/* Reports why there is no page, and removes what there is of it. */
static int
fail(const struct uscp *u, const char *what, int err)
{
	(void)remove_page(u->page);
	if (diag_repeats(u->emu->diag, u->page, strerror(err)))
		return -ERR_WRITE;
	return diag_error(u->emu->diag, ERR_WRITE, NULL, "cannot %s '%s': %s\nhint: there is no such page; -o DIR writes elsewhere", what, u->page, strerror(err));
}

static int
write_page(struct uscp *u, int fd)
{
	struct wbuf w;
	struct stat st;
	if (fd < 0 || fstat(fd, &st) != 0)
		return fail(u, "read the data of", errno);
	struct page p = { .name = "ovni.uscp", .fd = fd, .size = (uint64_t)st.st_size, .limit = u->emu->plan->options.html_limit };
	if (u->overview.tracks)
		p.overview = overview_bytes(&u->overview, (uint64_t)u->time, PS_PER_NS, page_overview_most(&p), &p.noverview);
	if (u->overview.no_memory)
		return diag_no_memory(u->emu->diag);
	int rc = wbuf_open(&w, u->page);
	if (rc < 0)
		return fail(u, "create", -rc);
	int whole = page_write(&w, &p);
	rc = wbuf_close(&w);
	if (rc < 0)
		return fail(u, "write", -rc);
	if (whole < 0)
		return fail(u, "read the data of", -whole);
	if (!whole)
		advise(u);
	return 0;
}

int
uscp_write_page(struct uscp *u)
{
	if (!u->page)
		return 0;
	if (u->data >= 0)
		return write_page(u, u->data);
	int fd = open(u->path, O_RDONLY | O_CLOEXEC);
	int rc = write_page(u, fd);
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

void
uscp_close_data(struct uscp *u)
{
	if (u->data >= 0)
		(void)close(u->data);
}
