/* SPDX-License-Identifier: MIT */
/* catalog: the tables of kernel.h. */
#include "kernel.h"

const char *const lap_dialect_names[LAP_DIALECTS] = {
	[LAP_LAPLACE] = "laplace",
	[LAP_KVMTRACE_04] = "kvmtrace-0.4",
	[LAP_KVMTRACE_05] = "kvmtrace-0.5",
	[LAP_KVMTRACE_06] = "kvmtrace-0.6",
};

#define ALL LAP_LAPLACE, LAP_KVMTRACE_06

const struct lap_field_info lap_fields[LAP_FIELDS] = {
	[LAP_PID] = { "pid", 8, 8, ALL },
	[LAP_PARENT] = { "parent", 8, 8, ALL },
	[LAP_CONTEXT] = { "context", 8, 16, ALL },
	[LAP_DUP] = { "dup", 8, 16, ALL },
	[LAP_START] = { "start", 8, 16, ALL },
	[LAP_STOP] = { "end", 8, 16, ALL },
	[LAP_ADDRESS] = { "address", 8, 16, ALL },
	[LAP_LENGTH] = { "length", 8, 16, ALL },
	[LAP_OLD_ADDRESS] = { "old_address", 8, 16, ALL },
	[LAP_OLD_LENGTH] = { "old_length", 8, 16, ALL },
	[LAP_END_ADDRESS] = { "end_address", 8, 16, ALL },
	[LAP_INODE] = { "inode", 8, 16, ALL },
	[LAP_MAJOR] = { "major", 8, 8, ALL },
	[LAP_MINOR] = { "minor", 8, 8, LAP_LAPLACE, LAP_KVMTRACE_05 },
	[LAP_OFFSET] = { "offset", 16, 16, ALL },
	[LAP_SHM] = { "shm", 8, 16, ALL },
	[LAP_USER_TIME] = { "user_time", 16, 16, LAP_KVMTRACE_04, LAP_KVMTRACE_06 },
	[LAP_SYSTEM_TIME] = { "system_time", 16, 16, LAP_KVMTRACE_04, LAP_KVMTRACE_06 },
	[LAP_SIZE] = { "size", 16, 16, LAP_KVMTRACE_05, LAP_KVMTRACE_06 },
	[LAP_FILE_TYPE] = { "file_type", 1, 1, LAP_KVMTRACE_05, LAP_KVMTRACE_06 },
	[LAP_NAME] = { "name", 0, 0, ALL },
};

#define PID LAP_OWNER_PID
#define PARENT LAP_OWNER_PARENT
#define RUNNING LAP_OWNER_RUNNING
#define DEVICE LAP_MAJOR, LAP_MINOR

/* Letter, code, owner, range, section, name, text, fields. */
#define TAGS(X)                                                                                                                                                  \
	X('S', 1, PID, NONE, NONE, "schedule", "the processor switches to a task", LAP_PID)                                                                      \
	X('F', 2, PARENT, NONE, PROCESS, "fork", "a task is created", LAP_PID, LAP_PARENT)                                                                       \
	X('X', 3, PID, NONE, PROCESS, "exec", "a task executes a program", LAP_PID, LAP_INODE, DEVICE, LAP_NAME)                                                 \
	X('T', 4, PID, NONE, NONE, "exit", "a task ends", LAP_PID, LAP_USER_TIME, LAP_SYSTEM_TIME)                                                               \
	X('A', 5, PID, NONE, PROCESS, "assign context", "a task gets a new address space", LAP_PID, LAP_CONTEXT)                                                 \
	X('D', 6, RUNNING, STOP, MEMORY, "duplicate range", "a range is copied to another address space", LAP_CONTEXT, LAP_DUP, LAP_START, LAP_STOP)             \
	X('M', 7, PID, LENGTH, MEMORY, "map file", "a file is mapped", LAP_PID, LAP_ADDRESS, LAP_LENGTH, LAP_INODE, DEVICE, LAP_OFFSET, LAP_FILE_TYPE, LAP_NAME) \
	X('m', 8, PID, LENGTH, MEMORY, "map anonymous", "anonymous memory is mapped", LAP_PID, LAP_ADDRESS, LAP_LENGTH)                                          \
	X('@', 9, PID, MOVE, MEMORY, "remap", "a mapping moves", LAP_PID, LAP_ADDRESS, LAP_LENGTH, LAP_OLD_ADDRESS, LAP_OLD_LENGTH)                              \
	X('U', 10, PID, LENGTH, MEMORY, "unmap", "a range is unmapped", LAP_PID, LAP_ADDRESS, LAP_LENGTH)                                                        \
	X('u', 11, RUNNING, NONE, MEMORY, "unmap all", "an address space ends", LAP_CONTEXT)                                                                     \
	X('C', 12, PID, NONE, FAULT, "copy on write", "a task gets its own copy of a page", LAP_PID, LAP_ADDRESS)                                                \
	X('s', 13, PID, LENGTH, SEGMENT, "attach segment", "a shared segment is mapped", LAP_PID, LAP_ADDRESS, LAP_LENGTH, LAP_SHM)                              \
	X('/', 14, PID, NONE, SEGMENT, "destroy segment", "a shared segment ends", LAP_PID, LAP_SHM)                                                             \
	X('(', 15, PID, NONE, FILE, "open", "a file is opened", LAP_PID, LAP_INODE, DEVICE, LAP_SIZE, LAP_FILE_TYPE, LAP_NAME)                                   \
	X(')', 16, PID, NONE, FILE, "close", "a file is closed", LAP_PID, LAP_INODE, DEVICE)                                                                     \
	X('<', 17, PID, OFFSET, FILE, "read", "a file is read", LAP_PID, LAP_INODE, DEVICE, LAP_OFFSET, LAP_LENGTH)                                              \
	X('>', 18, PID, OFFSET, FILE, "write", "a file is written", LAP_PID, LAP_INODE, DEVICE, LAP_OFFSET, LAP_LENGTH)                                          \
	X('-', 19, RUNNING, NONE, FILE, "delete", "the last link of a file is gone", LAP_INODE, DEVICE)                                                          \
	X('t', 20, RUNNING, NONE, FILE, "truncate", "a file gets a new size", LAP_INODE, DEVICE, LAP_LENGTH)                                                     \
	X('a', 21, PID, NONE, SOCKET, "accept", "a task waits for a connection", LAP_PID)                                                                        \
	X('e', 22, RUNNING, NONE, NONE, "end", "the trace ends", LAP_END)                                                                                        \
	X('&', 23, PID, NONE, NONE, "debug", "nothing", LAP_PID, LAP_ADDRESS, LAP_END_ADDRESS, LAP_LENGTH)

const struct lap_tag lap_tags[LAP_TAGS] = {
#define X(tag, code, owner, range, section, name, text, ...) { tag, code, owner, LAP_RANGE_##range, LAP_SECTION_##section, { __VA_ARGS__ }, name, text },
	TAGS(X)
#undef X
};

const uint8_t lap_tag_codes[256] = {
#define X(tag, code, ...) [tag] = code,
	TAGS(X)
#undef X
};
