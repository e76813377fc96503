/* SPDX-License-Identifier: MIT */
#ifndef SHOW_H
#define SHOW_H

/* show: values, operations and events of a file as text and as JSON. Enumerations are
 * shown by their label and texts are looked up, but with --raw; integers are decimal, but
 * with --hex. */

#include "tool.h"

/* Output and file of the show_ and json_ functions. */
struct show {
	struct tool *tool;
	struct wbuf *w;
	const struct source *src;
};

struct show show_of(struct tool *t, struct source *s);

/* A value is stored without its sign; this extends it. */
int64_t value_signed(const uscope_field_t *f, uint64_t raw);
bool value_is_signed(const uscope_field_t *f);
/* Cuts a value to the bits that its field stores. */
uint64_t value_cut(const uscope_field_t *f, uint64_t v);

/* ---- Text. ---- */

void show_time(struct wbuf *w, uint64_t ps);
void show_value(const struct show *s, const uscope_field_t *f, uint64_t raw);
/* The number, whatever it stands for; true and false of a BOOL. */
void show_number(const struct show *s, const uscope_field_t *f, uint64_t raw);
/* The label or text that a value stands for, valid until the next call; NULL: it is a number. */
const char *value_text(const struct show *s, const uscope_field_t *f, uint64_t raw, uint32_t *length);
/* "/core0/rob" */
void show_path(const struct show *s, uint16_t scope, const char *name);
/* "name=value" */
void show_field(const struct show *s, const uscope_field_t *f, uint64_t raw);
/* " name=value" for each field of a payload. */
void show_payload(const struct show *s, const uscope_event_type_t *e, const uint8_t *payload);
/* One line, "1.5us  set    /core0/rob[3].done = true". */
void show_item(const struct show *s, const uscope_item_t *item);

/* ---- JSON. ---- */

void json_value(const struct show *s, const uscope_field_t *f, uint64_t raw);
/* "name", or "name#2" for the field 2 when another has the same name; quotes included. */
void json_field_name(const struct show *s, const uscope_field_t *f, uint32_t index);
/* "scope":"/core0","storage":"rob", with `key` for the second. */
void json_path(const struct show *s, uint16_t scope, const char *key, const char *name);
/* "name":value */
void json_field(const struct show *s, const uscope_field_t *f, uint32_t index, uint64_t raw);
/* "fields":{"name":value,...} */
void json_payload(const struct show *s, const uscope_event_type_t *e, const uint8_t *payload);
void json_item(const struct show *s, const uscope_item_t *item);

/* One form or the other, as --json says. */
void print_item(const struct show *s, const uscope_item_t *item);

/* Whether the item is an operation or event that is chosen. */
bool is_picked(const struct source *s, const uscope_item_t *item);

/* "set", "clear", "add", "prop" or "bad". */
const char *action_name(const uscope_item_t *item);

/* The field or property that an operation names, NULL: none. */
const uscope_field_t *item_field(const struct source *s, const uscope_item_t *item);

#endif
