// SPDX-License-Identifier: MIT
//
// uscope_dpi: µScope traces from SystemVerilog. Link libuscope_dpi and libuscope.
//
//   import uscope_dpi::*;
//
//   chandle trace;
//   int pipe;
//   initial begin
//     void'(uscope_dpi_add_clock("clk", 1000));                     // period in ps
//     void'(uscope_dpi_add_scope("/", -1, "", 0));
//     pipe = uscope_dpi_add_storage("pipe", 0, 4, USCOPE_SPARSE);   // 4 slots
//     void'(uscope_dpi_add_field(pipe, "pc", USCOPE_U32, 0));
//     trace = uscope_open("pipe.uscp");
//   end
//   always @(posedge clk) begin
//     uscope_begin_cycle(trace, $time);                             // in ps
//     uscope_slot_set(trace, 16'(pipe), slot, 0, 64'(pc));
//     uscope_end_cycle(trace);
//   end
//   final uscope_close(trace);                                      // or the end is missing
//
// All functions ignore a null handle. Errors are printed, and remembered for
// uscope_dpi_status. What they do in detail is in libuscope(3).

// The package has no times, so that it goes with modules that have a timescale and without.
// verilator lint_off TIMESCALEMOD
package uscope_dpi;
// verilator lint_on TIMESCALEMOD

  // verilator lint_off UNUSEDPARAM
  // Types of fields.
  localparam byte unsigned USCOPE_U8 = 1;
  localparam byte unsigned USCOPE_U16 = 2;
  localparam byte unsigned USCOPE_U32 = 3;
  localparam byte unsigned USCOPE_U64 = 4;
  localparam byte unsigned USCOPE_I8 = 5;
  localparam byte unsigned USCOPE_I16 = 6;
  localparam byte unsigned USCOPE_I32 = 7;
  localparam byte unsigned USCOPE_I64 = 8;
  localparam byte unsigned USCOPE_BOOL = 9;
  localparam byte unsigned USCOPE_STRING_REF = 10;
  localparam byte unsigned USCOPE_ENUM = 11;

  // Flags of storages.
  localparam shortint unsigned USCOPE_SPARSE = 1;  // each slot is valid or not
  localparam shortint unsigned USCOPE_BUFFER = 2;  // a hint for viewers
  // verilator lint_on UNUSEDPARAM

  // The schema of the next uscope_open. Each gives the id of what it adds, from 0, or a
  // negative status; after a failure uscope_open gives null. A clock and a scope are the
  // least; the first scope is the root, with parent -1. A protocol of "" is none, a clock
  // of -1 is that of the parent. enum_id counts for USCOPE_ENUM only.
  import "DPI-C" function int uscope_dpi_add_clock(
    input string name, input int unsigned period_ps
  );
  import "DPI-C" function int uscope_dpi_add_scope(
    input string name, input int parent, input string protocol, input int clock
  );
  import "DPI-C" function int uscope_dpi_add_enum(input string name);
  import "DPI-C" function int uscope_dpi_add_enum_value(
    input int enum_id, input byte unsigned value, input string name
  );
  import "DPI-C" function int uscope_dpi_add_storage(
    input string name, input int scope, input shortint unsigned num_slots,
    input shortint unsigned flags
  );
  import "DPI-C" function int uscope_dpi_add_field(
    input int storage, input string name, input byte unsigned field_type, input int enum_id
  );
  import "DPI-C" function int uscope_dpi_add_property(
    input int storage, input string name, input byte unsigned field_type, input int enum_id
  );
  import "DPI-C" function int uscope_dpi_add_event(input string name, input int scope);
  import "DPI-C" function int uscope_dpi_add_event_field(
    input int event_id, input string name, input byte unsigned field_type, input int enum_id
  );
  // A pair of the description of the design.
  import "DPI-C" function int uscope_dpi_add_dut_property(
    input string key, input string value
  );
  // Interval of the checkpoints; without it there are few.
  import "DPI-C" function void uscope_dpi_interval(input longint unsigned interval_ps);

  // null: it failed, and the reason was printed.
  import "DPI-C" function chandle uscope_open(input string path);
  import "DPI-C" function void uscope_close(input chandle w);
  // The first error of the trace, 0 none; of null, that of the schema or of the last open.
  import "DPI-C" function int uscope_dpi_status(input chandle w);

  // Everything happens inside a cycle; times do not go back.
  import "DPI-C" function void uscope_begin_cycle(
    input chandle w, input longint unsigned time_ps
  );
  import "DPI-C" function void uscope_end_cycle(input chandle w);

  import "DPI-C" function void uscope_slot_set(
    input chandle w, input shortint unsigned storage_id, input shortint unsigned slot,
    input shortint unsigned field, input longint unsigned value
  );
  import "DPI-C" function void uscope_slot_clear(
    input chandle w, input shortint unsigned storage_id, input shortint unsigned slot
  );
  import "DPI-C" function void uscope_slot_add(
    input chandle w, input shortint unsigned storage_id, input shortint unsigned slot,
    input shortint unsigned field, input longint unsigned value
  );
  import "DPI-C" function void uscope_prop_set(
    input chandle w, input shortint unsigned storage_id, input shortint unsigned property_id,
    input longint unsigned value
  );

  // The fields of the event in order, each with its lowest byte first, without gaps.
  import "DPI-C" function void uscope_event_raw(
    input chandle w, input shortint unsigned event_type_id, input byte unsigned payload[]
  );

  // The value of a USCOPE_STRING_REF field.
  import "DPI-C" function int unsigned uscope_string_insert(
    input chandle w, input string text
  );

  // For uscope_event_empty.
  import "DPI-C" function void uscope_event_bytes(
    input chandle w, input shortint unsigned event_type_id, input chandle payload,
    input int unsigned size
  );

  // An event of a type without fields.
  function automatic void uscope_event_empty(
      input chandle w, input shortint unsigned event_type_id);
    uscope_event_bytes(w, event_type_id, null, 0);
  endfunction

endpackage
