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
//     void'(uscope_dpi_option("only_changes", 1));                 // if you set all in each cycle
//     trace = uscope_open("pipe.uscp");
//   end
//   always @(posedge clk) begin
//     uscope_begin_cycle(trace, $time);                             // in ps
//     uscope_slot_set(trace, pipe, slot, 0, pc);
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
  localparam int USCOPE_U8 = 1;
  localparam int USCOPE_U16 = 2;
  localparam int USCOPE_U32 = 3;
  localparam int USCOPE_U64 = 4;
  localparam int USCOPE_I8 = 5;
  localparam int USCOPE_I16 = 6;
  localparam int USCOPE_I32 = 7;
  localparam int USCOPE_I64 = 8;
  localparam int USCOPE_BOOL = 9;
  localparam int USCOPE_STRING_REF = 10;
  localparam int USCOPE_ENUM = 11;

  // Flags of storages.
  localparam int USCOPE_SPARSE = 1;  // each slot is valid or not
  localparam int USCOPE_BUFFER = 2;  // a hint for viewers

  // Values of the option "compression".
  localparam int USCOPE_LZ4 = 0;
  localparam int USCOPE_ZSTD = 1;
  localparam int USCOPE_RAW = 2;
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
    input int enum_id, input int value, input string name
  );
  import "DPI-C" function int uscope_dpi_add_storage(
    input string name, input int scope, input int num_slots, input int flags
  );
  import "DPI-C" function int uscope_dpi_add_field(
    input int storage, input string name, input int field_type, input int enum_id
  );
  import "DPI-C" function int uscope_dpi_add_property(
    input int storage, input string name, input int field_type, input int enum_id
  );
  import "DPI-C" function int uscope_dpi_add_event(input string name, input int scope);
  import "DPI-C" function int uscope_dpi_add_event_field(
    input int event_id, input string name, input int field_type, input int enum_id
  );
  // A pair of the description of the design.
  import "DPI-C" function int uscope_dpi_add_dut_property(
    input string key, input string value
  );
  // An option of the next uscope_open: compression and level, max_raw (bytes of a segment), interval_ps,
  // drop_empty, only_changes, background, lz4_size_prefix, and the others that libuscope(3) has. 0, or a
  // negative status, after which uscope_open gives null.
  import "DPI-C" function int uscope_dpi_option(input string name, input longint value);
  // Interval of the checkpoints; without it, the size of a segment counts.
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

  import "DPI-C" uscope_dpi_slot_set = function void uscope_slot_set(
    input chandle w, input int storage_id, input int slot, input int field,
    input longint unsigned value
  );
  import "DPI-C" uscope_dpi_slot_clear = function void uscope_slot_clear(
    input chandle w, input int storage_id, input int slot
  );
  import "DPI-C" uscope_dpi_slot_add = function void uscope_slot_add(
    input chandle w, input int storage_id, input int slot, input int field,
    input longint unsigned value
  );
  import "DPI-C" uscope_dpi_prop_set = function void uscope_prop_set(
    input chandle w, input int storage_id, input int property_id, input longint unsigned value
  );

  // Ids by path, "core0.rob", or by name, for a schema that C code has given: a negative status, which is
  // printed, if there is none.
  import "DPI-C" uscope_dpi_find_storage = function int uscope_find_storage(
    input chandle w, input string path
  );
  import "DPI-C" uscope_dpi_find_event = function int uscope_find_event(
    input chandle w, input string path
  );
  import "DPI-C" uscope_dpi_find_field = function int uscope_find_field(
    input chandle w, input int storage_id, input string name
  );
  import "DPI-C" uscope_dpi_find_property = function int uscope_find_property(
    input chandle w, input int storage_id, input string name
  );

  // An event with the values of its fields, in order; each is cut to the width of its field.
  import "DPI-C" uscope_dpi_event_values = function void uscope_event_values(
    input chandle w, input int event_type_id, input longint unsigned values[]
  );
  // The same as bytes: the fields in order, each with its lowest byte first, without gaps.
  import "DPI-C" function void uscope_event_raw(
    input chandle w, input int event_type_id, input byte unsigned payload[]
  );
  // An event of a type without fields.
  import "DPI-C" uscope_dpi_event_empty = function void uscope_event_empty(
    input chandle w, input int event_type_id
  );

  // The value of a USCOPE_STRING_REF field.
  import "DPI-C" function int unsigned uscope_string_insert(
    input chandle w, input string text
  );

endpackage
