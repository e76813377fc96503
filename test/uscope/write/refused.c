/* SPDX-License-Identifier: MIT */
/* refused: options, paths and schemas that a writer refuses, and what it says. */
#include "kit.h"
#include "uscope.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uscope_schema_t *
make_schema(void)
{
	uscope_schema_t *s = uscope_schema_new();
	CHECK(uscope_schema_add_clock(s, "clk", 1000) == 0);
	CHECK(uscope_schema_add_scope(s, "/", -1, NULL, 0) == 0);
	return s;
}

/* Why opening fails; "" if it does not. */
static const char *
reason_of(const char *path, const uscope_dut_desc_t *dut, const uscope_schema_t *s, const uscope_writer_options_t *options, int want)
{
	static uscope_error_t error;
	int status = 1;
	uscope_writer_options_t o = options ? *options : (uscope_writer_options_t){ 0 };
	o.error = &error;
	(void)memset(&error, 0x55, sizeof(error));
	uscope_writer_t *w = uscope_writer_open_ex(path, dut, s, &o, &status);
	CHECK((w != NULL) == (status == 0) && status == want);
	CHECK(error.status == status && error.segment == -1 && !error.reason[0] == !status);
	uscope_writer_close(w);
	return error.reason;
}

static int
status_of(const char *path, const uscope_writer_options_t *o)
{
	int status = 1;
	uscope_schema_t *s = make_schema();
	uscope_writer_t *w = uscope_writer_open_ex(path, NULL, s, o, &status);
	CHECK((w != NULL) == (status == 0));
	uscope_writer_close(w);
	(void)reason_of(path, NULL, s, o, status);
	uscope_schema_free(s);
	return status;
}

static void
test_open(void)
{
	char path[300];
	(void)snprintf(path, sizeof(path), "%s", kit_path("options.uscp"));
#define STATUS(...) status_of(path, &(const uscope_writer_options_t){ __VA_ARGS__ })
	CHECK(STATUS(.frames = 3) == USCOPE_E_ARG);
	CHECK(STATUS(.compression = 3) == USCOPE_E_ARG);
	CHECK(STATUS(.level = -1) == USCOPE_E_ARG);
	CHECK(STATUS(.compression = USCOPE_ZSTD, .level = 100) == USCOPE_E_ARG);
	CHECK(STATUS(.compression = USCOPE_ZSTD, .level = -5) == 0);
	CHECK(STATUS(.max_raw = UINT64_MAX) == USCOPE_E_ARG);
	CHECK(STATUS(.max_raw = 1) == 0);
	CHECK(STATUS(.origin_ps = UINT64_MAX) == USCOPE_E_RANGE);
	CHECK(STATUS(.origin_ps = UINT64_MAX - 1) == 0);
	CHECK(STATUS(.summary_fan_out = 1) == USCOPE_E_ARG);
	CHECK(STATUS(.summary_fan_out = 1, .no_summary = true) == 0);
#undef STATUS
	CHECK(status_of("/nonexistent/x.uscp", NULL) == USCOPE_E_IO);
	CHECK(status_of(kit_dir(), NULL) == USCOPE_E_IO);
	CHECK(status_of(NULL, NULL) == USCOPE_E_ARG);
	CHECK(!uscope_writer_open_ex(path, NULL, NULL, NULL, NULL));
	CHECK(mkfifo(kit_path("fifo"), 0600) == 0);
	int fd = open(kit_path("fifo"), O_RDWR); /* so that nobody waits */
	CHECK(fd >= 0 && status_of(kit_path("fifo"), NULL) == USCOPE_E_IO);
	(void)close(fd);

	/* A schema that is refused leaves what is at the path. */
	kit_text(path, "precious");
	uscope_schema_t *s = uscope_schema_new();
	CHECK(!uscope_writer_open(path, NULL, s, 0));
	uscope_schema_free(s);
	char *text = kit_read(path, NULL);
	CHECK(strcmp(text, "precious") == 0);
	free(text);
}

/* Which definition, text or option is wrong. */
static void
test_reason(void)
{
	char path[300];
	(void)snprintf(path, sizeof(path), "%s", kit_path("reason.uscp"));
	uscope_schema_t *s = uscope_schema_new();
	CHECK(strstr(reason_of(path, NULL, s, NULL, USCOPE_E_SCHEMA), "a clock and a scope"));
	CHECK(strstr(reason_of(path, NULL, NULL, NULL, USCOPE_E_ARG), "no schema"));
	CHECK(strstr(reason_of(NULL, NULL, s, NULL, USCOPE_E_ARG), "no path"));
	uscope_schema_free(s);

	s = make_schema();
	const uscope_dut_property_t bad[] = { { "good", "good" }, { "\xff", "" } };
	CHECK(strstr(reason_of(path, &(uscope_dut_desc_t){ bad, 2 }, s, NULL, USCOPE_E_ARG), "property 1 of the DUT"));
	static char big[70000];
	(void)memset(big, 'x', sizeof(big) - 1);
	const uscope_dut_property_t many[] = { { "k", big } };
	CHECK(strstr(reason_of(path, &(uscope_dut_desc_t){ many, 1 }, s, NULL, USCOPE_E_LIMIT), "65535 bytes"));
	CHECK(strstr(reason_of("/nonexistent/x", NULL, s, NULL, USCOPE_E_IO), "No such file"));
	CHECK(strstr(reason_of(path, NULL, s, &(uscope_writer_options_t){ .level = -1 }, USCOPE_E_ARG), "level"));
	CHECK(strstr(reason_of(path, NULL, s, &(uscope_writer_options_t){ .summary_fan_out = 1 }, USCOPE_E_ARG), "fan-out"));
	uscope_schema_free(s);
}

int
main(void)
{
	test_open();
	test_reason();
	return 0;
}
