/* SPDX-License-Identifier: MIT */
#include "browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum {
	WORDS_MAX = 16,
	COMMAND_MAX = 1000, /* bytes of a command with its words */
};

static const char *
setting(const char *name)
{
	const char *text = getenv(name);
	return text && *text ? text : NULL;
}

bool
browser_is_here(void)
{
	if (setting("SSH_CONNECTION") || setting("SSH_CLIENT") || setting("SSH_TTY"))
		return false;
	return setting("BROWSER") || setting("DISPLAY") || setting("WAYLAND_DISPLAY");
}

/* Starts a program that lives on without the terminal and what is ignored here. 0: there is none. */
static pid_t
start(char **words)
{
	posix_spawnattr_t attr;
	posix_spawn_file_actions_t files;
	sigset_t none;
	sigset_t usual;
	pid_t pid = 0;
	(void)sigemptyset(&none);
	(void)sigemptyset(&usual);
	(void)sigaddset(&usual, SIGPIPE);
	(void)sigaddset(&usual, SIGXFSZ);
	if (posix_spawnattr_init(&attr) != 0)
		return 0;
	if (posix_spawn_file_actions_init(&files) == 0) {
		bool good = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0 &&
			posix_spawnattr_setsigmask(&attr, &none) == 0 && posix_spawnattr_setsigdefault(&attr, &usual) == 0 &&
			posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
			posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
			posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO) == 0;
		if (!good || posix_spawnp(&pid, words[0], &files, &attr, words, environ) != 0)
			pid = 0;
		(void)posix_spawn_file_actions_destroy(&files);
	}
	(void)posix_spawnattr_destroy(&attr);
	return pid;
}

/* Starts a command of n bytes: words with blanks between them. 0: there is none. */
static pid_t
start_command(const char *command, size_t n, const char *address)
{
	char text[COMMAND_MAX];
	char filled[COMMAND_MAX]; /* the word with %s in it */
	char *words[WORDS_MAX + 2];
	size_t nwords = 0;
	bool told = false;
	char *rest;
	if ((size_t)snprintf(text, sizeof(text), "%.*s", (int)n, command) >= sizeof(text))
		return 0;
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *mark = told ? NULL : strstr(word, "%s");
		if (mark && (size_t)snprintf(filled, sizeof(filled), "%.*s%s%s", (int)(mark - word), word, address, mark + 2) >= sizeof(filled))
			return 0;
		if (nwords == WORDS_MAX)
			return 0;
		words[nwords++] = mark ? filled : word;
		told = told || mark;
	}
	if (nwords == 0)
		return 0;
	if (!told) {
		(void)snprintf(filled, sizeof(filled), "%s", address);
		words[nwords++] = filled;
	}
	words[nwords] = NULL;
	return start(words);
}

pid_t
browser_open(const char *address)
{
	const char *list = setting("BROWSER");
	pid_t pid = 0;
	while (list && *list && !pid) {
		size_t n = strcspn(list, ":");
		pid = start_command(list, n, address);
		list += n + (list[n] == ':');
	}
	return pid ? pid : start_command("xdg-open", strlen("xdg-open"), address);
}
