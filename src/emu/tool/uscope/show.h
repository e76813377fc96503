/* SPDX-License-Identifier: MIT */
#ifndef SHOW_H
#define SHOW_H

/* show: values, operations, events and states of a file. The show_ functions print text or, with
 * --json, members of the object that is open, under the keys that they are given. Enumerations are
 * shown by their label and texts are looked up, but with --raw; integers are decimal, but with
 * --hex. */

#include "jsonout.h"
#include "tool.h"

/* A value is stored without its sign; this extends it. */
int64_t value_signed(const uscope_field_t *f, uint64_t raw);
bool value_is_signed(const uscope_field_t *f);
/* Cuts a value to the bits that its field stores. */
uint64_t value_cut(const uscope_field_t *f, uint64_t v);
/* The label or text that a value stands for, valid until the next call; NULL: it is a number. */
const char *value_text(const struct source *s, const uscope_field_t *f, uint64_t raw, uint32_t *length);

/* In text only. */
void show_time(struct wbuf *w, uint64_t ps);

/* A line: "1.5us  ", or an object with "kind" and "time_ps". */
void show_begin(const struct source *s, const char *kind, uint64_t time_ps);
void show_end(const struct source *s);

/* Begins or ends an object or an array, or prints the text. */
void show_open(const struct source *s, const char *key, char bracket, const char *text);
void show_close(const struct source *s, char bracket, const char *text);

/* What is in front of a value that is shown next: a key, or this text. */
void show_key(const struct source *s, const char *key, const char *text);
void show_u64(const struct source *s, const char *key, const char *text, uint64_t v);
/* The number, whatever it stands for; true and false of a BOOL. */
void show_number(const struct source *s, const uscope_field_t *f, uint64_t raw);
void show_value(const struct source *s, const uscope_field_t *f, uint64_t raw);
/* The name of a field; in JSON quoted, and "name#2" for the field 2 when another has the same name. */
void show_name(const struct source *s, const uscope_field_t *f, uint32_t index);
/* "name=value", or "name":value. */
void show_field(const struct source *s, const uscope_field_t *f, uint32_t index, uint64_t raw);
/* "/core0/rob", or "scope":"/core0","storage":"rob", with `key` for the second. */
void show_path(const struct source *s, uint16_t scope, const char *key, const char *name);
/* "[3]", or "slot":3. */
void show_slot(const struct source *s, uint32_t slot);
/* " name=value" for each field of a payload, or "fields":{"name":value,...}. */
void show_payload(const struct source *s, const uscope_event_type_t *e, const uint8_t *payload);
/* A line, "1.5us  set    /core0/rob[3].done = true", or an object. */
void show_item(const struct source *s, const uscope_item_t *item);

/* The storages that are chosen; all: slots of zeros of dense storages too. In JSON a line for each
 * slot and each block of properties: {"kind":KIND,"time_ps":T,"scope":...,"slot":3,"fields":{...}} */
void show_state(const struct source *s, const uscope_state_t *state, bool all, const char *kind, uint64_t time_ps);

/* The schema: clocks, scopes with all they hold, enumerations. */
void show_schema(const struct source *s);
/* Rules of the format that the file breaks as far as it was read ("V" among the kinds), and notes
 * ("N"): lines that begin as given, or an object. Returns how often. */
uint64_t show_diags(const struct source *s, const char *key, const char *kinds, const char *broken, const char *note);
/* Members of an object that tells of a segment. */
void json_segment(struct wbuf *w, const uscope_segment_t *seg);

/* Whether a slot is worth showing: valid, and not zeros of a dense storage. */
bool slot_has_content(const struct source *s, const uscope_state_t *state, uint16_t storage, uint16_t slot);

/* Whether the item is an operation or event that is chosen. */
bool is_picked(const struct source *s, const uscope_item_t *item);

/* "set", "clear", "add", "prop" or "bad". */
const char *action_name(const uscope_item_t *item);

/* The field or property that an operation names, NULL: none. */
const uscope_field_t *item_field(const struct source *s, const uscope_item_t *item);

#endif
