/* SPDX-License-Identifier: MIT */
#include "name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
	WORDS_MAX = 6, /* of a name */
};

static bool
is_one_of(const char *word, size_t n, const char *list)
{
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t k = strcspn(p, " ");
		if (k == n && memcmp(p, word, n) == 0)
			return true;
		p += k;
	}
	return false;
}

void
name_plain(char *to, size_t size, const char *text)
{
	size_t at = 0;
	if (isdigit((unsigned char)*text))
		to[at++] = '_';
	for (; *text && at + 1 < size; text++)
		to[at++] = isalnum((unsigned char)*text) ? *text : '_';
	to[at] = 0;
}

void
name_arg(char *to, size_t size, const char *text)
{
	static const char taken[] =
		"alignas alignof and asm auto bool break case catch char class concept const continue co_await co_return default delete "
		"do double else enum explicit export extern false float for friend goto if inline int long mutable namespace new not "
		"operator or private protected public register requires restrict return short signed sizeof static struct switch "
		"template this throw true try typedef typename union unsigned using virtual void volatile while xor "
		"constexpr const_cast decltype dynamic_cast noexcept nullptr reinterpret_cast static_assert static_cast thread_local typeid "
		"typeof wchar_t bytes ev length";
	name_plain(to, size, text);
	size_t n = strlen(to);
	if (is_one_of(to, n, taken) && n + 1 < size)
		memcpy(to + n, "_", 2);
}

/* The first word tells what the program does: "pushes" becomes "push", and so on. */
static size_t
take_s_away(char *word, size_t n)
{
	static const char *const ends[] = { "sses", "ches", "shes", "xes", "oes" };
	if (is_one_of(word, n, "is has was does") || n < 3 || word[n - 1] != 's' || word[n - 2] == 's')
		return n;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t k = strlen(ends[i]);
		if (n > k && memcmp(word + n - k, ends[i], k) == 0)
			return n - 2;
	}
	if (n > 4 && memcmp(word + n - 3, "ies", 3) == 0) {
		word[n - 3] = 'y';
		return n - 2;
	}
	return n - 1;
}

void
name_event(char *to, size_t size, const struct catalog_item *item)
{
	static const char small[] = "a an the to of with for in on from at by that and is as its all";
	size_t at = 0;
	size_t end = 0; /* of the last word that says something */
	int n = 0;
	/* Up to the first argument, or what is beside the point. */
	for (const char *p = item->meaning; *p && !strchr("%,;:(\"", *p) && n < WORDS_MAX;) {
		size_t k = 0;
		while (isalnum((unsigned char)p[k]) || p[k] == '_')
			k++;
		if (k == 0) {
			p++;
			continue;
		}
		bool article = is_one_of(p, k, "a an the");
		if (!article && at + k + 2 < size) {
			if (at)
				to[at++] = '_';
			for (size_t i = 0; i < k; i++)
				to[at + i] = (char)tolower((unsigned char)p[i]);
			at += n == 0 ? take_s_away(to + at, k) : k;
			end = n == 0 || !is_one_of(p, k, small) ? at : end;
			n++;
		}
		p += k;
	}
	to[end] = 0;
	if (end == 0)
		name_letters(to, size, item->sig.mcv);
}

void
name_letters(char *to, size_t size, const char *mcv)
{
	size_t at = 0;
	for (int i = 1; i < 3 && at < size; i++) {
		unsigned char c = (unsigned char)mcv[i];
		at += (size_t)snprintf(to + at, size - at, isalnum(c) ? "%c" : "_%02x", c);
	}
}
