/* SPDX-License-Identifier: MIT */
/* catalog: the tables of lapkernel. */
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

const struct lap_tag lap_tags[LAP_TAGS] = {
	{ 'S', 1, PID, LAP_RANGE_NONE, { LAP_PID }, "schedule", "the processor switches to a task" },
	{ 'F', 2, PARENT, LAP_RANGE_NONE, { LAP_PID, LAP_PARENT }, "fork", "a task is created" },
	{ 'X', 3, PID, LAP_RANGE_NONE, { LAP_PID, LAP_INODE, DEVICE, LAP_NAME }, "exec", "a task executes a program" },
	{ 'T', 4, PID, LAP_RANGE_NONE, { LAP_PID, LAP_USER_TIME, LAP_SYSTEM_TIME }, "exit", "a task ends" },
	{ 'A', 5, PID, LAP_RANGE_NONE, { LAP_PID, LAP_CONTEXT }, "assign context", "a task gets a new address space" },
	{ 'D', 6, RUNNING, LAP_RANGE_STOP, { LAP_CONTEXT, LAP_DUP, LAP_START, LAP_STOP }, "duplicate range", "a range is copied to another address space" },
	{ 'M', 7, PID, LAP_RANGE_LENGTH, { LAP_PID, LAP_ADDRESS, LAP_LENGTH, LAP_INODE, DEVICE, LAP_OFFSET, LAP_FILE_TYPE, LAP_NAME }, "map file", "a file is mapped" },
	{ 'm', 8, PID, LAP_RANGE_LENGTH, { LAP_PID, LAP_ADDRESS, LAP_LENGTH }, "map anonymous", "anonymous memory is mapped" },
	{ '@', 9, PID, LAP_RANGE_MOVE, { LAP_PID, LAP_ADDRESS, LAP_LENGTH, LAP_OLD_ADDRESS, LAP_OLD_LENGTH }, "remap", "a mapping moves" },
	{ 'U', 10, PID, LAP_RANGE_LENGTH, { LAP_PID, LAP_ADDRESS, LAP_LENGTH }, "unmap", "a range is unmapped" },
	{ 'u', 11, RUNNING, LAP_RANGE_NONE, { LAP_CONTEXT }, "unmap all", "an address space ends" },
	{ 'C', 12, PID, LAP_RANGE_NONE, { LAP_PID, LAP_ADDRESS }, "copy on write", "a task gets its own copy of a page" },
	{ 's', 13, PID, LAP_RANGE_LENGTH, { LAP_PID, LAP_ADDRESS, LAP_LENGTH, LAP_SHM }, "attach segment", "a shared segment is mapped" },
	{ '/', 14, PID, LAP_RANGE_NONE, { LAP_PID, LAP_SHM }, "destroy segment", "a shared segment ends" },
	{ '(', 15, PID, LAP_RANGE_NONE, { LAP_PID, LAP_INODE, DEVICE, LAP_SIZE, LAP_FILE_TYPE, LAP_NAME }, "open", "a file is opened" },
	{ ')', 16, PID, LAP_RANGE_NONE, { LAP_PID, LAP_INODE, DEVICE }, "close", "a file is closed" },
	{ '<', 17, PID, LAP_RANGE_OFFSET, { LAP_PID, LAP_INODE, DEVICE, LAP_OFFSET, LAP_LENGTH }, "read", "a file is read" },
	{ '>', 18, PID, LAP_RANGE_OFFSET, { LAP_PID, LAP_INODE, DEVICE, LAP_OFFSET, LAP_LENGTH }, "write", "a file is written" },
	{ '-', 19, RUNNING, LAP_RANGE_NONE, { LAP_INODE, DEVICE }, "delete", "the last link of a file is gone" },
	{ 't', 20, RUNNING, LAP_RANGE_NONE, { LAP_INODE, DEVICE, LAP_LENGTH }, "truncate", "a file gets a new size" },
	{ 'a', 21, PID, LAP_RANGE_NONE, { LAP_PID }, "accept", "a task waits for a connection" },
	{ 'e', 22, RUNNING, LAP_RANGE_NONE, { LAP_END }, "end", "the trace ends" },
	{ '&', 23, PID, LAP_RANGE_NONE, { LAP_PID, LAP_ADDRESS, LAP_END_ADDRESS, LAP_LENGTH }, "debug", "nothing" },
};

/* By the letters of the table above, which a test compares. */
const uint8_t lap_tag_codes[256] = {
	['S'] = 1,
	['F'] = 2,
	['X'] = 3,
	['T'] = 4,
	['A'] = 5,
	['D'] = 6,
	['M'] = 7,
	['m'] = 8,
	['@'] = 9,
	['U'] = 10,
	['u'] = 11,
	['C'] = 12,
	['s'] = 13,
	['/'] = 14,
	['('] = 15,
	[')'] = 16,
	['<'] = 17,
	['>'] = 18,
	['-'] = 19,
	['t'] = 20,
	['a'] = 21,
	['e'] = 22,
	['&'] = 23,
};

int
lap_section_of(uint8_t tag)
{
	switch (tag) {
	case 'F':
	case 'X':
	case 'A': return LAP_SECTION_PROCESS;
	case 'D':
	case 'M':
	case 'm':
	case '@':
	case 'U':
	case 'u': return LAP_SECTION_MEMORY;
	case 'C': return LAP_SECTION_FAULT;
	case '(':
	case ')':
	case '<':
	case '>':
	case '-':
	case 't': return LAP_SECTION_FILE;
	case 's':
	case '/': return LAP_SECTION_SEGMENT;
	case 'a': return LAP_SECTION_SOCKET;
	default: return -1;
	}
}
