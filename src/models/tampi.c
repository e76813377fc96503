/* SPDX-License-Identifier: MIT */
/* tampi: subsystems of the task-aware MPI library. */
#include "ovniscope/model.h"

enum {
	SUBSYSTEM,
};

static const struct chan_decl chans[] = {
	[SUBSYSTEM] = {
		.name = "subsystem",
		.title = "TAMPI subsystem",
		.prv_type = 20,
		.kind = CHAN_STACK,
		.thread_track = TRACK_ACTIVE,
		.drained = true,
		.role = ROLE_COMMUNICATION,
		.view = { .file = "subsystem" },
	},
};

static const struct state_decl states[] = {
	{ SUBSYSTEM, 1, "TCi", "TCI", "Communication: Issuing a non-blocking operation", "begins|ends to issue a non-blocking operation" },
	{ SUBSYSTEM, 2, "TGc", "TGC", "Global array: Checking pending requests", "begins|ends to check the pending requests of the global array" },
	{ SUBSYSTEM, 3, "TLi", "TLI", "Library code: Interface function", "enters|leaves the library through an interface function" },
	{ SUBSYSTEM, 4, "TLp", "TLP", "Library code: Polling function", "enters|leaves the polling function of the library" },
	{ SUBSYSTEM, 5, "TQa", "TQA", "Queue: Adding to a queue", "begins|ends to add a ticket or requests to a queue" },
	{ SUBSYSTEM, 6, "TQt", "TQT", "Queue: Transfering to global array", "begins|ends to move what is queued to the global array" },
	{ SUBSYSTEM, 8, "TRt", "TRT", "Request: Testing a request", "begins|ends to test one request" },
	{ SUBSYSTEM, 7, "TRc", "TRC", "Request: Processing a completed request", "begins|ends to process a completed request" },
	{ SUBSYSTEM, 9, "TRa", "TRA", "Request: Testing all requests", "begins|ends to test whether all requests are complete" },
	{ SUBSYSTEM, 10, "TRs", "TRS", "Request: Testing some requests", "begins|ends to test which requests are complete" },
	{ SUBSYSTEM, 11, "TTc", "TTC", "Ticket: Creating a ticket", "begins|ends to create a ticket" },
	{ SUBSYSTEM, 12, "TTw", "TTW", "Ticket: Waiting a ticket", "begins|ends to wait for a ticket" },
};

const struct model model_tampi = {
	MODEL_ABI,
	.id = 'T',
	.name = "tampi",
	.version = "1.0.0",
	.need = NEED_RUNNING,
	CHANS(chans),
	STATES(states),
};
