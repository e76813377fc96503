/* SPDX-License-Identifier: MIT */
/* Programs as users have them, which end as programs do: argv[1] is one of the names below. Each
 * prints how many events its emits have returned from. */
#include <ovni.h>
#include <ovni_emit.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include "../check.h"

static uint64_t emitted;

static void
emit(const char *mcv)
{
	ovni_emit(mcv, ovni_clock_now());
	emitted++;
}

static void
execute(int32_t cpu)
{
	struct {
		int32_t cpu, creator;
		uint64_t tag;
	} arg = { cpu, -1, 0 };
	ovni_emit_payload("OHx", ovni_clock_now(), &arg, sizeof(arg));
	emitted++;
}

static void
tell(void)
{
	(void)printf("%llu\n", (unsigned long long)emitted);
	(void)fflush(stdout);
}

static void
begin(int32_t cpu)
{
	ovni_version_check();
	ovni_proc_init(1, "node.1", 100);
	ovni_thread_init(101);
	if (cpu >= 0)
		ovni_add_cpu(0, 0);
	execute(cpu);
}

/* What Sonar makes of a plain MPI program: no model is required, the thread is bound to no CPU and is
 * never freed. */
static void
sonar(void)
{
	ovni_proc_init(1, "node.1", 100);
	ovni_thread_init(101);
	ovni_proc_set_rank(0, 1);
	ovni_add_cpu(0, 0);
	execute(-1);
	for (int i = 0; i < 1000; i++) {
		emit("MUi");
		emit("MUI");
	}
	emit("OHe");
	ovni_flush();
	ovni_proc_fini();
}

/* Marks, and then SIGKILL. */
static void
killed(void)
{
	begin(0);
	ovni_mark_type(5, 0, "Step");
	ovni_mark_label(5, 1, "one");
	for (int i = 0; i < 150000; i++) {
		ovni_mark_set(5, i % 3 + 1);
		emitted++;
	}
	tell();
	(void)raise(SIGKILL);
}

static void
mark_steps(int n)
{
	for (int i = 0; i < n; i++) {
		ovni_mark_set(5, i % 3 + 1);
		emitted++;
	}
}

static void
begin_steps(void)
{
	begin(0);
	ovni_mark_type(5, 0, "Step");
	ovni_thread_require("nosv", "2.7.0");
	struct ovni_ev ev = { .header = { 0, 'V', 'Y', 'c', ovni_clock_now() } };
	ovni_ev_jumbo_emit(&ev, (const uint8_t *)"\1\0\0\0work", 9);
	ovni_emit_u32x2("VTc", ovni_clock_now(), 1, 1);
	ovni_emit_u32x2("VTx", ovni_clock_now(), 1, 0);
	emitted += 3;
}

/* In a task, of which it writes two dumps. */
static void
dumps(void)
{
	begin_steps();
	mark_steps(20000);
	CHECK(ovni_dump() == 1);
	ovni_emit_u32x2("VTp", ovni_clock_now(), 1, 0);
	emitted++;
	mark_steps(20000);
	CHECK(ovni_dump() == 2);
	ovni_emit_u32x2("VTr", ovni_clock_now(), 1, 0);
	ovni_emit_u32x2("VTe", ovni_clock_now(), 1, 0);
	emitted += 2;
	mark_steps(20000);
	emit("OHe");
	ovni_thread_free();
	ovni_proc_fini();
}

/* More regions than a snapshot has room for. */
static void
deep(void)
{
	begin_steps();
	for (int i = 0; i < 400; i++)
		emit("VAr");
	mark_steps(20000);
	for (int i = 0; i < 400; i++)
		emit("VAR");
	ovni_emit_u32x2("VTe", ovni_clock_now(), 1, 0);
	emitted++;
	emit("OHe");
	ovni_thread_free();
	ovni_proc_fini();
}

static void
crashes(void)
{
	begin(0);
	for (int i = 0; i < 5000; i++)
		emit("OB.");
	tell();
	CHECK(signal(SIGSEGV, SIG_DFL) != SIG_ERR); /* sanitizers catch it */
	(void)raise(SIGSEGV);
}

/* A rank that MPI ends. */
static void
terminated(void)
{
	begin(0);
	ovni_proc_set_rank(0, 1);
	for (int i = 0; i < 5000; i++)
		emit("OB.");
	tell();
	(void)raise(SIGTERM);
}

static void
exits(void)
{
	begin(0);
	for (int i = 0; i < 5000; i++)
		emit("OB.");
	tell();
	exit(0);
}

static void
aborts(void)
{
	begin(0);
	for (int i = 0; i < 5000; i++)
		emit("OB.");
	tell();
	abort();
}

/* How nOS-V yields from a plain task to a parallel one: with the body of the other. */
static void
yields(void)
{
	begin(0);
	ovni_thread_require("nosv", "2.7.0");
	struct ovni_ev ev = { .header = { 0, 'V', 'Y', 'c', ovni_clock_now() } };
	ovni_ev_jumbo_emit(&ev, (const uint8_t *)"\1\0\0\0work", 9);
	ovni_emit_u32x2("VTc", ovni_clock_now(), 1, 1);
	ovni_emit_u32x2("VTC", ovni_clock_now(), 2, 1);
	ovni_emit_u32x2("VTx", ovni_clock_now(), 1, 0);
	ovni_emit_u32x2("VTp", ovni_clock_now(), 1, 1);
	ovni_emit_u32x2("VTx", ovni_clock_now(), 2, 1);
	ovni_emit_u32x2("VTe", ovni_clock_now(), 2, 1);
	ovni_emit_u32x2("VTr", ovni_clock_now(), 1, 1);
	ovni_emit_u32x2("VTe", ovni_clock_now(), 1, 0);
	emitted += 9;
	emit("OHe");
	ovni_thread_free();
	ovni_proc_fini();
}

/* Events of the kernel come late, between OU[ and OU]. */
static void
unsorted(void)
{
	begin(0);
	ovni_thread_require("kernel", "1.0.0");
	for (int i = 0; i < 500; i++) {
		uint64_t out = ovni_clock_now(), in = ovni_clock_now();
		emit("OB.");
		ovni_emit("OU[", ovni_clock_now());
		ovni_emit("KCO", out);
		ovni_emit("KCI", in);
		ovni_emit("OU]", ovni_clock_now());
		emitted += 4;
	}
	emit("OHe");
	ovni_thread_free();
	ovni_proc_fini();
}

/* The kernel took the thread off its CPU before n other events, and its events come behind them. */
static void
late_by(int n)
{
	uint64_t out = ovni_clock_now(), in = ovni_clock_now();
	for (int i = 0; i < n; i++)
		emit("OB.");
	ovni_emit("OU[", ovni_clock_now());
	ovni_emit("KCO", out);
	ovni_emit("KCI", in);
	emitted += 3;
}

static void *
late_thread(void *arg)
{
	int i = *(const int *)arg;
	ovni_thread_init(102 + i);
	ovni_thread_require("kernel", "1.0.0");
	execute(-1);
	for (int k = 0; k < 3; k++) {
		late_by(i * 200);
		emit("OU]");
	}
	emit("OHe");
	ovni_thread_free();
	return NULL;
}

/* Threads of which each has later events than the one before. */
static void
later(void)
{
	begin(0);
	for (int i = 0; i < 48; i++) {
		pthread_t thread;
		CHECK(pthread_create(&thread, NULL, late_thread, &i) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
	}
	emit("OHe");
	ovni_thread_free();
	ovni_proc_fini();
}

/* SIGKILL before OU]. */
static void
begun(void)
{
	begin(0);
	ovni_thread_require("kernel", "1.0.0");
	late_by(10);
	tell();
	(void)kill(getpid(), SIGKILL);
}

static const struct {
	const char *name;
	void (*run)(void);
} programs[] = {
	{ "sonar", sonar },
	{ "killed", killed },
	{ "dumps", dumps },
	{ "deep", deep },
	{ "crashes", crashes },
	{ "terminated", terminated },
	{ "exits", exits },
	{ "aborts", aborts },
	{ "yields", yields },
	{ "unsorted", unsorted },
	{ "later", later },
	{ "begun", begun },
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (argc > 1 && strcmp(argv[1], programs[i].name) == 0) {
			programs[i].run();
			tell();
			return 0;
		}
	return 2;
}
