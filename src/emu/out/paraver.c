/* SPDX-License-Identifier: MIT */
#include "paraver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEAD                                    \
	"DEFAULT_OPTIONS\n\n"                   \
	"LEVEL               THREAD\n"          \
	"UNITS               NANOSEC\n"         \
	"LOOK_BACK           100\n"             \
	"SPEED               1\n"               \
	"FLAG_ICONS          ENABLED\n"         \
	"NUM_OF_STATE_COLORS 1000\n"            \
	"YMAX_SCALE          37\n\n\n"          \
	"DEFAULT_SEMANTIC\n\n"                  \
	"THREAD_FUNC         State As Is\n\n\n" \
	"STATES_COLOR\n"

static const uint8_t colors[][3] = {
	{ 0, 0, 0 },
	{ 0, 130, 200 },
	{ 217, 217, 217 },
	{ 230, 25, 75 },
	{ 60, 180, 75 },
	{ 255, 225, 25 },
	{ 245, 130, 48 },
	{ 145, 30, 180 },
	{ 70, 240, 240 },
	{ 240, 50, 230 },
	{ 210, 245, 60 },
	{ 250, 190, 212 },
	{ 0, 128, 128 },
	{ 128, 128, 128 },
	{ 220, 190, 255 },
	{ 170, 110, 40 },
	{ 255, 250, 200 },
	{ 128, 0, 0 },
	{ 170, 255, 195 },
	{ 128, 128, 0 },
	{ 255, 215, 180 },
	{ 0, 0, 128 },
	{ 0, 0, 255 },
};

int
paraver_open(struct wbuf *w, struct diag *d, const char *path)
{
	int rc = wbuf_open(w, path);
	if (rc < 0 && diag_repeats(d, path, strerror(-rc)))
		return -ERR_WRITE;
	if (rc == -EACCES || rc == -EROFS || rc == -EPERM)
		return diag_error(d, ERR_WRITE, NULL, "cannot create '%s': %s\nhint: -o DIR writes elsewhere", path, strerror(-rc));
	return rc < 0 ? diag_io(d, ERR_WRITE, "create", path, -rc) : 0;
}

int
paraver_close(struct wbuf *w, struct diag *d)
{
	const char *path = w->path;
	int rc = wbuf_close(w);
	if (rc < 0 && diag_repeats(d, path, strerror(-rc)))
		return -ERR_WRITE;
	if (rc < 0)
		return diag_error(d, ERR_WRITE, NULL,
			"cannot write '%s': %s\nhint: the file is not complete; free space or choose another place with -o",
			path, strerror(-rc));
	return 0;
}

int32_t
paraver_color(int64_t value)
{
	if (value <= 0 || value >= (int64_t)(sizeof(colors) / sizeof(colors[0])))
		return -1;
	const uint8_t *c = colors[value];
	return c[0] << 16 | c[1] << 8 | c[2];
}

void
paraver_put_text(struct wbuf *w, const char *text)
{
	for (; *text; text++) {
		char *to = wbuf_reserve(w, 1);
		*to = paraver_clean(*text);
		wbuf_commit(w, to + 1);
	}
}

void
paraver_put_head(struct wbuf *w)
{
	wbuf_put(w, HEAD, sizeof(HEAD) - 1);
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++)
		wbuf_printf(w, "%-3zu {%3d, %3d, %3d}\n", i, colors[i][0], colors[i][1], colors[i][2]);
}

void
paraver_put_type(struct wbuf *w, int prv_type, const char *label)
{
	wbuf_printf(w, "\n\nEVENT_TYPE\n0 %-10d ", prv_type);
	paraver_put_text(w, label);
	wbuf_printf(w, "\nVALUES\n");
}

bool
paraver_put_value(struct wbuf *w, int64_t value, const char *text, bool compat)
{
	/* The peer keeps 32 bits. A cut value would label another one: leave it out. */
	int64_t v = compat ? (int32_t)value : value;
	if (v > INT32_MAX || v < INT32_MIN)
		return false;
	if (!compat && text[strspn(text, " \t\r\n")] == 0)
		return true; /* Paraver ignores the line */
	wbuf_printf(w, "%-4" PRId64 " ", v);
	paraver_put_text(w, text);
	wbuf_put(w, "\n", 1);
	return true;
}

void
paraver_put_rows(struct wbuf *w, struct diag *d, uint32_t n, bool gzip)
{
	if (n > PARAVER_ROWS_MAX)
		diag_warn(d, NULL, "Paraver opens at most %d rows: it will refuse '%.*s.prv%s', which has %" PRIu32, PARAVER_ROWS_MAX,
			(int)(strlen(w->path) - strlen(".row")), w->path, gzip ? PARAVER_GZIP : "", n);
	wbuf_printf(w, "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE %" PRIu32 "\n", n);
}
