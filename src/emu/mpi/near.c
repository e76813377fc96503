/* SPDX-License-Identifier: MIT */
#include "near.h"

#include "arena.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	NAME_SIZE = 64,
};

/* What a process says of its block. */
struct block {
	uint64_t rank;
	uint64_t pid, fd; /* where its file is in /proc; that of another container is another one, */
	uint64_t sign;    /* and does not begin with that number; 0: there is no block */
	uint64_t size;
};

enum {
	WORDS = sizeof(struct block) / sizeof(uint64_t),
};

struct near {
	unsigned rank, n;   /* of this process, and how many there are */
	uint8_t **blocks;   /* by rank; NULL: it cannot be read */
	size_t *sizes;      /* of them */
	bool *reads;        /* whether a process can read the block of this one */
	struct block *told; /* by those of this machine, */
	int *could;         /* who could read it, or not */
};

/* Makes the file of this process, with all of its memory: who touches what cannot be had gets a signal. Returns its descriptor, or -1. */
static int
make_file(struct block *b)
{
	int fd = memfd_create("ovniemu-mpi", MFD_CLOEXEC);
	bool made = fd >= 0 && fallocate(fd, 0, 0, (off_t)b->size) == 0 && getrandom(&b->sign, sizeof(b->sign), 0) == sizeof(b->sign) &&
		pwrite(fd, &b->sign, sizeof(b->sign), 0) == sizeof(b->sign);
	b->fd = (uint64_t)fd;
	b->sign = made ? b->sign : 0;
	return fd;
}

/* Maps the file of a process, if it is that. Returns NULL if not. */
static uint8_t *
map_file(int fd, const struct block *b, int rights)
{
	struct stat st;
	uint64_t sign;
	if (fd < 0 || !b->sign || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != b->size || pread(fd, &sign, sizeof(sign), 0) != sizeof(sign) || sign != b->sign)
		return NULL;
	void *p = mmap(NULL, b->size, rights, MAP_SHARED | MAP_NORESERVE, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

static uint8_t *
map_other(const struct block *b)
{
	char name[NAME_SIZE];
	(void)snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)b->pid, (int)b->fd);
	int fd = b->sign ? open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	uint8_t *p = map_file(fd, b, PROT_READ);
	if (fd >= 0)
		(void)close(fd);
	return p;
}

/* Exchanges blocks with the processes of this machine, `there` of them. */
static void
meet(struct near *n, MPI_Comm machine, int there, struct block *own)
{
	int fd = make_file(own);
	n->blocks[own->rank] = map_file(fd, own, PROT_READ | PROT_WRITE);
	n->sizes[own->rank] = own->size;
	own->sign = n->blocks[own->rank] ? own->sign : 0;
	(void)MPI_Allgather(own, WORDS, MPI_UINT64_T, n->told, WORDS, MPI_UINT64_T, machine);
	for (int i = 0; i < there; i++) {
		const struct block *b = &n->told[i];
		if (b->rank != own->rank)
			n->blocks[b->rank] = map_other(b);
		n->sizes[b->rank] = b->size;
		n->could[i] = b->rank != own->rank && n->blocks[b->rank];
	}
	(void)MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, n->could, 1, MPI_INT, machine); /* all have opened what they can */
	for (int i = 0; i < there; i++)
		n->reads[n->told[i].rank] = n->could[i];
	if (n->blocks[own->rank])
		memset(n->blocks[own->rank], 0, sizeof(own->sign));
	if (fd >= 0)
		(void)close(fd);
}

static struct near *
make(unsigned rank, unsigned n)
{
	struct near *near = block_alloc(sizeof(*near));
	if (!near)
		return NULL;
	near->rank = rank;
	near->n = n;
	near->blocks = block_alloc(n * sizeof(uint8_t *));
	near->sizes = block_alloc(n * sizeof(*near->sizes));
	near->reads = block_alloc(n * sizeof(*near->reads));
	near->told = block_alloc(n * sizeof(*near->told));
	near->could = block_alloc(n * sizeof(*near->could));
	if (near->blocks && near->sizes && near->reads && near->told && near->could)
		return near;
	near_end(near);
	return NULL;
}

void *
near_share(struct near **near, size_t size)
{
	MPI_Comm machine;
	int rank, n, there;
	near_end(*near);
	(void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	(void)MPI_Comm_size(MPI_COMM_WORLD, &n);
	*near = make((unsigned)rank, (unsigned)n);
	/* Without memory this process has no part in it. */
	(void)MPI_Comm_split_type(MPI_COMM_WORLD, *near ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, rank, MPI_INFO_NULL, &machine);
	if (!*near)
		return NULL;
	(void)MPI_Comm_size(machine, &there);
	if (there > 1)
		meet(*near, machine, there, &(struct block){ .rank = (uint64_t)rank, .pid = (uint64_t)getpid(), .size = size });
	(void)MPI_Comm_free(&machine);
	for (unsigned r = 0; r < (*near)->n; r++)
		if ((*near)->reads[r])
			return (*near)->blocks[rank];
	return NULL;
}

uint64_t
near_place(const struct near *n, unsigned rank, const void *bytes)
{
	if (!n || !n->reads[rank])
		return 0;
	size_t at = (size_t)((uintptr_t)bytes - (uintptr_t)n->blocks[n->rank]);
	return at < n->sizes[n->rank] ? at + 1 : 0;
}

void *
near_find(const struct near *n, unsigned rank, uint64_t place)
{
	return n->blocks[rank] + (place - 1);
}

void
near_end(struct near *n)
{
	for (unsigned r = 0; n && n->blocks && n->sizes && r < n->n; r++)
		if (n->blocks[r])
			(void)munmap(n->blocks[r], n->sizes[r]);
	if (!n)
		return;
	block_free(n->blocks);
	block_free(n->sizes);
	block_free(n->reads);
	block_free(n->told);
	block_free(n->could);
	block_free(n);
}
