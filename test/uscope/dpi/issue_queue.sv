// SPDX-License-Identifier: MIT
//
// issue_queue: a queue of four instructions in front of a unit that takes two cycles for each.
// It traces itself; check.c computes the same in C and compares.
module issue_queue;
  timeunit 1ps; timeprecision 1ps;
  import uscope_dpi::*;

  localparam int SLOTS = 4;

  bit clk = 0;
  always #500 clk = ~clk;

  int cycles;
  string path;
  chandle trace;
  int stages, queue_id, counter, retire, stall, note;
  int unsigned text;

  function automatic void open_trace();
    int cpu;
    void'(uscope_dpi_add_clock("clk", 1000));
    void'(uscope_dpi_add_scope("/", -1, "", 0));
    cpu = uscope_dpi_add_scope("cpu", 0, "cpu", -1);
    stages = uscope_dpi_add_enum("stage");
    void'(uscope_dpi_add_enum_value(stages, 0, "wait"));
    void'(uscope_dpi_add_enum_value(stages, 1, "run"));
    queue_id = uscope_dpi_add_storage("entities", cpu, SLOTS, USCOPE_SPARSE);
    void'(uscope_dpi_add_field(queue_id, "entity_id", USCOPE_U32, 0));
    void'(uscope_dpi_add_field(queue_id, "stage", USCOPE_ENUM, stages));
    void'(uscope_dpi_add_field(queue_id, "age", USCOPE_I64, 0));
    void'(uscope_dpi_add_property(queue_id, "head", USCOPE_U16, 0));
    void'(uscope_dpi_add_property(queue_id, "what", USCOPE_STRING_REF, 0));
    counter = uscope_dpi_add_storage("retired", cpu, 1, 0);
    void'(uscope_dpi_add_field(counter, "n", USCOPE_U64, 0));
    retire = uscope_dpi_add_event("retire", cpu);
    void'(uscope_dpi_add_event_field(retire, "entity_id", USCOPE_U32, 0));
    void'(uscope_dpi_add_event_field(retire, "slot", USCOPE_U16, 0));
    stall = uscope_dpi_add_event("stall", cpu);
    note = uscope_dpi_add_event("note", -1);
    void'(uscope_dpi_add_event_field(note, "low", USCOPE_U8, 0));
    void'(uscope_dpi_add_event_field(note, "high", USCOPE_U8, 0));
    void'(uscope_dpi_add_dut_property("dut_name", "queue"));
    void'(uscope_dpi_option("interval_ps", 100_000));
    void'(uscope_dpi_option("only_changes", 1));
    void'(uscope_dpi_option("background", 1));
    trace = uscope_open(path);
    if (trace == null) $fatal(1, "no trace: status %0d", uscope_dpi_status(null));
    if (uscope_find_storage(trace, "cpu.entities") != queue_id) $fatal(1, "no queue");
    if (uscope_find_event(trace, "note") != note) $fatal(1, "no note");
    if (uscope_find_field(trace, queue_id, "age") != 2) $fatal(1, "no age");
    if (uscope_find_property(trace, queue_id, "head") != 0) $fatal(1, "no head");
  endfunction

  // The queue.
  int unsigned id[SLOTS];
  bit running[SLOTS];
  int unsigned next_id = 0;
  int unsigned head = 0, level = 0;
  byte unsigned payload[6];
  longint unsigned retired[2];
  byte unsigned pair[8:7];  // a range that does not begin at 0

  function automatic void take(input int n);
    int slot;
    uscope_begin_cycle(trace, $time);
    if (level != 0) begin
      if (!running[head]) begin
        running[head] = 1;
        uscope_slot_set(trace, queue_id, head, 1, 1);
        uscope_slot_add(trace, queue_id, head, 2, -64'd5);
      end else begin
        retired[0] = 64'(id[head]);
        retired[1] = 64'(head);
        uscope_event_values(trace, retire, retired);
        uscope_slot_clear(trace, queue_id, head);
        uscope_slot_add(trace, counter, 0, 0, 1);
        head = (head + 1) % SLOTS;
        level--;
      end
    end
    uscope_prop_set(trace, queue_id, 0, 64'(head));  // most often what it is
    if (level == SLOTS) uscope_event_empty(trace, stall);
    else if (n % 3 != 2) begin
      slot = (head + level) % SLOTS;
      id[slot] = next_id * 70001;
      running[slot] = 0;
      uscope_slot_set(trace, queue_id, slot, 0, 64'(id[slot]));
      next_id++;
      level++;
    end
    if (n == 7) begin
      pair[7] = 8'h07;
      pair[8] = 8'h08;
      uscope_event_raw(trace, note, pair);
      text = uscope_string_insert(trace, "seven");
      text = uscope_string_insert(trace, "sieben");
      uscope_prop_set(trace, queue_id, 1, 64'(text));
    end
    uscope_end_cycle(trace);
  endfunction

  int n = 0;
  initial begin
    if (!$value$plusargs("cycles=%d", cycles)) cycles = 1000;
    if (!$value$plusargs("trace=%s", path)) path = "queue.uscp";
    // All of this is ignored.
    uscope_begin_cycle(null, 0);
    uscope_slot_set(null, 0, 0, 0, 0);
    uscope_slot_add(null, 0, 0, 0, 0);
    uscope_slot_clear(null, 0, 0);
    uscope_prop_set(null, 0, 0, 0);
    uscope_event_raw(null, 0, payload);
    uscope_end_cycle(null);
    uscope_close(null);
    open_trace();
  end

  always @(posedge clk) begin
    take(n);
    n = n + 1;
    if (n == cycles) begin
      if ($test$plusargs("misuse")) begin
        uscope_begin_cycle(trace, $time);
        uscope_event_raw(trace, note, payload);  // 6 bytes instead of 2
        uscope_end_cycle(trace);
      end
      $display("status %0d", uscope_dpi_status(trace));
      $finish;
    end
  end

  final uscope_close(trace);
endmodule
