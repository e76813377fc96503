/* SPDX-License-Identifier: MIT */
#ifndef RULES_H
#define RULES_H

/* rules: what events open and close, by model and category. A test compares them with the models of the
 * emulator. */

#include <stdint.h>

/* What an event does. */
enum open_action {
	OPEN_NOTHING = 0,
	OPEN_ENTER = '[',
	OPEN_LEAVE = ']',
	OPEN_ENTER_LAST = '{', /* what it opens forbids most other events: it is written behind them */
	OPEN_LEAVE_LAST = '}',
	OPEN_SET = '=',
	OPEN_CLEAR = '0', /* sets what holds at the begin of a stream */
	OPEN_PAUSE = '(', /* of the task that was entered last */
	OPEN_RESUME = ')',
	OPEN_TASK = '+',  /* creates a task */
	OPEN_TYPE = '*',  /* creates a task type, as a jumbo */
	OPEN_STATE = 'h', /* of the thread, by its third letter */
	OPEN_CPU = 'c',   /* moves the thread */
	OPEN_MOVE = 'm',  /* moves another one */
};

enum {
	OPEN_MODELS = 16,
	OPEN_ROWS = 96,
	OPEN_NO_ROW = OPEN_ROWS - 1, /* of which nothing is known: its events do nothing */
	OPEN_LETTERS = 128,
};

/* Model 0 is any that the table does not have, and row 0 its only one: there '[' enters and ']' leaves. */
struct open_rules {
	uint8_t model[UINT8_MAX + 1];
	uint8_t row[OPEN_MODELS][OPEN_LETTERS];
	uint8_t chan[OPEN_ROWS]; /* enter, leave and set: of which of the timelines of the model */
	uint8_t action[OPEN_ROWS][OPEN_LETTERS];
};
extern struct open_rules open_rules;

/* Fills them, once. */
void open_rules_begin(void);

/* The row of an event with these three letters. Letters beyond ASCII do nothing. */
static inline unsigned
open_row(const uint8_t mcv[3])
{
	return open_rules.row[open_rules.model[mcv[0]]][mcv[1] % OPEN_LETTERS];
}

/* Returns an enum open_action. */
static inline unsigned
open_action(unsigned row, const uint8_t mcv[3])
{
	return (mcv[1] | mcv[2]) < OPEN_LETTERS ? open_rules.action[row][mcv[2]] : OPEN_NOTHING;
}

#endif
