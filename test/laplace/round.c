/* SPDX-License-Identifier: MIT */
/* round: ten million random records from binary to text and back, in both byte orders, as
 * a pipe through two readers that hold one window each. */
#include "kit.h"
#include "lapkit.h"
#include "laplace/ref.h"

#include <string.h>

enum {
	RECORDS = 10 * 1000 * 1000,
};

struct maker {
	uint64_t seed;
	uint64_t ts;
	long left;
	enum lap_endian endian;
	uint8_t rest[LAP_RECORD_SIZE]; /* of a record that was given in part */
	size_t nrest;
};

static void
make(struct maker *m, uint8_t *to)
{
	uint64_t a = kit_random(&m->seed), b = kit_random(&m->seed);
	struct lap_record rec = { .kind = (uint8_t) "rwiRWI"[a % 6], .length = (uint8_t)(a >> 8) };
	rec.length = rec.length ? rec.length : 1;
	/* Stamps grow over all widths. */
	m->ts += b >> 24 & ((UINT64_C(1) << m->left % 42) - 1);
	rec.ts = m->ts;
	rec.space = (uint32_t)b >> (a >> 16 & 31);
	rec.addr = (uint32_t)(b >> 32) >> (a >> 24 & 31);
	if (rec.addr > UINT32_MAX - 255)
		rec.length = (uint8_t)(UINT32_MAX - rec.addr + 1);
	rec.length = rec.length ? rec.length : 1;
	lapref_encode(to, m->endian, &rec);
}

/* A source of binary records. */
static ptrdiff_t
read_made(void *self, void *buf, size_t n)
{
	struct maker *m = self;
	uint8_t *to = buf;
	size_t done = m->nrest < n ? m->nrest : n;
	memcpy(to, m->rest, done);
	memmove(m->rest, m->rest + done, m->nrest - done);
	m->nrest -= done;
	for (; m->left && n - done >= LAP_RECORD_SIZE; done += LAP_RECORD_SIZE) {
		m->left--;
		make(m, to + done);
	}
	if (m->left && done < n) {
		m->left--;
		make(m, m->rest);
		m->nrest = LAP_RECORD_SIZE - (n - done);
		memcpy(to + done, m->rest, n - done);
		memmove(m->rest, m->rest + (n - done), m->nrest);
		done = n;
	}
	return (ptrdiff_t)done;
}

/* A source of text, which is what a reader of binary records gives. */
static ptrdiff_t
read_text(void *self, void *buf, size_t n)
{
	struct lapread *r = self;
	struct lap_record rec;
	char *p = buf;
	int rc = 1;
	while (n - (size_t)(p - (char *)buf) >= LAPREF_ROOM && (rc = lapread_next(r, &rec)) > 0)
		p = lapref_put_line(p, &rec);
	CHECK(rc >= 0);
	return p - (char *)buf;
}

static void
round_trip(uint64_t seed, enum lap_endian endian, long records)
{
	struct maker made = { .seed = seed, .left = records, .endian = endian };
	struct maker again = made;
	struct lapkit_log l;
	struct lapread binary, text;
	struct lap_record rec;
	long n = 0;
	int rc;
	lapkit_log_init(&l, false);
	CHECK(lapread_open(&binary, &l.log, &(struct lap_input){ .read = read_made, .self = &made },
		      &(struct lapread_options){ .file = "binary", .format = LAP_BINARY, .endian = endian }) == 0);
	CHECK(lapread_open(&text, &l.log, &(struct lap_input){ .read = read_text, .self = &binary },
		      &(struct lapread_options){ .file = "text", .format = LAP_TEXT }) == 0);
	while ((rc = lapread_next(&text, &rec)) > 0) {
		uint8_t have[LAP_RECORD_SIZE], want[LAP_RECORD_SIZE];
		lapref_encode(have, endian, &rec);
		again.left--;
		make(&again, want);
		CHECK(memcmp(have, want, sizeof(want)) == 0);
		n++;
	}
	CHECK(rc == 0 && n == records && l.n == 0);
	lapread_close(&text);
	lapread_close(&binary);
}

int
main(int argc, char **argv)
{
	uint64_t seed = kit_seed(argc, argv);
	round_trip(seed, LAP_LITTLE, RECORDS);
	round_trip(seed + 1, LAP_BIG, RECORDS / 10);
	return 0;
}
