// SPDX-License-Identifier: MIT
// The model of demo.c in C++17, which has no names in initializers: functions fill the tables.
#include "ovniscope/model.h"

#include <array>

namespace {

enum { PHASE, LEVEL };

chan_decl
phase()
{
	chan_decl c{};
	c.name = "phase";
	c.title = "Demo phase";
	c.prv_type = 900;
	c.kind = CHAN_STACK;
	c.thread_track = TRACK_ACTIVE;
	c.view.file = "phase";
	return c;
}

chan_decl
level()
{
	chan_decl c{};
	c.name = "level";
	c.title = "Demo level";
	c.prv_type = 901;
	c.dup = DUP_SKIP;
	return c;
}

state_decl
state(int64_t value, const char *enter, const char *leave, const char *label, const char *text)
{
	return { PHASE, value, enter, leave, label, text, ROLE_NONE };
}

event_decl
event_of(const char *sig, const char *text, op_kind op, event_hook *hook)
{
	event_decl e{};
	e.sig = sig;
	e.text = text;
	e.op = op;
	e.hook = hook;
	return e;
}

void
set_level(emu *emu, const event *ev)
{
	emu_set(emu, LEVEL, event_u32(ev, 0));
}

const std::array chans{ phase(), level() };
const std::array states{
	state(1, "xRi", "xRI", "Read: Input", "enters|leaves reading the input"),
	state(2, "xSs", "xSS", "Solve: Sweep", "starts|stops a sweep"),
};
const std::array events{
	event_of("xLs(u32 level)", "sets the level to %{level}", OP_HOOK, set_level),
	event_of("xP@", "passes a checkpoint", OP_IGNORE, nullptr),
};

model
make()
{
	model m{};
	m.abi = OVNISCOPE_ABI;
	m.size = sizeof(m);
	m.id = 'x';
	m.name = "demo";
	m.version = "1.0.0";
	m.need = NEED_RUNNING;
	m.chans = chans.data();
	m.nchans = chans.size();
	m.chan_size = sizeof(chans[0]);
	m.states = states.data();
	m.nstates = states.size();
	m.state_size = sizeof(states[0]);
	m.events = events.data();
	m.nevents = events.size();
	m.event_size = sizeof(events[0]);
	return m;
}

} // namespace

extern "C" const model ovniscope_model = make();
