/* SPDX-License-Identifier: MIT */
/* mpi: the MPI function that a thread is in. */
#include "ovniscope/model.h"

enum {
	FUNCTION,
};

static const struct chan_decl chans[] = {
	[FUNCTION] = {
		.name = "function",
		.title = "MPI function",
		.prv_type = 25,
		.kind = CHAN_STACK,
		.drained = true,
		.role = ROLE_COMMUNICATION,
		.view = { .file = "function" },
	},
};

/* All events of this model are the entry and the exit of a function. */
#define CALL(value, enter, leave, name)                                    \
	{                                                                  \
		FUNCTION, value, enter, leave, name, "enters|leaves " name \
	}

static const struct state_decl states[] = {
	CALL(1, "MUi", "MUI", "MPI_Init"),
	CALL(2, "MUt", "MUT", "MPI_Init_thread"),
	CALL(3, "MUf", "MUF", "MPI_Finalize"),
	CALL(4, "MW[", "MW]", "MPI_Wait"),
	CALL(5, "MWa", "MWA", "MPI_Waitall"),
	CALL(6, "MWy", "MWY", "MPI_Waitany"),
	CALL(7, "MWs", "MWS", "MPI_Waitsome"),
	CALL(8, "MT[", "MT]", "MPI_Test"),
	CALL(9, "MTa", "MTA", "MPI_Testall"),
	CALL(10, "MTy", "MTY", "MPI_Testany"),
	CALL(11, "MTs", "MTS", "MPI_Testsome"),
	CALL(12, "MR[", "MR]", "MPI_Recv"),
	CALL(13, "MS[", "MS]", "MPI_Send"),
	CALL(14, "MSb", "MSB", "MPI_Bsend"),
	CALL(15, "MSr", "MSR", "MPI_Rsend"),
	CALL(16, "MSs", "MSS", "MPI_Ssend"),
	CALL(17, "MRs", "MRS", "MPI_Sendrecv"),
	CALL(18, "MRo", "MRO", "MPI_Sendrecv_replace"),
	CALL(19, "Mr[", "Mr]", "MPI_Irecv"),
	CALL(20, "Ms[", "Ms]", "MPI_Isend"),
	CALL(21, "Msb", "MsB", "MPI_Ibsend"),
	CALL(22, "Msr", "MsR", "MPI_Irsend"),
	CALL(23, "Mss", "MsS", "MPI_Issend"),
	CALL(24, "Mrs", "MrS", "MPI_Isendrecv"),
	CALL(25, "Mro", "MrO", "MPI_Isendrecv_replace"),
	CALL(26, "MAg", "MAG", "MPI_Allgather"),
	CALL(27, "MAr", "MAR", "MPI_Allreduce"),
	CALL(28, "MAa", "MAA", "MPI_Alltoall"),
	CALL(29, "MCb", "MCB", "MPI_Barrier"),
	CALL(30, "MDb", "MDB", "MPI_Bcast"),
	CALL(31, "MDg", "MDG", "MPI_Gather"),
	CALL(32, "ME[", "ME]", "MPI_Reduce"),
	CALL(33, "MEs", "MES", "MPI_Reduce_scatter"),
	CALL(34, "MEb", "MEB", "MPI_Reduce_scatter_block"),
	CALL(35, "MDs", "MDS", "MPI_Scatter"),
	CALL(36, "MCs", "MCS", "MPI_Scan"),
	CALL(37, "MCe", "MCE", "MPI_Exscan"),
	CALL(38, "Mag", "MaG", "MPI_Iallgather"),
	CALL(39, "Mar", "MaR", "MPI_Iallreduce"),
	CALL(40, "Maa", "MaA", "MPI_Ialltoall"),
	CALL(41, "Mcb", "McB", "MPI_Ibarrier"),
	CALL(42, "Mdb", "MdB", "MPI_Ibcast"),
	CALL(43, "Mdg", "MdG", "MPI_Igather"),
	CALL(44, "Me[", "Me]", "MPI_Ireduce"),
	CALL(45, "Mes", "MeS", "MPI_Ireduce_scatter"),
	CALL(46, "Meb", "MeB", "MPI_Ireduce_scatter_block"),
	CALL(47, "Mds", "MdS", "MPI_Iscatter"),
	CALL(48, "Mcs", "McS", "MPI_Iscan"),
	CALL(49, "Mce", "McE", "MPI_Iexscan"),
};

const struct model model_mpi = {
	MODEL_ABI,
	.id = 'M',
	.name = "mpi",
	.version = "1.0.0",
	.need = NEED_RUNNING,
	CHANS(chans),
	STATES(states),
};
