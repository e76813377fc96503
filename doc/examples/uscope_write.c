/* SPDX-License-Identifier: MIT */
/* uscope_write: traces a toy processor with two stages, fetch and execute.
 *
 *   usage: uscope_write FILE [CYCLES]           default: 1000 cycles
 *
 * A slot of a sparse storage is a stage, valid while there is an instruction in it. Every
 * third instruction takes three cycles to execute, and fetch waits for it. What simulates
 * something real calls the same functions. Look at the file with: uscope_read FILE */
#include <stdio.h>
#include <stdlib.h>
#include <uscope.h>

enum {
	PERIOD_PS = 500, /* 2 GHz */
	INTERVAL_PS = 100000,

	/* Ids count from 0 in the order of definition. */
	PIPE = 0, /* storages */
	DONE = 1,
	PC = 0, /* fields of PIPE */
	LEFT = 1,
	TEXT = 2,
	STALLED = 0, /* its property */
	COUNT = 0,   /* field of DONE */
	RETIRE = 0,  /* event */
	FETCH = 0,   /* slots of PIPE */
	EXECUTE = 1,
};

/* Of every addition to the schema. */
static int
must(int id)
{
	if (id < 0) {
		(void)fprintf(stderr, "schema: %s\n", uscope_status_text(id));
		exit(1);
	}
	return id;
}

static uscope_schema_t *
describe(void)
{
	uscope_schema_t *s = uscope_schema_new();
	if (s == NULL) {
		perror("schema");
		exit(1);
	}
	int clock = must(uscope_schema_add_clock(s, "core_clk", PERIOD_PS));
	int root = must(uscope_schema_add_scope(s, "/", -1, NULL, clock));
	int core = must(uscope_schema_add_scope(s, "core0", root, NULL, -1));

	int pipe = must(uscope_schema_add_storage(s, "pipe", core, 2, USCOPE_SPARSE));
	must(uscope_schema_add_field(s, pipe, "pc", USCOPE_U32, 0));
	must(uscope_schema_add_field(s, pipe, "left", USCOPE_U8, 0));
	must(uscope_schema_add_field(s, pipe, "text", USCOPE_STRING_REF, 0));
	must(uscope_schema_add_property(s, pipe, "stalled", USCOPE_BOOL, 0));

	/* One slot with one U64: the library adds an overview of its increments. */
	int done = must(uscope_schema_add_storage(s, "done", core, 1, 0));
	must(uscope_schema_add_field(s, done, "count", USCOPE_U64, 0));

	int retire = must(uscope_schema_add_event(s, "retire", core));
	must(uscope_schema_add_event_field(s, retire, "pc", USCOPE_U32, 0));
	return s;
}

/* What is in the stages, as the program itself knows it. */
static struct {
	bool busy[2];
	uint32_t pc[2];
	uint32_t text[2];
	int left;
	uint32_t next;
} cpu;

static void
cycle(uscope_writer_t *w, uint64_t n, const uint32_t text[2])
{
	uscope_begin_cycle(w, n * PERIOD_PS);
	if (cpu.busy[EXECUTE]) {
		cpu.left--;
		uscope_slot_set(w, PIPE, EXECUTE, LEFT, (uint64_t)cpu.left);
		if (cpu.left == 0) {
			const uint64_t fields[] = { cpu.pc[EXECUTE] };
			uscope_event_values(w, RETIRE, fields, 1);
			uscope_slot_add(w, DONE, 0, COUNT, 1);
			uscope_slot_clear(w, PIPE, EXECUTE);
			cpu.busy[EXECUTE] = false;
		}
	}
	if (cpu.busy[FETCH] && !cpu.busy[EXECUTE]) {
		cpu.busy[EXECUTE] = true;
		cpu.pc[EXECUTE] = cpu.pc[FETCH];
		cpu.left = cpu.text[FETCH] == text[1] ? 3 : 1;
		uscope_slot_set(w, PIPE, EXECUTE, PC, cpu.pc[EXECUTE]);
		uscope_slot_set(w, PIPE, EXECUTE, LEFT, (uint64_t)cpu.left);
		uscope_slot_set(w, PIPE, EXECUTE, TEXT, cpu.text[FETCH]);
		uscope_slot_clear(w, PIPE, FETCH);
		cpu.busy[FETCH] = false;
	}
	bool stalled = cpu.busy[FETCH];
	uscope_prop_set(w, PIPE, STALLED, stalled); /* most often what it is */
	if (!stalled) {
		cpu.busy[FETCH] = true;
		cpu.pc[FETCH] = 0x1000 + 4 * cpu.next;
		cpu.text[FETCH] = text[cpu.next % 3 == 2];
		cpu.next++;
		uscope_slot_set(w, PIPE, FETCH, PC, cpu.pc[FETCH]);
		uscope_slot_set(w, PIPE, FETCH, TEXT, cpu.text[FETCH]);
	}
	uscope_end_cycle(w);
}

int
main(int argc, char *argv[])
{
	if (argc < 2 || argc > 3) {
		(void)fprintf(stderr, "usage: uscope_write FILE [CYCLES]\n");
		return 2;
	}
	uint64_t cycles = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;

	const uscope_dut_property_t about[] = { { "dut_name", "toy" }, { "stages", "2" } };
	const uscope_dut_desc_t dut = { .properties = about, .num_properties = 2 };
	const uscope_writer_options_t options = { .interval_ps = INTERVAL_PS, .only_changes = true };
	int status;
	uscope_schema_t *schema = describe();
	uscope_writer_t *w = uscope_writer_open_ex(argv[1], &dut, schema, &options, &status);
	uscope_schema_free(schema); /* the writer keeps it */
	if (w == NULL) {
		(void)fprintf(stderr, "%s: %s\n", argv[1], uscope_status_text(status));
		return 1;
	}
	const uint32_t text[] = { uscope_string_insert(w, "add"), uscope_string_insert(w, "mul") };
	for (uint64_t n = 0; n < cycles; n++)
		cycle(w, n, text);

	/* Errors of all calls are remembered: one test is enough. */
	status = uscope_writer_finish(w);
	if (status != 0)
		(void)fprintf(stderr, "%s: %s\n", argv[1], uscope_writer_error_info(w)->reason);
	uscope_writer_close(w);
	return status != 0;
}
