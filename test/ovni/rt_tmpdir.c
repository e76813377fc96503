/* SPDX-License-Identifier: MIT */
/* OVNI_TRACEDIR and OVNI_TMPDIR: where files are, and where they end up. */
#include "kit.h"

#define THREAD "loom." KIT_LOOM "/proc.100/thread.1"

static bool
exists(const char *base, const char *name)
{
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%s/" THREAD "%s%s", base, name[0] ? "/" : "", name);
	return access(path, F_OK) == 0;
}

static bool
is_link(const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	(void)snprintf(path, sizeof(path), "ovni/" THREAD "/%s", name);
	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static void
check_whole(const char *base, size_t events)
{
	size_t size, named;
	uint8_t *got = kit_file(base, KIT_PID, 1, "stream.obs", &size);
	CHECK(got != NULL && kit_count(got, size, "OB.", &named) >= events && named == events);
	free(got);
	got = kit_file(base, KIT_PID, 1, "stream.json", &size);
	CHECK(got != NULL && strstr((char *)got, "\"finished\": 1") != NULL);
	free(got);
}

static void
emit_n(size_t n)
{
	for (size_t i = 0; i < n; i++)
		kit_emit("OB.", ovni_clock_now());
}

static void
set(const char *name, const char *value)
{
	CHECK(setenv(name, value, 1) == 0);
}

static void
tracedir(void)
{
	set("OVNI_TRACEDIR", "a/b//c");
	kit_begin(1);
	emit_n(1);
	kit_end();
	check_whole("a/b/c", 1);
	CHECK(access("ovni", F_OK) != 0);
}

static void
empty_is_unset(void)
{
	set("OVNI_TRACEDIR", "");
	set("OVNI_TMPDIR", "");
	kit_begin(1);
	CHECK(exists("ovni", "stream.obs"));
	kit_end();
	check_whole("ovni", 0);
}

/* One trace, even if the program walks away between its beginning and its threads. */
static void
changes_directory(void)
{
	ovni_proc_init(1, KIT_LOOM, KIT_PID);
	CHECK(mkdir("elsewhere", 0700) == 0 && chdir("elsewhere") == 0);
	ovni_thread_init(1);
	kit_end();
	check_whole("../ovni", 0);
}

static const char *tmp; /* an absolute path is outside of the directory of the case */

static void
moved(void)
{
	set("OVNI_TMPDIR", tmp);
	kit_begin(1);
	CHECK(exists(tmp, "stream.obs") && exists(tmp, "stream.json"));
	/* Until then links lead to them. */
	CHECK(exists("ovni", "") && is_link("stream.obs") && is_link("stream.json") && is_link(TAIL_NAME));
	CHECK(exists("ovni", "stream.obs") && exists("ovni", "stream.json") && exists("ovni", TAIL_NAME));
	emit_n(200000);
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%s/" THREAD "/stream.extra", tmp);
	FILE *f = fopen(path, "w");
	CHECK(f != NULL && fputs("more", f) >= 0 && fclose(f) == 0);
	ovni_thread_free();
	CHECK(!exists(tmp, "") && !is_link("stream.obs") && !is_link("stream.json") && !is_link(TAIL_NAME));
	ovni_proc_fini();
	CHECK(access(tmp, F_OK) != 0);

	check_whole("ovni", 200000);
	size_t size;
	uint8_t *extra = kit_file("ovni", KIT_PID, 1, "stream.extra", &size);
	CHECK(extra != NULL && strcmp((char *)extra, "more") == 0);
	free(extra);
	CHECK(!exists("ovni", ".part.stream.obs") && !exists("ovni", ".part.stream.json"));
}

static void
same_directory(void)
{
	set("OVNI_TRACEDIR", "trace");
	set("OVNI_TMPDIR", "trace");
	kit_begin(1);
	emit_n(3);
	kit_end();
	check_whole("trace", 3);
}

static void
same_directory_other_name(void)
{
	CHECK(mkdir("trace", 0755) == 0 && symlink("trace", "link") == 0);
	set("OVNI_TRACEDIR", "trace");
	set("OVNI_TMPDIR", "link");
	kit_begin(1);
	emit_n(3);
	ovni_thread_free();
	check_whole("trace", 3);
	/* Fini finds nothing it may remove. */
	ovni_proc_fini();
	check_whole("trace", 3);
}

/* An old stream in the place is replaced, never mixed. */
static void
replaces_old(void)
{
	for (int run = 0; run < 2; run++) {
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0) {
			if (run == 1)
				set("OVNI_TMPDIR", "tmp");
			kit_begin(1);
			emit_n(run == 0 ? 100 : 4);
			kit_end();
			exit(0);
		}
		int status;
		CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	}
	check_whole("ovni", 4);
}

static void
not_empty(void)
{
	set("OVNI_TMPDIR", "tmp");
	kit_begin(1);
	FILE *f = fopen("tmp/loom." KIT_LOOM "/mine", "w");
	CHECK(f != NULL && fclose(f) == 0);
	kit_end();
	CHECK(access("tmp/loom." KIT_LOOM "/mine", F_OK) == 0);
	CHECK(access("tmp/loom." KIT_LOOM "/proc.100", F_OK) != 0);
}

/* The place is full: the source stays, whole, and the trace has no half of it, but links that lead to it. */
static void
stays(void)
{
	CHECK(is_link("stream.obs") && is_link("stream.json") && !is_link(TAIL_NAME));
	check_whole("ovni", 200000);
	check_whole(tmp, 200000);
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%s/" THREAD "/stream.obs", tmp);
	CHECK(unlink(path) == 0);
	(void)snprintf(path, sizeof(path), "%s/" THREAD "/stream.json", tmp);
	CHECK(unlink(path) == 0);
	(void)snprintf(path, sizeof(path), "rm -r %s", tmp);
	CHECK(system(path) == 0);
}

static void
full_device(void)
{
	set("OVNI_TMPDIR", tmp);
	kit_begin(1);
	emit_n(200000);
	CHECK(symlink("/dev/full", "ovni/" THREAD "/.part.stream.obs") == 0);
	kit_end();
	stays();
}

/* The name for the copy is taken by what cannot be written. */
static void
name_taken(void)
{
	set("OVNI_TMPDIR", tmp);
	kit_begin(1);
	emit_n(200000);
	CHECK(mkdir("ovni/" THREAD "/.part.stream.obs", 0755) == 0);
	kit_end();
	CHECK(rmdir("ovni/" THREAD "/.part.stream.obs") == 0);
	stays();
}

int
main(void)
{
	struct stat here, shm;
	char other[64];

	RUNS(tracedir);
	RUNS(empty_is_unset);
	RUNS(changes_directory);
	tmp = "t/m/p";
	RUNS(moved);
	RUNS(same_directory);
	RUNS(same_directory_other_name);
	RUNS(replaces_old);
	RUNS(not_empty);

	/* Another file system: rename() does not do. */
	const char *base = getenv("TMPDIR");
	CHECK(stat(base && *base ? base : "/tmp", &here) == 0);
	if (access("/dev/shm", W_OK) < 0 || stat("/dev/shm", &shm) < 0 || shm.st_dev == here.st_dev) {
		(void)printf("no second file system, half of the cases not run\n");
		return 0;
	}
	(void)snprintf(other, sizeof(other), "/dev/shm/ovni-test-%d", (int)getpid());
	tmp = other;
	RUNS(moved);
	RUNS_SAYING(full_device, "No space left on device");
	RUNS_SAYING(name_taken, "Is a directory");
	return 0;
}
